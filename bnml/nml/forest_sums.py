"""The sum over all data sets for trees, from the leaves to the root.

Given the counts f of a variable, the branches below it are independent of each other. So the sum over all data sets
of a tree, each with its own best parameters, is a sum over the counts of the root, and each branch sends it a
*message*, a function of these counts. From a leaf with r values that is (forest paper, eq. 20)

    L(f) = Π_k C(f_k, r),

and from a variable with counts ρ, to which its own branches sent messages with the product M(ρ), it is (eq. 28, with
the multiplicities that the paper leaves out)

    L(f) = Σ_ρ W(f, ρ) M(ρ) / Π_k b(f_k),

with the weights W of `bnml.nml.forest_weights`. At the root (eq. 29) the sum is Σ_f Π_k b(f_k) M(f) / b(n). A branch is
known by its shape and its numbers of values alone, and a message is computed once for all branches that are the same.

A tree with a single inner variable (naive Bayes) needs no list of its counts: M(f) is then a product over the values,
and the sum over f a convolution, which takes n² steps at most for any number of values. One variable, or two that
are joined, are a single multinomial.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from bnml._arrays import Floats
from bnml.nml.forest_counts import SortedCounts, powers_of_counts
from bnml.nml.forest_weights import Weights
from bnml.nml.regret import regret
from bnml.nml.tables import regret_table

MESSAGE_BYTES = 1 << 28  # messages are remembered up to this size
DIRECT_UP_TO = 2048  # sample size up to which a convolution is done term by term


class Branch(NamedTuple):
    """A variable and what hangs below: its number of values, those of its leaves, and the numbers of its branches."""

    arity: int
    leaves: tuple[int, ...]
    inner: tuple[int, ...]


@dataclass(frozen=True)
class Needs:
    """What the sum of a tree takes: the messages by (branch, number of values of the receiver), and uses of weights."""

    messages: tuple[tuple[int, int], ...]
    uses: Counter[tuple[int, int]]


class ForestSums:
    """Sums of trees for one sample size; counts, weights and messages are shared by all that is asked.

    Parameters
    ----------
    n
        Number of observations, at least 1.

    Examples
    --------
    >>> sums = ForestSums(4)
    >>> lowest = sums.branch(2, leaves=[2], inner=[])
    >>> chain = sums.branch(2, leaves=[2], inner=[lowest])  # four binary variables in a row
    >>> round(float(np.exp(sums.total(chain))), 6)
    302.878834
    """

    def __init__(self, n: int) -> None:
        self.n = n
        self.branches: list[Branch] = []
        self._numbers: dict[Branch, int] = {}
        self._counts: dict[int, SortedCounts] = {}
        self._regrets: dict[int, Floats] = {}
        self._weights: dict[tuple[int, int], Weights] = {}
        self._messages: dict[tuple[int, int], Floats] = {}
        self._message_bytes = 0

    @property
    def nbytes(self) -> int:
        """Bytes that the weights and messages hold."""
        return self._message_bytes + sum(weights.nbytes for weights in self._weights.values())

    def branch(self, arity: int, leaves: Sequence[int], inner: Sequence[int]) -> int:
        """Return the number of a branch; the same for all that are the same. Branches below have smaller numbers."""
        key = Branch(arity, tuple(sorted(leaves)), tuple(sorted(inner)))
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = len(self.branches)
            self.branches.append(key)
        return number

    def needs(self, root: int) -> Needs:
        """Return what the sum of a tree takes, without computing it."""
        wanted: set[tuple[int, int]] = set()
        todo = [root]
        while todo:
            above = self.branches[todo.pop()]
            for below in above.inner:
                if (below, above.arity) not in wanted:
                    wanted.add((below, above.arity))
                    todo.append(below)
        uses = Counter(self._pair(self.branches[below].arity, arity) for below, arity in wanted)
        return Needs(tuple(sorted(wanted)), uses)

    def total(self, root: int) -> float:
        """Return the logarithm of the sum of a tree that is not a star."""
        self.prepare(root)
        return self.summed(self.inside(root), self.branches[root].arity)

    def summed(self, inside: Floats, arity: int) -> float:
        """Return the logarithm of the sum over the counts of a root, with the product of the messages to it."""
        return forest_log_sum(self.counts(arity).log_terms + inside) - math.log(powers_of_counts(self.n)[-1])

    def prepare(self, root: int) -> None:
        """Compute the messages of a tree, the lowest first."""
        for below, arity in self.needs(root).messages:
            self.message(below, arity)

    def inside(self, number: int) -> Floats:
        """Return the logarithm of M, the product of the messages to a branch's top, for each of its count vectors."""
        arity, leaves, inner = self.branches[number]
        total = np.zeros(len(self.counts(arity)))
        if leaves:
            total += self.counts(arity).summed(self._leaf_table(leaves))
        for below in inner:
            total += self.message(below, arity)
        return total

    def message(self, number: int, arity: int) -> Floats:
        """Return the logarithm of the message of a branch to a variable, for each of that one's count vectors."""
        known = self._messages.get((number, arity))
        if known is None:
            known = self._send(number, arity)
            if self._message_bytes > MESSAGE_BYTES:
                self._messages.clear()
                self._message_bytes = 0
            self._messages[number, arity] = known
            self._message_bytes += known.nbytes
        return known

    def leaf_message(self, leaf: int, arity: int) -> Floats:
        """Return the logarithm of the message of a leaf with so many values."""
        return self.counts(arity).summed(self.regrets(leaf))

    def _send(self, number: int, arity: int) -> Floats:
        own = self.branches[number].arity
        inside = self.inside(number)
        largest = float(inside.max())
        vector = np.exp(inside - largest) * self.counts(own).arrangements
        weights = self._weights_of(own, arity)
        sums = weights.from_few(vector) if own <= arity else weights.from_many(vector)
        message: Floats = np.log(sums) + (largest - self.counts(arity).log_powers)
        return message

    def counts(self, arity: int) -> SortedCounts:
        """Return the count vectors of a variable with so many values."""
        if arity not in self._counts:
            self._counts[arity] = SortedCounts(self.n, arity)
        return self._counts[arity]

    def regrets(self, arity: int) -> Floats:
        """Return reg(m, r) for m = 0, 1, ..., n."""
        if arity not in self._regrets:
            self._regrets[arity] = regret_table(self.n, arity)
        return self._regrets[arity]

    def star(self, arity: int, leaves: Sequence[int]) -> float:
        """Return the logarithm of the sum of a variable with leaves only."""
        return star_sum(np.log(powers_of_counts(self.n)) + self._leaf_table(leaves), arity)

    def pair(self, a: int, b: int) -> float:
        """Return the logarithm of the sum of two joined variables."""
        return regret(self.n, a * b)

    def single(self, arity: int) -> float:
        """Return the logarithm of the sum of one variable."""
        return regret(self.n, arity)

    def _leaf_table(self, leaves: Sequence[int]) -> Floats:
        total = np.zeros(self.n + 1)
        for arity, times in sorted(Counter(leaves).items()):
            total += times * self.regrets(arity)
        return total

    def _pair(self, a: int, b: int) -> tuple[int, int]:
        return max(a, b), min(a, b)

    def _weights_of(self, a: int, b: int) -> Weights:
        many, few = self._pair(a, b)
        if (many, few) not in self._weights:
            self._weights[many, few] = Weights(self.counts(many), self.counts(few))
        return self._weights[many, few]


