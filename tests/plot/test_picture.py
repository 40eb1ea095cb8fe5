"""How the curves of arcs run."""

from __future__ import annotations

from hypothesis import given, settings

from bnml.plot import layout
from bnml.plot.matplotlib_figure import _curve

from .strategies import dags


@given(dags())
@settings(max_examples=40, deadline=None)
def test_curves_keep_away_from_other_boxes(dag):
    found = layout(dag)
    for (a, b), route in found.routes.items():
        points = _curve(route).to_polygons(closed_only=False)[0]
        assert tuple(points[0]) == route[0]
        assert tuple(points[-1]) == route[-1]
        for name in set(dag.names) - {a, b}:
            (x, y), (width, height) = found.positions[name], found.sizes[name]
            inside = (abs(points[:, 0] - x) < width / 2 + 20) & (abs(points[:, 1] - y) < height / 2 + 20)
            assert not inside.any()


def test_a_letter_that_the_font_lacks_is_looked_for_elsewhere():
    from bnml.plot.matplotlib_figure import _families

    assert _families(["smoke", "Ärger"]) == ["DejaVu Sans"]
    assert _families(["图"])[0] == "DejaVu Sans"
