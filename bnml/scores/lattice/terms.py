"""What sets of columns add to a score, what arcs add by the prior, and the units in which both are counted."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from bnml._arrays import Floats, Ints
from bnml._bits import members, subsets
from bnml.counts import Counts
from bnml.counts.batches import FACTOR, SERIES, no_tails, scaled_tails, tail_entries
from bnml.counts.lattice import WalkOrder
from bnml.graph import Rules
from bnml.nml import log_rising
from bnml.nml.rising import log_rising_real
from bnml.scores.base import Terms
from bnml.scores.lattice.allowed_sets import FEW_LINKS
from bnml.scores.local import LocalScores
from bnml.scores.loglik import n_log_n

if TYPE_CHECKING:
    from bnml.counts._lattice_kernels import Sums

MOST_RISING = 1 << 21  # entries of tables that change with the number of configurations; 16 MB
SMALLEST = 1e-290  # of a hyperparameter; below, its logarithm is used


def _terms_of(local: LocalScores) -> Terms:
    """Return the tables of a score that has them."""
    assert local.terms is not None
    return local.terms


def _term_configurations(layout: WalkOrder) -> tuple[Floats, Floats]:
    """Return how many configurations the sets with each index have, and the logarithm, for their terms."""
    return layout.configurations, layout.accumulated(np.log(layout.kinds[0]))


def closed_forms(local: LocalScores, layout: WalkOrder) -> Floats:
    """Return the closed form of the sets with each index, in nats."""
    closed = _terms_of(local).closed
    return np.zeros(layout.n_indices) if closed is None else closed(*_term_configurations(layout), layout.sizes)


def _term_neighbours(layout: WalkOrder) -> Iterator[tuple[Ints, Ints]]:
    """Yield, for each arity, the indices of the sets that lack a column of it, and those with one more."""
    for kind, step in enumerate(layout.kind_steps):
        without = np.flatnonzero(layout.digit(kind) < layout.kinds[1][kind])
        yield without, without + step


def has_price_terms(local: LocalScores, layout: WalkOrder, closed: Floats) -> bool:
    """Return whether the terms of the lattice are a log-likelihood less a price that never falls with more parents."""
    terms = _terms_of(local)
    if terms.ess > 0.0 or terms.margin or not np.array_equal(terms.joint, n_log_n(np.arange(terms.joint.size))):
        return False
    if not (local.known.tails[..., FACTOR] == 1.0).all() or local.known.tails[..., SERIES:].any():
        return False
    for without, having in _term_neighbours(layout):
        price = np.full(closed.size, np.nan)
        with np.errstate(invalid="ignore"):
            price[without] = closed[without] - closed[having]
            for fewer, more in _term_neighbours(layout):
                if np.any(price[more] < price[fewer] - 1e-9):
                    return False
    return True


def rows_of_terms(local: LocalScores) -> dict[int, int]:
    """Return in which table of the lattice's terms the margins of each arity stand; none if they are the joint ones."""
    return {r: row for row, r in enumerate(sorted(_terms_of(local).margin), 1)}


def range_of_terms(local: LocalScores, layout: WalkOrder) -> tuple[float, float]:
    """Return what the terms of sets in the lattice lie between: all rows in one cell, or each in its own."""
    terms, n_rows = _terms_of(local), local.data.n_rows
    if terms.ess > 0.0:
        log_q = float(_term_configurations(layout)[1].max())
        alone = math.log(terms.ess) - log_q + math.lgamma(1.0 / terms.parts)  # of a part, at least
        whole = terms.parts * float(log_rising_real(terms.ess, n_rows / terms.parts))
        return n_rows * terms.parts * min(alone, 0.0) if terms.parts > 1 else n_rows * alone, whole
    lookups, ends = local.known.lookups, []
    for table, tail in zip(lookups.table, lookups.tails, strict=True):
        one, all_rows = tail_entries(table, tail, np.array([1, n_rows])).tolist()
        ends += [n_rows * one, all_rows]
    return min(ends), max(ends)


