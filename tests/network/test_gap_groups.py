"""Rows with gaps in which variables were set, against all completions by the truncated product."""

from __future__ import annotations

import math
from itertools import islice, pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bnml
from bnml.counts import counts_of
from bnml.data.gap_rows import rows_split_by_gaps, shares_of_set_values
from bnml.network.completions import completed_table
from bnml.network.em import em_steps, expected_counts
from bnml.network.gap_groups import gap_groups
from tests import interventions
from tests.network import naive
from tests.network.strategies import random_network
from tests.network.test_em import table_with_gaps

pytestmark = pytest.mark.filterwarnings("ignore::bnml.errors.DataWarning")  # constant columns


def experiment(network, n, share, seed):
    """Return rows with gaps and with targets, as a frame and as it is read."""
    frame, _ = table_with_gaps(network, n, share, seed)
    rng = np.random.default_rng(seed)
    chosen = [[x for x in network.names if rng.random() < 0.3] for _ in range(3)]
    frame["set"] = ["; ".join(chosen[k]) for k in rng.integers(0, 3, n)]
    states = {x: list(labels) for x, labels in network.states.items()}
    return frame, bnml.read(frame, states=states, missing="em", interventions="set")


def expected_by_listing(network, frame, data):
    """Return expected counts and the log-likelihood; where a variable was set it has no parents, and is not counted."""
    counts = {x: np.zeros_like(network.probabilities(x)) for x in network.names}
    value = 0.0
    for row in frame.to_dict("records"):
        own = [part.strip() for part in row.pop("set").split(";") if part.strip()]
        shares = {x: shares_of_set_values(data, data.index(x)) for x in own}
        weighed = []
        for whole in naive.rows(network):
            if any(v is not None and whole[x] != v for x, v in row.items()):
                continue
            at = {x: tuple(network.code(v, whole[v]) for v in (*network.dag.parents(x), x)) for x in network.names}
            factors = (shares[x][at[x][-1]] if x in shares else network.probabilities(x)[at[x]] for x in network.names)
            weighed.append((math.prod(factors), at))
        total = sum(weight for weight, _ in weighed)
        missing = any(v is None for v in row.values())
        constant = 0.0 if missing else sum(math.log(shares[x][network.code(x, row[x])]) for x in own)
        value += math.log(total) - constant  # of rows without gaps only what was not set counts
        for weight, at in weighed:
            for x in network.names:
                if x not in own:
                    counts[x][at[x]] += weight / total
    return counts, value


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 10**6), st.integers(1, 4), st.sampled_from([0.1, 0.4, 0.8]))
def test_expected_counts_are_sums_over_completions(seed, n, share):
    network = random_network(seed, n)
    frame, data = experiment(network, 12, share, seed)
    wanted, value = expected_by_listing(network, frame, data)
    found, total = expected_counts(network, data)
    assert total == pytest.approx(value, abs=1e-9)
    for x in network.names:
        if len(network.states[x]) > 1:
            assert found[x] == pytest.approx(wanted[x], abs=1e-9)


@settings(deadline=None, max_examples=20)
@given(st.integers(0, 10**6), st.integers(2, 4))
def test_completed_rows_keep_what_was_set_and_come_to_the_expected_counts(seed, n):
    network = random_network(seed, n)
    frame, data = experiment(network, 40, 0.3, seed)
    completed = completed_table(network, data, 64, seed=seed)
    assert completed.n_rows == 64 * 40
    assert not completed.has_gaps
    assert (completed.targets is None) == (not frame["set"].any())
    wanted, _ = expected_counts(network, data)
    for x in network.names:
        if len(network.states[x]) > 1:
            own = counts_of(completed).for_child(data.index(x))
            assert own.n_rows == 64 * int((~frame["set"].str.split("; ").apply(lambda names, x=x: x in names)).sum())
            table = own.table([data.index(v) for v in (*network.dag.parents(x), x)]) / 64
            assert table == pytest.approx(wanted[x], abs=1.5)


def test_the_likelihood_never_falls():
    network = bnml.fit(bnml.DAG.parse("[v0][v1|v0][v2|v0:v1]"), interventions.read(interventions.random_table(1, n=3)))
    _, data = experiment(network, 80, 0.3, 5)
    assert data.targets is not None
    values = [value for _, value in islice(em_steps(network.dag, data), 12)]
    assert all(later >= before - 1e-9 for before, later in pairwise(values))
    assert values[-1] > values[0]


def test_without_gaps_parameters_are_those_of_the_rows_that_were_not_set():
    frame = interventions.random_table(3, n=3, n_rows=90)
    whole = interventions.read(frame)
    gaps = bnml.read(
        pd.concat([frame, pd.DataFrame({"v0": [None], "v1": [None], "v2": [None], "set": [""]})]).astype(object),
        states=interventions.states_of(frame), missing="em", interventions="set",
    )  # fmt: skip
    dag = bnml.DAG.parse("[v0][v1|v0][v2|v0:v1]")
    one, other = bnml.fit(dag, whole, "mle"), bnml.fit(dag, gaps, "em")  # a row without any value says nothing
    for x in dag.names:
        assert other.probabilities(x) == pytest.approx(one.probabilities(x), abs=1e-6)


def test_groups_are_the_rows_with_gaps_by_what_was_set():
    frame = pd.DataFrame(
        {"a": ["x", None, "x", "y", None], "b": [None, "u", "v", None, None], "set": ["", "b", "b", "b", "a; b"]}
    )
    data = bnml.read(frame, missing="em", interventions="set")
    groups = gap_groups(data, rows_split_by_gaps(data)[1])
    assert [sorted(group.shares) for group in groups] == [[], ["a", "b"], ["b"]]
    assert [group.places.size for group in groups] == [1, 1, 2]
    assert groups[2].shares["b"].tolist() == [0.5, 0.5]
    assert groups[1].shares["a"].tolist() == [0.5, 0.5]  # it is not known to what it was set
    assert len(gap_groups(data.select(["a", "b"]), rows_split_by_gaps(data)[1])) == 3
