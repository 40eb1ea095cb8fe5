"""Two graphs in one picture."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.patches import PathPatch, Polygon

import bnml
from bnml.errors import ArgumentError
from bnml.graph import DAG, PDAG, compare
from bnml.plot import comparison_html, draw_comparison
from bnml.plot.draw_comparison import _order_from_top, comparison_layout
from bnml.plot.matplotlib_figure import ARC

from .strategies import dags

A = DAG.parse("[asia][smoke][tub|asia][lung|smoke][bronc|smoke][either|tub:lung][xray|either][dysp|either:bronc]")
B = A.reverse(("asia", "tub")).without_arcs([("smoke", "bronc")]).with_arcs([("lung", "bronc"), ("lung", "dysp")])


def strokes(figure):
    return [patch for patch in figure.axes[0].patches if type(patch) is PathPatch]


def heads(figure):
    return [patch for patch in figure.axes[0].patches if type(patch) is Polygon]


def texts(figure):
    return [text.get_text() for text in figure.axes[0].texts]


def look(patch):
    return patch.get_edgecolor(), patch.get_linestyle(), round(patch.get_linewidth(), 3)


def test_every_edge_is_drawn_once_and_every_look_explained():
    figure = draw_comparison(compare(A, B))
    edges = 8 + 2
    assert len(strokes(figure)) == len(heads(figure)) == edges + 4
    assert texts(figure)[8:] == ["in both", "turned round in B", "only in A", "only in B"]
    drawn, samples = strokes(figure)[:edges], strokes(figure)[edges:]
    assert {look(patch) for patch in drawn} == {look(patch) for patch in samples}
    assert len({look(patch) for patch in samples}) == 4


def test_readable_without_colours():
    samples = strokes(draw_comparison(compare(A, B)))[-4:]
    assert len({(str(patch.get_linestyle()), round(patch.get_linewidth(), 3)) for patch in samples}) == 4
    patterns = [patch._dash_pattern[1] for patch in samples]
    widths = [patch.get_linewidth() for patch in samples]
    assert [pattern is None for pattern in patterns] == [True, True, False, False]
    assert widths[1] > 1.5 * widths[0]
    assert patterns[2] != patterns[3]


def test_what_both_have_is_dark():
    figure = draw_comparison(compare(A, A))
    assert texts(figure)[8:] == ["in both"]
    assert {patch.get_edgecolor() for patch in strokes(figure)} == {strokes(figure)[0].get_edgecolor()}
    import matplotlib.colors

    assert strokes(figure)[0].get_edgecolor() == matplotlib.colors.to_rgba(ARC)


def test_graphs_with_undirected_edges():
    truth = DAG.parse("[A][C][B|A:C][D|B][E|D]")
    learned = PDAG(list("ABCDE"), [("A", "B")], [("B", "C"), ("D", "E"), ("A", "E")])
    figure = draw_comparison(compare(truth, learned), names=("truth", "learned"))
    assert texts(figure)[5:] == ["in both", "directed only in truth", "only in truth", "only in learned"]
    assert len(strokes(figure)) == 5 + 4
    assert len(heads(figure)) == 4 + 3, "A - E has no head, nor has its sample"
    figure = draw_comparison(compare(learned, truth))
    assert "directed only in B" in texts(figure)
    square = PDAG(list("ABCD"), [("A", "B"), ("B", "C"), ("C", "D"), ("D", "A")])
    figure = draw_comparison(compare(square, DAG(list("ABCD"))))
    assert len(strokes(figure)) == 4 + 1


@given(dags(), st.data())
@settings(max_examples=40, deadline=None)
def test_the_arcs_of_the_first_point_down(a, data):
    order = data.draw(st.permutations(a.names))
    b = DAG(a.names, [(x, y) for i, x in enumerate(order) for y in order[i + 1 :] if data.draw(st.booleans())])
    found = compare(a, b)
    place = {name: k for k, name in enumerate(_order_from_top(found))}
    assert all(place[x] < place[y] for x, y in a.arcs)
    edges = [*a.arcs, *found.only_b]
    layout = comparison_layout(found, edges)
    assert list(layout.routes) == edges
    for x, y in edges:
        (first, *_, last), (across, down) = layout.routes[x, y], layout.sizes[x]
        assert abs(first[0] - layout.positions[x][0]) <= across / 2
        assert abs(first[1] - layout.positions[x][1]) <= down / 2
        assert abs(last[0] - layout.positions[y][0]) <= layout.sizes[y][0] / 2
        assert (first[1] < last[1]) == (place[x] < place[y])


def test_what_only_the_second_has_points_down_where_it_can():
    found = compare(DAG(list("ABC"), []), DAG.parse("[C][B|C][A|B]"))
    assert _order_from_top(found) == ["C", "B", "A"]


@pytest.mark.parametrize("kind", ["png", "svg", "pdf"])
def test_the_same_file_every_time(tmp_path, kind):
    names = sorted(A.names)
    for one, other in ((A, B), (A.cpdag(), B.cpdag())):
        first, second = tmp_path / f"1.{kind}", tmp_path / f"2.{kind}"
        compare(one, other).draw(first, title="both")
        compare(one.reordered(names), other.reordered(names[::-1])).draw(second, title="both")
        assert first.read_bytes() == second.read_bytes()


def test_the_legend_is_no_wider_than_a_page():
    wide = [draw_comparison(compare(a, b)).get_size_inches()[0] for a, b in ((A, B), (A.subgraph(["asia"]),) * 2)]
    assert wide[0] < 8.5
    few = draw_comparison(compare(DAG.parse("[A][B|A][C|B]"), DAG.parse("[B][A|B][C|A]")), names=("first", "second"))
    assert few.get_size_inches()[0] < 7


def test_notebooks():
    html = compare(A, B)._repr_html_()
    assert html.count("<svg") == 1
    assert "precision" in html
    many = DAG([f"X{i}" for i in range(200)])
    assert comparison_html(compare(many, many)) == ""


def test_refused(tmp_path):
    found = compare(A, B)
    for wrong, message in (
        ({"names": "AB"}, "names"),
        ({"names": ("A",)}, "expected two texts"),
        ({"title": 3}, "title must be a text"),
        ({"size": 3}, "size"),
        ({"dpi": -1}, "dpi"),
        ({"path": tmp_path / "x.jpg"}, "suffix"),
    ):
        with pytest.raises(ArgumentError, match=message):
            draw_comparison(found, **({"path": tmp_path / "x.png"} | wrong))
    with pytest.raises(ArgumentError, match=r"comparison must be what bnml\.compare returns, got DAG"):
        bnml.plot.draw_comparison(A, tmp_path / "x.png")
    assert not list(tmp_path.iterdir())
