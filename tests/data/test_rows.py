"""Rows one by one."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import bnml
from bnml.data.rows import rows_of, rows_to_data, rows_to_distinct, rows_to_numbers, rows_with_column
from bnml.errors import DataError

FRAME = pd.DataFrame({"A": list("xyxyx"), "B": list("uuvvu")})


def test_rows_are_those_of_the_source():
    data = bnml.read(FRAME)
    rows = rows_of(data)
    assert rows.n_different == 4
    labels = [[data.states[i][code] for i, code in enumerate(row)] for row in rows.in_order(rows.codes.T).tolist()]
    assert labels == FRAME.to_numpy().tolist()
    assert rows.in_order(np.arange(4)).tolist() == data.row_index.tolist()


def test_frequencies_are_no_rows():
    data = bnml.read(FRAME)
    rows = rows_of(bnml.Data(data.names, data.states, data.codes.copy(), data.weights.copy()))
    with pytest.raises(DataError, match="only frequencies"):
        rows.in_order(np.arange(4))


def test_equal_rows_have_one_number():
    rows = rows_of(bnml.read(FRAME))
    assert rows_to_distinct(rows.codes[[0]], [2]).tolist() == rows.codes[0].tolist()
    assert len(set(rows_to_distinct(rows.codes, [2, 2]).tolist())) == 4
    assert rows_to_distinct(rows.codes[[]], []).tolist() == [0, 0, 0, 0]
    assert rows_to_numbers(rows.codes[[]], []).tolist() == [0, 0, 0, 0]


def test_numbers_are_the_same_for_equal_rows_only():
    rng = np.random.default_rng(0)
    for arities in ([3, 2], [256], [200, 300], [1000, 1000], [2] * 16, [2] * 70):
        codes = rng.integers(0, 2, (len(arities), 50)) * (np.array(arities) - 1)[:, None]
        wanted = {tuple(row) for row in codes.T.tolist()}
        found = rows_to_numbers(codes.astype(np.uint16), arities).tolist()
        assert len(set(found)) == len(wanted) == len(set(zip(found, map(tuple, codes.T.tolist()), strict=True)))


def test_one_more_column():
    data = rows_with_column(bnml.read(FRAME), "C", ["no", "maybe", "yes"], np.array([0, 2, 0, 2, 2]))
    plain = bnml.read(FRAME.assign(C=["no", "yes", "no", "yes", "yes"]), states={"C": ["no", "maybe", "yes"]})
    assert (data.names, data.states) == (plain.names, plain.states)
    for own, wanted in ((data.codes, plain.codes), (data.weights, plain.weights), (data.row_index, plain.row_index)):
        assert own.tolist() == wanted.tolist()


def test_a_table_of_codes():
    data = bnml.read(FRAME)
    rows = rows_of(data)
    again = rows_to_data(data.names, data.states, rows.in_order(rows.codes.T).T)
    assert again.codes.tolist() == data.codes.tolist()
    assert again.row_index.tolist() == data.row_index.tolist()
