"""Decompositions edge by edge, against all of them."""

from __future__ import annotations

import sys

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings

import bnml
from bnml.errors import ArgumentError
from bnml.relational import decompositions, extra_tuples, greedy_decomposition
from tests.relational.strategies import SHAPES, examples


def test_the_lecture():
    graph, extra = greedy_decomposition(SHAPES)
    assert list(graph.edges) == [("color", "shape"), ("shape", "size")]
    assert extra == 0


@settings(max_examples=60, deadline=None)
@given(example=examples(most=4))
def test_it_is_perfect_and_no_edge_is_left_over(example):
    graph, extra = greedy_decomposition(example.frame, **example.arguments)
    assert extra == pytest.approx(0, abs=1e-9)
    assert extra == extra_tuples(graph, example.frame, **example.arguments)
    for edge in graph.edges:
        less = nx.Graph(graph)
        less.remove_edge(*edge)
        assert extra_tuples(less, example.frame, **example.arguments) > extra
    best = next(g for g, e in decompositions(example.frame, **example.arguments) if e <= 1e-9)
    assert graph.number_of_edges() >= best.number_of_edges()


@settings(max_examples=40, deadline=None)
@given(example=examples(most=4))
def test_as_many_extra_tuples_as_are_allowed(example):
    graph, extra = greedy_decomposition(example.frame, 3, **example.arguments)
    perfect, _ = greedy_decomposition(example.frame, **example.arguments)
    assert extra <= 3
    assert graph.number_of_edges() <= perfect.number_of_edges()


def test_a_chain_of_many_attributes():
    """Neighbours never differ by more than one: twelve attributes, thousands of tuples."""
    rng = np.random.default_rng(0)
    rows = np.zeros((3000, 12), int)
    rows[:, 0] = rng.integers(0, 3, 3000)
    for k in range(1, 12):
        rows[:, k] = np.clip(rows[:, k - 1] + rng.integers(-1, 2, 3000), 0, 2)
    frame = pd.DataFrame(rows, columns=[f"X{k:02}" for k in range(12)])
    graph, extra = greedy_decomposition(frame, 20_000)
    assert extra <= 20_000
    assert {(f"X{k:02}", f"X{k + 1:02}") for k in range(11)} <= set(graph.edges)


def test_where_too_many_sets_would_have_to_be_tried_it_says_what_is_still_extra(monkeypatch):
    monkeypatch.setattr(sys.modules[greedy_decomposition.__module__], "MOST_SETS", 3)
    odd = pd.DataFrame([(0, 0, 0, 0), (0, 1, 1, 1), (1, 0, 1, 1), (1, 1, 0, 0)], columns=list("abcd"))
    graph, extra = greedy_decomposition(odd)
    assert extra == extra_tuples(graph, odd) > 0


@pytest.mark.parametrize("extra", [-1, "few", None, float("nan")])
def test_wrong_numbers(extra):
    with pytest.raises(ArgumentError, match="extra"):
        greedy_decomposition(SHAPES, extra)


def test_declared_values_that_never_occur():
    data = bnml.read(SHAPES, states={"size": ["small", "medium", "large", "huge"]})
    assert greedy_decomposition(data)[1] == 0
