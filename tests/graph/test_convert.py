"""Graphs from and to networkx."""

from __future__ import annotations

import networkx as nx
import pytest
from hypothesis import given, settings

from bnml.errors import GraphError
from bnml.graph import DAG, PDAG
from bnml.graph.convert import arcs_from_networkx, directed_networkx

from .strategies import dags, pdags


def test_order_is_kept():
    graph = directed_networkx(["B", "C", "A"], [("C", "B"), ("A", "B")])
    assert list(graph.nodes) == ["B", "C", "A"]
    assert set(graph.edges) == {("C", "B"), ("A", "B")}
    assert arcs_from_networkx(graph) == (["B", "C", "A"], [("C", "B"), ("A", "B")])


@settings(max_examples=40, deadline=None)
@given(dags())
def test_a_dag_comes_back(dag):
    back = DAG.from_networkx(dag.to_networkx())
    assert back == dag
    assert back.names == dag.names


@settings(max_examples=60, deadline=None)
@given(pdags())
def test_a_pdag_comes_back(graph):
    back = PDAG.from_networkx(graph.to_networkx())
    assert back == graph
    assert back.names == graph.names


def test_bad_networkx_graphs():
    with pytest.raises(GraphError, match=r"node 1; .*relabel_nodes"):
        DAG.from_networkx(nx.DiGraph([(1, 2)]))
    with pytest.raises(GraphError, match=r"networkx\.DiGraph, got Graph"):
        DAG.from_networkx(nx.Graph([("A", "B")]))
    with pytest.raises(GraphError, match="cycle"):
        DAG.from_networkx(nx.DiGraph([("A", "B"), ("B", "A")]))
    assert DAG.from_networkx(nx.MultiDiGraph([("A", "B"), ("A", "B")])).arcs == (("A", "B"),)


def test_loops_are_refused():
    with pytest.raises(GraphError, match="itself"):
        PDAG.from_networkx(nx.DiGraph([("A", "A")]))
