"""A structure prior evaluated for many families at once."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import chain

import numpy as np

from bnml._arrays import Floats, Ints
from bnml.counts import FamilyBatch
from bnml.scores.priors import StructurePrior


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
