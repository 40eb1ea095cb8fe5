"""How good a decomposition is: the tuples it adds to a relation."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from bnml._text import clip
from bnml.data.labels import name_not_in_table
from bnml.errors import GraphError
from bnml.graph import DAG
from bnml.relational.cliques import maximal_cliques
from bnml.relational.hartley import average_over_levels
from bnml.relational.join import Joins
from bnml.relational.relation import Relation, relation_of

if TYPE_CHECKING:
    import networkx as nx

ROOM = 1 << 28  # bytes for joins that many graphs need


def extra_tuples(
    graph: nx.Graph[Any] | DAG | Iterable[Iterable[str]], data: Any, *, possibility: str | None = None
) -> int | float:
    """Return how many tuples a decomposition of a relation adds to it.

    Parameters
    ----------
    graph
        What the relation is projected to. A ``networkx.Graph``: the maximal cliques; its nodes are columns, and an
        attribute that is no node has no edges. A `bnml.DAG` or ``networkx.DiGraph``: each attribute with its parents.
        Sets of names, in a list: these; an attribute in none of them may have any of its values.
    data, possibility
        As for `bnml.relational.hartley_information`.

    Returns
    -------
    int or float
        The number of tuples that are not in the relation though all their projections are: 0 for a perfect
        decomposition. With degrees, the sum over all tuples of the degree that the decomposition gives them, the
        smallest of their projections', minus their own.

    Raises
    ------
    BnmlError
        If the table cannot be read, the graph names something else or has a directed cycle, or the number cannot be
        had: for a graph with circles of four and more attributes that no edge cuts short, a large join may be needed.

    Notes
    -----
    Lecture 003, part 1, method 1, for any family of subsets. Nothing is listed: see `bnml.relational.join`. What is
    possible given the parents is what is possible together with them, so a DAG stands for its families.

    Examples
    --------
    >>> import bnml, networkx, pandas
    >>> shapes = pandas.DataFrame({"shape": ["ball", "ball", "box", "box"], "size": ["S", "M", "M", "L"]})
    >>> apart = networkx.Graph()
    >>> bnml.relational.extra_tuples(apart, shapes)       # 2 · 3 - 4
    2
    >>> bnml.relational.extra_tuples(bnml.DAG.parse("[shape][size|shape]"), shapes)
    0
    >>> bnml.relational.extra_tuples([{"shape"}], shapes)
    2
    >>> degrees = shapes.assign(degree=[1.0, 0.8, 1.0, 0.2])
    >>> round(bnml.relational.extra_tuples(apart, degrees, possibility="degree"), 3)
    1.4
    """
    relation = relation_of(data, possibility, "bnml.relational.extra_tuples")
    return Cuts(relation).extra(_projected_sets(graph, relation))


def _projected_sets(graph: Any, relation: Relation) -> list[list[int]]:
    """Return the sets of attributes, by position, that a graph, a DAG or a list of sets stands for."""
    import networkx as nx

    places = {name: i for i, name in enumerate(relation.names)}

    def place(name: Any) -> int:
        if not isinstance(name, str) or name not in places:
            raise name_not_in_table("graph", name, relation.names)
        return places[name]

    if isinstance(graph, nx.Graph) and not graph.is_directed():
        for node in graph.nodes:
            place(node)
        return maximal_cliques(len(places), [(place(a), place(b)) for a, b, *_ in graph.edges])
    if isinstance(graph, nx.DiGraph):
        if not nx.is_directed_acyclic_graph(graph):
            raise GraphError("a directed graph must not have a cycle", argument="graph")
        families: Iterable[Any] = [(x, *graph.predecessors(x)) for x in graph.nodes]
    elif isinstance(graph, DAG):
        families = [(x, *graph.parents(x)) for x in graph.names]
    elif isinstance(graph, Iterable) and not isinstance(graph, str | Mapping):
        sets = list(graph)
        if not sets or any(isinstance(one, str) or not isinstance(one, Iterable) or not one for one in sets):
            raise GraphError("expected sets of names, at least one, and none of them empty", argument="graph")
        return [sorted({place(name) for name in one}) for one in sets]
    else:
        raise GraphError(
            f"expected a networkx.Graph, a DAG or a list of sets of names, not {clip(type(graph).__name__)}",
            argument="graph",
        )
    found = [sorted({place(name) for name in family}) for family in families]
    covered = {i for one in found for i in one}
    return [*found, *([i] for i in range(len(places)) if i not in covered)]


class Cuts:
    """The cuts of a relation at its degrees, with the joins of each; ``room`` is memory for what many graphs need."""

    def __init__(self, relation: Relation, room: int = 0) -> None:
        self.graded = relation.graded
        self.levels = np.unique(relation.degrees)[::-1]
        cuts = [relation.cut(level) for level in self.levels.tolist()]
        self.joins = [Joins(cut, room // len(cuts)) for cut in cuts]

    def extra(self, sets: Sequence[Sequence[int]]) -> int | float:
        """Return the number of tuples that a decomposition adds, averaged over the levels."""
        covered = {i for one in sets for i in one}
        free = math.prod(r for i, r in enumerate(self.joins[0].relation.arities) if i not in covered)
        counts = [free * joins.count(sets) - joins.relation.n_tuples for joins in self.joins]
        if not self.graded:
            return counts[0]
        return average_over_levels(self.levels, lambda last: np.array([float(counts[i]) for i in last.tolist()]))
