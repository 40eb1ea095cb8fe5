"""Variable elimination against einsum over the whole joint table."""

from __future__ import annotations

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
