"""The kernels called directly: cell numbers, labels, sums of rising factorials."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bnml.counts import _kernels
from tests import naive
from tests.counts.strategies import data_of, families, random_table

PROPERTIES = settings(max_examples=40, deadline=None)


@PROPERTIES
@given(families(columns=5), st.sampled_from([np.int32, np.int64]))
def test_count_dense(family, dtype):
    """First variable slowest: the table that NumPy would number so."""
    table, child, parents = family
    data, variables = data_of(table), [*parents, child]
    arities = np.array(table.arities)
    found = np.empty(arities[variables].prod(), dtype)
    _kernels.count_dense(data.column_codes, data.weights.astype(dtype), arities, np.array(variables), found)
    wanted = np.zeros(arities[variables], np.int64)
    np.add.at(wanted, tuple(data.column_codes[v] for v in variables), data.weights)
    assert found.tolist() == wanted.ravel().tolist()


@PROPERTIES
@given(st.lists(st.integers(0, 2**62), min_size=1, max_size=60).map(lambda keys: keys + keys[::2]))
def test_relabel(keys):
    """Equal keys get equal labels, in order of first occurrence, whatever the collisions."""
    labels = np.empty(len(keys), np.int64)
    slots = np.full(128, -1, np.int64)
    m = _kernels._relabel(np.array(keys, np.int64), slots, labels)
    order = list(dict.fromkeys(keys))
    assert m == len(order)
    assert labels.tolist() == [order.index(key) for key in keys]


@pytest.mark.parametrize("n", [0, 1, 32, 33, 1000])
def test_slots_stay_half_empty(n):
    slots = _kernels._slots(n)
    assert slots.size >= 2 * n
    assert slots.size & (slots.size - 1) == 0


@pytest.mark.parametrize("n_columns", [1, 5, 61, 62, 63, 200])
def test_partition_of_binary_columns(n_columns):
    """As many columns as fit into 62 bits are packed at a time; the boundaries are where it could go wrong."""
    table = random_table(n_columns, 40, [2] * n_columns)
    data = data_of(table)
    labels = np.empty(data.n_distinct, np.int64)
    m = _kernels.partition_rows(data.column_codes, np.array(table.arities), np.arange(n_columns), labels)
    assert m == data.n_distinct
    assert labels.tolist() == list(range(m))


def test_partition_keeps_what_it_has_seen():
    """Rows that differ in early columns only stay apart, round after round."""
    rows = [[code >> bit & 1 for bit in range(6)] + [1] * 194 for code in range(64)]
    data = data_of(naive.table_of(rows, [2] * 200))
    labels = np.empty(64, np.int64)
    assert _kernels.partition_rows(data.column_codes, np.full(200, 2), np.arange(200), labels) == 64


@pytest.mark.parametrize("parts", [1, 16])
@pytest.mark.parametrize("log10_a", [-400, -330, -300, -30, -18, -17.99, -12, -7, -5, -0.3, 0, 1.5, 1.51, 3, 8, 15])
def test_sum_of_rising_factorials(log10_a, parts):
    """Exact wherever a lies: too small for a float, around the switches, so large that log-gammas would cancel.

    Where a row is several parts, so many times what they are together.
    """
    table = np.array([0, 1, 2, 0, 7, 100, 12_345], np.int64)
    with mpmath.workdps(60):
        a = mpmath.mpf(10) ** mpmath.mpf(log10_a)
        if log10_a > -300:
            a = mpmath.mpf(float(a))  # what the kernel is given
        shares = [mpmath.mpf(int(n)) / parts for n in table if n]
        wanted = parts * sum(mpmath.loggamma(a + n) - mpmath.loggamma(a) for n in shares)
        log_a = float(mpmath.log(a))
    found = _kernels._sum_rising(table, table.size, float(a), log_a, parts)
    assert found == pytest.approx(float(wanted), rel=1e-13)


def test_sum_out():
    """A digit in any place is summed out of a table."""
    cube = np.arange(2 * 3 * 5).reshape(2, 3, 5)
    margin = np.empty(cube.size, np.int64)
    for axis, stride in ((0, 15), (1, 5), (2, 1)):
        q = _kernels._sum_out(cube.ravel(), cube.size, cube.shape[axis], stride, margin)
        assert margin[:q].tolist() == cube.sum(axis=axis).ravel().tolist()


def test_cells_stop_at_the_limit():
    arities = np.array([2**31] * 9)
    assert _kernels._cells(arities, np.arange(9), 1000) == 1001
    assert _kernels._cells(np.array([2, 3, 5]), np.array([0, 2]), 10) == 10
    assert _kernels._cells(np.array([2, 3, 5]), np.array([0, 2]), 9) == 10
    assert _kernels._cells(np.array([2]), np.empty(0, np.int64), 9) == 1
