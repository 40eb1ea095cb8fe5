"""Positions in the rows."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings

from bnml.plot.coordinates import place_nodes
from bnml.plot.crossings import order_rows
from bnml.plot.layers import assign_layers
from bnml.plot.rows import make_rows

from .strategies import connected_arcs


def placed(n, arcs, separation=lambda a, b: 10):
    graph = order_rows(make_rows(assign_layers(n, arcs), arcs))
    return graph, place_nodes(graph, [v >= n for v in range(len(graph.above))], separation)


@given(connected_arcs(most=9))
@settings(max_examples=60, deadline=None)
def test_neighbours_keep_their_distance(drawn):
    n, arcs = drawn

    def separation(a, b):
        return 10 + 3 * (a % 4) + 3 * (b % 4)

    graph, x = placed(n, arcs, separation)
    assert all(x[b] - x[a] >= separation(a, b) for row in graph.rows for a, b in pairwise(row))


def test_long_arcs_are_straight_inside():
    n = 7
    graph, x = placed(n, [(k, k + 1) for k in range(n - 1)] + [(0, 5), (1, 6)])
    for chain in graph.chains:
        assert len({x[v] for v in chain if v >= n}) <= 1


@pytest.mark.parametrize("children", [2, 3, 6])
def test_a_parent_stands_above_the_middle_of_its_children(children):
    _, x = placed(children + 1, [(0, k) for k in range(1, children + 1)])
    assert min(x[1:]) < x[0] < max(x[1:])
    assert abs(2 * x[0] - min(x[1:]) - max(x[1:])) <= 10


def test_what_hangs_together_moves_together():
    # 0 and 1 are parents of 2, and 3 of 4; all of it can stand straight above 5 and 6
    _, x = placed(8, [(0, 2), (2, 5), (3, 4), (4, 6), (5, 7), (6, 7), (1, 2)])
    assert x[2] == x[5]
    assert x[3] == x[4] == x[6]
