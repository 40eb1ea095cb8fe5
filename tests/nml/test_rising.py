"""Rising factorials in logarithms against 400 digits."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bnml.errors import ArgumentError
from bnml.nml import log_rising
from tests.nml import naive

XS = [1e-300, 1e-20, 1e-3, 0.1, 0.5, 1, 1.5, 2, 3.7, 16, 31.9, 32, 33, 100, 1e3, 12345.678, 1e6, 1e11, 1e20, 1e300]
NS = [0, 1, 2, 3, 10, 16, 17, 18, 100, 1000, 10**6, 10**9]


@pytest.mark.parametrize("x", XS)
def test_grid(x):
    want = [float(naive.log_rising(x, n)) for n in NS]
    assert log_rising(x, NS) == pytest.approx(want, rel=1e-14, abs=1e-300)


@settings(max_examples=100, deadline=None)
@given(st.floats(-300, 300), st.integers(0, 10**9))
def test_any(exponent, n):
    x = 10.0**exponent
    want = float(naive.log_rising(x, n))
    assert float(log_rising(x, n)) == pytest.approx(want, rel=1e-13, abs=1e-15 * (1 + abs(math.log(x))))


def test_broadcasting():
    x, n = np.array(XS), np.array(NS)
    table = log_rising(x[:, None], n)
    assert table.shape == (x.size, n.size)
    for i, j in ((0, 3), (5, 11), (12, 4), (19, 6)):
        assert table[i, j] == log_rising(XS[i], NS[j])
    assert log_rising(2.5, 3).shape == ()
    assert log_rising([], 3).shape == (0,)


@pytest.mark.parametrize("x", [0.0, -1.0, math.nan, math.inf, "1", True])
def test_bad_x(x):
    with pytest.raises(ArgumentError, match="x must be"):
        log_rising(x, 2)


@pytest.mark.parametrize("n", [-1, 1.5, math.nan, math.inf, None])
def test_bad_n(n):
    with pytest.raises(ArgumentError, match="n must be"):
        log_rising(1.0, n)
