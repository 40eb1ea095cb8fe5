"""Pictures and their files."""

from __future__ import annotations

import os
import struct
import sys
from xml.etree import ElementTree

import matplotlib as mpl
import pandas as pd
import pytest
from matplotlib.patches import FancyBboxPatch, PathPatch, Polygon

from bnml.errors import ArgumentError, BnmlError
from bnml.graph import DAG, PDAG
from bnml.plot import draw
from bnml.plot.matplotlib_figure import ACCENT, ARC, EDGE

ASIA = DAG.parse("[asia][smoke][tub|asia][lung|smoke][bronc|smoke][either|tub:lung][xray|either][dysp|either:bronc]")
CHAIN = DAG.parse("[A][B|A][C|B][D|C]")


def patches(figure, kind):
    return [patch for patch in figure.axes[0].patches if type(patch) is kind]


def texts(figure):
    return [text.get_text() for text in figure.axes[0].texts]


def widths(figure):
    return [round(patch.get_linewidth(), 3) for patch in patches(figure, PathPatch)]


# --- files ---


def test_png(tmp_path):
    figure = draw(ASIA, tmp_path / "asia.png")
    content = (tmp_path / "asia.png").read_bytes()
    assert content.startswith(b"\x89PNG\r\n\x1a\n")
    width, height = struct.unpack(">II", content[16:24])
    inches = figure.get_size_inches()
    assert abs(width - 150 * inches[0]) <= 1
    assert abs(height - 150 * inches[1]) <= 1


def test_svg(tmp_path):
    draw(ASIA, tmp_path / "asia.SVG")
    tree = ElementTree.parse(tmp_path / "asia.SVG")
    assert tree.getroot().tag == "{http://www.w3.org/2000/svg}svg"
    assert "smoke" in (tmp_path / "asia.SVG").read_text(encoding="utf-8")


def test_pdf(tmp_path):
    draw(ASIA, str(tmp_path / "asia.pdf"))
    content = (tmp_path / "asia.pdf").read_bytes()
    assert content.startswith(b"%PDF")
    assert content.rstrip().endswith(b"%%EOF")


@pytest.mark.parametrize("kind", ["png", "svg", "pdf"])
def test_the_same_file_every_time(tmp_path, kind):
    first, second = tmp_path / f"1.{kind}", tmp_path / f"2.{kind}"
    draw(ASIA.cpdag(), first, title="Asia")
    with mpl.rc_context({"font.size": 30, "axes.facecolor": "black", "savefig.bbox": "tight", "text.usetex": True}):
        draw(ASIA.reordered(sorted(ASIA.names)).cpdag(), second, title="Asia")
    assert first.read_bytes() == second.read_bytes()


def test_replaces_a_file_and_leaves_nothing_else(tmp_path):
    target = tmp_path / "net.svg"
    target.write_text("old")
    draw(CHAIN, target)
    assert target.read_text(encoding="utf-8") != "old"
    assert list(tmp_path.iterdir()) == [target]


