"""Filled gaps: the most probable values of each row together, or draws from their joint distribution."""

from __future__ import annotations

import json
from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bnml
from bnml.errors import DataWarning
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


# --- numbers that were cut into bins ---


@pytest.fixture
def binned() -> tuple[bnml.BayesianNetwork, pd.DataFrame]:
    """Return a network of a number, cut at 0, that decides a label; and its table, in which numbers are missing."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=300).round(2)
    frame = pd.DataFrame({"x": np.where(rng.random(300) < 0.1, np.nan, x), "y": np.where(x > 0, "a", "b")})
    return bnml.fit(bnml.DAG.parse("[x][y|x]"), bnml.read(frame, bins={"x": [0.0]}, missing="em")), frame


def medians(frame: pd.DataFrame) -> dict[str, float]:
    return {"a": round(frame["x"][frame["x"] > 0].median(), 9), "b": round(frame["x"][frame["x"] <= 0].median(), 9)}


def test_numbers_are_filled_with_the_training_median_of_their_bin(binned, tmp_path):
    network, frame = binned
    network.save(tmp_path / "net.json")
    new = frame.head(60).assign(x=lambda table: table["x"] + 0.005)
    gaps = new["x"].isna()
    for own in (network, bnml.load(tmp_path / "net.json")):
        filled = own.impute(new)
        assert filled["x"].dtype == float
        assert filled["x"][~gaps].equals(new["x"][~gaps])
        assert filled["x"][gaps].tolist() == pytest.approx(new["y"][gaps].map(medians(frame)).tolist())
        for table in own.impute(new, draws=2):
            assert set(table["x"][gaps]) <= set(medians(frame).values())
            assert table["x"][~gaps].equals(new["x"][~gaps])


def test_bins_are_filled_in_where_that_is_asked_for_or_the_column_has_them(binned):
    network, frame = binned
    gaps = frame["x"].isna()
    labels = np.where(frame["y"] == "a", ">0", "<=0")
    filled = network.impute(frame, labels=True)["x"]
    assert filled[~gaps].tolist() == frame["x"][~gaps].tolist()
    assert filled[gaps].tolist() == labels[gaps].tolist()
    of_bins = frame.assign(x=np.where(gaps, None, labels))
    for source in (of_bins, bnml.read(frame, bins={"x": [0.0]}, missing="em")):
        assert network.impute(source)["x"].tolist() == labels.tolist()
    mixed = network.impute(frame, labels=True)
    again = gaps & (gaps.cumsum() % 2 == 0)
    filled = network.impute(mixed.assign(x=mixed["x"].mask(again)))["x"]
    assert filled[again].tolist() == frame["y"][again].map(medians(frame)).tolist()
    assert filled[~again].tolist() == mixed["x"][~again].tolist()
    with pytest.raises(bnml.BnmlError, match="labels"):
        network.impute(frame, labels=1)


@pytest.mark.parametrize(
    ("values", "filled", "kind"),
    [
        ([10, 20, None, 40, 41], 40.5, "float64"),
        (pd.array([10, 20, None, 40, 42], dtype="Int64"), 41, "Int64"),
        (pd.array([10, 20, None, 40, 41], dtype="Int64"), 40.5, "float64"),
        ([10, 20, -9, 40, 41], 40.5, "float64"),
        ([10, 20, -9, 40, 42], 41, "int64"),
        (["10", "020", None, "40", "42"], "41", "str"),
        (["10.0", "20.0", "", "40.0", "42.0"], "41.0", "str"),
        (pd.Categorical([10, 20, None, 40, 41]), 40.5, "float64"),
    ],
)
def test_a_median_is_written_as_the_column_is(values, filled, kind):
    frame = pd.DataFrame({"x": values, "y": list("uuvvv")})
    training = frame.drop(index=2).astype({"x": float})
    network = bnml.fit(bnml.DAG.parse("[x][y|x]"), bnml.read(training, bins={"x": [25]}, na_values=[-9], missing="em"))
    result = network.impute(frame)["x"]
    assert (result[2], str(result.dtype)) == (filled, kind)
    assert result.drop(index=2).tolist() == frame["x"].drop(index=2).tolist()


def test_a_network_without_medians_takes_those_of_the_table(binned, tmp_path):
    network, frame = binned
    network.save(tmp_path / "net.json")
    text = (tmp_path / "net.json").read_text()
    head = json.loads(text)
    assert head["reading"].pop("medians")
    (tmp_path / "old.json").write_text(json.dumps(head))
    old = bnml.load(tmp_path / "old.json")
    assert old == network
    new = frame[frame["x"].isna() | (frame["x"] > 1.5)]
    with pytest.warns(DataWarning, match="medians of the bins of 'x'") as caught:
        filled = old.impute(new)
    assert len(caught) == 1
    expected = {"a": round(new["x"].median(), 9), "b": -0.5}  # the middle of a bin without values: as wide as |cut|
    assert filled["x"][new["x"].isna()].tolist() == new["y"][new["x"].isna()].map(expected).tolist()
    assert old.impute(frame, labels=True).equals(network.impute(frame, labels=True))
    assert old.impute(frame.dropna()).equals(frame.dropna())


def test_values_in_files_stay_as_they_are_written(tmp_path):
    text = "id,day,sex,age,n\n007,2020-01-01,F,064,1.0\n1.50,,M,,2.0\n,x,F,31.50,1.0\n08,?,,31,\n"
    (tmp_path / "new.csv").write_text(text)
    training = pd.DataFrame({"sex": ["F", "M", "M"] * 4, "age": [30, 60, 70] * 4, "n": [1, 2, 2] * 4})
    network = bnml.fit(bnml.DAG.parse("[sex][age|sex][n|sex]"), bnml.read(training, bins={"age": [50]}, missing="em"))
    filled = network.impute(tmp_path / "new.csv").fillna("")
    rows = [line.split(",") for line in text.splitlines()]
    assert filled.columns.tolist() == rows[0]
    rows[2][3], rows[4][2], rows[4][4] = "65", "F", "1.0"
    assert filled.to_numpy().tolist() == rows[1:]


def test_codes_are_filled_with_codes(tmp_path):
    (tmp_path / "x.vd").write_text("a\tlow\thigh\nb\t1\t2\t3\n")
    table = pd.DataFrame({"a": [0, 1] * 4, "b": [0, 2] * 4})
    network = bnml.fit(bnml.DAG.parse("[a][b|a]"), bnml.read(table, states=tmp_path / "x.vd", missing="em"))
    new = pd.DataFrame({"a": [0, None, None], "b": [0, 2, 0]})
    assert network.impute(new)["a"].tolist() == [0, 1, 0]
    assert network.impute(new.replace({"a": {0: "low"}, "b": {0: 1, 2: 3}}))["a"].tolist() == ["low", "high", "low"]


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
