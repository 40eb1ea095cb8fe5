"""The table of all gains."""

from __future__ import annotations

import itertools
import math

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bnml
from bnml.errors import ArgumentError
from bnml.relational import gains, gains_given, hartley_gain, hartley_information
from tests.relational import naive
from tests.relational.strategies import LESS, SHAPES, examples


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


def test_the_lecture_value_by_value():
    found = gains_given(LESS, "shape", "size", "color").set_index("color")
    assert found.loc["red", ["a", "b", "pairs"]].tolist() == [2, 3, 4]
    assert found.gain.round(2).to_dict() == {"blue": 0.0, "green": 1.0, "red": 0.58, "yellow": 0.0}
    assert found.gain.mean() == pytest.approx(hartley_gain(LESS, "shape", "size", given="color"))
    others = gains_given(LESS, "color", "size", "shape")
    assert others.gain.round(2).tolist() == [0.0, 0.0, 0.42]
    assert gains_given(LESS, "color", "shape", ["size"]).gain.round(2).tolist() == [0.0, 1.26, 0.0]


@settings(max_examples=60, deadline=None)
@given(example=examples(least=3), data=st.data())
def test_values_of_others_one_by_one(example, data):
    a, b, *given_names = data.draw(st.permutations(example.names))
    lecture = bool(example.arguments) and max(example.tuples.values()) == 1.0 and data.draw(st.booleans())
    extra = {"measure": "lecture"} if lecture else {}
    found = gains_given(example.frame, a, b, given_names, **example.arguments, **extra)
    at = {name: i for i, name in enumerate(example.names)}
    for row in found.to_dict("records"):
        values = tuple(row[name] for name in given_names)
        own = {r: d for r, d in example.tuples.items() if tuple(r[at[g]] for g in given_names) == values}
        most = max(own.values())
        scaled = {r: d / most for r, d in own.items()}
        sums = [math.fsum(naive.projection(scaled, places).values()) for places in ([at[a]], [at[b]], [at[a], at[b]])]
        expected = math.log2(sums[0] * sums[1] / sums[2]) if lecture else naive.gain(scaled, at[a], at[b])
        assert row["gain"] == pytest.approx(expected, abs=1e-9)
        assert row["pairs"] == pytest.approx(sums[2] * most)
    assert len(found) == len({tuple(r[at[g]] for g in given_names) for r in example.tuples})
    if not example.arguments:
        assert found.gain.mean() == pytest.approx(hartley_gain(example.frame, a, b, given_names), abs=1e-9)


@settings(max_examples=40, deadline=None)
@given(example=examples(least=2))
def test_the_lecture_on_degrees(example):
    """Sums of degrees in place of numbers."""
    if max(example.tuples.values()) < 1.0:
        with pytest.raises(ArgumentError, match="fully possible"):
            gains(example.frame, **example.arguments, measure="lecture")
        return
    a, b = example.names[:2]
    one, two, both = (math.fsum(naive.projection(example.tuples, places).values()) for places in ([0], [1], [0, 1]))
    arguments = {**example.arguments, "measure": "lecture"}
    assert hartley_information(example.frame, a, **arguments) == pytest.approx(math.log2(one))
    assert hartley_gain(example.frame, a, b, **arguments) == pytest.approx(math.log2(one * two / both), abs=1e-12)
    found = gains(example.frame, **arguments).set_index(["a", "b"]).gain
    assert found[a, b] == pytest.approx(math.log2(one * two / both), abs=1e-12)


def test_wrong_arguments():
    for wrong in ("lectures", None, 3):
        with pytest.raises(ArgumentError, match="measure"):
            gains(SHAPES, measure=wrong)
    with pytest.raises(ArgumentError, match="at least one"):
        gains_given(SHAPES, "color", "size", [])
    with pytest.raises(ArgumentError, match="given"):
        gains_given(SHAPES, "color", "size", 7)
