"""Local scores: every family score of a table, on demand."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from bnml.counts import Lookups, addition_sums, batch_of, configurations, family_counts, family_sums
from bnml.data import Data
from bnml.scores.base import Score, Shape, Terms
from bnml.scores.loglik import LogLikelihood
from bnml.scores.priors import StructurePrior

__all__ = ["LocalScores", "local_scores"]

Floats = npt.NDArray[np.float64]

MOST_CACHED = 2_000_000  # terms; some 200 MB


class LocalScores:
    """The family scores of a table under one score, by column number.

    The one interface that all searches use. A family's score is computed when it is first asked for. The terms of sets
    of columns are kept, so that ``A | B`` and ``B | A`` count the table of A and B once.

    Parameters
    ----------
    data
        The table.
    score
        A score of `bnml.scores`.
    prior
        A structure prior whose terms are added; None for none.

    Examples
    --------
    >>> import bnml, numpy
    >>> from bnml.scores import BIC, LocalScores
    >>> data = bnml.read(numpy.array([[0, 0], [0, 0], [1, 1], [1, 1], [1, 0]]))
    >>> local = LocalScores(data, BIC())
    >>> round(local.family(1, [0]), 4)
    -3.519
    >>> local.families(1, [[], [0]]).round(4)
    array([-4.1698, -3.519 ])
    """

    def __init__(self, data: Data, score: Score, prior: StructurePrior | None = None) -> None:
        self.data = data
        self.score = score
        self.prior = prior
        self.shape = Shape(data.n_rows, data.arities)
        self._joint: dict[int, float] = {}
        self._margin: dict[tuple[int, int], float] = {}
        self._closed: dict[tuple[float, float, int], float] = {}
        self._slow: dict[tuple[int, int], float] = {}

    def __repr__(self) -> str:
        return f"LocalScores({self.score!r}, {len(self.data.names)} columns, {self.data.n_rows} rows)"

    @cached_property
    def terms(self) -> Terms | None:
        """The score's tables; None if it takes the slow path."""
        return self.score.terms(self.shape)

    @property
    def quotient(self) -> bool:
        """Whether ``M = J``: a family's score is the difference of the terms of two sets."""
        return self.terms is not None and not self.terms.margin

    @cached_property
    def _lookups(self) -> Lookups:
        assert self.terms is not None
        arities = sorted(self.terms.margin)
        table = np.ascontiguousarray(np.stack([self.terms.joint, *(self.terms.margin[r] for r in arities)]))
        return Lookups(table, {r: row for row, r in enumerate(arities, 1)}, self.terms.ess)

    def family(self, child: int, parents: Sequence[int]) -> float:
        """Return the score of one family."""
        if self.terms is None:
            value = self._slow_family(child, parents)
        else:
            joint, margin = self._family_terms(child, parents)
            value = joint - margin + self._closed_difference(child, parents)
        return value if self.prior is None else value + self.prior.family(self.data.names, child, parents)

    def families(
        self, child: int | Sequence[int], candidates: Sequence[Sequence[int]], threads: int | None = None
    ) -> Floats:
        """Return the scores of many families, counted in one batch.

        Parameters
        ----------
        child
            One child for all of the candidates, or a child for each.
        candidates
            The parent sets.
        threads
            How many threads may be used where it pays; all cores by default.
        """
        children = [child] * len(candidates) if isinstance(child, int | np.integer) else list(child)
        if self.terms is None:
            values = np.array([self._slow_family(c, p) for c, p in zip(children, candidates, strict=True)])
        else:
            batch = batch_of(children, candidates)
            sums = family_sums(self.data, batch, self._lookups, threads)
            values = sums[:, 0] - sums[:, 1]
            if self.terms.closed is not None and len(children):
                q, log_q = configurations(self.data, batch)
                r = np.array(self.data.arities, np.float64)[children]
                values += self._closed_differences(q, log_q, r, np.diff(batch.offsets))
        return values + self._priors(children, candidates)

    def additions(
        self, child: int, parents: Sequence[int], candidates: Sequence[int], threads: int | None = None
    ) -> Floats:
        """Return the child's scores with each candidate added to its parents, in one pass over the rows."""
        larger = [(*parents, candidate) for candidate in candidates]
        if self.terms is None or not candidates:
            return self.families(child, larger, threads)
        sums = addition_sums(self.data, child, parents, candidates, self._lookups, threads)
        values = sums[:, 0] - sums[:, 1]
        if self.terms.closed is not None:
            q, log_q = configurations(self.data, batch_of([child] * len(larger), larger))
            r = np.full(len(larger), float(self.data.arities[child]))
            values += self._closed_differences(q, log_q, r, np.full(len(larger), len(parents) + 2))
        return values + self._priors([child] * len(larger), larger)

    def subsets(self, sets: Sequence[Sequence[int]], arity: int | None = None, threads: int | None = None) -> Floats:
        """Return the terms of sets of columns: ``J(S)``, or ``M(S)`` for a child of the given arity.

        A family's score is ``J(X ∪ Pa) - M(Pa)``. Only for scores with `terms`.
        """
        if self.terms is None:
            raise TypeError(f"{self.score.name} is not a difference of terms of sets")
        lookups = self._lookups
        if arity is not None and lookups.row_of:
            lookups = Lookups(lookups.table[[lookups.row_of[arity]]], {})
        batch = batch_of([-1] * len(sets), sets)
        values = family_sums(self.data, batch, lookups, threads)[:, 0]
        if self.terms.closed is not None and len(sets):
            q, log_q = configurations(self.data, batch)
            values += self.terms.closed(q, log_q, np.diff(batch.offsets).astype(np.float64))
        return values

    def parts(self, child: int, parents: Sequence[int]) -> tuple[float, float]:
        """Return a family's maximised log-likelihood and its penalty: the score is their difference.

        For BD scores the penalty is the Bayesian regret of 000 eq. 6, for fNML the sum of regrets of eq. 11.
        """
        fit = local_scores(self.data, LogLikelihood()).family(child, parents)
        return fit, fit - self.family(child, parents)

    def _priors(self, children: Sequence[int], parent_sets: Sequence[Sequence[int]]) -> float | Floats:
        if self.prior is None:
            return 0.0
        names, prior = self.data.names, self.prior
        return np.array([prior.family(names, c, p) for c, p in zip(children, parent_sets, strict=True)])

    def _slow_family(self, child: int, parents: Sequence[int]) -> float:
        key = (child, _mask(parents))
        value = self._slow.get(key)
        if value is None:
            value = self.score.family(family_counts(self.data, child, parents), self.data)
            _remember(self._slow, key, value)
        return value

    def _family_terms(self, child: int, parents: Sequence[int]) -> tuple[float, float]:
        """Return the family's two sums over cells, without the closed form."""
        below = _mask(parents)
        whole = below | 1 << child
        r = self.data.arities[child]
        joint = self._joint.get(whole)
        margin = self._joint.get(below) if self.quotient else self._margin.get((below, r))
        if joint is None or margin is None:
            sums = family_sums(self.data, batch_of([child], [parents]), self._lookups, 1)
            joint, margin = float(sums[0, 0]), float(sums[0, 1])
            _remember(self._joint, whole, joint)
            if self.quotient:
                _remember(self._joint, below, margin)
            else:
                _remember(self._margin, (below, r), margin)
        return joint, margin

    def _closed_difference(self, child: int, parents: Sequence[int]) -> float:
        """Return the closed form of the family less that of its parents."""
        if self.terms is None or self.terms.closed is None:
            return 0.0
        q = math.prod(self.data.arities[p] for p in parents)
        r = self.data.arities[child]
        key = (q, r, len(parents))
        value = self._closed.get(key)
        if value is None:
            joint = _as_float(q * r)
            log_joint = math.fsum(math.log(self.data.arities[v]) for v in (*parents, child))
            value = float(
                self._closed_differences(
                    np.array([joint]), np.array([log_joint]), np.array([float(r)]), len(parents) + 1
                )[0]
            )
            _remember(self._closed, key, value)
        return value

    def _closed_differences(self, q_r: Floats, log_q_r: Floats, r: Floats, size: Any) -> Floats:
        """Return the closed forms of families, given the configurations and sizes of their joint sets."""
        assert self.terms is not None
        assert self.terms.closed is not None
        n = q_r.size
        sizes = np.broadcast_to(np.asarray(size, np.float64), n)
        both = np.concatenate([q_r, q_r / r]), np.concatenate([log_q_r, log_q_r - np.log(r)])
        values = self.terms.closed(*both, np.concatenate([sizes, sizes - 1.0]))
        with np.errstate(invalid="ignore"):
            difference = values[:n] - values[n:]
        return np.where(np.isneginf(values[:n]), -np.inf, difference)


def _mask(variables: Sequence[int]) -> int:
    mask = 0
    for v in variables:
        mask |= 1 << v
    return mask


def _as_float(number: int) -> float:
    try:
        return float(number)
    except OverflowError:
        return math.inf


def _remember(cache: dict[Any, float], key: Any, value: float) -> None:
    if len(cache) >= MOST_CACHED:
        cache.clear()
    cache[key] = value


def local_scores(data: Data, score: Score, prior: StructurePrior | None = None) -> LocalScores:
    """Return the local scores of a table under a score; they are kept with the table."""
    if prior is not None:
        return LocalScores(data, score, prior)
    known: LocalScores | None = data.memo.get(score)
    if known is None:
        known = data.memo[score] = LocalScores(data, score)
    return known
