"""The terms of all subsets, the gains of families from them, and bounds on what larger parent sets can reach."""

from __future__ import annotations

import math
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

import numpy as np
import numpy.typing as npt

from bnml._arrays import Floats, Ints, Numbers
from bnml._bits import members, minimal_masks, subsets
from bnml._watch import Tell
from bnml.counts.lattice import WalkOrder
from bnml.errors import ArgumentError
from bnml.graph import Rules
from bnml.scores.lattice.allowed_sets import FEW_LINKS
from bnml.scores.lattice.terms import (
    ArcTerms,
    choose_units,
    closed_forms,
    has_price_terms,
    range_of_terms,
    rows_of_terms,
    terms_to_sum,
)
from bnml.scores.local import LocalScores, local_scores
from bnml.scores.loglik import LogLikelihood

if TYPE_CHECKING:
    from bnml.counts._lattice_kernels import Bounds
    from bnml.scores.lattice._kernels import FamilyTables
    from bnml.scores.lattice.by_view import LatticeByView

MOST_EQUALS = 1000  # parent sets of the same score that are looked at
SCANNED = 22  # variables whose subsets are looked at in one go
AT_ONCE = 1 << 22  # sets that are counted in one go


def has_lattice(local: LocalScores) -> bool:
    """Whether a walk over the lattice can find the terms: a score of tables, a prior over arcs, not too many rows."""
    return local.outline is not None and local.counts.walks and local.prior_of_arcs


def listable_by_bounds(local: LocalScores, rules: Rules) -> bool:
    """Whether there are bounds to list candidates by: for a score of tables, a prior over arcs, few links."""
    return (
        local.outline is not None
        and local.outline.parts == 1
        and local.counts.walks
        and local.counts.n_rows < 1 << 20  # entries of a lookup table
        and local.prior_of_arcs
        and all(links.bit_count() <= FEW_LINKS for links in rules.links)
    )


def _present(terms: Numbers, missing: Any) -> int:
    """Count the terms that are there."""
    parts = (terms[start : start + (1 << 22)] for start in range(0, terms.size, 1 << 22))
    return sum(int(np.count_nonzero((part != missing) & (part == part))) for part in parts)


class LatticeOptions(TypedDict, total=False):
    """The options of a `Lattice` that all lattices of a table share."""

    integers: bool
    prune: bool
    whole: bool
    threads: int


