"""Bootstrap and strength of tables with gaps; the posterior says that it cannot take them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import bnml
from bnml.search.learn import imputing_network
from bnml.search.searches import request_for


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    a = rng.integers(0, 2, 400)
    b = np.where(rng.random(400) < 0.85, a, 1 - a)
    c = np.where(rng.random(400) < 0.85, b, 1 - b)
    frame = pd.DataFrame({"a": a, "b": b, "c": c, "d": rng.integers(0, 2, 400)}).astype(str)
    return bnml.read(frame.mask(rng.random(frame.shape) < 0.15), missing="em")


@pytest.mark.parametrize("resampling", ["halves", "bootstrap"])
def test_bootstrap_fills_each_table_anew(data, resampling):
    one = bnml.bootstrap(data, "bic", "tabu", repetitions=10, resampling=resampling, threads=1)
    two = bnml.bootstrap(data, "bic", "tabu", repetitions=10, resampling=resampling, threads=2)
    assert np.array_equal(one.support, two.support)
    links = dict(
        zip(map(frozenset, zip(one.arcs["from"], one.arcs["to"], strict=True)), one.arcs["support"], strict=True)
    )
    assert links[frozenset("ab")] == links[frozenset("bc")] == 1.0
    assert all(support < 0.8 for link, support in links.items() if "d" in link)


def test_the_network_that_fills_has_no_gaps_to_fear(data):
    network = imputing_network(request_for("tabu", {}, score="bic"), data)
    assert set(network.names) == set(data.names)
    assert np.isfinite(network.log_prob(data)).all()


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
