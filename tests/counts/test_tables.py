"""Contingency tables against counting row by row."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings

from bnml._jit import JIT
from bnml.counts import contingency, counts_of
from bnml.errors import ArgumentError
from tests import naive
from tests.counts.strategies import data_of, families, random_table, tables

PROPERTIES = settings(max_examples=40, deadline=None)


@PROPERTIES
@given(families())
def test_contingency(family):
    table, child, parents = family
    variables = [*parents, child]
    found = contingency(data_of(table), variables)
    assert found.shape == tuple(table.arities[v] for v in variables)
    assert {cell: int(n) for cell, n in np.ndenumerate(found)} == naive.contingency(table, variables)


def test_contingency_of_nothing():
    found = contingency(data_of(random_table(1, 10, [2, 3], 5)), [])
    assert found.shape == ()
    assert found == random_table(1, 10, [2, 3], 5).n


@PROPERTIES
@given(tables(columns=1))
def test_one_column(table):
    assert contingency(data_of(table), [0]).tolist() == list(naive.contingency(table, [0]).values())


@pytest.mark.parametrize("arities", [[300, 3], [70_000, 2], [1, 65_536], [65_536, 1], [1, 1, 65_536]])
def test_wide_codes(arities):
    """Codes of 16 and of 32 bits; 65536 cells are the most that the dense kernel numbers."""
    table = random_table(3, 40, arities, 3)
    data = data_of(table)
    assert data.column_codes.dtype.itemsize == (1 if max(arities) <= 256 else 2 if max(arities) <= 65_536 else 4)
    found = contingency(data, range(len(arities)))
    nonzero = {tuple(cell): int(found[tuple(cell)]) for cell in np.argwhere(found).tolist()}
    assert nonzero == naive.observed(table, range(len(arities)))
    assert sorted(counts_of(data).cells(range(len(arities))).counts) == sorted(nonzero.values())


def test_more_cells_than_the_dense_kernel_takes():
    table = random_table(4, 30, [50, 50, 50], 2)
    found = contingency(data_of(table), [2, 0, 1])
    assert {tuple(cell): int(found[tuple(cell)]) for cell in np.argwhere(found).tolist()} == naive.observed(
        table, [2, 0, 1]
    )


def test_too_many_cells():
    data = data_of(random_table(5, 5, [50] * 6))
    with pytest.raises(ArgumentError, match=r"6 columns has 1.56e\+10 cells: too many"):
        contingency(data, range(6))


def test_heavy_rows():
    """Weights whose sum needs more than 32 bits, and one that itself does."""
    table = naive.table_of([(0, 0), (0, 1), (1, 1)], [2, 2], [2**31 - 1, 2**31 - 1, 2**40])
    data = data_of(table)
    assert contingency(data, [0]).tolist() == [2**32 - 2, 2**40]
    assert contingency(data, [0, 1]).tolist() == [[2**31 - 1, 2**31 - 1], [0, 2**40]]
    assert counts_of(data).cells([1]).counts.tolist() == [2**31 - 1, 2**31 - 1 + 2**40]


@pytest.mark.skipif(not JIT, reason="some million steps: too many without the compiler")
def test_long_table():
    """Many blocks of rows, and cells that are hit again and again."""
    table = random_table(6, 30_000, [3, 4, 5, 2, 6, 7])
    data = data_of(table)
    assert math.prod(table.arities) > data.n_distinct > 1024
    found = contingency(data, range(6))
    rows = np.array(table.rows)
    wanted = np.zeros(table.arities, np.int64)
    np.add.at(wanted, tuple(rows.T), 1)
    assert (found == wanted).all()