class Lattice:
    """The scores of all families of a table, from the terms of its subsets.

    Parameters
    ----------
    local
        The local scores; `has_lattice`.
    rules
        What parents are allowed, by places in the order of the walk.
    integers
        Keep 32-bit integers in place of 64-bit floats.
    prune
        Leave out what the bounds allow to leave out.
    whole
        Have the score of every family, even of those that cannot be the best of a variable.
    threads
        How many threads to use.
    done
        Told now and then which share of the work is done.
    coarser
        The least unit; 0 for the finest in which everything fits.

    Attributes
    ----------
    n, layout, rules
        Number of variables, their order, and their rules, with those of the prior.
    unit, base
        A gain of one, and what a gain of zero is for each variable, in nats.
    dtype, never
        What gains are kept in, and what stands for an impossible one.
    visited
        How many subsets were visited.
    """

    def __init__(
        self,
        local: LocalScores,
        rules: Rules,
        *,
        integers: bool = False,
        prune: bool = True,
        whole: bool = False,
        threads: int = 1,
        done: Tell | None = None,
        coarser: float = 0.0,
    ) -> None:
        self._prepare(local, rules, integers=integers, whole=whole, coarser=coarser)
        layout, grain = self.layout, self.units.grain
        sums = terms_to_sum(local, layout, grain, *((self._low, grain / self.unit) if integers else (0.0, 1.0)))
        self._rows = rows_of_terms(local)
        self.terms = np.empty((sums.low.size, 1 << self.n), self.missing.dtype)

        most = min(self.rules.most + 1, self.n)
        wanted, bounds = layout.wanted(most, self.rules.cells), no_bounds(self.n)
        bounded = (
            prune
            and not whole
            and self.n >= LEAST_VARIABLES
            and most > FIRST_PARENTS + 1
            and has_price_terms(local, layout, self._closed)
        )
        if bounded or not wanted.all():
            self.terms.fill(self.missing[0])
        if bounded:
            layout.counts.subset_sums(
                layout, sums, bounds, layout.wanted(FIRST_PARENTS + 1, self.rules.cells), self.terms, threads, None
            )
            bounds = _bounds_for(self)
        self.visited = layout.counts.subset_sums(layout, sums, bounds, wanted, self.terms, threads, done)
        if bounded:  # some small sets were visited for the bounds only
            self.visited = _present(self.terms[0], self.missing[0])

    @classmethod
    def unit_for(
        cls, local: LocalScores, rules: Rules, *, integers: bool, whole: bool
    ) -> tuple[float, tuple[float, ...]]:
        """Return the finest unit in which everything fits, and what each variable's best parents score at least."""
        bare = object.__new__(cls)
        bare._prepare(local, rules, integers=integers, whole=whole, coarser=0.0)
        return bare.unit, bare._worst

    def _prepare(self, local: LocalScores, rules: Rules, *, integers: bool, whole: bool, coarser: float) -> None:
        """Find all that is known before the walk."""
        self.local = local
        self.layout = layout = WalkOrder(local.counts)
        self.n = layout.n
        self.arcs = ArcTerms.of(local, layout, rules)
        if not whole:
            self.arcs = self.arcs.without_useless(layout)
        self.rules = self.arcs.rules
        self.dtype = np.dtype(np.int32 if integers else np.float64)
        self.never = np.array([-(1 << 30) if integers else -np.inf], self.dtype)
        self.missing = np.array([0xFFFFFFFF], np.uint32) if integers else np.array([np.nan])

        self._closed = closed = closed_forms(local, layout)
        low, high = range_of_terms(local, layout)
        self._low = low
        self._worst = least = tuple(self._least(i, high - low) for i in range(self.n))
        bonus = float(np.abs(self.arcs.gain).sum(axis=1).max())
        self.units = choose_units(
            layout, self.rules, closed, low, high, least, bonus=bonus, integers=integers, whole=whole, coarser=coarser
        )
        self.unit = self.units.unit
        self.base_units = [math.floor(value / self.unit) - self.units.slack for value in least]
        self.base = [units * self.unit for units in self.base_units]

    def _least(self, i: int, span: float) -> float:
        """Return a score that a variable's best parents have at least, whatever candidates there are."""
        must, links = self.rules.must[i], self.rules.links[i] & self.rules.may[i]
        if links.bit_count() > FEW_LINKS:
            least = min(self._score(i, must), self._score(i, must | links)) - span
        else:
            least = min(self._score(i, must | some) for some in subsets(links))
        if least == -math.inf:
            name = self.local.data.names[self.layout.columns[i]]
            raise ArgumentError(f"the parents that {name!r} must have are impossible under the prior")
        return least

    def _score(self, i: int, parents: int) -> float:
        columns = self.layout.columns
        return self.local.family(columns[i], [columns[j] for j in members(parents)])

    @property
    def links(self) -> tuple[int, ...]:
        """For each variable the others that must be its parents or its children."""
        return self.rules.links

    @property
    def within(self) -> float:
        """How much better than the found structure another may be, in nats: with floats nothing that matters.

        With integers each family is off by 2 units at most, half a unit for each of its two terms and two closed
        forms, and each arc by half a unit of the prior; so is the other structure.
        """
        if self.dtype != np.int32:
            return 0.0
        arcs = self.n * (self.n - 1) / 2 if self.local.prior is not None else 0.0
        return (4.0 * self.n + arcs) * self.unit

    @property
    def scored(self) -> int:
        """How many families were scored: a set that was visited has one for each of its variables."""
        return self.scored_of((1 << self.n) - 1)

    def scored_of(self, children: int) -> int:
        """Return how many families of some variables, a bit mask, were scored."""
        n, terms, missing = self.n, self.terms[0], self.missing[0]
        if self.visited == 1 << n:
            return children.bit_count() << (n - 1)
        sizes, total = np.bitwise_count(np.arange(min(1 << n, AT_ONCE), dtype=np.int64) & children), 0
        for start in range(0, 1 << n, AT_ONCE):
            part = terms[start : start + AT_ONCE]
            there = (part != missing) & (part == part)
            high = (start & children).bit_count()
            total += int(sizes[there].sum(dtype=np.int64)) + high * int(np.count_nonzero(there))
        return total

    # --- families ---

    @cached_property
    def _indices(self) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
        from bnml.scores.lattice._kernels import LOW

        return self.layout.indices(0, LOW), self.layout.indices(LOW, self.n)

    @cached_property
    def _families(self) -> list[FamilyTables]:
        return [self._family(i) for i in range(self.n)]

    @cached_property
    def _closed_of_sizes(self) -> Floats:
        """The closed forms for a variable with one state, which adds no configuration to any set."""
        own, terms = self.layout.sizes, self.local.terms
        if terms is None or terms.closed is None:
            return np.zeros(own.size)
        return np.asarray(np.rint(terms.closed(np.ones(own.size), np.zeros(own.size), own) / self.unit))

    def _family(self, i: int) -> FamilyTables:
        """Return what the scores of a variable's families are made of."""
        from bnml.scores.lattice._kernels import LOW, FamilyTables

        low_add, high_add, constant = self.arcs.tables(i, self.unit, LOW)
        row, closed = self._rows.get(int(self.layout.arities[i]), 0), self.units.closed
        return FamilyTables(
            self.terms[0],
            self.terms[row],
            self.missing,
            closed if self.layout.arities[i] > 1 else self._closed_of_sizes,
            *self._indices,
            low_add,
            high_add,
            float(constant - self.base_units[i]),
            i,
            int(self.layout.steps[i]),
        )

    def fill(self, i: int, n_low: int, top: int, start: int, gains: Numbers, least: float = -0.5) -> None:
        """Raise ``gains`` to those of families whose parents are some of the high variables ``top``, and low ones.

        ``gains[k]`` is for the set ``start + k`` of the low variables, the variable's own bit left out if it is low. A
        gain below ``least`` does not count: below zero there are better parents in every set of candidates.
        """
        from bnml.scores.lattice._kernels import fill_gains

        tied = self.rules.links[i] >> n_low
        tops = np.array([some for some in subsets(top) if some & tied == top & tied], np.int64)
        fill_gains(self._families[i], n_low, tops, least, start, gains)

    def equals(self, i: int, candidates: int, slack: float) -> tuple[float, list[int]]:
        """Return the best gain of a variable's families with parents among candidates, and the parents that reach it.

        That is to within ``slack``; of such sets only those that no other is a subset of, and if there are very many,
        the one that is left when variables are dropped by their names, the last first.
        """
        from bnml.scores.lattice._kernels import sets_reaching

        tied = candidates & self.rules.links[i]
        fixed = tied | self.rules.must[i]
        if fixed & ~(candidates & self.rules.may[i]):
            return -math.inf, []
        free = candidates & self.rules.may[i] & ~fixed
        best = self._highest(i, fixed, free)
        if best == -math.inf:
            return best, []
        found = np.empty(MOST_EQUALS, np.int64)
        equals: list[int] = []
        high = free >> SCANNED << SCANNED  # a call for each subset of the high ones, so that none lasts long
        for some in subsets(high):
            number = sets_reaching(self._families[i], fixed | some, free ^ high, best - slack, found)
            if number > MOST_EQUALS:
                return best, [fixed | self._dropped(i, fixed, free, best - slack)]
            equals += found[:number].tolist()
        return best, minimal_masks(equals)

    def _highest(self, i: int, fixed: int, free: int) -> float:
        """Return the best gain with the parents ``fixed`` and some of ``free``."""
        from bnml.scores.lattice._kernels import highest_lattice_gain

        high = free >> SCANNED << SCANNED
        return float(max(highest_lattice_gain(self._families[i], fixed | some, free ^ high) for some in subsets(high)))

    def _dropped(self, i: int, fixed: int, free: int, least: float) -> int:
        """Return what is left of ``free`` when variables are dropped while the gain can stay above ``least``."""
        names, columns = self.local.data.names, self.layout.columns
        for j in sorted(members(free), key=lambda j: names[columns[j]], reverse=True):
            if self._highest(i, fixed, free & ~(1 << j)) >= least:
                free &= ~(1 << j)
        return free

    def gains_of(self, i: int, sets: npt.NDArray[np.int64]) -> Floats:
        """Return the gains of some families of a variable; minus infinity where there is none."""
        family = self._families[i]
        low, high = sets & (family.low_index.size - 1), sets >> (family.low_index.size.bit_length() - 1)
        index = family.low_index[low] + family.high_index[high]
        own = sets >> i & 1 == 1
        joint, closed = family.joint[sets | (1 << i)], family.closed
        with np.errstate(invalid="ignore"):
            value = joint.astype(np.float64) - family.margin[sets].astype(np.float64)
            value += closed[np.where(own, 0, index + family.step)] - closed[index]
            value += family.low_add[low] + family.high_add[high] + family.base
        return np.where(own | np.isnan(value) | (joint == self.missing[0]), -np.inf, value)


