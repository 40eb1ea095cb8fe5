"""Lookup tables for counts of any size: an entry for each small count, a polynomial for the large ones.

What a cell with n rows adds to a score is a smooth function t(n). A table with an entry for each n up to billions would
be far larger than the data, so beyond `DIRECT` entries a table goes on as a *tail*: for each octave, the counts from
2^k to 2^(k+1),

    t(n) = n · (f log n + P(y)),   y from -1 to 1 over the octave,

with f = 0 or 1, whichever leaves less to the polynomial P, a Chebyshev series. For n log n itself P is 0. It is as
exact as floats are; what is not smooth enough for that is refused.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from bnml._arrays import Floats, Ints

DIRECT = 1 << 18  # counts that have an entry of their own
NODES = 24  # of an octave: log on [1, 2] is a series of so many terms to the last digit
CHECKS = (-0.9, 0.1, 0.7)  # where a series is compared with the table

FACTOR, WHOLE, SERIES = 0, 1, 2  # of a tail: f, whether values are rounded to whole numbers, and where P begins


def counts_before_tail(n_rows: int) -> Ints:
    """Return the counts before the tail of a lookup table, which have entries of their own."""
    return np.arange(min(n_rows + 1, DIRECT))


def tail_counts(n_rows: int) -> Ints:
    """Return the counts, ascending, whose values tell the tails of tables of so many rows; none if there is no tail."""
    if n_rows < DIRECT:
        return np.zeros(0, np.int64)
    octaves = 0
    while DIRECT << octaves <= n_rows:
        octaves += 1
    starts = DIRECT * 2.0 ** np.arange(octaves)
    return np.rint(starts[:, None] * (3.0 + _places()) / 2.0).astype(np.int64).ravel()


def _places() -> Floats:
    """Return where values are wanted in an octave: Chebyshev's nodes, and some between them."""
    nodes = np.cos(np.pi * (np.arange(NODES) + 0.5) / NODES)
    return np.sort(np.concatenate([nodes, CHECKS]))


def no_tails(n_tables: int) -> Floats:
    """Return the tails of tables that need none."""
    return np.zeros((n_tables, 0, SERIES + NODES))


def fit_tails(counts: Ints, values: Sequence[Floats]) -> Floats | None:
    """Return the tails of tables from their values at `tail_counts`; None if a table is not smooth.

    Returns
    -------
    array
        For each table and octave f, 0, and the coefficients of P.
    """
    octaves = counts.reshape(-1, NODES + len(CHECKS)).astype(np.float64)
    tails = np.zeros((len(values), len(octaves), SERIES + NODES))
    checked = np.isin(np.arange(octaves.shape[1]), np.searchsorted(_places(), CHECKS))
    for tail, table in zip(tails, values, strict=True):
        for own, n, value in zip(tail, octaves, table.reshape(octaves.shape), strict=True):
            own_tail = _fitted(n, value / n, checked)
            if own_tail is None:
                return None
            own[:] = own_tail
    return tails


def _fitted(n: Floats, value: Floats, checked: npt.NDArray[np.bool_]) -> Floats | None:
    """Return the tail of one octave, from t(n) / n."""
    top = 2.0 ** math.ceil(math.log2(n[-1]))
    rest = value - np.log(n)
    factor = float(np.abs(rest).max() < np.abs(value).max())
    rest = rest if factor else value
    if np.abs(rest).max() <= 4 * np.finfo(float).eps * np.abs(value).max():
        rest = np.zeros(n.size)  # n log n, but for rounding
    powers = np.polynomial.chebyshev.chebvander((4.0 * n - 3.0 * top) / top, NODES - 1)
    series = np.linalg.solve(powers[~checked], rest[~checked])
    off = np.abs(powers[checked] @ series - rest[checked]).max()
    if not off <= 1e-13 * np.abs(value).max():  # relative to the largest value of the octave
        return None
    return np.concatenate([[factor, 0.0], series])


def scaled_tails(tails: Floats, unit: float) -> Floats:
    """Return the tails of lookup tables in units, whose values are rounded to whole numbers."""
    result = tails / unit
    result[..., WHOLE] = 1.0
    return result


def tail_entries(table: Floats, tail: Floats, counts: Ints) -> Floats:
    """Return what a table and its tail say of some counts."""
    result = np.empty(counts.size)
    for k, n in enumerate(counts.tolist()):
        if n < table.size:
            result[k] = table[n]
            continue
        octave = (n // table.size).bit_length() - 1
        own, top = tail[octave], float(table.size << (octave + 1))
        series = np.polynomial.chebyshev.chebval((4.0 * n - 3.0 * top) / top, own[SERIES:])
        value = n * (own[FACTOR] * math.log(n) + series)
        result[k] = np.rint(value) if own[WHOLE] else value
    return result
