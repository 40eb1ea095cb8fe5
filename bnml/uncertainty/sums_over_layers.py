"""The uniform prior over DAGs: sums in which every DAG is counted once.

A DAG fits many orders, but has only one partition into *layers*: the first holds the variables without parents, and
each other variable is in the layer after the last one that holds a parent of it. So a DAG is built in one way only, a
layer at a time. Let S be the variables placed so far and T ⊆ S the last layer. A variable j of the next layer U has its
parents in S, at least one of them in T, with weight

    D_j(S, T) = α_j(S) - α_j(S ∖ T),

and the structures on S with last layer T sum to

    F(S ∪ U, U) = Σ_T F(S, T) Π_{j ∈ U} D_j(S, T),

which takes 3^n numbers and some 4^n multiplications. No signs alternate, as they do in sums by inclusion and exclusion
(Tian & He 2009), where all digits are soon lost. The sums B(S, T) over all ways to go on give the weight
W_j(S, T) D_j(S, T) of j coming right after (S, T). Then v is a parent of j with weight

    Σ_{S, T} W_j(S, T) (D_j(S, T) - D_j(S ∖ v, T ∖ v)),

a sum of differences of α_j, whose coefficients are collected for each set.

These differences do no harm. The error of D_j(S, T) is some 10^-16 α_j(S). With α_j(S) in place of that one factor the
sum is over structures in which j stands in a later layer than its own, and a structure has fewer than n such places
for each j: so all errors together are below 10^-16 n^2 of the whole.

Paths come from the same sums. The variables N that do not descend from u have parents among themselves only; u has
parents in N; and all others are built in layers, each with a parent in the layer before, of which {u} is the first. So

    P(the others descend from u, and N do not) = F(N) α_u(N) B(N ∪ u, {u}) / F(V),   F(N) = Σ_T F(N, T),

and u leads to v with the sum of this over all N without v.
"""

from __future__ import annotations

import math

import numpy as np

from bnml._arrays import Floats, Ints
from bnml._bits import masks_without, sizes_of_masks, ternary_numbers
from bnml._machine import run_each
from bnml._watch import Tell
from bnml.uncertainty.sums_over_parents import (
    StructureSums,
    SubsetSums,
    sums_over_arcs_into,
    weights_without_each,
)

PARTS = 8  # of the sets of one size; each collects coefficients of its own, whatever the number of threads


def sum_over_layers(sums: SubsetSums, threads: int, tick: Tell) -> StructureSums:
    """Return the sums over all DAGs."""
    from bnml.uncertainty import _kernels

    n, ternary = sums.n, ternary_numbers(sums.n)
    given = _kernels.Layered(sums.best, sums.mass, sums.top, ternary)
    forward = _forward(sums, ternary, threads, lambda part: tick(part / 3))
    whole = _whole(forward, ternary)
    backward = np.zeros(forward.size)
    coefficients = np.zeros((PARTS, n, 1 << (n - 1)))
    for size in range(n, 0, -1):
        sets, cuts = _sets_of(n, size)

        def step(part: int, sets: Ints = sets, cuts: list[int] = cuts) -> None:
            start, stop, own = cuts[part], cuts[part + 1], coefficients[part]
            _kernels.layers_backward(given, forward, backward, whole, sets, start, stop, own)

        run_each(step, PARTS, threads, lambda part: None)
        tick(1.0 - 2 / 3 * (size - 1) / n)
    collected = coefficients.sum(axis=0)
    arcs = np.stack([sums_over_arcs_into(sums, i, collected[i]) for i in range(n)], axis=1)
    return StructureSums(_log_total(sums, whole), arcs)


def paths_over_layers(sums: SubsetSums, threads: int) -> Floats:
    """Return the probability of a directed path from each variable to each, among all DAGs."""
    from bnml.uncertainty import _kernels

    n, ternary = sums.n, ternary_numbers(sums.n)
    given = _kernels.Layered(sums.best, sums.mass, sums.top, ternary)
    forward = _forward(sums, ternary, threads, lambda part: None)
    backward = np.zeros(forward.size)
    for size in range(n, 0, -1):
        sets, cuts = _sets_of(n, size)

        def step(part: int, sets: Ints = sets, cuts: list[int] = cuts) -> None:
            _kernels.layers_onward(given, backward, sets, cuts[part], cuts[part + 1])

        run_each(step, PARTS, threads, lambda part: None)
    whole, of_set = _whole(forward, ternary), _over_last_layers(forward, n)
    paths = np.zeros((n, n))
    for u in range(n):
        others = masks_without(n, u)
        onward = backward[ternary[others] + 2 * ternary[1 << u]]
        weights = of_set[others] * sums.step(u) * onward / whole
        paths[u] = weights_without_each(weights, n, u)
    return paths


def _over_last_layers(forward: Floats, n: int) -> Floats:
    """Return F(S) for each set, the sum over its last layers; 1 for the empty set."""
    sums = forward.reshape((3,) * n)
    for axis in range(n):
        out, inside, last = (sums.take(digit, axis) for digit in range(3))
        sums = np.stack([out, inside + last], axis)
    found = sums.reshape(-1).copy()
    found[0] = 1.0
    return found


def log_total_over_layers(sums: SubsetSums, threads: int) -> float:
    """Return the logarithm of the sum over all DAGs."""
    ternary = ternary_numbers(sums.n)
    return _log_total(sums, _whole(_forward(sums, ternary, threads, lambda part: None), ternary))


def _log_total(sums: SubsetSums, whole: float) -> float:
    return sums.shift + float(sums.top[-1]) + math.log(whole)


def _forward(sums: SubsetSums, ternary: Ints, threads: int, tick: Tell) -> Floats:
    """Return F(S, T) for each state, by its number, divided by the largest weight of a structure on S."""
    from bnml.uncertainty import _kernels

    n = sums.n
    given = _kernels.Layered(sums.best, sums.mass, sums.top, ternary)
    forward = np.zeros(3**n)
    for size in range(n):
        sets, cuts = _sets_of(n, size)

        def step(part: int, sets: Ints = sets, cuts: list[int] = cuts) -> None:
            _kernels.layers_forward(given, forward, sets, cuts[part], cuts[part + 1])

        run_each(step, PARTS, threads, lambda part: None)
        tick((size + 1) / n)
    return forward


def _whole(forward: Floats, ternary: Ints) -> float:
    """Return the sum over all last layers of all variables."""
    return float(forward[ternary[-1] + ternary[1:]].sum())


def _sets_of(n: int, size: int) -> tuple[Ints, list[int]]:
    """Return the sets of some size, and where to cut them into parts."""
    sets = np.flatnonzero(sizes_of_masks(n) == size)
    return sets, [sets.size * part // PARTS for part in range(PARTS + 1)]
