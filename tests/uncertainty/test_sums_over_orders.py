"""The order-modular prior against all orders, and all DAGs, from the definition."""

from __future__ import annotations

import math
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings

from bnml.uncertainty import sums_over_orders
from bnml.uncertainty.sums_over_parents import subset_sums
from tests.uncertainty import naive
from tests.uncertainty.strategies import families, weight_of

FEW = settings(max_examples=40, deadline=None)
CLOSE = {"abs": 1e-11, "rel": 1e-11}


def quiet(part: float) -> None:
    pass


@FEW
@given(families())
def test_all_dags_with_their_linear_extensions(weights):
    n, weight = weights.shape[0], weight_of(weights)
    sums = subset_sums(weights.copy(), 1, quiet)
    found = sums_over_orders.sum_over_orders(sums, 1, quiet)
    assert found.log_total == pytest.approx(naive.log_sum(naive.log_weights(n, weight, "order").values()), **CLOSE)
    assert found.log_total == sums_over_orders.log_total_over_orders(sums)
    want = np.array(naive.arc_probabilities(n, weight, "order"))
    assert found.arcs == pytest.approx(want, abs=1e-10)  # weights of 1e5 leave eleven digits


@pytest.mark.parametrize("seed", range(3))
def test_five_variables(seed):
    weights = np.random.default_rng(seed).normal(size=(5, 16)) * [1.0, 20.0, 2000.0][seed]
    found = sums_over_orders.sum_over_orders(subset_sums(weights.copy(), 2, quiet), 2, quiet)
    want = np.array(naive.arc_probabilities(5, weight_of(weights), "order"))
    assert found.arcs == pytest.approx(want, abs=1e-10)  # weights of 1e5 leave eleven digits


def test_whole_numbers():
    """Weights 0 … 9: the sum over all orders of Π_i α_i(those before i) is a whole number."""
    n, rng = 6, np.random.default_rng(0)
    numbers = rng.integers(0, 10, (n, 1 << (n - 1)))
    numbers[:, 0] += 1
    alpha = [[sum(int(row[p]) for p in range(s + 1) if p & ~s == 0) for s in range(row.size)] for row in numbers]

    def before(order, k):
        i = order[k]
        return sum(1 << (v - (v > i)) for v in order[:k])

    want = sum(math.prod(alpha[order[k]][before(order, k)] for k in range(n)) for order in permutations(range(n)))
    with np.errstate(divide="ignore"):
        sums = subset_sums(np.log(numbers), 1, quiet)
    assert sums_over_orders.log_total_over_orders(sums) == pytest.approx(math.log(want), rel=1e-13)


@pytest.mark.parametrize("n", [1, 2, 7, 12])
def test_without_data(n):
    """There are n! orders, and 2^(0 + 1 + … + (n-1)) structures that fit each."""
    sums = subset_sums(np.zeros((n, 1 << (n - 1))), 2, quiet)
    found = sums_over_orders.sum_over_orders(sums, 2, quiet)
    assert found.log_total == pytest.approx(math.lgamma(n + 1) + n * (n - 1) / 2 * math.log(2), rel=1e-13)
    assert found.arcs == pytest.approx(0.25 * (1 - np.eye(n)), abs=1e-13)
