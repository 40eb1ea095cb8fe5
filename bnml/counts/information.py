"""Information measures of a table: entropy, mutual information, Kullback-Leibler divergence.

All are of the empirical distribution, in nats. Variables are named; several together count as one.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from bnml._text import quoted
from bnml.counts.counts import Counts, counts_of
from bnml.data import Data, as_data
from bnml.data.data import refuse_gaps
from bnml.errors import ArgumentError, function

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
    refuse_gaps(table, function("bnml.information.entropy"))
    return _entropy(table, table.indices(variables))


def conditional_entropy(data: Any, variables: Names, given: Names) -> float:
    """Return the information that is missing where ``given`` is known, the conditional entropy H(X, Y) - H(Y)."""
    table = as_data(data)
    refuse_gaps(table, function("bnml.information.conditional_entropy"))
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
    refuse_gaps(table, function("bnml.information.mutual_information"))
    x, y, z = table.indices(a), table.indices(b), table.indices(given)
    if len({*x, *y, *z}) < len(x) + len(y) + len(z):
        raise ArgumentError("mutual_information: the variables of a, b and given must differ")
    h = _entropy
    return max(0.0, h(table, (*x, *z)) + h(table, (*y, *z)) - h(table, (*x, *y, *z)) - h(table, z))


def _entropy(data: Data, variables: tuple[int, ...]) -> float:
    counts = counts_of(data).cells(sorted(set(variables))).counts.astype(np.float64)
    return max(0.0, math.log(data.n_rows) - float((counts * np.log(counts)).sum()) / data.n_rows)


def kl_divergence(p: Any, q: Any) -> float:
    """Return the information lost where q stands for a table p: the Kullback-Leibler divergence Σ p log(p / q).

    It is in nats, and infinite where q rules out what p has.

    Parameters
    ----------
    p
        A table.
    q
        A table over the same variables, or a `bnml.BayesianNetwork` over them; labels are matched by text.

    Examples
    --------
    >>> import bnml, numpy
    >>> from bnml.counts.information import kl_divergence
    >>> round(kl_divergence(numpy.array([[0], [0], [0], [1]]), numpy.array([[0], [1]])), 4)
    0.1308
    >>> clinic = bnml.example()
    >>> round(kl_divergence(clinic, bnml.learn(clinic).network), 4)
    0.0082
    """
    first = as_data(p)
    refuse_gaps(first, function("bnml.information.kl_divergence"))
    if hasattr(q, "log_prob") and hasattr(q, "names"):
        _same_columns(first.names, q.names)
        log_q = float(q.log_prob(first).sum()) / first.n_rows
        entropy = _entropy(first, tuple(range(len(first.names))))
        return math.inf if log_q == -math.inf else max(0.0, -entropy - log_q)
    second = as_data(q)
    refuse_gaps(second, function("bnml.information.kl_divergence"))
    _same_columns(first.names, second.names)
    here, there = counts_of(first), counts_of(second)
    frequency = _frequencies(there, [second.index(name) for name in first.names])
    total = 0.0
    for row, count in _frequencies(here, range(len(first.names))).items():
        found = frequency.get(row, 0)
        if not found:
            return math.inf
        total += count / first.n_rows * math.log(count / first.n_rows / (found / second.n_rows))
    return max(0.0, total)


def _same_columns(p: Sequence[str], q: Sequence[str]) -> None:
    if set(p) != set(q):
        raise ArgumentError(f"kl_divergence: p and q differ in their variables: {quoted(p)} and {quoted(q)}")


def _frequencies(counts: Counts, variables: Sequence[int]) -> dict[tuple[str, ...], int]:
    """Return how often each configuration occurs, by its labels."""
    from bnml.data.labels import label_text

    cells = counts.cells(variables)
    texts = [
        np.array([label_text(label) for label in counts.states[v]], object)[states]
        for v, states in zip(variables, cells.states, strict=True)
    ]
    return dict(zip(zip(*texts, strict=True), cells.counts.tolist(), strict=True))
