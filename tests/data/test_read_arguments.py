"""The arguments of `read`, refused before anything is read."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from bnml.data import read
from bnml.data.read_arguments import check_arguments
from bnml.errors import ArgumentError, BnmlError, DataError

DEFAULTS = {"columns": None, "states": None, "missing": "error", "na_values": (), "bins": None, "weights": None}


def checked(**given):
    return check_arguments(**(DEFAULTS | given))


@pytest.mark.parametrize(
    ("argument", "value"),
    [
        *(("missing", x) for x in ["", "eror", "DROP", None, 3, ["drop"], "x" * 5000]),
        *(("columns", x) for x in ["a", b"a", 5, [], (), {"a", "b"}, frozenset("a"), {"a": 1}, ["a", "a"], [1, "1"]]),
        *(
            ("states", x)
            for x in [
                5,
                ["no", "yes"],
                {"a": "no"},
                {"a": 5},
                {"a": None},
                {"a": []},
                {"a": {"x", "y"}},
                {"a": ["x", None]},
                {"a": [1.0, float("nan")]},
                {"a": {"x": 0}},
            ]
        ),
        *(("na_values", x) for x in [{"a": ["x"]}]),
        *(
            ("bins", x)
            for x in [3, ["width:3"], "width", {"a": "x"}, {"a": None}, {"a": [2, 1]}, 2.5, True, {"width:3"}]
        ),
        *(("weights", x) for x in [["n"], np.array([1, 2]), pd.Series([1, 2]), 1.5, {"n"}]),
    ],
)
def test_refused(argument, value):
    with pytest.raises(ArgumentError, match=rf"^{argument}") as error:
        checked(**{argument: value})
    assert len(str(error.value)) < 300
    with pytest.raises(ArgumentError):
        read("no such file.csv", **{argument: value})  # before it looks for the file


def test_suggestions():
    with pytest.raises(ArgumentError, match=r"missing='dropp': expected one of 'error', 'drop', 'state'.*'drop'\?"):
        checked(missing="dropp")
    with pytest.raises(ArgumentError, match="which has an order"):
        checked(columns={"a", "b"})


@pytest.mark.parametrize(
    "columns", [["a", "1"], ("a", 1), pd.Index(["a", "1"]), np.array(["a", "1"]), pd.Series(["a", "1"])]
)
def test_columns(columns):
    found = checked(columns=columns).columns
    assert found == ["a", "1"]
    assert all(type(name) is str for name in found)


def test_columns_from_a_generator():
    assert checked(columns=(x for x in "ab")).columns == ["a", "b"]


def test_the_weights_are_read_too():
    names = ["a", "b", "n"]
    assert checked(columns=["a"], weights="n").kept(names) == ["a", "n"]
    assert checked(columns=["n", "a"], weights="n").kept(names) == ["n", "a"]
    assert checked(weights="n").kept(names) == names
    assert checked(columns=["a"]).kept(names) == ["a"]
    assert checked(drop=["b"]).kept(names) == ["a", "n"]
    assert checked(columns=["b", "a"], drop=["b"], weights="n").kept(names) == ["a", "n"]
    assert checked(weights=3).weights == "3"
    assert checked(weights=np.int64(3)).weights == "3"


@pytest.mark.parametrize(
    ("given", "texts"),
    [
        ((), set()),
        (None, set()),
        ("NA", {"NA"}),
        (-9, {"-9"}),
        (9.0, {"9"}),
        ([-9, "x"], {"-9", "x"}),
        ({"a", "b"}, {"a", "b"}),
        ([None, float("nan"), "u"], {"u"}),
        (np.array([1, 2]), {"1", "2"}),
        (pd.Series(["a"]), {"a"}),
        (True, {"True"}),
    ],
)
def test_na_values(given, texts):
    """None and NaN are missing anyway, and never stand for the texts "None" and "nan"."""
    assert checked(na_values=given).na_texts == texts


def test_states():
    assert checked(states={"a": ("x", 1), 2: range(2)}).states == {"a": ["x", 1], "2": [0, 1]}
    assert checked(states={"a": pd.Index(["x"])}).states == {"a": ["x"]}
    assert checked(states={}).states == {}


@pytest.mark.parametrize("kind", [str, Path])
def test_a_file_of_states(tmp_path, kind):
    (tmp_path / "x.vd").write_text("a\tno\tyes\n")
    found = checked(states=kind(tmp_path / "x.vd"))
    assert found.states == {"a": ["no", "yes"]}
    assert found.states_file == tmp_path / "x.vd"


def test_states_and_bins_of_one_column():
    with pytest.raises(ArgumentError, match="'a' has both states= and bins="):
        checked(states={"a": [1]}, bins={"a": [1]})


@pytest.mark.parametrize("given", [{"states": {"n": [1]}}, {"bins": {"n": "width:2"}}])
def test_weights_have_neither_states_nor_bins(given):
    with pytest.raises(ArgumentError, match="weights: column 'n' is no variable"):
        checked(weights="n", **given)


def test_columns_that_are_not_there():
    for given in ({"weights": "m"}, {"bins": {"m": [1]}}, {"states": {"m": [1]}}):
        (argument,) = given
        with pytest.raises(ArgumentError, match=f"{argument}: there is no column 'm'; the columns are 'a', 'n'"):
            checked(**given).check_columns(("a", "n"))
    checked(weights="n", bins={"a": [1]}).check_columns(("a", "n"))


def test_a_file_of_states_for_another_table(tmp_path):
    path = tmp_path / "x.vd"
    path.write_text("a\tno\tyes\nb\tno\tyes\n")
    found = checked(states=path, weights="n")
    found.check_columns(("a", "b", "n"))
    found.check_columns(("a", "n"))  # a part of its columns
    found.check_columns(("a", "b", "c", "n"))  # and one that it does not declare
    with pytest.raises(DataError, match=r"x\.vd' declares 'b', which the table does not have, and not 'B'"):
        found.check_columns(("a", "B", "n"))


def test_every_error_is_ours():
    assert issubclass(ArgumentError, BnmlError)
    assert issubclass(DataError, BnmlError)
    assert issubclass(BnmlError, ValueError)