def forest_log_sum(terms: Floats) -> float:
    """Return the logarithm of a sum over the counts of a forest, log Σ exp(terms)."""
    largest = float(terms.max())
    return largest + math.log(float(np.exp(terms - largest).sum()))


def star_sum(log_h: Floats, arity: int) -> float:
    """Return log Σ over f_1 + ... + f_K = n of Π h(f_k), less log b(n): the sum of a root whose branches are leaves.

    With h made a probability by a factor z^m, of such a z that its mean is n / K, the sum is the probability that K
    draws add up to n: neither large nor small, whatever h is.
    """
    n = log_h.size - 1
    m = np.arange(n + 1.0)
    slope = _slope(log_h, n / arity)
    tilted = log_h + slope * m
    log_z = forest_log_sum(tilted)
    power, result, left = np.exp(tilted - log_z), None, arity
    while True:
        if left & 1:
            result = power if result is None else _convolved(result, power)
        left >>= 1
        if not left:
            break
        power = _convolved(power, power)
    assert result is not None
    return math.log(float(result[n])) + arity * log_z - slope * n - math.log(powers_of_counts(n)[-1])


def _slope(log_h: Floats, mean: float) -> float:
    """Return the s for which h(m) exp(s m) has this mean, about."""
    m = np.arange(log_h.size, dtype=np.float64)
    if mean >= m[-1]:
        return 0.0
    low, high = -1.0, 1.0

    def excess(slope: float) -> float:
        tilted = log_h + slope * m
        weights = np.exp(tilted - tilted.max())
        return float((weights * m).sum() / weights.sum()) - mean

    while excess(low) > 0.0:
        low *= 2.0
    while excess(high) < 0.0:
        high *= 2.0
    for _ in range(50):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if excess(middle) > 0.0 else (middle, high)
    return 0.5 * (low + high)


def _convolved(a: Floats, b: Floats) -> Floats:
    if a.size <= DIRECT_UP_TO:
        return np.convolve(a, b)[: a.size]
    from scipy.fft import irfft, next_fast_len, rfft

    size = int(next_fast_len(2 * a.size, real=True))
    product = irfft(rfft(a, size) * rfft(b, size), size)[: a.size]
    positive: Floats = np.maximum(product, 0.0)
    return positive
