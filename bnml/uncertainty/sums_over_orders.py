"""The order-modular prior: sums over all orders of the variables  (Koivisto & Sood 2004, Koivisto 2006).

In a given order every variable picks its parents among those before it, independently of the others, so the structures
that fit the order sum to Π_i α_i(variables before i). Summing over orders as well,

    g(S) = Σ_{i ∈ S} g(S ∖ i) α_i(S ∖ i)    all ways to begin with the variables S,
    h(S) = Σ_{i ∉ S} α_i(S) h(S ∪ i)          all ways to go on from there,

and the variables before i are S with probability g(S) α_i(S) h(S ∪ i) / g(V). Given that, v is a parent of i with
probability 1 - α_i(S ∖ v) / α_i(S). A structure is counted once for each order that it fits: its prior is proportional
to the number of its linear extensions.
"""

from __future__ import annotations

import math

import numpy as np

from bnml._arrays import Floats
from bnml._threads import run_each, short_ranges
from bnml.uncertainty.sums_over_parents import (
    SETS_PER_CALL,
    StructureSums,
    SubsetSums,
    Tick,
    sums_over_arcs_into,
)

__all__ = ["log_total", "sum_over_orders"]


def sum_over_orders(sums: SubsetSums, threads: int, tick: Tick) -> StructureSums:
    """Return the sums over all orders and the structures that fit them."""
    from bnml.uncertainty import _kernels

    n, size = sums.n, sums.top.size
    forward, backward = _forward(sums), np.empty(size)
    for start, stop in reversed(short_ranges(size, SETS_PER_CALL)):
        _kernels.orders_backward(sums.best, sums.mass, sums.top, backward, start, stop)
    arcs = np.empty((n, n))

    def arcs_of(i: int) -> None:
        coefficients = np.empty(size // 2)
        for start, stop in short_ranges(size // 2, SETS_PER_CALL):
            _kernels.positions(sums.best[i], sums.top, forward, backward, i, start, stop, coefficients)
        arcs[:, i] = sums_over_arcs_into(sums, i, coefficients)

    run_each(arcs_of, n, threads, tick)
    return StructureSums(_log_total(sums, forward), arcs)


def log_total(sums: SubsetSums) -> float:
    """Return the logarithm of the sum over all orders and the structures that fit them."""
    return _log_total(sums, _forward(sums))


def _log_total(sums: SubsetSums, forward: Floats) -> float:
    return sums.shift + float(sums.top[-1]) + math.log(forward[-1])


def _forward(sums: SubsetSums) -> Floats:
    from bnml.uncertainty import _kernels

    forward = np.empty(sums.top.size)
    for start, stop in short_ranges(forward.size, SETS_PER_CALL):
        _kernels.orders_forward(sums.best, sums.mass, sums.top, forward, start, stop)
    return forward
