"""The parts of a score that depend on the arities only, and its lookup tables in units."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from bnml.counts.lattice import Layout
from bnml.nml import log_rising
from bnml.scores.base import Terms, n_log_n
from bnml.scores.local import LocalScores

if TYPE_CHECKING:
    from bnml.counts._lattice_kernels import Sums

__all__ = ["MOST_RISING", "closed_forms", "is_priced", "neighbours", "range_of_sums", "sums_for", "table_rows"]

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

MOST_RISING = 1 << 24  # entries of tables that change with the number of configurations; 128 MB
SMALLEST = 1e-290  # of a hyperparameter; below, its logarithm is used


def terms_of(local: LocalScores) -> Terms:
    """Return the tables of a score that has them."""
    assert local.terms is not None
    return local.terms


def configurations(layout: Layout) -> tuple[Floats, Floats]:
    """Return how many configurations the sets with each index have, and the logarithm."""
    kinds = layout.kinds[0].astype(np.float64)
    with np.errstate(over="ignore"):
        numbers = np.prod(kinds**layout.digits, axis=1)
    return numbers, np.asarray(layout.digits @ np.log(kinds), np.float64)


def closed_forms(local: LocalScores, layout: Layout) -> Floats:
    """Return the closed form of the sets with each index, in nats."""
    closed = terms_of(local).closed
    if closed is None:
        return np.zeros(layout.n_indices)
    return closed(*configurations(layout), layout.digits.sum(axis=1).astype(np.float64))


def neighbours(layout: Layout) -> Iterator[tuple[Ints, Ints]]:
    """Yield, for each arity, the indices of the sets that lack a column of it, and those with one more."""
    numbers, digits = layout.kinds[1], layout.digits
    for kind, step in enumerate(layout.kind_steps):
        without = np.flatnonzero(digits[:, kind] < numbers[kind])
        yield without, without + step


def is_priced(local: LocalScores, layout: Layout, closed: Floats) -> bool:
    """Whether the score is a log-likelihood less a price for configurations that never falls with more parents."""
    terms = terms_of(local)
    if terms.ess > 0.0 or terms.margin or not np.array_equal(terms.joint, n_log_n(local.shape.counts)):
        return False
    for without, having in neighbours(layout):
        price = np.full(closed.size, np.nan)
        with np.errstate(invalid="ignore"):
            price[without] = closed[without] - closed[having]
            for fewer, more in neighbours(layout):
                if np.any(price[more] < price[fewer] - 1e-9):
                    return False
    return True


def table_rows(local: LocalScores) -> dict[int, int]:
    """Return in which table of terms the margins of each arity stand; none where they are the joint terms."""
    return {r: row for row, r in enumerate(sorted(terms_of(local).margin), 1)}


def range_of_sums(local: LocalScores, layout: Layout) -> tuple[float, float]:
    """Return what the sums over cells lie between: all rows in one cell, or each in its own."""
    terms, n_rows = terms_of(local), local.data.n_rows
    if terms.ess > 0.0:
        log_q = float(configurations(layout)[1].max())
        return n_rows * (math.log(terms.ess) - log_q), float(log_rising(terms.ess, n_rows))
    ends = [value for t in (terms.joint, *terms.margin.values()) for value in (float(t[-1]), n_rows * float(t[1]))]
    return min(ends), max(ends)


def sums_for(local: LocalScores, layout: Layout, grain: float, low: float, factor: float) -> Sums:
    """Return what the walk is to add up: the tables in whole grains, written less ``low`` and times ``factor``."""
    from bnml.counts._lattice_kernels import Sums

    terms = terms_of(local)
    if terms.ess > 0.0:
        tables, rising = _rising_tables(terms.ess, local.data.n_rows, layout)
        n_sums = 1
    else:
        tables, rising = np.stack([terms.joint, *(terms.margin[r] for r in sorted(terms.margin))]), np.zeros((0, 2))
        n_sums = len(tables)
    return Sums(np.rint(tables / grain), rising, grain, np.full(n_sums, np.rint(low / grain)), factor)


def _rising_tables(ess: float, n_rows: int, layout: Layout) -> tuple[Floats, Floats]:
    """Return log Γ(a + n) - log Γ(a) for each index and small n, a = ess / q, and the pairs (a, log a)."""
    q, log_q = configurations(layout)
    a, log_a = ess / q, math.log(ess) - log_q
    counts = np.arange(max(2, min(n_rows + 1, MOST_RISING // layout.n_indices)))
    tables = np.zeros((layout.n_indices, counts.size))
    for k in range(layout.n_indices):
        if a[k] < SMALLEST:
            tables[k, 1:] = log_a[k] + log_rising(1.0, counts[:-1])
        else:
            tables[k] = log_rising(a[k], counts)
    return tables, np.stack([a, log_a], axis=1)
