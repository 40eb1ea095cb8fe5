"""The order-modular prior: sums over all orders of the variables  (Koivisto & Sood 2004, Koivisto 2006).

In a given order every variable picks its parents among those before it, independently of the others, so the structures
that fit the order sum to Π_i α_i(variables before i). Summing over orders as well,

    g(S) = Σ_{i ∈ S} g(S ∖ i) α_i(S ∖ i)    all ways to begin with the variables S,
    h(S) = Σ_{i ∉ S} α_i(S) h(S ∪ i)          all ways to go on from there,

and the variables before i are S with probability g(S) α_i(S) h(S ∪ i) / g(V). Given that, v is a parent of i with
probability 1 - α_i(S ∖ v) / α_i(S). A structure is counted once for each order that it fits: its prior is proportional
to the number of its linear extensions.

A variable j after S has a parent among D ⊆ S with weight α_j(S) - α_j(S ∖ D). So, with D for those that descend from
u so far, the ways to go on to a structure in which u leads to v sum to

    K(S, D) = Σ_{j ∉ S} α_j(S ∖ D) K(S ∪ j, D) + (α_j(S) - α_j(S ∖ D)) K(S ∪ j, D ∪ j),

where v itself adds (α_v(S) - α_v(S ∖ D)) h(S ∪ v); and u leads to v with probability
Σ_S g(S) α_u(S) K(S ∪ u, {u}) / g(V). This takes n^2 3^n steps.
"""

from __future__ import annotations

import math

import numpy as np

from bnml._arrays import Floats
from bnml._bits import masks_without, ternary_numbers
from bnml._machine import run_each, short_ranges
from bnml._watch import Tell
from bnml.uncertainty.sums_over_parents import (
    SETS_PER_CALL,
    StructureSums,
    SubsetSums,
    sums_over_arcs_into,
)


def sum_over_orders(sums: SubsetSums, threads: int, tick: Tell) -> StructureSums:
    """Return the sums over all orders and the structures that fit them."""
    from bnml.uncertainty import _kernels

    n, size = sums.n, sums.top.size
    forward, backward = _forward(sums), _backward(sums)
    arcs = np.empty((n, n))

    def arcs_of(i: int) -> None:
        coefficients = np.empty(size // 2)
        for start, stop in short_ranges(size // 2, SETS_PER_CALL):
            _kernels.positions(sums.best[i], sums.top, forward, backward, i, start, stop, coefficients)
        arcs[:, i] = sums_over_arcs_into(sums, i, coefficients)

    run_each(arcs_of, n, threads, tick)
    return StructureSums(_log_total(sums, forward), arcs)


def paths_over_orders(sums: SubsetSums, threads: int) -> Floats:
    """Return the probability of a directed path from each variable to each."""
    from bnml.uncertainty import _kernels

    n = sums.n
    forward, ternary = _forward(sums), ternary_numbers(n - 1)
    given = _kernels.Ordered(sums.best, sums.mass, sums.top, _backward(sums), ternary)
    paths = np.zeros((n, n))

    def paths_to(v: int) -> None:
        onward = np.zeros(3 ** (n - 1))
        # sets whose subsets a kernel goes over: up to 50 ms
        for start, stop in reversed(short_ranges(ternary.size, 1 << 6)):
            _kernels.orders_onward(given, v, start, stop, onward)
        for u in range(n):
            if u != v:
                others = masks_without(n, u)
                before = others >> v & 1 == 0  # K is of sets without v
                squeezed = others[before] & ((1 << v) - 1) | others[before] >> 1 & -(1 << v)
                states = ternary[squeezed] + 2 * ternary[1 << (u - (u > v))]
                paths[u, v] = float((forward[others] * sums.step(u))[before] @ onward[states]) / float(forward[-1])

    run_each(paths_to, n, threads, lambda part: None)
    return paths


def log_total_over_orders(sums: SubsetSums) -> float:
    """Return the logarithm of the sum over all orders and the structures that fit them."""
    return _log_total(sums, _forward(sums))


def _log_total(sums: SubsetSums, forward: Floats) -> float:
    return sums.shift + float(sums.top[-1]) + math.log(forward[-1])


def _backward(sums: SubsetSums) -> Floats:
    from bnml.uncertainty import _kernels

    backward = np.empty(sums.top.size)
    for start, stop in reversed(short_ranges(backward.size, SETS_PER_CALL)):
        _kernels.orders_backward(sums.best, sums.mass, sums.top, backward, start, stop)
    return backward


def _forward(sums: SubsetSums) -> Floats:
    from bnml.uncertainty import _kernels

    forward = np.empty(sums.top.size)
    for start, stop in short_ranges(forward.size, SETS_PER_CALL):
        _kernels.orders_forward(sums.best, sums.mass, sums.top, forward, start, stop)
    return forward
