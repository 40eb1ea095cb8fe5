"""Sums over parent sets, which both priors start from.

For each variable i and each set S of the others let α_i(S) = Σ_{P ⊆ S} exp f_i(P), where f_i(P) is the log-weight of i
with the parents P: the weight of i if its parents may be any in S. All of them take n (n - 1) 2^(n-2) additions, one
variable of S after the other.

Weights differ by thousands of nats, so a sum is kept as the logarithm of its largest term, and how many times that term
it is.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bnml._arrays import Floats
from bnml._bits import masks_without
from bnml._machine import run_each, short_ranges
from bnml._watch import Tell

"""Is told now and then what part of the work is done."""

SETS_PER_CALL = 1 << 16  # of a kernel: some 20 ms


@dataclass(frozen=True)
class SubsetSums:
    """For each variable i and each set S of the others α_i(S) = exp(best_i(S) + shift_i) · mass_i(S).

    ``best`` is the logarithm of the largest term; ``top[S]`` that of the largest weight of a structure on S, without
    the shifts; ``shift`` is the sum of the shifts.
    """

    best: Floats
    mass: Floats
    top: Floats
    shift: float

    @property
    def n(self) -> int:
        """Number of variables."""
        return len(self.best)

    @property
    def possible(self) -> bool:
        """Whether any structure has a positive weight."""
        return bool(self.top[-1] > -np.inf)

    def step(self, i: int) -> Floats:
        """Return α_i(S) for each set S of the others, at the scale of the best structures: from that on S to S ∪ i."""
        others = masks_without(self.n, i)
        logs = self.top[others] + self.best[i]
        with np.errstate(invalid="ignore"):  # what is not allowed is minus infinity, before and after
            found: Floats = np.where(np.isneginf(logs), 0.0, self.mass[i] * np.exp(logs - self.top[others | 1 << i]))
        return found


@dataclass(frozen=True)
class StructureSums:
    """The logarithm of the sum of all structures' weights, and what part of it has an arc, from row to column."""

    log_total: float
    arcs: Floats


def subset_sums(weights: Floats, threads: int, tick: Tell) -> SubsetSums:
    """Return the sums over parent sets.

    Parameters
    ----------
    weights
        The log-weights of all families, a row for each variable; used up.
    threads
        How many threads to use.
    tick
        Told what part is done.
    """
    from bnml.uncertainty import _kernels

    n = weights.shape[0]
    shifts = weights.max(axis=1)
    shifts[np.isneginf(shifts)] = 0.0
    weights -= shifts[:, None]  # smaller numbers lose less in rounding
    mass = np.where(np.isneginf(weights), 0.0, 1.0)
    run_each(lambda i: _kernels.subset_sums(weights[i], mass[i]), n, threads, tick)
    top = np.empty(1 << n)
    for start, stop in short_ranges(top.size, SETS_PER_CALL):
        _kernels.largest_weights(weights, top, start, stop)
    return SubsetSums(weights, mass, top, float(shifts.sum()))


def sums_over_arcs_into(sums: SubsetSums, child: int, coefficients: Floats) -> Floats:
    """Return Σ_S coefficients[S] · (mass(S) - mass(S ∖ v) at the scale of S) for each v; 0 for the child itself."""
    from bnml.uncertainty import _kernels

    parts = []
    for start, stop in short_ranges(coefficients.size, SETS_PER_CALL):
        part = np.zeros(sums.n - 1)
        _kernels.arc_sums(sums.best[child], sums.mass[child], coefficients, start, stop, part)
        parts.append(part)
    return np.insert(np.sum(parts, axis=0), child, 0.0)


def weights_without_each(weights: Floats, n: int, child: int) -> Floats:
    """Return for each variable the sum over the sets without it; ``weights`` are of the sets without a child.

    0 for the child itself.
    """
    others = masks_without(n, child)
    return np.array([0.0 if v == child else float(weights[others >> v & 1 == 0].sum()) for v in range(n)])