def lattice_of(
    local: LocalScores, rules: Rules, *, done: Tell | None = None, **options: Unpack[LatticeOptions]
) -> Lattice | LatticeByView:
    """Return the lattice of a table, by view where it has several; the options are those of `Lattice`."""
    if local.views[0][0] is local:
        return Lattice(local, rules, done=done, **options)
    from bnml.scores.lattice.by_view import LatticeByView

    return LatticeByView(local, rules, done=done, **options)


FIRST_PARENTS = 2  # families with so few parents are known before the bounded walk
LEAST_VARIABLES = 12  # below, all subsets are done before bounds would pay


def _bounds_for(lattice: Lattice) -> Bounds:
    """Return the bounds that the families with few parents give, whose terms are known."""
    from bnml.counts._lattice_kernels import Bounds

    n, columns = lattice.n, lattice.layout.columns
    sets, children, values = _known(lattice)
    lowest = np.array([(s & -s).bit_length() - 1 if s else n for s in sets.tolist()], np.int64)
    order = np.argsort(lowest, kind="stable")
    sets, children, values, lowest = sets[order], children[order], values[order], lowest[order]
    group = np.searchsorted(lowest, np.arange(n + 2)).astype(np.int64)
    likelihood: LocalScores = local_scores(lattice.local.data, LogLikelihood())
    fit = np.empty(n)
    for i in range(n):
        best = likelihood.family(columns[i], [c for c in columns if c != columns[i]])
        fit[i] = (best + lattice.arcs.most[i]) / lattice.unit - lattice.base_units[i] + lattice.units.slack
    may = np.array(lattice.rules.may, np.int64)
    return Bounds(group, np.where(sets > 0, sets & (sets - 1), 0), children, values, fit, lattice.units.closed, may)


