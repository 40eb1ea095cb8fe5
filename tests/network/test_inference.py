"""Exact queries against sums over all rows."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bnml
from bnml.errors import BnmlError, NetworkError
from bnml.graph import DAG
from bnml.network.inference import joint
from bnml.network.network import BayesianNetwork
from tests.network import naive
from tests.network.strategies import networks, random_network

NETWORKS = Path(__file__).parents[3] / "shared" / "data" / "networks"


@settings(max_examples=60, deadline=None)
@given(networks(zeros=True), st.data())
def test_query_is_the_sum_over_all_rows(network, data):
    name = data.draw(st.sampled_from(network.names))
    others = [x for x in network.names if x != name]
    observed = data.draw(st.lists(st.sampled_from(others), unique=True)) if others else []
    evidence = {x: data.draw(st.sampled_from(network.states[x])) for x in observed}
    want = naive.posterior(network, name, evidence)
    if want is None:
        with pytest.raises(NetworkError, match="probability zero"):
            network.query(name, evidence)
        return
    got = network.query(name, evidence)
    assert list(got.index) == list(network.states[name])
    assert got.to_numpy() == pytest.approx(list(want.values()))


@settings(max_examples=30, deadline=None)
@given(networks(), st.data())
def test_joint_of_several(network, data):
    names = data.draw(st.lists(st.sampled_from(network.names), min_size=1, unique=True))
    table, scale = joint(network, names)
    table = table * np.exp(scale)
    assert table.sum() == pytest.approx(1.0)
    want = np.zeros(table.shape)
    for row in naive.rows(network):
        want[tuple(network.code(x, row[x]) for x in names)] += naive.probability(network, row)
    assert table == pytest.approx(want)


def test_wrong_questions():
    network = random_network(3, 3)
    with pytest.raises(BnmlError, match="'V9'"):
        network.query("V9")
    with pytest.raises(BnmlError, match="perhaps"):
        network.query("V0", {"V1": "perhaps"})
    with pytest.raises(BnmlError, match="both"):
        network.query("V0", {"V0": network.states["V0"][0]})
    with pytest.raises(BnmlError, match="'W'"):
        network.query("V0", {"W": "x"})


@pytest.mark.parametrize("absent", [0, 1])
def test_hundreds_of_observations(absent):
    """The product of 400 probabilities is too small for a float; their ratio is not."""
    k = 400
    names = ["C", *(f"X{i}" for i in range(k))]
    dag = DAG(names, [("C", x) for x in names[1:]])
    tables = {"C": [0.5, 0.5], **{x: [[0.1, 0.9], [0.101, 0.899]] for x in names[1:]}}
    network = BayesianNetwork(dag, {x: ["a", "b"] for x in names}, tables)
    evidence = dict.fromkeys(names[1 : k + 1 - absent], "a")
    want = 1 / (1 + 1.01 ** (k - absent))
    assert network.query("C", evidence)["a"] == pytest.approx(want)
    frame = pd.DataFrame([evidence], index=[7])
    assert network.predict_proba(frame, "C").loc[7, "a"] == pytest.approx(want)


def test_impossible_evidence_far_away():
    tables = {"A": [0.5, 0.5], "H": [0.5, 0.5], "E": [[1, 0], [1, 0]]}
    network = BayesianNetwork(DAG.parse("[A][H][E|H]"), {x: ["0", "1"] for x in "AHE"}, tables)
    with pytest.raises(NetworkError, match="E=1"):
        network.query("A", {"E": "1"})


def test_numbers_as_evidence():
    tables = {"x": [0.5, 0.5], "y": [[0.9, 0.1], [0.2, 0.8]]}
    states = {"x": ["<=30", ">30"], "y": ["no", "yes"]}
    network = BayesianNetwork(DAG.parse("[x][y|x]"), states, tables, {"x": [30]})
    assert network.query("y", {"x": 31})["yes"] == pytest.approx(0.8)
    assert network.query("y", {"x": "<=30"})["yes"] == pytest.approx(0.1)
    with pytest.raises(BnmlError, match="expected a mapping"):
        network.query("y", [("x", 31)])


def test_impossible_evidence():
    tables = {"A": [1.0, 0.0], "B": [[0.5, 0.5], [0.5, 0.5]]}
    network = BayesianNetwork(DAG.parse("[A][B|A]"), {"A": ["x", "y"], "B": ["u", "v"]}, tables)
    with pytest.raises(NetworkError, match="probability zero"):
        network.query("B", {"A": "y"})


def test_too_large_is_refused_with_a_number():
    names = [f"X{i}" for i in range(60)]
    dag = DAG(names, [(a, b) for i, a in enumerate(names) for b in names[i + 1 : i + 40 : 7]])
    states = {x: list("abcdef") for x in names}
    tables = {x: np.full([6] * len(dag.parents(x)) + [6], 1 / 6) for x in names}
    network = BayesianNetwork(dag, states, tables)
    with pytest.raises(BnmlError, match=r"table of .*e\+.* numbers"):
        network.query("X59", {"X0": "a"})
    assert network.query("X0").to_numpy() == pytest.approx([1 / 6] * 6)


@pytest.mark.skipif(not NETWORKS.exists(), reason="the networks of the repository are not there")
@pytest.mark.parametrize("name", ["alarm.bif", "hailfinder.bif", "link.bif.gz", "munin1.bif.gz", "diabetes.bif.gz"])
def test_repository_networks_answer(name):
    network = bnml.load(NETWORKS / name)
    for x in (network.names[0], network.dag.topological_order()[-1]):
        assert network.query(x).sum() == pytest.approx(1.0)


@pytest.mark.skipif(not NETWORKS.exists(), reason="the networks of the repository are not there")
def test_a_hard_question_is_refused_at_once():
    network = bnml.load(NETWORKS / "munin1.bif.gz")
    evidence = {x: network.states[x][0] for x in network.names if not network.dag.children(x)}
    start = time.perf_counter()
    with pytest.raises(NetworkError, match=r"table of .* numbers"):
        network.query(network.names[0], evidence)
    assert time.perf_counter() - start < 30
