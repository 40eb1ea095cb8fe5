"""Every graph with its extra tuples."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings

import bnml
from bnml.errors import SearchError
from bnml.relational import decompositions, extra_tuples
from tests.relational.strategies import SHAPES, edges_of, examples, links


def test_the_lecture():
    ranking = decompositions(SHAPES)
    assert [extra for _, extra in ranking] == [0, 0, 3, 6, 8, 10, 14, 26]
    assert edges_of(ranking[0][0]) == links("color-shape", "shape-size"), "of perfect ones that with fewer edges"
    assert all(list(graph.nodes) == ["color", "shape", "size"] for graph, _ in ranking)


@settings(max_examples=20, deadline=None)
@given(example=examples())
def test_definition(example):
    ranking = decompositions(example.frame, **example.arguments)
    assert (
        len({frozenset(edges_of(graph)) for graph, _ in ranking})
        == len(ranking)
        == 2 ** (len(example.names) * (len(example.names) - 1) // 2)
    )
    keys = [(extra, graph.number_of_edges()) for graph, extra in ranking]
    assert keys == sorted(keys)
    for graph, extra in ranking[:: max(1, len(ranking) // 8)]:
        assert extra == extra_tuples(graph, example.frame, **example.arguments)


def test_too_many():
    with pytest.raises(SearchError, match="7 attributes have 2,097,152 graphs"):
        decompositions(bnml.example().select(bnml.example().names[:7]))
    wide = np.array([[0] * 40, [1] * 40])
    with pytest.raises(SearchError, match=r"2\^780 graphs"):
        decompositions(wide)
    frame = pd.DataFrame(np.arange(64)[:, None] >> np.arange(5) & 1, columns=list("abcde"))
    with pytest.raises(SearchError, match="32 distinct degrees each"):
        decompositions(frame.assign(p=(np.arange(64) % 32 + 1) / 33, f=np.arange(64) // 32), possibility="p")
