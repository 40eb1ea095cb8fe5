"""The closed forms against their printed versions with 50 digits and more."""

from __future__ import annotations

import numpy as np
import pytest

from bnml.nml.approximations import szpankowski, szpankowski_weinberger
from tests.nml import naive


@pytest.mark.parametrize("n", [1, 10, 1000, 10**6, 10**9])
def test_equation_6(n):
    for r in (2, 3, 5, 9, 10, 11, 30, 100, 10**4, 10**9, 10**50):
        want = float(naive.equation_6(n, r))
        assert float(szpankowski(n, r)) == pytest.approx(want, rel=1e-12, abs=1e-12), (n, r)


@pytest.mark.parametrize("n", [1, 10, 1000, 10**6, 10**9, 10**15])
def test_equation_7(n):
    for r in (2, 3, 10, 50, 10**3, 10**6, 10**9, 10**15, 10**50, 10**300):
        want = float(naive.equation_7(n, r))
        assert float(szpankowski_weinberger(n, r)) == pytest.approx(want, rel=2e-14, abs=1e-13), (n, r)


def test_arrays():
    n = np.array([0, 1, 10, 1000])
    r = np.array([[1], [2], [50]])
    for closed_form in (szpankowski, szpankowski_weinberger):
        values = closed_form(n, r)
        assert values.shape == (3, 4)
        assert np.all(values[0] == 0)
        assert np.all(values[:, 0] == 0)
        assert values[2, 3] == closed_form(1000, 50)


def test_no_nan():
    n = 10.0 ** np.arange(16)[:, None]
    r = 10.0 ** np.arange(309)
    assert np.isfinite(szpankowski_weinberger(n, r)).all()
    assert not np.isnan(szpankowski(n, r)).any()
