"""Random tables: their margins, their distribution, their seed."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import bnml
from bnml.independence import Permutation, independence_test
from bnml.independence.permutation import _random_tables, permutation_p_value


def test_margins_are_kept():
    tables = np.array([[[3, 1, 0], [2, 2, 5]], [[0, 0, 4], [1, 0, 0]]])
    drawn = _random_tables(tables, 200, np.random.default_rng(0))
    assert (drawn >= 0).all()
    assert (drawn.sum(axis=2) == tables.sum(axis=1)).all()
    assert (drawn.sum(axis=3) == tables.sum(axis=2)).all()


def test_fishers_exact_test():
    table = np.array([[8, 2], [1, 5]])
    rows = [(i, j) for i in range(2) for j in range(2) for _ in range(table[i, j])]
    _, p = permutation_p_value(bnml.read(np.array(rows)), 0, 1, (), Permutation("x2", 20_000))
    exact = stats.hypergeom.pmf(np.arange(3, 10), 16, 9, 10)
    chi = [stats.chi2_contingency([[k, 10 - k], [9 - k, k - 3]], correction=False).statistic for k in range(3, 10)]
    expected = exact[np.array(chi) >= chi[5] - 1e-9].sum()
    assert p == pytest.approx(expected, abs=0.006)


def test_p_values_are_uniform_where_there_is_independence():
    rng = np.random.default_rng(1)
    ps = []
    for _ in range(200):
        s = rng.integers(0, 2, 200)
        x, y = (np.where(rng.random(200) < 0.7, s, rng.integers(0, 3, 200)) for _ in range(2))
        data = bnml.read(np.stack([x, y, s], axis=1))
        ps.append(independence_test(data, "X0", "X1", "X2", test=Permutation(permutations=199)).p_value)
    assert stats.kstest(ps, "uniform").pvalue > 0.001


def test_near_the_asymptotic_one_for_many_rows():
    rng = np.random.default_rng(2)
    x = rng.integers(0, 3, 5000)
    y = np.where(rng.random(5000) < 0.02, x, rng.integers(0, 3, 5000))
    data = bnml.read(np.stack([x, y], axis=1))
    for kind in ("g2", "x2"):
        drawn = independence_test(data, "X0", "X1", test=Permutation(kind, 5000))
        known = independence_test(data, "X0", "X1", test=kind)
        assert drawn.statistic == pytest.approx(known.statistic)
        assert drawn.p_value == pytest.approx(known.p_value, abs=0.03)


def test_the_seed_decides_and_the_order_of_columns_does_not():
    rng = np.random.default_rng(3)
    data = bnml.read(rng.integers(0, 2, (50, 3)))
    other = data.select(data.names[::-1])
    first = independence_test(data, "X0", "X1", "X2", test="g2-permutation")
    assert independence_test(data, "X0", "X1", "X2", test="g2-permutation").p_value == first.p_value
    assert first.p_value >= 1 / 1001
    assert independence_test(other, "X1", "X0", "X2", test="g2-permutation").p_value == first.p_value
    seeds = {independence_test(data, "X0", "X1", "X2", test=Permutation(seed=s)).p_value for s in range(9)}
    assert len(seeds) > 1
