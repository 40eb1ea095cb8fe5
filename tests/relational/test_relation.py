"""What is read as a relation: distinct rows, degrees, and what is refused."""

from __future__ import annotations

import duckdb
import numpy as np
import pandas as pd
import pytest

import bnml
from bnml.errors import ArgumentError, BnmlError, DataError, MissingError
from bnml.relational.relation import first_tuples, relation_of
from tests.relational.strategies import SHAPES

GRADED = SHAPES.assign(p=[1, 0.5, 1, 1, 0.7, 1, 1, 0.25, 1, 0])


def test_distinct_rows():
    twice = pd.concat([SHAPES, SHAPES.iloc[:4]])
    relation = relation_of(twice, None)
    assert (relation.n_tuples, relation.graded) == (10, False)
    assert relation.arities == (4, 3, 3)
    assert (relation.degrees == 1).all()


def test_degrees():
    relation = relation_of(GRADED, "p")
    assert relation.names == ("color", "shape", "size")
    assert relation.degrees.tolist() == [1.0] * 6 + [0.7, 0.5, 0.25], "falling, and none of degree 0"
    assert relation.arities == (4, 3, 3), "a value that is not possible is a value all the same"
    assert relation.cut(0.7).n_tuples == 7


def test_equal_tuples_have_the_largest_degree():
    frame = pd.DataFrame({"a": list("xxyy"), "p": [0.2, 0.6, 1.0, 0.0]})
    assert relation_of(frame, "p").degrees.tolist() == [1.0, 0.6]


def test_degrees_of_any_source(tmp_path):
    want = relation_of(GRADED, "p")
    GRADED.to_csv(tmp_path / "shapes.csv", index=False)
    text = GRADED.assign(p=["1", ".5", "1.0", "1", "7e-1", "1", "1.00", "0.25", "1", "0"])
    declared = bnml.read(GRADED, states={"p": [0, 0.25, 0.5, 0.7, 1]})
    for source in (tmp_path / "shapes.csv", text, declared, duckdb.from_df(GRADED)):
        found = relation_of(source, "p")
        assert (found.names, found.degrees.tolist()) == (want.names, want.degrees.tolist())


def test_all_degrees_one_is_no_degree():
    relation = relation_of(SHAPES.assign(p=1.0), "p")
    assert relation.n_tuples == 10
    assert (relation.columns == relation_of(SHAPES, None).columns).all()


def test_more_degrees_than_labels_may_be():
    frame = pd.DataFrame({"a": np.arange(3000) % 40, "b": np.arange(3000) // 75, "p": np.linspace(0.001, 1, 3000)})
    assert relation_of(frame, "p").degrees[0] == 1.0


@pytest.mark.parametrize(
    ("frame", "possibility", "error", "fragment"),
    [
        (GRADED, "q", ArgumentError, "possibility: there is no column 'q'"),
        (GRADED, 3, ArgumentError, "possibility=3"),
        (GRADED.assign(p=GRADED.p + 0.5), "p", DataError, "holds 1.2; expected degrees from 0 to 1"),
        (GRADED.assign(p=-GRADED.p), "p", DataError, "from 0 to 1"),
        (GRADED.assign(p="high"), "p", DataError, "holds 'high'"),
        (GRADED.assign(p=0.0), "p", DataError, "nothing is possible"),
        (GRADED.assign(p=GRADED.p.where(GRADED.p > 0)), "p", MissingError, "missing"),
        (GRADED[["p"]], "p", DataError, "no columns apart from 'p'"),
        (GRADED, None, DataError, "fractions"),
        (bnml.read(SHAPES), "color", DataError, "holds 'blue'"),
        (bnml.read(SHAPES), "p", ArgumentError, "possibility: there is no column 'p'"),
    ],
)  # fmt: skip
def test_refused(frame, possibility, error, fragment):
    with pytest.raises(error, match=fragment):
        relation_of(frame, possibility)
    assert issubclass(error, BnmlError)


def test_first_of():
    assert first_tuples(np.array([2, 0, 2, 1, 0])).tolist() == [True, True, False, True, False]
