"""Exact search: the best structure of all, proven.

No number of parents is out of the question and nothing is guessed: all 2^n subsets of the variables are looked at, or
proven not to matter. See `bnml.scores.lattice` for the scores of all families, `bnml.search.subsets` for the dynamic
programming, and `bnml.search.readback` for what happens when several structures share the highest score.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from bnml._memory import gigabytes, limit_of
from bnml._threads import cores
from bnml.counts.lattice import Layout
from bnml.data import as_data
from bnml.errors import ArgumentError, SearchError
from bnml.graph import DAG, Constraints, canonical_extension
from bnml.graph.constraints import CompiledConstraints
from bnml.scores import FamilyScores, LocalScores, Score, parse_score
from bnml.scores.lattice import Lattice, Rules, walkable
from bnml.scores.local import local_scores
from bnml.scores.priors import StructurePrior
from bnml.search.forecast import MOST_VARIABLES, Forecast, Plan, plan_for
from bnml.search.listed import ListedFamilies, every_family, from_file
from bnml.search.readback import last_names_last, smallest_model_string
from bnml.search.result import SearchResult
from bnml.search.subsets import Subsets
from bnml.search.watch import Watch

__all__ = ["exact"]

EQUAL = 1e-9  # scores that differ by less are equal: it is what rounding can do
WALK_SHARE = 0.6  # of the work, for progress


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

    Raises
    ------
    BnmlError
        If an argument is wrong, nothing satisfies the constraints, or there is not enough memory; before any work.

    Examples
    --------
    >>> import bnml
    >>> result = bnml.search.exact(bnml.example(), "bic")
    >>> result.optimal, round(result.score, 1)
    (True, -11273.2)
    """
    watch = _Watch(progress, time_limit)
    workers, limit = cores(threads), limit_of(memory_limit)
    if max_parents is not None and (
        isinstance(max_parents, bool) or int(max_parents) != max_parents or max_parents < 0
    ):
        raise ArgumentError(f"max_parents={max_parents!r}: expected a whole number from 0, or None")
    source: LocalScores | FamilyScores
    if isinstance(data, FamilyScores):
        source, names = data, data.names
    else:
        source = local_scores(as_data(data), parse_score(score), prior)
        names = source.data.names
    compiled = (constraints or Constraints()).compiled(names)
    _check_must(names, compiled, max_parents)
    forecast = plan_for(source, max_parents, limit, workers, constrained=constraints is not None)
    _check(forecast)
    walks = isinstance(source, LocalScores) and walkable(source)
    columns = Layout(source.data).columns if isinstance(source, LocalScores) and walks else tuple(range(len(names)))
    rules = Rules.of(columns, compiled, max_parents)
    free = constraints is None and max_parents is None and prior is None
    dag, families = solve(source, rules, columns, forecast.plan, workers, watch, free=free)
    value = source.score(dag) if isinstance(source, FamilyScores) else _score(source, dag)
    info = {
        "within": families.within,
        "subsets": 1 << len(names),
        "visited": families.visited,
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
    plan: Plan,
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
        raise SearchError("no structure meets the constraints with a score above minus infinity; drop some of them")
    placed = [names[column] for column in columns]
    slack = 0.0 if plan.integers else EQUAL / families.unit / families.n
    free = free and isinstance(source, LocalScores) and source.score.equivalent
    read = last_names_last if free else smallest_model_string
    parents = read(subsets, placed, slack)
    sets: list[list[int]] = [[] for _ in names]
    for place, column in enumerate(columns):
        sets[column] = sorted(columns[j] for j in range(len(names)) if parents[place] >> j & 1)
    dag = DAG.from_parent_sets(names, sets)
    watch("best networks", 1.0)
    return canonical_extension(dag.cpdag()) if free else dag, families


def _families(
    source: LocalScores | FamilyScores, rules: Rules, plan: Plan, threads: int, watch: Watch
) -> Lattice | ListedFamilies:
    if isinstance(source, FamilyScores):
        return from_file(source, rules)
    done = watch.part("local scores", 0.0, WALK_SHARE)
    if not walkable(source):
        return every_family(source, rules, done)
    return Lattice(source, rules, integers=plan.integers, prune=plan.prune, threads=threads, done=done)


def _score(local: LocalScores, dag: DAG) -> float:
    return math.fsum(local.families(range(len(dag.names)), dag.parent_sets).tolist())


def _check_must(names: Sequence[str], compiled: CompiledConstraints, max_parents: int | None) -> None:
    """Refuse to ask for more parents than are allowed."""
    for name, must in zip(names, compiled.must, strict=True):
        if max_parents is not None and must.bit_count() > max_parents:
            raise SearchError(
                f"{name!r} must have {must.bit_count()} parents, but max_parents={max_parents} allows fewer; "
                "raise it, or require fewer arcs"
            )


def _check(forecast: Forecast) -> None:
    """Refuse what does not fit."""
    if forecast.fits:
        return
    n = forecast.variables
    while n > 1 and forecast.bytes / 2.0 ** (forecast.variables - n) > forecast.limit:
        n -= 1
    if forecast.variables > MOST_VARIABLES:
        n = min(n, MOST_VARIABLES)
    raise SearchError(
        f"exact search of {forecast.variables} variables would take {gigabytes(forecast.bytes)} of memory; "
        f"{gigabytes(forecast.limit)} are allowed. About {n} variables fit: choose columns, or raise memory_limit="
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
