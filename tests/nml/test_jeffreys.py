"""The marginal likelihood of forests under Jeffreys' prior: the prior, closed forms, sums over all data, and NML."""

from __future__ import annotations

from itertools import product
from math import exp

import numpy as np
import pytest
from scipy.special import gammaln

import bnml
from bnml.errors import ScoreError
from bnml.nml import jeffreys_evidence, stochastic_complexity
from bnml.nml.forest import forest_links, rows_of_forest
from bnml.nml.jeffreys import _tree_evidence

CHAIN = [None, 0, 1, 2]
FORK = [None, 0, 1, 1, 0]  # two inner variables, three leaves


def dirichlet_half(counts, alpha=0.5):
    """Return the log marginal likelihood of one variable under Dirichlet(alpha)."""
    counts = np.asarray(counts, float).ravel()
    own = gammaln(counts + alpha).sum() - gammaln(counts.sum() + alpha * counts.size)
    return own - counts.size * gammaln(alpha) + gammaln(alpha * counts.size)


def table(codes, arities):
    return np.histogramdd(codes, bins=[np.arange(r + 1) - 0.5 for r in arities])[0]


def drawn(n, arities, seed=0):
    return np.stack([np.random.default_rng([seed, x]).integers(0, r, n) for x, r in enumerate(arities)], axis=1)


@pytest.mark.parametrize("r", [2, 3, 5])
def test_one_variable_has_a_dirichlet_prior(r):
    codes = drawn(20, [r])
    assert jeffreys_evidence([None], codes, [r]) == pytest.approx(dirichlet_half(table(codes, [r])))


def test_complete_networks_are_one_variable_with_all_cells():
    codes = drawn(30, [2, 3])
    assert jeffreys_evidence([None, 0], codes, [2, 3]) == pytest.approx(dirichlet_half(table(codes, [2, 3])))
    assert jeffreys_evidence([1, None], codes, [2, 3]) == pytest.approx(dirichlet_half(table(codes, [2, 3])))
    apart = dirichlet_half(table(codes[:, :1], [2])) + dirichlet_half(table(codes[:, 1:], [3]))
    assert jeffreys_evidence([None, None], codes, [2, 3]) == pytest.approx(apart)


def test_naive_bayes_has_a_dirichlet_prior():
    codes = drawn(40, [3, 2, 4])
    whole = dirichlet_half(table(codes[:, :1], [3]), alpha=0.5 + 0.5 + 1.5)
    for x, r in ((1, 2), (2, 4)):
        whole += sum(dirichlet_half(row) for row in table(codes[:, [0, x]], [3, r]))
    assert jeffreys_evidence([None, 0, 0], codes, [3, 2, 4]) == pytest.approx(whole)


def fisher_information(tree, theta):
    """Return the Fisher information of binary variables from its definition, by differences."""
    keys = sorted(theta)

    def joint(values):
        own = dict(zip(keys, values, strict=True))
        cells = []
        for row in product((0, 1), repeat=len(tree)):
            p = 1.0
            for x, above in enumerate(tree):
                one = own[x, 0 if above is None else row[above]]
                p *= one if row[x] else 1.0 - one
            cells.append(p)
        return np.array(cells)

    at, step = np.array([theta[key] for key in keys]), 1e-5
    slopes = [(joint(at + step * unit) - joint(at - step * unit)) / (2 * step) for unit in np.eye(len(keys))]
    return np.array([[(a * b / joint(at)).sum() for b in slopes] for a in slopes])


def log_prior(tree, theta):
    """Return the formula for the logarithm of the root of the determinant, by the marginals of parents."""
    marginal, total = {}, 0.0
    for x, above in enumerate(tree):  # parents come first
        for j in (0,) if above is None else (0, 1):
            weight = 1.0 if above is None else (marginal[above] if j else 1.0 - marginal[above])
            total += 0.5 * (np.log(weight) - np.log(theta[x, j]) - np.log(1.0 - theta[x, j]))
        if above is None:
            marginal[x] = theta[x, 0]
        else:
            marginal[x] = marginal[above] * theta[x, 1] + (1.0 - marginal[above]) * theta[x, 0]
    return total


