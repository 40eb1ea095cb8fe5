"""Reading off which of several best networks is meant, from the families that best networks can have.

Branch and cut ends with one best network, and with the families that best networks can have, which are few. So the same
network is chosen as from the sums over all subsets (`bnml.search.exact`), by the same rules: variables are placed
one by one, and where the best network that is known does not have the next one in the place that it should have, it is
asked whether another best network does. An answer no holds until a variable is placed that could change it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from bnml._bits import bits, mask_of, members, minimal_masks
from bnml._watch import Watch
from bnml.scores.base import LEAST
from bnml.search.cuts.branch_and_cut import structure_reaching
from bnml.search.cuts.separable_parts import separable_parts

Families = Sequence[Sequence[tuple[int, float]]]


def read_back_tied(
    families: Families,
    links: Sequence[int],
    best: Sequence[int],
    *,
    by_model_string: bool,
    watch: Watch | None = None,
) -> list[int]:
    """Return the parents of each variable in that of several best networks which is meant.

    Parameters
    ----------
    families
        For each variable, in the order of names, the families that best networks can have: parents and score.
    links
        For each variable the others that must be its parents or its children.
    best
        The parents of each variable in one of the best networks.
    by_model_string
        Whether it is the network with the smallest model string, or that of `bnml.search.exact.read_back_by_names`.
    watch
        When its time is over, the best network that is known by then is returned.

    Returns
    -------
    list of int
        Bit masks.

    Examples
    --------
    >>> twins = [[(0, -2.0), (0b10, -1.0)], [(0, -2.0), (0b01, -1.0)]]
    >>> read_back_tied(twins, [0, 0], [0b10, 0], by_model_string=True)
    [0, 1]
    """
    reader = _Reader(families, links, best, watch or Watch())
    return reader.from_the_left() if by_model_string else reader.from_the_right()


class _Reader:
    """The best network that is known, which changes with every question that has the answer yes."""

    def __init__(self, families: Families, links: Sequence[int], best: Sequence[int], watch: Watch) -> None:
        self.families, self.links, self.chosen, self.watch = families, links, list(best), watch
        self.n = len(families)
        self.scores = [dict(own) for own in families]
        self.part_of: dict[int, int] = {}
        for own in separable_parts([[parents for parents, _ in one] for one in families], links):
            self.part_of |= dict.fromkeys(own, mask_of(own))

    def from_the_left(self) -> list[int]:
        """Place variables, of those that can come next the first name first."""
        done, refused = 0, 0
        while done.bit_count() < self.n and not self.watch.over:
            i = next(i for i in range(self.n) if not (done | refused) >> i & 1 and self._comes_next(i, done))
            before = mask_of(range(i)) & ~done
            done |= 1 << i
            refused |= before
            for x in bits(refused & ~done):  # what it could not be without i it can be with i
                if any(parents >> i & 1 and not parents & ~done for parents, _ in self.families[x]):
                    refused &= ~(1 << x)
            refused &= ~done
        return self.chosen

    def _comes_next(self, i: int, done: int) -> bool:
        """Whether a best network has a variable with parents among those that are placed; then take it."""
        score, parents = self._fitting(i, done)
        if score == -math.inf:
            return False
        if self.chosen[i] & ~done:
            part = self.part_of[i]
            placed, rest = part & done | 1 << i, part & ~done & ~(1 << i)
            others = ~part | placed
            if not self._takes(rest, others, placed, self._total(part & ~done) - score):
                return False
        self.chosen[i] = parents
        return True

    def from_the_right(self) -> list[int]:
        """Take away sinks, of those that can be one the last name first."""
        left, refused = (1 << self.n) - 1, 0
        while left and not self.watch.over:
            i = next(i for i in range(self.n - 1, -1, -1) if (left & ~refused) >> i & 1 and self._comes_last(i, left))
            refused |= left & ~mask_of(range(i + 1))
            left ^= 1 << i
            score, self.chosen[i] = self._fitting(i, left)
            needed = left
            for parents, own in self.families[i]:
                if not parents & ~left and own >= score - LEAST:
                    needed &= parents
            refused &= ~needed  # what could not come last, as i needs it, can do so without i
        return self.chosen

    def _comes_last(self, i: int, left: int) -> bool:
        """Whether a variable is the sink of a best network of those that are left; then take that network."""
        bit, rest = 1 << i, left & ~(1 << i)
        parts = {self.part_of[x] for x in bits(rest) if self.chosen[x] & bit}
        for part in sorted(parts):
            target = self._total(part & left) - (self._fitting(i, rest)[0] if part & bit else 0.0)
            if not self._takes(part & rest, rest & ~part, 0, target):
                return False
        return True

    def _fitting(self, i: int, candidates: int) -> tuple[float, int]:
        """Return the best score of a variable with parents among candidates, and the first parents that have it."""
        need = self.links[i] & candidates
        fits = [one for one in self.families[i] if not one[0] & ~candidates and not need & ~one[0]]
        best = max((score for _, score in fits), default=-math.inf)
        equal = minimal_masks([parents for parents, score in fits if score >= best - LEAST])
        return best, min(equal, key=members, default=0)

    def _total(self, some: int) -> float:
        return math.fsum(self.scores[x][self.chosen[x]] for x in bits(some))

    def _takes(self, inside: int, others: int, before: int, target: float) -> bool:
        """Whether variables reach a total with parents among them and others, then take it; ``before`` are placed."""
        own = members(inside)
        if not own:
            return target <= LEAST
        place = {x: k for k, x in enumerate(own)}
        known: list[dict[int, tuple[float, int]]] = []
        for x in own:
            mine: dict[int, tuple[float, int]] = {}
            for parents, score in self.families[x]:
                if not parents & ~(inside | others) and not self.links[x] & before & ~parents:
                    local = mask_of(place[j] for j in bits(parents & inside))
                    mine[local] = max(mine.get(local, (-math.inf, 0)), (score, parents))
            if not mine:
                return False
            known.append(dict(sorted(mine.items(), key=lambda one: -one[1][0])))
        ties = [mask_of(place[j] for j in bits(self.links[x] & inside)) for x in own]
        found = structure_reaching(
            [list(mine) for mine in known], [[score for score, _ in mine.values()] for mine in known], ties, target
        )  # fmt: skip
        if found is None:
            return False
        for x, mine, local in zip(own, known, found, strict=True):
            self.chosen[x] = mine[local][1]
        return True
