"""The uniform prior against all DAGs from the definition, and against exact sums with alternating signs."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings

import bnml
from bnml._bits import ternary_numbers
from bnml.uncertainty import sums_over_layers
from bnml.uncertainty.sums_over_parents import subset_sums
from tests.uncertainty import naive
from tests.uncertainty.strategies import families, mask, weight_of

FEW = settings(max_examples=40, deadline=None)
CLOSE = {"abs": 1e-11, "rel": 1e-11}


def quiet(part: float) -> None:
    pass


@FEW
@given(families())
def test_all_dags(weights):
    n, weight = weights.shape[0], weight_of(weights)
    sums = subset_sums(weights.copy(), 1, quiet)
    found = sums_over_layers.sum_over_layers(sums, 1, quiet)
    assert found.log_total == pytest.approx(naive.log_sum(naive.log_weights(n, weight, "uniform").values()), **CLOSE)
    assert found.log_total == sums_over_layers.log_total_over_layers(sums, 1)
    want = np.array(naive.arc_probabilities(n, weight, "uniform"))
    assert found.arcs == pytest.approx(want, abs=1e-11)


@pytest.mark.parametrize("seed", range(3))
def test_five_variables(seed):
    weights = np.random.default_rng(seed).normal(size=(5, 16)) * [1.0, 20.0, 2000.0][seed]
    found = sums_over_layers.sum_over_layers(subset_sums(weights.copy(), 2, quiet), 2, quiet)
    want = np.array(naive.arc_probabilities(5, weight_of(weights), "uniform"))
    assert found.arcs == pytest.approx(want, abs=1e-11)


def signed_total(numbers: list[list[int]]) -> int:
    """Sum over all DAGs by inclusion and exclusion over the sinks (Tian & He 2009), in whole numbers."""
    n = len(numbers)
    alpha = [[sum(row[p] for p in range(s + 1) if p & ~s == 0) for s in range(len(row))] for row in numbers]

    @cache
    def total(s: int) -> int:
        value, t = int(s == 0), s
        while t:
            sinks = [i for i in range(n) if t >> i & 1]
            rest = s ^ t
            product = math.prod(alpha[i][rest % (1 << i) + (rest >> (i + 1) << i)] for i in sinks)
            value += (-1) ** (len(sinks) + 1) * product * total(rest)
            t = (t - 1) & s
        return value

    return total((1 << n) - 1)


@pytest.mark.parametrize(("n", "largest"), [(6, 10), (7, 10**6)])
def test_whole_numbers(n, largest):
    """Arc probabilities are quotients of two whole numbers: with the families that have the arc, and with all."""
    rng = np.random.default_rng(n)
    numbers = [[int(largest ** rng.random()) for _ in range(1 << (n - 1))] for _ in range(n)]
    found = sums_over_layers.sum_over_layers(subset_sums(np.log(np.array(numbers, float)), 2, quiet), 2, quiet)
    whole = signed_total(numbers)
    assert found.log_total == pytest.approx(math.log(whole), rel=1e-13)
    for v, i in [(0, 1), (1, 0), (n - 1, 2), (3, n - 1)]:
        kept = [[w if k != i or mask(p, i) >> v & 1 else 0 for p, w in enumerate(row)] for k, row in enumerate(numbers)]
        assert found.arcs[v, i] == pytest.approx(signed_total(kept) / whole, abs=1e-13)


@pytest.mark.parametrize("n", range(1, 10))
def test_the_number_of_dags(n):
    sums = subset_sums(np.zeros((n, 1 << (n - 1))), 2, quiet)
    assert sums_over_layers.log_total_over_layers(sums, 2) == pytest.approx(math.log(bnml.count_dags(n)), rel=1e-13)


def test_states_have_different_numbers():
    ternary = ternary_numbers(4)
    numbers = {int(ternary[s ^ t] + 2 * ternary[t]) for s in range(16) for t in range(16) if t & ~s == 0}
    assert numbers == set(range(81))


def test_sets_of_each_size():
    for n in (1, 4):
        every = []
        for size in range(n + 1):
            sets, cuts = sums_over_layers._sets_of(n, size)
            assert all(s.bit_count() == size for s in sets.tolist())
            assert [cuts[0], cuts[-1]] == [0, sets.size]
            every += sets.tolist()
        assert sorted(every) == list(range(1 << n))
