"""Filled gaps: the most probable values of each row together, or draws from their joint distribution."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bnml
from bnml.network.imputation import impute
from tests.network import naive
from tests.network.strategies import random_network
from tests.network.test_em import completions, table_with_gaps

pytestmark = pytest.mark.filterwarnings("ignore::bnml.errors.DataWarning")  # constant columns


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 10**6), st.integers(1, 5))
def test_no_other_completion_is_more_probable(seed, n):
    network = random_network(seed, n)
    frame, data = table_with_gaps(network, 12, 0.4, seed)
    for source in (frame, data):
        filled = network.impute(source)
        assert list(filled.columns) == list(frame.columns)
        for row, whole in zip(frame.to_dict("records"), filled.to_dict("records"), strict=True):
            assert all(v is None or whole[x] == v for x, v in row.items())
            best = max(naive.probability(network, other) for other, _ in completions(network, row)[0])
            assert naive.probability(network, whole) == pytest.approx(best)


def test_draws():
    network = random_network(7, 4)
    frame, _ = table_with_gaps(network, 200, 0.4, 3)
    drawn = network.impute(frame, draws=3, seed=5)
    assert len(drawn) == 3
    for table in drawn:
        assert not table.isna().any(axis=None)
        assert (table[frame.notna()] == frame)[frame.notna()].fillna(value=True).all(axis=None)
    assert not drawn[0].equals(drawn[1])
    assert all(a.equals(b) for a, b in zip(drawn, network.impute(frame, draws=3, seed=5), strict=True))
    assert drawn[0].equals(impute(network, frame, 1, 5)[0])


def test_draws_have_the_right_shares():
    network = bnml.BayesianNetwork(bnml.DAG(["coin"]), {"coin": ["h", "t"]}, {"coin": [0.8, 0.2]})
    frame = pd.DataFrame({"coin": [None] * 4000})
    shares = [(table["coin"] == "t").mean() for table in network.impute(frame, draws=2)]
    assert shares == pytest.approx([0.2, 0.2], abs=0.03)


def test_a_frame_keeps_its_index_types_and_other_columns():
    frame = pd.DataFrame(
        {
            "n": pd.array([1, 2, None, 2, 1, 2], dtype="Int64"),
            "f": [0.0, 1.0, 1.0, np.nan, 0.0, 1.0],
            "c": pd.Categorical(["u", "v", "v", "v", None, "v"], categories=["u", "v"]),
            "other": range(6),
        },
        index=list("abcdef"),
    )
    network = bnml.fit(bnml.DAG.parse("[n][f|n][c|n]"), bnml.read(frame, columns=["n", "f", "c"], missing="em"))
    filled = network.impute(frame)
    assert list(filled.index) == list("abcdef")
    assert (filled.dtypes == frame.dtypes).all()
    assert filled.loc["c", "n"] == 2
    assert filled.loc["d", "f"] == 1.0
    assert filled.loc["e", "c"] == "u"
    assert frame.isna().sum().sum() == 3  # the source is as it was


def test_binned_columns_are_given_by_their_bins():
    rng = np.random.default_rng(0)
    x = rng.normal(size=300).round(2)
    frame = pd.DataFrame({"x": np.where(rng.random(300) < 0.1, np.nan, x), "y": np.where(x > 0, "a", "b")})
    data = bnml.read(frame, bins={"x": [0.0]}, missing="em")
    filled = bnml.fit(bnml.DAG.parse("[x][y|x]"), data).impute(frame)
    assert set(filled["x"]) <= set(data.states[0])
    assert (filled["x"] == np.where(frame["y"] == "a", data.states[0][1], data.states[0][0])).all()


def test_log_prob_and_predict_sum_gaps_out():
    network = random_network(5, 4)
    frame, data = table_with_gaps(network, 50, 0.4, 3)
    totals = [np.log(completions(network, row)[1]) for row in frame.to_dict("records")]
    assert network.log_prob(data) == pytest.approx(totals)
    assert network.log_prob(frame) == pytest.approx(totals)
    target = network.names[0]
    assert (network.predict_proba(data, target).to_numpy() == network.predict_proba(frame, target).to_numpy()).all()


def test_wrong_arguments():
    network = bnml.BayesianNetwork(
        bnml.DAG.parse("[a][b|a]"), {"a": ["x", "y"], "b": ["x", "y"]}, {"a": [1.0, 0.0], "b": [[1.0, 0.0], [0.5, 0.5]]}
    )
    frame = pd.DataFrame({"a": ["x", None], "b": ["x", "x"]})
    for draws in (0, -1, 1.5, "m"):
        with pytest.raises(bnml.BnmlError, match="draws"):
            network.impute(frame, draws=draws)
    with pytest.raises(bnml.BnmlError, match="seed"):
        network.impute(frame, draws=2, seed=-1)
    impossible = pd.DataFrame({"a": [None, "x"], "b": ["y", "x"]})
    for draws in (None, 2):
        with pytest.raises(bnml.BnmlError, match=r"impute.*'b=y'.*probability zero"):
            network.impute(impossible, draws=draws)
    with pytest.raises(bnml.BnmlError, match="'b'"):
        network.impute(frame[["a"]])


def test_nothing_to_fill():
    network = bnml.BayesianNetwork(bnml.DAG(["coin"]), {"coin": ["h", "t"]}, {"coin": [0.8, 0.2]})
    frame = pd.DataFrame({"coin": ["t", "h"]})
    assert network.impute(frame).equals(frame)
    assert network.impute(frame, draws=2)[1].equals(frame)
