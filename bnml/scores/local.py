"""Local scores: every family score of a table, on demand."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property
from itertools import chain
from typing import Any

import numpy as np

from bnml._arrays import Floats, Ints
from bnml._bits import mask_of
from bnml.counts import Lookups, batch_of, counts_of
from bnml.counts.batches import FamilyBatch, check_additions, check_batch, check_columns
from bnml.data import Data, as_data
from bnml.data.data import refuse_gaps
from bnml.errors import ArgumentError, ScoreError
from bnml.graph import DAG
from bnml.scores.base import Score, Shape, Terms, parent_sets
from bnml.scores.family_terms import FamilyTerms
from bnml.scores.loglik import LogLikelihood
from bnml.scores.priors import StructurePrior, parse_prior
from bnml.scores.registry import parse_score

FEW_CANDIDATES, FEW_ROWS = 50, 1500  # for one pass; more candidates in fewer distinct rows are counted afresh as well


Views = tuple[tuple["LocalScores", tuple[int, ...]], ...]


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

    def __new__(cls, data: Any, *arguments: Any, **more: Any) -> LocalScores:
        """Make the local scores of a table; where variables were set, by views of its rows."""
        if cls is LocalScores and isinstance(data, Data) and data.targets is not None:
            from bnml.scores.scores_by_view import ScoresByView

            return object.__new__(ScoresByView)
        return object.__new__(cls)

    def __init__(
        self, data: Any, score: Score | str, prior: StructurePrior | None = None, *, kept: FamilyTerms | None = None
    ) -> None:
        self.score_function = parse_score(score)
        given = parse_prior(prior)
        self.data = as_data(data)
        refuse_gaps(self.data, "bnml.LocalScores()")
        self.counts = counts_of(self.data)
        self.score_function.check(self.counts)
        if given is not None:
            given.check(self.data.names)
        self.prior = None if given is None else given.bind(self.data)
        self._prior_terms = None if self.prior is None else PriorTerms(self.prior, self.data.names)
        self.known = FamilyTerms(self.counts, self.score_function) if kept is None else kept

    @property
    def names(self) -> tuple[str, ...]:
        """The variables."""
        return self.data.names

    def without_prior(self) -> LocalScores:
        """Return the scores of the families alone, as under a uniform prior."""
        return self if self.prior is None else local_scores(self.data, self.score_function)

    def score(self, dag: DAG, threads: int | None = None) -> float:
        """Return the score of a structure over the same variables."""
        sets = parent_sets(dag, self.names)
        return math.fsum(self.families(range(len(sets)), sets, threads).tolist())

    def __repr__(self) -> str:
        return f"LocalScores({self.score_function!r}, {len(self.data.names)} columns, {self.data.n_rows} rows)"

    def __reduce__(self) -> tuple[Any, ...]:
        return LocalScores, (self.data, self.score_function, self.prior)  # what was computed stays behind

    @property
    def equivalent(self) -> bool:
        """Whether equivalent structures are known to share their scores, any prior aside."""
        return self.score_function.equivalent

    @property
    def shares_classes(self) -> bool:
        """Whether equivalent structures are known to share their scores, the prior included."""
        return self.equivalent and (self.prior is None or self.prior.equivalent(self.names))

    @property
    def prior_of_arcs(self) -> bool:
        """Whether the structure prior, if there is one, is a sum over arcs."""
        return self._prior_terms is None or self._prior_terms.of_arcs

    @property
    def views(self) -> Views:
        """The scores of the different rows that families are scored on, each with the columns whose families these are.

        There is one view, of all rows, unless variables were set (`bnml.scores.scores_by_view`).
        """
        return ((self, tuple(range(len(self.names)))),)

    def for_child(self, child: int) -> LocalScores:
        """Return the scores of the rows that a variable's families are scored on: here of all."""
        return self

    @property
    def shape(self) -> Shape:
        """What the score may know of the table apart from its counts."""
        return self.known.shape

    @property
    def terms(self) -> Terms | None:
        """The score's tables for small counts; None if it has none, and families are scored one by one."""
        return self.known.terms

    @property
    def outline(self) -> Terms | None:
        """What `terms` will be, with tables that hardly have an entry: known before any of them is made."""
        return self.known.outline

    @property
    def quotient(self) -> bool:
        """Whether ``M = J``: a family's score is the difference of the terms of two sets."""
        return self.known.quotient

    def family(self, child: int, parents: Sequence[int]) -> float:
        """Return the score of one family."""
        members = {child, *parents}
        if min(members) < 0 or max(members) >= len(self.counts.names):
            check_columns(len(self.counts.names), members)
        if len(members) <= len(parents):
            raise ArgumentError(f"child {child} and parents {list(parents)} must be different columns")
        if self.outline is None:
            value = self.known.one_by_one.family(child, parents)
        else:
            joint, margin = self._family_terms(child, parents, self.known)
            value = joint - margin + self.known.closed.of(child, parents)
        return value if self._prior_terms is None else value + self._prior_terms.family(child, parents)

    def _family_terms(self, child: int, parents: Sequence[int], known: FamilyTerms) -> tuple[float, float]:
        """Return the family's two sums over cells, without the closed form."""
        mask = mask_of(parents)
        joint, margin = known.cache.get(child, parents, mask)
        if math.isnan(joint) or math.isnan(margin):
            sums = self.counts.family_sums(batch_of([child], [parents]), known.lookups, 1, checked=True)
            joint, margin = float(sums[0, 0]), float(sums[0, 1])
            known.cache.keep(child, parents, mask, (joint, margin))
        return joint, margin

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
        check_columns(len(self.names), {min(children, default=0), max(children, default=0)})
        if self.outline is None:
            return np.array([self.family(c, p) for c, p in zip(children, candidates, strict=True)])
        if len(candidates) > 4096:  # of larger batches no terms are kept: they are counted afresh
            sums, closed = self._counted_afresh(children, candidates, threads)
        else:
            self._check_families(children, candidates)
            sums = self._remembered(children, candidates, threads)
            closed = self.known.closed.of_families(children, candidates)
        return sums[:, 0] - sums[:, 1] + closed + self._priors(children, candidates)

    def _check_families(self, children: Sequence[int], candidates: Sequence[Sequence[int]]) -> None:
        """Refuse columns that are not there or stand twice in a family."""
        n = len(self.names)
        for child, parents in zip(children, candidates, strict=True):
            members = {child, *parents}
            if len(members) <= len(parents) or min(members) < 0 or max(members) >= n:
                check_batch(n, batch_of([child], [parents]))

    def _counted_afresh(
        self, children: Sequence[int], candidates: Sequence[Sequence[int]], threads: int | None
    ) -> tuple[Floats, float | Floats]:
        """Return the sums of so many families that they are not kept, and their closed forms."""
        batch = batch_of(children, candidates)
        check_batch(len(self.names), batch)
        return self._batch_sums(batch, threads)

    def _batch_sums(self, batch: FamilyBatch, threads: int | None) -> tuple[Floats, float | Floats]:
        sums = self.counts.family_sums(batch, self.known.lookups, threads, checked=True)
        if self.known.closed.closed is None:
            return sums, 0.0
        numbers, logs = self.counts.configurations(batch)
        sizes = np.concatenate([batch.sizes, batch.sizes - 1.0])
        return sums, self.known.closed.differences(numbers.ravel(), logs.ravel(), sizes)

    def batch(self, batch: FamilyBatch, threads: int | None = None) -> Floats:
        """Return the scores of a batch of families that is known to be right, each with a child; none of them is kept.

        It is for those who ask for thousands of families again and again, in arrays.
        """
        children = batch.members[batch.offsets[:-1] + batch.position]
        if self.outline is None:
            sets = np.split(batch.members, batch.offsets[1:-1])
            pairs = zip(children.tolist(), sets, strict=True)
            return np.array([self.family(c, [p for p in some.tolist() if p != c]) for c, some in pairs])
        sums, closed = self._batch_sums(batch, threads)
        scores: Floats = sums[:, 0] - sums[:, 1] + closed
        return scores if self._prior_terms is None else scores + self._prior_terms.batch(batch, children)

    def _remembered(self, children: Sequence[int], candidates: Sequence[Sequence[int]], threads: int | None) -> Floats:
        """Return the sums of families, those of known sets from memory."""
        cache = self.known.cache
        masks = [mask_of(parents) for parents in candidates]
        known = [cache.get(c, p, mask) for c, p, mask in zip(children, candidates, masks, strict=True)]
        todo = [k for k, (joint, margin) in enumerate(known) if math.isnan(joint) or math.isnan(margin)]
        sums = np.array(known, np.float64).reshape(-1, 2)
        if todo:
            batch = batch_of([children[k] for k in todo], [candidates[k] for k in todo])
            found = self.counts.family_sums(batch, self.known.lookups, threads, checked=True)
            sums[todo] = found
            for k, both in zip(todo, found.tolist(), strict=True):
                cache.keep(children[k], candidates[k], masks[k], both)
        return sums

    def additions(
        self, child: int, parents: Sequence[int], candidates: Sequence[int] | Ints, threads: int | None = None
    ) -> Floats:
        """Return the child's scores with each candidate added to its parents, in one pass over the rows."""
        if self.outline is None:
            return self.families(child, [(*parents, candidate) for candidate in candidates], threads)
        chosen = np.array(candidates, np.int64).reshape(-1)
        check_additions(len(self.names), child, parents, chosen)
        sums = self._addition_sums(child, parents, chosen, threads)
        values = sums[:, 0] - sums[:, 1]
        if self.known.closed.closed is not None:
            values += self.known.closed.of_additions(child, parents, chosen)
        return values if self._prior_terms is None else values + self._prior_terms.additions(child, parents, chosen)

    def _addition_sums(self, child: int, parents: Sequence[int], candidates: Ints, threads: int | None) -> Floats:
        """Return the sums of the families with each candidate added, those of known sets from memory.

        Of many candidates in few rows a set with more than two columns is counted more quickly than looked up.
        """
        counts, lookups = self.counts, self.known.lookups
        if parents and candidates.size > FEW_CANDIDATES and counts.n_distinct < FEW_ROWS:
            return counts.addition_sums(child, parents, candidates, lookups, threads)
        sums = self.known.cache.get_additions(child, parents, candidates)
        todo = np.flatnonzero(np.isnan(sums).any(axis=1))
        if todo.size:
            sums[todo] = counts.addition_sums(child, parents, candidates[todo], lookups, threads)
            self.known.cache.keep_additions(child, parents, candidates[todo], sums[todo])
        return sums

    def subsets(self, sets: Sequence[Sequence[int]], arity: int | None = None, threads: int | None = None) -> Floats:
        """Return the terms of sets of columns: ``J(S)``, or ``M(S)`` for a child of the given arity.

        A family's score is ``J(X ∪ Pa) - M(Pa)``. Only for scores with `terms`.
        """
        if self.outline is None:
            raise ScoreError(f"{self.score_function.name} is not a difference of terms of sets")
        lookups = self.known.lookups
        if arity is not None and arity not in self.data.arities:
            raise ArgumentError(f"arity={arity!r}: no column has so many states")
        if arity is not None and lookups.row_of:
            row = [lookups.row_of[arity]]
            lookups = Lookups(lookups.table[row], {}, tails=lookups.tails[row])
        batch = batch_of([-1] * len(sets), sets)
        values = self.counts.family_sums(batch, lookups, threads)[:, 0]
        if self.outline.closed is not None:
            numbers, logs = self.counts.configurations(batch)
            values += self.outline.closed(numbers[0], logs[0], batch.sizes.astype(np.float64))
        return values

    def parts(self, child: int, parents: Sequence[int]) -> tuple[float, float]:
        """Return a family's maximised log-likelihood and its penalty (with any prior's): the score is their difference.

        For BD scores the penalty is the Bayesian regret (fNML paper, eq. 6), for fNML the sum of regrets (eq. 11).
        """
        score, memo = LogLikelihood(), self.data.memo
        if score not in memo:
            memo[score] = FamilyTerms(self.counts, score)
        joint, margin = self._family_terms(child, parents, memo[score])
        fit = joint - margin
        return fit, fit - self.family(child, parents)

    def _priors(self, children: Sequence[int], parent_sets: Sequence[Sequence[int]]) -> float | Floats:
        return 0.0 if self._prior_terms is None else self._prior_terms.families(children, parent_sets)


