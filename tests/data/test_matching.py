"""New data in terms of old states."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from bnml.data import Data, read
from bnml.data.matching import match
from bnml.errors import DataError, MissingError


def states_of(data: Data) -> dict:
    return dict(zip(data.names, data.states, strict=True))


def codes(source, old: Data, **options):
    found = match(source, states_of(old), old.cuts, old.reading, **options)
    return found.in_order(found.codes.T).tolist()


@pytest.fixture
def old() -> Data:
    frame = pd.DataFrame({"x": [0.5, 1.5, 2.5, 3.5], "a": list("uvuv"), "b": [1, 2, 3, 1]})
    return read(frame, bins={"x": [1, 2, 3]})


def test_cuts_are_applied_as_they_are(old):
    """A bin that is empty in the new data is still there."""
    assert old.cuts["x"] == (1.0, 2.0, 3.0)
    assert codes(pd.DataFrame({"b": [3, 1], "x": [99, 1.0], "a": ["v", "u"]}), old) == [[3, 1, 2], [0, 0, 0]]
    assert codes(pd.DataFrame({"b": [3], "x": ["(1, 2]"], "a": ["v"]}), old) == [[1, 1, 2]]


def test_every_kind_of_source(old, tmp_path):
    frame = pd.DataFrame({"x": [0.5, 1.5], "a": ["u", "v"], "b": [1.0, 2.0]})
    frame.to_csv(tmp_path / "x.csv", index=False)
    expected = [[0, 0, 0], [1, 1, 1]]
    assert codes(frame, old) == expected
    assert codes(tmp_path / "x.csv", old) == expected  # 1.0 in a file is 1
    assert codes(old, old)[:2] == expected


def test_unknown_labels(old):
    with pytest.raises(DataError, match="'a' holds 'w', which is not one of its states 'u', 'v'"):
        codes(pd.DataFrame({"x": [0.5], "a": ["w"], "b": [1]}), old)
    with pytest.raises(DataError, match="'x' holds 'many'"):
        codes(pd.DataFrame({"x": ["many"], "a": ["u"], "b": [1]}), old)
    with pytest.raises(DataError, match="no column 'b'"):
        codes(pd.DataFrame({"x": [0.5], "a": ["u"]}), old)
    with pytest.raises(DataError, match="no rows"):
        codes(pd.DataFrame({"x": [], "a": [], "b": []}), old)


def test_missing_values(old):
    frame = pd.DataFrame({"x": [0.5, np.nan], "a": ["?", "v"], "b": [1, 2]})
    with pytest.raises(MissingError, match="'x': 1, 'a': 1"):
        codes(frame, old)
    assert codes(frame, old, gaps=True, absent=True) == [[0, -1, 0], [-1, 1, 1]]


def test_missing_values_are_the_state_that_they_were():
    frame = pd.DataFrame({"x": [0.5, np.nan, 2.5], "a": ["?", "v", None]})
    old = read(frame, bins="width:2", missing="state")
    assert old.states == (("<=1.5", ">1.5", "?"), ("v", "?"))
    assert codes(frame, old) == [[0, 1], [2, 0], [1, 1]]
    assert codes(old, old) == [[0, 1], [2, 0], [1, 1]]


def test_missing_values_in_a_file(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("x,a\n0.5,?\n?,v\n2.5,\n")
    old = read(path, bins="width:2", missing="state")
    assert codes(path, old) == [[0, 1], [2, 0], [1, 1]]


def test_values_that_stood_for_missing_ones_still_do(tmp_path):
    frame = pd.DataFrame({"x": [0.5, -999, 2.5, 3.5], "a": ["u", "v", "none", "u"]})
    frame.to_csv(tmp_path / "x.csv", index=False)
    old = read(frame, bins="width:2", missing="state", na_values=[-999, "none"])
    expected = old.codes[old.row_index].tolist()
    assert expected[1][0] == 2
    whole = read(frame.assign(x=[1, -999, 1, 1]), missing="drop", states={"a": ["u", "v", "none"]})
    for source in (
        frame,
        tmp_path / "x.csv",
        read(tmp_path / "x.csv", bins="width:2", missing="state", na_values=-999),
    ):
        assert codes(source, old) == expected
    assert codes(whole, old) == [[0, 0], [2, 1], [0, 2], [0, 0]]
    dropped = read(frame, bins="width:2", missing="drop", na_values=["-999.0", "none"], states={"a": ["u", "v"]})
    assert codes(frame, dropped, gaps=True, absent=True) == [[0, 0], [-1, 1], [1, -1], [1, 0]]
    with pytest.raises(MissingError, match="'x': 1, 'a': 2"):
        codes(frame.assign(a=["u", "none", "none", "u"]), dropped)


def test_a_declared_state_is_no_missing_value():
    frame = pd.DataFrame({"x": [-999, 1, 1], "y": [-999, 1, 1]})
    old = read(frame, missing="state", na_values=[-999], states={"x": [-999, 1]})
    assert old.states == ((-999, 1), (1, "?"))
    assert codes(frame, old) == [[0, 1], [1, 0], [1, 0]]


def test_a_declared_question_mark_is_a_label_unless_missing_values_are_a_state():
    frame = pd.DataFrame({"a": ["?", "x", "x"]})
    gap = pd.DataFrame({"a": ["?", None]})
    assert codes(gap, read(frame, states={"a": ["?", "x"]}, missing="state")) == [[0], [0]]
    assert codes(gap, read(frame, states={"a": ["?", "x"]}), gaps=True, absent=True) == [[0], [-1]]


def test_codes_in_place_of_labels(tmp_path):
    (tmp_path / "x.vd").write_text("a\tlow\thigh\nb\t1\t2\t3\n")
    table = pd.DataFrame({"a": [0, 1, 0], "b": [1, 2, 1]})
    old = read(table, states=tmp_path / "x.vd")
    assert codes(table, old) == [[0, 1], [1, 2], [0, 1]]
    assert codes(table[["b"]], old, gaps=True, absent=True) == [[-1, 1], [-1, 2], [-1, 1]], "not the labels 1 and 2"
    assert codes(pd.DataFrame({"a": ["low", "high"], "b": [1, 2]}), old) == [[0, 0], [1, 1]]
    assert codes(read(table), old) == [[0, 1], [1, 2], [0, 1]]
    assert codes(old, old) == [[0, 1], [1, 2], [0, 1]]


def test_columns_that_are_not_asked_for_are_not_looked_at(old):
    frame = pd.DataFrame({"x": [0.5], "a": ["u"], "b": [1], "other": [[1, 2]], "more": [np.inf]})
    assert codes(frame, old) == [[0, 0, 0]]
    assert codes(pd.DataFrame({"c": [1, 2]}), old, gaps=True, absent=True) == [[-1, -1, -1]] * 2


def test_tables_of_frequencies_have_no_rows(old):
    with pytest.raises(DataError, match="only frequencies"):
        match(Data(old.names, old.states, old.codes, old.weights), states_of(old), {}, old.reading)
