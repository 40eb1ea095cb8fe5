"""Distinct rows, against NumPy's own."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bnml._jit import JIT
from bnml.data import grouping
from bnml.data.columns import column_code_type
from bnml.data.grouping import group_rows


def check(columns, arities, weights=None):
    codes, totals, index = group_rows(columns, arities, weights)
    rows, inverse = np.unique(columns.T, axis=0, return_inverse=True)
    ones = np.ones(columns.shape[1], np.int64) if weights is None else weights
    expected = np.zeros(len(rows), np.int64)
    np.add.at(expected, inverse.reshape(-1), ones)
    assert codes.dtype == columns.dtype
    assert (codes == rows).all()
    assert codes.shape == rows.shape
    assert totals.dtype == np.int64
    assert (totals == expected).all()
    assert (index == inverse.reshape(-1)).all()
    assert codes.flags.f_contiguous


@st.composite
def tables(draw):
    """Many columns of various arities, so that rows take several words; few values, so that rows are equal."""
    arities = draw(st.lists(st.sampled_from([1, 2, 3, 5, 64, 255, 256, 257, 70_000]), min_size=1, max_size=40))
    n_rows = draw(st.integers(1, 40))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    pool = draw(st.integers(1, 5))
    kind = column_code_type(max(arities))
    base = np.array([rng.integers(0, r, pool) for r in arities]).astype(kind)
    columns = base[:, rng.integers(0, pool, n_rows)]
    for _ in range(draw(st.integers(0, 3))):  # rows that differ in one column only
        j, i = rng.integers(len(arities)), rng.integers(n_rows)
        columns[j, i] = rng.integers(arities[j])
    weights = rng.integers(1, 100, n_rows) if draw(st.booleans()) else None
    return np.ascontiguousarray(columns), arities, weights


@given(table=tables())
@settings(deadline=None, max_examples=100 if JIT else 25)
def test_against_numpy(table):
    check(*table)


@pytest.mark.parametrize("arity", [1, 2, 256, 257, 65_536, 65_537, 2**32])
def test_code_types(arity):
    kind = column_code_type(arity)
    assert np.iinfo(kind).max >= arity - 1
    assert kind == np.uint8 or np.iinfo(np.uint8 if kind == np.uint16 else np.uint16).max < arity - 1


def test_words_are_full_to_the_last_bit():
    """62 bits of binary columns make one word, 63 two."""
    rng = np.random.default_rng(0)
    for n in (61, 62, 63, 124, 125):
        columns = rng.integers(0, 2, (n, 50)).astype(np.uint8)
        columns[:, 25:] = columns[:, :25]
        columns[0, 30] ^= 1
        columns[-1, 31] ^= 1
        check(columns, [2] * n)


def test_the_table_of_groups_grows():
    n = 5000 if JIT else 1200
    rng = np.random.default_rng(1)
    check(rng.integers(0, 300, (3, n)).astype(np.uint16), [300] * 3)
    check(np.arange(n, dtype=np.uint32)[None, ::-1].copy(), [n])


@pytest.mark.parametrize("size", [1, 7, 600])
def test_slices_do_not_matter(monkeypatch, size):
    monkeypatch.setattr(grouping, "SLICE", size)
    rng = np.random.default_rng(2)
    columns = rng.integers(0, 40, (2, 1500)).astype(np.uint8)
    check(columns, [40] * 2, rng.integers(1, 9, 1500))


def test_one_row_and_one_state():
    check(np.zeros((1, 1), np.uint8), [1])
    check(np.zeros((3, 10), np.uint8), [1, 1, 1])


def test_large_weights():
    codes, totals, _ = group_rows(np.zeros((1, 2), np.uint8), [1], np.array([2**52, 2**52 - 1]))
    assert totals.tolist() == [2**53 - 1]
    assert codes.tolist() == [[0]]
