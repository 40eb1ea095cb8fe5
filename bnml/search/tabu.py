"""Tabu search: like hill climbing, but on from the top, without undoing what was just done.

At a top the best change makes the score worse; taken nevertheless, it may lead to a higher top. So that it is not
undone at once, an arc that has changed stays as it is for some moves, unless to change it gives the highest score so
far.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bnml._checks import flag, whole_number
from bnml._executor import checked_executor
from bnml._watch import Watch
from bnml.graph import DAG
from bnml.search.climb import climb_in_turns, climb_up, result_of_climb
from bnml.search.moves import Structure
from bnml.search.problem import Problem
from bnml.search.restarts import Beginning, BestSoFar, Restarted, Restarts, perturbation_of, restarting_at, run_shaken
from bnml.search.search_result import SearchResult

if TYPE_CHECKING:
    from concurrent.futures import Executor

TENURE, PATIENCE = 10, 15  # moves


def tabu(
    problem: Problem,
    *,
    start: DAG | None = None,
    tenure: int = TENURE,
    patience: int = PATIENCE,
    reinsert: bool = True,
    restarts: int = 0,
    perturbation: int | None = None,
    executor: Executor | None = None,
) -> SearchResult:
    """Climb, and go on from each top as long as that leads to a higher one."""
    rounds = whole_number(restarts, "restarts")
    # as good as for ever
    tenure, patience = min(whole_number(tenure, "tenure"), 1 << 40), whole_number(patience, "patience")
    climb = climb_in_turns if flag(reinsert, "reinsert") else climb_up
    elsewhere = checked_executor(executor)
    structure, watch, rng = Structure(problem, start), problem.watch, np.random.default_rng(problem.seed)
    size = perturbation_of(structure, perturbation)
    how = _WanderAgain(reinsert, tenure, patience)
    best = BestSoFar(structure, rounds, structure.arcs.copy(), -np.inf)

    best.take(0, how.on(structure)(Beginning(best.arcs, 0, 0.0, 1.0 / (rounds + 1)), watch))
    run_shaken(Restarts(structure, start, how), best, size, rng, elsewhere)
    more, verified = climb(structure, watch, 1.0, 1.0)
    return result_of_climb(structure, moves=best.moves + more, restarts=best.done, local_optimum=verified)


@dataclass(frozen=True)
class _WanderAgain:
    """How tabu search goes on from where a restart begins."""

    in_turns: bool
    tenure: int
    patience: int

    def on(self, structure: Structure) -> Callable[[Beginning, Watch], Restarted]:
        """Return what climbs from a beginning, and wanders on."""
        climb = climb_in_turns if self.in_turns else climb_up

        def wander(at: Beginning, watch: Watch) -> tuple[int, bool]:
            moves = climb(structure, watch, at.start, at.start)[0]
            return moves + tabu_walk(structure, self.tenure, self.patience, watch, at.start, at.stop), False

        return restarting_at(structure, wander)


def tabu_walk(structure: Structure, tenure: int, patience: int, watch: Watch, start: float, stop: float) -> int:
    """Move until nothing higher was found for a while, and go back to the highest; return the number of moves."""
    until: dict[tuple[int, int], int] = {}  # how long an arc stays as it is
    best, top = structure.arcs.copy(), structure.score
    moves = idle = 0
    while idle <= patience and not watch.over:
        move = structure.best_move()
        if move is not None and structure.score + move.gain <= top + structure.equal:  # no reason to break a tabu
            move = structure.best_move(barred=[arc for arc, last in until.items() if last > moves])
        if move is None:
            break
        structure.apply(move)
        moves += 1
        until.update(dict.fromkeys(move.arcs, moves + tenure))
        if structure.score > top + structure.equal:
            best, top, idle = structure.arcs.copy(), structure.score, 0
        else:
            idle += 1
        watch(f"score {top:,.1f}", start + (stop - start) * idle / (patience + 1))
    structure.reset(best)
    return moves
