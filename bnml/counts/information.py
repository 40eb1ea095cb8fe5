"""Information measures of a table: entropy, mutual information, Kullback-Leibler divergence.

All are of the empirical distribution, in nats. Variables are named; several together count as one.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from bnml.counts.tables import occupied
from bnml.data import Data, as_data
from bnml.errors import ArgumentError, quoted

__all__ = ["conditional_entropy", "entropy", "kl_divergence", "mutual_information"]

Names = str | Iterable[str]


def entropy(data: Any, variables: Names) -> float:
    """Return the entropy of a variable, or the joint entropy of several: H = -Σ p log p.

    Examples
    --------
    >>> import numpy
    >>> from bnml.counts.information import entropy
    >>> round(entropy(numpy.array([[0], [1], [1], [0]]), "X0"), 4)
    0.6931
    """
    table = as_data(data)
    return _entropy(table, table.indices(variables))


def conditional_entropy(data: Any, variables: Names, given: Names) -> float:
    """Return the expected entropy once ``given`` is known: H(X | Y) = H(X, Y) - H(Y)."""
    table = as_data(data)
    x, y = table.indices(variables), table.indices(given)
    return max(0.0, _entropy(table, (*x, *y)) - _entropy(table, y))


def mutual_information(data: Any, a: Names, b: Names, given: Names = ()) -> float:
    """Return the (conditional) mutual information: I(A; B | C) = H(A | C) - H(A | B, C).

    Raises
    ------
    ArgumentError
        If a variable is unknown, or stands in two of the three places.

    Examples
    --------
    >>> import numpy
    >>> from bnml.counts.information import mutual_information
    >>> round(mutual_information(numpy.array([[0, 0], [1, 1], [1, 1], [0, 1]]), "X0", "X1"), 4)
    0.2158
    """
    table = as_data(data)
    x, y, z = table.indices(a), table.indices(b), table.indices(given)
    if len({*x, *y, *z}) < len(x) + len(y) + len(z):
        raise ArgumentError("mutual_information: the variables of a, b and given must differ")
    h = _entropy
    return max(0.0, h(table, (*x, *z)) + h(table, (*y, *z)) - h(table, (*x, *y, *z)) - h(table, z))


def _entropy(data: Data, variables: tuple[int, ...]) -> float:
    counts = occupied(data, sorted(set(variables))).counts.astype(np.float64)
    return max(0.0, math.log(data.n_rows) - float((counts * np.log(counts)).sum()) / data.n_rows)


def kl_divergence(p: Any, q: Any) -> float:
    """Return the Kullback-Leibler divergence of two tables: Σ p log(p / q); infinite where q rules out what p has.

    Parameters
    ----------
    p, q
        Tables over the same variables; their labels are matched by text.

    Examples
    --------
    >>> import numpy
    >>> from bnml.counts.information import kl_divergence
    >>> round(kl_divergence(numpy.array([[0], [0], [0], [1]]), numpy.array([[0], [1]])), 4)
    0.1308
    """
    first, second = as_data(p), as_data(q)
    if set(first.names) != set(second.names):
        raise ArgumentError(
            f"kl_divergence: the tables differ in their columns: {quoted(first.names)} and {quoted(second.names)}"
        )
    other = second.select(first.names)
    frequency = {tuple(row): weight for row, weight in zip(_texts(other), other.weights.tolist(), strict=True)}
    total = 0.0
    for row, weight in zip(_texts(first), first.weights.tolist(), strict=True):
        found = frequency.get(tuple(row), 0)
        if not found:
            return math.inf
        total += weight / first.n_rows * math.log(weight / first.n_rows / (found / other.n_rows))
    return max(0.0, total)


def _texts(data: Data) -> list[list[str]]:
    from bnml.data.labels import label_text

    columns = [
        np.array([label_text(s) for s in labels], object)[codes]
        for labels, codes in zip(data.states, data.columns, strict=True)
    ]
    return [list(row) for row in zip(*columns, strict=True)]
