"""The most probable structures of more variables than can be listed.

Structures are listed down to some weight, each once, layer by layer: a part of a structure is gone on with only if what
can be added at best would reach it (`bnml.uncertainty._kernels.structures_above`). Under the uniform prior the k best
are among the first that are found so.

Under the order prior a structure counts once for each of its linear extensions. A variable with s others placed before
it, a of which lead to it, has s + 1 - a places at most in an order of these; so there are no more extensions than the
product of these numbers, and the list goes by that bound. It goes down to the k-th best of a first list.

An equivalence class of structures with m arcs has 2^m members at most. So a class that is among the k best has a member
whose weight times 2^m, which is again a product over families, reaches that of the k-th best found so far. Under the
order prior all members of a class together count n! times at most, since no two of them fit the same order.
"""

from __future__ import annotations

import math

import numpy as np

from bnml._arrays import Floats
from bnml._bits import mask_of, masks_without, sizes_of_masks
from bnml.errors import ArgumentError, argument
from bnml.scores.base import score_tolerance
from bnml.uncertainty.all_structures import Listed, Masks, Structures
from bnml.uncertainty.sums_over_structures import log_sum_over_structures

MOST = 1 << 22  # structures that are listed
STEPS, MOST_CALLS = 1 << 24, 128  # to list them: each some tenth of a second
FEW = 1 << 14  # structures more than asked for, in the first list
MANY = 1 << 12  # structures in the first list, where it is not they that are ranked
NARROW = 1e-9  # nats; structures that differ by less are as probable
BEYOND = 0.25  # nats that members of a class may lie lower


def best_structures(
    names: tuple[str, ...], scores: Floats, terms: Floats, prior: str, k: int, classes: bool, threads: int
) -> Listed:
    """Return some structures, the k most probable among them, with all that are as probable as the last of these.

    Parameters
    ----------
    names
        The variables.
    scores, terms
        The score and the log-prior of each family.
    prior
        ``"uniform"`` or ``"order"``.
    k
        How many.
    classes
        Whether the most probable equivalence classes are asked for; then all of their members that are allowed are
        among the structures.
    threads
        How many threads to use.

    Raises
    ------
    ArgumentError
        If too many structures are nearly as probable.
    """
    weights = scores + terms
    total = log_sum_over_structures(weights.copy(), prior, threads)
    search = _Search(weights, orders=prior == "order")
    same = len(names) * score_tolerance(float(weights.max(axis=1).sum()))

    def listed(parents: Masks) -> Listed:
        return Listed(names, scores, terms, prior, Structures(parents), total)

    def values(some: Listed) -> Floats:
        """Return what is ranked: the logarithms of the probabilities, the largest first."""
        return np.sort(some.class_weights() if classes else some.log_weights)[::-1]

    first = listed(search.at_least(max(k, MANY) if classes or prior == "order" else k))
    while len(values(first)) < k and not search.everything:  # of classes there are fewer than of structures
        first = listed(search.at_least(2 * len(first.structures.parents)))
    if search.everything:
        return first
    kth = float(values(first)[k - 1]) + total - same
    if classes and prior == "order":
        found = listed(_Search(weights).down_to(kth - BEYOND - math.lgamma(len(names) + 1)))
    elif classes:
        twice = math.log(2.0) * sizes_of_masks(len(names) - 1)  # for each arc
        found = listed(_Search(weights + twice).down_to(kth - BEYOND))
    else:
        found = listed(search.down_to(kth))
    if not classes:
        return found
    totals = found.class_weights()
    least = kth - total + math.log(-math.expm1(-BEYOND))
    one_of_each = np.unique(found.structures.classes, return_index=True)[1][totals >= least]
    members = [dag for at in one_of_each.tolist() for dag in found.dag(at).cpdag().members()]
    whole = listed(np.array([[mask_of(p) for p in dag.parent_sets] for dag in members], np.uint16))
    return listed(whole.structures.parents[np.isfinite(whole.log_weights)])


