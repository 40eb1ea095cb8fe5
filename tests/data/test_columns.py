"""Columns, before their states are decided."""

from __future__ import annotations

import warnings

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from bnml.data.columns import (
    Column,
    column_of_arrow,
    column_of_categories,
    column_of_numbers,
    column_of_objects,
    columns_of_arrow,
)
from bnml.errors import DataError


def values(column: Column) -> list:
    return [None if code < 0 else column.labels[code] for code in column.codes.tolist()]


NUMBERS = st.sampled_from([np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64]).flatmap(
    lambda kind: st.one_of(
        hnp.arrays(kind, st.integers(0, 40)),
        hnp.arrays(kind, st.integers(1, 40), elements=st.integers(np.iinfo(kind).max - 5, np.iinfo(kind).max)),
        hnp.arrays(kind, st.integers(1, 40), elements=st.integers(np.iinfo(kind).min, np.iinfo(kind).min + 5)),
    )
)


@given(array=NUMBERS)
def test_integers_are_numbered_in_order(array):
    column = column_of_numbers("a", array)
    assert values(column) == array.tolist()
    assert column.labels == sorted(set(array.tolist()))
    assert column.codes.dtype.kind == "i"


@given(array=hnp.arrays(np.float64, st.integers(0, 30), elements=st.floats(allow_infinity=False)))
def test_floats_are_numbered_in_order(array):
    column = column_of_numbers("a", array)
    assert values(column) == [None if np.isnan(x) else x for x in array.tolist()]
    assert column.labels == sorted(set(array[~np.isnan(array)].tolist()))


def test_float_types():
    for kind in (np.float16, np.float32, np.longdouble):
        assert values(column_of_numbers("a", np.array([1, np.nan, 0.5, 1], kind))) == [1, None, 0.5, 1]
    assert [type(x) for x in column_of_numbers("a", np.array([1.0, 2.0])).labels] == [float, float]


def test_infinite_numbers_are_refused():
    with pytest.raises(DataError, match=r"'a' holds infinite"):
        column_of_numbers("a", np.array([1.0, -np.inf]))


def test_booleans():
    column = column_of_numbers("a", np.array([True, False, True]))
    assert column.labels == [False, True]
    assert column.labels[0] is False
    assert column.codes.tolist() == [1, 0, 1]
    assert column_of_numbers("a", np.array([True, True])).labels == [True]


def test_objects_are_matched_by_text():
    column = column_of_objects("a", ["x", 1, 1.0, "1", None, float("nan"), True, "True"])
    assert column.labels == ["x", 1, True]
    assert column.codes.tolist() == [0, 1, 1, 1, -1, -1, 2, 2]


@pytest.mark.parametrize("value", [[1], (1,), {"a": 1}, {1}, b"x", np.array([1]), 1j])
def test_what_is_no_label(value):
    with pytest.raises(DataError, match="'a' holds values of type"):
        column_of_objects("a", ["x", value])


def test_categories():
    column = column_of_categories("a", ["z", "y", "x"], np.array([2, -1, 1], np.int8))
    assert values(column) == ["x", None, "y"]
    assert column.labels == ["z", "y", "x"]
    assert column.declared
    both = column_of_categories("a", [1, "1", "b"], np.array([0, 1, 2], np.int8))
    assert both.labels == [1, "b"]
    assert both.codes.tolist() == [0, 0, 1]


def test_rows_drop_labels_that_do_not_occur():
    column = Column("a", ["x", "y", "z"], np.array([0, 1, 2, -1]))
    kept = column.rows(np.array([True, False, True, True]))
    assert kept.labels == ["x", "z"]
    assert kept.codes.tolist() == [0, 1, -1]
    own = Column("a", ["x", "y", "z"], np.array([0, 1, 2, -1]), declared=True)
    assert own.rows(np.array([True, False, True, True])).labels == ["x", "y", "z"]
    assert column.occurring() is column


