"""Reading: what the contract says of labels, states, missing values, weights and bins."""

from __future__ import annotations

import os
import subprocess
import sys
import warnings
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bnml
from bnml.data import Data, as_data, read, sources
from bnml.data.overview import overview
from bnml.data.read import read_draft
from bnml.data.read_like import read_like
from bnml.errors import ArgumentError, DataError, MissingError

from .tools import check, counts, labels


@pytest.fixture
def csv(tmp_path):
    def write(text, name="x.csv"):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return write


def test_the_door(csv):
    assert bnml.read is read
    data = read(csv("a,b\nx,1\ny,2\n"))
    assert isinstance(data, Data)
    assert as_data(data) is data
    assert as_data(csv("a,b\nx,1\ny,2\n")).names == ("a", "b")
    with pytest.raises(TypeError):
        read(csv("a\nx\ny\n"), ["a"])


def test_labels_are_labels(csv):
    odd = ["None", "NA", "null", "True", "05", "<5", "12+", "Asy/Patch", "nan", " x", "é"]
    data = read(csv("a\n" + "\n".join(odd) + "\n"))
    assert data.states == (tuple(sorted(odd)),)
    assert labels(data) == [[x] for x in odd]


def test_labels_match_by_text(csv):
    """1, 1.0 in a float column of whole numbers, and "1" are one label; the type is the source's."""
    states = {"a": ["2", "1"]}
    for source, own in [
        (csv("a\n1\n2\n"), ("2", "1")),
        (csv("a\n1.0\n2.0\n"), ("2", "1")),
        (pd.DataFrame({"a": [1, 2]}), (2, 1)),
        (pd.DataFrame({"a": [1.0, 2.0]}), (2.0, 1.0)),
        (pd.DataFrame({"a": ["1", "2"]}), ("2", "1")),
        (pd.DataFrame({"a": pd.Categorical([1, 2])}), (2, 1)),
    ]:
        data = read(source, states=states)
        assert data.states == (own,)
        assert [type(x) for x in data.states[0]] == [type(x) for x in own]
        assert data.codes[data.row_index].tolist() == [[1], [0]]
        assert read(source, states={"a": [2, 1]}).states == read(source, states={"a": [2.0, 1.0]}).states == (own,)


def test_whole_numbers_with_a_point_in_a_file(csv):
    assert read(csv("a\n1.0\n1\n10.0\n9\n")).states == (("1", "9", "10"),)
    assert read(csv("a\n1.0\n1\nx\n")).states == (("1", "1.0", "x"),)
    assert read(csv("a\n1.0\n?\n2\n"), missing="drop").states == (("1", "2"),)
    assert read(csv("a\n1.0\nNA\n2\n1\n"), na_values="NA", missing="state").states == (("1", "2", "?"),)
    assert read(csv("a\n1.0\n2.0\n9\n"), na_values=9, missing="drop").states == (("1", "2"),)
    assert read(csv("a\n1.0\n2.0\n9.0\n"), na_values=9, missing="drop").states == (("1", "2"),)
    assert read(csv("a\n1.0\n2.0\n"), states={"a": ["1.0", "2.0", "3.0"]}).states == (("1.0", "2.0", "3.0"),)


def test_orders_of_states(csv):
    assert read(csv("a,b\n10,x\n9,X\n-1,é\n05,?!\n")).states == (("-1", "05", "9", "10"), ("?!", "X", "x", "é"))
    assert read(csv("a\nTrue\nFalse\n")).states == (("False", "True"),)
    assert read(csv("a\n10\n9\nx\n")).states == (("10", "9", "x"),)


def test_declared_states(csv):
    path = csv("a,b\nyes,1\nno,2\n")
    data = read(path, states={"a": ["no", "maybe", "yes"], "b": [3, 2, 1]})
    assert data.states == (("no", "maybe", "yes"), ("3", "2", "1"))
    assert data.arities == (3, 3)
    with pytest.raises(DataError, match="'a' holds 'yes', which is not one of its declared states 'no', 'maybe'"):
        read(path, states={"a": ["no", "maybe"]})
    with pytest.raises(ArgumentError, match="states: there is no column 'A'"):
        read(path, states={"A": ["no", "yes"]})
    assert read(path, columns=["b"], states={"a": ["no"]}).names == ("b",)  # not read, not checked


