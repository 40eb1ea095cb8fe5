"""Where arcs begin and end."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from bnml.plot.crossings import order_rows
from bnml.plot.routes import WIDEST_GAP, heights_for_routes, route_arcs
from bnml.plot.rows import make_rows


@given(st.lists(st.integers(-5000, 5000), min_size=1, max_size=12, unique=True), st.integers(360, 2000))
def test_ends_lie_on_the_box_in_order(places, width):
    parents = len(places)
    layer = [0] * parents + [1]
    sizes = [(360, 256)] * parents + [(width, 256)]
    x = [*sorted(places), 0]
    graph = make_rows(layer, [(k, parents) for k in range(parents)])
    routes = route_arcs(graph.chains, x, heights_for_routes(graph, x, [256] * (parents + 1)), layer, sizes)
    ends = [route[-1][0] for route in routes]
    assert all(b > a for a, b in pairwise(ends))
    assert all(abs(end) <= width // 2 for end in ends)
    assert all(abs(route[0][0] - place) <= 180 for route, place in zip(routes, x, strict=False))


def test_nearly_straight_arcs_are_straight():
    graph = make_rows([0, 1, 1], [(0, 1), (0, 2)])
    x = [0, 40, 900]
    straight, other = route_arcs(graph.chains, x, heights_for_routes(graph, x, [256] * 3), [0, 1, 1], [(600, 256)] * 3)
    assert len({place for place, _ in straight}) == 1
    assert other[0][0] > straight[0][0]


def test_wide_arcs_get_more_height_but_not_without_end():
    def gap(far):
        graph = order_rows(make_rows([0, 1], [(0, 1)]))
        first, second = heights_for_routes(graph, [0, far], [256, 256])
        return second.top - first.bottom

    assert gap(0) < gap(2000) < gap(100_000) <= WIDEST_GAP + 200
