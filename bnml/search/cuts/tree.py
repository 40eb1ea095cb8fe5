"""Branching: where cutting planes leave a gap, an arc is required in one branch and forbidden in the other.

A branch is a set of families that are still allowed. Its bound is proven as at the root, with the multipliers of its
own linear program; so the bound of the tree, the largest of its leaves, rests on whole numbers, too. All inequalities
hold for all structures, and serve all branches.
"""

from __future__ import annotations

import math
from heapq import heappop, heappush

import numpy as np

from bnml.search.cuts.cutting import TIE, Cutting
from bnml.search.cuts.family_arrays import Bools, Ints

FRACTION = 1e-5
MOST_ROUNDS = 15  # of cutting planes in a node
LOOK_BACK = 3  # rounds in which the gap must shrink
SHRINKS = 0.1  # by this share


class Tree:
    """The branches that are open.

    Parameters
    ----------
    cutting
        The linear program, as the root left it.

    Attributes
    ----------
    nodes
        How many branches were looked at.
    """

    def __init__(self, cutting: Cutting) -> None:
        self.cutting, self.nodes = cutting, 0
        self._open: list[tuple[float, int, Bools]] = []
        self._added = 0
        self._stuck = -math.inf  # the bound of branches that cannot be split and are not closed
        self._push(cutting.bound, np.ones(cutting.relaxation.problem.scores.size, bool))

    def _push(self, bound: float, allowed: Bools) -> None:
        heappush(self._open, (-bound, self._added, allowed))
        self._added += 1

    @property
    def bound(self) -> float:
        """No structure has a higher score."""
        highest = -self._open[0][0] if self._open else -math.inf
        return max(highest, self._stuck, self.cutting.incumbent.score)

    def run(self, most: float = math.inf) -> None:
        """Split the branch with the highest bound, until all are closed, so many are looked at, or the time is over."""
        cutting = self.cutting
        while self.nodes < most and self._open and not cutting.watch.over and not cutting.closed(-self._open[0][0]):
            above, _, allowed = self._open[0]
            bound, children = self._node(-above, allowed)
            heappop(self._open)
            self.nodes += 1
            for child in children:
                self._push(bound, child)
            if not children and not cutting.closed(bound):
                self._stuck = max(self._stuck, bound)
            cutting.tell(self.bound)

    def _node(self, bound: float, allowed: Bools) -> tuple[float, list[Bools]]:
        """Tighten the linear program of a branch; return its bound, and the branches it is split into."""
        cutting = self.cutting
        relaxation = cutting.relaxation
        gaps: list[float] = []
        while True:
            feasible = relaxation.solve(allowed)
            proof = relaxation.proof(allowed)
            bound = min(bound, proof.bound)
            if not feasible or cutting.closed(bound):
                return bound, []
            if cutting.watch.over:
                return bound, [allowed]
            allowed = allowed & (proof.ceilings >= cutting.incumbent.score - TIE)
            gaps.append(bound - cutting.incumbent.score)
            cutting.tend()
            arcs = self._fractional()
            slow = len(gaps) > LOOK_BACK and gaps[-1] > (1.0 - SHRINKS) * gaps[-1 - LOOK_BACK]
            if arcs.size and (slow or len(gaps) > MOST_ROUNDS):
                break
            if not cutting.separate():
                break
        if not arcs.size:
            if self._take():
                return bound, []
            self._stuck = max(self._stuck, bound)
            return bound, [allowed & relaxation.problem.listed]
        i, j = self._strongest(arcs, allowed)
        return bound, [allowed & side for side in self._sides(i, j)]

    def _sides(self, child: int, parent: int) -> tuple[Bools, Bools]:
        """Return the families that a structure with an arc may have, and those without it."""
        problem = self.cutting.relaxation.problem
        own, having = problem.child == child, problem.contains[:, parent]
        return ~own | having, ~own | ~having

    def _fractional(self) -> Ints:
        """Return the arcs ``[child, parent]`` that the solution has in part, those near to one half first."""
        relaxation = self.cutting.relaxation
        problem = relaxation.problem
        weights = np.zeros((problem.n, problem.n))
        used = relaxation.values > 0.0
        np.add.at(weights, problem.child[used], relaxation.values[used, None] * problem.contains[used])
        arcs = np.argwhere((weights > FRACTION) & (weights < 1.0 - FRACTION))
        distance = np.round(np.abs(weights[arcs[:, 0], arcs[:, 1]] - 0.5), 9)
        return arcs[np.argsort(distance, kind="stable")]

    def _strongest(self, arcs: Ints, allowed: Bools) -> tuple[int, int]:
        """Return the arc that lowers the bound most on both sides."""
        relaxation = self.cutting.relaxation
        before = relaxation.objective
        best, chosen = -1.0, (0, 0)
        basis = relaxation.basis()
        for i, j in arcs[:16].tolist():  # arcs that are tried before one is branched on
            drops = []
            for side in self._sides(i, j):
                # 100 iterations of the simplex method
                drops.append(max(1e-3, before - relaxation.trial(allowed & side, 100)))
                relaxation.restore(basis)
            if min(drops[0], 1e6) * min(drops[1], 1e6) > best * (1.0 + 1e-9):
                best, chosen = min(drops[0], 1e6) * min(drops[1], 1e6), (i, j)
        return chosen

    def _take(self) -> bool:
        """Take the structure that the solution is; return False if it has families that are not listed."""
        relaxation = self.cutting.relaxation
        problem = relaxation.problem
        spans = zip(problem.first[:-1].tolist(), problem.first[1:].tolist(), strict=True)
        chosen = np.array([a + int(np.argmax(relaxation.values[a:b])) for a, b in spans])
        if problem.listed[chosen].all() and problem.allows(chosen):
            self.cutting.incumbent.improve(problem, chosen)
        return bool(problem.listed[chosen].all())
