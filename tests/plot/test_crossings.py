"""The order in the rows."""

from __future__ import annotations

import random
from math import factorial, prod

from hypothesis import given, settings

from bnml.plot.crossings import count_crossings, order_rows
from bnml.plot.layers import assign_layers
from bnml.plot.rows import make_rows

from . import naive
from .strategies import connected_arcs


@given(connected_arcs(most=9))
@settings(max_examples=60, deadline=None)
def test_counts_and_never_gets_worse(drawn):
    n, arcs = drawn
    before = make_rows(assign_layers(n, arcs), arcs)
    after = order_rows(before)
    assert [sorted(row) for row in after.rows] == [sorted(row) for row in before.rows]
    for graph in (before, after):
        assert count_crossings(graph.rows, graph.below) == naive.crossings(graph.rows, graph.chains)
    assert count_crossings(after.rows, after.below) <= count_crossings(before.rows, before.below)


def small_graphs(count):
    """Yield tiny graphs whose best order has crossings or is hard to see, by trying all orders."""
    dice = random.Random(7)
    while count:
        n, upper = dice.randint(6, 8), dice.randint(3, 4)
        layer = [0] * upper + [1] * (n - upper)
        if dice.random() < 0.5:
            layer[-2:] = [2, 2]
        arcs = [(a, b) for a in range(n) for b in range(n) if layer[a] < layer[b] and dice.random() < 0.55]
        graph = make_rows(layer, arcs)
        if arcs and prod(factorial(len(row)) for row in graph.rows) <= 1500:
            count -= 1
            yield graph


def test_almost_always_the_best_order_of_tiny_graphs():
    graphs = list(small_graphs(60))
    found = [count_crossings(order_rows(graph).rows, graph.below) for graph in graphs]
    best = [naive.fewest_crossings(graph.rows, graph.chains) for graph in graphs]
    assert all(f >= b for f, b in zip(found, best, strict=True))
    assert sum(f == b for f, b in zip(found, best, strict=True)) >= 57
    assert sum(b > 0 for b in best) >= 20, "the graphs are not all easy"


def test_trees_have_no_crossings():
    arcs = [((k - 1) // 3, k) for k in range(1, 40)]
    names = list(range(40))
    random.Random(0).shuffle(names)
    arcs = sorted((names[a], names[b]) for a, b in arcs)
    graph = order_rows(make_rows(assign_layers(40, arcs), arcs))
    assert count_crossings(graph.rows, graph.below) == 0
