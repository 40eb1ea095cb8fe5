"""Maximal cliques of an undirected graph."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import networkx as nx


def maximal_cliques(n: int, edges: Iterable[tuple[int, int]]) -> list[list[int]]:
    """Return the maximal cliques of the graph on n numbers, in order."""
    import networkx as nx

    graph: nx.Graph[int] = nx.Graph()
    graph.add_nodes_from(range(n))
    graph.add_edges_from(edge for edge in edges if edge[0] != edge[1])
    return sorted(sorted(clique) for clique in nx.find_cliques(graph))
