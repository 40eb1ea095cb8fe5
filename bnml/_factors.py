"""Variable elimination: products of tables, summed over what is not asked for.

A factor is a table with one axis per variable. A Bayesian network is a product of factors; a probability in it is that
product with the other variables summed out, one after the other. The order decides how large the tables on the way get,
so it is chosen first, by simulation on the graph alone, and its cost is known before any work is done.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from typing import NamedTuple

import numpy as np

from bnml._arrays import Floats


@dataclass(frozen=True)
class Factor:
    """A table and the variables of its axes."""

    axes: tuple[int, ...]
    table: Floats

    def given(self, evidence: Mapping[int, int]) -> Factor:
        """Return the factor with some variables fixed."""
        if not any(axis in evidence for axis in self.axes):
            return self
        where = tuple(evidence.get(axis, slice(None)) for axis in self.axes)
        return Factor(tuple(axis for axis in self.axes if axis not in evidence), self.table[where])


@dataclass(frozen=True)
class EliminationPlan:
    """An order of elimination: its largest table, and the sum of all, in numbers."""

    order: tuple[int, ...]
    largest: float
    total: float


def plan_factors(scopes: Iterable[Collection[int]], sizes: Mapping[int, int], keep: Collection[int]) -> EliminationPlan:
    """Return the cheaper of two greedy orders: smallest table first, and fewest new links first."""
    neighbours: dict[int, set[int]] = {}
    for scope in scopes:
        for v in scope:
            neighbours.setdefault(v, set()).update(scope)
    for v in neighbours:
        neighbours[v].discard(v)
    plans = [_greedy({v: set(near) for v, near in neighbours.items()}, sizes, keep, fill) for fill in (False, True)]
    return min(plans, key=lambda p: (p.largest, p.total))


def _greedy(
    near: dict[int, set[int]], sizes: Mapping[int, int], keep: Collection[int], by_fill: bool
) -> EliminationPlan:
    """Eliminate the cheapest variable again and again.

    Table sizes and numbers of new links are updated, not computed anew: a variable with thousands of neighbours would
    otherwise be priced from all of them after each elimination. Sizes are integers, so that updates stay exact.
    """
    kept = set(keep)
    table = {v: math.prod((sizes[u] for u in around), start=sizes[v]) for v, around in near.items()}
    fill = dict.fromkeys(near, 0)  # pairs of neighbours that are not linked
    if by_fill:
        for v, around in near.items():
            fill[v] = (len(around) * (len(around) - 1) - sum(len(around & near[u]) for u in around)) // 2
    heap = [(fill[v], table[v], v) for v in near if v not in kept]
    heapify(heap)
    order: list[int] = []
    largest = sum(math.log2(sizes[v]) for v in kept if v in near)
    total = 2.0**largest
    while heap:
        price = heappop(heap)
        v = price[2]
        if v not in near or price != (fill[v], table[v], v):
            continue  # eliminated, or priced again since
        clique = math.log2(table[v])
        largest, total = max(largest, clique), total + 2.0 ** min(clique, 1000.0)
        around = near[v]
        changed = set(around)
        for a in around:
            for b in sorted(around - near[a]):
                if b > a:
                    common = near[a] & near[b]
                    if by_fill:
                        for w in common:
                            fill[w] -= 1
                        fill[a] += len(near[a]) - len(common)
                        fill[b] += len(near[b]) - len(common)
                        changed |= common
                    near[a].add(b)
                    near[b].add(a)
                    table[a] *= sizes[b]
                    table[b] *= sizes[a]
        for u in around:  # all linked by now: v's other neighbours are neighbours of u
            if by_fill:
                fill[u] -= len(near[u]) - len(around)
            near[u].discard(v)
            table[u] //= sizes[v]
        del near[v]
        order.append(v)
        for u in changed - kept - {v}:
            heappush(heap, (fill[u], table[u], u))
    return EliminationPlan(tuple(order), 2.0 ** min(largest, 1000.0), total)


class _Arithmetic(NamedTuple):
    """How numbers are multiplied, added, and scaled so that they stay in range: as floats, or as their logarithms."""

    multiply: np.ufunc
    add: np.ufunc
    scaled: Callable[[Floats], tuple[Floats, float]]


def eliminate_from_factors(
    factors: Iterable[Factor], order: Sequence[int], keep: Sequence[int]
) -> tuple[Floats, float]:
    """Return the product of the factors summed over ``order``: an axis for each variable of ``keep``.

    The largest number of the table is one, unless all are zero, and the logarithm of what it was divided by comes with
    it: a product of hundreds of probabilities would be too small for a float.
    """
    pool = list(factors)
    try:
        with np.errstate(under="raise", over="raise"):
            return _eliminate(pool, order, keep, FLOATS)
    except FloatingPointError:  # floats would take a positive product for zero
        table, scale = _eliminate([log_factor(factor) for factor in pool], order, keep, LOGARITHMS)
    largest = float(table.max())
    return (np.exp(table - largest), scale + largest) if largest > -math.inf else (np.exp(table), 0.0)


def log_factor(factor: Factor) -> Factor:
    """Return the factor with the logarithms of its numbers."""
    with np.errstate(divide="ignore"):
        return Factor(factor.axes, np.log(factor.table))


def _eliminate(
    factors: Sequence[Factor], order: Sequence[int], keep: Sequence[int], arithmetic: _Arithmetic
) -> tuple[Floats, float]:
    pool = list(factors)
    scale = 0.0
    for v in order:
        touched = [factor for factor in pool if v in factor.axes]
        pool = [factor for factor in pool if v not in factor.axes]
        product, log = _multiply(touched, arithmetic)
        axis = product.axes.index(v)
        rest = product.axes[:axis] + product.axes[axis + 1 :]
        table, more = arithmetic.scaled(arithmetic.add.reduce(product.table, axis=axis))
        pool.append(Factor(rest, table))
        scale += log + more
    product, log = _multiply(pool, arithmetic)
    return product.table.transpose([product.axes.index(v) for v in keep]), scale + log


def _multiply(factors: Sequence[Factor], arithmetic: _Arithmetic) -> tuple[Factor, float]:
    axes = tuple(dict.fromkeys(axis for factor in factors for axis in factor.axes))
    product = np.full((1,) * len(axes), float(arithmetic.multiply.identity))
    scale = 0.0
    for factor in sorted(factors, key=lambda factor: factor.table.size):
        order = sorted(range(len(factor.axes)), key=lambda i: axes.index(factor.axes[i]))
        sizes = dict(zip(factor.axes, factor.table.shape, strict=True))
        table = factor.table.transpose(order).reshape([sizes.get(axis, 1) for axis in axes])
        product, log = arithmetic.scaled(arithmetic.multiply(product, table))
        scale += log
    return Factor(axes, product), scale


def _scaled(table: Floats) -> tuple[Floats, float]:
    """Return a table divided by its largest number, and the logarithm of that number."""
    largest = float(table.max())
    return (table / largest, math.log(largest)) if largest > 0.0 else (table, 0.0)


FLOATS = _Arithmetic(np.multiply, np.add, _scaled)
LOGARITHMS = _Arithmetic(np.add, np.logaddexp, lambda table: (table, 0.0))
