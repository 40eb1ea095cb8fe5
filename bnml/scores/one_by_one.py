"""Families that are scored on their own: from their counts, where a score is not a sum of lookups over cells."""

from __future__ import annotations

from collections.abc import Sequence

from bnml._bits import mask_of, set_key
from bnml.counts import Counts, family_counts
from bnml.scores.base import Score
from bnml.scores.term_cache import remember


class OneByOne:
    """The scores of families that are counted one after the other, for a score without tables (BDs, BDe)."""

    def __init__(self, counts: Counts, score: Score) -> None:
        self.counts, self.score = counts, score
        self._known: dict[tuple[int, int | bytes], float] = {}

    def family(self, child: int, parents: Sequence[int]) -> float:
        """Return the score of one family, without any prior."""
        key = (child, set_key(mask_of(parents)))
        value = self._known.get(key)
        if value is None:
            value = self.score.family(family_counts(self.counts, child, parents), self.counts)
            remember(self._known, key, value)
        return value
