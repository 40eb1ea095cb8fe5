"""What a table was read with, kept for other tables."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pandas as pd
import pytest

from bnml.data import Data, read
from bnml.data.labels import Reading
from bnml.data.read_like import read_like
from bnml.data.resampling import first_rows, redrawn, resampled_parts
from bnml.data.rows import rows_with_column
from bnml.errors import ArgumentError

FRAME = pd.DataFrame({"x": [-999, 1, 2, 3], "a": ["u", "v", "NA", "u"], "b": [0, 1, 0, 1]})


def told(data: Data) -> Reading:
    return data.reading


@pytest.fixture
def data() -> Data:
    return read(FRAME, na_values=[-999, "NA"], missing="state")


def test_what_read_was_told(data):
    assert told(data) == Reading("state", ("-999", "NA"))
    assert told(read(FRAME)) == Reading("error")
    assert told(read(FRAME, missing="drop", na_values="NA")) == Reading("drop", ("NA",))
    assert Data(data.names, data.states, data.codes, data.weights).reading == Reading()


def test_codes_in_place_of_labels(tmp_path):
    (tmp_path / "x.vd").write_text("a\tlow\thigh\nb\t1\t2\n")
    codes = pd.DataFrame({"a": [0, 1], "b": [1, 0], "c": [7, 8]})
    data = read(codes, states=tmp_path / "x.vd")
    assert told(data).coded == ("a", "b")
    assert told(data.select(["c", "b"])).coded == ("b",)
    assert told(read(codes.replace({"a": {0: "low", 1: "high"}, "b": {0: 2}}), states=tmp_path / "x.vd")).coded == ()


@pytest.mark.parametrize(
    "changed",
    [
        lambda data, path: data.select(["b", "x"]),
        lambda data, path: redrawn(data, np.random.default_rng(0)),
        lambda data, path: resampled_parts(data, np.arange(4), 2)[0],
        lambda data, path: resampled_parts(data, np.arange(4), 2)[1],
        lambda data, path: next(first_rows(data, np.arange(4), [2])),
        lambda data, path: rows_with_column(data, "new", ["p", "q"], np.array([0, 1, 0, 1])),
        lambda data, path: pickle.loads(pickle.dumps(data)),
        lambda data, path: copy.deepcopy(data),
        lambda data, path: (data.save(path / "t.npz"), Data.load(path / "t.npz"))[1],
    ],
)
def test_it_stays_with_the_table(data, tmp_path, changed):
    assert told(changed(data, tmp_path)) == told(data)
    numbers = with_number(data)
    expected = () if "size" not in changed(numbers, tmp_path).names else told(numbers).medians
    assert told(changed(numbers, tmp_path)).medians == expected


def with_number(data: Data) -> Data:
    """Return the table with one more column, of numbers that were cut."""
    frame = FRAME.assign(size=[0.5, np.nan, 2.5, 4.5])
    return read(frame, na_values=[-999, "NA"], missing="state", bins={"size": [1]})


def test_medians_of_bins():
    whole = with_number(read(FRAME, na_values=[-999, "NA"], missing="state"))
    assert told(whole).medians_of("size") == (0.5, 3.5)
    assert told(whole).medians_of("a") is None
    assert told(whole.select(["size", "a"])).medians == (("size", (0.5, 3.5)),)
    assert told(whole.select(["a"])).medians == ()
    frame = pd.DataFrame({"size": [0.5, 0.7, 2.5, 4.5], "n": [1, 0, 3, 1], "a": ["u", None, "v", None]})
    assert told(read(frame[["size", "n"]], bins={"size": [1]}, weights="n")).medians_of("size") == (0.5, 2.5)
    assert told(read(frame, bins={"size": [1]}, missing="drop", drop=["n"])).medians_of("size") == (0.5, 2.5)


def test_medians_of_another_table_are_its_own():
    first = read(pd.DataFrame({"x": [1.0, 3.0, 7.0]}), bins={"x": [2, 5]})
    like = read_like(pd.DataFrame({"x": [1.5, 1.7, 8.0]}), {"x": first.states[0]}, first.cuts, first.reading)
    assert told(like).medians_of("x") == (1.6, 3.0, 8.0)
    labels = read_like(pd.DataFrame({"x": ["<=2", ">5"]}), {"x": first.states[0]}, first.cuts, first.reading)
    assert told(labels).medians_of("x") == (1.0, 3.0, 7.0)


def test_as_plain_values():
    reading = Reading("em", medians=(("x", (1.0, 2.5)),))
    assert reading.to_dict() == {"missing": "em", "medians": {"x": [1.0, 2.5]}}
    assert Reading.from_dict(reading.to_dict()).medians == reading.medians
    for reading in (Reading(), Reading("drop"), Reading("state", ("NA", "-9"), ("b", "a"))):
        assert Reading.from_dict(reading.to_dict()) == reading
    assert Reading().to_dict() == {}
    assert Reading("state", ("b", "a", "b")).to_dict() == {"missing": "state", "na_values": ["a", "b"]}


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([], "how a table was read"),
        ({"missing": "ignore"}, "'ignore'"),
        ({"missing": ["drop"]}, "none of 'error', 'drop', 'state'"),
        ({"na_values": "NA"}, "expected a list as texts of missing values"),
        ({"na_values": [9]}, "expected texts"),
        ({"coded": 3}, "expected a list as columns of codes"),
        ({"medians": 3}, "expected the medians"),
        ({"medians": {"x": ["one"]}}, "expected the medians"),
        ({"medians": {"x": [float("inf")]}}, "expected the medians"),
    ],
)
def test_wrong_values(values, message):
    with pytest.raises(ArgumentError, match=message):
        Reading.from_dict(values)