def test_without():
    column = Column("a", ["x", "?", 1], np.array([0, 1, 2, -1]))
    gone = column.without(frozenset({"?", "1"}))
    assert gone.labels == ["x"]
    assert gone.codes.tolist() == [0, -1, -1, -1]
    assert column.without(frozenset({"y"})) is column


def test_cleaned():
    text = Column("a", ["1.0", "1", "?", "NA", "2"], np.arange(5))
    assert values(text.cleaned((), untyped=True)) == ["1.0", "1", None, "NA", "2"]
    assert values(text.cleaned((), frozenset({"NA"}), untyped=True)) == ["1", "1", None, None, "2"]
    assert values(text.cleaned((), frozenset({"NA"}), untyped=False)) == ["1.0", "1", None, None, "2"]
    assert values(text.cleaned((), frozenset({"NA", "1"}), untyped=True)) == [None, None, None, None, "2"]
    assert values(text.cleaned(["?", "1.0"], frozenset({"NA"}), untyped=True)) == ["1.0", "1", "?", None, "2"]


def test_a_numeric_column_has_no_missing_texts():
    column = column_of_numbers("a", np.arange(3))
    assert column.cleaned((), untyped=False) is column
    assert values(column.cleaned((), frozenset({"1"}), untyped=False)) == [0, None, 2]


def test_missing():
    column = Column("a", ["x"], np.array([0, -1]))
    assert column.has_missing
    assert column.missing.tolist() == [False, True]
    assert not Column("a", [], np.array([], np.int64)).has_missing


def test_numbers():
    assert Column("a", ["1", "2.5"], np.arange(2)).numbers().tolist() == [1, 2.5]
    assert Column("a", ["1", "x"], np.arange(2)).numbers() is None


@given(
    chunks=st.lists(
        st.tuples(
            st.lists(st.sampled_from(["x", "y", "z", "zz", None]), unique=True, min_size=1),
            st.lists(st.none() | st.integers(0, 99)),
        ),
        max_size=4,
    )
)
@settings(deadline=None)
def test_chunks_with_their_own_dictionaries(chunks):
    kind = pa.dictionary(pa.int8(), pa.string())
    arrays = [
        pa.DictionaryArray.from_arrays(
            pa.array([None if i is None else i % len(own) for i in places], pa.int8()), pa.array(own, pa.string())
        )
        for own, places in chunks
    ]
    column = column_of_arrow("a", pa.chunked_array(arrays, kind))
    assert values(column) == [None if i is None else own[i % len(own)] for own, places in chunks for i in places]
    assert column.declared
    assert len(set(column.labels)) == len(column.labels)


@given(lists=st.lists(st.lists(st.none() | st.integers(-3, 300)), max_size=3))
@settings(deadline=None)
def test_chunks_of_numbers(lists):
    column = column_of_arrow("a", pa.chunked_array(lists, pa.int64()))
    assert values(column) == [x for part in lists for x in part]


def test_many_labels_in_later_chunks():
    lists = [[f"x{i}" for i in range(100)], [f"x{i}" for i in range(50, 40_000)]]
    column = column_of_arrow("a", pa.chunked_array(lists))
    assert values(column) == lists[0] + lists[1]
    assert len(column.labels) == 40_000


def test_long_columns_in_threads():
    rng = np.random.default_rng(0)
    table = pa.table({f"c{i}": np.array(["u", "v", "w"])[rng.integers(0, 3, 60_000)] for i in range(5)})
    columns = columns_of_arrow(table.column_names, table.columns)
    assert [column.name for column in columns] == table.column_names
    for column, own in zip(columns, table.columns, strict=True):
        assert values(column) == own.to_pylist()


def test_an_error_in_a_thread_is_ours():
    table = pa.table({"a": np.zeros(60_000, int), "b": [b"x"] * 60_000})
    with pytest.raises(DataError, match="'b' holds values of type binary"):
        columns_of_arrow(table.column_names, table.columns)


def test_no_warnings_from_numbers():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        column_of_numbers("a", np.array([np.nan, 1e300, -1e300]))
        column_of_numbers("a", np.array([-128, 127], np.int8))
