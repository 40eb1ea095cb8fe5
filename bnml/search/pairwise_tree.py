"""A forest of the pairs that tell most of each other, from a table with gaps: where structural EM begins."""

from __future__ import annotations

import math

import numpy as np

from bnml._arrays import Floats
from bnml.counts import Counts
from bnml.counts.counts import counts_for_tests
from bnml.counts.observed import ObservedCounts
from bnml.data import Data
from bnml.graph import DAG


def pairwise_tree(data: Data) -> DAG:
    """Return a forest of the pairs that tell most of each other, each told by the rows in which both are observed.

    A pair is worth N times its mutual information, less half a log N for each parameter of the link. Where variables
    were set, it is told by the rows in which one of them was not, whichever shows more.
    """
    names, gains = data.names, _pairwise_gains(data)
    pairs = [(gains[i, j], *sorted((names[i], names[j]))) for i in range(len(names)) for j in range(i)]
    links = sorted((-gain, a, b) for gain, a, b in pairs if gain > 0.0)
    part = {x: {x} for x in data.names}
    near: dict[str, list[str]] = {x: [] for x in data.names}
    for _, a, b in links:
        if part[a] is not part[b]:
            part[a] |= part[b]
            for x in part[b]:
                part[x] = part[a]
            near[a].append(b)
            near[b].append(a)
    arcs, done = [], set[str]()
    for root in sorted(data.names):
        stack = [] if root in done else [root]
        done.update(stack)
        while stack:
            x = stack.pop()
            below = [y for y in near[x] if y not in done]
            arcs += [(x, y) for y in below]
            done.update(below)
            stack += below
    return DAG(data.names, arcs)


def _pairwise_gains(data: Data) -> Floats:
    """Return for each pair what a link between them is worth, by the rows in which both are observed."""
    counts, n = counts_for_tests(data), len(data.names)
    gains = np.zeros((n, n))
    for i in range(n):
        for j in range(i):
            views = {id(view): view for view in (counts.for_child(i), counts.for_child(j))}
            gains[i, j] = gains[j, i] = max(_pair_gain(view, i, j) for view in views.values())
    return gains


def _pair_gain(counts: Counts | ObservedCounts, i: int, j: int) -> float:
    """Return what a link between two columns is worth; 0 where they were never observed together."""
    table = counts.table([i, j]).astype(np.float64)
    total = float(table.sum())
    if not total > 0.0:
        return 0.0
    margins = (table.sum(axis=0), table.sum(axis=1))
    fit = _n_log_n(table) - sum(map(_n_log_n, margins)) + total * math.log(total)
    price = 0.5 * (counts.arities[i] - 1) * (counts.arities[j] - 1) * math.log(max(counts.n_rows, 2))
    return counts.n_rows * fit / total - price


def _n_log_n(counts: Floats) -> float:
    from scipy.special import xlogy

    return float(xlogy(counts, counts).sum())
