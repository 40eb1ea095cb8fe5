"""What was missing in a table and what was left out, against counting in pandas."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bnml
from bnml.data.data import Gaps
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


@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("bnml.family_score", lambda dag, data: bnml.family_score("b", ["a"], data)),
        ("bnml.code_length", lambda dag, data: bnml.code_length(dag, data)),
        ("bnml.prequential", lambda dag, data: bnml.prequential(dag, data, "k2")),
        ("bnml.LocalScores", lambda dag, data: bnml.LocalScores(data, "bic")),
        ("bnml.information.kl_divergence", lambda dag, data: bnml.information.kl_divergence(data, data)),
        ("bnml.information.mutual_information", lambda dag, data: bnml.information.mutual_information(data, "a", "b")),
        ("bnml.information.entropy", lambda dag, data: bnml.information.entropy(data, "a")),
        (
            "bnml.information.conditional_entropy",
            lambda dag, data: bnml.information.conditional_entropy(data, "a", "b"),
        ),
        ("bnml.relational.gains", lambda dag, data: bnml.relational.gains(data)),
        ("bnml.relational.spanning_tree", lambda dag, data: bnml.relational.spanning_tree(data)),
    ],
)
def test_what_needs_every_value_is_named(name, call):
    frame = pd.DataFrame({"a": ["x", "y", None, "x"], "b": ["x", "y", "y", None]})
    data, dag = bnml.read(frame, missing="em"), bnml.DAG.parse("[a][b|a]")
    with pytest.raises(
        bnml.BnmlError, match=rf"^{name}\(\) needs every value.*fill the gaps with network\.impute\(\)$"
    ):
        call(dag, data)


def test_a_table_with_gaps_says_so():
    frame = pd.DataFrame(
        {"a": ["x", "y", None, "x", "x"], "b": ["x", None, None, None, "y"], "c": ["x", "y"] * 2 + ["x"]}
    )
    data = bnml.read(frame, missing="em")
    assert str(data).splitlines()[-1] == "values are missing in 3 of 5 rows: b in 3, a in 1"
    assert "missing" not in str(bnml.read(frame.fillna("z"), missing="em"))
    wide = pd.DataFrame({f"v{i:02d}": ["x", "y", None] for i in range(15)})
    text = " ".join(str(bnml.read(wide, missing="em")).split())
    assert "values are missing in 1 of 3 rows: v00 in 1, v01 in 1" in text
    assert text.endswith("v11 in 1 and 3 more")
