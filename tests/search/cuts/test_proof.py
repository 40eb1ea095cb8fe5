"""Bounds from multipliers, whatever these are."""

from __future__ import annotations

import math

import numpy as np
import pytest

from bnml.search.cuts.family_arrays import arrays_of_families
from bnml.search.cuts.proof import proven_bound
from bnml.search.cuts.rows import cluster_row, link_row
from tests.search.cuts.naive import best_score, random_families, random_links


@pytest.mark.parametrize("seed", range(60))
def test_any_multipliers_prove_a_bound(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 7))
    families = random_families(rng, n, 20, bool(seed % 2))
    links = random_links(rng, n, seed % 3)
    best = best_score(families, links)
    problem = arrays_of_families(families.parents, families.scores, links, [-math.inf] * n)
    clusters = [cluster_row(problem, rng.permutation(n) < rng.integers(2, n + 1)) for _ in range(10)]
    rows = clusters + [link_row(problem, i, j) for i, j in problem.linked]
    for scale in (0.0, 1e-9, 0.3, 5.0, 1e6):
        multipliers = scale * rng.exponential(size=len(rows)) * (rng.random(len(rows)) < 0.7)
        proof = proven_bound(problem, rows, multipliers)
        assert proof.bound >= best
        assert proof.ceilings.max() == proof.bound
    assert proven_bound(problem, [], []).bound == pytest.approx(sum(own[0] for own in families.scores), abs=1e-9)


def test_ceilings_are_bounds_for_structures_with_a_family():
    rng = np.random.default_rng(0)
    families = random_families(rng, 5, 12, False)
    problem = arrays_of_families(families.parents, families.scores, [0] * 5, [-math.inf] * 5)
    rows = [cluster_row(problem, rng.permutation(5) < 3) for _ in range(6)]
    proof = proven_bound(problem, rows, rng.random(6))
    for f in range(problem.scores.size):
        allowed = (problem.child != problem.child[f]) | (np.arange(problem.scores.size) == f)
        assert proven_bound(problem, rows, np.zeros(6), allowed).bound >= proof.ceilings[f] - 1e6  # both are finite
        kept = problem.kept(allowed)
        only = type(families)(
            families.names,
            [[int(s) for s in kept.sets[kept.first[x] : kept.first[x + 1], 0]] for x in range(5)],
            [kept.scores[kept.first[x] : kept.first[x + 1]] for x in range(5)],
        )
        assert proof.ceilings[f] >= best_score(only, [0] * 5)


def test_no_family_is_left():
    families = random_families(np.random.default_rng(1), 3, 4, False)
    problem = arrays_of_families(families.parents, families.scores, [0] * 3, [-math.inf] * 3)
    assert proven_bound(problem, [], [], problem.child != 0).bound == -math.inf
