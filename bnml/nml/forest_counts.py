"""Count vectors of a variable, up to the order of its values.

The normaliser of a forest is a sum over the counts that its inner variables may have. Nothing in it depends on which
value has which count, so the vectors in descending order are enough, each with the number of its rearrangements: of
the C(n + K - 1, K - 1) vectors of K counts that sum to n these are about one in K!.

Counts come up as k^k / k!. Their sum is the same in all terms, so that a factor e^-k for each changes nothing but the
scale: what is left, b(k) = k^k e^-k / k!, about 1 / √(2πk), is neither large nor small.
"""

from __future__ import annotations

import math
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from bnml._arrays import Floats

Integers = NDArray[np.int64]

STIRLING_FROM = 32  # its series is exact to the last digit from here on


def powers_of_counts(n: int) -> Floats:
    """Return the powers of counts in forests, scaled: b(k) = k^k e^-k / k! for k = 0, 1, ..., n.

    Examples
    --------
    >>> powers_of_counts(3).round(4)
    array([1.    , 0.3679, 0.2707, 0.224 ])
    """
    few = [math.exp(-k) * k**k / math.factorial(k) for k in range(min(n + 1, STIRLING_FROM))]
    k = np.arange(STIRLING_FROM, n + 1, dtype=np.float64)
    x = 1.0 / k
    y = x * x
    series = x * (1 / 12 - y * (1 / 360 - y * (1 / 1260 - y * (1 / 1680 - y / 1188))))
    return np.concatenate([np.array(few), np.exp(-series) / np.sqrt(2.0 * math.pi * k)])


def number_of_sorted_counts(n: int, parts: int) -> int:
    """Return how many vectors of so many counts, in descending order, sum to n; a lower bound where they are too many.

    Examples
    --------
    >>> number_of_sorted_counts(4, 2), number_of_sorted_counts(100, 3)
    (3, 884)
    """
    if parts == 2:
        return n // 2 + 1
    if parts == 3:
        return ((n + 3) ** 2 + 6) // 12
    bound = math.lgamma(n + parts) - math.lgamma(n + 1.0) - math.lgamma(parts) - math.lgamma(parts + 1.0)
    digits = int(bound / math.log(10.0))
    if digits > 13:  # a number of so many digits need not be known exactly
        return int("1" + min(digits, 300) * "0")
    ways = [1] + [0] * n  # as many as sums of numbers that are not larger than the number of counts
    for size in range(1, min(parts, n) + 1):
        for total in range(size, n + 1):
            ways[total] += ways[total - size]
    return ways[n]


class SortedCounts:
    """All vectors of K counts in descending order that sum to n.

    Attributes
    ----------
    vectors
        One per row.
    log_terms
        For each the logarithm of Π b(f_k) · number of its rearrangements: what it stands for in a sum over all vectors.

    Examples
    --------
    >>> SortedCounts(4, 2).vectors.tolist()
    [[2, 2], [3, 1], [4, 0]]
    >>> SortedCounts(4, 2).arrangements.tolist()
    [1.0, 2.0, 2.0]
    """

    def __init__(self, n: int, parts: int) -> None:
        self.n, self.parts = n, parts
        self.vectors = _sorted_counts(n, parts)

    def __len__(self) -> int:
        return len(self.vectors)

    @cached_property
    def arrangements(self) -> Floats:
        """The number of different orders of each vector: K! / Π (how often a count comes up)!."""
        log = np.full(len(self), math.lgamma(self.parts + 1.0))
        run = np.ones(len(self))
        for k in range(1, self.parts):
            run = np.where(self.vectors[:, k] == self.vectors[:, k - 1], run + 1.0, 1.0)
            log -= np.log(run)
        rounded: Floats = np.rint(np.exp(log)) if self.parts <= 15 else np.exp(log)
        return rounded

    @cached_property
    def log_powers(self) -> Floats:
        """Σ log b(f_k) for each vector."""
        return self.summed(np.log(powers_of_counts(self.n)))

    @cached_property
    def log_terms(self) -> Floats:
        """Σ log b(f_k) + log of the number of rearrangements, for each vector."""
        terms: Floats = self.log_powers + np.log(self.arrangements)
        return terms

    def summed(self, table: Floats) -> Floats:
        """Return Σ table[f_k] for each vector."""
        total = np.zeros(len(self))
        for k in range(self.parts):
            total += table[self.vectors[:, k]]
        return total


def _sorted_counts(n: int, parts: int) -> Integers:
    """List the vectors in ascending order of their first count, then the second, and so on."""
    columns: list[Integers] = []
    rest, most = np.array([n]), np.array([n])
    for left in range(parts, 0, -1):  # each vector so far goes on with every count that leaves the others room
        least = -(-rest // left)
        most = np.minimum(most, rest)
        choices = most - least + 1 if left > 1 else np.ones_like(rest)
        owner = np.repeat(np.arange(rest.size), choices)
        start = np.cumsum(choices) - choices
        count = least[owner] + np.arange(owner.size) - start[owner]
        columns = [column[owner] for column in columns] + [count]
        rest, most = rest[owner] - count, count
    return np.ascontiguousarray(np.stack(columns, axis=1))
