"""Places on a line with the smallest sum of lengths."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from bnml.plot.simplex import shorten_by_simplex

from . import naive
from .strategies import connected_arcs


def cost(constraints, x):
    return sum(weight * (x[b] - x[a]) for a, b, _, weight in constraints)


@given(connected_arcs(), st.data())
@settings(max_examples=60, deadline=None)
def test_as_short_as_the_linear_program_says(graph, data):
    n, arcs = graph
    numbers = st.integers(0, 5)
    constraints = [(a, b, data.draw(numbers), data.draw(numbers)) for a, b in arcs]
    x = [0] * n
    for _ in range(n):
        for a, b, least, _ in constraints:
            x[b] = max(x[b], x[a] + least)
    shorten_by_simplex(constraints, x, most_steps=1000)
    assert all(x[b] - x[a] >= least for a, b, least, _ in constraints)
    assert cost(constraints, x) == round(naive.shortest_sum(n, constraints))


def test_never_worse_when_stopped_early():
    constraints = [(0, k, k, 1) for k in range(1, 6)] + [(k, 6, 1, 2) for k in range(1, 6)]
    before = [0, 9, 9, 9, 9, 9, 30]
    costs = []
    for most_steps in range(6):
        x = list(before)
        shorten_by_simplex(constraints, x, most_steps=most_steps)
        assert all(x[b] - x[a] >= least for a, b, least, _ in constraints)
        costs.append(cost(constraints, x))
    assert all(later <= earlier for earlier, later in pairwise(costs))
