"""Bounds on what larger parent sets can reach, from the families with few parents."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from bnml._arrays import Floats, Ints
from bnml.scores.local import LocalScores, local_scores
from bnml.scores.loglik import LogLikelihood

if TYPE_CHECKING:
    from bnml.counts._lattice_kernels import Bounds
    from bnml.scores.lattice.lattice import Lattice

FIRST_PARENTS = 2  # families with so few parents are known before the bounded walk
LEAST_VARIABLES = 12  # below, all subsets are done before bounds would pay


def bounds_for(lattice: Lattice) -> Bounds:
    """Return the bounds that the families with few parents give, whose terms are known."""
    from bnml.counts._lattice_kernels import Bounds

    n, columns = lattice.n, lattice.layout.columns
    sets, children, values = _known(lattice)
    lowest = np.array([(s & -s).bit_length() - 1 if s else n for s in sets.tolist()], np.int64)
    order = np.argsort(lowest, kind="stable")
    sets, children, values, lowest = sets[order], children[order], values[order], lowest[order]
    group = np.searchsorted(lowest, np.arange(n + 2)).astype(np.int64)
    likelihood: LocalScores = local_scores(lattice.local.data, LogLikelihood())
    fit = np.empty(n)
    for i in range(n):
        best = likelihood.family(columns[i], [c for c in columns if c != columns[i]])
        fit[i] = (best + lattice.arcs.most[i]) / lattice.unit - lattice.base_units[i] + lattice.units.slack
    may = np.array(lattice.rules.may, np.int64)
    return Bounds(group, np.where(sets > 0, sets & (sets - 1), 0), children, values, fit, lattice.units.closed, may)


def _known(lattice: Lattice) -> tuple[Ints, Ints, Floats]:
    """Return the families of few parents that are better than all with fewer of these: parents, child, gain."""
    n = lattice.n
    small = [sum(1 << v for v in some) for k in range(FIRST_PARENTS + 1) for some in combinations(range(n), k)]
    at = {mask: k for k, mask in enumerate(small)}
    masks = np.array(small, np.int64)
    gains = np.stack([lattice.gains_of(i, masks) for i in range(n)])
    best = gains.copy()
    better = np.zeros(gains.shape, bool)
    for k, mask in enumerate(small):
        smaller = [at[mask ^ (1 << v)] for v in range(n) if mask >> v & 1]
        below = best[:, smaller].max(axis=1, initial=-np.inf)
        better[:, k] = gains[:, k] > below
        best[:, k] = np.maximum(gains[:, k], below)
    better[[i for i in range(n) if lattice.rules.links[i]]] = False  # a subset may lack a link that is required
    children, which = np.nonzero(better)
    return masks[which], children.astype(np.int64), gains[children, which]


def no_bounds(n: int) -> Bounds:
    """Return bounds for the walk that leave no subset out."""
    from bnml.counts._lattice_kernels import Bounds

    none = np.zeros(0, np.int64)
    return Bounds(np.zeros(n + 2, np.int64), none, none, np.zeros(0), np.zeros(0), np.zeros(1), none)
