"""Local scores at expected counts: of a table with gaps that a network has completed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from bnml._arrays import Floats, Ints
from bnml.counts.batches import FamilyBatch
from bnml.data import Data
from bnml.scores.base import Score
from bnml.scores.fractional import Fractional
from bnml.scores.local import LocalScores, local_scores
from bnml.scores.loglik import LogLikelihood
from bnml.scores.priors import StructurePrior


class KnownFamily(NamedTuple):
    """A family's parents, the log-likelihood and the score at its expected counts, without a structure prior."""

    parents: tuple[int, ...]
    fit: float
    score: float


class ExpectedScores(LocalScores):
    """The family scores of a table with gaps, at the counts that a network expects.

    Parameters
    ----------
    completed
        The table, completed: each row is so many parts.
    score, prior
        The score, and a structure prior.
    parts
        How many parts a row is.
    known
        For each variable a family whose expected counts are known without completions, as its log-likelihood and its
        score. All scores of the variable are set right by what completions miss of these.
    """

    def __init__(
        self,
        completed: Data,
        score: Score,
        prior: StructurePrior | None,
        parts: int,
        known: Sequence[KnownFamily] = (),
    ) -> None:
        within = local_scores(completed, Fractional(score, parts))
        super().__init__(completed, within.score_function, prior, kept=within.known)
        self._within, self.n_parts = within, parts
        self.score_function = score
        self._known = tuple(known)
        self._missed = np.zeros((len(completed.names), 2))  # of the log-likelihood and the score
        for child, family in enumerate(self._known):
            fit, own = self._counted_fit(child, family.parents), within.family(child, family.parents) / parts
            self._missed[child] = family.fit - fit, family.score - own

    def __reduce__(self) -> tuple[Any, ...]:
        return ExpectedScores, (self.data, self.score_function, self.prior, self.n_parts, self._known)

    @property
    def equivalent(self) -> bool:
        """Whether equivalent structures are known to share their scores: not where variables were set."""
        return self._within.equivalent

    def family(self, child: int, parents: Sequence[int]) -> float:
        """Return the score of one family."""
        value = self._within.family(child, parents) / self.n_parts + float(self._missed[child, 1])
        return value if self._prior_terms is None else value + self._prior_terms.family(child, parents)

    def families(
        self, child: int | Sequence[int], candidates: Sequence[Sequence[int]], threads: int | None = None
    ) -> Floats:
        """Return the scores of many families."""
        children = [child] * len(candidates) if isinstance(child, int | np.integer) else list(child)
        values = self._within.families(child, candidates, threads) / self.n_parts + self._missed[children, 1]
        return values + self._priors(children, candidates)

    def additions(
        self, child: int, parents: Sequence[int], candidates: Sequence[int] | Ints, threads: int | None = None
    ) -> Floats:
        """Return the child's scores with each candidate added to its parents."""
        return self.families(child, [(*parents, int(candidate)) for candidate in candidates], threads)

    def batch(self, batch: FamilyBatch, threads: int | None = None) -> Floats:
        """Return the scores of a batch of families."""
        children = batch.members[batch.offsets[:-1] + batch.position].tolist()
        sets = np.split(batch.members, batch.offsets[1:-1])
        families = zip(children, sets, strict=True)
        return self.families(children, [[p for p in some.tolist() if p != c] for c, some in families], threads)

    def parts(self, child: int, parents: Sequence[int]) -> tuple[float, float]:
        """Return a family's log-likelihood at the expected counts and its penalty."""
        fit = self._counted_fit(child, parents) + float(self._missed[child, 0])
        return fit, fit - self.family(child, parents)

    def _counted_fit(self, child: int, parents: Sequence[int]) -> float:
        return local_scores(self.data, LogLikelihood()).family(child, parents) / self.n_parts
