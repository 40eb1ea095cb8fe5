"""Names of columns."""

from __future__ import annotations

import re

import pandas as pd
import pytest

import bnml
from bnml.data.labels import check_table_names, kept_table_names, name_not_in_table
from bnml.errors import ArgumentError, DataError


def test_names_are_texts():
    assert check_table_names(["a", 1, ("b", 2), 1.5, "None", "nan"], "it") == (
        "a", "1", "('b', 2)", "1.5", "None", "nan",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("names", "message"),
    [
        ([], "it has no columns"),
        (["a", ""], "column 2 of it has no name"),
        (["a", " \t"], "column 2 of it has no name"),
        (["a", "b", "a", "b", "c"], "occur twice: 'a', 'b'$"),
        ([1, "1"], "occur twice: '1'; is its first line a header"),
        (["x" * 10_000] * 2, "occur twice: 'xxx"),
    ],
)
def test_bad_names(names, message):
    with pytest.raises(DataError, match=message) as error:
        check_table_names(names, "it")
    assert len(str(error.value)) < 300


@pytest.mark.parametrize("nothing", [None, float("nan"), pd.NA, pd.NaT])
@pytest.mark.parametrize("position", [0, 2])
def test_a_column_that_pandas_leaves_without_a_name(nothing, position):
    """The error says which one it is, and how to rename it."""
    names = ["a", "b"]
    names.insert(position, nothing)
    frame = pd.DataFrame([[0, 1, 1], [1, 0, 0]], columns=pd.Index(names, dtype=object))
    with pytest.raises(DataError, match=rf"^column {position + 1} of the DataFrame is named ") as error:
        bnml.read(frame)
    exec(re.search(r"frame\.columns = .*\](?=, or)", str(error.value))[0], {"frame": frame})
    names[position] = f"X{position + 1}"
    assert bnml.read(frame).names == tuple(names)


def test_names_on_two_levels_of_which_one_is_missing():
    frame = pd.DataFrame([[0, 1], [1, 0]], columns=pd.MultiIndex.from_tuples([("a", "x"), ("a", float("nan"))]))
    with pytest.raises(DataError, match=r"^column 2 of the DataFrame is named \('a', nan\)"):
        bnml.read(frame)


def test_kept():
    assert kept_table_names(("a", "b"), None) == ["a", "b"]
    assert kept_table_names(("a", "b"), ["b"]) == ["b"]
    with pytest.raises(ArgumentError, match=r"columns: there is no column 'smok'; .*Did you mean 'smoke'\?"):
        kept_table_names(("smoke", "b"), ["b", "smok"])


def test_the_message_stays_short():
    assert len(str(name_not_in_table("bins", "y" * 1000, [f"{'x' * 1000}{i}" for i in range(1000)]))) < 1000
