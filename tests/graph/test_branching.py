"""Maximum branchings against all branchings, and against networkx."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bnml.graph.branching import maximum_branching
from tests.search.forests import branchings


@st.composite
def weights(draw, most=5):
    n = draw(st.integers(0, most))
    weight = st.none() | st.integers(-3, draw(st.sampled_from([2, 10, 10**30])))
    return [[draw(weight) for _ in range(n)] for _ in range(n)]


def value(weights, parents):
    """Return the sum of the weights, None if an arc is not there."""
    arcs = [weights[child][parent] for child, parent in enumerate(parents) if parent is not None]
    return None if None in arcs else sum(arcs)


@settings(max_examples=200, deadline=None)
@given(weights())
def test_no_branching_is_better(weights):
    for v, row in enumerate(weights):
        row[v] = None
    found = maximum_branching(weights)
    assert tuple(found) in branchings(len(weights))
    values = [value(weights, parents) for parents in branchings(len(weights))]
    assert value(weights, found) == max(one for one in values if one is not None)


@pytest.mark.parametrize("n", [1, 2, 12, 40])
def test_as_networkx(n):
    rng = np.random.default_rng(n)
    matrix = rng.integers(-5, 60, (n, n)).tolist()
    graph = nx.DiGraph()
    graph.add_nodes_from(range(n))
    graph.add_weighted_edges_from((p, c, matrix[c][p]) for c in range(n) for p in range(n) if p != c)
    found = maximum_branching(matrix)
    want = nx.maximum_branching(graph, attr="weight").size(weight="weight") if n > 1 else 0
    assert value(matrix, found) == want


def test_the_first_of_equals():
    assert maximum_branching([[None] * 4, [5] * 4, [5] * 4, [5] * 4]) == [None, 0, 0, 0]


def test_groups_within_groups():
    """Symmetric weights that fall along a chain are joined one by one, and opened in turn."""
    n = 60
    matrix = [[1000 - max(a, b) for a in range(n)] for b in range(n)]
    found = maximum_branching(matrix)
    assert found.count(None) == 1
    assert value(matrix, found) == sum(1000 - k for k in range(1, n))
