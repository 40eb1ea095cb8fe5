"""Files that were perhaps not meant as they are read, and files that were."""

from __future__ import annotations

import gzip
import re
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import bnml
from bnml.cli import main
from bnml.data.doubts import hint_for_words
from bnml.errors import BnmlError, DataError, DataWarning

SHARED = Path(__file__).parents[3] / "shared" / "data"
shared = pytest.mark.skipif(not SHARED.is_dir(), reason="the folder shared/data is not there")
TABLES = sorted(path for folder in ("uci", "uci-discretised", "samples") for path in (SHARED / folder).glob("*.csv*"))
OTHER = {"summary.csv", "true_arcs.csv"}  # about tables


@pytest.fixture
def csv(tmp_path):
    def write(text):
        path = tmp_path / "x.csv"
        path.write_text(text)
        return path

    return write


@pytest.mark.parametrize(
    ("words", "present", "absent"),
    [
        (
            ["<0.1"],
            "'<0.1' is a censored value: replace with a number, such as half of the detection limit",
            "na_values",
        ),
        ([">139"], "'>139' is a censored value: replace with a number, such as the limit itself", "half"),
        (["<1", ">9"], "'<1', '>9' are censored values: replace with a number", "such as"),
        (["<0.1", "NA"], "if 'NA' stands for a missing value, say so (na_values=['NA'])", "'<0.1', 'NA'"),
        (["~5"], "replace them with numbers", "censored"),
    ],
)
def test_hints_for_words_among_numbers(words, present, absent):
    """A limit of detection is a value: only codes are said to be missing."""
    hint = str(DataError(hint_for_words(words)))
    assert present in hint
    assert absent not in hint


@pytest.mark.parametrize(
    "text",
    [
        "0,1,2\n1,0,2\n0,1,1\n2,0,2\n",
        "0,1,2\n1,1,0\n0,0,1\n",
        "1\n0\n1\n",
        "1.0,2.0\n1.0,1.0\n2.0,2.0\n",
        "5.1,3.5,setosa\n5.0,3.4,setosa\n5.7,3.9,virginica\n",
        "sunny,hot,weak\nrain,hot,weak\nsunny,mild,weak\nsunny,mild,strong\n",
    ],
)
def test_a_first_line_that_looks_like_a_row(csv, text):
    with pytest.warns(DataWarning, match=r"the first line of '.*x\.csv' is taken for the names .* put a line of names"):
        data = bnml.read(csv(text), bins="width:2")
    assert data.n_rows == text.count("\n") - 1
    path = csv(text)
    bnml.read(path, columns=data.names, bins="width:2")  # who names the columns knows them
    names = [f"v{i}" for i in range(len(data.names))]
    assert bnml.read(csv(",".join(names) + "\n" + text), bins="width:2").n_rows == text.count("\n")


@pytest.mark.parametrize(
    "text",
    [
        "a,b\na,x\nb,y\n",
        "x\nx\ny\n",
        "0,1,2\nu,x,p\nv,y,q\n",
        "2001,2002,2003\n0,1,0\n1,0,1\n",
        "2001,2002\n1500.5,1700.5\n2500.5,2700.5\n2001.5,1999.5\n",
        "age,7\n20,1\n30,2\n",
    ],
)
def test_names_that_are_names(csv, text):
    bnml.read(csv(text), bins="width:2")


def test_frames_have_names(tmp_path):
    bnml.read(pd.DataFrame({"0": [0, 1], "1": [1, 0]}))
    bnml.read(np.array([[0, 1], [1, 0]]))


@shared
@pytest.mark.parametrize("path", TABLES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_tables_with_and_without_their_first_line(path, tmp_path):
    """Nothing is said of the one; the other is refused or doubted."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        bnml.read(path, bins="quantile:3", missing="state")
    assert not [warning for warning in said if "only one state" not in str(warning.message)]
    if path.name in OTHER:
        return
    content = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    (tmp_path / "x.csv").write_bytes(content.partition(b"\n")[2])
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            bnml.read(tmp_path / "x.csv", bins="quantile:3", missing="state")
            found = [str(warning.message) for warning in said]
        except BnmlError as error:
            found = [str(error)]
    assert any("looks like a row" in text or "names of" in text for text in found)


def test_decimal_commas(csv):
    path = csv("x;y;z\n1,5;a;-0,25\n2;b;1,0e3\n2,5;a;1.000,5\n")
    with pytest.warns(DataWarning, match="columns 'x', 'z' hold numbers with a decimal comma, such as '1,5'"):
        assert bnml.read(path).states[0] == ("1,5", "2", "2,5")
    with (
        pytest.warns(DataWarning, match="column 'x' holds numbers with a decimal comma"),
        pytest.raises(DataError, match="not a number"),
    ):
        bnml.read(path, columns=["x"], bins={"x": "mdl"})
    bnml.read(path, columns=["x"], states={"x": ["1,5", "2", "2,5"]})
    many = csv("x\n" + "".join(f'"{i},5"\n' for i in range(1100)))
    with pytest.warns(DataWarning, match="decimal comma"), pytest.raises(DataError, match="more than 1000"):
        bnml.read(many)


@pytest.mark.parametrize("labels", [["1,2", "1,2,3", "2"], ["1", "2"], ["1,5", "many"], ["a,b", "c"], ["1,", "2,"]])
def test_commas_that_are_no_decimal_commas(csv, labels):
    bnml.read(csv("x;y\n" + "".join(f"{label};{i % 2}\n" for i, label in enumerate(labels))))


def test_the_command_line_says_so(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("x.csv").write_text("0,1,2\n1,0,2\n0,1,1\n2,0,2\n")
    assert main(["info", "x.csv"]) == 0
    assert re.search(r"^note: the first line of 'x\.csv' is taken", capsys.readouterr().err)
