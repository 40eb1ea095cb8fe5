"""Consistent extensions."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from bnml.errors import GraphError
from bnml.graph import DAG, PDAG

from . import naive
from .strategies import pdags


@settings(max_examples=200, deadline=None)
@given(pdags())
def test_finds_an_extension_exactly_when_there_is_one(graph):
    members = naive.extensions(frozenset(graph.directed), frozenset(map(frozenset, graph.undirected)))
    if members:
        assert frozenset(graph.to_dag().arcs) in members
    else:
        with pytest.raises(GraphError, match="no consistent extension"):
            graph.to_dag()


def test_early_names_come_first():
    triangle = [("A", "B"), ("B", "C"), ("A", "C")]
    assert PDAG(["A", "B", "C"], [], triangle).to_dag() == DAG.parse("[A][B|A][C|A:B]")
    assert PDAG(["C", "B", "A"], [], triangle).to_dag() == DAG.parse("[C][B|C][A|B:C]")
