"""The cuts that describe other variables best: against enumeration, and what they find."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bnml.errors import ArgumentError
from bnml.nml import nml_partition, regret
from bnml.nml.partition import LONGEST_TABLE, _regrets, bins_code_length

TABLES = st.integers(1, 6).flatmap(
    lambda size: st.lists(
        st.integers(1, 3).flatmap(
            lambda r: st.lists(st.lists(st.integers(0, 9), min_size=r, max_size=r), min_size=size, max_size=size)
        ),
        min_size=1,
        max_size=3,
    )
)


def naive_code_length(tables, last) -> float:
    """Return the code length by the formula, bin by bin."""
    size = len(tables[0])
    total = math.log(math.comb(size - 1, len(last)))
    for first, end in zip((0, *(i + 1 for i in last)), (*(i + 1 for i in last), size), strict=True):
        for table in tables:
            counts = np.array(table[first:end]).sum(axis=0)
            h = int(counts.sum())
            total += regret(h, counts.size) - sum(n * math.log(n / h) for n in counts.tolist() if n)
    return total


@settings(max_examples=40, deadline=None)
@given(TABLES)
def test_code_lengths_of_given_bins(tables):
    size = len(tables[0])
    for k in range(size):
        for last in combinations(range(size - 1), k):
            parts = [np.split(np.array(table), [i + 1 for i in last]) for table in tables]
            bins = [[part.sum(axis=0) for part in own] for own in parts]
            assert bins_code_length(bins, size - 1) == pytest.approx(naive_code_length(tables, last), abs=1e-9)


@settings(max_examples=80, deadline=None)
@given(TABLES)
def test_equals_enumeration(tables):
    size = len(tables[0])
    ways = [cuts for k in range(size) for cuts in combinations(range(size - 1), k)]
    lengths = [min(naive_code_length(tables, cuts) for cuts in ways if len(cuts) == k) for k in range(size)]
    found = nml_partition(tables)
    assert found.code_lengths == pytest.approx(lengths[: len(found.code_lengths)], abs=1e-9)
    assert naive_code_length(tables, found.last) == pytest.approx(min(lengths), abs=1e-9)
    assert found.gain == pytest.approx(lengths[0] - min(lengths), abs=1e-9)
    if size > 2:
        bound = nml_partition(tables, least=2, most=3)
        assert 1 <= len(bound.last) <= 2
        assert naive_code_length(tables, bound.last) == pytest.approx(min(lengths[1:3]), abs=1e-9)


def test_cuts_are_not_added_for_ever():
    """Without the price of their places, an even variable would be cut everywhere."""
    rng = np.random.default_rng(0)
    table = np.eye(2)[rng.integers(0, 2, 300)]
    assert nml_partition([table], most=30).last == ()


def test_tables_of_different_sums():
    """A variable that is described given another: a table for each value of that one."""
    rng = np.random.default_rng(1)
    above = np.arange(200) >= 120
    z = rng.integers(0, 2, 200)
    y = np.where(above, z, 1 - z)  # depends on x only where z is known
    one = np.eye(2)[y]
    assert nml_partition([one], most=20).last == ()
    assert nml_partition([one * (z == k)[:, None] for k in (0, 1)], most=20).last == (119,)


@pytest.mark.parametrize("r", [2, 5, 40])
def test_regrets_of_many_rows(r):
    rows = np.array([0.0, 1.0, LONGEST_TABLE, LONGEST_TABLE + 1, 10**7])
    assert _regrets(rows, r) == pytest.approx([regret(int(n), r) for n in rows], abs=0.1)


@pytest.mark.parametrize("tables", [[], [[1, 2]], [[[1, 2]], [[1, 2], [3, 4]]], [np.empty((0, 2))]])
def test_wrong_tables(tables):
    with pytest.raises(ArgumentError, match="tables must have two dimensions"):
        nml_partition(tables)
