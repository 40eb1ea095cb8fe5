"""What is known of the families of a table under a score: lookup tables, sums over cells, closed forms.

It is kept with the table, and so knows its counts and not the table itself: nothing stays in memory once the table is
gone.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property

import numpy as np

from bnml._arrays import Floats
from bnml.counts import Counts, Lookups
from bnml.counts.tails import counts_before_tail, fit_tails, no_tails, tail_counts
from bnml.errors import ScoreError
from bnml.scores.base import Score, Shape, Terms
from bnml.scores.one_by_one import OneByOne
from bnml.scores.term_cache import ClosedForms, TermCache


class FamilyTerms:
    """A score's terms for a table.

    Parameters
    ----------
    counts
        The counts of the table.
    score
        The score.
    """

    def __init__(self, counts: Counts, score: Score) -> None:
        self.counts, self.score = counts, score
        self.shape = Shape(counts.n_rows, counts.arities)

    @cached_property
    def outline(self) -> Terms | None:
        """What `terms` will be, with tables that hardly have an entry; None for a score without tables."""
        return self.score.terms(replace(self.shape, some_counts=np.zeros(1, np.int64)))

    @cached_property
    def terms(self) -> Terms | None:
        """The score's tables for small counts (`bnml.counts.tails`); None if it has none."""
        return self._tables[0]

    @cached_property
    def tails(self) -> Floats:
        """The tails of the joint table and of the margins' tables, by arity."""
        return self._tables[1]

    @cached_property
    def _tables(self) -> tuple[Terms | None, Floats]:
        if self.outline is None:
            return None, no_tails(0)
        n_tables, n_rows = 1 + len(self.outline.margin), self.shape.n_rows
        wanted = tail_counts(n_rows) if self.outline.ess == 0.0 else np.zeros(0, np.int64)
        if not wanted.size:
            return self.score.terms(self.shape if self.outline.ess == 0.0 else self._small), no_tails(n_tables)
        beyond = self.score.terms(replace(self.shape, some_counts=wanted))
        assert beyond is not None
        tails = fit_tails(wanted, [beyond.joint, *(beyond.margin[r] for r in sorted(beyond.margin))])
        if tails is not None:
            return self.score.terms(self._small), tails
        if n_tables * n_rows > 1 << 26:  # entries of tables that are not smooth; 512 MB
            raise ScoreError(f"{self.score.name} is not smooth in the counts of a cell: {n_rows:,} rows are too many")
        return self.score.terms(self.shape), no_tails(n_tables)

    @property
    def _small(self) -> Shape:
        return replace(self.shape, some_counts=counts_before_tail(self.shape.n_rows))

    @property
    def quotient(self) -> bool:
        """Whether ``M = J``: a family's score is the difference of the terms of two sets."""
        return self.outline is not None and not self.outline.margin

    @cached_property
    def lookups(self) -> Lookups:
        """The tables in the form that counts take."""
        assert self.terms is not None
        arities = sorted(self.terms.margin)
        table = np.ascontiguousarray(np.stack([self.terms.joint, *(self.terms.margin[r] for r in arities)]))
        return Lookups(
            table, {r: row for row, r in enumerate(arities, 1)}, self.terms.ess, self.tails, self.terms.parts
        )

    @cached_property
    def cache(self) -> TermCache:
        """The sums over cells that have been computed."""
        return TermCache(self.counts.arities, self.quotient)

    @cached_property
    def closed(self) -> ClosedForms:
        """The closed forms of families."""
        return ClosedForms(self.counts.arities, None if self.outline is None else self.outline.closed)

    @cached_property
    def one_by_one(self) -> OneByOne:
        """The scores of families, for a score without tables."""
        return OneByOne(self.counts, self.score)
