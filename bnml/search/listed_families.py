"""Families that are listed one by one: from a file, or of a score that is no difference of terms of subsets."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from bnml._bits import members, minimal_masks
from bnml._watch import Tell
from bnml.graph import Rules
from bnml.scores import FamilyScores, LocalScores
from bnml.scores.lattice import allowed_sets
from bnml.scores.lattice.allowed_sets import sets_that_fit
from bnml.scores.lattice.terms import MANTISSA

AT_ONCE = 1000  # families scored in one go


class ListedFamilies:
    """The scores of listed families, as gains: what `bnml.search.best_networks.Families` asks for.

    Parameters
    ----------
    sets
        For each variable the bit masks of its parent sets.
    scores
        Their scores.
    rules
        What parents are allowed; the others are dropped.
    scored
        How many families were scored for this; none if the scores were there already.
    """

    def __init__(
        self, sets: Sequence[npt.ArrayLike], scores: Sequence[npt.ArrayLike], rules: Rules, scored: int = 0
    ) -> None:
        self.n, self.scored = len(sets), scored
        self.rules = rules
        self.dtype = np.dtype(np.float64)
        self.never = np.array([-np.inf])
        self.visited = 1 << self.n  # sets of variables: each has its best network
        masks = [np.asarray(some, np.int64) for some in sets]
        values = [np.asarray(some, np.float64) for some in scores]
        for i in range(self.n):
            kept = self._allowed(i, masks[i]) & (values[i] > -np.inf)
            masks[i], values[i] = masks[i][kept], values[i][kept]
        self.base = [float(some.min(initial=0.0)) for some in values]
        span = 1.0 + sum(float(some.max() - some.min()) for some in values if some.size)
        span = max(span, *(float(np.abs(some).max(initial=0.0)) for some in values))
        self.unit = 2.0 ** (math.ceil(math.log2(span)) - MANTISSA)
        self._masks = masks
        self._gains = [np.rint((some - base) / self.unit) for some, base in zip(values, self.base, strict=True)]

    def _allowed(self, i: int, masks: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
        fits = (masks & ~self.rules.may[i] == 0) & (masks & self.rules.must[i] == self.rules.must[i])
        return np.asarray(fits & sets_that_fit(self.rules, i, masks))

    @property
    def links(self) -> tuple[int, ...]:
        """For each variable the others that must be its parents or its children."""
        return self.rules.links

    @property
    def within(self) -> float:
        """By how much a total of gains may be off."""
        return 0.0

    def fill(self, i: int, n_low: int, top: int, start: int, gains: npt.NDArray[Any]) -> None:
        """Raise ``gains`` to those of families whose parents are some of the high variables ``top``, and low ones."""
        masks, tied = self._masks[i], self.rules.links[i] >> n_low
        high, low = masks >> n_low, masks & ((1 << n_low) - 1)
        if i < n_low:
            low = (low & ((1 << i) - 1)) | (low >> (i + 1) << i)
        here = (high & ~top == 0) & (high & tied == top & tied) & (low >= start) & (low < start + gains.size)
        np.maximum.at(gains, low[here] - start, self._gains[i][here])

    def equals(self, i: int, candidates: int, slack: float) -> tuple[float, list[int]]:
        """Return the best gain among candidates, and the parents that reach it to within ``slack``."""
        masks, tied = self._masks[i], candidates & self.rules.links[i]
        fits = (masks & ~candidates == 0) & (masks & tied == tied)
        if not fits.any():
            return -math.inf, []
        gains = self._gains[i][fits]
        best = float(gains.max())
        return best, minimal_masks(masks[fits][gains >= best - slack].tolist())


def list_families_one_by_one(local: LocalScores, rules: Rules, done: Tell) -> ListedFamilies:
    """Return all families of a table, listed and scored one by one; slow, for scores without terms of subsets."""
    n = len(local.names)
    sets = [allowed_sets(rules, i) for i in range(n)]
    total, finished = sum(some.size for some in sets), 0
    scores = []
    for i in range(n):
        values = np.empty(sets[i].size)
        for start in range(0, values.size, AT_ONCE):
            part = sets[i][start : start + AT_ONCE].tolist()
            values[start : start + AT_ONCE] = local.families(i, [members(mask) for mask in part])
            finished += len(part)
            done(finished / total)
        scores.append(values)
    return ListedFamilies(sets, scores, rules, total)


def families_from_file(given: FamilyScores, rules: Rules) -> ListedFamilies:
    """List the families of a file of local scores."""
    return ListedFamilies(given.parents, given.scores, rules)