def _known(lattice: Lattice) -> tuple[Ints, Ints, Floats]:
    """Return the families of few parents that are better than all with fewer of these: parents, child, gain."""
    n = lattice.n
    small = [sum(1 << v for v in some) for k in range(FIRST_PARENTS + 1) for some in combinations(range(n), k)]
    at = {mask: k for k, mask in enumerate(small)}
    masks = np.array(small, np.int64)
    gains = np.stack([lattice.gains_of(i, masks) for i in range(n)])
    best = gains.copy()
    better = np.zeros(gains.shape, bool)
    for k, mask in enumerate(small):
        smaller = [at[mask ^ (1 << v)] for v in range(n) if mask >> v & 1]
        below = best[:, smaller].max(axis=1, initial=-np.inf)
        better[:, k] = gains[:, k] > below
        best[:, k] = np.maximum(gains[:, k], below)
    better[[i for i in range(n) if lattice.rules.links[i]]] = False  # a subset may lack a link that is required
    children, which = np.nonzero(better)
    return masks[which], children.astype(np.int64), gains[children, which]


def no_bounds(n: int) -> Bounds:
    """Return bounds for the walk that leave no subset out."""
    from bnml.counts._lattice_kernels import Bounds

    none = np.zeros(0, np.int64)
    return Bounds(np.zeros(n + 2, np.int64), none, none, np.zeros(0), np.zeros(0), np.zeros(1), none)