class _Search:
    """Lists structures down to some weight, and knows when there are no more.

    With ``orders`` the weight is one that no structure exceeds that counts once for each of its linear extensions.
    """

    def __init__(self, weights: Floats, *, orders: bool = False) -> None:
        from bnml.uncertainty import _kernels

        n = len(weights)
        self.shift = weights.max(axis=1)
        order = np.argsort(-weights, axis=1, kind="stable")
        sets = np.stack([masks_without(n, i)[order[i]] for i in range(n)])
        ranked = np.take_along_axis(weights, order, axis=1) - self.shift[:, None]
        gains = np.log(np.maximum(np.arange(n + 2), 1)) * orders
        largest = [_largest(weights[i] - self.shift[i], gains) for i in range(n)]
        onward = _onward(largest)
        self.given = _kernels.Ranked(ranked, sets, onward, gains)
        self.top = float(onward[0])
        self.least = float(np.where(np.isneginf(ranked), np.inf, ranked).min(axis=1).sum()) - 1.0
        self.depth, self.everything = 1.0, False

    def at_least(self, k: int) -> Masks:
        """Return the best structures, at least k of them if there are so many."""
        low, high = 0.0, math.inf
        depth = self.depth
        while True:
            found = self._list(self.top - depth, k + FEW if high - low > NARROW else MOST)
            if found is not None and (len(found) >= k or self.top - depth <= self.least):
                self.depth, self.everything = depth, self.top - depth <= self.least
                return found
            if found is None and high - low <= NARROW:
                raise _too_many(len(self.shift))
            if found is None:
                high = depth
            else:
                low = depth
            depth = 2 * low if math.isinf(high) else (low + high) / 2

    def down_to(self, weight: float) -> Masks:
        """Return all structures of at least some weight."""
        found = self._list(weight - float(self.shift.sum()), MOST)
        if found is None:
            raise _too_many(len(self.shift))
        return found

    def _list(self, threshold: float, most: int) -> Masks | None:
        from bnml.uncertainty import _kernels

        n = len(self.shift)
        found = np.empty((most, n), np.uint16)
        sets, following, families = (np.zeros(shape, np.int64) for shape in ((3, n + 1), (3, n + 1), (2, n)))
        following[0, 0] = -1
        listing = _kernels.Unfinished(sets, following, np.zeros(n + 1), families, np.zeros(2, np.int64))
        for _ in range(MOST_CALLS):
            if _kernels.structures_above(self.given, threshold - NARROW, STEPS, listing, found):
                return None
            if listing.at[1] < 0:
                return found[: listing.at[0]].copy()
        return None


def _largest(weights: Floats, gains: Floats) -> Floats:
    """Return for each set S the largest weight of a family with parents P ⊆ S, and gains[|S| + 1 - |P|]."""
    sizes = sizes_of_masks(weights.size.bit_length() - 1)
    found = np.full(weights.size, -np.inf)
    for size in range(int(sizes[-1]) + 1):
        own = np.where(sizes == size, weights, -np.inf)
        half = 1
        while half < own.size:
            pairs = own.reshape(-1, 2, half)
            np.maximum(pairs[:, 1], pairs[:, 0], out=pairs[:, 1])
            half *= 2
        np.maximum(found, own + gains[np.maximum(sizes + 1 - size, 0)], out=found)
    return found


def _onward(largest: list[Floats]) -> Floats:
    """Return what can be added at most to the variables of each set, in whatever order the others come."""
    n = len(largest)
    sizes, found = sizes_of_masks(n), np.full(1 << n, -np.inf)
    found[-1] = 0.0
    for size in range(n - 1, -1, -1):
        for j in range(n):
            sets = np.flatnonzero((sizes == size) & (np.arange(1 << n) >> j & 1 == 0))
            numbers = sets & ((1 << j) - 1) | sets >> (j + 1) << j
            found[sets] = np.maximum(found[sets], largest[j][numbers] + found[sets | 1 << j])
    return found


def _too_many(n: int) -> ArgumentError:
    return ArgumentError(
        f"more than {MOST:,} structures on {n} variables are nearly as probable as the best, too many to rank "
        "them exactly: take "
        + argument("method", "sample")
        + ", fewer variables with "
        + argument("columns")
        + ", or look at the probabilities of arcs"
    )
