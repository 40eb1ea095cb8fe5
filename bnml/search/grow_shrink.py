"""Good parents of a variable among any set of candidates, quickly, again and again.

Parents are found as a gardener would: grow, always by the candidate that raises the score most, until none does; then
shrink likewise. What growing meets does not depend on the candidates, only which of the branches may be taken does. So
the steps are kept as a tree (Andrews et al. 2023): a node is a set of parents, its branches are all variables that
would raise its score, the best first. To grow among other candidates is then to walk down the tree along the first
branch that is a candidate, and a node is scored only when it is met for the first time.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from bnml._bits import bits, mask_of, set_key
from bnml.search.moves import Structure


class _Node:
    """A set of parents, its score, its branches once they are known, and what is left of it after shrinking."""

    __slots__ = ("branches", "children", "parents", "score", "shrunk")

    def __init__(self, parents: tuple[int, ...], score: float) -> None:
        self.parents, self.score = parents, score
        self.branches: list[tuple[int, int, float]] | None = None  # bit, variable, score
        self.children: dict[int, _Node] = {}
        self.shrunk: tuple[float, int] | None = None


class GrowShrink:
    """The tree of one variable.

    Parameters
    ----------
    structure
        The variables, their scores and rules.
    variable
        The variable, by its place in the order of names.
    may, must
        The parents that are thought of and required, as bit masks of places.

    Attributes
    ----------
    families
        How many families were scored.
    """

    def __init__(self, structure: Structure, variable: int, may: int, must: int) -> None:
        self._local, self._columns, self._threads = structure.local, structure.columns, structure.threads
        self._equal, self._rules = structure.equal, structure.rules
        self._variable, self._may, self._must = variable, may, must
        self._fits = structure.rules.fits(variable, must)
        first = tuple(bits(must))
        self._root = _Node(first, self._local.family(self._columns[variable], [self._columns[j] for j in first]))
        self._known: dict[int | bytes, tuple[float, int]] = {}
        self._scores = {set_key(must): self._root.score}
        self.families = 1

    def best(self, candidates: int) -> tuple[float, int]:
        """Return the score of the parents that are found among candidates, and these parents, as bit masks."""
        if self._must & ~candidates or not self._fits:
            return -np.inf, 0
        key = set_key(candidates & self._may)
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = self._shrunk(self._grown(candidates))
        return known

    def _grown(self, candidates: int) -> _Node:
        node = self._root
        while True:
            if node.branches is None:
                self._branch(node)
            assert node.branches is not None
            for bit, variable, score in node.branches:
                if candidates & bit:
                    child = node.children.get(variable)
                    if child is None:
                        child = node.children[variable] = _Node((*node.parents, variable), score)
                    node = child
                    break
            else:
                return node

    def _branch(self, node: _Node) -> None:
        """Find the variables that raise the score of a node."""
        node.branches = []
        here, rules = mask_of(node.parents), self._rules
        room = rules.room(self._variable, here)
        new = [j for j in bits(self._may & ~here) if room == math.inf or rules.arities[j] <= room] if room else []
        if not new:
            return
        columns = self._columns
        parents = [columns[j] for j in node.parents]
        scores = self._local.additions(columns[self._variable], parents, [columns[j] for j in new], self._threads)
        self.families += len(new)
        self._scores.update(zip([set_key(here | (1 << j)) for j in new], scores.tolist(), strict=True))
        better = [(j, score) for j, score in zip(new, scores.tolist(), strict=True) if score > node.score + self._equal]
        better.sort(key=lambda found: (-self._rounded(found[1]), found[0]))
        node.branches = [(1 << j, j, score) for j, score in better]

    def _rounded(self, score: float) -> float:
        """Return a score so rounded that equal ones are the same."""
        return round(score / (10.0 * self._equal)) if math.isfinite(score) else score

    def _shrunk(self, node: _Node) -> tuple[float, int]:
        """Take away, again and again, the parent without which the score is highest, as long as that raises it."""
        if node.shrunk is None:
            left, score = mask_of(node.parents), node.score
            while fewer := [left ^ (1 << j) for j in bits(left & ~self._must)]:
                found = zip(self._scored(fewer), fewer, strict=True)
                most, best = max(found, key=lambda one: (self._rounded(one[0]), -one[1]))
                if most <= score + self._equal:
                    break
                left, score = best, most
            node.shrunk = score, left
        return node.shrunk

    def _scored(self, sets: Sequence[int]) -> list[float]:
        """Return the scores of the families with these parents; those that growing has not met are scored now."""
        keys = [set_key(mask) for mask in sets]
        unknown = [k for k, key in enumerate(keys) if key not in self._scores]
        if unknown:
            columns = self._columns
            parents = [[columns[j] for j in bits(sets[k])] for k in unknown]
            values = self._local.families(columns[self._variable], parents, self._threads)
            self._scores.update(zip([keys[k] for k in unknown], values.tolist(), strict=True))
            self.families += len(unknown)
        return [self._scores[key] for key in keys]
