"""The number of DAGs."""

from __future__ import annotations

import numpy as np
import pytest

from bnml.errors import ArgumentError
from bnml.graph import count_dags

from . import naive


def test_published_numbers():
    """OEIS A003024."""
    numbers = [1, 1, 3, 25, 543, 29281, 3781503, 1138779265, 783702329343, 1213442454842881, 4175098976430598143]
    assert [count_dags(n) for n in range(11)] == numbers


@pytest.mark.parametrize("n", range(5))
def test_enumeration(n):
    assert count_dags(n) == sum(1 for _ in naive.all_dags("ABCDE"[:n]))


def test_large():
    assert count_dags(200).bit_length() > 19_900


@pytest.mark.parametrize("n", [3.0, np.float32(3), np.int64(3)])
def test_whole_numbers_of_other_types(n):
    assert count_dags(n) == 25


@pytest.mark.parametrize("n", [-1, -1.0, 2.5, float("inf"), float("nan"), "3", None, True, False, [3]])
def test_refused(n):
    with pytest.raises(ArgumentError, match="n must be"):
        count_dags(n)
