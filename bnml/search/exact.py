"""Exact search: the best structure of all, proven.

No number of parents is out of the question and nothing is guessed. There are two ways. By ``"lattice"`` all 2^n
subsets of the variables are looked at, or proven not to matter: see `bnml.scores.lattice` for the scores of all
families, and `bnml.search.best_networks` for the dynamic programming. By ``"cuts"`` the families that can be in an
optimal structure are listed, and the best structure of these is found by branch and cut: see `bnml.search.by_cuts`.

The best network is reconstructed from the scores of the best networks on all subsets. There may be several. Which of
them is found must not depend on the order of columns, on blocks or on threads, so names decide. Scores that differ by
less than the rounding of a computer count as equal.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from bnml._bits import bits
from bnml._machine import cores, gigabytes
from bnml._watch import Tell
from bnml.counts.lattice import WalkOrder
from bnml.data.pushed_data import rows_stay
from bnml.errors import SearchError, argument
from bnml.graph import DAG, Rules, canonical_extension
from bnml.scores import FamilyScores, LocalScores
from bnml.scores.base import LEAST, score_rounding
from bnml.scores.candidates_by_bounds import Candidates
from bnml.scores.lattice import Lattice, LatticeByView, has_lattice, lattice_of
from bnml.search.best_networks import Subsets
from bnml.search.by_cuts import LISTING_PROGRESS, LISTING_SHARE, exact_by_cuts
from bnml.search.candidates import candidates_of
from bnml.search.forecast import (
    CORES,
    Forecast,
    SearchPlan,
    cost_of_method,
    listing_seconds,
    most_variables,
)
from bnml.search.listed_families import ListedFamilies, families_from_file, list_families_one_by_one
from bnml.search.problem import Problem
from bnml.search.search_result import SearchResult

PATIENCE = 600.0  # seconds of two cores for a list of families, where all subsets do not fit
MOST_NODES = 200  # branches, where all subsets fit
WALK_SHARE = 0.6  # of the work, for progress

Part = Callable[[str, float, float], Tell]


def exact(problem: Problem, *, method: str = "auto") -> SearchResult:
    """Return the structure with the highest score of all."""
    if problem.in_engine:
        assert isinstance(problem.local, LocalScores)
        raise rows_stay(problem.local.data, argument("search", "exact"))
    forecast = cost_of_method(problem, method)
    if method == "cuts":
        return exact_by_cuts(problem)
    if forecast.method == "cuts":
        found = _by_cuts_if_shorter(problem, forecast)
        if found is not None:
            return found
    if not forecast.fits:
        raise _too_large(forecast, most_variables(problem))
    local = problem.local
    walks = isinstance(local, LocalScores) and has_lattice(local)
    columns = (
        WalkOrder(local.counts).columns if isinstance(local, LocalScores) and walks else tuple(range(problem.rules.n))
    )
    _ = problem.hard_rules  # refused if no structure can be
    dag, families = solve_exact(
        local, problem.rules.among(columns), columns, forecast.plan, cores(problem.threads), problem.part,
        free=problem.nothing_but_the_score,
    )  # fmt: skip
    info = {
        "within": families.within + score_rounding(problem.n_rows),
        "method": "lattice",
        "subsets": 1 << len(problem.names),
        "visited": families.visited,
        "moves": 0,
        "families": families.scored,
        "local_optimum": families.within == 0.0,
        "unit": families.unit,
        "arithmetic": "32-bit integers" if forecast.plan.integers else "64-bit floats",
        "bytes": forecast.bytes,
    }
    return problem.result(dag, local.score(dag), info, optimal=True)


def _by_cuts_if_shorter(problem: Problem, forecast: Forecast) -> SearchResult | None:
    """Return the result of branch and cut, unless all subsets are done sooner.

    The list of families is given up once as many sets are counted as would take as long as all subsets, if these fit
    into memory, or some minutes, if no time limit is given: a number that is the same on every machine. So is the
    number of branches after which branch and cut is given up for all subsets.
    """
    most_nodes = MOST_NODES if forecast.fits else math.inf
    found = None
    if isinstance(problem.local, LocalScores):
        found = _list_if_shorter(problem, forecast)
        if forecast.fits and not found.complete:
            return None
    result = exact_by_cuts(problem, listed=found, most_nodes=most_nodes)
    done = result.optimal or "interrupted" in result.info or problem.watch.over or not forecast.fits
    return result if done else None


def _list_if_shorter(problem: Problem, forecast: Forecast) -> Candidates:
    """List families until that has taken as long as all subsets would take, or some minutes."""
    seconds = forecast.seconds if forecast.fits else PATIENCE if problem.watch.limit is None else math.inf
    most = seconds * CORES / listing_seconds(problem)
    return candidates_of(problem, problem.watch.share(LISTING_SHARE), LISTING_PROGRESS, most)


def _silent(stage: str, start: float, stop: float) -> Tell:
    return lambda share: None


def solve_exact(
    local: LocalScores | FamilyScores,
    rules: Rules,
    columns: Sequence[int],
    plan: SearchPlan,
    threads: int,
    part: Part = _silent,
    *,
    free: bool = False,
) -> tuple[DAG, Lattice | LatticeByView | ListedFamilies]:
    """Return the optimal structure of an exact search over all subsets, and the families that it was found from.

    ``columns`` are the columns at the places that the rules speak of; ``free``: nothing but the score decides, so that
    of an equivalence class any member will do.
    """
    families = _families(local, rules, plan, threads, part("local scores", 0.0, WALK_SHARE))
    done = part("best networks", WALK_SHARE, 1.0)
    subsets = Subsets(families, min(plan.n_low, families.n), threads, done)
    if subsets.total[-1, -1] < 0:
        raise SearchError("no structure can be made of the parent sets that are listed or allowed")
    slack = 0.0 if plan.integers else LEAST / families.unit / families.n
    free = free and isinstance(local, LocalScores) and local.equivalent
    read = read_back_by_names if free else read_back_by_model_string
    parents = read(subsets, rules.names, slack)
    sets: list[list[int]] = [[] for _ in columns]
    for place, column in enumerate(columns):
        sets[column] = sorted(columns[j] for j in bits(parents[place]))
    dag = DAG.from_parent_sets(local.names, sets)
    done(1.0)
    return canonical_extension(dag.cpdag()) if free else dag, families


def _families(
    local: LocalScores | FamilyScores, rules: Rules, plan: SearchPlan, threads: int, done: Tell
) -> Lattice | LatticeByView | ListedFamilies:
    if isinstance(local, FamilyScores):
        return families_from_file(local, rules)
    if not has_lattice(local):
        return list_families_one_by_one(local, rules, done)
    return lattice_of(local, rules, integers=plan.integers, prune=plan.prune, threads=threads, done=done)


def _too_large(forecast: Forecast, most: int) -> SearchError:
    n, needed, limit = forecast.variables, gigabytes(forecast.bytes), gigabytes(forecast.limit)
    way_out = f"At most {most} of these variables fit: choose columns" if most else "No number of variables fits"
    return SearchError(
        f"exact search of {n} variables would take {needed} of memory; {limit} are allowed.",
        hint=f"{way_out}, allow more with "
        + argument("memory_limit")
        + ", or take "
        + argument("method", "cuts")
        + ", which lists families",
    )


def read_back_by_names(subsets: Subsets, names: Sequence[str], slack: float) -> list[int]:
    """Read back the parents of each variable in an optimal network; of the sinks it may have, the last name goes last.

    The fast way, for scores that do not distinguish equivalent networks: any member of a class will do.
    """
    by_name = sorted(range(subsets.n), key=lambda i: names[i], reverse=True)
    parents = [0] * subsets.n
    left = (1 << subsets.n) - 1
    while left:
        sink = next(i for i in by_name if left >> i & 1 and _is_sink(subsets, left, i, slack))
        left ^= 1 << sink
        parents[sink] = _first_by_name(subsets.families.equals(sink, left, slack)[1], names)
    return parents


def _is_sink(subsets: Subsets, whole: int, i: int, slack: float) -> bool:
    """Whether a variable is the sink of an optimal network on a set."""
    total = _total(subsets, whole)
    return _total(subsets, whole ^ (1 << i)) + subsets.best(i, whole) >= total - slack


def _total(subsets: Subsets, members: int) -> float:
    return float(subsets.total[members >> subsets.n_low, members & ((1 << subsets.n_low) - 1)])


def _first_by_name(sets: Sequence[int], names: Sequence[str]) -> int:
    """Return the parents that make the smallest text."""

    def text(members: int) -> list[str]:
        return sorted(name for i, name in enumerate(names) if members >> i & 1)

    return min(sets, key=text)


def read_back_by_model_string(subsets: Subsets, names: Sequence[str], slack: float) -> list[int]:
    """Read back the parents of each variable in the optimal network with the lexicographically smallest model string.

    A model string lists each variable after its parents. So it is built from the left: of the variables that can come
    next in an optimal order, the one with the smallest name. Which sets optimal orders pass through is marked first.
    """
    marks = _marks(subsets, slack)
    by_name = sorted(range(subsets.n), key=lambda i: names[i])
    parents = [0] * subsets.n
    done, whole = 0, (1 << subsets.n) - 1
    while done != whole:
        for i in by_name:
            larger = done | (1 << i)
            if larger == done or not marks[larger >> subsets.n_low, larger & ((1 << subsets.n_low) - 1)]:
                continue
            gain, equals = subsets.families.equals(i, done, slack)
            if _total(subsets, done) + gain >= _total(subsets, larger) - slack:
                parents[i] = _first_by_name(equals, names)
                done = larger
                break
        else:
            raise AssertionError("no optimal order goes on from a set that one passes through")
    return parents


def _marks(subsets: Subsets, slack: float) -> npt.NDArray[np.bool_]:
    """Return which sets some optimal order of all variables passes through."""
    from bnml.search._kernels import mark

    marks = np.zeros(subsets.total.shape, bool)
    marks[-1, -1] = True
    for top in range(marks.shape[0] - 1, -1, -1):
        if not marks[top].any():
            continue
        own: npt.NDArray[Any] = subsets.total[top]
        best = subsets.best_low(top)
        width = min(own.size, 1 << 20)
        for first in range(own.size - width, -1, -width):
            mark(own, best, slack, first, first + width, marks[top])
        for i, gains in subsets.best_high(top).items():
            rest = top ^ (1 << (i - subsets.n_low))
            reached = subsets.total[rest].astype(np.float64) + gains >= own.astype(np.float64) - slack
            marks[rest] |= marks[top] & reached
    return marks
