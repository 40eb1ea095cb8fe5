"""Kernels of tests of independence: the χ² distribution far out in its tail, and batches of tests.

A test of X and Y given S counts one table, stratum by stratum of S, and makes of it a statistic, its degrees of freedom
and the logarithm of its p-value. The cell numbers of X and Y are made once for all tests of the pair; the digits of S
are put before them a block of rows at a time.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from bnml._jit import kernel

__all__ = ["G2", "MAX_CELLS", "X2", "log_survival", "run_batch"]

BLOCK = 1024
LANES = 4
FEW_CELLS = 4096  # up to here the counts go to four lanes: consecutive rows often fall into the same cell
MAX_CELLS = 1 << 16  # cell numbers are 16 bits wide
STIRLING_FROM = 32.0
MOST_STEPS = 100_000
TINY = 1e-300
HALF_LOG_2PI = 0.9189385332046727
G2, X2 = 0, 1

Array = Any  # kernels are typed by Numba, not by mypy


@kernel
def _log_density(a: float, x: float) -> float:
    """Return log(x^a e^-x / Γ(a)); for large a without the difference of large numbers."""
    if a < STIRLING_FROM:
        return a * math.log(x) - x - math.lgamma(a)
    u = 1.0 / a
    v = u * u
    stirling = u * (1 / 12 - v * (1 / 360 - v * (1 / 1260 - v / 1680)))
    m = (x - a) / a
    log_ratio = math.log(x / a) if m < -0.5 else math.log1p(m)
    return a * (log_ratio - m) + 0.5 * math.log(a) - HALF_LOG_2PI - stirling


@kernel
def log_survival(statistic: float, freedom: float) -> float:
    """Return log P(χ² > statistic): log Q(a, x), a and x half of freedom and statistic.

    Below a + 1 from the power series of 1 - Q, above from the continued fraction of Q (modified Lentz).
    """
    if freedom <= 0.0 or statistic <= 0.0:
        return 0.0
    a, x = 0.5 * freedom, 0.5 * statistic
    if x < a + 1.0:
        term = 1.0 / a
        total = term
        for k in range(1, MOST_STEPS):
            term *= x / (a + k)
            total += term
            if term < total * 1e-17:
                break
        below = math.exp(_log_density(a, x)) * total
        return math.log1p(-min(below, 1.0))
    b = x + 1.0 - a
    c = 1.0 / TINY
    d = 1.0 / b
    h = d
    for k in range(1, MOST_STEPS):
        factor = -k * (k - a)
        b += 2.0
        d = factor * d + b
        if abs(d) < TINY:
            d = TINY
        c = b + factor / c
        if abs(c) < TINY:
            c = TINY
        d = 1.0 / d
        step = d * c
        h *= step
        if abs(step - 1.0) < 1e-16:
            break
    return min(_log_density(a, x) + math.log(h), 0.0)


@kernel
def _pair_keys(x: Array, y: Array, r_y: int, keys: Array) -> None:
    for i in range(x.size):
        keys[i] = np.uint16(x[i] * r_y + y[i])


@kernel
def _start(key: Array, column: Array) -> None:
    for i in range(column.size):
        key[i] = np.uint16(column[i])


@kernel
def _append(key: Array, column: Array, r: Array) -> None:
    """Append a digit with base ``r`` to each cell number."""
    for i in range(column.size):
        key[i] = np.uint16(key[i] * r + np.uint16(column[i]))


@kernel
def _add_lanes(lanes: Array, key: Array, weights: Array) -> None:
    lane_0, lane_1, lane_2, lane_3 = lanes[0], lanes[1], lanes[2], lanes[3]
    n = weights.size
    whole = n // 4 * 4
    for i in range(0, whole, 4):
        lane_0[key[i]] += weights[i]
        lane_1[key[i + 1]] += weights[i + 1]
        lane_2[key[i + 2]] += weights[i + 2]
        lane_3[key[i + 3]] += weights[i + 3]
    for i in range(whole, n):
        lane_0[key[i]] += weights[i]


@kernel
def _add(table: Array, key: Array, weights: Array) -> None:
    for i in range(weights.size):
        table[key[i]] += weights[i]


@kernel
def _count(
    columns: Array, weights: Array, arities: Array, pair: Array, r_xy: int, given: Array, scratch: Array, lanes: Array
) -> None:
    """Count the table of a pair given some columns into the lanes: strata first, then X, then Y."""
    n, cells = pair.size, r_xy
    for t in range(given.size):
        cells *= arities[given[t]]
    few = cells <= FEW_CELLS
    for start in range(0, n, BLOCK):
        stop = min(n, start + BLOCK)
        if given.size == 0:
            key = pair[start:stop]
        else:
            key = scratch[: stop - start]
            _start(key, columns[given[0], start:stop])
            for t in range(1, given.size):
                _append(key, columns[given[t], start:stop], np.uint16(arities[given[t]]))
            _append(key, pair[start:stop], np.uint16(r_xy & 0xFFFF))
        if few:
            _add_lanes(lanes, key, weights[start:stop])
        else:
            _add(lanes[0], key, weights[start:stop])
    if few:
        table, lane_1, lane_2, lane_3 = lanes[0], lanes[1], lanes[2], lanes[3]
        for c in range(cells):
            table[c] += lane_1[c] + lane_2[c] + lane_3[c]
            lane_1[c] = 0
            lane_2[c] = 0
            lane_3[c] = 0


@kernel
def _sum_strata(table: Array, strata: int, r_x: int, r_y: int, kind: int, n_x: Array, n_y: Array, out: Array) -> None:
    """Write statistic, degrees of freedom and log p-value of a table, and leave the table empty.

    A stratum adds (rows that are not empty - 1) · (columns that are not empty - 1) degrees of freedom.
    """
    statistic, freedom = 0.0, 0
    for s in range(strata):
        base = s * r_x * r_y
        total = 0
        n_y[:r_y] = 0
        for i in range(r_x):
            row = 0
            for j in range(r_y):
                n = table[base + i * r_y + j]
                row += n
                n_y[j] += n
            n_x[i] = row
            total += row
        if total == 0:
            continue
        rows, across = -1, -1
        for i in range(r_x):
            rows += n_x[i] > 0
        for j in range(r_y):
            across += n_y[j] > 0
        freedom += rows * across
        if rows * across > 0:
            n_s = float(total)
            part = 0.0
            for i in range(r_x):
                if n_x[i] > 0:
                    share = n_x[i] / n_s
                    for j in range(r_y):
                        n = table[base + i * r_y + j]
                        expected = share * n_y[j]
                        if kind == G2:
                            if n > 0:
                                part += 2.0 * n * math.log(n / expected)
                        elif n_y[j] > 0:
                            part += (n - expected) * (n - expected) / expected
            statistic += max(part, 0.0)
        table[base : base + r_x * r_y] = 0
    out[0], out[1], out[2] = statistic, freedom, log_survival(statistic, freedom)


@kernel
def run_batch(
    columns: Array,
    weights: Array,
    arities: Array,
    xs: Array,
    ys: Array,
    offsets: Array,
    sets: Array,
    kind: int,
    log_alpha: float,
    least: float,
    results: Array,
    made: Array,
) -> None:
    """Test each pair given one set of columns after the other, until a test finds it independent.

    Pair p has the sets ``sets[offsets[p]:offsets[p + 1]]``. A test finds independence where log p > ``log_alpha`` or
    the statistic is below ``least``. ``made[p]`` says how many tests were made, and ``results[t]`` what test t found.
    Tables have at most ``MAX_CELLS`` cells.
    """
    n = columns.shape[1]
    most, widest = 1, 1
    for p in range(xs.size):
        widest = max(widest, arities[xs[p]], arities[ys[p]])
        for t in range(offsets[p], offsets[p + 1]):
            cells = arities[xs[p]] * arities[ys[p]]
            for k in range(sets.shape[1]):
                cells *= arities[sets[t, k]]
            most = max(most, cells)
    pair = np.empty(n, np.uint16)
    scratch = np.empty(BLOCK, np.uint16)
    lanes = np.zeros((LANES, most), weights.dtype)
    n_x, n_y = np.zeros(widest, np.int64), np.zeros(widest, np.int64)
    for p in range(xs.size):
        x, y = xs[p], ys[p]
        r_x, r_y = arities[x], arities[y]
        made[p] = 0
        if offsets[p] == offsets[p + 1]:
            continue
        _pair_keys(columns[x], columns[y], r_y, pair)
        for t in range(offsets[p], offsets[p + 1]):
            strata = 1
            for k in range(sets.shape[1]):
                strata *= arities[sets[t, k]]
            _count(columns, weights, arities, pair, r_x * r_y, sets[t], scratch, lanes)
            _sum_strata(lanes[0], strata, r_x, r_y, kind, n_x, n_y, results[t])
            made[p] += 1
            if results[t, 2] > log_alpha or results[t, 0] < least:
                break
