"""EM against its definition: expected counts by listing all completions, likelihoods that never fall."""

from __future__ import annotations

import math
from itertools import islice, pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bnml
from bnml.data.read import read
from bnml.network.em import em_steps, expected_counts, fit_by_em, observed_network
from bnml.network.estimators import estimate
from tests.network import naive
from tests.network.strategies import random_network

pytestmark = pytest.mark.filterwarnings("ignore::bnml.errors.DataWarning")  # constant columns


def table_with_gaps(network, n, share, seed):
    """Return rows of a network with gaps, as a frame and as it is read."""
    rng = np.random.default_rng(seed)
    frame = network.sample(n, seed=seed).astype(object)
    frame = frame.mask(rng.random(frame.shape) < share)
    kept = pd.DataFrame({x: [None if pd.isna(v) else v for v in frame[x]] for x in network.names}, dtype=object)
    states = {x: list(labels) for x, labels in network.states.items()}
    for x in network.names:
        if kept[x].isna().all():
            kept.loc[0, x] = states[x][0]
    return kept, read(kept, states=states, missing="em")


def completions(network, row):
    """Yield each completion of a row with its probability given the row, and the probability of the row."""
    fitting = [whole for whole in naive.rows(network) if all(v is None or whole[x] == v for x, v in row.items())]
    weights = [naive.probability(network, whole) for whole in fitting]
    return [(whole, w / sum(weights)) for whole, w in zip(fitting, weights, strict=True)], sum(weights)


def expected_by_listing(network, frame):
    counts = {x: np.zeros_like(network.probabilities(x)) for x in network.names}
    value = 0.0
    for row in frame.to_dict("records"):
        found, total = completions(network, row)
        value += math.log(total)
        for whole, share in found:
            for x in network.names:
                at = tuple(network.code(v, whole[v]) for v in (*network.dag.parents(x), x))
                counts[x][at] += share
    return counts, value


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 10**6), st.integers(1, 5), st.sampled_from([0.1, 0.4, 0.8]))
def test_expected_counts_are_sums_over_completions(seed, n, share):
    network = random_network(seed, n)
    frame, data = table_with_gaps(network, 12, share, seed)
    wanted, value = expected_by_listing(network, frame)
    counts, likelihood = expected_counts(network, data)
    assert likelihood == pytest.approx(value, abs=1e-9)
    for x in network.names:
        if len(network.states[x]) > 1:
            assert counts[x] == pytest.approx(wanted[x], abs=1e-9)


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 10**6), st.integers(2, 5), st.sampled_from([0.2, 0.5]))
def test_the_likelihood_never_falls(seed, n, share):
    network = random_network(seed, n)
    _, data = table_with_gaps(network, 40, share, seed)
    steps = list(islice(em_steps(network.dag, data), 12))
    values = [value for _, value in steps]
    assert all(later >= earlier - 1e-9 for earlier, later in pairwise(values))
    for fitted, value in steps[::5]:
        assert fitted.log_prob(data).sum() == pytest.approx(value, abs=1e-8)


@settings(deadline=None, max_examples=10)
@given(st.integers(0, 10**6))
def test_at_the_end_no_parameters_nearby_are_better(seed):
    network = random_network(seed, 3)
    _, data = table_with_gaps(network, 60, 0.3, seed)
    fitted = fit_by_em(network.dag, data)
    best = fitted.log_prob(data).sum()
    rng = np.random.default_rng(seed)
    for _ in range(5):
        tables = {}
        for x in fitted.names:
            table = fitted.probabilities(x)
            mixed = 0.999 * table + 0.001 * rng.dirichlet(np.ones(table.shape[-1]), size=table.shape[:-1])
            tables[x] = mixed / mixed.sum(axis=-1, keepdims=True)
        near = bnml.BayesianNetwork(fitted.dag, fitted.states, tables, fitted.cuts, fitted.reading)
        assert near.log_prob(data).sum() <= best + 1e-5


def test_without_gaps_it_is_maximum_likelihood():
    frame = bnml.example().select(["smoke", "lung", "bronc"])
    dag = bnml.DAG.parse("[smoke][lung|smoke][bronc|smoke]")
    assert bnml.fit(dag, frame, "em") == bnml.fit(dag, frame, "mle")
    assert bnml.fit(dag, frame) == bnml.fit(dag, frame, "snml")


def test_the_default_is_snml_at_the_expected_counts_of_maximum_likelihood():
    frame = pd.DataFrame({"A": ["x", None, "y", "x"], "B": list("uvvu")})
    data, dag = bnml.read(frame, missing="em"), bnml.DAG.parse("[A][B|A]")
    likeliest = bnml.fit(dag, data, "em")
    assert likeliest == bnml.fit(dag, data, "mle")
    assert bnml.fit(dag, data) == bnml.fit(dag, data, "snml")
    counts, _ = expected_counts(likeliest, data)
    for estimator in ("snml", "bpp"):
        network = bnml.fit(dag, data, estimator, 2.0)
        for x in "AB":
            assert network.probabilities(x) == pytest.approx(estimate(counts[x], estimator, 2.0), abs=1e-9)
            assert (network.probabilities(x) > 0.0).all()


def test_threads_make_no_difference():
    network = random_network(3, 5)
    _, data = table_with_gaps(network, 400, 0.3, 1)
    one, two = (expected_counts(network, data, threads=k) for k in (1, 2))
    assert one[1] == two[1]
    assert all(np.array_equal(one[0][x], two[0][x]) for x in network.names)


def test_what_it_begins_with_knows_only_observed_families():
    frame = pd.DataFrame({"A": ["x", "y", None, "x"], "B": ["u", "v", "u", None]})
    network = observed_network(bnml.DAG.parse("[A][B|A]"), bnml.read(frame, missing="em"))
    assert network.cpt("A").iloc[0].tolist() == pytest.approx([2.5 / 4, 1.5 / 4])
    assert network.cpt("B").iloc[0].tolist() == pytest.approx([1.25 / 1.5, 0.25 / 1.5])


def test_a_row_that_is_impossible_to_begin_with():
    frame = pd.DataFrame({"A": ["x", "y", None], "B": ["u", "v", "u"]})
    data = bnml.read(frame, missing="em")
    never = bnml.BayesianNetwork(
        bnml.DAG.parse("[A][B|A]"), {"A": ["x", "y"], "B": ["u", "v"]}, {"A": [1.0, 0.0], "B": [[0.0, 1.0]] * 2}
    )
    with pytest.raises(bnml.BnmlError, match="probability zero"):
        fit_by_em(never.dag, data, never)
