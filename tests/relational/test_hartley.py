"""Hartley information and gains against sets of tuples."""

from __future__ import annotations

import math

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bnml.errors import ArgumentError
from bnml.relational import hartley_gain, hartley_information
from tests.relational import naive
from tests.relational.strategies import LESS, SHAPES, examples

MANY = settings(max_examples=60, deadline=None)


def test_the_lecture():
    assert hartley_information(SHAPES, "color") == 2.0
    assert hartley_information(SHAPES, "color", "shape") == pytest.approx(math.log2(6))
    assert hartley_gain(SHAPES, "color", "shape") == pytest.approx(1.0)
    assert hartley_gain(SHAPES, "shape", "size") == pytest.approx(math.log2(9 / 5))
    assert hartley_gain(SHAPES, "color", "size") == pytest.approx(math.log2(12 / 8))


def test_the_lecture_on_what_is_given():
    assert hartley_gain(LESS, "shape", "size", "color") == pytest.approx((math.log2(6 / 4) + 1) / 4)
    assert hartley_gain(LESS, "color", "size", ["shape"]) == pytest.approx(math.log2(4 / 3) / 3)
    assert hartley_gain(LESS, "color", "shape", ("size",)) == pytest.approx(math.log2(12 / 5) / 3)
    assert hartley_gain(SHAPES, "color", "size", "shape") == 0.0


@MANY
@given(example=examples(), data=st.data())
def test_information(example, data):
    places = data.draw(st.lists(st.integers(0, len(example.names) - 1), min_size=1, unique=True))
    found = hartley_information(example.frame, *[example.names[i] for i in places], **example.arguments)
    assert found == pytest.approx(naive.information(example.tuples, places), abs=1e-12)


@MANY
@given(example=examples(most=5, least=2), data=st.data())
def test_gain(example, data):
    a, b, *others = data.draw(st.permutations(range(len(example.names))))
    known = others[: data.draw(st.integers(0, len(others)))]
    names = example.names
    found = hartley_gain(example.frame, names[a], names[b], [names[i] for i in known], **example.arguments)
    assert found == pytest.approx(naive.gain(example.tuples, a, b, known), abs=1e-12)
    assert found >= -1e-12
    if not known:
        one = hartley_gain(example.frame, names[b], names[a], **example.arguments)
        assert one == pytest.approx(found, abs=1e-12)


def test_attributes_that_have_nothing_to_do_with_each_other_gain_nothing():
    """Each pair is as possible as the less possible of its values; sums of degrees would give log2(3.61 / 10.9)."""
    frame = pd.DataFrame(
        [(a, b, 1.0 if a == b == 0 else 0.1) for a in range(10) for b in range(10)], columns=list("abp")
    )
    assert hartley_gain(frame, "a", "b", possibility="p") == 0.0


@pytest.mark.parametrize(
    ("arguments", "fragment"),
    [
        (("color", "colour"), "there is no column 'colour'"),
        (("color", "color"), "'color' is named twice"),
        (("color", "size", "size"), "'size' is named twice"),
        (("color", "size", ["shape", "shape"]), "named twice"),
        (("color", "size", 3), "given=3"),
        (("color", ["size"]), "no column"),
    ],
)  # fmt: skip
def test_wrong_names(arguments, fragment):
    with pytest.raises(ArgumentError, match=fragment):
        hartley_gain(SHAPES, *arguments)


def test_at_least_one_attribute():
    with pytest.raises(ArgumentError, match="at least one"):
        hartley_information(SHAPES)
