"""Filled gaps: the most probable values of each row together, or draws from their joint distribution."""

from __future__ import annotations

from itertools import product

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


def test_other_sources_keep_their_columns_too(tmp_path):
    frame = pd.DataFrame({"id": [7, 8, 9], "a": ["x", None, "y"], "size": [0.5, None, 1.5], "b": ["x", "y", None]})
    network = bnml.fit(bnml.DAG.parse("[b][a|b]"), bnml.read(frame, columns=["a", "b"], missing="em"))
    frame.to_parquet(tmp_path / "table.parquet")
    frame.to_csv(tmp_path / "table.csv", index=False)
    expected = network.impute(frame)
    assert list(expected.columns) == list(frame.columns)
    for name in ("table.parquet", "table.csv"):
        for filled in (network.impute(tmp_path / name), *network.impute(tmp_path / name, draws=2)):
            assert list(filled.columns) == list(frame.columns)
            assert [float(v) for v in filled["id"]] == [7, 8, 9]
            assert [None if pd.isna(v) else float(v) for v in filled["size"]] == [0.5, None, 1.5]
        assert network.impute(tmp_path / name)[["a", "b"]].equals(expected[["a", "b"]])


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


@settings(deadline=None, max_examples=20)
@given(st.integers(0, 10**6))
def test_the_state_of_missing_values_is_never_filled_in(seed):
    rng = np.random.default_rng(seed)
    a = rng.integers(0, 2, 60)
    whole = pd.DataFrame({"a": a, "b": (a + (rng.random(60) < 0.2)) % 2, "c": rng.integers(0, 3, 60)})
    frame = whole.replace({0: "x", 1: "y", 2: "z"}).mask(rng.random((60, 3)) < 0.6)
    data = bnml.read(frame, missing="state")
    network = bnml.fit(bnml.DAG.parse("[a][b|a][c|a:b]"), data)
    for source in (frame, data, frame.fillna("?")):
        filled = network.impute(source)
        for row, whole_row in zip(frame.to_dict("records"), filled.to_dict("records"), strict=True):
            there = {x: v for x, v in row.items() if isinstance(v, str)}
            assert all(whole_row[x] == v for x, v in there.items())
            free = [[there[x]] if x in there else [s for s in network.states[x] if s != "?"] for x in network.names]
            others = [dict(zip(network.names, states, strict=True)) for states in product(*free)]
            best = max(naive.probability(network, other) for other in others)
            assert naive.probability(network, whole_row) == pytest.approx(best)
        for table in network.impute(source, draws=2, seed=seed):
            assert not table.isna().any(axis=None)
            assert not (table == "?").any(axis=None)


def test_draws_are_given_that_values_are_not_the_state_of_missing_ones():
    network = bnml.BayesianNetwork(bnml.DAG(["coin"]), {"coin": ["?", "h", "t"]}, {"coin": [0.5, 0.4, 0.1]})
    (table,) = network.impute(pd.DataFrame({"coin": [None] * 4000}), draws=1)
    assert (table["coin"] == "t").mean() == pytest.approx(0.2, abs=0.03)
    certain = bnml.BayesianNetwork(bnml.DAG(["coin"]), {"coin": ["?", "h"]}, {"coin": [1.0, 0.0]})
    alone = bnml.BayesianNetwork(bnml.DAG(["coin"]), {"coin": ["?"]}, {"coin": [1.0]})
    for other in (certain, alone):
        with pytest.raises(bnml.BnmlError, match=r"impute.*no value but '\?'"):
            other.impute(pd.DataFrame({"coin": [None, None]}))


def test_nothing_to_fill():
    network = bnml.BayesianNetwork(bnml.DAG(["coin"]), {"coin": ["h", "t"]}, {"coin": [0.8, 0.2]})
    frame = pd.DataFrame({"coin": ["t", "h"]})
    assert network.impute(frame).equals(frame)
    assert network.impute(frame, draws=2)[1].equals(frame)
