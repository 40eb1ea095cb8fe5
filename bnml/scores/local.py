"""Local scores: every family score of a table, on demand."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from bnml.counts import (
    FamilyBatch,
    Lookups,
    addition_sums,
    as_float,
    batch_of,
    configurations,
    family_counts,
    family_sums,
)
from bnml.counts.sums import check_batch, check_columns
from bnml.data import Data, as_data
from bnml.errors import ArgumentError, ScoreError
from bnml.graph import DAG
from bnml.scores.base import Score, Shape, Terms
from bnml.scores.loglik import LogLikelihood
from bnml.scores.parent_sets import parent_sets
from bnml.scores.priors import StructurePrior, check_prior
from bnml.scores.registry import parse_score

__all__ = ["LocalScores", "local_scores"]

Floats = npt.NDArray[np.float64]

MOST_CACHED = 2_000_000  # terms; some 200 MB
MOST_REMEMBERED = 4096  # families of a batch whose terms are kept; larger batches are counted afresh
MOST_LOOKUPS = 1 << 26  # entries of lookup tables; 512 MB
FIRST_LOOKUPS = 1 << 20  # counts that have an entry where not all of them can: few cells hold more than a million rows


class LocalScores:
    """The family scores of a table under one score, by column number.

    The one interface that all searches use. What is computed is kept as terms of sets of columns (except in very large
    batches); a family whose two sets have both come up before is not counted again. However a family is asked for,
    alone or with others, on one thread or more, its score is the same to the last bit.

    Parameters
    ----------
    data
        A `Data`, or anything that `bnml.read` takes.
    score
        A name or an object of `bnml.scores`.
    prior
        A structure prior whose terms are added; None for none.

    Raises
    ------
    BnmlError
        If the score or the prior does not go with the table.

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

    def __init__(self, data: Any, score: Score | str, prior: StructurePrior | None = None) -> None:
        self.score_function = parse_score(score)
        check_prior(prior)
        self.data = as_data(data)
        self.score_function.check(self.data)
        if prior is not None:
            prior.check(self.data.names)
        self.prior = prior
        self.shape = Shape(self.data.n_rows, self.data.arities)
        self._joint: dict[int, float] = {}
        self._margin: dict[Any, float] = {}
        self._closed: dict[tuple[int, int, int], float] = {}
        self._slow: dict[tuple[int, int], float] = {}

    @property
    def names(self) -> tuple[str, ...]:
        """The variables."""
        return self.data.names

    def score(self, dag: DAG, threads: int | None = None) -> float:
        """Return the score of a structure over the same variables."""
        sets = parent_sets(dag, self.names)
        return math.fsum(self.families(range(len(sets)), sets, threads).tolist())

    def __repr__(self) -> str:
        return f"LocalScores({self.score_function!r}, {len(self.data.names)} columns, {self.data.n_rows} rows)"

    def __reduce__(self) -> tuple[Any, ...]:
        return LocalScores, (self.data, self.score_function, self.prior)  # what was computed stays behind

    @cached_property
    def terms(self) -> Terms | None:
        """The score's tables; None if it takes the slow path: it has none, or there are too many rows for them."""
        return None if self.outline is None else self.score_function.terms(self.shape)

    @property
    def outline(self) -> Terms | None:
        """What `terms` will be, with tables that hardly have an entry: known before any of them is made."""
        outline = self._outline
        if outline is None or (outline.ess == 0.0 and (1 + len(outline.margin)) * self.shape.n_rows > MOST_LOOKUPS):
            return None
        return outline

    @cached_property
    def _outline(self) -> Terms | None:
        """The score's closed form, with tables that hardly have an entry."""
        return self._terms_at(np.zeros(1, np.int64))

    def _terms_at(self, counts: npt.NDArray[np.int64]) -> Terms | None:
        """Return the score's tables for some counts only."""
        return self.score_function.terms(replace(self.shape, some_counts=counts))

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
        members = {child, *parents}
        if min(members) < 0 or max(members) >= len(self.data.names):
            check_columns(self.data, members)
        if len(members) <= len(parents):
            raise ArgumentError(f"child {child} and parents {list(parents)} must be different columns")
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
        if len(children) != len(candidates):
            raise ArgumentError(f"{len(children)} children for {len(candidates)} sets of parents")
        check_columns(self.data, {min(children, default=0), max(children, default=0)})
        if self.terms is None:
            return np.array([self.family(c, p) for c, p in zip(children, candidates, strict=True)])
        if len(candidates) > MOST_REMEMBERED:
            batch = batch_of(children, candidates)
            check_batch(self.data, batch)
            sums = family_sums(self.data, batch, self._lookups, threads, checked=True)
            closed: float | Floats = self._closed_differences(batch)
        else:
            self._check_families(children, candidates)
            sums = self._remembered(children, candidates, lambda todo: self._sums(children, candidates, todo, threads))
            closed = self._closed_of(children, candidates)
        return sums[:, 0] - sums[:, 1] + closed + self._priors(children, candidates)

    def _check_families(self, children: Sequence[int], candidates: Sequence[Sequence[int]]) -> None:
        """Refuse columns that are not there or stand twice in a family."""
        n = len(self.data.names)
        for child, parents in zip(children, candidates, strict=True):
            members = {child, *parents}
            if len(members) <= len(parents) or min(members) < 0 or max(members) >= n:
                check_batch(self.data, batch_of([child], [parents]))

    def _closed_of(self, children: Sequence[int], candidates: Sequence[Sequence[int]]) -> float | Floats:
        """Return the closed forms of families less those of their parents, from memory where they are known."""
        if self._outline is None or self._outline.closed is None:
            return 0.0
        arities = self.data.arities
        pairs = zip(children, candidates, strict=True)
        return self._closed_at([(math.prod([arities[v] for v in p]), arities[c], len(p)) for c, p in pairs])

    def _sums(
        self, children: Sequence[int], candidates: Sequence[Sequence[int]], todo: Sequence[int], threads: int | None
    ) -> Floats:
        batch = batch_of([children[k] for k in todo], [candidates[k] for k in todo])
        return family_sums(self.data, batch, self._lookups, threads, checked=True)

    def _remembered(
        self,
        children: Sequence[int],
        parent_sets: Sequence[Sequence[int]],
        count: Callable[[list[int]], Floats],
    ) -> Floats:
        """Return the sums of families, those of known sets from memory; ``count`` gives the others by number."""
        sums = np.empty((len(children), 2))
        todo, keys = [], []
        for k, (c, p) in enumerate(zip(children, parent_sets, strict=True)):
            key = self._keys(c, p)
            known = self._joint.get(key[0]), self._margin_cache.get(key[1])
            if known[0] is None or known[1] is None:
                todo.append(k)
                keys.append(key)
            else:
                sums[k] = known
        if todo:
            sums[todo] = count(todo)
            for k, (whole, below) in zip(todo, keys, strict=True):
                _remember(self._joint, whole, float(sums[k, 0]))
                _remember(self._margin_cache, below, float(sums[k, 1]))
        return sums

    def _keys(self, child: int, parents: Sequence[int]) -> tuple[int, Any]:
        """Return under what the two terms of a family are remembered."""
        below = _mask(parents)
        return below | _mask((child,)), below if self.quotient else (below, self.data.arities[child])

    @property
    def _margin_cache(self) -> dict[Any, float]:
        return self._joint if self.quotient else self._margin

    def additions(
        self, child: int, parents: Sequence[int], candidates: Sequence[int], threads: int | None = None
    ) -> Floats:
        """Return the child's scores with each candidate added to its parents, in one pass over the rows."""
        if self.terms is None:
            return self.families(child, [(*parents, candidate) for candidate in candidates], threads)
        check_columns(self.data, (child, *parents, *candidates))
        if len({child, *parents}) <= len(parents) or {child, *parents} & set(candidates):
            raise ArgumentError(f"child {child}, parents {list(parents)} and candidates must be different columns")
        sums = self._addition_sums(child, parents, candidates, threads)
        values = sums[:, 0] - sums[:, 1]
        if self.terms.closed is not None:
            arities = self.data.arities
            q, r, size = math.prod(arities[p] for p in parents), arities[child], len(parents) + 1
            values += self._closed_at([(q * arities[c], r, size) for c in candidates])
        if self.prior is None:
            return values
        return values + self._priors([child] * len(candidates), [(*parents, candidate) for candidate in candidates])

    def _addition_sums(
        self, child: int, parents: Sequence[int], candidates: Sequence[int], threads: int | None
    ) -> Floats:
        """Return the sums of the families with each candidate added, those of known sets from memory."""
        below = _mask(parents)
        whole = below | _mask((child,))
        joint, margin = self._joint, self._margin_cache
        bits = [1 << int(candidate) for candidate in candidates]
        above: list[int] = [whole | bit for bit in bits]
        under: list[Any] = [below | bit for bit in bits]
        if not self.quotient:
            r = self.data.arities[child]
            under = [(mask, r) for mask in under]
        known = [(joint.get(a), margin.get(u)) for a, u in zip(above, under, strict=True)]
        todo = [k for k, (first, second) in enumerate(known) if first is None or second is None]
        sums = np.array(known, np.float64).reshape(-1, 2)  # what is not known is not a number
        if not todo:
            return sums
        found = addition_sums(self.data, child, parents, [candidates[k] for k in todo], self._lookups, threads)
        sums[todo] = found
        _remember_all(joint, [above[k] for k in todo], found[:, 0].tolist())
        _remember_all(margin, [under[k] for k in todo], found[:, 1].tolist())
        return sums

    def subsets(self, sets: Sequence[Sequence[int]], arity: int | None = None, threads: int | None = None) -> Floats:
        """Return the terms of sets of columns: ``J(S)``, or ``M(S)`` for a child of the given arity.

        A family's score is ``J(X ∪ Pa) - M(Pa)``. Only for scores with `terms`.
        """
        if self.terms is None:
            raise ScoreError(f"{self.score_function.name} is not a difference of terms of sets")
        lookups = self._lookups
        if arity is not None and arity not in self.data.arities:
            raise ArgumentError(f"arity={arity!r}: no column has so many states")
        if arity is not None and lookups.row_of:
            lookups = Lookups(lookups.table[[lookups.row_of[arity]]], {})
        batch = batch_of([-1] * len(sets), sets)
        values = family_sums(self.data, batch, lookups, threads)[:, 0]
        if self.terms.closed is not None:
            numbers, logs = configurations(self.data, batch)
            values += self.terms.closed(numbers[0], logs[0], batch.sizes.astype(np.float64))
        return values

    def parts(self, child: int, parents: Sequence[int]) -> tuple[float, float]:
        """Return a family's maximised log-likelihood and its penalty (with any prior's): the score is their difference.

        For BD scores the penalty is the Bayesian regret (fNML paper, eq. 6), for fNML the sum of regrets (eq. 11).
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
            counts = family_counts(self.data, child, parents)
            if self._first_terms is None:
                value = self.score_function.family(counts, self.data)
            else:
                sums = self._sum_at(counts.n_ijk, None) - self._sum_at(counts.n_ij, counts.r)
                value = sums + self._closed_difference(child, parents)
            _remember(self._slow, key, value)
        return value

    @cached_property
    def _first_terms(self) -> Terms | None:
        """The score's tables for small counts, for data with too many rows for all."""
        return self._terms_at(np.arange(FIRST_LOOKUPS))

    def _sum_at(self, counts: npt.NDArray[np.int64], r: int | None) -> float:
        """Sum ``t_J`` (r None) or ``t_M[r]`` over counts, some of which may be beyond the end of the tables."""
        beyond, times = np.unique(counts[counts >= FIRST_LOOKUPS], return_counts=True)
        first, rest = self._first_terms, self._terms_at(beyond)
        assert first is not None
        assert rest is not None
        tables = [terms.joint if r is None else terms.margin.get(r, terms.joint) for terms in (first, rest)]
        return float(tables[0][counts[counts < FIRST_LOOKUPS]].sum() + (tables[1] * times).sum())

    def _family_terms(self, child: int, parents: Sequence[int]) -> tuple[float, float]:
        """Return the family's two sums over cells, without the closed form."""
        whole, below = self._keys(child, parents)
        joint, margin = self._joint.get(whole), self._margin_cache.get(below)
        if joint is None or margin is None:
            sums = family_sums(self.data, batch_of([child], [parents]), self._lookups, 1, checked=True)
            joint, margin = float(sums[0, 0]), float(sums[0, 1])
            _remember(self._joint, whole, joint)
            _remember(self._margin_cache, below, margin)
        return joint, margin

    def _closed_difference(self, child: int, parents: Sequence[int]) -> float:
        """Return the closed form of the family less that of its parents."""
        if self._outline is None or self._outline.closed is None:
            return 0.0
        key = (math.prod(self.data.arities[p] for p in parents), self.data.arities[child], len(parents))
        value = self._closed.get(key)
        return float(self._closed_at([key])[0]) if value is None else value

    def _closed_at(self, keys: Sequence[tuple[int, int, int]]) -> Floats:
        """Return closed forms of families less those of their parents, by (configurations of these, arity, number)."""
        unknown = [key for key in dict.fromkeys(keys) if key not in self._closed]
        if unknown:
            assert self._outline is not None
            assert self._outline.closed is not None
            numbers = [*(q * r for q, r, _ in unknown), *(q for q, _, _ in unknown)]
            sizes = np.array([*(size + 1.0 for _, _, size in unknown), *(float(size) for _, _, size in unknown)])
            logs = np.array([math.log(number) for number in numbers])
            closed = self._outline.closed(np.array([as_float(number) for number in numbers]), logs, sizes)
            joint, margin = closed.reshape(2, -1)
            with np.errstate(invalid="ignore"):
                values = np.where(np.isneginf(joint), -np.inf, joint - margin)
            for key, value in zip(unknown, values.tolist(), strict=True):
                _remember(self._closed, key, value)
        return np.array([self._closed[key] for key in keys])

    def _closed_differences(self, batch: FamilyBatch) -> Floats:
        """Return the closed forms of the families less those of their parents."""
        if self._outline is None or self._outline.closed is None:
            return np.zeros(len(batch))
        numbers, logs = configurations(self.data, batch)
        sizes = np.concatenate([batch.sizes, batch.sizes - 1.0])
        joint, margin = self._outline.closed(numbers.ravel(), logs.ravel(), sizes).reshape(2, -1)
        with np.errstate(invalid="ignore"):
            return np.where(np.isneginf(joint), -np.inf, joint - margin)


def _mask(variables: Sequence[int]) -> int:
    mask = 0
    for v in variables:
        mask |= 1 << int(v)  # NumPy's integers would overflow
    return mask


def _remember_all(cache: dict[Any, float], keys: Sequence[Any], values: Sequence[float]) -> None:
    if len(cache) + len(keys) > MOST_CACHED:
        cache.clear()
    cache.update(zip(keys, values, strict=True))


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
