"""Probabilities of links and directions in one picture."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.patches import PathPatch, Polygon

import bnml
from bnml.errors import ArgumentError
from bnml.plot import draw_posterior, posterior_html
from bnml.plot.draw_posterior import _order_from_causes
from bnml.plot.matplotlib_figure import Line


def arcs_of(probabilities, names="ABCD"):
    frame = pd.DataFrame(0.0, list(names), list(names))
    for (a, b), p in probabilities.items():
        frame.loc[a, b] = p
    return frame


ARCS = arcs_of({("A", "B"): 0.9, ("B", "A"): 0.05, ("B", "C"): 0.3, ("C", "B"): 0.3, ("A", "D"): 0.04, ("C", "D"): 0.2})


def strokes(figure):
    return [patch for patch in figure.axes[0].patches if type(patch) is PathPatch]


def heads(figure):
    return [patch for patch in figure.axes[0].patches if type(patch) is Polygon]


def texts(figure):
    return [text.get_text() for text in figure.axes[0].texts]


def test_links_as_wide_as_they_are_probable():
    figure = draw_posterior(ARCS)
    widths = [patch.get_linewidth() for patch in strokes(figure)]
    assert widths[:3] == sorted(widths[:3]), "the most probable lies on top"
    steps = np.diff(widths[:3]) / np.diff([0.2, 0.6, 0.95])
    assert steps[0] == pytest.approx(steps[1])
    assert texts(figure)[4:] == [
        "direction at least 75% sure",
        "direction open",
        "link 100% probable",
        "link 50% probable",
        "link 10% probable",
        "1 link below 10% is left out, less than 0.1 expected among them.",
    ]
    assert len(strokes(figure)) == 3 + 5
    assert len(heads(figure)) == 2 + 4


def test_readable_without_colours():
    drawn = strokes(draw_posterior(ARCS))[:3]
    assert [patch._dash_pattern[1] is None for patch in drawn] == [True, False, True]
    assert len({round(patch.get_linewidth(), 3) for patch in drawn}) == 3


def test_threshold_and_direction():
    figure = draw_posterior(ARCS, threshold=0.5, direction=0.99, title="What we know")
    assert len(strokes(figure)) == 2 + 3, "nothing has a direction; the legend says so, and has 100% and 50%"
    assert heads(figure) == []
    assert texts(figure)[0] == "What we know"
    assert texts(figure)[-1].startswith("2 links below 50% are left out, 0.2 expected")
    every = draw_posterior(ARCS, threshold=0.0)
    assert len(strokes(every)) == 4 + 4
    assert "left out" not in texts(every)[-1]


def test_links_may_come_on_their_own():
    links = ARCS + ARCS.T
    assert draw_posterior(ARCS, links).render("svg") == draw_posterior(ARCS).render("svg")
    more = (links + 0.03).clip(upper=1.0)
    assert draw_posterior(ARCS, more).render("svg") != draw_posterior(ARCS).render("svg")


def test_nothing_to_draw():
    figure = draw_posterior(arcs_of({}))
    assert strokes(figure) == []
    assert texts(figure) == list("ABCD")
    assert texts(draw_posterior(pd.DataFrame([[0.0]], ["A"], ["A"]))) == ["A"]


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 7))
def test_any_probabilities(seed, n):
    """Probable directions may go round in circles; every link is drawn once all the same."""
    rng = np.random.default_rng(seed)
    values = rng.random((n, n)) * rng.integers(0, 2, (n, n)) / 2
    np.fill_diagonal(values, 0.0)
    names = [f"X{i}" for i in range(n)]
    figure = draw_posterior(pd.DataFrame(values, names, names), threshold=0.3)
    links = np.triu(values + values.T)
    drawn = (links >= 0.3).sum()
    legend = sum(t.startswith("direction ") or t.endswith(" probable") for t in texts(figure))
    assert len(strokes(figure)) == drawn + legend


def test_arcs_point_down():
    lines = {("A", "B"): Line(True, 1.0), ("B", "C"): Line(False, 1.0), ("C", "D"): Line(True, 1.0)}
    order = _order_from_causes(list("DCBA"), lines, chances_of(ARCS))
    assert order.index("A") < order.index("B")
    assert order.index("C") < order.index("D")


def chances_of(frame):
    return {(a, b): float(frame.loc[a, b]) for a in frame.index for b in frame.columns}


def test_the_same_file_every_time(tmp_path):
    for name in ("a.png", "a.svg", "a.pdf"):
        draw_posterior(ARCS, path=tmp_path / name)
        first = (tmp_path / name).read_bytes()
        turned = ARCS.loc[list("DBAC"), list("CADB")]
        draw_posterior(turned, path=tmp_path / name)
        assert (tmp_path / name).read_bytes() == first, "nor does it depend on the order of the variables"


def test_a_posterior_draws_itself(tmp_path):
    found = bnml.posterior(bnml.example().select(["smoke", "lung", "bronc", "dysp"]))
    figure = found.plot(tmp_path / "posterior.png", threshold=0.2)
    assert (tmp_path / "posterior.png").read_bytes()[:4] == b"\x89PNG"
    same = draw_posterior(found.arc_probabilities, found.link_probabilities, threshold=0.2)
    assert figure.render("svg") == same.render("svg")
    assert posterior_html(found.arc_probabilities, found.link_probabilities) in found._repr_html_()
    assert "<svg" in found._repr_html_()


def test_too_large_for_a_notebook():
    names = [f"X{i}" for i in range(151)]
    assert posterior_html(pd.DataFrame(0.0, names, names), None) == ""
    names = names[:40]
    many = pd.DataFrame(0.3, names, names)
    assert posterior_html(many, None) == ""


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([[0.0]],), "arcs must be a table"),
        ((ARCS.iloc[:2],), "same variables as rows and as columns"),
        ((ARCS + 0.5,), "from A to B is .*1.4.*; it must be a probability"),
        ((ARCS.astype(object).replace(0.9, "much"),), "from A to B is 'much'"),
        ((ARCS, ARCS), "they must be equal, and no less than those of the arcs"),
        ((ARCS, arcs_of({}, "ABCE")), "links must be of the same variables as arcs="),
    ],
)
def test_wrong_tables(arguments, message):
    with pytest.raises(ArgumentError, match=message):
        draw_posterior(*arguments)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"threshold": 1.5}, "threshold=1.5: expected a number from 0 to 1"),
        ({"threshold": "much"}, "threshold='much'"),
        ({"direction": 0.4}, "direction=0.4: expected a number from 0.5 to 1"),
        ({"title": 3}, "title must be a text"),
        ({"path": "picture.txt"}, r"'\.txt'"),
        ({"size": 3}, "size=3"),
        ({"dpi": 0}, "dpi=0"),
    ],
)
def test_wrong_options(options, message):
    with pytest.raises(ArgumentError, match=message):
        draw_posterior(ARCS, **options)
