"""The table itself."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pandas as pd
import pytest

import bnml
from bnml.data import Data, read
from bnml.errors import ArgumentError

from .tools import check, counts, labels


@pytest.fixture
def data() -> Data:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": rng.integers(0, 3, 50), "b": rng.choice(["u", "v"], 50), "x": rng.normal(size=50)})
    return read(frame, bins="width:3")


def test_attributes(data):
    check(data)
    assert isinstance(data, bnml.Data)
    assert data.names == ("a", "b", "x")
    assert data.states[:2] == ((0, 1, 2), ("u", "v"))
    assert data.n_rows == len(data) == 50
    assert data.arities == (3, 2, 3)
    assert data.codes.dtype == np.uint8
    assert data.weights.dtype == np.int64
    assert set(data.cuts) == {"x"}
    assert len(data.cuts["x"]) == 2


def test_nothing_can_be_changed(data):
    for array in (data.codes, data.weights, data.row_index, data.column_codes):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0
    with pytest.raises(AttributeError):
        data.names = ()
    with pytest.raises(TypeError):
        data.cuts["x"] = ()


def test_positions(data):
    assert data.index("b") == 1
    assert data.indices(["x", "a"]) == (2, 0)
    assert data.indices("b") == (1,)
    assert data.indices([]) == ()
    assert data.indices(name for name in "ab") == (0, 1)


@pytest.mark.parametrize("name", ["c", 0, None, ["a"], ("a", "b"), "a" * 10_000])
def test_unknown_columns(data, name):
    with pytest.raises(ArgumentError, match=r"there is no column .*'a', 'b', 'x'") as error:
        data.index(name)
    assert len(str(error.value)) < 300


def test_the_nearest_name_is_suggested():
    with pytest.raises(ArgumentError, match=r"Did you mean 'smoke'\?"):
        read(pd.DataFrame({"smoke": [0, 1], "lung": [1, 0]})).index("smoking")


def test_bad_names(data):
    with pytest.raises(ArgumentError, match="'a' is named twice"):
        data.indices(["a", "b", "a"])
    with pytest.raises(ArgumentError, match="expected names"):
        data.indices(5)
    with pytest.raises(ArgumentError, match="at least one"):
        data.select([])
    with pytest.raises(ArgumentError, match="no column 'q'"):
        data.select(["q"])


def test_select(data):
    part = data.select(["x", "a"])
    check(part)
    assert part.names == ("x", "a")
    assert part.states == (data.states[2], data.states[0])
    assert dict(part.cuts) == dict(data.cuts)
    assert part.n_rows == 50
    assert labels(part) == [[row[2], row[0]] for row in labels(data)]
    assert not data.select(["b"]).cuts


def test_select_by_one_name_or_a_generator():
    data = read(pd.DataFrame({"abc": [0, 1, 1], "a": [1, 0, 0], "b": [0, 1, 0]}))
    assert data.select("abc").names == ("abc",)
    assert data.select(name for name in ("b", "a")).names == ("b", "a")


def test_select_with_weights():
    data = read(pd.DataFrame({"a": list("xyx"), "b": list("uuv"), "n": [3, 1, 2]}), weights="n")
    assert counts(data.select(["a"])) == {("x",): 5, ("y",): 1}


def test_select_without_rows_of_its_own(data):
    part = Data(data.names, data.states, data.codes, data.weights).select(["a"])
    assert part.row_index is None
    assert part.n_rows == 50


@pytest.mark.parametrize("again", [lambda data: pickle.loads(pickle.dumps(data)), copy.copy, copy.deepcopy])
def test_copies(data, again):
    data.memo["x"] = 1
    assert data.n_rows
    assert data.column_codes is data.column_codes
    other = again(data)
    check(other)
    assert other.names == data.names
    assert other.states == data.states
    assert dict(other.cuts) == dict(data.cuts)
    for name in ("codes", "weights", "row_index"):
        assert (getattr(other, name) == getattr(data, name)).all()
    assert other.memo == {}


def test_columns_are_contiguous(data):
    assert data.column_codes.flags.c_contiguous
    assert (data.column_codes == data.codes.T).all()
    assert np.shares_memory(data.column_codes, data.codes)


def test_print():
    frame = pd.DataFrame({"sky": ["sun", "rain", "sun"], "air": ["warm", "cold", "warm"]})
    assert str(read(frame)) == (
        "3 rows (2 distinct) × 2 columns\n"
        "column  states  labels\n"
        "sky          2  rain, sun\n"
        "air          2  cold, warm"
    )  # fmt: skip
    assert repr(read(frame)) == "<Data: 3 rows (2 distinct) × 2 columns>"


def test_print_stays_short():
    frame = pd.DataFrame({f"{'long name ' * 20}{i}": [f"a\nb\t{'x' * 500}", "é" * 100, "?!"] for i in range(30)})
    frame["many"] = pd.Categorical(["c0", "c1", "c2"], categories=[f"c{i}" for i in range(70_000)])
    lines = str(read(frame[["many", *frame.columns[:-1]]])).split("\n")
    assert len(lines) == 2 + 20 + 1
    assert lines[-1] == "… and 11 more columns"
    assert all(len(line) <= 80 for line in lines)
    assert "70000" in lines[2]
    with pytest.warns(UserWarning, match="only one state"):
        assert str(read(pd.DataFrame({"a": ["x"]}))).startswith("1 row (1 distinct) × 1 column\n")
