"""The mutual information of pairs against its definition."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bnml
from bnml.counts.pair_information import pair_information
from tests import naive
from tests.counts.strategies import data_of, tables


@st.composite
def sets(draw):
    """Draw a table, some of its columns, and others that are given."""
    table = draw(tables(columns=5))
    order = draw(st.permutations(range(len(table.arities))))
    split = draw(st.integers(0, min(2, len(order) - 1)))
    return table, order[split:], order[:split]


@settings(max_examples=60, deadline=None)
@given(sets())
def test_definition(drawn):
    table, variables, given_ = drawn
    found = pair_information(data_of(table), variables, given_)
    for i, a in enumerate(variables):
        assert found[i, i] == 0.0
        for j, b in enumerate(variables[:i]):
            want = table.n * naive.mutual_information(table, [a], [b], given_)
            assert found[i, j] == pytest.approx(want, abs=1e-11 * max(table.n, 1))
            assert found[i, j] == found[j, i]


@settings(max_examples=30, deadline=None)
@given(sets(), st.randoms(use_true_random=False))
def test_the_order_of_columns_makes_no_difference(drawn, random):
    """To the last bit, in either of the two ways to count."""
    table, variables, given_ = drawn
    data = data_of(table)
    want = pair_information(data, variables, given_)
    names = [data.names[v] for v in variables]
    shuffled = data.select(random.sample(data.names, len(data.names)))
    found = pair_information(shuffled, shuffled.indices(names), shuffled.indices([data.names[v] for v in given_]))
    assert found.tobytes() == want.tobytes()


def test_billions_of_rows():
    heavy = naive.table_of([(0, 0), (0, 1), (1, 1)], [2, 2], [2**40, 2**35, 2**33])
    want = heavy.n * naive.mutual_information(heavy, [0], [1])
    assert pair_information(data_of(heavy), [0, 1])[0, 1] == pytest.approx(want, rel=1e-9)


def test_threads_and_progress(monkeypatch):
    rows = np.random.default_rng(0).integers(0, 3, (500, 40))
    data = bnml.read(rows)
    want = pair_information(data, range(40), threads=1)
    monkeypatch.setattr("bnml.counts.pair_information.WORTH_A_THREAD", 0)
    seen = []
    assert pair_information(data, range(40), threads=3, done=seen.append).tobytes() == want.tobytes()
    assert len(seen) > 1
    assert seen == sorted(seen)
    assert seen[-1] == 1.0


def test_few_columns():
    data = bnml.read(np.array([[0, 1], [1, 1], [1, 0]]))
    assert pair_information(data, [1]).tolist() == [[0.0]]
    assert pair_information(data, []).shape == (0, 0)
