"""Variable elimination: products of tables, summed over what is not asked for.

A factor is a table with one axis per variable. A Bayesian network is a product of factors; a probability in it is that
product with the other variables summed out, one after the other. The order decides how large the tables on the way get,
so it is chosen first, by simulation on the graph alone, and its cost is known before any work is done.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from bnml._arrays import Floats

__all__ = ["EliminationPlan", "Factor", "eliminate_from_factors", "plan_factors"]


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
    kept = set(keep)
    log_size = {v: math.log2(sizes[v]) for v in near}

    def weight(v: int) -> float:
        return log_size[v] + sum(log_size[u] for u in near[v])

    def fill(v: int) -> int:
        around = near[v]
        return sum(len(around - near[u]) - 1 for u in around)

    def price(v: int) -> tuple[float, float, int]:
        return (fill(v), weight(v), v) if by_fill else (weight(v), 0.0, v)

    prices = {v: price(v) for v in near if v not in kept}
    order: list[int] = []
    largest = sum(log_size[v] for v in kept if v in log_size)
    total = 2.0**largest
    while prices:
        v = min(prices, key=prices.__getitem__)
        clique = weight(v)
        largest, total = max(largest, clique), total + 2.0 ** min(clique, 1000.0)
        around = near.pop(v)
        for u in around:
            near[u] |= around
            near[u] -= {u, v}
        del prices[v]
        order.append(v)
        changed = set(around).union(*(near[u] for u in around)) if by_fill else around
        for u in changed:
            if u in prices:
                prices[u] = price(u)
    return EliminationPlan(tuple(order), 2.0 ** min(largest, 1000.0), total)


def eliminate_from_factors(
    factors: Iterable[Factor], order: Sequence[int], keep: Sequence[int]
) -> tuple[Floats, float]:
    """Return the product of the factors summed over ``order``: an axis for each variable of ``keep``.

    The largest number of the table is one, unless all are zero, and the logarithm of what it was divided by comes with
    it: a product of hundreds of probabilities would be too small for a float.
    """
    pool = list(factors)
    scale = 0.0
    for v in order:
        touched = [factor for factor in pool if v in factor.axes]
        pool = [factor for factor in pool if v not in factor.axes]
        product, log = _multiply(touched)
        axis = product.axes.index(v)
        rest = product.axes[:axis] + product.axes[axis + 1 :]
        table, more = _scaled(product.table.sum(axis=axis))
        pool.append(Factor(rest, table))
        scale += log + more
    product, log = _multiply(pool)
    return product.table.transpose([product.axes.index(v) for v in keep]), scale + log


def _multiply(factors: Sequence[Factor]) -> tuple[Factor, float]:
    axes = tuple(dict.fromkeys(axis for factor in factors for axis in factor.axes))
    product = np.ones((1,) * len(axes))
    scale = 0.0
    for factor in sorted(factors, key=lambda factor: factor.table.size):
        order = sorted(range(len(factor.axes)), key=lambda i: axes.index(factor.axes[i]))
        sizes = dict(zip(factor.axes, factor.table.shape, strict=True))
        product, log = _scaled(product * factor.table.transpose(order).reshape([sizes.get(axis, 1) for axis in axes]))
        scale += log
    return Factor(axes, product), scale


def _scaled(table: Floats) -> tuple[Floats, float]:
    """Return a table divided by its largest number, and the logarithm of that number."""
    largest = float(table.max())
    return (table / largest, math.log(largest)) if largest > 0.0 else (table, 0.0)
