"""Paths, Markov blankets and the other properties of a posterior, against all DAGs from the definition."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings

import bnml
from bnml.graph import Constraints
from bnml.scores.priors import ArcProbabilities
from bnml.uncertainty.sums_over_structures import blanket_probabilities, log_sum_over_structures, path_probabilities
from tests.counts.strategies import data_of, random_table
from tests.scores.strategies import score_and_twin
from tests.uncertainty import naive
from tests.uncertainty.strategies import awkward_tables, dependent_table, families, weight_of

pytestmark = pytest.mark.usefixtures("uniform_prior")

FEW = settings(max_examples=40, deadline=None)
PRIORS = ("uniform", "order")
ALL_PRIORS = (*PRIORS, "classes")
KNOWN = Constraints(required=[("X0", "X2")], forbidden=[("X1", "X0")], tiers=[["X3"], ["X1"]])


def check(found, n, weight, prior, before=None):
    """Compare all that a posterior says of pairs, and its best structures and classes, with sums over all DAGs."""
    every = naive.probabilities(n, weight, prior, before)
    arcs = naive.pair_probabilities(every, lambda s, a, b: a in s[b])
    assert found.arc_probabilities.to_numpy() == pytest.approx(np.array(arcs), abs=1e-9)
    paths = naive.pair_probabilities(every, naive.is_path)
    assert found.path_probabilities.to_numpy() == pytest.approx(np.array(paths), abs=1e-9)
    blankets = naive.pair_probabilities(every, naive.is_in_blanket)
    assert found.blanket_probabilities.to_numpy() == pytest.approx(np.array(blankets), abs=1e-9)
    evidence = naive.log_evidence(n, weight, before or (lambda i, p: 0.0), prior)
    assert found.log_evidence == pytest.approx(evidence, abs=1e-9, rel=1e-12)
    check_top(found, every)


def check_top(found, every):
    likely = sorted(every.values(), reverse=True)
    top = found.top(7)
    possible = [p for p in likely if p > 0]
    assert top["probability"].tolist() == pytest.approx(possible[:7], abs=1e-9)
    for row in top.itertuples():
        assert every[structure_of(row.structure, found.names)] == pytest.approx(row.probability, abs=1e-9)
    classes: dict[object, list[float]] = {}
    for structure, p in every.items():
        classes.setdefault(naive.equivalence(structure), []).append(p)
    sums = sorted((math.fsum(values) for values in classes.values()), reverse=True)
    best = found.top(7, classes=True)
    assert best["probability"].tolist() == pytest.approx([p for p in sums if p > 0][:7], abs=1e-9)
    for row in best.itertuples():
        own = naive.equivalence(structure_of(row.structure, found.names))
        assert math.fsum(classes[own]) == pytest.approx(row.probability, abs=1e-9)


def structure_of(text, names):
    return bnml.DAG.parse(text).reordered(names).parent_sets


@pytest.mark.parametrize("prior", PRIORS)
@FEW
@given(weights=families())
def test_paths_and_blankets_of_any_weights(prior, weights):
    n = len(weights)
    every = naive.probabilities(n, weight_of(weights), prior)
    paths = path_probabilities(weights, prior, 1)
    assert paths == pytest.approx(np.array(naive.pair_probabilities(every, naive.is_path)), abs=1e-10)
    blankets = blanket_probabilities(weights, prior, 2)
    want = np.array(naive.pair_probabilities(every, naive.is_in_blanket))
    assert blankets == pytest.approx(want, abs=1e-9 if abs(weights[np.isfinite(weights)]).max() > 1000 else 1e-11)
    assert np.array_equal(blankets, blankets.T)
    total = naive.log_sum(naive.log_weights(n, weight_of(weights), prior).values())
    assert log_sum_over_structures(weights.copy(), prior, 1) == pytest.approx(total, rel=1e-11, abs=1e-11)


@pytest.mark.parametrize("prior", PRIORS)
@pytest.mark.parametrize("seed", range(3))
def test_five_variables(prior, seed):
    weights = np.random.default_rng(seed).normal(size=(5, 16)) * [1.0, 20.0, 2000.0][seed]
    every = naive.probabilities(5, weight_of(weights), prior)
    paths = path_probabilities(weights, prior, 2)
    assert paths == pytest.approx(np.array(naive.pair_probabilities(every, naive.is_path)), abs=1e-10)
    blankets = np.array(naive.pair_probabilities(every, naive.is_in_blanket))
    assert blanket_probabilities(weights, prior, 2) == pytest.approx(blankets, abs=1e-9)


@pytest.mark.parametrize("prior", ALL_PRIORS)
@pytest.mark.parametrize("label", ["bdeu", "bds", "fnml", "qnml", "bde:5"])
@settings(max_examples=6, deadline=None)
@given(table=awkward_tables())
def test_a_posterior_is_a_sum_over_all_dags(label, prior, table):
    score, twin = score_and_twin(label, table)
    found = bnml.posterior(data_of(table), score, prior=prior, threads=1)
    check(found, len(table.arities), lambda i, p: twin(table, i, p), prior)


@pytest.mark.parametrize("prior", ALL_PRIORS)
def test_a_posterior_of_five_variables(prior):
    table = random_table(3, 60, [2, 3, 2, 1, 2], 2)
    score, twin = score_and_twin("qnml", table)
    check(bnml.posterior(data_of(table), score, prior=prior), 5, lambda i, p: twin(table, i, p), prior)


@pytest.mark.parametrize("prior", ALL_PRIORS)
@pytest.mark.parametrize("max_parents", [1, 2, 3])
def test_constraints_and_most_parents(prior, max_parents):
    table = random_table(1, 50, [2, 2, 3, 2])
    _, twin = score_and_twin("k2", table)

    def before(i, p):
        allowed = len(p) <= max_parents and (i != 2 or 0 in p) and not (i == 0 and 1 in p)
        return 0.0 if allowed and not (i == 3 and 1 in p) else -math.inf

    found = bnml.posterior(data_of(table), "k2", prior=prior, constraints=KNOWN, max_parents=max_parents)
    check(found, 4, lambda i, p: twin(table, i, p) + before(i, p), prior, before)


@pytest.mark.parametrize("prior", ALL_PRIORS)
def test_structure_priors(prior):
    table = random_table(2, 40, [2, 3, 2, 2])
    own = ArcProbabilities(0.2, {("X0", "X1"): 0.9, ("X2", "X1"): 0.0, ("X3", "X0"): 1.0})
    _, twin = score_and_twin("bdeu", table)

    def before(i, p):
        return own.family([f"X{k}" for k in range(4)], i, p)

    found = bnml.posterior(data_of(table), prior=prior, structure_prior=own)
    check(found, 4, lambda i, p: twin(table, i, p) + before(i, p), prior, before)


@pytest.mark.parametrize("prior", PRIORS)
def test_what_it_does_not_depend_on(prior):
    """Eight variables: threads, and the order of columns."""
    data = data_of(dependent_table(4, 300, [2, 3, 2, 2, 3, 2, 2, 2]))
    first = bnml.posterior(data, prior=prior)
    names, turned = list(first.names), bnml.posterior(data.select(data.names[::-1]), prior=prior)
    for kind in ("path_probabilities", "blanket_probabilities"):
        other = getattr(turned, kind).loc[names, names].to_numpy()
        assert other == pytest.approx(getattr(first, kind).to_numpy(), abs=1e-11)
    weights = first._weights
    assert np.array_equal(path_probabilities(weights, prior, 1), path_probabilities(weights, prior, 3))
    assert np.array_equal(blanket_probabilities(weights, prior, 1), blanket_probabilities(weights, prior, 3))


def test_many_variables_agree_with_few():
    """Variables that must be alone change nothing."""
    table = random_table(0, 200, [2] * 7)
    rest = data_of(table).select([f"X{i}" for i in range(4)])
    alone = Constraints(forbidden_links=[(f"X{a}", f"X{b}") for a in range(7) for b in range(a + 1, 7) if b > 3])
    for prior in PRIORS:
        many, few = bnml.posterior(data_of(table), prior=prior, constraints=alone), bnml.posterior(rest, prior=prior)
        for kind in ("path_probabilities", "blanket_probabilities"):
            inner = getattr(many, kind).loc[rest.names, rest.names].to_numpy()
            assert inner == pytest.approx(getattr(few, kind).to_numpy(), abs=1e-12)
            assert getattr(many, kind)[["X4", "X5", "X6"]].to_numpy().max() < 1e-12


def test_too_many_variables():
    found = bnml.posterior(np.random.default_rng(0).integers(0, 2, (20, 15)), max_parents=1)
    for kind in ("path_probabilities", "blanket_probabilities"):
        with pytest.raises(bnml.BnmlError, match="up to 14 variables, and there are 15: take method='sample'"):
            getattr(found, kind)


@pytest.mark.parametrize("n", [6, 7])
def test_classes_are_few(n):
    rows = np.random.default_rng(0).integers(0, 2, (20, n))
    if n == 7:
        with pytest.raises(bnml.BnmlError, match="prior='classes' goes up to 6 variables, and there are 7"):
            bnml.posterior(rows, prior="classes", method="exact")
        return
    found = bnml.posterior(rows, prior="classes", method="exact")
    top = found.top(2, classes=True)
    assert found.arc_probabilities.to_numpy().max() < 1
    assert top["probability"][0] > top["probability"][1]
    assert top["score"][0] - top["score"][1] == pytest.approx(np.log(top["probability"][0] / top["probability"][1]))
    assert np.exp(found.log_prob(np.array([[0] * n, [1] * n]))).sum() < 1
