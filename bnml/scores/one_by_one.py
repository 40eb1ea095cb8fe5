"""Families that are scored on their own: from their counts, where a score is not a sum of lookups over cells."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from bnml._bits import mask_of
from bnml.counts import Counts, family_counts
from bnml.scores.base import Score, Shape, Terms
from bnml.scores.term_cache import ClosedForms, remember

__all__ = ["FIRST_LOOKUPS", "OneByOne", "terms_one_by_one"]

FIRST_LOOKUPS = 1 << 20  # counts that have an entry where not all of them can: few cells hold more than a million rows


def terms_one_by_one(score: Score, shape: Shape, counts: npt.NDArray[np.int64]) -> Terms | None:
    """Return a score's tables for some counts only, for families that are scored one by one."""
    return score.terms(replace(shape, some_counts=counts))


class OneByOne:
    """The scores of families that are counted one after the other.

    Either the score has no tables (BDs, BDe), or the table has so many rows that they would not fit into memory: then
    they are made for small counts, and for those larger ones that come up.
    """

    def __init__(self, counts: Counts, score: Score, shape: Shape, closed: ClosedForms) -> None:
        self.counts, self.score, self.shape, self.closed = counts, score, shape, closed
        self._known: dict[tuple[int, int], float] = {}

    def family(self, child: int, parents: Sequence[int]) -> float:
        """Return the score of one family, without any prior."""
        key = (child, mask_of(parents))
        value = self._known.get(key)
        if value is None:
            family = family_counts(self.counts, child, parents)
            if self._first_terms is None:
                value = self.score.family(family, self.counts)
            else:
                sums = self._sum_at(family.n_ijk, None) - self._sum_at(family.n_ij, family.r)
                value = sums + self.closed.of(child, parents)
            remember(self._known, key, value)
        return value

    @cached_property
    def _first_terms(self) -> Terms | None:
        """The score's tables for small counts, for data with too many rows for all."""
        return terms_one_by_one(self.score, self.shape, np.arange(FIRST_LOOKUPS))

    def _sum_at(self, counts: npt.NDArray[np.int64], r: int | None) -> float:
        """Sum ``t_J`` (r None) or ``t_M[r]`` over counts, some of which may be beyond the end of the tables."""
        beyond, times = np.unique(counts[counts >= FIRST_LOOKUPS], return_counts=True)
        first, rest = self._first_terms, terms_one_by_one(self.score, self.shape, beyond)
        assert first is not None
        assert rest is not None
        tables = [terms.joint if r is None else terms.margin.get(r, terms.joint) for terms in (first, rest)]
        return float(tables[0][counts[counts < FIRST_LOOKUPS]].sum() + (tables[1] * times).sum())
