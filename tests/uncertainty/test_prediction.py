"""Averaged predictions against the definition, and against the evidence of one row more."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings

import bnml
from bnml.counts import counts_of
from bnml.data.rows import rows_of
from bnml.errors import ArgumentError, DataError, ScoreError
from bnml.scores import BDe
from bnml.scores.base import Score
from bnml.uncertainty.prediction import _all_families
from tests import naive as naive_scores
from tests.counts.strategies import data_of, random_table
from tests.scores.strategies import prior_of, score_and_twin
from tests.uncertainty import naive
from tests.uncertainty.strategies import awkward_tables

FEW = settings(max_examples=8, deadline=None)


def all_rows(arities):
    return np.array(list(product(*map(range, arities))))


@pytest.mark.parametrize("prior", ["uniform", "order", "classes"])
@pytest.mark.parametrize("label", naive.PREDICT)
@FEW
@given(table=awkward_tables(most=3))
def test_it_is_the_average(label, prior, table):
    _, twin = score_and_twin(label, table)
    rows = all_rows(table.arities)
    found = bnml.posterior(data_of(table), label, prior=prior).log_prob(rows)
    assert np.exp(found).sum() == pytest.approx(1.0, abs=1e-12), "it is a distribution"
    every = naive.probabilities(len(table.arities), lambda i, p: twin(table, i, p), prior)
    for row, value in zip(rows.tolist(), found, strict=True):
        want = naive.row_probability(table, label, every, tuple(row))
        assert value == pytest.approx(math.log(want), abs=1e-9)


@pytest.mark.parametrize("prior", ["uniform", "order"])
@pytest.mark.parametrize("label", ["bdeu", "bdeu:7.5", "k2", "bd:0.3", "bdj", "bde", "bde:5"])
def test_it_is_what_one_row_more_adds_to_the_evidence(label, prior):
    """Log P(row | data) = log P(data and row) - log P(data), where the score is a marginal likelihood."""
    table = random_table(4, 20, [2, 3, 2, 2])
    score, _ = score_and_twin(label, table)
    before = bnml.posterior(data_of(table), score, prior=prior)
    for row in all_rows(table.arities)[::5].tolist():
        longer = naive_scores.table_of([*table.rows, row], table.arities, [*table.weights, 1])
        after = bnml.posterior(data_of(longer), score, prior=prior)
        gain = after.log_evidence - before.log_evidence
        assert before.log_prob(np.array([row]))[0] == pytest.approx(gain, abs=1e-9)


@pytest.mark.parametrize(("label", "estimator"), [("qnml", "snml"), ("fnml", "snml"), ("bdeu", "bpp")])
def test_a_single_structure(label, estimator):
    """Where one structure only is allowed, its network predicts."""
    data = data_of(random_table(8, 100, [2, 3, 2, 2, 3]))
    network = bnml.fit(bnml.DAG(data.names), data, estimator)
    found = bnml.posterior(data, label, max_parents=0).log_prob(data)
    assert found == pytest.approx(network.log_prob(data), abs=1e-12)


def test_rows_in_their_order():
    frame = pd.DataFrame({"A": list("xyxyx"), "B": list("uuvvu")})
    found = bnml.posterior(frame)
    new = pd.DataFrame({"C": [1, 2, 3, 4], "B": list("vuvu"), "A": list("xxyx")})
    values = found.log_prob(new)
    assert values.shape == (4,)
    assert values[1] == values[3] != values[0]
    assert values[:1] == pytest.approx(found.log_prob(new.iloc[:1]))


def test_states_and_cuts_of_the_first_table():
    frame = pd.DataFrame({"A": list("xyxyx"), "B": [0.1, 0.4, 2.5, 2.6, 0.2]})
    found = bnml.posterior(bnml.read(frame, bins={"B": [1.0]}))
    low, high = found.log_prob(pd.DataFrame({"A": ["x", "x"], "B": [0.9, 7.0]}))
    assert low > high
    with pytest.raises(DataError, match="'z'"):
        found.log_prob(pd.DataFrame({"A": ["z"], "B": [0.9]}))
    with pytest.raises(DataError, match="no column 'B'"):
        found.log_prob(pd.DataFrame({"A": ["x"]}))


def test_missing_values_of_the_first_table():
    frame = pd.DataFrame({"A": list("xyxyx"), "B": [0.1, 0.4, 2.5, 2.6, -9.0]})
    found = bnml.posterior(bnml.read(frame, bins={"B": [1.0]}, na_values=[-9], missing="state"))
    assert found.log_prob(frame)[4] == found.log_prob(pd.DataFrame({"A": ["x"], "B": [None]}))[0]


def test_many_states():
    """Tables are never written down: five columns of 300 states have 10^12 cells."""
    rng = np.random.default_rng(0)
    rows = rng.integers(0, 300, (400, 5))
    data = bnml.read(rows, states={f"X{i}": list(range(300)) for i in range(5)})
    for label in ("bdeu", "qnml"):
        values = bnml.posterior(data, label).log_prob(rows[:3])
        assert np.isfinite(values).all()


def test_rows_that_the_prior_network_rules_out():
    dag = bnml.DAG.parse("[A][B|A]")
    states = {"A": ["n", "y"], "B": ["n", "y"]}
    network = prior_of(dag, states, {"A": [1.0, 0.0]})
    frame = pd.DataFrame({"A": list("nnn"), "B": list("nyn")})
    data = bnml.read(frame, states=states)
    found = bnml.posterior(data, BDe(network)).log_prob(pd.DataFrame({"A": list("ny"), "B": list("nn")}))
    assert np.isfinite(found[0])
    assert found[1] == -math.inf


@pytest.mark.parametrize("prior", ["uniform", "order"])
@pytest.mark.parametrize("label", ["bdeu", "bds", "qnml"])
def test_both_ways_agree(label, prior, monkeypatch):
    """By sums over structures, as for more variables than can be listed."""
    data = data_of(random_table(8, 60, [2, 3, 2, 2]))
    known = bnml.Constraints(forbidden=[("X0", "X1")], required=[("X2", "X3")])
    for given_limits in ({}, {"max_parents": 1}, {"rows_per_cell": 8}, {"constraints": known}):
        found = bnml.posterior(data, label, prior=prior, **given_limits)
        listed = found.log_prob(data)
        with monkeypatch.context() as patch:
            patch.setattr("bnml.uncertainty.posterior_result.MOST_LISTED", 0)
            assert found.log_prob(data) == pytest.approx(listed, abs=1e-11)


@pytest.mark.parametrize("prior", ["uniform", "order"])
def test_eight_variables_and_one_row_more(prior):
    """Log P(row | data) = log P(data and row) - log P(data), where the score is a marginal likelihood."""
    table = random_table(4, 40, [2, 3, 2, 2, 2, 3, 2, 2])
    before = bnml.posterior(data_of(table), "bdeu:7.5", prior=prior, rows_per_cell=0)
    rows = np.random.default_rng(0).integers(0, 2, (3, 8))
    values = before.log_prob(rows)
    for row, value in zip(rows.tolist(), values, strict=True):
        longer = naive_scores.table_of([*table.rows, row], table.arities, [*table.weights, 1])
        after = bnml.posterior(data_of(longer), "bdeu:7.5", prior=prior, rows_per_cell=0)
        assert value == pytest.approx(after.log_evidence - before.log_evidence, abs=1e-9)


def test_too_many_variables():
    found = bnml.posterior(np.random.default_rng(0).integers(0, 2, (20, 11)))
    with pytest.raises(ArgumentError, match="up to 10 variables, and there are 11: take method='sample'"):
        found.log_prob(np.zeros((1, 11), int))


def test_blocks(monkeypatch):
    data = data_of(random_table(8, 50, [2, 3, 2]))
    found = bnml.posterior(data)
    first = found.log_prob(data)
    monkeypatch.setattr("bnml.uncertainty.prediction.BLOCK", 60)
    assert np.array_equal(found.log_prob(data), first)


def test_a_score_that_predicts_nothing():
    class Unknown(Score):
        name = "unknown"

        def terms(self, shape):
            return None

    data = data_of(random_table(8, 50, [2, 3]))
    with pytest.raises(ScoreError, match="unknown"):
        _all_families(counts_of(data), Unknown(), rows_of(data).codes)
