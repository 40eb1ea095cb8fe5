"""Layouts in which nodes stay where they were."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest

import bnml
from bnml.plot import layout
from bnml.plot.layout_near import layout_near, with_routes


def random_dag(n: int, arcs: int, seed: int) -> bnml.DAG:
    rng = random.Random(seed)
    names = [f"V{i}" for i in range(n)]
    pairs = [(names[i], names[j]) for j in range(n) for i in range(j)]
    return bnml.DAG(names, rng.sample(pairs, arcs))


@pytest.mark.parametrize("seed", range(10))
def test_nodes_stay_and_new_arcs_have_routes(seed):
    dag = random_dag(12, 14, seed)
    before = layout(dag)
    rest = [(a, b) for j, b in enumerate(dag.names) for a in dag.names[:j] if (a, b) not in dag.arcs]
    changed = bnml.DAG(dag.names, [*dag.arcs[1:], random.Random(seed).choice(rest)])
    after = layout_near(changed, before)
    assert (after.positions, after.sizes) == (before.positions, before.sizes)
    assert (after.width, after.height) == (before.width, before.height)
    assert set(after.routes) == set(changed.arcs)
    for arc in changed.arcs:
        if arc in before.routes:
            assert after.routes[arc] == before.routes[arc]
        check_route(after, arc)


def check_route(found, arc):
    """Check that a route lies in the picture, and leads from the border of the one box to that of the other."""
    route = found.routes[arc]
    assert all(0 <= x <= found.width and 0 <= y <= found.height for x, y in route)
    for name, (x, y) in zip(arc, (route[0], route[-1]), strict=True):
        (mx, my), (width, height) = found.positions[name], found.sizes[name]
        beyond = max(abs(x - mx) - width // 2, abs(y - my) - height // 2)
        assert beyond in (-1, 0)
    assert all(p != q for p, q in pairwise(route))


def test_other_graphs_are_laid_out_anew():
    before = layout(random_dag(10, 12, 1))
    other = random_dag(10, 12, 2)
    assert layout_near(other, before) == layout(other)
    more = bnml.DAG([*other.names, "X"], other.arcs)
    assert layout_near(more, layout(other)) == layout(more)
    assert layout_near(other, None) == layout(other)


def test_a_turned_arc_has_its_route_turned():
    before = layout(bnml.DAG.parse("[A][B|A][C|B]"))
    after = layout_near(bnml.DAG.parse("[B][A|B][C|B]"), before)
    assert after.routes["B", "A"] == before.routes["A", "B"][::-1]


def test_a_link_goes_round_a_box_that_is_between():
    found = layout(bnml.DAG.parse("[A][B|A][C|B]"))
    wide = with_routes(layout(bnml.DAG.parse("[A][B|A][C|B][D|B][E|B]")), [("A", "C")])
    assert set(with_routes(found, [("A", "C")]).routes) == {("A", "B"), ("B", "C"), ("A", "C")}
    (x, y), (width, height) = wide.positions["B"], wide.sizes["B"]
    for (px, py), (qx, qy) in pairwise(wide.routes["A", "C"]):
        for k in range(101):
            here = px + (qx - px) * k / 100, py + (qy - py) * k / 100
            assert abs(here[0] - x) > width / 2 or abs(here[1] - y) > height / 2


def test_pdags_and_what_is_no_graph():
    class_ = bnml.DAG.parse("[A][B|A][C|A]").cpdag()
    assert set(layout_near(class_, layout(class_)).routes) == set(layout(class_).routes)
    with pytest.raises(bnml.BnmlError):
        layout_near("A", None)
