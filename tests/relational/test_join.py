"""Counting joins."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest

import bnml
from bnml.errors import SearchError
from bnml.relational import extra_tuples, join
from bnml.relational.join import Joins
from bnml.relational.relation import relation_of


def test_a_chordal_graph_needs_no_join_that_grows(monkeypatch):
    rng = np.random.default_rng(0)
    data = bnml.read(rng.integers(0, 9, (300, 30)))
    sizes = []
    monkeypatch.setattr(join, "_check_size", lambda n_tuples, *_: sizes.append(n_tuples))
    graph = nx.complete_to_chordal_graph(nx.gnp_random_graph(30, 0.1, seed=1))[0]
    assert extra_tuples(nx.relabel_nodes(graph, "X{}".format), data) > 10**9
    assert sizes
    assert max(sizes) <= 300


def test_what_is_kept_changes_nothing():
    rng = np.random.default_rng(1)
    relation = relation_of(rng.integers(0, 4, (40, 5)), None)
    rings = [
        [[0, 1], [1, 2], [2, 3], [3, 4], [0, 4]],
        [[0, 1], [1, 2], [2, 3], [0, 3], [4]],
        [[0, 1, 2], [2, 3], [3, 4]],
    ]
    keeping = Joins(relation, 1 << 20)
    assert [keeping.count(ring) for ring in rings * 2] == [Joins(relation).count(ring) for ring in rings] * 2
    assert keeping.room < 1 << 20


def test_a_join_that_does_not_fit(monkeypatch):
    rng = np.random.default_rng(2)
    data = bnml.read(rng.integers(0, 9, (300, 6)))
    monkeypatch.setattr(join, "SMALL", 0)
    monkeypatch.setattr(join, "memory_limit_of", lambda given: 10_000)
    ring = nx.relabel_nodes(nx.cycle_graph(6), "X{}".format)
    with pytest.raises(SearchError, match=r"a join of [0-9,]+ tuples.*complete_to_chordal_graph"):
        extra_tuples(ring, data)
