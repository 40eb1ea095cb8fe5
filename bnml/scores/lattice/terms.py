"""The parts of a score that depend on the arities only, and its lookup tables in units."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from bnml._arrays import Floats, Ints
from bnml.counts import Counts
from bnml.counts.lattice import WalkOrder
from bnml.counts.tails import FACTOR, SERIES, no_tails, scaled_tails, tail_entries
from bnml.nml import log_rising
from bnml.nml.rising import log_rising_real
from bnml.scores.base import Terms
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


def term_neighbours(layout: WalkOrder) -> Iterator[tuple[Ints, Ints]]:
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
    for without, having in term_neighbours(layout):
        price = np.full(closed.size, np.nan)
        with np.errstate(invalid="ignore"):
            price[without] = closed[without] - closed[having]
            for fewer, more in term_neighbours(layout):
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
