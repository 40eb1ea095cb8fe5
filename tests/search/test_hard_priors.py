"""Priors that rule structures out: every search keeps to them, or says that it cannot."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

import bnml
from bnml import DAG, Constraints
from bnml.errors import SearchError
from bnml.scores.priors import ArcProbabilities
from tests.counts.strategies import data_of, random_table

SEARCHES = ["exact", "climb", "tabu", "order", "k2", "forest", "chow-liu", "tan", "naive", "polytree", "pc", "npc"]
NAMES = ["X0", "X1", "X2", "X3"]


def options_of(search):
    if search == "k2":
        return {"order": NAMES}
    return {"class_variable": "X0"} if search in ("tan", "naive") else {}


@pytest.mark.parametrize("search", SEARCHES)
@pytest.mark.parametrize("seed", range(12))
def test_no_search_returns_what_the_prior_rules_out(search, seed):
    rng = np.random.default_rng(seed)
    data = data_of(random_table(seed, 60, [2, 3, 2, 2]))
    pairs = list(itertools.permutations(NAMES, 2))
    chosen = rng.permutation(len(pairs))[: int(rng.integers(1, 9))]
    prior = ArcProbabilities(arcs={pairs[k]: float(rng.random() < 0.2) for k in chosen})
    try:
        result = bnml.learn(data, "bdeu", search=search, prior=prior, **options_of(search))
    except SearchError:
        return
    assert result.dag is None or prior.log_prob(result.dag) > -math.inf
    assert result.dag is None or math.isfinite(result.score)


@pytest.mark.parametrize("search", SEARCHES)
def test_an_impossible_prior_is_refused_by_all(search):
    both = ArcProbabilities(arcs={("X0", "X1"): 1.0, ("X1", "X0"): 1.0})
    with pytest.raises(SearchError):
        bnml.learn(data_of(random_table(0, 60, [2, 3, 2, 2])), "bdeu", search=search, prior=both, **options_of(search))


@pytest.mark.parametrize("search", ["k2", "forest", "chow-liu", "polytree", "pc", "climb", "exact"])
def test_what_a_prior_requires_is_there(search):
    data = data_of(random_table(1, 80, [2, 3, 2, 2]))
    prior = ArcProbabilities(arcs={("X1", "X3"): 1.0, ("X0", "X2"): 0.0, ("X2", "X0"): 0.0})
    dag = bnml.learn(data, "bic", search=search, prior=prior, **options_of(search)).dag
    assert ("X1", "X3") in dag.arcs
    assert not {("X0", "X2"), ("X2", "X0")} & set(dag.arcs)


@pytest.mark.parametrize("score", ["bic", "k2"])
@pytest.mark.parametrize("seed", range(30))
def test_the_best_forest_under_links_and_a_prior(score, seed):
    """Against all forests of three variables; required links go the way that the prior allows."""
    rng = np.random.default_rng(seed)
    data = data_of(random_table(seed, 40, [2, 2, 3]))
    names = data.names
    ruled_out = [("X0", "X1"), ("X1", "X0"), ("X1", "X2"), ("X2", "X1"), ("X0", "X2")]
    chosen = rng.permutation(len(ruled_out))[: int(rng.integers(1, 4))]
    prior = ArcProbabilities(arcs={ruled_out[k]: 0.0 for k in chosen})
    known = Constraints(required_links=[("X0", "X1"), ("X1", "X2")])
    best = -math.inf
    for sets in itertools.product([(), (0,), (1,), (2,)], repeat=3):
        try:
            dag = DAG.from_parent_sets(names, sets)
        except bnml.errors.GraphError:
            continue
        if known.allows(dag):
            best = max(best, bnml.scores.LocalScores(data, score, prior).score(dag))
    if best == -math.inf:
        with pytest.raises(SearchError):
            bnml.learn(data, score, search="forest", constraints=known, prior=prior)
    else:
        result = bnml.learn(data, score, search="forest", constraints=known, prior=prior)
        assert result.score == pytest.approx(best, rel=1e-12)
