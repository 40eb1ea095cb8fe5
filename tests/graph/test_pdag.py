"""PDAGs as values."""

from __future__ import annotations

import pickle

import pytest
from hypothesis import given, settings

from bnml.errors import ArgumentError, GraphError
from bnml.graph import DAG, PDAG

from .strategies import pdags


def test_parts():
    graph = PDAG(["D", "C", "B", "A"], [("A", "B"), ("C", "B")], [("A", "D"), frozenset("CD")])
    assert graph.directed == (("C", "B"), ("A", "B"))
    assert graph.undirected == (("D", "C"), ("D", "A"))
    assert graph.parents("B") == ("C", "A")
    assert graph.children("A") == ("B",)
    assert graph.neighbours("D") == ("C", "A")
    assert graph.skeleton() == (("D", "C"), ("D", "A"), ("C", "B"), ("B", "A"))
    assert str(graph) == "C -> B, A -> B, D - C, D - A"
    assert repr(graph).startswith("<PDAG of 4 variables with 2 directed and 2 undirected edges: C -> B")
    with pytest.raises(ArgumentError, match="'E'"):
        graph.neighbours("E")


def test_equal_by_value():
    a = PDAG(["A", "B", "C"], [("A", "B")], [("B", "C")])
    b = PDAG(["C", "B", "A"], [("A", "B"), ("A", "B")], [("C", "B"), ("B", "C")])
    assert a == b
    assert hash(a) == hash(b)
    assert a != PDAG(["A", "B", "C"], [("A", "B"), ("B", "C")])
    assert a != PDAG(["A", "B", "D"], [("A", "B")], [("B", "D")])
    assert PDAG(["A"]) != DAG(["A"])
    assert str(PDAG(["A"])) == "no edges"


@pytest.mark.parametrize(
    ("directed", "undirected", "message"),
    [
        ([("A", "B"), ("B", "A")], [], "A -> B is there both ways"),
        ([("A", "B")], [("B", "A")], "A - B is both directed and undirected"),
        ([], [("A", "A")], "undirected join 'A' to itself"),
        ([], [{"A"}], "undirected must be pairs"),
        ([("A", "Z")], [], "directed name 'Z'"),
        ([], ["AB"], "undirected must be pairs"),
    ],
)
def test_refused(directed, undirected, message):
    with pytest.raises(GraphError, match=message):
        PDAG(["A", "B"], directed, undirected)


@pytest.mark.parametrize(
    ("parents", "neighbours", "message"),
    [
        ([0], [0, 0], "2 variables"),
        ([0b100, 0], [0, 0], "0 to 1"),
        ([0b01, 0], [0, 0], "not its own"),
        ([0, 0], [0b10, 0], "symmetric"),
    ],
)
def test_bad_masks(parents, neighbours, message):
    with pytest.raises(GraphError, match=message):
        PDAG.from_masks(["A", "B"], parents, neighbours)


@settings(max_examples=60, deadline=None)
@given(pdags())
def test_round_trips(graph):
    assert pickle.loads(pickle.dumps(graph)) == graph
    assert PDAG.from_masks(graph.names, graph.parent_masks, graph.neighbour_masks) == graph
    assert graph.reordered(graph.names[::-1]) == graph


def test_is_cpdag():
    assert DAG.parse("[A][C][B|A:C][D|B]").cpdag().is_cpdag()
    assert not PDAG(["A", "B", "C"], [("A", "B")], [("B", "C")]).is_cpdag(), "B -> C follows"
    square = [("A", "B"), ("B", "C"), ("C", "D"), ("D", "A")]
    assert not PDAG(list("ABCD"), [], square).is_cpdag()
    assert not PDAG(list("ABCD"), square).is_cpdag(), "a directed cycle"