def terms_to_sum(local: LocalScores, layout: WalkOrder, grain: float, low: float, factor: float) -> Sums:
    """Return the terms that a walk over the lattice is to add up, in grains, less ``low`` and times ``factor``."""
    from bnml.counts._lattice_kernels import Sums

    terms = _terms_of(local)
    if terms.ess > 0.0:
        tables, rising = _rising_tables(terms, layout)
        n_sums, tails = 1, no_tails(len(tables))
    else:
        tables, tails, rising = local.known.lookups.table, scaled_tails(local.known.tails, grain), np.zeros((0, 3))
        n_sums = len(tables)
    return Sums(np.rint(tables / grain), tails, rising, grain, np.full(n_sums, np.rint(low / grain)), factor)


def terms_that_rise(counts: Counts, n_indices: int) -> int:
    """Return how many counts have entries in those tables of the lattice that change with the number of configurations.

    No more than are looked up.
    """
    most = min(MOST_RISING, counts.n_distinct << len(counts.names)) // n_indices
    return max(2, min(counts.n_rows + 1, max(16, most)))  # at least 16 for each number of configurations


def _rising_tables(terms: Terms, layout: WalkOrder) -> tuple[Floats, Floats]:
    """Return log Γ(a + n) - log Γ(a) for each index and small n, a = ess / q; and a, log a and the parts of a row."""
    q, log_q = _term_configurations(layout)
    a, log_a = terms.ess / q, math.log(terms.ess) - log_q
    counts = np.arange(terms_that_rise(layout.counts, layout.n_indices))
    tiny = a < SMALLEST
    if terms.parts == 1:
        tables = log_rising(np.where(tiny, 1.0, a)[:, None], counts)
        tables[tiny, 1:] = log_a[tiny, None] + log_rising(1.0, counts[:-1])
    else:
        shares = counts / terms.parts
        tables = log_rising_real(np.where(tiny, 1.0, a)[:, None], shares)
        tables[tiny, 1:] = log_a[tiny, None] + log_rising_real(1.0, shares[1:] - 1.0)
        tables *= terms.parts
    return tables, np.stack([a, log_a, np.full(a.size, float(terms.parts))], axis=1)


MANTISSA = 52  # bits of a float


@dataclass(frozen=True)
class Units:
    """How numbers are rounded.

    ``grain``: what the lookup tables are multiples of, in nats: a power of two. ``unit``: what gains are multiples of,
    in nats: with floats the grain. ``slack``: how many units a sum of rounded numbers may be off. ``closed``: the
    closed form of each index, in units; not a number where it is too dear for any variable.
    """

    grain: float
    unit: float
    slack: int
    closed: Floats


def choose_units(
    layout: WalkOrder,
    rules: Rules,
    closed: Floats,
    low: float,
    high: float,
    least: Sequence[float],
    *,
    bonus: float,
    integers: bool,
    whole: bool,
    coarser: float = 0.0,
) -> Units:
    """Return the finest units in which everything fits.

    ``bonus``: the most that a prior can add; ``whole``: even families that cannot be the best must fit. ``low``,
    ``high``: what terms lie between; ``least``: what each variable's families score at least, so that less their sum
    no gain, and no sum of gains, is larger. ``coarser``: the least unit.
    """
    relevant = np.ones(closed.size, bool) if whole else _relevant(layout, rules, closed, 2.0 * (high - low) + bonus)
    total = 1.0 + sum(-value for value in least)
    span = max(high - low, abs(high), abs(low), float(np.abs(closed[relevant]).max()), total)
    grain = unit = max(2.0 ** (math.ceil(math.log2(span)) - MANTISSA), 0.0 if integers else coarser)
    slack = layout.counts.n_distinct + 8
    if integers:
        unit, slack = max((high - low + 1.0) / (2**32 - 16), 1.01 * total / 2**30, coarser), 8
    return Units(grain, unit, slack, np.where(relevant, np.rint(closed / unit), np.nan))


