"""Graphs from and to networkx, which is loaded only when one of these functions runs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from bnml.errors import GraphError

if TYPE_CHECKING:
    import networkx as nx

    Named = tuple[list[str], list[tuple[str, str]]]


def directed_networkx(names: Iterable[str], arcs: Iterable[tuple[str, str]]) -> nx.DiGraph[str]:
    """Return a ``networkx.DiGraph`` with nodes and arcs in this order."""
    import networkx as nx

    graph: nx.DiGraph[str] = nx.DiGraph()
    graph.add_nodes_from(names)
    graph.add_edges_from(arcs)
    return graph


def arcs_from_networkx(graph: nx.DiGraph[str]) -> Named:
    """Return the nodes and arcs of a directed networkx graph with strings as nodes."""
    import networkx as nx

    if not isinstance(graph, nx.DiGraph):
        raise GraphError(f"graph must be a networkx.DiGraph, got {type(graph).__name__}")
    nodes = list(graph.nodes)
    odd = [node for node in nodes if not isinstance(node, str)]
    if odd:
        raise GraphError(
            f"the networkx graph has the node {odd[0]!r}; names of variables are strings."
            " networkx.relabel_nodes(graph, str) makes them so."
        )
    return nodes, [(arc[0], arc[1]) for arc in graph.edges]  # a multigraph's edges carry a key as third entry
