"""Checks of what graphs are given: other graphs, and masks; names are in `bnml.graph._names`."""

from __future__ import annotations

import operator
from collections.abc import Iterable
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
        raise ArgumentError(argument(what) + f" must be a DAG, got {_kind(graph)}")
    return graph


def require_pdag(graph: object, what: str) -> PDAG:
    """Refuse what is not a PDAG."""
    from bnml.graph.pdag import PDAG

    if not isinstance(graph, PDAG):
        raise ArgumentError(argument(what) + f" must be a PDAG, got {_kind(graph)}")
    return graph


def graph_of(given: object, what: str) -> DAG | PDAG:
    """Return a graph, or that of a network or of a result: its DAG or, if it has none, its PDAG."""
    from bnml.graph.dag import DAG
    from bnml.graph.pdag import PDAG

    if isinstance(given, DAG | PDAG):
        return given
    for name in ("dag", "pdag", "cpdag"):
        graph = getattr(given, name, None)
        if isinstance(graph, DAG | PDAG):
            return graph
    raise ArgumentError(argument(what) + f" must be a DAG or PDAG, got {type(given).__name__}")


def _kind(graph: object) -> str:
    hints = {"DAG": "DAG; take its .cpdag()", "PDAG": "PDAG; take its .to_dag()", "str": "str; DAG.parse reads a text"}
    kind = type(graph).__name__
    return hints.get(kind, kind)


def require_same_variables(first: Iterable[str], second: Iterable[str]) -> None:
    """Refuse arguments that are not about the same variables: two graphs, or a graph and a list of names."""
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


def checked_masks(values: Iterable[int], what: str) -> list[int]:
    """Check the masks that a graph is given, and return them as Python integers."""
    try:
        return [operator.index(value) for value in values]
    except TypeError:
        raise GraphError(f"{what} must be whole numbers, got {values!r}") from None
