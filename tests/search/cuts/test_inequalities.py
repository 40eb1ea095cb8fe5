"""Inequalities hold for every structure, and are found where fractions violate them."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest

from bnml._watch import Watch
from bnml.search.cuts.family_arrays import arrays_of_families
from bnml.search.cuts.relaxation import Relaxation
from bnml.search.cuts.rows import cluster_row, link_row, pair_rows
from bnml.search.cuts.separation import LEAST, cluster_violation, separate_by_local_search, separate_by_program
from bnml.search.cuts.zero_half import half_sum, zero_half
from tests.search.cuts.naive import random_families, random_links


def problem_of(seed, n, most, links=0, unlisted=-math.inf):
    rng = np.random.default_rng(seed)
    families = random_families(rng, n, most, bool(seed % 2))
    return rng, arrays_of_families(families.parents, families.scores, random_links(rng, n, links), [unlisted] * n)


def structures(rng, problem, count):
    """Yield random structures of the families, as 0 and 1."""
    for _ in range(count):
        values = np.zeros(problem.scores.size)
        before = np.zeros(problem.n, bool)
        for x in rng.permutation(problem.n):
            own = np.arange(problem.first[x], problem.first[x + 1])
            fitting = own[~(problem.contains[own] & ~before).any(axis=1)]
            values[rng.choice(fitting)] = 1.0
            before[x] = True
        yield values


def holds(row, values):
    return values[row.families] @ row.coefficients <= row.most + 1e-9


def fractions(problem, rows):
    relaxation = Relaxation(problem, Watch())
    relaxation.add(rows)
    assert relaxation.solve()
    return relaxation.values


@pytest.mark.parametrize("seed", range(10))
def test_clusters_hold_and_forbid_cycles(seed):
    rng, problem = problem_of(seed, 6, 20, unlisted=-50.0)
    rows = [cluster_row(problem, rng.permutation(6) < size) for size in (2, 3, 4, 5, 6)]
    for values in structures(rng, problem, 30):
        assert all(holds(row, values) for row in rows)
    chosen = np.array([rng.integers(a, b) for a, b in zip(problem.first, problem.first[1:], strict=False)])
    left = problem.cyclic(chosen)
    values = np.zeros(problem.scores.size)
    values[chosen] = 1.0
    assert not left.any() or not holds(cluster_row(problem, left), values)


def test_links():
    _, problem = problem_of(0, 5, 12, links=3)
    for i, j in problem.linked:
        row = link_row(problem, i, j)
        linked = {
            f
            for f in range(problem.scores.size)
            if {problem.child[f]} | set(np.flatnonzero(problem.contains[f])) >= {i, j}
        }
        linked &= set(np.flatnonzero(np.isin(problem.child, [i, j])))
        assert set(row.families) == linked
        assert row.most == -1


@pytest.mark.parametrize("seed", range(20))
def test_half_sums_hold(seed):
    """Sums of clusters, and sums of such sums."""
    rng, problem = problem_of(seed, 6, 25)
    rows = list(pair_rows(problem)) + [cluster_row(problem, rng.permutation(6) < 3) for _ in range(5)]
    for _ in range(30):
        some = [rows[k] for k in rng.choice(len(rows), 3, replace=False)]
        rows.append(half_sum(problem, some, np.flatnonzero(rng.random(6) < 0.5)))
    for values in structures(rng, problem, 50):
        assert all(holds(row, values) for row in rows)


def test_zero_half_inequalities_cut_the_solution_off():
    found = 0
    for seed in range(20):
        rng, problem = problem_of(seed, 8, 40)
        rows = list(pair_rows(problem)) + [
            cluster_row(problem, np.isin(range(8), c)) for c in combinations(range(8), 3)
        ]
        values = fractions(problem, rows)
        cuts = zero_half(problem, rows, values, 10, seed)
        found += len(cuts)
        assert not any(holds(cut, values) for cut in cuts)
        for structure in structures(rng, problem, 20):
            assert all(holds(cut, structure) for cut in cuts)
    assert found > 10


def test_violated_clusters_are_found():
    """What the integer program says is what all clusters one by one say; local search finds most."""
    by_search = by_integers = 0
    for seed in range(20):
        _, problem = problem_of(seed, 7, 25)
        values = fractions(problem, list(pair_rows(problem)))
        every = [np.isin(range(7), c) for size in range(2, 8) for c in combinations(range(7), size)]
        worst = max(cluster_violation(problem, values, members) for members in every)
        for found in (
            separate_by_local_search(problem, values, 3, seed),
            separate_by_program(problem, values, Watch()),
        ):
            assert all(cluster_violation(problem, values, members) > LEAST - 1e-6 for members in found)
        by_integers += bool(separate_by_program(problem, values, Watch())) == (worst > LEAST + 1e-6)
        by_search += bool(separate_by_local_search(problem, values, 3, seed)) == (worst > LEAST + 1e-6)
    assert by_integers == 20
    assert by_search >= 18