def test_declared_fractions_and_many_labels(csv):
    path = csv("a\n" + "\n".join(f"x{i}" for i in range(70_000)) + "\n")
    with pytest.raises(DataError, match="'a' holds more than 1000 distinct labels"):
        read(path)
    data = read(path, states={"a": [f"x{i}" for i in range(70_000)]})
    assert data.arities == (70_000,)
    assert data.codes.dtype == np.uint32
    assert data.n_distinct == 70_000
    assert data.codes[data.row_index][:, 0].tolist() == list(range(70_000))
    assert read(csv("a\n0.5\n1.5\n"), states={"a": ["1.5", "0.5"]}).states == (("1.5", "0.5"),)


@pytest.mark.parametrize("arity", [255, 256, 257, 65_535, 65_536, 65_537])
def test_arities_at_the_limits_of_types(arity):
    frame = pd.DataFrame({"a": [0, arity - 1, arity // 2], "b": [1, 0, 1]})
    data = read(frame, states={"a": range(arity)})
    check(data)
    assert labels(data) == frame.to_numpy().tolist()
    assert data.arities[0] == arity
    gaps = read(pd.DataFrame({"a": [0, arity - 1, None], "b": [1, 0, 1]}), states={"a": range(arity)}, missing="state")
    check(gaps)
    assert gaps.arities[0] == arity + 1
    assert labels(gaps)[2][0] == "?"


def test_a_declared_label_is_no_missing_value(csv):
    """What is declared as a state is one, whatever else it may stand for."""
    path = csv("a,b\n?,x\nNA,y\n9,x\n")
    data = read(path, states={"a": ["?", "NA", "9"]}, na_values=["NA", "9"])
    assert data.states[0] == ("?", "NA", "9")
    assert labels(data)[0] == ["?", "x"]
    with pytest.raises(MissingError, match="'a': 1"):  # the rest of na_values holds
        read(path, states={"a": ["?", "NA"]}, na_values=["NA", "9"])
    null = pd.DataFrame({"a": ["x", "?", None]})
    assert read(null, states={"a": ["?", "x"]}, missing="state").states == (("?", "x"),)
    with pytest.raises(MissingError, match="'a': 1"):
        read(null, states={"a": ["?", "x"]})


VD = "a\tlow\thigh\tnone\nb\t0\t1\nc\t1\t2\t3\n"


def test_a_file_of_states(csv, tmp_path):
    vd = tmp_path / "x.vd"
    vd.write_text(VD)
    text = csv("a,b,c\nlow,0,1\nhigh,1,2\n")
    code = csv("a,b,c\n0,0,0\n1,1,1\n", "codes.csv")
    for source in (text, code, pd.read_csv(code)):
        for states in (vd, str(vd)):
            data = read(source, states=states)
            assert data.states == (("low", "high", "none"), ("0", "1"), ("1", "2", "3")) or source is not text
            assert data.arities == (3, 2, 3)
            assert [[str(x) for x in row] for row in labels(data)] == [["low", "0", "1"], ["high", "1", "2"]]


def test_labels_or_codes_are_told_apart_on_the_whole_table(csv, tmp_path):
    vd = tmp_path / "x.vd"
    vd.write_text("c\t1\t2\t3\nd\tx\ty\n")
    assert labels(read(csv("c,d\n1,1\n2,0\n"), states=vd)) == [["2", "y"], ["3", "x"]]  # d holds codes, so c does too
    assert labels(read(csv("c,d\n1,x\n2,y\n"), states=vd)) == [["1", "x"], ["2", "y"]]
    with pytest.raises(DataError, match="'d' holds '1'"):
        read(csv("c,d\n3,1\n2,0\n"), states=vd)


def test_the_row_that_tells_codes_from_labels_may_be_dropped(csv, tmp_path):
    vd = tmp_path / "x.vd"
    vd.write_text("c\t1\t2\t3\nd\t0\t1\ne\tno\tyes\n")
    found = read(csv("c,d,e\n1,0,?\n2,1,?\n0,?,0\n"), states=vd, missing="drop", columns=["c", "d", "e"][:2])
    assert labels(found) == [["1", "0"], ["2", "1"]]
    found = read(csv("c,d,e\n1,0,1\n2,1,1\n0,?,0\n"), states=vd, missing="drop")
    assert labels(found) == [["2", "0", "yes"], ["3", "1", "yes"]]


@pytest.mark.parametrize("rows", ["1\n2\n0\n", "1\n1\n0\n", "0\n"])
def test_an_undeclared_value_is_no_code(csv, tmp_path, rows):
    """One 0 in a table that is coded from 1 does not make codes of all values."""
    vd = tmp_path / "x.vd"
    vd.write_text("c\t1\t2\t3\n")
    for states in (vd, {"c": ["1", "2", "3"]}):
        with pytest.raises(DataError, match="'c' holds '0', which is not one of its declared states '1', '2', '3'"):
            read(csv(f"c\n{rows}"), states=states)


def test_a_file_of_states_with_missing_values(csv, tmp_path):
    vd = tmp_path / "x.vd"
    vd.write_text("a\tlow\thigh\n")
    data = read(csv("a\n0\n?\n1\n"), states=vd, missing="state")
    assert data.states == (("low", "high", "?"),)
    assert labels(data) == [["low"], ["?"], ["high"]]


def test_a_file_of_states_that_does_not_fit(csv, tmp_path):
    vd = tmp_path / "x.vd"
    vd.write_text("A\tlow\thigh\n")
    with pytest.raises(DataError, match="declares 'A', which the table does not have, and not 'a'"):
        read(csv("a\nlow\nhigh\n"), states=vd)


# missing values


def test_missing_values_are_an_error_that_counts_them(csv):
    path = csv("height,colour,size\nx,?,1\n,v,2\n?,,3\n")
    with pytest.raises(MissingError, match=r"2 columns \('height': 2, 'colour': 2\): pass missing='em'.*state.*drop"):
        read(path)
    assert issubclass(MissingError, DataError)


def test_missing_values_dropped_or_kept(csv):
    path = csv("a,b\nx,u\n?,v\ny,\nz,NA\ny,u\n")
    dropped = read(path, missing="drop")
    assert labels(dropped) == [["x", "u"], ["z", "NA"], ["y", "u"]]
    assert dropped.n_rows == 3
    assert dropped.states == (("x", "y", "z"), ("NA", "u"))  # v is gone with its row
    kept = read(path, missing="state")
    assert labels(kept) == [["x", "u"], ["?", "v"], ["y", "?"], ["z", "NA"], ["y", "u"]]
    assert kept.states == (("x", "y", "z", "?"), ("NA", "u", "v", "?"))
    more = read(path, missing="state", na_values=["NA", "x"])
    assert more.states == (("y", "z", "?"), ("u", "v", "?"))


def test_na_values(csv):
    path = csv("a,b\n-9,x\n1,N/A\n2,-9\n")
    with pytest.raises(MissingError, match=r"'a': 1, 'b': 2"):
        read(path, na_values=[-9, "N/A"])
    assert read(pd.DataFrame({"a": [-9, 1, 2]}), na_values=[-9], missing="state").states == ((1, 2, "?"),)
    assert read(pd.DataFrame({"a": [-9.0, 1, 2]}), na_values="-9", missing="state").states == ((1.0, 2.0, "?"),)
    assert read(pd.DataFrame({"a": [True, False, True]}), na_values=(), missing="state").states == ((False, True),)
    assert read(pd.DataFrame({"a": ["None", "x"]}), na_values=None).states == (("None", "x"),)
    assert read(pd.DataFrame({"a": ["None", "x"]}), na_values=[None]).states == (("None", "x"),)
    assert read(pd.DataFrame({"a": pd.Categorical(["u", "v", "w"])}), na_values="u", missing="state").states == (
        ("v", "w", "?"),
    )


@pytest.mark.parametrize("na_values", [[-999.0], [-999], ["-999"], ["-999.0"], "-999.00"])
def test_na_values_that_are_numbers(csv, na_values):
    path = csv("t,y\n36.6,a\n-999.0,b\n37.1,a\n38.2,b\n")
    for source in (path, pd.read_csv(path)):
        data = read(source, na_values=na_values, missing="drop", bins={"t": [37]})
        assert data.n_rows == 3
        with pytest.raises(MissingError, match="'t': 1"):
            read(source, na_values=na_values, bins="width:2")
    kept = read(path, na_values=na_values, states={"t": [-999.0, 36.6, 37.1, 38.2]})
    assert labels(kept)[1] == ["-999", "b"]


def test_declared_numbers_in_a_file(csv):
    path = csv("a,b\n1.0,x\n2.5,y\n1,x\n")
    data = read(path, states={"a": [1.0, 2.5]})
    assert data.states[0] == ("1", "2.5")
    assert labels(data) == [["1", "x"], ["2.5", "y"], ["1", "x"]]
    assert read(path, states={"a": ["1", "1.0", "2.5"]}).n_distinct == 3


def test_declared_labels_of_numpy():
    frame = pd.DataFrame({"a": ["x", "y"], "b": [1, 2]})
    for source in (frame, pd.DataFrame({"a": np.array([np.str_("x"), "y"], object), "b": [1, 2]})):
        data = read(source, states={"a": np.array(["y", "x"]), "b": np.array([2, 1])})
        assert data.states == (("y", "x"), (2, 1))
        assert [[type(label) for label in states] for states in data.states] == [[str, str], [int, int]]
    own = read(pd.DataFrame({"a": np.array([np.str_("x"), 1], object)}))
    assert {type(label) for label in own.states[0]} == {str, int}


def test_numbers_of_too_many_digits():
    with pytest.raises(DataError, match="more than 4300 digits"):
        read(pd.DataFrame({"a": pd.Series([1, 10**5000], dtype=object)}))
    with pytest.raises(DataError, match="more than 4300 digits"):
        read(pd.DataFrame({"a": [1, 2]}), states={"a": [1, 2, 10**5000]})
    assert len(read(pd.DataFrame({"a": [Decimal(1), Decimal("1e5000")]}, dtype=object)).states[0]) == 2


def test_no_rows_are_left(csv):
    with pytest.raises(DataError, match="no rows are left: every row has a missing value"):
        read(csv("a,b\n?,1\n1,?\n"), missing="drop")


def test_many_columns_with_missing_values():
    frame = pd.DataFrame({f"a rather long name of a column {'x' * 100} {i}": [None, "u", "v"] for i in range(300)})
    with pytest.raises(MissingError) as error:
        read(frame)
    message = str(error.value)
    assert "in 300 columns" in message
    assert "and 280 more columns" in message
    assert len(message) < 2000


# weights


def test_weights():
    frame = pd.DataFrame({"a": list("xyxy"), "b": list("uuvv"), "n": [3, 1, 2, 4]})
    data = read(frame, weights="n")
    check(data)
    assert data.names == ("a", "b")
    assert data.n_rows == 10
    assert data.row_index.size == 4
    assert counts(data) == {("x", "u"): 3, ("y", "u"): 1, ("x", "v"): 2, ("y", "v"): 4}
    assert counts(read(frame, weights="n", columns=["a"])) == {("x",): 5, ("y",): 5}
    assert counts(read(frame, weights="n", columns=["n", "a"])) == {("x",): 5, ("y",): 5}
    assert counts(read(pd.concat([frame, frame]), weights="n")) == {row: 2 * n for row, n in counts(data).items()}


@pytest.mark.parametrize(
    "column",
    [[3, 1], [3.0, 1.0], ["3", "1"], ["3.0", "1"], ["03", "1"], pd.array([3, 1], "Int64"), np.array([3, 1], np.uint8),
     pd.Categorical([3, 1])],
)  # fmt: skip
def test_weights_of_any_type(csv, column):
    frame = pd.DataFrame({"a": ["x", "y"], "n": column})
    assert read(frame, weights="n").weights.tolist() == [3, 1]
    path = csv(frame.to_csv(index=False))
    assert read(path, weights="n").weights.tolist() == [3, 1]


@pytest.mark.parametrize(
    ("column", "message"),
    [
        ([3, -1], "'n' holds -1; expected whole numbers from 0"),
        ([3, 1.5], "'n' holds 1.5"),
        (["3", "many"], "'n' holds 'many'"),
        ([True, False], "'n' holds False"),
        ([3, None], "'n' has missing values"),
        (["3", "?"], "'n' has missing values"),
        (["3", ""], "'n' has missing values"),
        ([0, 0], "no rows are left: all weights are 0"),
        ([float("inf"), 1], "'n' holds inf"),
        ([2**53, 1], r"'n' adds up to more than 9,007,199,254,740,992 .*divide the weights"),
        ([2**53, 2**53], "adds up to more than 9,007,199,254,740,992"),
        ([2**62, 1], "adds up to more than 9,007,199,254,740,992"),
        (["1e300", "1"], "adds up to more than 9,007,199,254,740,992"),
        ([10**40, 1], "adds up to more than 9,007,199,254,740,992"),
    ],
)
def test_bad_weights(column, message):
    with pytest.raises(DataError, match=message):
        read(pd.DataFrame({"a": ["x", "y"], "n": pd.Series(column, dtype=object)}), weights="n", missing="drop")


def test_a_column_of_weights_that_is_not_there():
    frame = pd.DataFrame({"a": ["x", "y"], "number": [1, 2]})
    with pytest.raises(ArgumentError, match=r"weights: there is no column 'numbr'; .*Did you mean 'number'\?"):
        read(frame, weights="numbr")
    with pytest.raises(ArgumentError, match="no column 'numbr'"):
        read(frame, weights="numbr", columns=["a"])
    with pytest.raises(DataError, match="no columns apart from its weights"):
        read(frame[["number"]], weights="number")
    with pytest.raises(DataError, match="no columns apart from its weights"):
        read(frame, columns=["number"], weights="number")


def test_rows_of_weight_zero_do_not_exist():
    frame = pd.DataFrame({"a": ["x", "y", None, "z"], "n": [1, 2, 0, 0]})
    data = read(frame, weights="n", states=None)
    assert data.states == (("x", "y"),)
    assert data.row_index.tolist() == [0, 1]
    assert read(frame, weights="n", missing="state").states == (("x", "y"),)
    assert read(frame, weights="n", states={"a": ["y", "x"]}).states == (("y", "x"),)


def test_na_values_leave_the_weights_alone():
    frame = pd.DataFrame({"a": ["x", "0", "y"], "n": [0, 3, 1]})
    with pytest.raises(MissingError, match="'a': 3"):  # rows, each as often as its weight says
        read(frame, weights="n", na_values="0")
    with pytest.warns(UserWarning, match="one state"):
        assert counts(read(frame, weights="n", na_values="0", missing="drop")) == {("y",): 1}


def test_weights_count_in_quantiles():
    frame = pd.DataFrame({"x": [0.5, 1.5, 2.5, 3.5], "n": [10, 1, 1, 1]})
    assert read(frame, weights="n", bins="quantile:2").cuts["x"] == (0.5,)
    assert read(frame.drop(columns="n"), bins="quantile:2").cuts["x"] == (1.5,)
    assert read(frame, weights="n", bins="width:3").cuts["x"] == (1.5, 2.5)


# bins


def test_numbers_are_not_silently_categories(csv):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"age": rng.normal(50, 10, 300), "visits": np.arange(300), "sick": rng.integers(0, 2, 300)})
    for source in (frame, csv(frame.to_csv(index=False))):
        with pytest.raises(DataError) as error:
            read(source)
        message = str(error.value)
        assert "column 'age' holds fractions" in message
        assert "bins=" in message
        assert "column 'visits' holds whole numbers with more than 50 values" in message
        data = read(source, bins="quantile:4")
        assert data.arities == (4, 4, 2)
        assert set(data.cuts) == {"age", "visits"}
        assert np.bincount(data.codes[data.row_index][:, 0]).tolist() == [75] * 4
        part = read(source, bins={"age": [40, 60], "visits": "width:3"})
        assert part.states[0] == ("<=40", "(40, 60]", ">60")
        assert part.cuts["age"] == (40.0, 60.0)
        with pytest.raises(DataError, match="'visits'"):
            read(source, bins={"age": [40, 60]})


def test_bins_of_few_whole_numbers_and_of_text_that_is_numbers(csv):
    data = read(csv("a,b\n1,1\n2,1.0\n3,2.5\n"), bins={"a": [1, 2], "b": [2]})
    assert data.states == (("<=1", "(1, 2]", ">2"), ("<=2", ">2"))
    assert labels(data) == [["<=1", "<=2"], ["(1, 2]", "<=2"], [">2", ">2"]]


def test_bins_with_missing_values(csv):
    path = csv("a\n0.5\n?\n1.5\nNA\n2.5\n")
    data = read(path, bins="width:2", missing="state", na_values="NA")
    assert data.states == (("<=1.5", ">1.5", "?"),)
    assert labels(data) == [["<=1.5"], ["?"], ["<=1.5"], ["?"], [">1.5"]]
    with pytest.raises(DataError, match=r"'a': it holds 'NA', which is not a number.*na_values="):
        read(path, bins={"a": "width:2"}, missing="state")
    with pytest.raises(DataError, match=r"'a': it holds '<0\.1', .* censored value") as caught:
        read(csv("a\n0.5\n<0.1\n1.5\n"), bins={"a": "width:2"})
    assert "na_values" not in str(caught.value)


def test_the_cuts_can_be_given_back():
    frame = pd.DataFrame({"x": [0.5, 1.5, 2.5], "y": [1, 2, 3]})
    data = read(frame, bins="quantile:3")
    assert read(frame, bins=data.cuts).states == data.states
    with pytest.warns(UserWarning, match="'x' has only one state"):
        single = read(pd.DataFrame({"x": [0.5, 0.5], "y": [1, 2]}), bins="width:3")
    assert single.cuts["x"] == ()
    assert single.states[0] == ("all",)
    with pytest.warns(UserWarning, match="'x' has only one state"):
        assert read(frame, bins=single.cuts).states[0] == ("all",)


def test_names_in_bins():
    frame = pd.DataFrame([[0.5, 1], [1.5, 2]])
    assert read(frame, bins={0: [1]}).states[0] == ("<=1", ">1")
    with pytest.raises(ArgumentError, match="bins: there is no column 'age'"):
        read(frame, bins={"age": [1]})
    with pytest.raises(ArgumentError, match="'0' has both"):
        read(frame, bins={0: [1]}, states={0: [1]})


# columns and warnings


def test_columns(csv):
    path = csv("a,b,c\nx,0.5,u\ny,1.5,u\n")
    data = read(path, columns=["a"])  # b and c would be an error and a warning
    assert data.names == ("a",)
    for columns in (("b", "a"), pd.Index(["b", "a"]), np.array(["b", "a"])):
        assert read(path, columns=columns, bins="width:2").names == ("b", "a")
    with pytest.raises(ArgumentError, match=r"columns: there is no column 'd'; the columns are 'a', 'b', 'c'"):
        read(path, columns=["a", "d"])


def test_one_state_is_a_warning_that_names_it(csv):
    with pytest.warns(UserWarning, match="column 'b' has only one state") as caught:
        data = read(csv("a,b\nx,1\ny,1\n"))
    assert data.arities == (2, 1)
    assert caught[0].filename == __file__
    with pytest.warns(UserWarning, match="columns 'a', 'b' have only one state"):
        read(csv("a,b\nx,1\n"))
    read(csv("a,b\nx,1\ny,1\n"), states={"b": [0, 1]})


def test_warnings_point_out_of_the_package():
    frame = pd.DataFrame({"a": ["x", "x"], "b": ["u", "v"]})
    with pytest.warns(UserWarning, match="only one state") as caught:
        bnml.score(bnml.DAG({"a": [], "b": []}), frame)
    assert caught[0].filename == __file__
    numbers = pd.DataFrame({"a": [*map(str, range(60)), "NA"], "b": ["u"] * 61})
    with pytest.warns(UserWarning, match="only one state|holds numbers") as caught:
        as_data(numbers)
    assert [warning.filename for warning in caught] == [__file__] * 2


@pytest.mark.parametrize(
    "arguments", [{"weights": "q"}, {"bins": {"q": [1]}}, {"states": {"q": ["x"]}}, {"columns": ["a"], "weights": "q"}]
)
def test_names_are_checked_before_the_rows_are_read(csv, tmp_path, monkeypatch, arguments):
    """Each source is broken in its rows, or says so when they are read."""
    (tmp_path / "x.idt").write_text("broken")
    (tmp_path / "x.vd").write_text("a\tx\ty\n")
    frame = pd.DataFrame({"a": ["x", "y"]})
    frame.to_parquet(tmp_path / "x.parquet")
    frame.to_feather(tmp_path / "x.feather")
    monkeypatch.setattr(sources, "columns_of_arrow", None)
    monkeypatch.setattr(sources, "_pandas_column", None)
    monkeypatch.setattr(sources, "column_of_numbers", None)
    array = np.zeros((2, 1), int)
    paths = [csv("a\nx,y\n"), *(tmp_path / name for name in ("x.idt", "x.parquet", "x.feather"))]
    for source in [*paths, frame, array]:
        with pytest.raises(ArgumentError, match=f"{[*arguments][-1]}: there is no column 'q'"):
            read(source, **arguments)


def test_numbers_but_for_a_word_are_a_warning(csv):
    numbers = [f"{i}.5" for i in range(60)]
    path = csv("a\n" + "\n".join([*numbers, "NA"]) + "\n")
    with pytest.warns(UserWarning, match=r"'a' holds numbers apart from 'NA', .*na_values="):
        assert read(path).arities == (61,)
    assert read(path, na_values="NA", missing="drop", bins="width:2").arities == (2,)
    read(path, states={"a": [*numbers, "NA"]})
    read(csv("a\n" + "\n".join([*numbers, "V1", "V2", "V3", "V4"]) + "\n"))  # codes of some kind
    read(csv("a\n1.5\n2.5\nNA\n"))
    with pytest.warns(UserWarning, match="'<0.1' is a censored value") as caught:
        read(csv("a\n" + "\n".join([*numbers, "<0.1"]) + "\n"))
    assert "na_values" not in str(caught[0].message)


def test_duplicate_rows_are_kept_once():
    rng = np.random.default_rng(0)
    table = rng.integers(0, 2, (1000, 3))
    data = read(table)
    check(data)
    assert data.n_distinct == 8
    assert data.n_rows == 1000
    assert labels(data) == table.tolist()
    assert (data.weights == np.bincount(table @ [4, 2, 1])).all()


@given(
    table=st.integers(1, 6).flatmap(
        lambda width: st.lists(st.lists(st.integers(-2, 3), min_size=width, max_size=width), min_size=1, max_size=20)
    )
)
@settings(deadline=None)
def test_arrays_frames_and_files_agree(table):
    array = np.array(table)
    frame = pd.DataFrame(array, columns=[f"X{j}" for j in range(array.shape[1])])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        one, two, three = read(array), read(frame.astype(str)), read(frame.astype(float))
    for data in (one, two, three):
        check(data)
        assert (data.codes == one.codes).all()
        assert (data.row_index == one.row_index).all()
        assert data.names == one.names
        assert (data.weights == one.weights).all()
    assert [[int(x) for x in row] for row in labels(two)] == labels(one) == table


def test_arrays_need_nothing_heavy():
    program = (
        "import sys, numpy, bnml; bnml.read(numpy.array([[0, 1], [1, 0]])); "
        "print(sorted({'pandas', 'pyarrow', 'duckdb', 'ibis', 'polars'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_same_on_every_run(csv):
    path = csv("a,b\n" + "".join(f"x{i % 7},{i % 5}\n" for i in range(200)))
    program = f"import bnml; d = bnml.read({str(path)!r}); print(d.states, d.codes.tolist(), d.row_index.tolist())"
    outputs = {
        subprocess.run(
            [sys.executable, "-c", program],
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "PYTHONHASHSEED": seed},
        ).stdout
        for seed in ("0", "1")
    }
    assert len(outputs) == 1


def test_all_complaints_at_once():
    frame = pd.DataFrame({
        "gap": ["x", None, "y"] * 400, "number": np.arange(1200) / 7, "label": [f"p{i}" for i in range(1200)],
        "size": ["s", "m", "xl"] * 400, "word": ["1", "2", "n/a"] * 400,
    })  # fmt: skip
    with pytest.raises(MissingError) as error:
        read(frame, states={"size": ["s", "m", "l"]}, bins={"word": [1.5]})
    message = str(error.value)
    for said in ("'gap': 400", "'number' holds fractions", "'label' holds more than 1000", "'xl'", "holds 'n/a'"):
        assert said in message, said
    assert "bins='auto'" in message


def test_drop():
    frame = pd.DataFrame({"a": ["x", "y", "x"], "b": [0.5, 1.5, 2.5], "c": ["u", "v", None]})
    assert read(frame, drop=["b", "c"]).names == ("a",)
    assert read(frame, columns=["c", "a"], drop=["c"]).names == ("a",)
    assert read(frame, drop=(), bins="auto", missing="drop").names == ("a", "b", "c")
    for wrong, said in (
        ({"drop": ["d"]}, "drop: there is no column 'd'"),
        ({"drop": "a"}, "drop='a': expected a list"),
        ({"drop": ["a", "b", "c"]}, "leaves no columns"),
        ({"drop": ["a"], "weights": "a"}, "is both weights= and drop="),
    ):
        with pytest.raises(ArgumentError, match=said):
            read(frame, **wrong)


def test_memory_limit_above_the_default_reads_in_memory(csv, monkeypatch):
    path = csv("a,b\n" + "x,1\ny,2\nx,1\n" * 300)
    monkeypatch.setattr("bnml.data.engine_sources.machine_memory", lambda: 4)  # no file fits into a quarter of it
    opened = []
    monkeypatch.setattr("bnml.data.engine_sources._of_text", lambda *arguments: opened.append(arguments))
    assert read(path, memory_limit="1GB").row_index.size == 900
    assert overview(path, memory_limit="1GB").data.row_index.size == 900
    assert read_draft(path, memory_limit="1GB").data().row_index.size == 900
    assert bnml.learn(path, memory_limit="1GB").data.row_index.size == 900
    assert bnml.search.tabu(path, memory_limit="1GB").data.row_index.size == 900
    assert bnml.posterior(path, memory_limit="1GB").n_rows == 900
    assert bnml.study(path, memory_limit="1GB", repetitions=0).data.row_index.size == 900
    learned = bnml.read(path, memory_limit="1GB")
    states = dict(zip(learned.names, learned.states, strict=True))
    assert read_like(path, states, {}, learned.reading, memory_limit="1GB").row_index.size == 900
    assert opened == []
    assert read(path).row_index.size == 900  # the stand-in for DuckDB declines, but was tried
    assert len(opened) == 1
