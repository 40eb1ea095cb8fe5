"""Values as JSON from which they come back the same."""

from __future__ import annotations

import json
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnml._stored import by_fields, frame_from_stored, from_stored, to_stored

numbers = st.floats(allow_nan=False) | st.integers()
keys = (
    st.text(max_size=3) | st.integers() | st.tuples(st.integers(), st.integers()) | st.frozensets(st.text(max_size=2))
)
leaves = st.none() | st.booleans() | numbers | st.text()
values = st.recursive(
    leaves,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.lists(inner, max_size=3).map(tuple)
        | st.dictionaries(keys, inner, max_size=3)
        | st.frozensets(keys, max_size=3)
    ),
    max_leaves=10,
)


def through_json(value):
    return from_stored(json.loads(json.dumps(to_stored(value), allow_nan=False)))


def same(a, b):
    """Tell whether two values are the same, with their types."""
    if type(a) is not type(b):
        return False
    if isinstance(a, dict):
        return list(a) == list(b) and all(same(a[key], b[key]) for key in a)
    if isinstance(a, list | tuple):
        return len(a) == len(b) and all(map(same, a, b))
    return a == b


@given(values)
def test_what_is_written_comes_back(value):
    assert same(through_json(value), value)


def test_what_json_does_not_have():
    assert math.isnan(through_json(math.nan))
    assert through_json((math.inf, -math.inf)) == (math.inf, -math.inf)
    assert same(through_json({"@tuple": [1]}), {"@tuple": [1]})
    assert same(through_json(np.float64(0.1)), 0.1)
    assert same(through_json(2**70), 2**70)


@pytest.mark.parametrize("kind", ["?", "i1", "u2", "<i8", ">i4", "f4", "f8"])
@pytest.mark.parametrize("shape", [(0,), (3,), (2, 3), (2, 0)])
def test_arrays(kind, shape):
    array = np.random.default_rng(0).integers(0, 2, shape).astype(kind)
    again = through_json(array)
    assert again.dtype == array.dtype.newbyteorder("=")
    assert again.shape == shape
    assert (again == array).all()
    again[...] = 0  # it is no view of a file


def test_sets_are_written_in_one_order():
    names = [f"v{i}" for i in range(20)]
    assert json.dumps(to_stored(frozenset(names))) == json.dumps(to_stored(frozenset(names[::-1])))


@pytest.mark.parametrize("value", [object(), {"a": [print]}, np.array(["a"]), 1j])
def test_other_things_are_refused(value):
    with pytest.raises(TypeError, match="cannot be written to a file"):
        to_stored(value)


@pytest.mark.parametrize("wrong", [{"@code": 1}, {"@tuple": [], "@set": []}, {"@array": {"type": "O"}}])
def test_what_was_not_written_so_is_refused(wrong):
    with pytest.raises(ValueError, match=r"no values of the kind|not written"):
        from_stored(wrong)


def test_frames():
    frame = pd.DataFrame({"a": ["x", "y"], "n": [1, 2], "p": [math.nan, -math.inf], "sparse": [True, False]})
    pd.testing.assert_frame_equal(frame_from_stored(through_json(by_fields(frame))), frame)
    assert frame_from_stored(through_json(by_fields(frame[:0]))).dtypes.equals(frame.dtypes)
