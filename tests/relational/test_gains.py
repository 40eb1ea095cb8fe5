"""The table of all gains."""

from __future__ import annotations

import itertools
import math

import pandas as pd
import pytest
from hypothesis import given, settings

import bnml
from bnml.relational import gains
from tests.relational import naive
from tests.relational.strategies import SHAPES, examples


def test_the_lecture():
    found = gains(SHAPES)
    assert list(zip(found.a, found.b, strict=True)) == [("color", "shape"), ("shape", "size"), ("color", "size")]
    assert found.possible.tolist() == [12, 9, 12]
    assert found.occurring.tolist() == [6, 5, 8]
    assert found.relative.round(2).tolist() == [0.5, 0.56, 0.67]
    assert found.gain.tolist() == pytest.approx([1.0, math.log2(9 / 5), math.log2(1.5)])


@settings(max_examples=40, deadline=None)
@given(example=examples())
def test_definition(example):
    found = gains(example.frame, **example.arguments).set_index(["a", "b"])
    names, tuples = example.names, example.tuples
    assert len(found) == math.comb(len(names), 2)
    for i, j in itertools.combinations(range(len(names)), 2):
        row = found.loc[names[i], names[j]]
        assert row.gain == pytest.approx(naive.gain(tuples, i, j), abs=1e-12)
        assert row.occurring == pytest.approx(sum(naive.projection(tuples, [i, j]).values()))
        assert row.possible == example.frame[names[i]].nunique() * example.frame[names[j]].nunique()
        assert row.relative == pytest.approx(row.occurring / row.possible)
    assert found.gain.round(9).is_monotonic_decreasing


def test_declared_values_are_possible():
    data = bnml.read(SHAPES, states={"size": ["small", "medium", "large", "huge"]})
    assert gains(data).set_index(["a", "b"]).loc[("shape", "size"), "possible"] == 12


def test_ties_stand_in_order_of_the_names():
    same = pd.DataFrame({name: ["x", "y"] for name in "dbca"})
    pairs = gains(same)[["a", "b"]].apply(sorted, axis=1).tolist()
    assert pairs == sorted(pairs)


def test_a_single_attribute():
    assert len(gains(SHAPES[["color"]])) == 0
