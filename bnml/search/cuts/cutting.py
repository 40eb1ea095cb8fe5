"""Cutting planes: inequalities are added to the linear program for as long as its solution violates some."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from bnml._watch import Tell, Watch
from bnml.search.cuts.family_arrays import Bools, FamilyArrays, Floats, Ints
from bnml.search.cuts.order_search import OrderSearch
from bnml.search.cuts.proof import Proof
from bnml.search.cuts.relaxation import Relaxation
from bnml.search.cuts.rows import Row, cluster_row, link_row, pair_rows
from bnml.search.cuts.separation import LEAST, cluster_violation, separate_by_local_search, separate_by_program
from bnml.search.cuts.zero_half import zero_half

CLOSE = 1e-6  # a bound that is so near to a score proves it
TIE = 1e-7  # families are kept while they can be part of a structure that is worse by so little
AT_ONCE = 60  # clusters added in a round
SUMS_AT_ONCE = 40  # and zero-half inequalities
FEW = 20  # with fewer clusters than these, zero-half inequalities are looked for
WORTH = 0.02  # the share of families that must have become useless before they are dropped
TURN = 5  # rounds after which old inequalities are dropped, and a structure is read off the solution
PATIENCE = 8  # rounds in which the gap must shrink
SHRINKS = 0.15  # by this share


class Incumbent:
    """The best structure so far.

    ``score``: its score, -inf if there is none. ``sets``: its parents, as rows of words.
    """

    def __init__(self, problem: FamilyArrays) -> None:
        self.score, self.sets = -math.inf, np.zeros_like(problem.links)

    def improve(self, problem: FamilyArrays, chosen: Ints) -> bool:
        """Take a structure if it is better; it is given by the numbers of its families, -1 for none."""
        if (chosen < 0).any():
            return False
        score = math.fsum(problem.scores[chosen].tolist())
        if score <= self.score:
            return False
        self.score, self.sets = score, problem.sets[chosen]
        return True


@dataclass
class Cutting:
    """The linear program, and what it is to be tightened for.

    Clusters are looked for in two places: at the solution, which is a corner, and half-way to the mean of the solutions
    before it, where those are found that cut more off.

    Attributes
    ----------
    relaxation
        The linear program.
    incumbent
        The best structure so far, with which families are dropped.
    watch
        Ends it.
    tell
        Told of the bound now and then.
    bound
        No structure has a higher score.
    rounds
        How often inequalities were added.
    ceilings
        No structure with this family has a higher score, by family that is left at the root.
    """

    relaxation: Relaxation
    incumbent: Incumbent
    watch: Watch
    tell: Tell
    bound: float = math.inf
    rounds: int = 0
    ceilings: Floats = field(init=False)

    def __post_init__(self) -> None:
        self.ceilings = np.full(self.relaxation.problem.scores.size, math.inf)

    def closed(self, bound: float) -> bool:
        """Whether no structure within a bound is better than the incumbent."""
        return bound <= self.incumbent.score + CLOSE

    def root(self) -> None:
        """Tighten the linear program, and drop families, until nothing more is found or it is not worth it."""
        relaxation = self.relaxation
        problem = relaxation.problem
        relaxation.add([*(link_row(problem, i, j) for i, j in problem.linked), *pair_rows(problem)])
        gaps: list[float] = []
        while not self.watch.over:
            feasible = relaxation.solve()
            proof = relaxation.proof()
            self.bound = min(self.bound, max(proof.bound, self.incumbent.score))
            if not feasible:
                break
            self.tend()
            self.tell(self.bound)
            self.drop(proof)
            gaps.append(self.bound - self.incumbent.score)
            if self.closed(self.bound) or not self.separate():
                break
            if len(gaps) > PATIENCE and gaps[-1] > (1.0 - SHRINKS) * gaps[-1 - PATIENCE]:
                break

    def tend(self) -> None:
        """Now and then drop old inequalities and look for a better structure; the solution may even be one."""
        turn = self.rounds % TURN == 0
        if turn:
            self.relaxation.drop_idle()
        # a solution without fractions, but for rounding
        if turn or (self.relaxation.values > 1.0 - 1e-6).sum() == self.relaxation.problem.n:
            self.round_off()

    def drop(self, proof: Proof) -> None:
        """Drop families that no structure as good as the incumbent has."""
        keep = proof.ceilings >= self.incumbent.score - TIE
        self.ceilings = proof.ceilings
        if (~keep).sum() > WORTH * keep.size:
            self.ceilings = proof.ceilings[self.relaxation.keep(keep)]

    def round_off(self) -> None:
        """Climb from the order that the fractions suggest."""
        from bnml.search.cuts._kernels import order_by_values

        problem = self.relaxation.problem
        order = np.empty(problem.n, np.int64)
        order_by_values(problem.first, problem.sets, self.relaxation.values, order)
        _, _, chosen = OrderSearch(problem).improve(order)
        if (chosen >= 0).all():
            self.incumbent.improve(problem, np.flatnonzero(problem.listed)[chosen])

    def separate(self) -> bool:
        """Add inequalities that the solution violates; return whether there are any."""
        relaxation = self.relaxation
        problem, values = relaxation.problem, relaxation.values
        clusters = separate_by_local_search(problem, values, 2 + self.rounds % 3, self.rounds)[:AT_ONCE]
        between = separate_by_local_search(problem, 0.5 * (values + relaxation.centre), 2, self.rounds)[:AT_ONCE]
        found = self._new(
            [*clusters, *(members for members in between if cluster_violation(problem, values, members) > LEAST)]
        )
        if len(found) < FEW:
            found += zero_half(problem, relaxation.rows, values, SUMS_AT_ONCE, self.rounds)
        if not found:
            found = self._new(separate_by_program(problem, values, self.watch))
        relaxation.add(found)
        self.rounds += 1
        return bool(found)

    def _new(self, clusters: list[Bools]) -> list[Row]:
        """Return the inequalities of clusters that the linear program does not have yet."""
        new = {np.packbits(members).tobytes(): members for members in clusters}
        for row in self.relaxation.rows:
            new.pop(row.key, None)
        return [cluster_row(self.relaxation.problem, members) for members in new.values()]
