"""The three ways to the exact regret, against 50 digits and against each other."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bnml._jit import JIT
from bnml.nml import regret, regrets
from bnml.nml._kernels import _binary_normaliser
from bnml.nml.regret import regrets_by_recurrence, regrets_by_sum
from tests.nml import naive


def floats(*values):
    return np.array(values, dtype=np.float64)


@pytest.mark.parametrize("n", [*range(1, 12), 50, 98, 99, 100, 101, 102, 150, 1000, 10**4, 10**6, 10**9])
def test_binary(n):
    assert _binary_normaliser(float(n)) == pytest.approx(float(naive.binary_normaliser(n)), rel=2e-15)


@pytest.mark.parametrize("n", [2, 3, 10, 99, 100, 1000, 10**5, 10**7])
def test_against_recurrence(n):
    want = naive.by_recurrence(n, [2, 3, 5, 10, 50, 99, 100, 500, 2000])
    for r, value in want.items():
        assert regret(n, r) == pytest.approx(float(value), rel=1e-13), (n, r)


def test_billion_observations():
    rs = [*range(2, 51), 1000, 10**5, 10**6]
    want = naive.by_recurrence(10**9, rs)
    for r in rs:
        assert regret(10**9, r) == pytest.approx(float(want[r]), rel=1e-12), r
    assert regrets(10**9, rs) == pytest.approx([float(want[r]) for r in rs], rel=1e-12)


@pytest.mark.parametrize("n", [1, 2, 3, 10, 100, 1000, 4000])
def test_against_sum(n):
    for r in (2, 7, n, n + 1, 10 * n, n * n, 10**6, 10**9, 10**15, 10**100, 10**300):
        if r > 1:
            assert regret(n, r) == pytest.approx(float(naive.by_sum(n, r)), rel=1e-13), (n, r)


@pytest.mark.parametrize("r", [10**11, 10**12, 10**15, 10**300])
def test_million_observations(r):
    assert regret(10**6, r) == pytest.approx(float(naive.by_sum(10**6, r)), rel=1e-13)


@settings(max_examples=80, deadline=None)
@given(st.integers(1, 10**5), st.integers(1, 10**5))
def test_recurrence_equals_sum(n, r):
    assert regrets_by_recurrence(n, floats(r)) == pytest.approx(
        regrets_by_sum(floats(n), floats(r)), rel=1e-11, abs=1e-12
    )


@pytest.mark.parametrize("n", [10**6, 10**7, 10**9])
def test_closed_form_meets_the_others(n):
    """Just where eq. 7 takes over, its error is below 2e-7, as the docstrings say."""
    for r in (10**6 + 1, 3 * 10**6, 10**7):
        want = regrets_by_sum(floats(n), floats(r))[0]
        assert regret(n + 1, r) == pytest.approx(regrets_by_sum(floats(n + 1), floats(r))[0], rel=1e-12)
        assert regret(n, r) == pytest.approx(want, rel=1e-12)
        assert -1e-12 * want < float(naive.equation_7(n, r)) - want < 2e-7 + 1e-12 * want


def test_many_at_once():
    """All ways in one call: the recurrence, the sum, the closed form, in any order and repeated."""
    rs = np.random.default_rng(5).permutation(np.r_[1:40, 1:40, 10**3, 10**5, 10**6, 10**7, 10**12, 10**18])
    for n in (7, 2000, 10**6, 10**6 + 1, 10**8):
        assert regrets(n, rs) == pytest.approx([regret(n, r) for r in rs], rel=1e-12)


def test_many_long_sums():
    """More terms than one call of the kernel takes."""
    rs = np.linspace(2e6, 3e6, 10_000 if JIT else 20).round()
    values = regrets(10**6, rs)
    assert np.all(np.diff(values) > 0)
    assert values[[0, -1]] == pytest.approx([regret(10**6, rs[0]), regret(10**6, rs[-1])], rel=1e-13)
    assert math.isfinite(values.sum())
