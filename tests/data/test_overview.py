"""A look at tables that can be read, and at those that cannot."""

from __future__ import annotations

import datetime

import numpy as np
import pandas as pd
import pytest

from bnml.data import read
from bnml.data.overview import overview
from bnml.errors import BnmlError, DataWarning

RNG = np.random.default_rng(0)
N = 400
WEIGHT = RNG.normal(70, 9, N).round(1)
SEX = RNG.choice(["f", "m"], N)
COLUMNS = {
    "weight": (WEIGHT, "numbers", "numbers to cut: bins={'weight': 'auto'}"),
    "age": (RNG.integers(20, 90, N), "whole numbers", "numbers to cut"),
    "visits": (RNG.integers(0, 9, N), "whole numbers", None),
    "sex": (SEX, "labels", None),
    "ward": (RNG.choice(["a", "b", None], N), "labels", "missing values: learn from what is there (missing='em')"),
    "patient": ([f"p{i}" for i in range(N)], "labels", "an identifier"),
    "nr": (np.arange(N) + 7, "whole numbers", "an identifier"),
    "caseID": (RNG.permutation(10 * N)[:N], "whole numbers", "an identifier"),
    "day": ([f"2024-01-{1 + i % 28:02d}" for i in range(N)], "dates", "a date: leave it out (drop=['day'])"),
    "stamp": ([f"{1 + i % 28}.1.2024 12:{i % 60:02d}" for i in range(N)], "dates", "a date"),
    "real day": ([datetime.date(2024, 1, 1 + i % 28) for i in range(N)], "dates", "a date"),
    "clock": ([f"{i % 24:02d}:{i % 60:02d}" for i in range(N)], "times", "a time of day"),
    "one": (["x"] * N, "labels", "a constant"),
    "empty": ([None] * N, "nothing", "it holds nothing"),
    "gram": ((WEIGHT * 10).round(), "whole numbers", "nearly a copy of 'weight'"),
    "gender": (np.where(SEX == "f", 2, 1), "whole numbers", "nearly a copy of 'sex'"),
    "band": (RNG.integers(0, 9, N), "whole numbers", None),
    "comma": ([str(x).replace(".", ",") for x in RNG.permutation(WEIGHT)], "labels", "numbers with a decimal comma"),
    "lab": ([*RNG.integers(0, 60, N - 3), "unknown", "NA", "NA"], "labels", "numbers apart from 'NA', 'unknown'"),
    "crp": ([*RNG.integers(0, 60, N - 3), "<0.1", "NA", "NA"], "labels", "'<0.1' is a censored value"),
    "bmi": ([*RNG.integers(0, 60, N - 3), "see file", "NA", "NA"], "labels", "name them in na_values="),
    "zip": ([f"z{i}" for i in RNG.integers(0, 150, N)], "labels", "too many labels"),
    "true": (RNG.random(N) < 0.5, "truth values", None),
}


def said(column):
    return None if column.advice is None else str(DataWarning(column.advice))


@pytest.mark.parametrize("name", COLUMNS)
def test_kinds_and_advice(name):
    frame = pd.DataFrame({key: values for key, (values, _, _) in COLUMNS.items()}).astype({name: object})
    found = {column.name: column for column in overview(frame).columns}[name]
    _, kind, advice = COLUMNS[name]
    assert found.kind == kind
    assert (said(found) is None) == (advice is None), said(found)
    assert advice is None or advice in said(found)


def test_the_advice_leads_to_a_table(tmp_path):
    frame = pd.DataFrame({key: values for key, (values, _, _) in COLUMNS.items()})
    frame.to_csv(tmp_path / "x.csv", index=False)
    for source in (frame, tmp_path / "x.csv"):
        found = overview(source)
        assert found.data is None
        assert "missing values" in str(found.error)
        assert "'weight'" in str(found.error), "all complaints at once"
        settings = found.settings
        assert settings["missing"] == "state"
        assert settings["na_values"] == ["NA", "unknown"]
        assert set(settings["bins"]) == {"weight", "age", "lab"}
        data = read(source, **settings)
        assert data.names == ("weight", "age", "visits", "sex", "ward", "band", "lab", "true")
        again = overview(source, **settings)
        assert not {c.name: said(c) for c in again.columns if c.advice}
        assert again.settings == {"missing": "state"}


