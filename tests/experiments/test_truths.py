"""Networks that generate tables: random structures and parameters, and rows drawn from them."""

from __future__ import annotations

import numpy as np
import pytest

import bnml
from bnml.experiments.truths import draw_parameters, draw_rows, random_network


def test_random_networks_differ_and_come_again():
    first, again, other = (random_network(12, np.random.default_rng(seed)) for seed in (0, 0, 1))
    assert first.dag == again.dag
    assert first.dag != other.dag
    assert all(np.array_equal(first.probabilities(x), again.probabilities(x)) for x in first.names)
    assert {len(labels) for labels in first.states.values()} <= {2, 3, 4}
    assert any(first.names.index(a) > first.names.index(b) for a, b in first.dag.arcs)  # names tell no order


@pytest.mark.parametrize(("ess", "variance"), [(None, 1 / 8), (1.0, 1 / 6)])
def test_parameters_are_drawn_from_the_prior_that_is_named(ess, variance):
    # A beta(a, a) share has the variance 1 / (4 (2a + 1)): a = 1/2 for Dirichlet(1/2), 1/4 for BDeu(1) of one parent.
    dag, states = bnml.DAG.parse("[A][B|A]"), {"A": (0, 1), "B": (0, 1)}
    random = np.random.default_rng(0)
    drawn = [draw_parameters(dag, states, random, ess).probabilities("B")[0, 0] for _ in range(4000)]
    assert np.var(drawn) == pytest.approx(variance, abs=0.006)


def test_rows_keep_states_that_do_not_occur():
    states = {"A": ("x", "y", "never")}
    network = bnml.BayesianNetwork(bnml.DAG(["A"]), states, {"A": [0.25, 0.75, 0.0]})
    data = draw_rows(network, 4000, np.random.default_rng(0))
    assert data.arities == (3,)
    assert data.n_rows == 4000
    shares = dict(zip(data.codes[:, 0].tolist(), data.weights.tolist(), strict=True))
    assert shares[1] / 4000 == pytest.approx(0.75, abs=0.03)
