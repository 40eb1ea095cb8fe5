"""Tables that keep their gaps (``missing="em"``): what they are, and that nothing counts a gap as a state."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bnml
from bnml.counts import counts_of
from bnml.data.data import refuse_gaps
from bnml.data.gap_rows import joined_rows, rows_split_by_gaps
from bnml.data.gap_tables import count_rows_with_gaps, gaps_as_states, gaps_filled_by_mode
from bnml.data.read_like import read_like
from bnml.data.rows import rows_of
from bnml.errors import DataError, MissingError

VALUES = st.lists(
    st.tuples(*[st.sampled_from(["x", "y", None])] * 3, st.integers(1, 3)), min_size=1, max_size=12
)  # fmt: skip
WHOLE = [("x", "y", "x", 1), ("y", "x", "y", 1)]


def frame_of(rows):
    return pd.DataFrame([*WHOLE, *rows], columns=[*"ABC", "n"])


@settings(deadline=None)
@given(VALUES, st.booleans())
def test_values_are_those_of_the_source_and_gaps_are_no_state(rows, weighted):
    frame = frame_of(rows)
    data = bnml.read(frame if weighted else frame[list("ABC")], missing="em", weights="n" if weighted else None)
    assert data.states == (("x", "y"),) * 3
    assert data.n_rows == (frame["n"].sum() if weighted else len(frame))
    gaps = frame[list("ABC")].isna()
    times = frame["n"] if weighted else pd.Series(1, frame.index)
    assert data.gap_counts() == {x: int(times[gaps[x]].sum()) for x in "ABC" if gaps[x].any()}
    assert data.has_gaps == bool(gaps.any(axis=None))
    for (*row, _), place in zip([*WHOLE, *rows], data.row_index, strict=True):
        assert [(*labels, None)[code] for code, labels in zip(data.codes[place], data.states, strict=True)] == row
    same = bnml.read(frame[list("ABC")], missing="state", states={x: ["x", "y"] for x in "ABC"})
    if not weighted:
        assert np.array_equal(gaps_as_states(data).codes, same.codes)
        assert gaps_as_states(data).states == same.states


@settings(deadline=None)
@given(VALUES)
def test_rows_with_and_without_gaps_make_up_the_table(rows):
    data = bnml.read(frame_of(rows), missing="em", weights="n")
    whole, others = rows_split_by_gaps(data)
    dropped = frame_of(rows).dropna()
    assert whole.n_rows == dropped["n"].sum()
    assert others.times.sum() + whole.n_rows == data.n_rows
    assert others.n == count_rows_with_gaps(data)
    assert (others.columns.min(axis=0) == -1).all()
    filled = np.where(others.columns < 0, 0, others.columns)
    joined = joined_rows(data, whole, 3, filled, 3 * others.times)
    assert joined.n_rows == 3 * data.n_rows
    assert not joined.has_gaps
    assert gaps_filled_by_mode(data).n_rows == data.n_rows


def test_without_gaps_it_is_the_same_table():
    frame = pd.DataFrame({"A": list("xyxx"), "B": [1, 2, 2, 1]})
    kept, plain = bnml.read(frame, missing="em"), bnml.read(frame)
    assert not kept.has_gaps
    assert kept.states == plain.states
    assert np.array_equal(kept.codes, plain.codes)
    assert bnml.learn(kept).score == bnml.learn(plain).score
    assert bnml.learn(kept).optimal


def test_select_save_and_read_like(tmp_path):
    frame = pd.DataFrame({"A": ["x", None, "y", "x"], "B": [1.0, 2.0, None, 2.0], "C": list("uvuv")})
    data = bnml.read(frame, missing="em")
    assert data.select(["B", "C"]).gap_counts() == {"B": 1}
    assert not data.select("C").has_gaps
    data.save(tmp_path / "t.npz")
    again = bnml.Data.load(tmp_path / "t.npz")
    assert again.has_gaps
    assert np.array_equal(again.codes, data.codes)
    like = read_like(frame, dict(zip(data.names, data.states, strict=True)), data.cuts, data.reading)
    assert np.array_equal(like.codes, data.codes)
    assert like.gaps == data.gaps


def test_bins_leave_gaps_as_they_are():
    rng = np.random.default_rng(0)
    x = rng.normal(size=200)
    frame = pd.DataFrame({"x": np.where(rng.random(200) < 0.2, np.nan, x), "y": np.where(x > 0, "a", "b")})
    data = bnml.read(frame, bins="auto", missing="em")
    assert data.gap_counts() == {"x": int(frame["x"].isna().sum())}
    assert "?" not in data.states[0]
    assert len(data.states[0]) == len(data.cuts["x"]) + 1


def test_columns_are_cut_by_turns_with_a_network():
    rng = np.random.default_rng(0)
    x = rng.normal(size=300)
    z = 2.0 * x + rng.normal(size=300)
    frame = pd.DataFrame({"x": x.round(2), "y": np.where(x > 0, "a", "b"), "z": z.round(2)})
    gaps = frame.mask(rng.random(frame.shape) < 0.1)
    data = bnml.discretise(gaps, missing="em", search="tabu")
    assert data.gap_counts() == gaps.isna().sum().to_dict()
    assert all(
        len(labels) == len(data.cuts[x]) + 1 for x, labels in zip(data.names, data.states, strict=True) if x != "y"
    )


def test_a_column_without_a_value_is_refused():
    frame = pd.DataFrame({"A": list("xyx"), "B": [None, None, None]})
    with pytest.raises(DataError, match=r"no value at all in 'B'.*drop"):
        bnml.read(frame, missing="em")


def test_the_error_for_gaps_names_the_three_remedies():
    with pytest.raises(MissingError) as caught:
        bnml.read(pd.DataFrame({"A": ["x", None, "y"]}))
    for remedy in ("em", "state", "drop"):
        assert f"missing='{remedy}'" in str(caught.value)


DAG = bnml.DAG.parse("[A][B|A]")
DOORS = {
    "counts": counts_of,
    "rows": rows_of,
    "family": lambda data: bnml.family_score("A", ["B"], data),
    "posterior": bnml.posterior,
    "prequential": lambda data: bnml.prequential(DAG, data, "bdeu"),
    "relational": lambda data: bnml.relational.gains(data),
    "code length": lambda data: bnml.code_length(DAG, data),
    "candidates": lambda data: bnml.search.candidates(data),
    "information": lambda data: bnml.information.entropy(data, "A"),
    "exact NML": lambda data: bnml.learn(data, search="nml-forest"),
}


@pytest.mark.parametrize("door", DOORS)
def test_what_needs_every_value_says_so(door):
    data = bnml.read(pd.DataFrame({"A": ["x", None, "y", "x"] * 5, "B": list("uvvu") * 5}), missing="em")
    with pytest.raises(bnml.BnmlError) as caught:
        DOORS[door](data)
    for remedy in ("em", "state", "drop"):
        assert remedy in str(caught.value)
    refuse_gaps(data.select("B"), "nothing")  # this column has none
