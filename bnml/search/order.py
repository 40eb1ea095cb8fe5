"""Order search: a good order of the variables, in which each one takes its parents from those before it.

Given an order the best structure is easy: no cycle can arise, so each variable takes its best parents among its
predecessors. Orders are also a smoother landscape than structures: to move one variable to another place changes many arcs at
once. So the search moves one variable after the other to its best place, until none can be moved to the better (as in BOSS,
Andrews et al. 2023); then it climbs by single arcs from the structure it has found; and it starts again from a shaken order.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from bnml.graph import DAG, Constraints
from bnml.scores import Score
from bnml.scores.priors import StructurePrior
from bnml.search.climb import climb_up, finished, structure_for, whole_number
from bnml.search.growshrink import GrowShrink
from bnml.search.moves import EQUAL, Bools, Structure
from bnml.search.result import SearchResult
from bnml.search.watch import Watch

__all__ = ["Orders", "order"]


class Orders:
    """Orders of the variables of a structure, and the parents that each variable takes in them."""

    def __init__(self, structure: Structure) -> None:
        self.n, self.structure = structure.n, structure
        may, must = _masks(structure.may), _masks(structure.fixed)
        links = _masks(structure.tied)
        self._links = links
        self._trees = [
            GrowShrink(structure.local, i, structure.columns, may[i], must[i], structure.most, structure.threads)
            for i in range(self.n)
        ]

    @property
    def families(self) -> int:
        """How many families were scored."""
        return sum(tree.families for tree in self._trees)

    def best(self, i: int, before: int) -> tuple[float, int]:
        """Return the score and the parents that a variable takes from its predecessors."""
        return self._trees[i].best(before)

    def arcs(self, order: list[int]) -> Bools:
        """Return the structure of an order."""
        arcs, before = np.zeros((self.n, self.n), bool), 0
        for i in order:
            parents = self.best(i, before)[1]
            arcs[[j for j in range(self.n) if parents >> j & 1], i] = True
            before |= 1 << i
        return arcs

    def improve(self, order: list[int], watch: Watch) -> tuple[list[int], float, int]:
        """Move variables to their best places until none can be moved to the better; return order, score and moves."""
        score, before = 0.0, 0
        for i in order:
            score += self.best(i, before)[0]
            before |= 1 << i
        moves, idle, k = 0, 0, 0
        while idle < self.n and not watch.over:
            i = k % self.n
            better, moved = self._moved(order, i)
            if moved > score + EQUAL:
                order, score, idle, moves = better, moved, 0, moves + 1
            else:
                idle += 1
            k += 1
        return order, score, moves

    def _moved(self, order: list[int], i: int) -> tuple[list[int], float]:
        """Return the order with one variable at its best place, and its score.

        Behind that place each other variable has it among its candidates, before it not; so the score of all places
        comes from two sums over the others.
        """
        rest = [j for j in order if j != i]
        bit, before = 1 << i, 0
        without, having = [], []
        own = []
        for j in rest:
            own.append(self.best(i, before)[0])
            without.append(self.best(j, before)[0])
            having.append(self.best(j, before | bit)[0])
            before |= 1 << j
        own.append(self.best(i, before)[0])
        scores = np.array(own)
        scores[1:] += np.cumsum(without)
        scores[:-1] += np.cumsum(having[::-1])[::-1]
        here = order.index(i)
        place = int(scores.argmax())
        if scores[place] <= scores[here] + EQUAL:
            place = here
        return [*rest[:place], i, *rest[place:]], float(scores[place])


def order(
    data: Any,
    score: Score | str = "qnml",
    *,
    start: DAG | None = None,
    restarts: int = 5,
    constraints: Constraints | None = None,
    max_parents: int | None = None,
    prior: StructurePrior | None = None,
    seed: int = 0,
    threads: int | None = None,
    time_limit: float | None = None,
    progress: Callable[[str, float], None] | None = None,
) -> SearchResult:
    """Search for the order of the variables that gives the best structure.

    Parameters
    ----------
    data, score, constraints, max_parents, prior, seed, threads, progress
        As for `bnml.learn`.
    start
        The structure whose order to start from; by default that which hill climbing finds.
    restarts
        How often to start again from a shaken order.
    time_limit
        Seconds after which the best structure so far is returned.

    Returns
    -------
    SearchResult
        With ``info["local_optimum"]``: whether it was verified that no change of one arc is an improvement.

    Raises
    ------
    BnmlError
        If an argument is wrong, or the constraints cannot be met.

    Examples
    --------
    >>> import bnml
    >>> result = bnml.search.order(bnml.example(), "bic")
    >>> round(bnml.search.exact(bnml.example(), "bic").score - result.score, 6)
    0.0
    """
    watch = Watch(progress, time_limit)
    rounds = whole_number(restarts, "restarts")
    structure = structure_for(data, score, prior, constraints, max_parents, start, threads)
    orders = Orders(structure)
    rng = np.random.default_rng(seed)
    moves, verified = climb_up(structure, watch, 0.0, 0.0)
    best, top = structure.arcs.copy(), structure.score
    for k in range(rounds + 1):
        if watch.over:
            break
        first = _order_of(best)
        if k > 0:
            first = _shaken(first, rng)
        more, found = _settle(orders, structure, first, watch)
        moves += more
        if structure.score > top + EQUAL:
            best, top, verified = structure.arcs.copy(), structure.score, found
        watch(f"score {top:,.1f}", (k + 1) / (rounds + 1))
    structure.reset(best)
    structure.families += orders.families
    info = {"moves": moves, "restarts": rounds, "local_optimum": verified, "seed": seed}
    return finished(structure, "order", watch, **info)


def _settle(orders: Orders, structure: Structure, first: list[int], watch: Watch) -> tuple[int, bool]:
    """Improve an order, and the structure it gives by single arcs, in turns, until neither helps."""
    moves, top = 0, -np.inf
    while True:
        first, _, more = orders.improve(first, watch)
        structure.reset(orders.arcs(first))
        climbed, found = climb_up(structure, watch, 0.0, 0.0)
        moves += more + climbed
        if structure.score <= top + EQUAL or watch.over:
            return moves, found
        top = structure.score
        first = _order_of(structure.arcs)


def _order_of(arcs: Bools) -> list[int]:
    """Return an order in which parents come first, by names where there is a choice."""
    left, order, waiting = list(range(len(arcs))), [], arcs.sum(axis=0)
    while left:
        i = next(k for k in left if waiting[k] == 0)
        order.append(i)
        left.remove(i)
        waiting = waiting - arcs[i]
    return order


def _shaken(order: list[int], rng: np.random.Generator) -> list[int]:
    """Move some variables to other places."""
    order = list(order)
    for _ in range(max(2, len(order) // 5)):
        order.insert(int(rng.integers(len(order))), order.pop(int(rng.integers(len(order)))))
    return order


def _masks(matrix: Bools) -> list[int]:
    """Return a matrix [parent, child] as the parents of each child, as bit masks."""
    return [sum(1 << int(p) for p in np.flatnonzero(column)) for column in matrix.T]
