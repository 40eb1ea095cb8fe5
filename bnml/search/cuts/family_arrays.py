"""Listed families as arrays: what the kernels and the linear program of branch and cut work on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from bnml._bits import bits, masks_of_words, words_of_masks

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]
Words = npt.NDArray[np.uint64]


@dataclass(frozen=True)
class FamilyArrays:
    """Families of n variables: those of x are numbered ``first[x]`` to ``first[x + 1]``, the best first.

    Attributes
    ----------
    first
        The first family of each variable, and the number of families.
    sets
        Parents, as rows of 64-bit words.
    scores
        Their scores.
    links
        For each variable the others that must be its parents or its children, as rows of words.
    listed
        Whether it is a family. The others stand for all parent sets of a variable that are not listed: they have the
        highest score that one of these can have, close no cycle, meet every link, and are in no structure.
    """

    first: Ints
    sets: Words
    scores: Floats
    links: Words
    listed: Bools

    @property
    def n(self) -> int:
        """Number of variables."""
        return self.first.size - 1

    @cached_property
    def child(self) -> Ints:
        """The variable of each family."""
        return np.repeat(np.arange(self.n), np.diff(self.first))

    @cached_property
    def contains(self) -> Bools:
        """Whether a family has a parent, by family and variable."""
        eight = self.sets.astype("<u8").view(np.uint8)
        return np.unpackbits(eight, axis=1, count=self.n, bitorder="little").astype(np.bool_)

    @cached_property
    def linked(self) -> list[tuple[int, int]]:
        """The required links, each once."""
        return [(i, j) for i, mask in enumerate(masks_of_words(self.links)) for j in bits(mask) if j < i]

    @cached_property
    def possible(self) -> Bools:
        """Whether a variable ``[child, parent]`` is a parent in some family."""
        found = np.zeros((self.n, self.n), bool)
        np.logical_or.at(found, self.child, self.contains)
        return found

    def cyclic(self, chosen: Ints) -> Bools:
        """Return the variables that are left once those without a parent among them have been taken away in turn."""
        arcs = np.zeros((self.n, self.n), bool)
        np.logical_or.at(arcs, self.child[chosen], self.contains[chosen])
        left = np.ones(self.n, bool)
        while True:
            free = left & ~(arcs & left).any(axis=1)
            if not free.any():
                return left
            left &= ~free

    def allows(self, chosen: Ints) -> bool:
        """Whether families make a structure: no cycle, and every required link."""
        has = self.contains[chosen]
        return not self.cyclic(chosen).any() and all(has[i, j] or has[j, i] for i, j in self.linked)

    def kept(self, keep: Bools) -> FamilyArrays:
        """Return some of the families."""
        first = np.concatenate(([0], np.cumsum(np.bincount(self.child[keep], minlength=self.n))))
        return replace(self, first=first, sets=self.sets[keep], scores=self.scores[keep], listed=self.listed[keep])

    def undominated(self) -> FamilyArrays:
        """Return the families without those that have a subset which is as good, and has as many required links."""
        from bnml.search.cuts._kernels import unmark_dominated

        keep = self.listed.copy()
        unmark_dominated(self.first, self.sets, self.links, keep)
        return self.kept(keep | ~self.listed)


def arrays_of_families(
    parents: Sequence[Sequence[int]], scores: Sequence[Floats], links: Sequence[int], unlisted: Sequence[float]
) -> FamilyArrays:
    """Return the arrays of families that are given best first, with one for all that is not listed where there is."""
    n = len(parents)
    masks, values, listed = [], [], []
    counts = [0]
    for own, their, other in zip(parents, scores, unlisted, strict=True):
        place = int(np.searchsorted(-their, -other, side="right")) if other > -np.inf else None
        own_masks, own_scores, own_listed = list(own), their.tolist(), [True] * len(own)
        if place is not None:
            own_masks.insert(place, 0)
            own_scores.insert(place, other)
            own_listed.insert(place, False)
        masks += own_masks
        values += own_scores
        listed += own_listed
        counts.append(len(masks))
    return FamilyArrays(
        np.array(counts), words_of_masks(masks, n), np.array(values, np.float64), words_of_masks(links, n),
        np.array(listed, bool),
    )  # fmt: skip
