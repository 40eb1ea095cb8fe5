"""Hill climbing: the best change of one arc, again and again, until none helps.

Quick, for hundreds of variables, and only locally optimal: no single arc can be added, removed or reversed to the
better. An arc that took the wrong direction early is what most often keeps climbing from a higher top, because to turn
it many others must change as well. So at a top variables are also *reinserted*: moved to another place in the order of
the variables, where they, and those that they pass, choose their parents anew from among their neighbours and the
neighbours of these. If that helps, climbing goes on. Restarts from a shaken structure may find a still higher top.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from bnml._checks import refuse, whole_number
from bnml._executor import checked_executor
from bnml._watch import Watch
from bnml.graph import DAG
from bnml.search.insertions import Orders, insertion_neighbours, order_for_insertions
from bnml.search.moves import Structure
from bnml.search.problem import Problem
from bnml.search.restarts import Beginning, BestSoFar, Restarted, Restarts, perturbation_of, restarting_at, run_shaken
from bnml.search.search_result import SearchResult
from bnml.search.short_of_time import fall_back_on_forest

if TYPE_CHECKING:
    from concurrent.futures import Executor


def hill_climb(
    problem: Problem,
    *,
    start: DAG | None = None,
    reinsert: bool | None = None,
    restarts: int = 0,
    perturbation: int | None = None,
    executor: Executor | None = None,
) -> SearchResult:
    """Climb from a structure to one that no change of a single arc improves."""
    rounds = whole_number(restarts, "restarts")
    if reinsert not in (None, True, False):
        raise refuse("reinsert", reinsert, "expected True, False or None")
    elsewhere = checked_executor(executor)
    structure, watch, rng = Structure(problem, start), problem.watch, np.random.default_rng(problem.seed)
    size = perturbation_of(structure, perturbation)
    in_turns = problem.n_distinct > 20_000 if reinsert is None else reinsert
    climb = climb_in_turns if in_turns else climb_up
    moves, verified = climb(structure, watch, 0.0, 1.0 / (rounds + 1))
    best = BestSoFar(structure, rounds, structure.arcs.copy(), structure.score, verified, moves)
    run_shaken(Restarts(structure, start, _ClimbAgain(in_turns)), best, size, rng, elsewhere)
    return result_of_climb(structure, moves=best.moves, restarts=best.done, local_optimum=best.verified)


@dataclass(frozen=True)
class _ClimbAgain:
    """How climbing goes on from where a restart begins."""

    in_turns: bool

    def on(self, structure: Structure) -> Callable[[Beginning, Watch], Restarted]:
        """Return what climbs from a beginning."""
        climb = climb_in_turns if self.in_turns else climb_up
        return restarting_at(structure, lambda at, watch: climb(structure, watch, at.start, at.stop))


def climb_up(structure: Structure, watch: Watch, start: float, stop: float) -> tuple[int, bool]:
    """Climb to the next top; return the number of moves, and whether it was reached."""
    moves, first = 0, 0.0
    while not watch.over:
        move = structure.best_move()
        if move is None or move.gain <= structure.equal:
            return moves, True
        structure.apply(move)
        moves += 1
        first = max(first, move.gain)
        watch(f"score {structure.score:,.1f}", start + (stop - start) * (1.0 - move.gain / first))
    return moves, False


def climb_in_turns(structure: Structure, watch: Watch, start: float, stop: float) -> tuple[int, bool]:
    """Climb by single arcs and, in turns, by moving variables in the order; return the moves, and if it ended."""
    moves, reached = climb_up(structure, watch, start, stop)
    while not watch.over:
        orders = Orders(structure, insertion_neighbours(structure.arcs))
        order, score, inserted = orders.improve(order_for_insertions(structure.arcs), watch)
        structure.families += orders.families
        if score <= structure.score + structure.equal:
            break
        structure.reset(orders.arcs(order))
        more, reached = climb_up(structure, watch, stop, stop)
        moves += inserted + more
        if more == 0:  # nothing has changed since no reinsertion helped
            break
    return moves, reached


def result_of_climb(structure: Structure, *, compare_forest: bool = False, **info: Any) -> SearchResult:
    """Return the result of a climb: the structure that it has reached, or the best forest.

    The forest is tried where the climb was cut off, or always with ``compare_forest``.
    """
    problem, forest = structure.problem, {}
    compared = compare_forest or not info["local_optimum"]
    if compared and structure.first_gains is not None and fall_back_on_forest(structure):
        forest = {"fallback": "forest", "local_optimum": False}
    problem.watch(f"score {structure.score:,.1f}", 1.0)
    found = {**info, "families": structure.families, "seed": problem.seed, **forest}
    return problem.result(structure.dag(), structure.score, found)
