"""Sums over parent sets against sums from the definition."""

from __future__ import annotations

import math
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings

from bnml._machine import run_each, short_ranges
from bnml.uncertainty import _kernels, sums_over_parents
from tests.uncertainty import naive
from tests.uncertainty.strategies import families, mask, weight_of

FEW = settings(max_examples=40, deadline=None)


def quiet(part: float) -> None:
    pass


def subsets_of(s: int) -> list[int]:
    return [p for p in range(s + 1) if p & ~s == 0]


@FEW
@given(families())
def test_sums_over_subsets(weights):
    n = weights.shape[0]
    found = sums_over_parents.subset_sums(weights.copy(), 1, quiet)
    shifts = [max(row) for row in weights.tolist()]
    assert found.shift == pytest.approx(math.fsum(shifts), abs=1e-9)
    for i in range(n):
        for s in range(1 << (n - 1)):
            below = [float(weights[i, p]) for p in subsets_of(s)]
            assert found.best[i, s] == pytest.approx(max(below) - shifts[i], abs=1e-9)
            want = math.exp(naive.log_sum(below) - max(below))
            assert found.mass[i, s] == pytest.approx(want, rel=1e-12)


@FEW
@given(families())
def test_the_best_structure_of_each_set(weights):
    """In some order of the set every variable has its best parents among those before it."""
    n = weights.shape[0]
    found = sums_over_parents.subset_sums(weights.copy(), 1, quiet)
    for s in range(1 << n):
        members = [i for i in range(n) if s >> i & 1]
        values = []
        for order in permutations(members):
            before = [sum(1 << v for v in order[:k]) for k in range(len(order))]
            values.append(sum(found.best[i, _kernels._squeezed(b, i)] for i, b in zip(order, before, strict=True)))
        assert found.top[s] == pytest.approx(max(values), abs=1e-8)


def test_nothing_allowed():
    weights = np.array([[0.0, 1.0], [-np.inf, -np.inf]])
    found = sums_over_parents.subset_sums(weights, 1, quiet)
    assert not found.possible
    assert found.mass.tolist() == [[1.0, 1.0 + math.exp(-1.0)], [0.0, 0.0]]


def test_numbers_of_sets():
    for i in range(5):
        for p in range(16):
            assert _kernels._spread(p, i) == mask(p, i)
            assert _kernels._squeezed(mask(p, i), i) == p == _kernels._squeezed(mask(p, i) | 1 << i, i)


@FEW
@given(families(least=2))
def test_arcs_from_coefficients(weights):
    """Σ_S c(S) (α(S) - α(S without v)), each α at the scale of S."""
    n, rng = weights.shape[0], np.random.default_rng(0)
    alpha = weight_of(weights)
    found = sums_over_parents.subset_sums(weights.copy(), 1, quiet)
    for i in range(n):
        coefficients = rng.normal(size=1 << (n - 1))
        got = sums_over_parents.sums_over_arcs_into(found, i, coefficients)
        assert got[i] == 0.0
        for v in set(range(n)) - {i}:
            want = 0.0
            for s in range(1 << (n - 1)):
                members = [u for u in range(n) if mask(s, i) >> u & 1]
                sets = [p for p in naive.parent_sets(n, i) if set(p) <= set(members) and v in p]
                scale = found.best[i, s] + max(weights[i])
                want += coefficients[s] * math.fsum(math.exp(alpha(i, p) - scale) for p in sets)
            assert got[v] == pytest.approx(want, abs=1e-10)


def test_ranges():
    assert short_ranges(10, 65536) == [(0, 10)]
    assert short_ranges(3 * 65536, 65536)[1:] == [(65536, 131072), (131072, 196608)]


def test_every_task_is_done_and_told():
    told, done = [], []
    run_each(done.append, 5, 2, told.append)
    assert sorted(done) == list(range(5))
    assert sorted(told) == [0.2, 0.4, 0.6, 0.8, 1.0]
