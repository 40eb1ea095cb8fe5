"""What else sums over structures tell, under either prior: directed paths, Markov blankets, the sum itself.

Two variables are outside of each other's Markov blanket if no arc joins them and they have no child in common. This is
a statement about the parents of each variable alone: neither is a parent of the other, and no third has both as
parents. So the structures in which it holds sum up as all do, with the other families left out, one sum for each pair.
"""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np

from bnml._arrays import Floats
from bnml._bits import masks_without
from bnml._machine import run_each
from bnml.uncertainty import sums_over_layers, sums_over_orders
from bnml.uncertainty.sums_over_parents import subset_sums


def log_sum_over_structures(weights: Floats, prior: str, threads: int) -> float:
    """Return the logarithm of the sum of all structures' weights; minus infinity where there is none.

    Parameters
    ----------
    weights
        The log-weights of all families, a row for each variable; used up.
    prior
        ``"uniform"``, or ``"order"``: a structure counts once for each of its linear extensions.
    threads
        How many threads to use.
    """
    sums = subset_sums(weights, threads, lambda part: None)
    if not sums.possible:
        return -math.inf
    return (
        sums_over_orders.log_total_over_orders(sums)
        if prior == "order"
        else sums_over_layers.log_total_over_layers(sums, threads)
    )


def path_probabilities(weights: Floats, prior: str, threads: int) -> Floats:
    """Return by sums over structures the probability that a path leads from the row's variable to the column's."""
    sums = subset_sums(weights.copy(), threads, lambda part: None)
    over = sums_over_orders.paths_over_orders if prior == "order" else sums_over_layers.paths_over_layers
    return np.clip(over(sums, threads), 0.0, 1.0)


def blanket_probabilities(weights: Floats, prior: str, threads: int) -> Floats:
    """Return by sums over structures the probability that the Markov blanket of each variable has each other."""
    n = len(weights)
    pairs, total = list(combinations(range(n), 2)), log_sum_over_structures(weights.copy(), prior, threads)
    found = np.zeros((n, n))

    def in_blanket(at: int) -> None:
        a, b = pairs[at]
        apart = log_sum_over_structures(_without_blanket(weights, a, b), prior, 1)
        found[a, b] = found[b, a] = min(max(-math.expm1(apart - total), 0.0), 1.0)

    run_each(in_blanket, len(pairs), threads, lambda part: None)
    return found


def _without_blanket(weights: Floats, a: int, b: int) -> Floats:
    """Return the weights without families by which two variables are in each other's Markov blanket."""
    n, both = len(weights), 1 << a | 1 << b
    kept = weights.copy()
    for i in range(n):
        families = masks_without(n, i) | (1 << i if i in (a, b) else 0)
        kept[i, families & both == both] = -np.inf
    return kept
