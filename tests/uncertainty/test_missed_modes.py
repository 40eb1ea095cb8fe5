"""Convergence is not claimed where chains miss the best structure: parity, which no single arc approaches."""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module

import numpy as np
import pytest

import bnml

pytestmark = pytest.mark.usefixtures("uniform_prior")


def parity(n, parents, seed, rows=2000):
    """Return a table of fair coins, in which the last column is the parity of the first few."""
    table = np.random.default_rng(seed).integers(0, 2, (rows, n))
    table[:, -1] = table[:, :parents].sum(axis=1) % 2
    return table


@pytest.mark.parametrize(("n", "parents", "seed"), [(8, 2, 0), (8, 3, 1), (16, 4, 2), (20, 5, 3), (24, 5, 24)])
def test_a_claim_of_convergence_has_seen_the_optimum(n, parents, seed):
    table = parity(n, parents, seed)
    result = bnml.posterior(table, "bdeu", method="sample", seed=seed, samples=500)
    best = bnml.learn(table, "bdeu", prior=None)
    assert result.chains.searched == pytest.approx(best.score)
    assert result.converged or n > 8
    assert not result.converged or result.chains.reached > best.score - 1.0
    assert result.top(1)["score"].iloc[0] >= best.score - 1e-6


@pytest.mark.parametrize("structure_prior", ["uniform", "sparse"])
def test_convergence_has_seen_each_variable_of_a_parity_as_the_child(structure_prior):
    """Modes of similar weight without a path between them, of which a search finds one."""
    n, parents = 16, 4
    table = parity(n, parents, 2)
    result = bnml.posterior(
        table, "bdeu", method="sample", seed=2, samples=500, structure_prior=structure_prior, max_parents=parents
    )
    members = [*(f"X{i}" for i in range(parents)), f"X{n - 1}"]
    gains, shares = [], []
    for child in members:
        others = [x for x in members if x != child]
        gains.append(bnml.family_score(child, others, table, "bdeu") - bnml.family_score(child, [], table, "bdeu"))
        shares.append(result.arc_probabilities.loc[others, child].min())
    weights = np.exp(np.array(gains) - max(gains))
    assert result.converged
    np.testing.assert_allclose(shares, weights / weights.sum(), atol=0.06)


@pytest.mark.parametrize(("n", "parents", "seed"), [(6, 3, 1), (6, 5, 2), (7, 4, 2), (7, 5, 1), (7, 5, 3)])
def test_orders_that_disagree_with_the_optimum_have_not_converged(n, parents, seed):
    table = parity(n, parents, seed)
    sampled = bnml.posterior(table, "bdeu", method="sample", prior="order", seed=seed)
    exact = bnml.posterior(table, "bdeu", method="exact", prior="order")
    off = (sampled.arc_probabilities - exact.arc_probabilities).abs().max().max()
    assert not sampled.converged or off < 0.05


def test_chains_that_stay_below_a_search_have_not_converged():
    result = bnml.posterior(parity(8, 2, 0), "bdeu", method="sample", samples=500)
    assert result.converged
    missed = replace(result, chains=replace(result.chains, searched=result.chains.reached + 3.0))
    assert missed.chains.shortfall == pytest.approx(3.0)
    assert not missed.converged
    assert "nats below" in missed.verdict
    cut = replace(result, chains=replace(result.chains, search_cut=True))
    assert not cut.converged
    assert "allow more time" in cut.verdict
    near = replace(result, chains=replace(missed.chains, reached=missed.chains.searched - 0.5))
    assert near.converged


def test_no_time_for_an_exact_search_is_no_convergence(monkeypatch):
    """Under a time limit that an exact search does not keep, nobody knows whether chains miss the best structure."""
    table = parity(20, 5, 3)
    learning = import_module("bnml.search.learn")
    found = learning.solve
    monkeypatch.setattr(learning, "solve", lambda problem: replace(found(problem), optimal=False))
    result = bnml.posterior(table, "bdeu", method="sample", samples=100, time_limit=60)
    assert result.chains.search_cut
    assert not result.converged


def test_a_search_that_time_ends_is_no_convergence_beyond_exact_search(monkeypatch):
    """Thirty variables, where no exact search is affordable: the listing that would find the parity is cut off."""
    table = parity(30, 6, 1)

    def hurried(problem, most):
        assert problem.watch.share(0.0).over

    monkeypatch.setattr(import_module("bnml.search.learn"), "list_for_order_search", hurried)
    result = bnml.posterior(table, "bdeu", method="sample", samples=50, chains=2, time_limit=30)
    assert result.chains.search_cut
    assert not result.converged
    assert bnml.posterior(table[:, :5], "bdeu", method="sample", samples=500, time_limit=30).converged
