"""Sums over the tables of all subsets, against tables counted one by one."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bnml.counts._lattice_kernels import Sums
from bnml.counts.batches import no_tails
from bnml.counts.lattice import WalkOrder, packed_for_lattice
from bnml.scores.lattice.lattice import no_bounds
from tests import naive
from tests.counts.strategies import data_of, random_table, tables

FEW = settings(max_examples=15, deadline=None)


def fixed(tables_):
    return Sums(np.array(tables_, float), no_tails(len(tables_)), np.zeros((0, 3)), 1.0, np.zeros(len(tables_)), 1.0)


def walked(data, sums, most=99, threads=1, dtype=float, fill=-1.0):
    layout = WalkOrder(data)
    out = np.full((sums.low.size, 1 << layout.n), fill, dtype)
    visited = layout.counts.subset_sums(layout, sums, no_bounds(layout.n), layout.wanted(most), out, threads, None)
    return out, visited


def expected(table, columns, mask, term):
    """Sum a function of counts over the cells of a set, counted in the plainest way."""
    chosen = [column for place, column in enumerate(columns) if mask >> place & 1]
    return sum(term(count) for count in naive.observed(table, chosen).values())


@FEW
@given(table=tables(columns=5, rows=12), most=st.integers(0, 6), threads=st.sampled_from([1, 2]))
def test_every_subset(table, most, threads):
    data = data_of(table)
    columns = WalkOrder(data).columns
    entries = [[n * n for n in range(table.n + 1)], [3 * n + (n > 0) for n in range(table.n + 1)]]
    out, visited = walked(data, fixed(entries), most, threads)
    sets = [mask for mask in range(1 << len(columns)) if mask.bit_count() <= most]
    assert visited == len(sets)
    for mask in range(1 << len(columns)):
        for t, entry in enumerate(entries):
            known = expected(table, columns, mask, entry.__getitem__) if mask in sets else -1.0
            assert out[t, mask] == known


@FEW
@given(table=tables(columns=4, rows=12), ess=st.sampled_from([0.5, 20.0, 1e4]), entries=st.integers(2, 40))
def test_tables_that_change_with_the_set(table, ess, entries):
    """Counts beyond the end of a table are not looked up."""
    data = data_of(table)
    layout = WalkOrder(data)
    q = np.exp(layout.accumulated(np.log(layout.kinds[0])))
    a = ess / q

    def term(a, n):
        return math.lgamma(a + n) - math.lgamma(a)

    unit = 2.0**-30
    looked_up = np.rint([[term(x, n) / unit for n in range(entries)] for x in a])
    sums = Sums(
        looked_up, no_tails(len(looked_up)), np.stack([a, np.log(a), np.ones_like(a)], axis=1), unit, np.zeros(1), 1.0
    )
    out, _ = walked(data, sums)
    index = [sum(layout.steps[v] for v in range(layout.n) if mask >> v & 1) for mask in range(1 << layout.n)]
    for mask in range(1 << layout.n):
        known = expected(table, layout.columns, mask, lambda n, mask=mask: term(a[index[mask]], n))
        assert out[0, mask] * unit == pytest.approx(known, abs=1e-6)


def test_rows_of_several_words():
    table = random_table(1, 20, [700, 2, 900, 3, 1000, 800, 900, 600], most_weight=4)
    data = data_of(table)
    layout = WalkOrder(data)
    assert packed_for_lattice(layout, data.column_codes, data.weights).words.shape[0] == 2
    squares = [[n * n for n in range(table.n + 1)]]
    out, visited = walked(data, fixed(squares), threads=2)
    assert visited == 256
    for mask in range(0, 256, 5):
        assert out[0, mask] == expected(table, layout.columns, mask, lambda n: n * n)


def test_rounding_to_integers():
    table = random_table(2, 30, [2, 3, 2], most_weight=2)
    data = data_of(table)
    squares = np.arange(table.n + 1.0) ** 2
    sums = Sums(squares[None], no_tails(1), np.zeros((0, 3)), 1.0, np.array([3.0]), 0.25)
    out, _ = walked(data, sums, dtype=np.uint32, fill=7)
    exact, _ = walked(data, fixed([squares]))
    assert out[0].tolist() == np.rint((exact[0] - 3.0) * 0.25).tolist()


def test_layout():
    layout = WalkOrder(data_of(random_table(3, 9, [3, 2, 5, 2, 3])))
    assert layout.columns == (1, 3, 0, 4, 2)
    assert layout.arities.tolist() == [2, 2, 3, 3, 5]
    assert layout.steps.tolist() == [1, 1, 3, 3, 9]
    assert layout.n_indices == 18
    assert [int(layout.digit(kind)[5]) for kind in range(3)] == [2, 1, 0]
    assert layout.accumulated(np.array([1.0, 10.0, 100.0]))[5] == 12.0
    assert layout.indices(0, 2).tolist() == [0, 1, 1, 2]
    assert layout.indices(4, 5).tolist() == [0, 9]
