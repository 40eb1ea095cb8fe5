"""Labels: their text, their numbers, their order."""

from __future__ import annotations

import datetime
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnml._text import clip
from bnml.data.labels import as_number, as_numbers, is_missing, is_whole, label_text, label_without_point, ordered


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("None", "None"),
        ("05", "05"),
        (1, "1"),
        (1.0, "1"),
        (-0.0, "0"),
        (np.float32(3), "3"),
        (Decimal("1.00"), "1"),
        (Decimal("1.50"), "1.50"),
        (1.5, "1.5"),
        (1e22, "10000000000000000000000"),
        (float("inf"), "inf"),
        (True, "True"),
        (np.True_, "True"),
        (2**64, "18446744073709551616"),
        (datetime.date(2020, 1, 2), "2020-01-02"),
    ],
)
def test_text(value, text):
    assert label_text(value) == text


@pytest.mark.parametrize(
    "value", [None, float("nan"), np.float32("nan"), pd.NA, pd.NaT, Decimal("NaN"), Decimal("sNaN")]
)
def test_missing(value):
    assert is_missing(value)


@pytest.mark.parametrize("value", ["", "?", "NaN", "None", "NA", 0, False, 0.0, float("inf")])
def test_not_missing(value):
    assert not is_missing(value)


@pytest.mark.parametrize(
    ("label", "number"),
    [("05", 5), ("-1.5", -1.5), (".5", 0.5), ("1.", 1), ("1e3", 1000), ("+2", 2), (3, 3), (np.int8(4), 4), (2.5, 2.5),
     (Decimal("1.5"), 1.5), (10**300, 1e300)],
)  # fmt: skip
def test_numbers(label, number):
    assert as_number(label) == number


@pytest.mark.parametrize(
    "label",
    ["", " 1", "1 ", "1_000", "1,5", "0x10", "inf", "nan", "1e999", "٣", "½", "--1", ".", "e5", True, np.False_, None,
     float("inf"), 10**400, Decimal("Infinity"), Decimal("sNaN"), datetime.date(2020, 1, 1)],
)  # fmt: skip
def test_no_numbers(label):
    assert as_number(label) is None
    assert not is_whole(label)


@given(labels=st.lists(st.text("0159+-.eE,\n _x", max_size=6)))
def test_many_numbers_at_once(labels):
    numbers = [as_number(label) for label in labels]
    found = as_numbers(labels)
    assert found is None if None in numbers else found.tolist() == numbers


@pytest.mark.parametrize(
    "labels", [[], [1, 2.5], ["1", 2], [True], [10**400], [float("inf"), 1], ["1e999"], [1, Decimal(2)]]
)
def test_many_numbers_of_any_type(labels):
    numbers = [as_number(label) for label in labels]
    found = as_numbers(labels)
    assert found is None if None in numbers else found.tolist() == numbers


@pytest.mark.parametrize(
    ("text", "plain"),
    [("1.0", "1"), ("1.", "1"), ("-2.00", "-2"), ("05.0", "05"), ("-0.0", "0"), ("1.5", "1.5"), ("1e3", "1e3"),
     (".0", ".0"), ("v1.0", "v1.0"), ("1.0.0", "1.0.0")],
)  # fmt: skip
def test_whole_numbers_with_a_point(text, plain):
    assert label_without_point(text) == plain


def test_order():
    assert ordered(["10", "9", "-2", "05", "5"]) == ["-2", "05", "5", "9", "10"]
    assert ordered(["10", "9", "x"]) == ["10", "9", "x"]
    assert ordered(["b", "B", "a", "é"]) == ["B", "a", "b", "é"]
    assert ordered([True, False]) == [False, True]
    assert ordered([2, True, 0]) == [0, True, 2]
    assert ordered([2.0, 10.0, 1]) == [1, 2.0, 10.0]
    assert ordered([]) == []


def test_clip():
    assert clip("short") == "short"
    assert clip(5) == 5
    assert clip("x" * 100) == "x" * 59 + "…"
    assert len(clip(list(range(100)), 20)) == 20
