"""Names of columns."""

from __future__ import annotations

import pytest

from bnml.data.table_names import check_table_names, kept_table_names, name_not_in_table
from bnml.errors import ArgumentError, DataError


def test_names_are_texts():
    assert check_table_names(["a", 1, ("b", 2), None, 1.5], "it") == ("a", "1", "('b', 2)", "None", "1.5")


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


def test_kept():
    assert kept_table_names(("a", "b"), None) == ["a", "b"]
    assert kept_table_names(("a", "b"), ["b"]) == ["b"]
    with pytest.raises(ArgumentError, match=r"columns: there is no column 'smok'; .*Did you mean 'smoke'\?"):
        kept_table_names(("smoke", "b"), ["b", "smok"])


def test_the_message_stays_short():
    assert len(str(name_not_in_table("bins", "y" * 1000, [f"{'x' * 1000}{i}" for i in range(1000)]))) < 1000
