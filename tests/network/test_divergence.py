"""The Kullback-Leibler divergence of two networks."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bnml
from bnml.errors import BnmlError
from bnml.graph import DAG
from bnml.network.divergence import kl_divergence
from bnml.network.network import BayesianNetwork
from tests.network import naive
from tests.network.strategies import random_network


def with_states_of(network, seed):
    """Another network over the same variables and states."""
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(network.names)).tolist()
    names = [network.names[i] for i in order]
    dag = DAG(names, [(a, b) for i, a in enumerate(names) for b in names[i + 1 :] if rng.random() < 0.5])
    states = {x: tuple(rng.permutation(np.array(network.states[x], object)).tolist()) for x in names}
    tables = {x: rng.dirichlet(np.ones(len(states[x])), size=[len(states[p]) for p in dag.parents(x)]) for x in names}
    return BayesianNetwork(dag, states, tables)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 4))
def test_sum_over_all_rows(seed, n):
    p = random_network(seed, n)
    q = with_states_of(p, seed + 1)
    want = 0.0
    for row in naive.rows(p):
        a, b = naive.probability(p, row), naive.probability(q, row)
        want += a * math.log(a / b)
    assert kl_divergence(p, q) == pytest.approx(want, abs=1e-12)
    assert kl_divergence(p, p) == pytest.approx(0.0, abs=1e-12)


def test_infinite_where_q_rules_out():
    states = {"A": ["x", "y"]}
    p = BayesianNetwork(DAG(["A"]), states, {"A": [0.5, 0.5]})
    q = BayesianNetwork(DAG(["A"]), states, {"A": [1.0, 0.0]})
    assert kl_divergence(p, q) == math.inf
    assert kl_divergence(q, p) == pytest.approx(math.log(2))


def test_wrong_arguments():
    p = random_network(0, 2)
    with pytest.raises(BnmlError, match="V2"):
        kl_divergence(p, random_network(0, 3))
    with pytest.raises(BnmlError, match="p is a network, and q is none"):
        kl_divergence(p, "q")
    other = BayesianNetwork(DAG(["A"]), {"A": ["x", "y"]}, {"A": [0.5, 0.5]})
    with pytest.raises(BnmlError, match="'A'"):
        kl_divergence(other, BayesianNetwork(DAG(["A"]), {"A": ["x", "z"]}, {"A": [0.5, 0.5]}))


def test_tables_first():
    clinic = bnml.example()
    network = bnml.learn(clinic, "bic", "climb").network
    assert bnml.kl_divergence(clinic, network) == bnml.information.kl_divergence(clinic, network) > 0
    assert bnml.kl_divergence(clinic, clinic) == 0.0
