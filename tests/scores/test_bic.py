"""Schwarz's criterion."""

from __future__ import annotations

import math

import pytest

import bnml
from tests import naive
from tests.counts.strategies import data_of, random_table


@pytest.mark.parametrize("n", [1, 2, 3, 50])
def test_penalty(n):
    """Three parameters for each of four parent configurations, occurring or not."""
    table = random_table(n, n, [4, 2, 2])
    fit, penalty = bnml.family_score("X0", ["X1", "X2"], data_of(table), "bic", parts=True)
    assert fit == pytest.approx(naive.loglik(table, 0, [1, 2]), abs=1e-12)
    assert penalty == pytest.approx(12 * math.log(n) / 2, abs=1e-12)
