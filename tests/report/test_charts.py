"""Charts of a report: texts stay inside and never run into each other, however long names and labels are."""

from __future__ import annotations

import re
from html import unescape
from itertools import combinations, pairwise

import numpy as np
import pandas as pd
import pytest

import bnml
from bnml.five_steps.predictive_measures import ReliabilityBin
from bnml.report.charts import (
    Curve,
    RiskRow,
    fitted_text,
    reliability_chart,
    risk_chart,
    roc_chart,
    share_colours,
    shares_chart,
    text_pixels,
)
from bnml.report.pictures import matrix_picture

NAMES = ["W" * 60, "a rather long name of a variable, as hospitals have them, " + "x" * 3, "short"]
LABELS = ["M" * 40, "(123456.789, 1234567.891] and more of it " + "w" * 2, "no", "Ω" * 40, "日本" * 20]
TEXT = re.compile(r'<text x="([-0-9.e+]+)" y="([-0-9.e+]+)"( text-anchor="(?P<anchor>\w+)")?[^>]*>([^<]*)')


def boxes(svg: str, size: int) -> list[tuple[float, float, float, float]]:
    """Return left, right, top and bottom of each level text, by the widest letters that a browser may take."""
    found = []
    for match in TEXT.finditer(svg):
        x, y, text = float(match[1]), float(match[2]), unescape(match[5])
        width = text_pixels(text, size)
        left = {"end": x - width, "middle": x - width / 2}.get(match["anchor"], x)
        found.append((left, left + width, y - 0.8 * size, y + 0.2 * size))
    return found


def check(svg: str, size: int = 12) -> None:
    width, height = (float(re.search(rf' {what}="([0-9.]+)"', svg)[1]) for what in ("width", "height"))
    placed = boxes(svg, size)
    assert placed
    for left, right, top, bottom in placed:
        assert -0.5 <= left <= right <= width + 0.5
        assert -0.5 <= top <= bottom <= height + 0.5
    for one, two in combinations(placed, 2):
        apart = one[1] <= two[0] + 0.5 or two[1] <= one[0] + 0.5 or one[3] <= two[2] or two[3] <= one[2]
        assert apart, (one, two)


@pytest.mark.parametrize("top", [0.02, 0.2, 1.0])
@pytest.mark.parametrize("labels", [LABELS, ["no", "yes"], ["a"]])
def test_risks(labels, top):
    rows = [RiskRow(label, 0.4 * top, 0.1 * top, 0.9 * top, 10 ** (k + 3), 0.5 * top) for k, label in enumerate(labels)]
    rows += [RiskRow("empty", float("nan"), 0.0, 1.0, 0, 0.3), RiskRow("few", 1.0, 0.4, 1.0, 2, None)]
    svg = risk_chart(NAMES[0], rows, 0.3 * top, top, LABELS[0])
    check(svg)
    assert "empty: no rows" in svg
    assert "nan" not in svg


def test_figures_are_whole():
    """Of up to a hundred thousand rows, beside the longest labels."""
    ends = [
        (0.118, 0.113, 0.123, 15_605),
        (1.0, 0.9991, 1.0, 14_125),
        (0.0004, 0.0, 0.0013, 99_999),
        (0.5, 0.0, 1.0, 3),
    ]
    svg = risk_chart("v", [RiskRow(LABELS[0], *own, None) for own in ends], 0.1, 1.0, "yes")
    assert not [text for *_, text in TEXT.findall(svg) if "%" in text and "…" in text]
    assert "12% (11–12%) of 15,605" in svg
    assert "100% (99.9–100.0%) of 14,125" in svg


@pytest.mark.parametrize("n", [1, 2, 5, 9])
def test_shares(n):
    shares = np.random.default_rng(n).dirichlet(np.ones(n), len(LABELS)).tolist()
    rows = [(label, own, 10**k) for k, (label, own) in enumerate(zip(LABELS, shares, strict=True))]
    check(shares_chart(NAMES[0], [*rows, ("empty", [float("nan")] * n, 0)], [f"{k}{LABELS[0]}" for k in range(n)]))
    assert len(set(share_colours(n))) == n


def test_curves():
    points = [(0.0, 0.0), (0.2, 0.7), (1.0, 1.0)]
    check(roc_chart([Curve(f"{name}, AUC 0.85", points) for name in NAMES], LABELS[0]))
    bins = [ReliabilityBin(k / 10, k / 10, max(0, k / 10 - 0.1), min(1, k / 10 + 0.1), 3 * k + 1) for k in range(11)]
    check(reliability_chart([(name, bins) for name in NAMES], LABELS[0]))


@pytest.mark.parametrize("size", [11, 12])
def test_texts_are_cut_to_their_room(size):
    for text in (*NAMES, *LABELS):
        for width in (30, 100, 1000):
            shown = fitted_text(text, width, size)
            assert text_pixels(shown, size) <= width or len(shown) <= 2
            assert shown == text or "…" in shown


def test_the_matrix_of_pairs_has_room_for_its_names():
    names = [*NAMES, *LABELS]
    pairs = [(a, b, 0.5, 0.01) for a, b in combinations(names, 2)]
    svg = matrix_picture(names, pd.DataFrame(pairs, columns=["a", "b", "strength", "adjusted_p_value"]), 0.05, NAMES[0])
    assert svg is not None
    check(svg, 11)
    width, height = (float(re.search(rf' {what}="([0-9.]+)"', svg)[1]) for what in ("width", "height"))
    turned = re.findall(r"translate\(([0-9.]+) ([0-9.]+)\) rotate\(45\)\"[^>]*>([^<]*)", svg)
    assert len(turned) == len(names) - 1
    for x, y, text in turned:
        length = text_pixels(unescape(text), 11) * 2**-0.5
        assert float(x) + length <= width
        assert float(y) + length + 8 <= height - 18  # where the legend begins
    places = [float(x) for x, _, _ in turned]
    assert all((b - a) * 2**-0.5 >= 11 for a, b in pairwise(places))


def test_a_report_with_long_names_and_labels():
    rng = np.random.default_rng(0)
    first = rng.integers(0, 3, 400)
    columns = {
        f"{k} a name of sixty letters as some hospitals have them in it {k}"[:60]: np.array(
            [f"{j} a label of forty letters or a little l{j}"[:40] for j in range(3)]
        )[np.where(rng.random(400) < 0.7, first, rng.integers(0, 3, 400))]
        for k in range(5)
    }
    found = bnml.study(pd.DataFrame(columns), next(iter(columns)), repetitions=0, folds=3)
    page = found.html()
    charts = [svg for svg in re.findall(r"<svg.*?</svg>", page, re.DOTALL) if 'font-size="12"' in svg]
    assert len(charts) >= 3
    for svg in charts:
        check(svg)
