"""Long arcs cut by bends, and wide rows broken."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from bnml.plot.crossings import count_crossings, order_rows
from bnml.plot.layers import assign_layers
from bnml.plot.rows import break_rows, make_rows

from .strategies import connected_arcs


def check(graph, layer, arcs):
    where = {v: r for r, row in enumerate(graph.rows) for v in row}
    assert all(where[v] == row for v, row in enumerate(layer))
    assert [(chain[0], chain[-1]) for chain in graph.chains] == arcs
    for chain in graph.chains:
        assert [where[v] for v in chain] == list(range(layer[chain[0]], layer[chain[-1]] + 1))
        assert all(v >= len(layer) for v in chain[1:-1])
    assert sorted(v for row in graph.rows for v in row) == list(range(len(graph.above)))


@given(connected_arcs(), st.data())
@settings(max_examples=60, deadline=None)
def test_chains_pass_every_row(drawn, data):
    n, arcs = drawn
    layer = assign_layers(n, arcs)
    graph = order_rows(make_rows(layer, arcs))
    check(graph, layer, arcs)
    parts = data.draw(st.lists(st.integers(1, 3), min_size=len(graph.rows), max_size=len(graph.rows)))
    broken_layer, broken = break_rows(graph, layer, parts)
    assert all(broken_layer[b] > broken_layer[a] for a, b in arcs)
    used = sorted(set(broken_layer))
    assert len(used) <= sum(parts)
    check(broken, broken_layer, arcs)


def test_breaking_a_star_keeps_it_free_of_crossings():
    n = 20
    arcs = [(0, k) for k in range(1, n)]
    layer, graph = break_rows(order_rows(make_rows([0] + [1] * (n - 1), arcs)), [0] + [1] * (n - 1), [1, 3])
    assert layer == [0] + [1 + k % 3 for k in range(n - 1)]
    assert count_crossings(graph.rows, graph.below) == 0
