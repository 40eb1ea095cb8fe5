"""The normalisers of all forests that come of joining two trees by one link, all at once.

A local search over forests cuts a link and ties the two parts together by another one. The normaliser of the tree that
comes of a link between a and b needs only the product of the messages to a in its own part, and the message to a of
the other part, hung up at b: one sum over the counts of a for each link, however large the trees are. Messages are
shared by all links, and by all trees that have a branch in common.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from bnml._arrays import Floats
from bnml._machine import memory_limit_of
from bnml.nml.forest_counts import number_of_sorted_counts, powers_of_counts
from bnml.nml.forest_plan import check_plan, planned_order, trees_of
from bnml.nml.forest_sums import ForestSums, forest_log_sum
from bnml.nml.forest_weights import forest_weight_bytes, seconds_for_weights

MOST_VECTORS = 200_000  # count vectors of a variable that messages are sent to

Tree = Mapping[int, Sequence[int]]
"""The neighbours of each variable of a tree."""


class ForestJoins:
    """Normalisers of trees over given variables, and of what comes of joining them.

    Parameters
    ----------
    sums
        What is known for this number of rows.
    arities
        The number of values of each variable, 2 at least.
    limit
        As for `bnml.nml.parametric_complexity`.

    Examples
    --------
    >>> joins = ForestJoins(ForestSums(4), [2, 2, 2])
    >>> pair, single = {0: [1], 1: [0]}, {2: []}
    >>> np.exp(joins.joined(pair, single)).round(4)  # a chain, whichever of the pair the third variable is tied to
    array([[63.5358],
           [63.5358]])
    """

    def __init__(self, sums: ForestSums, arities: Sequence[int], limit: int | str | None = None) -> None:
        self.sums, self.arities, self._limit = sums, tuple(arities), memory_limit_of(limit)
        self._log_top = math.log(powers_of_counts(sums.n)[-1])
        self._usable: dict[tuple[int, int], bool] = {}
        self._totals: dict[object, float] = {}
        self._joined: dict[object, Floats] = {}

    def check(self, trees: Iterable[Tree]) -> None:
        """Refuse a forest whose normaliser would take too much."""
        links = [near for _, near in sorted(pair for tree in trees for pair in tree.items())]
        check_plan(trees_of(self.sums, links, self.arities).forecast(self.sums, self._limit))

    def total(self, tree: Tree) -> float:
        """Return the logarithm of the normaliser of one tree."""
        key = _key(tree)
        if key not in self._totals:
            place = {x: k for k, x in enumerate(sorted(tree))}
            links = [[place[y] for y in tree[x]] for x in sorted(tree)]
            self._totals[key] = trees_of(self.sums, links, [self.arities[x] for x in sorted(tree)]).total(self.sums)
        return self._totals[key]

    def joined(self, a: Tree, b: Tree) -> Floats:
        """Return the logarithms of the normalisers of two trees joined by one link.

        A row for each variable of the first tree, a column for each of the second, in ascending order; infinite where
        it would take too much.
        """
        key = _key(a), _key(b)
        if key not in self._joined:
            self._joined[key] = self._join(a, b) if len(a) >= len(b) else self._join(b, a).T
        return self._joined[key]

    def work(self, a: Tree, b: Tree) -> float:
        """Return about how many numbers `joined` multiplies for two trees; none if it has been asked for before.

        Messages are sent along the links of both trees and between them, for each a product of two numbers of vectors.
        """
        if (_key(a), _key(b)) in self._joined or len(a) == len(b) == 1:
            return 0.0
        vectors = {r: number_of_sorted_counts(self.sums.n, r) for r in {self.arities[x] for x in (*a, *b)}}
        links = [(x, y) for tree in (a, b) for x, near in tree.items() for y in near if len(near) > 1 < len(tree[y])]
        links += [(x, y) for x in a for y in b]
        return math.fsum(float(vectors[self.arities[x]]) * vectors[self.arities[y]] for x, y in links)

    def _join(self, large: Tree, small: Tree) -> Floats:
        arities = self.arities
        if len(large) == 1:
            ((x, _),), ((y, _),) = large.items(), small.items()
            return np.array([[self.sums.pair(arities[x], arities[y])]])
        tops = self._tops(large)
        if len(small) == 1:
            (y,) = small
            return np.array([[self._with_leaf(large, tops, x, arities[y])] for x in sorted(large)])
        return self._between(large, tops, small, self._tops(small))

    def _with_leaf(self, tree: Tree, tops: Mapping[int, int], x: int, leaf: int) -> float:
        """Return the logarithm of the normaliser of a tree with a leaf tied to one of its variables."""
        arity = self.arities[x]
        if all(len(tree[y]) == 1 for y in tree[x]):
            return self.sums.star(arity, [*(self.arities[y] for y in tree[x]), leaf])
        if not self._may_be_inner(tree, x):
            return math.inf
        inside = self.sums.inside(tops[x]) + self.sums.leaf_message(leaf, arity)
        return self.sums.summed(inside, arity)

    def _between(self, large: Tree, tops: Mapping[int, int], small: Tree, below: Mapping[int, int]) -> Floats:
        """Return the logarithms of the normalisers of two trees, both of two variables at least, joined by a link."""
        rows, columns = sorted(large), sorted(small)
        result = np.full((len(rows), len(columns)), math.inf)
        inner = [x for x in rows if self._may_be_inner(large, x)]
        others = [y for y in columns if self._may_be_inner(small, y)]
        for arity in sorted({self.arities[x] for x in inner}):
            these = [x for x in inner if self.arities[x] == arity]
            those = [y for y in others if self._may_be_joined(arity, self.arities[y])]
            if those:
                terms = self.sums.counts(arity).log_terms
                up = np.stack([terms + self.sums.inside(tops[x]) for x in these])
                down = np.stack([self.sums.message(below[y], arity) for y in those])
                at = np.ix_([rows.index(x) for x in these], [columns.index(y) for y in those])
                result[at] = _log_products(up, down) - self._log_top
        return result

    def _may_be_inner(self, tree: Tree, x: int) -> bool:
        """Tell whether a variable may have one more neighbour, its own ones as they are."""
        r = self.arities[x]
        if number_of_sorted_counts(self.sums.n, r) > MOST_VECTORS:
            return False
        return all(self._may_be_joined(r, self.arities[y]) for y in tree[x] if len(tree[y]) > 1)

    def _may_be_joined(self, a: int, b: int) -> bool:
        """Tell whether the weights between two numbers of values are worth their time and fit into memory."""
        pair = max(a, b), min(a, b)
        if pair not in self._usable:
            n = self.sums.n
            # weights that take longer are not computed for a single link
            self._usable[pair] = (
                number_of_sorted_counts(n, pair[0]) <= MOST_VECTORS
                and seconds_for_weights(n, *pair, uses=1) <= 20.0
                and forest_weight_bytes(n, *pair) <= self._limit
            )
        return self._usable[pair]

    def _tops(self, tree: Tree) -> dict[int, int]:
        """Return the branch that the whole tree is from each of its variables."""
        order, above = planned_order(tree, min(tree))
        sent: dict[tuple[int, int], int] = {}  # the branch that x is, seen from y
        for x in reversed(order[1:]):
            sent[x, above[x]] = self._branch(tree, sent, x, above[x])
        for x in order[1:]:
            sent[above[x], x] = self._branch(tree, sent, above[x], x)
        return {x: self._branch(tree, sent, x, -1) for x in tree}

    def _branch(self, tree: Tree, sent: Mapping[tuple[int, int], int], x: int, seen_from: int) -> int:
        others = [y for y in tree[x] if y != seen_from]
        leaves = [self.arities[y] for y in others if len(tree[y]) == 1]
        return self.sums.branch(self.arities[x], leaves, [sent[y, x] for y in others if len(tree[y]) > 1])


def _key(tree: Tree) -> object:
    return tuple(tree) if len(tree) == 1 else frozenset((x, y) for x, near in tree.items() for y in near if x < y)


def _log_products(up: Floats, down: Floats) -> Floats:
    """Return log Σ_f exp(up[i, f] + down[j, f]) for all i and j."""
    most_up, most_down = up.max(axis=1, keepdims=True), down.max(axis=1, keepdims=True)
    with np.errstate(divide="ignore"):
        sums = np.log(np.einsum("if,jf->ij", np.exp(up - most_up), np.exp(down - most_down)))
    result: Floats = sums + most_up + most_down.T
    for i, j in zip(*np.nonzero(sums < -600.0), strict=True):  # their peaks are far apart
        result[i, j] = forest_log_sum(up[i] + down[j])
    return result
