"""Exact search: the best structure of all, proven.

No number of parents is out of the question and nothing is guessed: all 2^n subsets of the variables are looked at, or
proven not to matter. See `bnml.scores.lattice` for the scores of all families, `bnml.search.best_networks` for the
dynamic programming, and `bnml.search.read_back` for what happens when several structures share the highest score.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from bnml._bits import members
from bnml._memory import gigabytes, limit_of
from bnml._threads import cores
from bnml._watch import Watch
from bnml.counts.lattice import WalkOrder
from bnml.data import as_data
from bnml.errors import ArgumentError, SearchError, quoted
from bnml.graph import DAG, Constraints, canonical_extension
from bnml.scores import FamilyScores, LocalScores, Score, parse_score
from bnml.scores.lattice import Lattice, Rules, walkable
from bnml.scores.lattice.arcs import ArcTerms
from bnml.scores.local import local_scores
from bnml.scores.priors import StructurePrior, Uniform
from bnml.search.arguments import check_arguments
from bnml.search.best_networks import Subsets
from bnml.search.forecast import Forecast, SearchPlan, most_variables, plan_for
from bnml.search.listed_families import ListedFamilies, every_family, from_file
from bnml.search.read_back import last_names_last, smallest_model_string
from bnml.search.search_result import SearchResult

__all__ = ["exact"]

EQUAL = 1e-9  # scores that differ by less are equal: it is what rounding can do
WALK_SHARE = 0.6  # of the work, for progress
AT_ONCE = 1 << 22  # sets that are counted in one go


def exact(
    data: Any,
    score: Score | str = "qnml",
    *,
    constraints: Constraints | None = None,
    max_parents: int | None = None,
    prior: StructurePrior | None = None,
    threads: int | None = None,
    memory_limit: int | str | None = None,
    time_limit: float | None = None,
    progress: Callable[[str, float], None] | None = None,
) -> SearchResult:
    """Return the structure with the highest score of all.

    Parameters
    ----------
    data
        A `Data`, or anything that `bnml.read` takes; or a `bnml.scores.FamilyScores`, local scores without a table.
    score, constraints, max_parents, prior, threads, memory_limit, progress
        As for `bnml.learn`.
    time_limit
        Seconds after which the search is given up, with an error: there is no result before the end.

    Returns
    -------
    SearchResult
        The optimum. If several structures share the highest score: for score-equivalent scores, where nothing
        constrains the structure, the canonical DAG of its class; otherwise the one with the smallest model string.
        ``info["families"]`` counts the families of the sets that were visited; there are no ``moves``.

    Raises
    ------
    BnmlError
        If an argument is wrong, nothing satisfies the constraints, or there is not enough memory; before any work.

    Examples
    --------
    >>> import bnml
    >>> result = bnml.search.exact(bnml.example(), "bic")
    >>> result.optimal, round(result.score, 1)
    (True, -11279.4)
    """
    check_arguments(
        score=score, constraints=constraints, max_parents=max_parents, prior=prior, threads=threads,
        memory_limit=memory_limit, time_limit=time_limit, progress=progress,
    )  # fmt: skip
    watch = _Watch(progress, time_limit)
    source = _source(data, score, prior)
    names = source.names if isinstance(source, FamilyScores) else source.data.names
    compiled = (constraints or Constraints()).compiled(names)
    constrained, limit = constraints is not None, limit_of(memory_limit)
    forecast = plan_for(source, max_parents, limit, threads, constrained=constrained)
    if not forecast.fits:
        raise _too_large(forecast, most_variables(source, max_parents, limit, threads, constrained=constrained))
    walks = isinstance(source, LocalScores) and walkable(source)
    columns = WalkOrder(source.data).columns if isinstance(source, LocalScores) and walks else tuple(range(len(names)))
    rules = Rules.of(columns, compiled, max_parents)
    _check_rules(source, rules, [names[column] for column in columns])
    free = rules == Rules.of(columns, None, None) and (prior is None or isinstance(prior, Uniform))
    workers = cores(threads)
    dag, families = solve(source, rules, columns, forecast.plan, workers, watch, free=free)
    value = source.score(dag) if isinstance(source, FamilyScores) else _score(source, dag)
    info = {
        "within": families.within,
        "subsets": 1 << len(names),
        "visited": families.visited,
        "moves": 0,
        "families": _scored(families),
        "local_optimum": families.within == 0.0,
        "unit": families.unit,
        "arithmetic": "32-bit integers" if forecast.plan.integers else "64-bit floats",
        "bytes": forecast.bytes,
    } | ({} if max_parents is None else {"max_parents": int(max_parents)})
    table = source.data if isinstance(source, LocalScores) else None
    return SearchResult(dag, value, True, "exact", watch.seconds, info, table, source, constraints)


def solve(
    source: LocalScores | FamilyScores,
    rules: Rules,
    columns: Sequence[int],
    plan: SearchPlan,
    threads: int,
    watch: Watch | None = None,
    *,
    free: bool = False,
) -> tuple[DAG, Lattice | ListedFamilies]:
    """Return the optimal structure, and the families that it was found from.

    ``columns`` are the columns at the places that the rules speak of; ``free``: nothing but the score decides, so that
    of an equivalence class any member will do.
    """
    watch = watch or Watch()
    families = _families(source, rules, plan, threads, watch)
    names = source.names if isinstance(source, FamilyScores) else source.data.names
    subsets = Subsets(families, min(plan.n_low, families.n), threads, watch.part("best networks", WALK_SHARE, 1.0))
    if subsets.total[-1, -1] < 0:
        raise SearchError("no structure can be made of the parent sets that are listed or allowed")
    placed = [names[column] for column in columns]
    slack = 0.0 if plan.integers else EQUAL / families.unit / families.n
    free = free and isinstance(source, LocalScores) and source.score_function.equivalent
    read = last_names_last if free else smallest_model_string
    parents = read(subsets, placed, slack)
    sets: list[list[int]] = [[] for _ in names]
    for place, column in enumerate(columns):
        sets[column] = sorted(columns[j] for j in range(len(names)) if parents[place] >> j & 1)
    dag = DAG.from_parent_sets(names, sets)
    watch("best networks", 1.0)
    return canonical_extension(dag.cpdag()) if free else dag, families


def _families(
    source: LocalScores | FamilyScores, rules: Rules, plan: SearchPlan, threads: int, watch: Watch
) -> Lattice | ListedFamilies:
    if isinstance(source, FamilyScores):
        return from_file(source, rules)
    done = watch.part("local scores", 0.0, WALK_SHARE)
    if not walkable(source):
        return every_family(source, rules, done)
    return Lattice(source, rules, integers=plan.integers, prune=plan.prune, threads=threads, done=done)


def _scored(families: Lattice | ListedFamilies) -> int:
    """Return how many families were scored: a set that was visited has one for each of its variables."""
    if isinstance(families, ListedFamilies):
        return families.scored
    n, terms, missing = families.n, families.terms[0], families.missing[0]
    if families.visited == 1 << n:
        return n << (n - 1)
    sizes, total = np.bitwise_count(np.arange(min(1 << n, AT_ONCE), dtype=np.int64)), 0
    for start in range(0, 1 << n, AT_ONCE):
        part = terms[start : start + AT_ONCE]
        there = (part != missing) & (part == part)
        total += int(sizes[there].sum(dtype=np.int64)) + start.bit_count() * int(np.count_nonzero(there))
    return total


def _score(local: LocalScores, dag: DAG) -> float:
    return math.fsum(local.families(range(len(dag.names)), dag.parent_sets).tolist())


def _source(data: Any, score: Score | str, prior: StructurePrior | None) -> LocalScores | FamilyScores:
    if not isinstance(data, FamilyScores):
        return local_scores(as_data(data), parse_score(score), prior)
    if prior is not None:
        raise ArgumentError("prior: local scores from elsewhere have theirs already; leave it out")
    return data


def _check_rules(source: LocalScores | FamilyScores, rules: Rules, names: Sequence[str]) -> None:
    """Refuse rules that no structure meets.

    A variable can be last of some others if none of these must have it as a parent, and if it may have as many parents
    as it must have by arcs and by links to them. Whichever is taken away first, the others only become freer.
    """
    if isinstance(source, LocalScores) and source.prior is not None and walkable(source):
        rules = ArcTerms.of(source, WalkOrder(source.data), rules).rules  # what the prior requires is a rule as well
    left = (1 << len(names)) - 1
    while left:
        for i in members(left):
            needed = rules.must[i] | (rules.links[i] & left)
            wanted = any(rules.must[j] >> i & 1 for j in members(left))
            if not wanted and needed.bit_count() <= rules.most and not needed & ~rules.may[i]:
                left ^= 1 << i
                break
        else:
            raise SearchError(
                f"no structure meets what is required of {quoted(names[i] for i in members(left))}: the required arcs "
                f"and links, with at most {rules.most} parents each and what a prior rules out, contradict each other"
            )


def _too_large(forecast: Forecast, most: int) -> SearchError:
    n, needed, limit = forecast.variables, gigabytes(forecast.bytes), gigabytes(forecast.limit)
    way_out = f"At most {most} of these variables fit: choose columns" if most else "No number of variables fits"
    return SearchError(
        f"exact search of {n} variables would take {needed} of memory; {limit} are allowed. {way_out}, "
        "allow more with memory_limit, or take another search"
    )


class _Watch(Watch):
    """A watch that gives up when the time is over."""

    def __call__(self, stage: str, fraction: float) -> None:
        if self.over:
            raise SearchError(
                f"exact search did not end within time_limit={self.limit:g} seconds and has no result before its end; "
                "allow more time, or take fewer columns"
            )
        super().__call__(stage, fraction)
