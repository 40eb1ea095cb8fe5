"""Extra tuples against the whole product space."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bnml
from bnml.errors import ArgumentError, GraphError
from bnml.relational import extra_tuples
from tests.relational import naive
from tests.relational.strategies import LESS, SHAPES, examples, graph_of, graphs


def test_the_lecture():
    chain = nx.Graph([("color", "shape"), ("shape", "size")])
    assert extra_tuples(chain, SHAPES) == 0
    assert extra_tuples(chain, LESS) == 1
    assert extra_tuples(nx.Graph(), SHAPES) == 4 * 3 * 3 - 10
    assert extra_tuples(nx.Graph([("color", "size"), ("size", "shape")]), SHAPES) == 6


@settings(max_examples=150, deadline=None)
@given(example=examples(most=5), data=st.data())
def test_definition(example, data):
    n = len(example.names)
    edges = data.draw(graphs(n))
    found = extra_tuples(graph_of(example.names, edges), example.frame, **example.arguments)
    assert found == pytest.approx(naive.extra(example.tuples, n, edges), abs=1e-9)
    assert isinstance(found, float if example.arguments else int)


def test_a_triangle_of_pairs_says_less_than_all_three():
    """Two of three always differ in the sum: every pair occurs, and four of eight tuples do."""
    odd = pd.DataFrame([(0, 0, 0), (0, 1, 1), (1, 0, 1), (1, 1, 0)], columns=list("abc"))
    assert extra_tuples(nx.complete_graph(["a", "b", "c"]), odd) == 0
    assert extra_tuples(nx.Graph([("a", "b"), ("b", "c")]), odd) == 4


@pytest.mark.parametrize("graph", [nx.path_graph(100), nx.star_graph(99), nx.Graph(), nx.cycle_graph(100)])
def test_wide_relations(graph):
    """A hundred attributes: two tuples that differ everywhere, and what their parts can be joined to."""
    data = bnml.read(np.array([[0] * 100, [1] * 100]))
    found = extra_tuples(nx.relabel_nodes(graph, "X{}".format), data)
    assert found == (0 if len(graph) else 2**100 - 2)


def test_counts_larger_than_a_machine_word():
    rows = np.array([[0] * 90, [1] * 90, [0, 1] * 45, [1, 0] * 45])
    path = nx.relabel_nodes(nx.path_graph(90), "X{}".format)
    assert extra_tuples(path, bnml.read(rows)) == 2**90 - 4


def test_kinds_of_graphs():
    chain = nx.MultiGraph([("color", "shape"), ("color", "shape"), ("shape", "size"), ("size", "size")])
    assert extra_tuples(chain, LESS) == 1
    with pytest.raises(GraphError, match="cycle"):
        extra_tuples(nx.DiGraph([("color", "shape"), ("shape", "color")]), LESS)
    with pytest.raises(GraphError, match="expected a networkx"):
        extra_tuples(7, LESS)
    for wrong in ([], ["color"], [()], "color", {"color": "shape"}):
        with pytest.raises(GraphError, match="graph"):
            extra_tuples(wrong, LESS)
    with pytest.raises(ArgumentError, match="graph: there is no column 'colour'"):
        extra_tuples([("colour", "shape")], LESS)
    with pytest.raises(ArgumentError, match="graph: there is no column 'colour'"):
        extra_tuples(bnml.DAG.parse("[colour]"), LESS)
    with pytest.raises(ArgumentError, match="graph: there is no column 'colour'"):
        extra_tuples(nx.Graph([("colour", "shape")]), LESS)
    with pytest.raises(ArgumentError, match="graph: there is no column 7"):
        extra_tuples(nx.Graph([(7, "shape")]), LESS)


@settings(max_examples=150, deadline=None)
@given(example=examples(most=4), data=st.data())
def test_any_sets_of_attributes(example, data):
    n = len(example.names)
    some = st.lists(st.integers(0, n - 1), min_size=1, max_size=n, unique=True)
    sets = data.draw(st.lists(some, min_size=1, max_size=4))
    domains = [sorted(example.frame[name].unique()) for name in example.names]
    found = extra_tuples([[example.names[i] for i in one] for one in sets], example.frame, **example.arguments)
    assert found == pytest.approx(naive.extra_of_sets(example.tuples, sets, domains), abs=1e-9)


@settings(max_examples=100, deadline=None)
@given(example=examples(most=4), data=st.data())
def test_a_dag_stands_for_its_families(example, data):
    n = len(example.names)
    edges = data.draw(graphs(n))  # from smaller to larger numbers: no cycle
    names = example.names
    sets = [[j, *(i for i, k in edges if k == j)] for j in range(n)]
    expected = naive.extra_of_sets(example.tuples, sets, [sorted({row[i] for row in example.tuples}) for i in range(n)])
    arcs = [(names[i], names[j]) for i, j in edges]
    assert extra_tuples(bnml.DAG(names, arcs), example.frame, **example.arguments) == pytest.approx(expected, abs=1e-9)
    assert extra_tuples(nx.DiGraph(arcs), example.frame, **example.arguments) == pytest.approx(expected, abs=1e-9)
