"""The best forest against all forests, under every score."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bnml
from bnml import priors
from bnml.errors import BnmlError
from bnml.graph import Constraints, canonical_extension
from bnml.search import forest
from tests.scores.strategies import LABELS, score_and_twin
from tests.search.forests import branchings, dag_of
from tests.search.strategies import constraints, tables

pytestmark = pytest.mark.usefixtures("uniform_prior")

CLOSE = {"rel": 0, "abs": 1e-8}


def best(data, local, allowed=lambda dag: True):
    """Return the highest score of all forests that are allowed; None if none is."""
    arcs = {
        (x, above): local.family(x, () if above is None else (above,))
        for x in range(len(data.names))
        for above in (None, *range(len(data.names)))
        if x != above
    }
    scores = [
        sum(arcs[x, above] for x, above in enumerate(parents))
        for parents in branchings(len(data.names))
        if allowed(dag_of(data.names, parents))
    ]
    return max(scores) if scores else None


@pytest.mark.parametrize("label", LABELS)
@settings(max_examples=10, deadline=None)
@given(data=tables(columns=5, rows=25))
def test_no_forest_is_better(label, data):
    score, _ = score_and_twin(label, type("T", (), {"arities": data.arities}))
    result = forest(data, score)
    assert result.score == pytest.approx(best(data, bnml.LocalScores(data, score)), **CLOSE)
    assert max(map(len, result.dag.parent_sets)) <= 1
    assert not result.optimal
    assert result.info["optimal_among"] == ("forests" if score.equivalent else "branchings")
    if score.equivalent:
        assert result.dag == canonical_extension(result.cpdag)


@settings(max_examples=60, deadline=None)
@given(data=tables(columns=4), label=st.sampled_from(["bic", "qnml", "fnml", "k2", "bdeu", "bds"]), drawn=st.data())
def test_constraints(data, label, drawn):
    known = drawn.draw(constraints(data.names))
    most = drawn.draw(st.sampled_from([None, 0, 1, 2]))

    def allowed(dag):
        return known.allows(dag) and (most != 0 or not dag.arcs)

    highest = best(data, bnml.LocalScores(data, label), allowed)
    if highest is None:
        with pytest.raises(BnmlError):
            forest(data, label, constraints=known, max_parents=most)
        return
    result = forest(data, label, constraints=known, max_parents=most)
    assert allowed(result.dag)
    assert result.score == pytest.approx(highest, **CLOSE)
    assert "constraints" in result.info["optimal_among"]


@settings(max_examples=40, deadline=None)
@given(data=tables(columns=4), label=st.sampled_from(["bic", "qnml", "fnml"]), drawn=st.data())
def test_priors(data, label, drawn):
    names = data.names
    probability = st.sampled_from([0.0, 0.1, 0.5, 0.9, 1.0])
    arcs = {(a, b): drawn.draw(probability) for a in names for b in names if a != b}
    prior = priors.ArcProbabilities(0.3, arcs)
    highest = best(data, bnml.LocalScores(data, label, prior))
    if highest == -math.inf:
        with pytest.raises(BnmlError):
            forest(data, label, prior=prior)
        return
    result = forest(data, label, prior=prior)
    assert result.score == pytest.approx(highest, **CLOSE)


@settings(max_examples=30, deadline=None)
@given(data=tables(columns=5), label=st.sampled_from(["bic", "qnml", "fnml"]), random=st.randoms(use_true_random=False))
def test_neither_columns_nor_threads_decide(data, label, random):
    shuffled = data.select(random.sample(data.names, len(data.names)))
    assert forest(shuffled, label, threads=2).dag == forest(data, label, threads=1).dag


def test_only_links_that_gain():
    rng = np.random.default_rng(0)
    data = bnml.read(rng.integers(0, 2, (300, 4)))
    assert forest(data, "bic").dag.arcs == ()
    assert len(forest(data, "loglik").dag.arcs) == 3
    copies = np.repeat(rng.integers(0, 2, (50, 1)), 3, axis=1)
    assert str(forest(copies, "bic").dag) == "[X0][X1|X0][X2|X0]"


def test_what_the_result_says():
    seen = []
    data = bnml.example()
    result = forest(data, "fnml", progress=lambda stage, share: seen.append(share))
    assert (result.search, result.info["families"]) == ("forest", 8 + 56 + 8 * 8)
    assert forest(data, "bic").info["families"] == 8 + 28 + 8 * 8
    assert result.info["moves"] == len(result.dag.arcs)
    assert seen == sorted(seen)
    assert seen[-1] == 1.0
    assert result == bnml.learn(data, "fnml", search="forest")
    with pytest.raises(BnmlError, match="time_limit"):
        forest(data, time_limit=1e-9)
    with pytest.raises(BnmlError, match="in a forest"):
        forest(data, constraints=Constraints(required=[("asia", "tub"), ("smoke", "tub")]))
