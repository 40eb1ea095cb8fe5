"""What was missing in a table and what was left out, against counting in pandas."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bnml
from bnml.data.gaps import Gaps
from bnml.errors import ArgumentError

VALUES = st.lists(st.tuples(*[st.sampled_from(["x", "y", None])] * 3, st.integers(0, 3)), min_size=1, max_size=12)


@pytest.mark.filterwarnings("ignore::bnml.errors.DataWarning")  # constant columns
@settings(deadline=None)
@given(VALUES, st.sampled_from(["drop", "state"]), st.booleans())
def test_numbers_are_those_of_the_source(rows, missing, weighted):
    frame = pd.DataFrame([("x", "x", "x", 1), *rows], columns=[*"ABC", "n"])
    repeated = frame.loc[np.repeat(frame.index, frame["n"] if weighted else 1), list("ABC")]
    data = bnml.read(frame if weighted else frame[list("ABC")], missing=missing, weights="n" if weighted else None)
    gaps = repeated.isna()
    assert dict(data.gaps.missing) == {name: int(gaps[name].sum()) for name in "ABC" if gaps[name].any()}
    assert data.gaps.dropped == (int(gaps.any(axis=1).sum()) if missing == "drop" else 0)
    assert data.gaps.weightless == (int((frame["n"] == 0).sum()) if weighted else 0)
    assert data.n_rows == len(repeated) - data.gaps.dropped
    assert data.select("A").gaps.missing == tuple(pair for pair in data.gaps.missing if pair[0] == "A")
    assert Gaps.from_dict(data.gaps.to_dict()) == data.gaps


@pytest.mark.parametrize("wrong", [3, {"missing": 3}, {"missing": {"A": "x"}}, {"dropped": -1}])
def test_something_else(wrong):
    with pytest.raises(ArgumentError):
        Gaps.from_dict(wrong)
