"""Kruskal's trees."""

from __future__ import annotations

import itertools

import networkx as nx
import pandas as pd
import pytest
from hypothesis import assume, given, settings

from bnml.errors import ArgumentError
from bnml.relational import greedy_decomposition, hartley_gain, independence_map, spanning_tree
from tests.relational import naive
from tests.relational.strategies import SHAPES, edges_of, examples, links


@pytest.mark.parametrize("weight", ["hartley", "relative"])
def test_the_lecture(weight):
    tree = spanning_tree(SHAPES, weight)
    assert list(tree.nodes) == ["color", "shape", "size"]
    assert edges_of(tree) == links("color-shape", "shape-size")
    assert tree.edges["color", "shape"]["weight"] == pytest.approx({"hartley": 1.0, "relative": 0.5}[weight])


@settings(max_examples=40, deadline=None)
@given(example=examples(most=5))
def test_no_tree_is_better(example):
    names, n = example.names, len(example.names)
    pairs = list(itertools.combinations(range(n), 2))
    gains = {(i, j): naive.gain(example.tuples, i, j) for i, j in pairs}
    tree = spanning_tree(example.frame, **example.arguments)
    assert nx.is_tree(tree)
    assert tree.size("weight") == pytest.approx(naive.best_tree_weight(n, gains, max), abs=1e-9)
    arity = [example.frame[name].nunique() for name in names]
    shares = {(i, j): sum(naive.projection(example.tuples, [i, j]).values()) / (arity[i] * arity[j]) for i, j in pairs}
    tree = spanning_tree(example.frame, "relative", **example.arguments)
    assert nx.is_tree(tree)
    assert tree.size("weight") == pytest.approx(naive.best_tree_weight(n, shares, min), abs=1e-9)


@settings(max_examples=40, deadline=None)
@given(example=examples(least=2))
def test_lecture_measure(example):
    assume(max(example.tuples.values()) == 1.0)
    arguments = {**example.arguments, "measure": "lecture"}
    pairs = itertools.combinations(range(len(example.names)), 2)
    gains = {(i, j): naive.lecture_gain(example.tuples, i, j) for i, j in pairs}
    tree = spanning_tree(example.frame, **arguments)
    assert tree.size("weight") == pytest.approx(naive.best_tree_weight(len(example.names), gains, max), abs=1e-9)
    for a, b, weight in tree.edges.data("weight"):
        assert weight == pytest.approx(hartley_gain(example.frame, a, b, **arguments), abs=1e-12)


@pytest.mark.parametrize("function", [spanning_tree, independence_map, greedy_decomposition])
def test_measures(function):
    with pytest.raises(ArgumentError, match="measure"):
        function(SHAPES, measure="lectures")
    with pytest.raises(ArgumentError, match="fully possible"):
        function(SHAPES.assign(p=0.5), possibility="p", measure="lecture")


def test_ties_go_to_the_smaller_names():
    same = pd.DataFrame({name: ["x", "y"] for name in "dbca"})
    assert edges_of(spanning_tree(same)) == links("a-b", "a-c", "a-d")
    assert edges_of(spanning_tree(same[list("cabd")])) == links("a-b", "a-c", "a-d")


def test_weight():
    with pytest.raises(ArgumentError, match="Did you mean 'relative'"):
        spanning_tree(SHAPES, "relativ")
