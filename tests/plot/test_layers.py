"""GraphRows: arcs point down and are short."""

from __future__ import annotations

from hypothesis import given, settings

from bnml.plot.layers import assign_layers

from . import naive
from .strategies import connected_arcs


@given(connected_arcs())
@settings(max_examples=60, deadline=None)
def test_down_and_short(graph):
    n, arcs = graph
    layer = assign_layers(n, arcs)
    assert min(layer) == 0
    assert all(layer[b] > layer[a] for a, b in arcs)
    assert sum(layer[b] - layer[a] for a, b in arcs) == round(naive.shortest_sum(n, [(a, b, 1, 1) for a, b in arcs]))


def test_a_root_stands_just_above_its_child():
    assert assign_layers(5, [(0, 1), (1, 2), (2, 3), (4, 3)]) == [0, 1, 2, 3, 2]


def test_free_nodes_go_where_there_is_room():
    # 5 may stand in row 1 or 2, and row 1 is full
    arcs = [(0, 1), (0, 2), (1, 3), (2, 3), (3, 4), (0, 5), (5, 4)]
    assert assign_layers(6, arcs) == [0, 1, 1, 2, 3, 2]
