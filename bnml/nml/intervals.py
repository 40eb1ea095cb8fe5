"""The best way to cut an ordered range into intervals: dynamic programming over the number of bins.

What a bin costs depends on where it begins and where it ends; what K bins cost together with their price, and where the
cuts may be, is for others to say (`bnml.nml.histogram`, `bnml.nml.partition`).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bnml._arrays import Floats

Integers = NDArray[np.int64]

TIE = 1e-11  # nats per observation: what rounding may do to a code length


def best_intervals(
    costs: Floats, prices: Floats, tie: float, *, lowest_fit: float = -np.inf, least: int = 1
) -> tuple[Integers, Floats]:
    """Return which of the inner edges the best intervals have, and the best code length for each number of them.

    Parameters
    ----------
    costs
        ``costs[i, j]`` for i < j is what a bin from edge i to edge j costs, infinite for others. The first and the last
        edge are the ends of the range.
    prices
        ``prices[K - 1]`` is what K bins cost beside that; more than these are not tried.
    tie
        What rounding may do: among equals up to that, the fewest bins and then the leftmost cuts are taken.
    lowest_fit
        What no bins cost less than, without their price: as soon as that does not beat the best so far, no more bins
        are tried.
    least
        The fewest bins that are wanted, if there are so many edges and prices.
    """
    from bnml.nml._kernels import one_more_bin

    size = len(costs)
    least = min(least, prices.size, size - 1)
    lowest_ahead = np.minimum.accumulate(prices[::-1])[::-1]
    fit = costs[:, -1]
    lengths = [fit[0] + prices[0]]
    layers: list[Integers] = []
    best = 1
    for k in range(2, min(prices.size, size - 1) + 1):
        if k > least and lowest_fit + lowest_ahead[k - 1] >= lengths[best - 1] - tie:
            break
        after, ends = np.empty(size), np.empty(size, dtype=np.int64)
        one_more_bin(costs, fit, k - 1, tie, after, ends)
        fit = after
        layers.append(ends)
        lengths.append(fit[0] + prices[k - 1])
        if best < least or lengths[-1] < lengths[best - 1] - tie:
            best = k
    edge = 0
    chosen = np.empty(best - 1, dtype=np.int64)
    for i in range(best - 1):
        edge = layers[best - 2 - i][edge]
        chosen[i] = edge - 1
    return chosen, np.array(lengths)


def edge_prices(n: int, most: int) -> Floats:
    """Return log binomial(n, k), k = 0, 1, ..., most: the price of saying at which k of n places intervals meet."""
    k = np.arange(1.0, most + 1.0)
    found: Floats = np.r_[0.0, np.cumsum(np.log((n + 1.0 - k) / k))]
    return found


def interval_edges_by_rank(weights: Floats, ranks: int) -> NDArray[np.bool_]:
    """Choose gaps between neighbouring values at equal steps in rank; of a value that is more than a step, both."""
    ends = np.cumsum(weights)
    step = ends[-1] / (ranks + 1)
    at = np.searchsorted(ends, np.arange(1, ranks + 1) * step)
    kept = np.zeros(weights.size + 1, dtype=bool)  # gap i, from value i to i + 1, is at i + 1: each value has two
    kept[at + 1] = True
    kept[at[weights[at] > step]] = True
    return kept[1:-1]
