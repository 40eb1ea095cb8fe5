"""Posterior, bootstrap, strength, parameters and predictions of tables in which variables were set."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

import bnml
from bnml.graph import DAG

from .. import interventions
from ..graph import naive


@pytest.fixture(autouse=True, scope="module")
def any_family():
    """Keep the rule on rows per cell, which speaks of the rows in which a variable was not set."""


@pytest.fixture(scope="module")
def table():
    return interventions.random_table(21, n=3, n_rows=60, states=2)


def by_definition(table, score):
    """Return all structures with their weights, from families on their own rows."""
    names = [x for x in table.columns if x != "set"]
    dags = [DAG(names, arcs) for arcs in naive.all_dags(names)]
    return dags, np.array(
        [math.fsum(interventions.family(table, x, list(dag.parents(x)), score) for x in names) for dag in dags]
    )


@pytest.mark.parametrize("score", ["bdeu", "qnml", "fnml", "bds"])
def test_the_exact_posterior_is_the_sum_over_all_structures(table, score):
    dags, weights = by_definition(table, score)
    shares = np.exp(weights - weights.max())
    shares /= shares.sum()
    found = bnml.posterior(interventions.read(table), score, rows_per_cell=0, method="exact")
    for a in found.names:
        for b in found.names:
            want = sum(share for dag, share in zip(dags, shares, strict=True) if (a, b) in dag.arcs)
            assert found.arc_probabilities.loc[a, b] == pytest.approx(want, abs=1e-9)
    best = found.top(1).iloc[0]
    assert best["probability"] == pytest.approx(shares.max(), abs=1e-9)


def test_the_sampled_posterior_agrees(table):
    data = interventions.read(table)
    exact = bnml.posterior(data, "bdeu", method="exact").arc_probabilities
    sampled = bnml.posterior(data, "bdeu", method="sample", samples=2000).arc_probabilities
    assert np.abs(exact.to_numpy() - sampled.to_numpy()).max() < 0.05


def test_predictions_average_over_structures(table):
    dags, weights = by_definition(table, "bdeu")
    data = interventions.read(table)
    posterior = bnml.posterior(data, "bdeu", rows_per_cell=0, method="exact")
    new = table.drop(columns="set").drop_duplicates()
    shares = np.exp(weights - weights.max())
    shares /= shares.sum()
    want = 0.0
    for dag, share in zip(dags, shares, strict=True):
        network = bnml.fit(dag, data, "bpp")
        want = want + share * np.exp(network.log_prob(new))
    assert np.exp(posterior.log_prob(new)) == pytest.approx(want, abs=1e-9)


@pytest.mark.parametrize("estimator", ["mle", "bpp", "snml"])
def test_parameters_are_those_of_the_rows_in_which_a_variable_was_not_set(table, estimator):
    dag = DAG.parse("[v1][v0|v1][v2|v0:v1]")
    network = bnml.fit(dag, interventions.read(table), estimator)
    for x in dag.names:
        want = bnml.fit(dag, interventions.rows_for(table, x), estimator).cpt(x)
        pd.testing.assert_frame_equal(network.cpt(x), want)


def test_the_network_of_a_result_is_fitted_so(table):
    data = interventions.read(table)
    result = bnml.learn(data, "bic")
    for x in data.names:
        pd.testing.assert_frame_equal(result.network.cpt(x), bnml.fit(result.dag, data).cpt(x))


def test_a_variable_that_was_set_in_every_row_is_uniform(table):
    network = bnml.fit(DAG.parse("[v1][v0|v1][v2|v0:v1]"), interventions.read(table.assign(set="v1")), "mle")
    assert network.cpt("v1").to_numpy().ravel() == pytest.approx([0.5, 0.5])


def test_strength_is_of_the_rows_in_which_the_child_was_not_set(table):
    dag = DAG.parse("[v1][v0|v1][v2|v0:v1]")
    found = bnml.strength(dag, interventions.read(table), "bic").set_index(["from", "to"]).sort_index()
    for (a, b), row in found.iterrows():
        want = bnml.strength(dag, interventions.rows_for(table, b), "bic").set_index(["from", "to"]).loc[(a, b)]
        assert row["score_gain"] == pytest.approx(want["score_gain"], abs=1e-9)
        assert row["mutual_information"] == pytest.approx(want["mutual_information"], abs=1e-12)
        assert row["p_value"] == pytest.approx(want["p_value"])


def test_the_bootstrap_counts_directions_of_interventional_classes():
    rng = np.random.default_rng(5)
    a = rng.integers(0, 2, 600)
    b = np.where(rng.random(600) < 0.9, a, 1 - a)
    b[300:] = rng.integers(0, 2, 300)
    frame = pd.DataFrame({"a": a, "b": b, "set": [""] * 300 + ["b"] * 300})
    for resampling in ("halves", "bootstrap"):
        found = bnml.bootstrap(interventions.read(frame), "bic", "exact", repetitions=10, resampling=resampling).arcs
        first = found.iloc[0]
        assert (first["from"], first["to"], first["direction"]) == ("a", "b", 1.0)
    ignored = bnml.bootstrap(frame[["a", "b"]], "bic", "exact", repetitions=10).arcs
    assert ignored.iloc[0]["direction"] == 0.5
