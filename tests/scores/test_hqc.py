"""Hannan and Quinn's criterion."""

from __future__ import annotations

import math

import pytest

import bnml
from tests.counts.strategies import data_of, random_table


@pytest.mark.parametrize(("n", "price"), [(1, 0.0), (2, 0.0), (3, math.log(math.log(3))), (50, math.log(math.log(50)))])
def test_penalty(n, price):
    """Nothing where log log N is negative."""
    data = data_of(random_table(n, n, [4, 2, 2]))
    _, penalty = bnml.family_score("X0", ["X1", "X2"], data, "hqc", parts=True)
    assert penalty == pytest.approx(12 * price, abs=1e-12)
