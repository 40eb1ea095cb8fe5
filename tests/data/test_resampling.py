"""Tables of some of the rows of a table, against reading those rows."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import bnml
from bnml.data.resampling import expected_distinct, first_rows, redrawn, resampled_parts, stratified_folds
from bnml.errors import BnmlError


def frame(rows=40):
    rng = np.random.default_rng(0)
    return pd.DataFrame({name: rng.integers(0, r, rows).astype(str) for name, r in zip("ABC", (2, 3, 2), strict=True)})


def test_drawing_keeps_the_number_of_rows_and_the_shares():
    data = bnml.example()
    rng = np.random.default_rng(1)
    shares = np.zeros(len(data.states[2]))
    for _ in range(200):
        table = redrawn(data, rng)
        assert table.n_rows == data.n_rows
        assert table.states == data.states
        assert (table.weights > 0).all()
        shares += np.bincount(table.codes[:, 2], table.weights, minlength=2) / table.n_rows / 200
    own = np.bincount(data.codes[:, 2], data.weights, minlength=2) / data.n_rows
    assert shares == pytest.approx(own, abs=0.003)


def test_divided():
    rows = frame()
    data = bnml.read(rows)
    order = np.random.default_rng(1).permutation(len(rows))
    training, test, frequencies = resampled_parts(data, order, 9)
    assert frequencies.tolist() == test.weights.tolist()
    for part, chosen in ((training, order[:9]), (test, order[9:])):
        plain = bnml.read(rows.iloc[chosen], states=dict(zip(data.names, data.states, strict=True)))
        assert (part.names, part.states) == (plain.names, plain.states)
        assert (part.codes == plain.codes).all()
        assert (part.weights == plain.weights).all()
        assert part.weights.min() > 0


def test_tables_without_rows_are_not_divided():
    data = bnml.example()
    bare = bnml.Data(data.names, data.states, data.codes.copy(), data.weights.copy())
    with pytest.raises(BnmlError, match="only frequencies"):
        resampled_parts(bare, np.arange(10), 5)


def test_first_rows():
    """Rows are numbered in order of their codes; with the identity the first rows are the lowest ones."""
    data = bnml.read(frame())
    rows = np.repeat(data.codes, data.weights, axis=0)
    order = np.random.default_rng(2).permutation(data.n_rows)
    for size, part in zip((1, 7, 40), first_rows(data, order, (1, 7, 40)), strict=True):
        assert part.n_rows == size
        drawn = np.repeat(part.codes, part.weights, axis=0)
        assert sorted(map(tuple, drawn.tolist())) == sorted(map(tuple, rows[order[:size]].tolist()))


def test_expected_number_of_distinct_rows():
    data = bnml.read(frame())
    assert expected_distinct(data, data.n_rows) == data.n_distinct
    assert 0 < expected_distinct(data, 1) <= 1 + 1e-12


@pytest.mark.parametrize("k", [2, 3, 7])
@pytest.mark.parametrize("name", ["A", "B"])
def test_folds_divide_the_rows_and_each_state_evenly(k, name):
    rows = frame(50)
    data = bnml.read(rows)
    at, total = data.index(name), np.zeros(data.n_distinct, int)
    numbers = []
    for training, test in stratified_folds(data, name, k, np.random.default_rng(3)):
        assert training.n_rows + test.n_rows == 50
        assert training.states == test.states == data.states
        for part in (training, test):
            place = {tuple(row): i for i, row in enumerate(data.codes.tolist())}
            found = np.zeros(data.n_distinct, int)
            found[[place[tuple(row)] for row in part.codes.tolist()]] = part.weights
            if part is test:
                total += found
        numbers.append(np.bincount(test.codes[:, at], test.weights, minlength=len(data.states[at])))
        assert test.row_index.tolist() == list(range(test.n_distinct))
    assert (total == data.weights).all()
    assert (np.ptp(numbers, axis=0) <= 1).all()
    assert np.ptp(np.sum(numbers, axis=1)) <= 1


def test_folds_do_not_depend_on_the_order_of_rows():
    rows = frame(50)
    one, two = (
        [test.codes.tolist() for _, test in stratified_folds(bnml.read(table), "A", 5, np.random.default_rng(0))]
        for table in (rows, rows.iloc[::-1])
    )
    assert one == two
    assert one[0] != one[1]


def test_too_few_rows_for_folds():
    with pytest.raises(BnmlError, match="5 folds"):
        list(stratified_folds(bnml.read(frame(4)[["A"]]), "A", 5, np.random.default_rng(0)))
