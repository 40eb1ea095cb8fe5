"""How many DAGs there are, after Robinson (1973), and how many of them have complete components."""

from __future__ import annotations

from fractions import Fraction
from math import comb
from typing import Any

from bnml._checks import is_number
from bnml.errors import ArgumentError, argument


def count_dags(n: int) -> int:
    """Return the exact number of DAGs on n labelled nodes.

    Parameters
    ----------
    n : int
        The number of nodes, 0 or more; a float that is a whole number will do.

    Returns
    -------
    int
        1, 1, 3, 25, 543, 29281, 3781503, ...

    Raises
    ------
    ArgumentError
        If n is not a whole number, or negative.

    Notes
    -----
    Some i nodes have no parents, and each may have an arc to any of the other n - i; inclusion and exclusion over these
    sets gives ``f(n) = sum_i (-1)^(i+1) C(n, i) 2^(i (n-i)) f(n-i)`` with f(0) = 1.

    Examples
    --------
    >>> from bnml.graph import count_dags
    >>> [count_dags(n) for n in range(7)]
    [1, 1, 3, 25, 543, 29281, 3781503]
    """
    return int(sum_over_dags(_size(n), 1))


def sum_over_dags(n: int, weight: int | Fraction) -> int | Fraction:
    """Return the sum over all DAGs on n labelled nodes of weight^(number of arcs), exactly.

    As `count_dags`, with ``(1 + weight)^(i (n-i))`` in place of ``2^(i (n-i))``: each arc is there or not.
    """
    sums: list[int | Fraction] = [1]
    either = 1 + weight
    for k in range(1, n + 1):
        terms = (comb(k, i) * sums[k - i] * either ** (i * (k - i)) for i in range(1, k + 1))
        sums.append(sum(term if i % 2 else -term for i, term in enumerate(terms, 1)))
    return sums[n]


def count_complete_component_networks(n: int) -> int:
    """Return the exact number of DAGs on n labelled nodes whose connected components are complete.

    For these the quotient NML is the NML of the whole network (qNML paper, theorem 9): each component is one variable
    in disguise.

    Parameters
    ----------
    n : int
        As for `count_dags`.

    Returns
    -------
    int
        1, 1, 3, 13, 73, 501, ...

    Notes
    -----
    A complete DAG is an order of its nodes, so these are the ways to put n things into any number of ordered lists.

    Examples
    --------
    >>> from bnml.graph import count_complete_component_networks
    >>> [count_complete_component_networks(n) for n in range(7)]
    [1, 1, 3, 13, 73, 501, 4051]
    """
    size = _size(n)
    before, now = 1, 1
    for k in range(2, size + 1):
        before, now = now, (2 * k - 1) * now - (k - 1) * (k - 2) * before
    return now


def _size(n: Any) -> int:
    if not is_number(n) or n % 1 != 0:  # the remainder of inf and of nan is nan
        raise ArgumentError(argument("n") + f" must be a whole number, got {n!r}")
    if n < 0:
        raise ArgumentError(argument("n") + f" must be 0 or more, got {n!r}")
    return int(n)
