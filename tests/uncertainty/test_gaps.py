"""Bootstrap and strength of tables with gaps; the posterior says that it cannot take them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import bnml


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    a = rng.integers(0, 2, 400)
    b = np.where(rng.random(400) < 0.85, a, 1 - a)
    c = np.where(rng.random(400) < 0.85, b, 1 - b)
    frame = pd.DataFrame({"a": a, "b": b, "c": c, "d": rng.integers(0, 2, 400)}).astype(str)
    return bnml.read(frame.mask(rng.random(frame.shape) < 0.15), missing="em")


@pytest.mark.parametrize("resampling", ["halves", "bootstrap"])
def test_bootstrap_learns_from_each_table_for_itself(data, resampling):
    one = bnml.bootstrap(data, "bic", "tabu", repetitions=6, resampling=resampling, threads=1)
    two = bnml.bootstrap(data, "bic", "tabu", repetitions=6, resampling=resampling, threads=2)
    assert np.array_equal(one.support, two.support)
    links = dict(
        zip(map(frozenset, zip(one.arcs["from"], one.arcs["to"], strict=True)), one.arcs["support"], strict=True)
    )
    assert links[frozenset("ab")] == links[frozenset("bc")] == 1.0
    assert all(support < 0.8 for link, support in links.items() if "d" in link)


def test_independent_columns_get_no_more_support_than_without_gaps():
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(rng.integers(0, 2, (400, 6)), columns=list("abcdef")).astype(str)
    gaps = bnml.read(frame.mask(rng.random(frame.shape) < 0.4), missing="em")
    found, whole = (bnml.bootstrap(table, "bic", "tabu", repetitions=20) for table in (gaps, frame))
    assert found.links.max() <= whole.links.max() + 0.1
    assert found.links.max() < 0.5


def test_strength(data):
    dag = bnml.DAG.parse("[a][b|a][c|b:a][d]")
    table = bnml.strength(dag, data, "bic").set_index(["from", "to"])
    assert table.loc[("a", "b"), "score_gain"] > 20
    assert table.loc[("a", "c"), "score_gain"] < 0
    whole = bnml.read(pd.DataFrame(columns=["a", "b"], data=[("0", "0"), ("1", "1")] * 20))
    assert bnml.strength(bnml.DAG.parse("[a][b|a]"), whole)["score_gain"].iloc[0] > 0
    test = bnml.independence.independence_test(data, "a", "b")
    assert table.loc[("a", "b"), "p_value"] == pytest.approx(test.p_value)


def test_the_posterior_says_what_to_do(data):
    with pytest.raises(bnml.BnmlError, match=r"the posterior needs every value.*missing='state'.*missing='drop'"):
        bnml.posterior(data)


def test_a_pair_that_was_never_observed_together_gains_nothing():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({x: rng.integers(0, 2, 600) for x in "ab"}).astype(str)
    frame.loc[:299, "a"] = None
    frame.loc[300:, "b"] = None
    table = bnml.strength(bnml.DAG.parse("[a][b|a]"), bnml.read(frame, missing="em"), "bic")
    assert table["score_gain"].tolist() == pytest.approx([-0.5 * np.log(600)], abs=1e-3)


def test_gains_are_those_of_what_was_observed(data):
    dag, less = bnml.DAG.parse("[a][b|a][c|b][d]"), bnml.DAG.parse("[a][b|a][c][d]")
    table = bnml.strength(dag, data, "bic").set_index(["from", "to"])
    values = [bnml.fit(one, data, estimator="em").log_prob(data).sum() for one in (dag, less)]
    wanted = values[0] - values[1] - 0.5 * np.log(data.n_rows)
    assert table.loc[("b", "c"), "score_gain"] == pytest.approx(wanted, abs=1e-6)
