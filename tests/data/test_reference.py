"""The reference sets: raw files against the authors' own discretisation."""

from __future__ import annotations

import csv
import gzip

import numpy as np
import pytest

from bnml.data import read
from tests.reference import GOLDEN, TABLES

from .tools import check, labels, shared

COMPLETE = [
    "iris",
    "wine",
    "glass",
    "thyroid",
    "heart_statlog",
    "ecoli",
    "liver",
    "balance",
    "diabetes",
    "tic_tac_toe",
    "yeast",
    "abalone",
    "page_blocks",
    "shuttle",
]
GAPPY = ["post_operative", "breast_cancer", "heart_hungarian", "heart_cleveland", "bc_wisconsin", "adult"]


def path_of(folder: str, name: str):
    found = [path for path in shared(folder).glob(f"{name}.csv*") if path.suffix in (".csv", ".gz")]
    assert len(found) == 1
    return found[0]


def table_of(path) -> tuple[list[str], list[list[str]]]:
    with gzip.open(path, "rt") if path.suffix == ".gz" else path.open() as file:
        names, *rows = csv.reader(file)
    return names, rows


def is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def numeric_columns(names, rows) -> list[str]:
    """Columns of numbers with more than 6 distinct values."""
    numeric = []
    for name, column in zip(names, zip(*rows, strict=True), strict=True):
        values = set(column) - {"?"}
        if all(map(is_number, values)) and len({float(x) for x in values}) > 6:
            numeric.append(name)
    return numeric


def few_fractions(names, rows, numeric) -> dict[str, list[str]]:
    """Columns of fractions with so few values that each is a state of its own."""
    values = {name: set(column) for name, column in zip(names, zip(*rows, strict=True), strict=True)}
    return {
        name: sorted(own, key=float)
        for name, own in values.items()
        if name not in numeric and all(map(is_number, own)) and any("." in x for x in own)
    }


@pytest.mark.parametrize("name", COMPLETE)
def test_the_authors_discretisation(name):
    """Three bins of equal width; all other columns one state per value, in order."""
    raw = path_of("uci", name)
    names, rows = table_of(raw)
    numeric = numeric_columns(names, rows)
    data = read(raw, bins=dict.fromkeys(numeric, "width:3"), states=few_fractions(names, rows, numeric))
    check(data)
    _, theirs = table_of(path_of("uci-discretised", name))
    expected = np.array(theirs, int)
    found = data.codes[data.row_index]
    assert found.shape == expected.shape
    for j, column in enumerate(names):
        # a code is the rank among those that occur: an empty bin is joined to its neighbour (page_blocks, mean_tr)
        ranks = np.unique(expected[:, j], return_inverse=True)[1]
        assert (found[:, j] == ranks).all(), column
        if (name, column) != ("page_blocks", "mean_tr"):
            assert (found[:, j] == expected[:, j]).all(), column


def test_the_empty_bin():
    data = read(path_of("uci", "page_blocks"), columns=["mean_tr"], bins={"mean_tr": "width:3"})
    assert data.arities == (2,)
    assert data.cuts["mean_tr"] == (pytest.approx(1 + 2 * 4954 / 3),)


@pytest.mark.filterwarnings("ignore:.*only one state")
@pytest.mark.parametrize("name", GAPPY)
def test_missing_values_of_raw_sets(name):
    raw = path_of("uci", name)
    names, rows = table_of(raw)
    gaps = {x: sum(row[j] == "?" for row in rows) for j, x in enumerate(names)}
    bins = dict.fromkeys(numeric_columns(names, rows), "width:3")
    with pytest.raises(ValueError, match="missing values") as error:
        read(raw, bins=bins)
    for x, count in gaps.items():
        assert (f"{x!r}: {count}" in str(error.value)) == (count > 0)
    data = read(raw, bins=bins, missing="state")
    check(data)
    assert data.n_rows == len(rows)
    for j, x in enumerate(names):
        assert ("?" in data.states[j]) == (gaps[x] > 0)
    assert read(raw, bins=bins, missing="drop").n_rows == sum("?" not in row for row in rows)


@pytest.mark.filterwarnings("ignore:.*only one state")
@pytest.mark.parametrize("name", GAPPY)
def test_the_authors_discretisation_where_no_value_is_missing(name):
    """How they filled the gaps is not known; every other cell has their code."""
    raw = path_of("uci", name)
    names, rows = table_of(raw)
    numeric = numeric_columns(names, rows)
    data = read(raw, bins=dict.fromkeys(numeric, "width:3"), missing="state")
    found = data.codes[data.row_index]
    expected = np.array(table_of(path_of("uci-discretised", name))[1], int)
    present = np.array(rows) != "?"
    assert present.any(axis=0).all()
    assert (found[present] == expected[present]).all()


def test_labels_with_leading_zeros_stay():
    data = read(path_of("uci", "post_operative"), missing="drop")
    assert data.states[data.index("COMFORT")] == ("05", "07", "10", "15")


def summary() -> dict[str, dict[str, str]]:
    with (shared("uci-discretised") / "summary.csv").open() as file:
        return {row["data"]: row for row in csv.DictReader(file)}


@pytest.mark.filterwarnings("ignore:column 'ATT12' has only one state")
@pytest.mark.parametrize("name", COMPLETE + GAPPY)
def test_declared_states(name):
    row = summary()[name]
    folder = shared("uci-discretised")
    data = read(folder / row["file"], states=folder / f"{name}.vd")
    check(data)
    assert data.arities == tuple(int(r) for r in row["values_per_variable"].split())
    assert (data.n_rows, data.n_distinct, len(data.names)) == (
        int(row["rows"]),
        int(row["distinct_rows"]),
        int(row["variables"]),
    )
    _, theirs = table_of(folder / row["file"])
    assert (data.codes[data.row_index] == np.array(theirs, int)).all()


@pytest.mark.parametrize("name", ["insurance", "hailfinder", "alarm", "coronary", "lizards", "learning.test", "asia"])
def test_samples(name):
    path = path_of("samples", name)
    names, rows = table_of(path)
    data = read(path)
    check(data)
    assert list(data.names) == names
    assert data.n_rows == len(rows)
    for j, column in enumerate(zip(*rows, strict=True)):
        assert set(data.states[j]) == set(column)
        assert [data.states[j][code] for code in data.codes[data.row_index[:200], j]] == list(column[:200])


@pytest.mark.parametrize(("name", "variables"), TABLES.items())
def test_samples_that_are_part_of_the_project(name, variables):
    """Every cell is the text that stands in the file; `None` is one."""
    names, rows = table_of(GOLDEN / f"{name}.csv")
    data = read(GOLDEN / f"{name}.csv")
    check(data)
    assert (data.names, len(names), data.n_rows) == (tuple(names), variables, 1000)
    assert labels(data) == rows
    assert any("None" in row for row in rows) == (name == "insurance_1000")
