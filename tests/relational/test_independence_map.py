"""Independence maps: gains given all other attributes."""

from __future__ import annotations

import itertools
import math

import networkx as nx
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from bnml.errors import ArgumentError
from bnml.relational import extra_tuples, independence_map
from tests.relational import naive
from tests.relational.strategies import LESS, SHAPES, edges_of, examples, links


def test_the_lecture():
    tree = independence_map(LESS)
    assert edges_of(tree) == links("color-shape", "shape-size")
    assert tree.edges["color", "shape"]["weight"] == pytest.approx(math.log2(12 / 5) / 3)
    assert edges_of(independence_map(LESS, 0.2)) == links("color-shape", "shape-size")
    assert edges_of(independence_map(LESS, 0)) == links("color-shape", "shape-size", "color-size")
    assert edges_of(independence_map(LESS, 0.41)) == links("color-shape")
    assert edges_of(independence_map(SHAPES, 0)) == links("color-shape", "shape-size")
    assert list(independence_map(SHAPES, 5).nodes) == ["color", "shape", "size"]
    assert extra_tuples(independence_map(SHAPES, 0), SHAPES) == 0


@settings(max_examples=40, deadline=None)
@given(example=examples(most=5), lecture=st.booleans())
def test_definition(example, lecture):
    names, n = example.names, len(example.names)
    assume(not lecture or max(example.tuples.values()) == 1.0)
    gain_of = naive.lecture_gain if lecture else naive.gain
    arguments = {**example.arguments, **({"measure": "lecture"} if lecture else {})}
    gains = {}
    for i, j in itertools.combinations(range(n), 2):
        gains[i, j] = gain_of(example.tuples, i, j, [k for k in range(n) if k not in (i, j)])
    for threshold in (0, 0.3):
        graph = independence_map(example.frame, threshold, **arguments)
        for (i, j), gain in gains.items():
            if abs(gain - threshold) > 1e-9:
                assert graph.has_edge(names[i], names[j]) == (gain > threshold)
            if graph.has_edge(names[i], names[j]):
                assert graph.edges[names[i], names[j]]["weight"] == pytest.approx(gain, abs=1e-12)
    tree = independence_map(example.frame, **arguments)
    assert nx.is_tree(tree)
    assert tree.size("weight") == pytest.approx(naive.best_tree_weight(n, gains, max), abs=1e-9)


@settings(max_examples=40, deadline=None)
@given(example=examples(most=3, least=3))
def test_independence_is_exact(example):
    """Of three attributes two are independent given the third exactly if the graph without their edge is perfect."""
    graph = independence_map(example.frame, 0, **example.arguments)
    a, b, c = example.names
    perfect = extra_tuples(nx.Graph([(a, b), (b, c)]), example.frame, **example.arguments) == 0
    assert graph.has_edge(a, c) != perfect


@pytest.mark.parametrize("threshold", [-0.1, math.nan, math.inf, "0.1", True])
def test_threshold(threshold):
    with pytest.raises(ArgumentError, match="threshold="):
        independence_map(SHAPES, threshold)
