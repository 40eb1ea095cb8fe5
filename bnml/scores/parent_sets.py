"""The parents of each column in a structure, by number."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bnml._text import quoted
from bnml.errors import ArgumentError
from bnml.graph import DAG


def check_dag(dag: Any) -> None:
    """Refuse to take the parent sets of what is not a structure."""
    if not isinstance(dag, DAG):
        raise ArgumentError(f"expected a DAG, got {type(dag).__name__}: make one with bnml.DAG.parse('[A][B|A]')")


def parent_sets(dag: DAG, names: Sequence[str], what: str = "data") -> list[tuple[int, ...]]:
    """Return for each column of a table the columns that are its parents in a structure.

    Raises
    ------
    ArgumentError
        If graph and table, which ``what`` names, have different variables.
    """
    check_dag(dag)
    at = {name: column for column, name in enumerate(names)}
    if set(dag.names) != set(at):
        only_graph = [name for name in dag.names if name not in at]
        only_table = [name for name in names if name not in set(dag.names)]
        differences = [f"only the graph has {quoted(only_graph)}"] if only_graph else []
        differences += [f"only the {what} have {quoted(only_table)}"] if only_table else []
        raise ArgumentError(f"graph and {what} must have the same variables: {'; '.join(differences)}")
    column = [at[name] for name in dag.names]
    sets: list[tuple[int, ...]] = [()] * len(column)
    for i, parents in enumerate(dag.parent_sets):
        sets[column[i]] = tuple(sorted(column[p] for p in parents))
    return sets
