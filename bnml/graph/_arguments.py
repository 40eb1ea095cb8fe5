"""Checks of what graphs are given: names, pairs of names, and other graphs."""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING

from bnml._text import quoted
from bnml.errors import ArgumentError, GraphError, argument

if TYPE_CHECKING:
    from bnml.graph.dag import DAG
    from bnml.graph.pdag import PDAG


def require_dag(graph: object, what: str) -> DAG:
    """Refuse what is not a DAG."""
    from bnml.graph.dag import DAG

    if not isinstance(graph, DAG):
        raise ArgumentError(f"{argument(what)} must be a DAG, got {_kind(graph)}")
    return graph


def require_pdag(graph: object, what: str) -> PDAG:
    """Refuse what is not a PDAG."""
    from bnml.graph.pdag import PDAG

    if not isinstance(graph, PDAG):
        raise ArgumentError(f"{argument(what)} must be a PDAG, got {_kind(graph)}")
    return graph


def _kind(graph: object) -> str:
    hints = {"DAG": "DAG; take its .cpdag()", "PDAG": "PDAG; take its .to_dag()", "str": "str; DAG.parse reads a text"}
    kind = type(graph).__name__
    return hints.get(kind, kind)


def require_same(first: Iterable[str], second: Iterable[str]) -> None:
    """Refuse two graphs, or a graph and a list of names, that are not about the same variables."""
    ones, others = dict.fromkeys(first), dict.fromkeys(second)
    parts = []
    for which, extra in (
        ("first", [name for name in ones if name not in others]),
        ("second", [name for name in others if name not in ones]),
    ):
        if extra:
            parts.append(f"only the {which} has {quoted(extra)}")
    if parts:
        raise GraphError(f"the variables differ: {'; '.join(parts)}. Both must be about the same variables.")


def checked_integers(values: Iterable[int], what: str) -> list[int]:
    """Return whole numbers as Python integers, and refuse anything else."""
    try:
        return [operator.index(value) for value in values]
    except TypeError:
        raise GraphError(f"{what} must be whole numbers, got {values!r}") from None


def checked_pairs(pairs: Iterable[Collection[str]], what: str, *, ordered: bool = True) -> list[tuple[str, str]]:
    """Return pairs of two different names; a pair without direction may also come as a set."""
    if isinstance(pairs, str) or not isinstance(pairs, Iterable):
        raise GraphError(f"{what} must be a list of pairs of names such as [('A', 'B')], got {pairs!r}")
    return [_checked_pair(pair, what, ordered) for pair in pairs]


def _checked_pair(pair: Collection[str], what: str, ordered: bool) -> tuple[str, str]:
    unfit = (str, set, frozenset, dict) if ordered else (str, dict)  # a set has no first and second
    if isinstance(pair, unfit) or not isinstance(pair, Collection) or len(pair) != 2:
        raise GraphError(f"{what} must be pairs of names such as ('A', 'B'), got {pair!r}")
    a, b = pair if ordered else sorted(pair, key=str)
    for name in (a, b):
        check_name(name, what)
    if a == b:
        raise GraphError(f"{what} join {a!r} to itself; an arc or link needs two different variables")
    return str(a), str(b)


def check_name(name: object, what: str) -> None:
    """Check that something can be the name of a variable of a graph."""
    if not isinstance(name, str) or not name:
        raise GraphError(f"{what} hold {name!r}; the name of a variable is a non-empty string")


def listed_names(names: Iterable[str], what: str) -> tuple[str, ...]:
    """Return names as a tuple; there may be none, and some may be there twice."""
    if isinstance(names, str) or not isinstance(names, Iterable):
        raise GraphError(f"{what} must be a list of names such as ['A', 'B'], got {names!r}")
    result = tuple(names)
    for name in result:
        check_name(name, what)
    return result


def checked_names(names: Iterable[str], what: str) -> tuple[str, ...]:
    result = listed_names(names, what)
    if not result:
        raise GraphError(f"{what} is empty; a graph needs at least one variable")
    twice = [name for name, count in Counter(result).items() if count > 1]
    if twice:
        raise GraphError(f"{what} must be unique; more than once there: {quoted(twice)}")
    return tuple(str(name) for name in result)
