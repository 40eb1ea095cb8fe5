"""Compiled loops of the normaliser C(n, r), and of the histogram that is priced with it.

Those of the normaliser run on values that are scaled by powers of ``HUGE``, because C(n, r) itself soon exceeds the
largest float.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from bnml._arrays import Floats
from bnml._jit import helper, kernel, plain_at_first

Integers = NDArray[np.int64]

HUGE = 2.0**400  # scaling by a power of two is free of rounding
LOG_HUGE = 400.0 * math.log(2.0)
CHECK = 16  # C(n, r) grows by less than 2^30 with each r, so one look at its size in 16 steps is enough
NEGLIGIBLE = 1e-20  # a term this small, relative to the sum so far, ends a sum
SERIES_FROM = 100.0  # sample size from which the series of C(n, 2) is exact to the last digit
BLOCK = 512  # sample sizes that advance together through the recurrence, in the fastest cache


@helper
def _binary_normaliser(n: float) -> float:
    """C(n, 2) = 1 + Q(n), Ramanujan's Q(n) = Σ_{k≥1} n (n-1) ... (n-k+1) / n^k = n! e^n / (2 n^n) - θ(n)."""
    if n < SERIES_FROM:
        total = term = 1.0
        k = 0.0
        while k < n:
            total += term
            k += 1.0
            term *= (n - k) / n
        return total
    x = 1.0 / n
    y = x * x
    stirling = math.sqrt(2.0 * math.pi * n) * math.exp(x * (1 / 12 - y * (1 / 360 - y * (1 / 1260 - y / 1680))))
    theta = 1 / 3 + x * (
        4 / 135
        - x * (8 / 2835 + x * (16 / 8505 - x * (8992 / 12629925 + x * (334144 / 492567075 - x * 698752 / 1477701225))))
    )
    return 1.0 + 0.5 * stirling - theta


@plain_at_first(lambda n, rs, out: 100.0 + (rs.size and rs[-1]) / 5)
@kernel
def recurrence(n: float, rs: Integers, out: Floats) -> None:
    """Kernel: write log C(n, r) for ascending rs: C(n, r+1) = C(n, r) + n/(r-1) · C(n, r-1)."""
    before = 1.0
    now = _binary_normaliser(n)
    shift = 0.0
    r = 2
    for i in range(rs.size):
        while r < rs[i]:
            stop = min(rs[i], (r // CHECK + 1) * CHECK)
            for k in range(r - 1, stop - 1):
                after = now + n / k * before
                before = now
                now = after
            r = stop
            if r % CHECK == 0 and now > HUGE:
                before /= HUGE
                now /= HUGE
                shift += 1.0
        out[i] = math.log(now) + shift * LOG_HUGE if rs[i] > 1 else 0.0


@kernel
def recurrence_table(first: int, rs: Integers, out: Floats) -> None:
    """Kernel: write out[i, j] = log C(first + j, rs[i]) for ascending rs > 1; the recurrence runs over blocks of n."""
    n = np.empty(BLOCK)
    before = np.empty(BLOCK)
    now = np.empty(BLOCK)
    shift = np.empty(BLOCK)
    for start in range(0, out.shape[1], BLOCK):
        size = min(BLOCK, out.shape[1] - start)
        for j in range(size):
            n[j] = first + start + j
            before[j] = 1.0
            now[j] = _binary_normaliser(n[j])
            shift[j] = 0.0
        r = 2
        for i in range(rs.size):
            while r < rs[i]:
                inverse = 1.0 / (r - 1)
                for j in range(size):
                    after = now[j] + n[j] * inverse * before[j]
                    before[j] = now[j]
                    now[j] = after
                r += 1
                if r % CHECK == 0:
                    for j in range(size):
                        if now[j] > HUGE:
                            before[j] /= HUGE
                            now[j] /= HUGE
                            shift[j] += 1.0
            for j in range(size):
                out[i, start + j] = math.log(now[j]) + shift[j] * LOG_HUGE


@kernel
def sums_around_peak(ns: Floats, rs: Floats, peaks: Floats, out: Floats) -> None:
    """Kernel: write log Σ_l t_l / t_peak, walking down and up from the peak until the terms no longer matter.

    t_l = (n-1)(n-2)...(n-l) · r (r+1) ... (r+l) / (n^(l+1) l!), so t_{l+1} / t_l = (n-1-l)(r+l+1) / (n (l+1)).
    """
    for i in range(ns.size):
        n = ns[i]
        r = rs[i]
        total = term = 1.0
        l = peaks[i]  # noqa: E741
        while l > 0.0 and term > NEGLIGIBLE * total:
            term *= n * l / ((n - l) * (r + l))
            total += term
            l -= 1.0  # noqa: E741
        term = 1.0
        l = peaks[i]  # noqa: E741
        while l < n - 1.0 and term > NEGLIGIBLE * total:
            term *= (n - 1.0 - l) * (r + l + 1.0) / (n * (l + 1.0))
            total += term
            l += 1.0  # noqa: E741
        out[i] = math.log(total)


@kernel
def bin_costs(positions: Floats, below: Floats, out: Floats) -> None:
    """Kernel: write out[i, j] = h log(n L / h), i < j: what h of n observations in a bin of length L cost.

    It is 0 for h = 0.
    """
    n = below[-1]
    for i in range(positions.size):
        for j in range(i + 1, positions.size):
            h = below[j] - below[i]
            out[i, j] = h * math.log(n * (positions[j] - positions[i]) / h) if h > 0.0 else 0.0


@kernel
def label_costs(below: Floats, out: Floats) -> None:
    """Kernel: write out[i, j] = Σ_k n_k log(h / n_k), i < j: what the labels of h observations from edge i to j cost.

    below[i, k] is the number of observations with the label k before edge i.
    """
    for i in range(below.shape[0]):
        for j in range(i + 1, below.shape[0]):
            h = 0.0
            total = 0.0
            for k in range(below.shape[1]):
                n = below[j, k] - below[i, k]
                if n > 0.0:
                    h += n
                    total -= n * math.log(n)
            out[i, j] = total + h * math.log(h) if h > 0.0 else 0.0


@kernel
def one_more_bin(costs: Floats, rest: Floats, bins: int, tie: float, best: Floats, ends: Integers) -> None:
    """Kernel: write best[i] = min_j costs[i, j] + rest[j], and in ends[i] the first j not worse by more than a tie.

    rest[j] is the least cost of so many bins from edge j on; it is infinite where fewer edges are left.
    """
    for i in range(rest.size):
        least = np.inf
        end = -1
        for j in range(i + 1, rest.size - bins):
            cost = costs[i, j] + rest[j]
            if cost < least - tie:
                least = cost
                end = j
        best[i] = least
        ends[i] = end