def local_scores(data: Data, score: Score, prior: StructurePrior | None = None) -> LocalScores:
    """Return the local scores of a table under a score; what is computed of them is kept with the table."""
    kept: FamilyTerms | None = data.memo.get(score)
    local = LocalScores(data, score, prior, kept=kept)
    data.memo[score] = local.known
    return local


class PriorTerms:
    """The log-prior of families of columns, by number.

    A cost per arc, the usual case, needs only the number of parents. A sum over arcs is looked up in matrices, and any
    other prior is asked family by family.

    Parameters
    ----------
    prior
        The prior.
    names
        The columns.
    """

    def __init__(self, prior: StructurePrior, names: Sequence[str]) -> None:
        self.prior, self.names = prior, names
        self.cost = prior.arc_cost(names)

    @cached_property
    def _arcs(self) -> tuple[Floats, Floats, Ints, Ints] | None:
        """Each child's log-prior without parents, the gain ``[parent, child]`` of each arc, and required arcs."""
        terms = self.prior.arc_terms(self.names)
        if terms is None:
            return None
        there, absent = terms
        required = np.isneginf(absent)  # a family without such an arc is impossible; they add nothing but that
        base = np.where(required, 0.0, absent)
        gain = there - base
        np.fill_diagonal(base, 0.0)
        np.fill_diagonal(gain, 0.0)
        needed = (required & ~np.eye(len(required), dtype=bool)).astype(np.int64)
        return base.sum(axis=0), gain, needed, needed.sum(axis=0)

    @property
    def of_arcs(self) -> bool:
        """Whether the prior is a sum over arcs."""
        return self.cost is not None or self._arcs is not None

    def family(self, child: int, parents: Sequence[int]) -> float:
        """Return the log-prior of one family."""
        if self.cost is not None:
            return -self.cost * len(parents)
        return self.prior.family(self.names, child, parents)

    def families(self, children: Sequence[int], parent_sets: Sequence[Sequence[int]]) -> Floats:
        """Return the log-prior of each family."""
        if self.cost is not None:
            return -self.cost * np.fromiter(map(len, parent_sets), np.float64, len(parent_sets))
        if self._arcs is None:
            return np.array([self.family(c, p) for c, p in zip(children, parent_sets, strict=True)])
        sizes = np.fromiter(map(len, parent_sets), np.int64, len(parent_sets))
        members = np.fromiter(chain.from_iterable(parent_sets), np.int64, int(sizes.sum()))
        return self._summed(np.asarray(children, np.int64), members, sizes)

    def additions(self, child: int, parents: Sequence[int], candidates: Ints) -> Floats | float:
        """Return the log-prior of a child's family with each candidate added to its parents."""
        if self.cost is not None:
            return -self.cost * (len(parents) + 1)
        return self.families([child] * candidates.size, [(*parents, c) for c in candidates.tolist()])

    def batch(self, batch: FamilyBatch, children: Ints) -> Floats:
        """Return the log-prior of a batch of families, each of which has a child."""
        if self.cost is not None:
            return np.asarray(-self.cost * (batch.sizes - 1.0))
        if self._arcs is None:
            sets = np.split(batch.members, batch.offsets[1:-1])
            pairs = zip(children.tolist(), sets, strict=True)
            return np.array([self.family(c, [p for p in own.tolist() if p != c]) for c, own in pairs])
        return self._summed(children, batch.members, batch.sizes)

    def _summed(self, children: Ints, members: Ints, sizes: Ints) -> Floats:
        """Return the sums over the members of each family; a child among them adds nothing."""
        assert self._arcs is not None
        base, gain, needed, wanted = self._arcs
        family = np.repeat(np.arange(sizes.size), sizes)
        own = children[family]
        sums = base[children] + np.bincount(family, gain[members, own], minlength=sizes.size)
        met = np.bincount(family, needed[members, own], minlength=sizes.size)
        return np.where(met < wanted[children], -np.inf, sums)
