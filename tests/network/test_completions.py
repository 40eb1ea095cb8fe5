"""Completed tables: whole where the table is, and by exact probabilities where it is not."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bnml
from bnml.counts import counts_of
from bnml.network.completions import completed_table
from bnml.network.em import expected_counts
from tests.network.strategies import random_network
from tests.network.test_em import table_with_gaps

pytestmark = pytest.mark.filterwarnings("ignore::bnml.errors.DataWarning")  # constant columns


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 10**6), st.integers(1, 5), st.sampled_from([1, 4, 16]), st.sampled_from([0.1, 0.5]))
def test_counts_are_expected_ones_up_to_the_size_of_a_part(seed, n, parts, share):
    network = random_network(seed, n)
    _, data = table_with_gaps(network, 60, share, seed)
    completed = completed_table(network, data, parts, seed=seed)
    assert completed.n_rows == parts * data.n_rows
    assert not completed.has_gaps
    assert completed.states == data.states
    wanted, _ = expected_counts(network, data)
    for x in network.names:
        if len(network.states[x]) > 1:
            table = counts_of(completed).table([data.index(v) for v in (*network.dag.parents(x), x)]) / parts
            spread = 6.0 * np.sqrt(60 / parts) * share + 2.0
            assert np.abs(table - wanted[x]).max() <= spread


def test_rare_values_are_neither_lost_nor_favoured():
    dag = bnml.DAG.parse("[A][B|A]")
    states = {"A": ["no", "yes"], "B": ["u", "v"]}
    network = bnml.BayesianNetwork(dag, states, {"A": [0.99, 0.01], "B": [[0.5, 0.5], [0.5, 0.5]]})
    frame = pd.DataFrame({"A": [None] * 2000 + ["yes"], "B": ["u", "v"] * 1000 + ["u"]})
    data = bnml.read(frame, states=states, missing="em")
    for parts in (4, 16):
        found = counts_of(completed_table(network, data, parts)).table([0]) / parts
        assert found[1] - 1 == pytest.approx(20.0, abs=32 / parts)
    many = pd.DataFrame(
        {"A": [None] * 1000 + ["yes"], "B": ["u", "v"] * 500 + ["u"], "C": [*map(str, range(50))] * 20 + ["0"]}
    )
    wide = bnml.read(many, states=states, missing="em")
    free = bnml.BayesianNetwork(
        bnml.DAG.parse("[A][B|A][C]"), {**states, "C": wide.states[2]},
        {"A": [0.99, 0.01], "B": [[0.5, 0.5], [0.5, 0.5]], "C": np.full(50, 0.02)},
    )  # fmt: skip
    found = counts_of(completed_table(free, wide, 4)).table([0]) / 4
    assert found[1] - 1 == pytest.approx(10.0, abs=2.0)


@settings(deadline=None, max_examples=20)
@given(st.integers(0, 10**6), st.integers(1, 5))
def test_what_was_observed_stays(seed, n):
    network = random_network(seed, n)
    frame, data = table_with_gaps(network, 15, 0.4, seed)
    drawn = completed_table(network, data, 3, seed=seed)
    assert drawn.n_rows == 3 * data.n_rows
    labels = [[drawn.states[i][code] for i, code in enumerate(row)] for row in drawn.codes]
    for row in frame.to_numpy().tolist():
        assert any(all(v is None or v == w for v, w in zip(row, whole, strict=True)) for whole in labels)


def test_the_same_seed_and_any_number_of_threads():
    network = random_network(11, 5)
    _, data = table_with_gaps(network, 300, 0.4, 2)
    tables = [completed_table(network, data, 8, seed=s, threads=k) for s, k in ((0, 1), (0, 2), (1, 1))]
    assert np.array_equal(tables[0].codes, tables[1].codes)
    assert np.array_equal(tables[0].weights, tables[1].weights)
    assert not np.array_equal(tables[0].codes, tables[2].codes) or not np.array_equal(
        tables[0].weights, tables[2].weights
    )


def test_completions_follow_the_joint_distribution():
    """Two values that are missing together stay together: rows are not completed variable by variable."""
    dag = bnml.DAG.parse("[A][B|A]")
    states = {"A": ["x", "y"], "B": ["x", "y"]}
    network = bnml.BayesianNetwork(dag, states, {"A": [0.5, 0.5], "B": [[1.0, 0.0], [0.0, 1.0]]})
    data = bnml.read(pd.DataFrame({"A": [None] * 40 + ["x"], "B": [None] * 40 + ["x"]}), states=states, missing="em")
    table = counts_of(completed_table(network, data, 4)).table([0, 1]) / 4
    assert table[0, 1] == table[1, 0] == 0
    assert 8 < table[1, 1] < 32


def test_many_values_are_missing_and_points_run_out_of_digits():
    """Of a hundred coins no digit of a point is left: each of them still falls on either side as often."""
    names = [f"C{i}" for i in range(100)]
    states = {x: ["h", "t"] for x in names}
    network = bnml.BayesianNetwork(bnml.DAG(names), states, {x: [0.5, 0.5] for x in names})
    frame = pd.DataFrame({x: [None, "h"] for x in names})
    data = bnml.read(frame, states=states, missing="em")
    completed = completed_table(network, data, 64)
    shares = [(counts_of(completed).table([i])[1]) / 64 for i in range(100)]
    assert np.mean(shares) == pytest.approx(0.5, abs=0.05)
    assert 0.15 < min(shares) < max(shares) < 0.85