@pytest.mark.filterwarnings("ignore::bnml.errors.DataWarning")
@pytest.mark.parametrize("word", ["<0.1", "> 100", "≤5", ">=3.5 mg", "~3", "1,5", "refused", "see file"])
def test_only_common_codes_are_advised_as_missing(word):
    frame = pd.DataFrame({"x": [*map(str, range(60)), word], "y": ["a", "b"] * 30 + ["a"]})
    found = overview(frame)
    assert "na_values" not in found.settings
    assert found.settings["drop"] == ["x"]
    assert found.columns[0].words == ()


@pytest.mark.filterwarnings("ignore::bnml.errors.DataWarning")
@pytest.mark.parametrize("word", ["NA", "n/a", ".", "Unknown", "NULL"])
def test_common_codes_are_advised_as_missing(word):
    assert overview(pd.DataFrame({"x": [*map(str, range(60)), word]})).settings["na_values"] == [word]


def test_numbers_that_stand_for_labels():
    """As many as to be cut, and each of them always with the same label."""
    number = np.arange(600) % 14
    frame = pd.DataFrame({"school": [f"s{i:02d}" for i in number], "years": number})
    school, years = overview(frame).columns
    assert school.advice is None
    assert "nearly a copy of 'school'" in said(years)


def test_counts():
    frame = pd.DataFrame({"a": ["x", "y", "x", None], "n": [3, 2, 1, 5]})
    (column,) = overview(frame, weights="n").columns
    assert (column.distinct, column.missing, column.common) == (2, 5, (("x", 4), ("y", 2)))
    assert overview(frame, weights="n").n_rows == 11
    (column,) = overview(pd.DataFrame({"x": [*np.linspace(0, 1, 121), None]}), missing="drop").columns
    low, high, counts = column.histogram
    assert (low, high, sum(counts), max(counts)) == (0.0, 1.0, 121, 11)


@pytest.mark.filterwarnings("ignore:column 'a' has only one state")
def test_few_rows_and_extreme_numbers():
    for frame in (
        pd.DataFrame({"a": [], "b": []}, dtype=float),
        pd.DataFrame({"a": [1]}),
        pd.DataFrame({"a": [None, None]}),
        pd.DataFrame({"a": [-1.7e308, 1.7e308, 0.5]}),
        pd.DataFrame({"a": [5e-324, 0.0]}),
        pd.DataFrame({"a": ["x", "y"], "b": [1.5, 2.5]}),
    ):
        found = overview(frame)
        assert [column.name for column in found.columns] == list(frame.columns)


def test_what_is_asked_for_is_not_advised():
    frame = pd.DataFrame({"x": np.arange(60) / 7, "y": [f"p{i}" for i in range(60)]})
    assert [c.advice for c in overview(frame, bins={"x": "auto"}, states={"y": list(frame.y)}).columns] == [None, None]


def test_a_flag_that_is_there_or_not_is_no_constant():
    (column,) = overview(pd.DataFrame({"flag": ["x", None, "x"]})).columns
    assert "constant" not in said(column)


def test_wrong_arguments_are_errors():
    frame = pd.DataFrame({"a": [1, 2]})
    for wrong in ({"bins": "some"}, {"columns": ["b"]}, {"drop": ["b"]}, {"missing": "maybe"}, {"drop": ["a"]}):
        with pytest.raises(BnmlError):
            overview(frame, **wrong)
    with pytest.raises(BnmlError, match="no file"):
        overview("none.csv")


def test_the_first_rows_are_as_they_are():
    frame = pd.DataFrame({"a": ["x", None, "?"] * 10, "b": [1.5, 2.0, float("nan")] * 10})
    found = overview(frame, bins="auto", missing="state")
    assert found.first_rows[:3] == (("x", "1.5"), ("", "2"), ("", ""))
    assert len(found.first_rows) == 20
    assert overview(frame[:2], bins="auto", missing="state").first_rows == found.first_rows[:2]
