"""Tables over all sample sizes are the single regrets."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bnml._jit import JIT
from bnml.errors import ArgumentError
from bnml.nml import regret, regret_table, regret_tables
from bnml.nml.regret import METHODS
from tests.nml import naive


@settings(max_examples=40, deadline=None)
@given(
    st.integers(0, 300),
    st.lists(st.one_of(st.integers(1, 60), st.integers(1, 5000), st.integers(1, 10**15)), max_size=5),
    st.sampled_from(METHODS),
)
def test_tables_equal_regret(n_max, arities, method):
    tables = regret_tables(n_max, arities, method)
    assert list(tables) == sorted(set(arities))
    for r, table in tables.items():
        assert table.shape == (n_max + 1,)
        assert table == pytest.approx([regret(n, r, method) for n in range(n_max + 1)], rel=1e-12)


@pytest.mark.parametrize("r", [2, 3, 50, 1000])
def test_long_table(r):
    n_max = 100_000 if JIT else 3000
    table = regret_table(n_max, r)
    for n in (0, 1, 63, 64, 65, 511, 512, 1000, n_max // 2, n_max):
        assert table[n] == pytest.approx(regret(n, r), rel=1e-12), n
    assert np.all(np.diff(table) > 0)
    assert table[n_max] == pytest.approx(float(naive.by_recurrence(n_max, [r])[r]), rel=1e-13)


def test_scaling():
    """exp(table) is far beyond the floats here."""
    table = regret_table(3000, 3000)
    assert table[3000] == pytest.approx(float(naive.by_sum(3000, 3000)), rel=1e-13)
    assert table[0] == 0.0


def test_edges():
    assert regret_table(0, 5).tolist() == [0.0]
    assert regret_table(3, 1).tolist() == [0.0] * 4
    assert regret_tables(3, []) == {}
    assert list(regret_tables(3, [np.int64(3), 2, 3.0])) == [2, 3]


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        ((-1, 2), "n_max"),
        ((1.5, 2), "n_max"),
        ((10**12, 2), "n_max"),
        ((True, 2), "n_max"),
        ((5, 0), "r must"),
        ((5, 10**16), "r must"),
        ((5, 2, "approximate"), "method"),
    ],
)
def test_bad_arguments(arguments, word):
    with pytest.raises(ArgumentError, match=word):
        regret_table(*arguments)


def test_bad_arities():
    with pytest.raises(ArgumentError, match="arities"):
        regret_tables(5, [2, 0])
