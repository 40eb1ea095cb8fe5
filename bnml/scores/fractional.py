"""Scores of tables in which a row is several parts: where values are missing, counts are expected, and fractions.

A row with gaps stands for its completions, each with a share of it (`bnml.network.completions`). In parts of a row all
weights are whole again, and the completed table is like any other, only of so many times as many rows. What a score
says of it must then be said of fractions of rows: a cell with n parts adds what n / parts rows add, and prices are
those of the table's own number of rows. All of it is taken times the number of parts, so that a log-likelihood is that
of a table of whole rows, and all that is known of log-likelihoods holds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from bnml._arrays import Floats
from bnml.counts import Counts, FamilyCounts
from bnml.data import Data
from bnml.errors import ScoreError, argument
from bnml.scores.base import Closed, Score, Shape, Terms
from bnml.scores.bde import BDe
from bnml.scores.loglik import n_log_n
from bnml.scores.priors import Matrix, StructurePrior


@dataclass(frozen=True)
class Fractional(Score):
    """So many times what a score says of a table whose rows are so many parts each.

    What a cell adds is n log n, which has a meaning for fractions, and what a score has beyond it; that is interpolated
    between whole counts.

    Parameters
    ----------
    score
        The score.
    parts
        How many parts a row is.
    """

    score: Score
    parts: int

    def __post_init__(self) -> None:
        for known in ("name", "equivalent", "regular", "regret"):
            if hasattr(self.score, known):
                object.__setattr__(self, known, getattr(self.score, known))

    def check(self, data: Data | Counts) -> None:
        """Raise an error if the score cannot be used with this table, or not with fractions of rows."""
        if isinstance(self.score, BDe):
            self.score.check(data)
            return
        outline = self.score.terms(Shape(3, data.arities, np.zeros(1, np.int64)))
        if outline is None:
            raise ScoreError(
                argument("score", self.score.name)
                + " is not offered for expected counts, which are fractions: it goes by which configurations occur, or "
                "by whole rows",
                hint="with " + argument("missing", "em") + " take another, such as qnml, bic or bdeu",
            )

    def family(self, family: FamilyCounts, counts: Counts) -> float:
        """Return the score of a family, times the number of parts, for a score without tables."""
        assert isinstance(self.score, BDe)
        return self.parts * self.score.family_of_parts(family, counts, self.parts)

    def terms(self, shape: Shape) -> Terms | None:
        """Return the tables of the score between its whole counts, and its prices, each times the number of parts."""
        n = shape.n_rows // self.parts
        counts = shape.counts
        below, share = counts // self.parts, (counts % self.parts) / self.parts
        above = np.minimum(below + 1, n)
        whole = np.union1d(below, above)
        found = self.score.terms(Shape(n, shape.arities, whole))
        if found is None:
            return None
        if found.ess > 0.0:
            return replace(found, parts=self.parts)

        def between(table: Floats) -> Floats:
            beyond = table - n_log_n(whole)  # n log n times parts is that of so many parts, but for what cancels
            first, second = beyond[np.searchsorted(whole, below)], beyond[np.searchsorted(whole, above)]
            return n_log_n(counts) + self.parts * (first + share * (second - first))

        return Terms(
            between(found.joint), {r: between(table) for r, table in found.margin.items()}, 0.0, self._times(found)
        )

    def _times(self, found: Terms) -> Closed | None:
        closed = found.closed
        if closed is None:
            return None
        return lambda q, log_q, size: self.parts * closed(q, log_q, size)


@dataclass(frozen=True)
class TimesPrior(StructurePrior):
    """A structure prior whose terms are taken so many times."""

    prior: StructurePrior
    times: int

    def family(self, names: Sequence[str], child: int, parents: Sequence[int]) -> float:
        """Return the log-prior of one family, so many times."""
        return self.times * self.prior.family(names, child, parents)

    def check(self, names: Sequence[str]) -> None:
        """Raise an error if the prior does not go with these variables."""
        self.prior.check(names)

    def bind(self, data: Data) -> StructurePrior | None:
        """Return what the prior says of one table, so many times."""
        return times_prior(self.prior.bind(data), self.times)

    def arc_cost(self, names: Sequence[str]) -> float | None:
        """Return the cost of an arc, so many times."""
        cost = self.prior.arc_cost(names)
        return None if cost is None else self.times * cost

    def arc_terms(self, names: Sequence[str]) -> tuple[Matrix, Matrix] | None:
        """Return the terms of arcs, so many times."""
        terms = self.prior.arc_terms(names)
        return None if terms is None else (self.times * terms[0], self.times * terms[1])


def times_prior(prior: StructurePrior | None, times: int) -> StructurePrior | None:
    """Return a prior to go with a `Fractional` score."""
    return None if prior is None else TimesPrior(prior, times)
