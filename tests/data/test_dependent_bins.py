"""Cuts that are chosen for what they tell about other columns."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from bnml.data import read
from bnml.data.dependent_bins import most_bins
from bnml.errors import ArgumentError, DataError


def patients(n: int = 1200) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    age = rng.integers(20, 90, n)
    sick = (rng.random(n) < 1 / (1 + np.exp(-(age - 60) / 8))).astype(int)
    return pd.DataFrame(
        {"age": age, "sick": sick, "visits": rng.poisson(9, n), "weight": rng.normal(70, 9, n).round(1)}
    )


def test_what_depends_is_cut_for_that():
    data = read(patients(), bins="auto")
    assert 3 <= len(data.states[0]) <= most_bins(1200)
    assert any(55 <= cut <= 65 for cut in data.cuts["age"])
    assert data.cuts["age"] == read(patients()[["age", "sick"]], bins="target:sick").cuts["age"]


def test_columns_that_nothing_depends_on_get_a_few_even_bins():
    data = read(patients(), bins="auto")
    assert data.arities[2:] == (3, 3)
    assert data.cuts["weight"] == read(patients(), bins="quantile:3").cuts["weight"]
    assert read(patients(20)[["weight"]], bins="auto").arities == (2,)


def test_a_tail_is_found():
    """What quantiles do not show: one in thirty is different."""
    rng = np.random.default_rng(3)
    x = rng.random(900)
    frame = pd.DataFrame({"x": x, "y": np.where(x > 0.97, "b", "a")})
    assert read(frame, bins="auto").cuts["x"] == (pytest.approx(0.97, abs=0.01),)


def test_a_target_that_is_a_number_is_cut_too():
    rng = np.random.default_rng(1)
    y = rng.normal(0, 1, 800)
    frame = pd.DataFrame({"x": np.sign(y) + rng.normal(0, 0.3, 800), "y": y, "z": rng.integers(0, 2, 800)})
    data = read(frame, bins="target:y")
    assert set(data.cuts) == {"x", "y"}
    assert any(abs(cut) < 0.4 for cut in data.cuts["x"])
    assert len(data.cuts["y"]) >= 1


def test_no_order_matters():
    frame = patients(500)
    data = read(frame, bins="auto")
    rng = np.random.default_rng(7)
    for _ in range(3):
        other = frame.iloc[rng.permutation(len(frame)), rng.permutation(4)]
        assert dict(read(other, bins="auto").cuts) == dict(data.cuts)


def test_weights_stand_for_rows():
    frame = patients(300)[["age", "sick"]]
    counted = frame.value_counts().rename("n").reset_index()
    for bins in ("auto", "target:sick"):
        assert dict(read(counted, weights="n", bins=bins).cuts) == dict(read(frame, bins=bins).cuts)


@pytest.mark.parametrize("bins", ["auto", "mdl", "target:b", "width:2", "quantile:3"])
@pytest.mark.parametrize("values", [[0.5, 1.5], [1, 1, 1, 2.5], list(range(11)), [0.1, 0.2, 0.1, 0.3], [7.5, 1e9, 8]])
def test_a_column_that_varies_has_two_states(bins, values):
    frame = pd.DataFrame({"a": values, "b": ["u", "v"] * (len(values) // 2) + ["u"] * (len(values) % 2)})
    data = read(frame, bins=bins)
    assert data.arities[0] >= 2
    assert (np.bincount(data.codes[data.row_index][:, 0]) > 0).all()


def test_few_rows_have_few_bins():
    rng = np.random.default_rng(0)
    x = rng.random(60)
    frame = pd.DataFrame({"x": x, "y": (x * 6).astype(int)})
    for bins in ("auto", "target:y"):
        assert read(frame, bins=bins).arities[0] * 6 <= max(60 / 5, 12)


def test_gaps_are_no_numbers():
    frame = patients(400).astype(object)
    frame.loc[::7, "age"] = None
    frame.loc[::5, "sick"] = None
    data = read(frame, bins="auto", missing="state")
    assert data.states[0][-1] == data.states[1][-1] == "?"
    assert read(frame, bins="target:sick", missing="state").states[0][-1] == "?"
    assert "?" not in read(frame, bins="auto", missing="drop").states[0]


def test_some_columns_otherwise():
    data = read(patients(), bins={"age": [40, 60], "weight": "target:visits", "*": "auto"})
    assert data.cuts["age"] == (40.0, 60.0)
    assert data.arities[2] == 3
    both = read(patients(), bins={"age": "target:weight", "weight": "target:age", "visits": "mdl"})
    assert set(both.cuts) == {"age", "weight", "visits"}


def test_wrong_targets():
    frame = patients(50)
    with pytest.raises(ArgumentError, match=r"bins: there is no column 'sik'.*Did you mean 'sick'"):
        read(frame, bins="target:sik")
    with pytest.raises(ArgumentError, match="'sick' is left out"):
        read(frame, bins="target:sick", drop=["sick"])
    with pytest.raises(ArgumentError, match="a column cannot be cut for itself"):
        read(frame, bins={"age": "target:age"})
    with pytest.raises(ArgumentError, match=r"bins\['\*'\]=\[1\]: expected a text"):
        read(frame, bins={"*": [1]})
    with pytest.raises(DataError, match="'weight' holds fractions"):
        read(frame, bins={"age": "target:sick"})