def _relevant(layout: WalkOrder, rules: Rules, closed: Floats, margin: float) -> npt.NDArray[np.bool_]:
    """Return which indices have families that are not too dear to be any variable's best.

    Terms differ by ``span`` at most, so no family can make up for a price that is higher than that of the parents that
    a variable must have by more than twice as much. A variable with one state has no price and gains nothing from
    parents.
    """
    relevant = np.zeros(closed.size, bool)
    relevant[0] = True
    dearest = 0.0
    for i, (must, links) in enumerate(zip(rules.must, rules.links, strict=True)):
        for some in subsets(links) if links.bit_count() <= FEW_LINKS else (0, links):
            index = sum(int(layout.steps[j]) for j in members(must | some))
            relevant[[index, index + layout.steps[i]]] = True
            dearest = max(dearest, closed[index] - closed[index + layout.steps[i]])
    with np.errstate(invalid="ignore"):
        for r, (without, having) in zip(layout.kinds[0], _term_neighbours(layout), strict=True):
            if r > 1:
                cheap = closed[without] - closed[having] <= dearest + margin + 1.0
                relevant[without] |= cheap
                relevant[having] |= cheap
    return relevant


@dataclass(frozen=True)
class ArcTerms:
    """The prior as what each arc adds; arcs that it requires or rules out have become rules.

    ``constant``: what is added to every family of a variable; ``gain[i, j]``: what the parent j adds for the child i.
    """

    rules: Rules
    constant: tuple[float, ...]
    gain: Floats

    @classmethod
    def of(cls, local: LocalScores, layout: WalkOrder, rules: Rules) -> ArcTerms:
        """Return the terms of the prior of local scores, for variables in the order of a walk."""
        n = layout.n
        terms = local.prior.arc_terms(local.data.names) if local.prior is not None else None
        if terms is None:
            return cls(rules, (0.0,) * n, np.zeros((n, n)))
        order = np.ix_(layout.columns, layout.columns)
        there, absent = (matrix[order].T for matrix in terms)
        heeded = rules.heeding(np.isneginf(there.T), np.isneginf(absent.T))
        sure = np.where(np.isneginf(absent), there, absent)  # what an arc that must be there adds, it always adds
        np.fill_diagonal(sure, 0.0)
        open_ = np.isfinite(there) & np.isfinite(absent)
        gain = np.where(open_, there, 0.0) - np.where(open_, absent, 0.0)
        return cls(heeded, tuple(math.fsum(row) for row in sure.tolist()), gain)

    def without_useless(self, layout: WalkOrder) -> ArcTerms:
        """Return these with rules that spare variables the parents that tell nothing, unless something asks for them.

        Nothing can be told of a variable with one state, nor by one.
        """
        single = layout.arities == 1
        alone = sum(1 << j for j in np.flatnonzero(single).tolist())
        may = list(self.rules.may)
        for i, allowed in enumerate(may):
            wanted = sum(1 << j for j in np.flatnonzero(self.gain[i] > 0.0).tolist())
            needed = wanted | self.rules.must[i] | self.rules.links[i]
            may[i] = allowed & (needed if single[i] else ~alone | needed)
        return replace(self, rules=replace(self.rules, may=tuple(may)))

    @property
    def most(self) -> list[float]:
        """The most that the prior can add to a family of each variable."""
        return [c + float(np.maximum(g, 0.0).sum()) for c, g in zip(self.constant, self.gain, strict=True)]

    def tables(self, i: int, unit: float, split: int) -> tuple[Floats, Floats, int]:
        """Return what prior and rules add for the lowest ``split`` bits of a parent set, for the others, and to all."""
        gains = np.rint(self.gain[i] / unit)

        def table(places: range) -> Floats:
            result = np.zeros(1)
            for j in places:
                there = gains[j] if self.rules.may[i] >> j & 1 else -np.inf
                absent = -np.inf if self.rules.must[i] >> j & 1 else 0.0
                result = np.concatenate([result + absent, result + there])
            return result

        n = len(gains)
        return table(range(min(n, split))), table(range(split, n)), round(self.constant[i] / unit)
