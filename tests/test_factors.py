"""Variable elimination against einsum over the whole joint table."""

from __future__ import annotations

import math
import time
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bnml._factors import Factor, eliminate_from_factors, plan_factors


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 6), st.integers(1, 6))
def test_elimination_is_a_sum_of_products(seed, n, n_factors):
    rng = np.random.default_rng(seed)
    sizes = {v: int(rng.integers(1, 4)) for v in range(n)}
    factors = [Factor((v,), rng.random(sizes[v])) for v in range(n)]
    for _ in range(n_factors):
        axes = tuple(rng.permutation(n)[: rng.integers(1, n + 1)].tolist())
        factors.append(Factor(axes, rng.random([sizes[v] for v in axes])))
    keep = rng.permutation(n)[: rng.integers(0, n + 1)].tolist()
    operands = [part for factor in factors for part in (factor.table, list(factor.axes))]
    want = np.einsum(*operands, keep)
    found = plan_factors([factor.axes for factor in factors], sizes, keep)
    assert sorted(found.order) == sorted(set(range(n)) - set(keep))
    assert found.largest <= found.total
    table, scale = eliminate_from_factors(factors, found.order, keep)
    assert table.max() == pytest.approx(1.0)
    assert table * np.exp(scale) == pytest.approx(want)


def test_evidence():
    factor = Factor((3, 5), np.arange(6.0).reshape(2, 3))
    assert factor.given({5: 1}).axes == (3,)
    assert factor.given({5: 1}).table.tolist() == [1.0, 4.0]
    assert factor.given({7: 0}) is factor


def test_a_chain_is_cheap():
    scopes = [(i, i + 1) for i in range(500)]
    found = plan_factors(scopes, dict.fromkeys(range(501), 4), [500])
    assert found.largest == pytest.approx(16)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 12))
def test_updated_prices_are_those_of_the_graph(seed, n):
    """The plan is that of a greedy search that computes every table size and number of new links anew."""
    rng = np.random.default_rng(seed)
    sizes = {v: int(rng.integers(1, 5)) for v in range(n)}
    scopes = [tuple(rng.permutation(n)[: rng.integers(1, 4)].tolist()) for _ in range(n)]
    keep = rng.permutation(n)[: rng.integers(0, 2)].tolist()
    plans = []
    for by_fill in (False, True):
        near = {v: {u for s in scopes if v in s for u in s} - {v} for v in {v for s in scopes for v in s}}
        order, cliques = [], [math.prod(sizes[v] for v in keep if v in near)]
        while set(near) - set(keep):
            size = {v: sizes[v] * math.prod(sizes[u] for u in near[v]) for v in near}
            fill = {v: sum(b not in near[a] for a, b in combinations(near[v], 2)) if by_fill else 0 for v in near}
            v = min(set(near) - set(keep), key=lambda v: (fill[v], size[v], v))
            cliques.append(size[v])
            around = near.pop(v)
            for u in around:
                near[u] = (near[u] | around) - {u, v}
            order.append(v)
        plans.append((max(cliques), sum(cliques), order))
    largest, total, order = min(plans, key=lambda plan: plan[:2])
    found = plan_factors(scopes, sizes, keep)
    assert (found.largest, found.total) == (pytest.approx(largest), pytest.approx(total))
    assert list(found.order) in [plan[2] for plan in plans if plan[:2] == (largest, total)]


@pytest.mark.parametrize("shape", ["star", "chain"])
def test_thousands_of_variables_are_planned_at_once(shape):
    n = 5000
    scopes = [(0 if shape == "star" else i - 1, i) for i in range(1, n)]
    start = time.perf_counter()
    found = plan_factors(scopes, dict.fromkeys(range(n), 2), ())
    assert time.perf_counter() - start < 2.0  # a tenth of this where nothing else runs
    assert found.largest == pytest.approx(4)
