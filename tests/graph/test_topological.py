"""Cycles, shown along the arrows."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from bnml._bits import mask_of, transposed
from bnml.graph.base import find_cycle, topological_order


@settings(max_examples=100, deadline=None)
@given(st.lists(st.sets(st.integers(0, 5), max_size=3), min_size=6, max_size=6))
def test_an_order_or_a_real_cycle(parent_sets):
    parents = [mask_of(s - {i}) for i, s in enumerate(parent_sets)]
    order = topological_order(parents, transposed(parents))
    if len(order) == len(parents):
        assert all(parents[i] & ~mask_of(order[:k]) == 0 for k, i in enumerate(order))
        return
    cycle = find_cycle(parents, order)
    assert len(set(cycle)) == len(cycle) >= 2
    assert cycle[0] == min(cycle)
    assert all(parents[b] >> a & 1 for a, b in zip(cycle, [*cycle[1:], cycle[0]], strict=True))
