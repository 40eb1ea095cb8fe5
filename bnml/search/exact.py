"""Exact search: the best structure of all, proven.

No number of parents is out of the question and nothing is guessed: all 2^n subsets of the variables are looked at, or
proven not to matter. See `bnml.scores.lattice` for the scores of all families, `bnml.search.best_networks` for the
dynamic programming, and `bnml.search.read_back` for what happens when several structures share the highest score.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from bnml._bits import bits
from bnml._memory import gigabytes
from bnml._threads import cores
from bnml.counts.lattice import WalkOrder
from bnml.errors import SearchError, argument
from bnml.graph import DAG, Rules, canonical_extension
from bnml.scores import FamilyScores, LocalScores
from bnml.scores.equal import LEAST, rounding
from bnml.scores.lattice import Lattice, has_lattice
from bnml.scores.priors import Uniform
from bnml.search.best_networks import Subsets
from bnml.search.forecast import Forecast, SearchPlan, forecast_of, most_variables
from bnml.search.listed_families import ListedFamilies, families_from_file, list_every_family
from bnml.search.read_back import last_names_last, smallest_model_string
from bnml.search.search_result import SearchResult
from bnml.search.task import Task, as_search

__all__ = ["exact", "solve"]

WALK_SHARE = 0.6  # of the work, for progress
AT_ONCE = 1 << 22  # sets that are counted in one go

Part = Callable[[str, float, float], Callable[[float], None]]


@as_search("exact")
def exact(task: Task) -> SearchResult:
    """Return the structure with the highest score of all.

    Returns
    -------
    SearchResult
        The optimum. If several structures share the highest score: for score-equivalent scores, where nothing
        constrains the structure, the canonical DAG of its class; otherwise the one with the smallest model string.
        ``info["families"]`` counts the families of the sets that were visited; there are no ``moves``.
        There is no result before the end: when the time is over, the search is given up with an error.

    Examples
    --------
    >>> import bnml
    >>> result = bnml.search.exact(bnml.example(), "bic")
    >>> result.optimal, round(result.score, 1)
    (True, -11279.4)
    """
    forecast = forecast_of(task)
    if not forecast.fits:
        raise _too_large(forecast, most_variables(task))
    local = task.local
    walks = isinstance(local, LocalScores) and has_lattice(local)
    columns = (
        WalkOrder(local.counts).columns if isinstance(local, LocalScores) and walks else tuple(range(task.rules.n))
    )
    _ = task.hard_rules  # refused if no structure can be
    prior = local.prior if isinstance(local, LocalScores) else None
    decided = task.rules.constrained or task.rules.most < task.rules.n - 1  # rows per cell decide for whole classes
    free = not decided and (prior is None or isinstance(prior, Uniform))
    dag, families = solve(
        local, task.rules.among(columns), columns, forecast.plan, cores(task.threads), task.part, free=free
    )
    info = {
        "within": families.within + rounding(task.n_rows),
        "subsets": 1 << len(task.names),
        "visited": families.visited,
        "moves": 0,
        "families": _scored(families),
        "local_optimum": families.within == 0.0,
        "unit": families.unit,
        "arithmetic": "32-bit integers" if forecast.plan.integers else "64-bit floats",
        "bytes": forecast.bytes,
    }
    return task.result(dag, local.score(dag), info, optimal=True)


def _silent(stage: str, start: float, stop: float) -> Callable[[float], None]:
    return lambda share: None


def solve(
    local: LocalScores | FamilyScores,
    rules: Rules,
    columns: Sequence[int],
    plan: SearchPlan,
    threads: int,
    part: Part = _silent,
    *,
    free: bool = False,
) -> tuple[DAG, Lattice | ListedFamilies]:
    """Return the optimal structure, and the families that it was found from.

    ``columns`` are the columns at the places that the rules speak of; ``free``: nothing but the score decides, so that
    of an equivalence class any member will do.
    """
    families = _families(local, rules, plan, threads, part("local scores", 0.0, WALK_SHARE))
    done = part("best networks", WALK_SHARE, 1.0)
    subsets = Subsets(families, min(plan.n_low, families.n), threads, done)
    if subsets.total[-1, -1] < 0:
        raise SearchError("no structure can be made of the parent sets that are listed or allowed")
    slack = 0.0 if plan.integers else LEAST / families.unit / families.n
    free = free and isinstance(local, LocalScores) and local.score_function.equivalent
    read = last_names_last if free else smallest_model_string
    parents = read(subsets, rules.names, slack)
    sets: list[list[int]] = [[] for _ in columns]
    for place, column in enumerate(columns):
        sets[column] = sorted(columns[j] for j in bits(parents[place]))
    dag = DAG.from_parent_sets(local.names, sets)
    done(1.0)
    return canonical_extension(dag.cpdag()) if free else dag, families


def _families(
    local: LocalScores | FamilyScores, rules: Rules, plan: SearchPlan, threads: int, done: Callable[[float], None]
) -> Lattice | ListedFamilies:
    if isinstance(local, FamilyScores):
        return families_from_file(local, rules)
    if not has_lattice(local):
        return list_every_family(local, rules, done)
    return Lattice(local, rules, integers=plan.integers, prune=plan.prune, threads=threads, done=done)


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


def _too_large(forecast: Forecast, most: int) -> SearchError:
    n, needed, limit = forecast.variables, gigabytes(forecast.bytes), gigabytes(forecast.limit)
    way_out = f"At most {most} of these variables fit: choose columns" if most else "No number of variables fits"
    return SearchError(
        f"exact search of {n} variables would take {needed} of memory; {limit} are allowed. {way_out}, "
        f"allow more with {argument('memory_limit')}, or take another search"
    )
