"""What a posterior costs."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

import bnml
from bnml.scores import LocalScores
from bnml.uncertainty.forecast import Cost, cost, memory_needed
from tests.counts.strategies import data_of, random_table


@pytest.mark.parametrize(
    ("n", "prior", "restricted"), [(13, "order", True), (15, "order", False), (11, "uniform", True)]
)
def test_the_memory_is_enough(n, prior, restricted):
    """NumPy tells what it allocates; the kernels allocate next to nothing."""
    data = data_of(random_table(0, 60, [2] * n))
    arguments = {"prior": prior, "threads": 1, "max_parents": n - 2 if restricted else None}
    bnml.posterior(data, **arguments)  # so that what is compiled and kept is not counted
    tracemalloc.start()
    bnml.posterior(data, **arguments)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert 0.3 * memory_needed(n, prior, 1) < peak < memory_needed(n, prior, 1) + 15 * 10**6


def test_cost():
    rows = np.random.default_rng(0).integers(0, 2, (60, 20))
    fast = cost(LocalScores(rows, "bdeu"), "order", 1)
    slow = cost(LocalScores(rows, "bds"), "order", 1)
    few = cost(LocalScores(rows[:, :14], "bdeu"), "uniform", 2)
    assert few.seconds < fast.seconds < slow.seconds
    assert fast.bytes == slow.bytes
    assert str(Cost(12.3, 2 * 10**9)) == "about 12 s, 2.0 GB of memory at most"
    assert str(Cost(600.0, 2 * 10**6)) == "about 10 min, 2.0 MB of memory at most"