@pytest.mark.parametrize("tree", [CHAIN, [None, 0, 0, 1]])
def test_the_prior_is_the_root_of_the_determinant(tree):
    random = np.random.default_rng(0)
    for _ in range(5):
        theta = {
            (x, j): random.uniform(0.1, 0.9) for x, above in enumerate(tree) for j in range(1 if above is None else 2)
        }
        _, log_determinant = np.linalg.slogdet(fisher_information(tree, theta))
        assert log_prior(tree, theta) == pytest.approx(log_determinant / 2, abs=1e-5)


def test_integration_by_drawing_parameters():
    codes, random = drawn(12, [2] * 4), np.random.default_rng(0)
    size = 400_000
    theta = {(x, j): random.beta(0.5, 0.5, size) for x in range(4) for j in range(1 if x == 0 else 2)}
    weights, likelihood = np.ones(size), np.ones(size)
    marginal = theta[0, 0]
    for x in range(4):
        for row in codes:
            one = theta[x, row[x - 1] if x else 0]
            likelihood *= one if row[x] else 1.0 - one
        if x:
            weights *= np.sqrt(marginal * (1.0 - marginal))
            marginal = marginal * theta[x, 1] + (1.0 - marginal) * theta[x, 0]
    drawn_evidence = np.log((weights * likelihood).mean() / weights.mean())
    assert jeffreys_evidence(CHAIN, codes, [2] * 4) == pytest.approx(drawn_evidence, abs=0.05)


@pytest.mark.parametrize("n", [0, 7, 300])
@pytest.mark.parametrize("tree", [[None, 0, 1], CHAIN, FORK])
def test_every_direction_gives_the_same(tree, n):
    """That of a chain of three from its middle is a closed form, so that this checks the integration as well."""
    rows = rows_of_forest(tree, drawn(n, [2] * len(tree)), [2] * len(tree))
    found = [_tree_evidence(rows, forest_links(tree), root) for root in range(len(tree))]
    assert found == pytest.approx([found[1]] * len(tree), abs=2e-5)


def test_all_data_together_have_probability_one():
    rows = [np.array(row) for row in product((0, 1), repeat=4)]
    pairs = [(a, b) for a in range(16) for b in range(a, 16)]
    total = sum((1 + (a != b)) * exp(jeffreys_evidence(CHAIN, np.stack([rows[a], rows[b]]), [2] * 4)) for a, b in pairs)
    assert total == pytest.approx(1.0, abs=2e-5)


def test_nml_comes_together_with_it():
    random = np.random.default_rng(1)
    codes = random.integers(0, 2, (4000, 4))
    off = [
        abs(jeffreys_evidence(CHAIN, codes[:n], [2] * 4) + stochastic_complexity(CHAIN, codes[:n], [2] * 4))
        for n in (50, 500, 4000)
    ]
    assert off[0] > off[1] > off[2]
    assert off[2] < 0.1


def test_where_a_value_never_occurs_it_does_not():
    codes = np.zeros((20_000, 1), int)  # log sqrt(2) of one binary variable
    off = jeffreys_evidence([None], codes, [2]) + stochastic_complexity([None], codes, [2])
    assert off == pytest.approx(-0.5 * np.log(2), abs=0.01)


def test_tables_and_names():
    data = bnml.example().select(["smoke", "bronc", "dysp", "either"])
    chain = bnml.DAG.parse("[smoke][bronc|smoke][dysp|bronc][either|dysp]")
    again = bnml.DAG.parse("[either][dysp|either][bronc|dysp][smoke|bronc]")
    assert jeffreys_evidence(chain, data) == pytest.approx(jeffreys_evidence(again, data), abs=2e-5)
    assert jeffreys_evidence(chain, data) == pytest.approx(bnml.score(chain, data, "nml"), abs=1.0)


def test_what_is_refused():
    with pytest.raises(ScoreError, match="have two values; take the score nml"):
        jeffreys_evidence(CHAIN, drawn(5, [2, 3, 2, 2]), [2, 3, 2, 2])
    with pytest.raises(ScoreError, match="parents"):
        jeffreys_evidence(bnml.DAG.parse("[A][B][C|A:B]"), np.zeros((2, 3), int), [2, 2, 2])
