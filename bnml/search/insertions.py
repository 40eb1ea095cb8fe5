"""Orders of the variables, and what each variable takes as parents from those before it."""

from __future__ import annotations

from heapq import heappop, heappush

import numpy as np

from bnml._arrays import Bools
from bnml._bits import bits, mask_of
from bnml._watch import Watch
from bnml.search.grow_shrink import GrowShrink
from bnml.search.moves import Structure


class Orders:
    """The parents that variables take in any order.

    Parameters
    ----------
    structure
        The variables, their scores and rules.
    near
        The parents ``[parent, child]`` that are thought of at all; by default all that are allowed.
    """

    def __init__(self, structure: Structure, near: Bools | None = None) -> None:
        self.n, self._structure = structure.n, structure
        rules = structure.rules
        kept = rules.may if near is None else [mask_of(np.flatnonzero(column).tolist()) for column in near.T]
        self._may = [m & (k | r) for m, k, r in zip(rules.may, kept, rules.required, strict=True)]
        self._must, self._links = rules.must, rules.links
        self._matters = [m | r for m, r in zip(self._may, rules.required, strict=True)]  # what a choice depends on
        self._trees: dict[tuple[int, int], GrowShrink] = {}

    @property
    def families(self) -> int:
        """How many families were scored."""
        return sum(tree.families for tree in self._trees.values())

    def best(self, i: int, before: int) -> tuple[float, int]:
        """Return the score and the parents that a variable takes from its predecessors."""
        must = self._must[i]
        if links := self._links[i]:
            must |= links & before  # a required link leads from the earlier to the later
        tree = self._trees.get((i, must))
        if tree is None:
            known = self._structure
            tree = GrowShrink(known, i, self._may[i], must)
            self._trees[i, must] = tree
        return tree.best(before)

    def arcs(self, order: list[int]) -> Bools:
        """Return the structure of an order."""
        arcs, before = np.zeros((self.n, self.n), bool), 0
        for i in order:
            parents = self.best(i, before)[1]
            arcs[list(bits(parents)), i] = True
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
            if moved > score + self._structure.equal:
                order, score, idle, moves = better, moved, 0, moves + 1
            else:
                idle += 1
            k += 1
        return order, score, moves

    def _moved(self, order: list[int], i: int) -> tuple[list[int], float]:
        """Return the order with one variable at its best place, and its score.

        Behind that place each other variable has it among its candidates, before it not; so the score of all places
        comes from two sums over the others. Most of these cannot be its parents or children, and nothing changes there.
        """
        rest = [j for j in order if j != i]
        bit, before, matters = 1 << i, 0, self._matters
        without, having = [], []
        own = [self.best(i, 0)[0]]
        for j in rest:
            alone = self.best(j, before)[0]
            without.append(alone)
            having.append(self.best(j, before | bit)[0] if matters[j] & bit else alone)
            before |= 1 << j
            own.append(self.best(i, before)[0] if matters[i] >> j & 1 else own[-1])
        scores = np.array(own)
        scores[1:] += np.cumsum(without)
        scores[:-1] += np.cumsum(having[::-1])[::-1]
        here = order.index(i)
        place = int(np.flatnonzero(scores >= scores.max() - self._structure.equal)[0])
        if scores[place] <= scores[here] + self._structure.equal:
            place = here
        return [*rest[:place], i, *rest[place:]], float(scores[place])


def order_for_insertions(arcs: Bools, wanted: list[int] | None = None) -> list[int]:
    """Return an order in which parents come first; where there is a choice as ``wanted``, by default by names."""
    first = list(range(len(arcs)) if wanted is None else wanted)
    place = {i: k for k, i in enumerate(first)}
    waiting, order = arcs.sum(axis=0), []
    ready = [k for k, i in enumerate(first) if waiting[i] == 0]  # ascending, and so a heap
    while ready:
        i = first[heappop(ready)]
        order.append(i)
        for child in np.flatnonzero(arcs[i]).tolist():
            waiting[child] -= 1
            if waiting[child] == 0:
                heappush(ready, place[child])
    return order


def insertion_neighbours(arcs: Bools) -> Bools:
    """Return where insertions are tried: neighbours, and neighbours of neighbours, whatever the direction of arcs."""
    linked = arcs | arcs.T
    near = linked.copy()
    for i, own in enumerate(linked):
        near[i] |= linked[own].any(axis=0)
    return near
