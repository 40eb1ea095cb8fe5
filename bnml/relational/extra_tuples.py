"""How good a decomposition is: the tuples it adds to a relation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from bnml._text import clip
from bnml.data.table import not_in_table
from bnml.errors import GraphError
from bnml.relational.cliques import maximal_cliques
from bnml.relational.hartley import average_over_levels
from bnml.relational.join import Joins
from bnml.relational.relation import Relation, relation_of

if TYPE_CHECKING:
    import networkx as nx

__all__ = ["Cuts", "extra_tuples"]


def extra_tuples(graph: nx.Graph[Any], data: Any, *, possibility: str | None = None) -> int | float:
    """Return how many tuples the decomposition of a relation into a graph's maximal cliques adds to it.

    Parameters
    ----------
    graph
        A ``networkx.Graph`` whose nodes are columns; an attribute that is no node has no edges.
    data, possibility
        As for `bnml.relational.hartley_information`.

    Returns
    -------
    int or float
        The number of tuples that are not in the relation though all their projections to maximal cliques are: 0 for a
        perfect decomposition. With degrees, the sum over all tuples of the degree that the decomposition gives them,
        the smallest of their projections', minus their own.

    Raises
    ------
    BnmlError
        If the table cannot be read, the graph is directed or names something else, or the number cannot be had: for a
        graph with circles of four and more attributes that no edge cuts short, a large join may be needed.

    Notes
    -----
    Lecture 003, part 1, method 1. Nothing is listed: see `bnml.relational.join`.

    Examples
    --------
    >>> import bnml, networkx, pandas
    >>> shapes = pandas.DataFrame({"shape": ["ball", "ball", "box", "box"], "size": ["S", "M", "M", "L"]})
    >>> apart = networkx.Graph()
    >>> bnml.relational.extra_tuples(apart, shapes)       # 2 · 3 - 4
    2
    >>> degrees = shapes.assign(degree=[1.0, 0.8, 1.0, 0.2])
    >>> round(bnml.relational.extra_tuples(apart, degrees, possibility="degree"), 3)
    1.4
    """
    import networkx as nx

    if not isinstance(graph, nx.Graph) or graph.is_directed():
        raise GraphError(f"graph: expected a networkx.Graph without directions, not {clip(type(graph).__name__)}")
    relation = relation_of(data, possibility, "bnml.relational.extra_tuples")
    for node in graph.nodes:
        if node not in relation.names:
            raise not_in_table("graph", node, relation.names)
    places = {name: i for i, name in enumerate(relation.names)}
    return Cuts(relation).extra(maximal_cliques(len(places), [(places[e[0]], places[e[1]]) for e in graph.edges]))


class Cuts:
    """The cuts of a relation at its degrees, with the joins of each; ``room`` is memory for what many graphs need."""

    def __init__(self, relation: Relation, room: int = 0) -> None:
        self.graded = relation.graded
        self.levels = np.unique(relation.degrees)[::-1]
        cuts = [relation.cut(level) for level in self.levels.tolist()]
        self.joins = [Joins(cut, room // len(cuts)) for cut in cuts]

    def extra(self, cliques: list[list[int]]) -> int | float:
        """Return the number of tuples that a decomposition adds, averaged over the levels."""
        counts = [joins.count(cliques) - joins.relation.n_tuples for joins in self.joins]
        if not self.graded:
            return counts[0]
        return average_over_levels(self.levels, lambda last: np.array([float(counts[i]) for i in last.tolist()]))
