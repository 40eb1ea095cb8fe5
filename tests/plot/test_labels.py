"""Lines, widths and the order of names."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnml.plot.labels import MOST_IN_A_LINE, MOST_LINES, box_size, label_lines, label_order, text_width


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        ("A", ("A",)),
        ("eighteen_letters_x", ("eighteen_letters_x",)),
        ("blood pressure at night", ("blood pressure at", "night")),
        ("blood_pressure_at_night", ("blood_pressure_at_", "night")),
        ("HTTPServerConnectionError", ("HTTPServer", "ConnectionError")),
        ("x" * 40, ("x" * 18, "x" * 18, "x" * 4)),
        ("two\nlines\tand\x00more", ("two lines and more",)),
        ("\n", ("?",)),
    ],
)
def test_lines(name, lines):
    assert label_lines(name) == lines


@given(st.text(min_size=1, max_size=100))
def test_nothing_is_lost_up_to_four_lines(name):
    lines = label_lines(name)
    assert 1 <= len(lines) <= MOST_LINES
    assert all(line.isprintable() and len(line) <= MOST_IN_A_LINE + 1 for line in lines)
    shown = "".join("".join(lines).split())
    printable = "".join("".join(c if c.isprintable() else " " for c in name).split()) or "?"
    assert shown == printable or (shown.endswith("…") and printable.startswith(shown[:-1]))


@given(st.text(st.characters(codec="latin-1", categories=["L", "N", "P", "Z"]), min_size=1, max_size=30))
def test_wide_enough_for_the_font(text):
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    points = text_to_path.get_text_width_height_descent(text, FontProperties(family="DejaVu Sans", size=10), False)[0]
    assert text_width(text) >= 10 * points - 5  # matplotlib rounds to whole pixels
    if text.isascii():
        assert text_width(text) <= 10 * points * 1.1 + 10


def test_wide_and_combining_characters():
    assert text_width("图") > text_width("W")
    assert text_width("e\u0301") == text_width("é") == text_width("e")


def test_box_sizes():
    assert box_size("A")[0] == box_size("B")[0]
    assert box_size("a_long_name_here")[0] > box_size("a_name")[0]
    assert box_size("a_very_long_name_in_two_lines")[1] > box_size("a_name")[1]


def test_natural_order():
    names = ["X10", "X2", "X1", "Y", "X", "X02", "10", "9", "X2b", "X" + "9" * 5000]
    assert sorted(names, key=label_order)[:8] == ["9", "10", "X", "X1", "X02", "X2", "X2b", "X10"]