def test_a_failure_leaves_the_old_file(tmp_path, monkeypatch):
    target = tmp_path / "net.png"
    target.write_text("old")

    def full(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(ArgumentError, match="No space left"):
        draw(CHAIN, target)
    assert target.read_text() == "old"
    assert list(tmp_path.iterdir()) == [target]


@pytest.mark.parametrize("name", ["net.jpg", "net", ".png", "net.png.gz"])
def test_other_suffixes_are_refused(tmp_path, name):
    with pytest.raises(BnmlError, match=r"\.png, \.svg, \.pdf"):
        draw(CHAIN, tmp_path / name)
    assert not list(tmp_path.iterdir())


def test_impossible_paths(tmp_path):
    with pytest.raises(ArgumentError, match="no folder"):
        draw(CHAIN, tmp_path / "missing" / "net.png")
    (tmp_path / "folder.png").mkdir()
    with pytest.raises(ArgumentError, match="is a folder"):
        draw(CHAIN, tmp_path / "folder.png")
    with pytest.raises(ArgumentError, match="name of a file"):
        draw(CHAIN, 3)


def test_settings_and_pyplot_are_left_alone():
    before = dict(mpl.rcParams)
    had_pyplot = "matplotlib.pyplot" in sys.modules
    draw(ASIA, title="Asia")
    assert dict(mpl.rcParams) == before
    assert ("matplotlib.pyplot" in sys.modules) == had_pyplot


# --- what is drawn ---


def test_a_box_and_a_label_for_each_variable_and_an_arrow_for_each_arc():
    figure = draw(ASIA)
    assert sorted(texts(figure)) == sorted(ASIA.names)
    assert len(patches(figure, FancyBboxPatch)) == len(ASIA.names)
    assert len(patches(figure, PathPatch)) == len(patches(figure, Polygon)) == len(ASIA.arcs)
    assert {patch.get_edgecolor() for patch in patches(figure, PathPatch)} == {mpl.colors.to_rgba(ARC)}


def test_labels_lie_inside_their_boxes():
    figure = draw(DAG(["smoke", "a_rather_long_name_of_a_variable", "W" * 18, "x"]))
    renderer = figure.canvas.get_renderer() if hasattr(figure.canvas, "get_renderer") else figure._get_renderer()
    boxes = [patch.get_window_extent(renderer) for patch in patches(figure, FancyBboxPatch)]
    assert len(figure.axes[0].texts) >= len(boxes) == 4
    for text in figure.axes[0].texts:
        extent = text.get_window_extent(renderer)
        assert (
            sum(
                box.x0 < extent.x0 and extent.x1 < box.x1 and box.y0 <= extent.y0 and extent.y1 <= box.y1
                for box in boxes
            )
            == 1
        )


def test_arrowheads_touch_their_boxes():
    figure = draw(DAG.parse("[A][B|A]"))
    (head,) = patches(figure, Polygon)
    boxes = sorted(patches(figure, FancyBboxPatch), key=lambda box: box.get_y())
    tip = max(y for _, y in head.get_xy())
    assert tip == pytest.approx(boxes[1].get_y())


def test_compelled_and_reversible_are_told_apart():
    figure = draw(ASIA.cpdag())
    assert {"direction from the data", "direction open"} <= set(texts(figure))
    strokes = patches(figure, PathPatch)
    solid = [stroke for stroke in strokes if stroke.get_linestyle() in ("solid", "-")]
    dashed = [stroke for stroke in strokes if stroke not in solid]
    assert len(solid) == len(ASIA.cpdag().directed) + 1  # and the sample in the legend
    assert len(dashed) == len(ASIA.cpdag().undirected) + 1
    assert len(patches(figure, Polygon)) == len(solid)
    assert {stroke.get_edgecolor() for stroke in dashed} == {mpl.colors.to_rgba(EDGE)}


@pytest.mark.parametrize("graph", [CHAIN, PDAG([*"AB"])])
def test_no_legend_where_there_is_nothing_to_say(graph):
    assert sorted(texts(draw(graph))) == sorted(graph.names)


def test_what_is_not_a_class_is_not_called_one():
    assert {"directed", "direction open"} <= set(texts(draw(PDAG([*"ABC"], [("A", "B")], [("B", "C")]))))


def test_names_are_not_formulas_and_odd_ones_are_drawn(tmp_path):
    names = ["$x^2$", "_", "a\nb", "<&>\"'", "-->", "%s{0}"]
    figure = draw(DAG(names), tmp_path / "odd.svg", title="$\\alpha$ & <b>")
    assert "$x^2$" in texts(figure)
    ElementTree.parse(tmp_path / "odd.svg")


def test_titles_are_not_clipped():
    title = "A title that is much longer than the picture of two variables is wide, and so has to be broken"
    figure = draw(DAG.parse("[A][B|A]"), title=title)
    shown = [text for text in figure.axes[0].texts if text.get_text() not in "AB"]
    assert " ".join(text.get_text() for text in shown) == title
    renderer = figure._get_renderer()
    for text in shown:
        extent = text.get_window_extent(renderer)
        assert extent.x0 >= 0
        assert extent.x1 <= figure.bbox.x1
        assert extent.y1 <= figure.bbox.y1


def test_grows_with_the_graph_but_stays_printable():
    small, large = draw(CHAIN), draw(DAG([f"X{k}" for k in range(30)], [(f"X{k}", f"X{k + 1}") for k in range(29)]))
    assert large.get_size_inches()[1] > 3 * small.get_size_inches()[1]
    huge = draw(DAG([f"X{k:03}" for k in range(400)], [(f"X{k:03}", f"X{k + 1:03}") for k in range(399)]))
    assert max(huge.get_size_inches()) <= 200
    assert huge.render("pdf").startswith(b"%PDF")


# --- strength ---


def test_widths_are_in_proportion():
    figure = draw(CHAIN, strength={("A", "B"): 0, ("B", "C"): 5, ("C", "D"): 10})
    assert widths(figure)[:3] == [0.8, 2.4, 4.0]
    assert texts(figure)[-2:] == ["0", "10"]


def test_negative_numbers_and_arcs_without_one():
    figure = draw(CHAIN, strength={("A", "B"): -10, ("B", "C"): 10})
    assert widths(figure)[:3] == [0.8, 4.0, 0.8]
    assert texts(figure)[-2:] == ["-10", "10"]


def test_all_negative():
    figure = draw(CHAIN, strength={("A", "B"): -10, ("B", "C"): -5, ("C", "D"): -2.5})
    assert widths(figure)[:3] == [0.8, 2.4, 3.2]
    assert texts(figure)[-2:] == ["-10", "0"]


@pytest.mark.parametrize("strength", [{}, {("A", "B"): 0.0}, []])
def test_nothing_to_compare(strength):
    figure = draw(CHAIN, strength=strength)
    assert widths(figure) == [0.8] * 3
    assert sorted(texts(figure)) == list("ABCD")


def test_without_strength_all_lines_are_alike():
    assert widths(draw(CHAIN)) == [1.3] * 3


@pytest.mark.parametrize(
    "strength",
    [
        [("A", "B", 1), ("B", "C", 2), ("C", "D", 4)],
        [(("A", "B"), 1), (("B", "C"), 2), (("C", "D"), 4)],
        pd.DataFrame({"from": list("ABC"), "to": list("BCD"), "score_gain": [1.0, 2, 4], "p_value": [0.1, 0.2, 0.3]}),
        pd.Series([1, 2, 4], pd.MultiIndex.from_tuples([("A", "B"), ("B", "C"), ("C", "D")])),
    ],
    ids=["triples", "pairs", "table", "series"],
)
def test_ways_to_give_strengths(strength):
    assert widths(draw(CHAIN, strength=strength))[:3] == [1.6, 2.4, 4.0]


def test_undirected_edges_in_either_order():
    graph = CHAIN.cpdag()
    given = {("B", "A"): 1, ("B", "C"): 2, ("D", "C"): 4}
    assert widths(draw(graph, strength=given))[:3] == [1.6, 2.4, 4.0]
    with pytest.raises(ArgumentError, match="twice"):
        draw(graph, strength={("A", "B"): 1, ("B", "A"): 2})


@pytest.mark.parametrize(
    ("strength", "message"),
    [
        ({("A", "C"): 1, ("A", "B"): 1}, "A -> C, which is not an arc"),
        ({("A", "C"): 1, ("X", "Y"): 1}, "A -> C, X -> Y, which are not arcs"),
        ({("B", "A"): 1}, "the other way round"),
        ({("A", "B"): float("nan")}, "A -> B is nan"),
        ({("A", "B"): float("inf")}, "finite"),
        ({("A", "B"): "strong"}, "'strong'"),
        ({("A", "B"): None}, "None"),
        ({"AB": 1, "C": 2}, "must map arcs"),
        ({("A", 1): 1}, "must map arcs"),
        ("AB1", "must map arcs"),
        (5, "must map arcs"),
        ([("A", "B")], "must map arcs"),
        (pd.DataFrame({"a": ["A"], "b": ["B"]}), "must map arcs"),
    ],
)
def test_wrong_strengths(strength, message, tmp_path):
    with pytest.raises(ArgumentError, match=message):
        draw(CHAIN, tmp_path / "x.png", strength=strength)
    assert not list(tmp_path.iterdir())


# --- highlight ---


def test_highlighted_variables_and_arcs():
    figure = draw(CHAIN, highlight=["B", ("B", "C")])
    accent = mpl.colors.to_rgba(ACCENT)
    assert [patch.get_edgecolor() == accent for patch in patches(figure, FancyBboxPatch)] == [False, True, False, False]
    assert [patch.get_edgecolor() == accent for patch in patches(figure, PathPatch)] == [False, True, False]
    assert draw(CHAIN, highlight="B").render("svg") == draw(CHAIN, highlight=["B"]).render("svg")


@pytest.mark.parametrize(
    ("highlight", "message"),
    [
        ("bronk", "Did you mean 'bronc'"),
        ([("asia", "smoke")], "asia -> smoke, which is not an arc"),
        ([3], "pair of names"),
        ([("a", "b", "c")], "pair of names"),
        (7, "must be names"),
    ],
)
def test_wrong_highlights(highlight, message):
    with pytest.raises(ArgumentError, match=message):
        draw(ASIA, highlight=highlight)


def test_other_wrong_arguments():
    with pytest.raises(ArgumentError, match="title"):
        draw(CHAIN, title=5)
    with pytest.raises(ArgumentError, match="graph"):
        draw("A -> B")


def test_a_strength_beyond_all_floats():
    with pytest.raises(ArgumentError, match="it must be a finite number"):
        draw(CHAIN, strength={("A", "B"): 10**400})


@pytest.mark.parametrize("kind", ["png", "svg", "pdf"])
def test_letters_that_no_font_has(tmp_path, kind):
    """They are drawn as boxes; warnings are errors in these tests."""
    draw(DAG(["\U00012000", "\ue123 x", "क्षि"]), tmp_path / f"x.{kind}", title="\U00012001")
    assert (tmp_path / f"x.{kind}").stat().st_size > 0


def test_size_and_resolution(tmp_path):
    dag = DAG.parse("[A][B|A][C|A:B]")
    small, large = draw(dag, size=(2, 2)), draw(dag, size=(6, 6))
    assert max(small.get_size_inches()) == pytest.approx(2.0)
    assert max(large.get_size_inches()) == pytest.approx(6.0)
    sizes = [{round(text.get_fontsize(), 6) for text in figure.axes[0].texts} for figure in (small, large)]
    assert max(sizes[1]) == pytest.approx(3 * max(sizes[0]))
    for dpi, name in ((50, "coarse.png"), (200, "fine.png")):
        draw(dag, tmp_path / name, size=(3, 3), dpi=dpi)
    widths = [int.from_bytes((tmp_path / name).read_bytes()[16:20], "big") for name in ("coarse.png", "fine.png")]
    assert widths[1] == pytest.approx(4 * widths[0], abs=4)


@pytest.mark.parametrize("wrong", [{"size": 3}, {"size": (1, 2, 3)}, {"size": (0, 2)}, {"dpi": 0}, {"dpi": "high"}])
def test_no_size(wrong):
    with pytest.raises(ArgumentError, match=f"{next(iter(wrong))}="):
        draw(DAG.parse("[A][B|A]"), **wrong)


def test_the_legend_has_one_kind_too():
    assert "direction open" in texts(draw(DAG.parse("[A][B|A]").cpdag()))
    assert "direction from the data" in texts(draw(DAG.parse("[A][B][C|A:B]").cpdag()))


def test_widths_have_their_unit():
    dag = DAG.parse("[A][B|A][C|B]")
    arcs = {("A", "B"): 1234.0, ("B", "C"): 3.0}
    assert {"0", "1,234"} <= set(texts(draw(dag, strength=arcs)))
    assert {"gain 0 nats", "gain 1,234 nats"} <= set(texts(draw(dag, strength=arcs, strength_label="gain {} nats")))
    for column, thick in (("score_gain", "gain 0.8 nats"), ("support", "found in 80% of the tables"), ("other", "0.8")):
        table = pd.DataFrame({"from": ["A", "B"], "to": ["B", "C"], column: [0.8, 0.5]})
        assert thick in texts(draw(dag, strength=table))


def test_the_legend_can_be_told():
    words = ("direction from data and constraints", "direction open")
    shown = texts(draw(PDAG([*"ABC"], [("A", "B")], [("B", "C")]), legend=words))
    assert set(words) <= set(shown)
    assert words[0] in texts(draw(DAG.parse("[A][B|A]"), legend=words))
    for wrong in ("direction", ("one",), (1, 2)):
        with pytest.raises(ArgumentError, match="legend="):
            draw(CHAIN, legend=wrong)
    with pytest.raises(ArgumentError, match="strength_label"):
        draw(CHAIN, strength_label=3)
