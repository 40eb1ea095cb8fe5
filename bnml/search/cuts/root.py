"""The root: inequalities are added to the linear program until no more are found that its solution violates."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from bnml._watch import Watch
from bnml.search.cuts.order_search import OrderSearch
from bnml.search.cuts.problem import Bools, FamilyArrays, Ints
from bnml.search.cuts.relaxation import Relaxation
from bnml.search.cuts.rows import cluster_row, link_row, pairs
from bnml.search.cuts.separation import by_local_search, by_program

__all__ = ["CLOSE", "Incumbent", "Root"]

CLOSE = 1e-6  # a bound that is so near to a score proves it
TIE = 1e-7  # families are kept while they can be part of a structure that is worse by so little
AT_ONCE = 60  # clusters added in a round
WORTH = 0.02  # the share of families that must have become useless before they are dropped


class Incumbent:
    """The best structure so far.

    Attributes
    ----------
    score
        Its score, -inf if there is none.
    sets
        Its parents, as rows of words.
    """

    def __init__(self, problem: FamilyArrays) -> None:
        self.score, self.sets = -math.inf, np.zeros_like(problem.links)

    def improve(self, problem: FamilyArrays, chosen: Ints) -> bool:
        """Take a structure that is better, given by the numbers of its families."""
        if (chosen < 0).any():
            return False
        score = math.fsum(problem.scores[chosen].tolist())
        if score <= self.score:
            return False
        self.score, self.sets = score, problem.sets[chosen]
        return True


@dataclass
class Root:
    """The state of the search at its root."""

    relaxation: Relaxation
    incumbent: Incumbent
    watch: Watch
    tell: Callable[[float, float], None]
    bound: float = math.inf
    rounds: int = 0
    programs: int = 0

    def closed(self) -> bool:
        """Whether the incumbent is proven, or there is no structure at all."""
        return self.bound <= self.incumbent.score + CLOSE

    def run(self) -> None:
        """Tighten the linear program."""
        problem = self.relaxation.problem
        self.relaxation.add([link_row(problem, i, j) for i, j in problem.linked])
        self.relaxation.add(pairs(problem))
        while not self.watch.over:
            if not self.relaxation.solve():
                self.bound = min(self.bound, self.incumbent.score)
                break
            self.look()
            if self.closed() or self.watch.over or not self.separate():
                break
            self.rounds += 1

    def look(self) -> None:
        """Prove a bound, look for a better structure, and drop families that are in none."""
        relaxation = self.relaxation
        proof = relaxation.proof()
        self.bound = min(self.bound, max(proof.bound, self.incumbent.score))
        if self.rounds % 5 == 0:
            relaxation.drop_idle()
            self.round_off()
        self.tell(self.incumbent.score, self.bound)
        keep = proof.ceilings >= self.incumbent.score - TIE
        if (~keep).sum() > WORTH * keep.size:
            relaxation.keep(keep)

    def round_off(self) -> None:
        """Climb from the order that the fractions suggest."""
        from bnml.search.cuts._kernels import order_by_values

        problem = self.relaxation.problem
        order = np.empty(problem.n, np.int64)
        order_by_values(problem.first, problem.sets, self.relaxation.values, order)
        own = np.flatnonzero(problem.listed)
        _, _, chosen = OrderSearch(problem).improve(order)
        if (chosen >= 0).all():
            self.incumbent.improve(problem, own[chosen])

    def separate(self) -> bool:
        """Add clusters that the solution violates; return whether there are any."""
        relaxation = self.relaxation
        problem, values = relaxation.problem, relaxation.values
        found = self._new(by_local_search(problem, values, 2 + self.rounds % 3, self.rounds))
        if not found:
            self.programs += 1
            found = self._new(by_program(problem, values, self.watch))
        rows = [cluster_row(problem, members) for members in found[:AT_ONCE]]
        relaxation.add(rows)
        return bool(rows)

    def _new(self, clusters: list[Bools]) -> list[Bools]:
        """Return those that the linear program does not have yet."""
        have = {row.key for row in self.relaxation.rows}
        return [members for members in clusters if np.packbits(members).tobytes() not in have]
