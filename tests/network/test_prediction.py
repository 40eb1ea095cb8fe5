"""Predicting one variable from the others."""

from __future__ import annotations

import time

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bnml
from bnml.errors import BnmlError, DataWarning
from tests.network import naive
from tests.network.strategies import networks, random_network


@settings(max_examples=30, deadline=None)
@given(networks(largest=4), st.data())
def test_exact_conditionals_with_gaps(network, data):
    name = data.draw(st.sampled_from(network.names))
    frame = network.sample(12, seed=data.draw(st.integers(0, 1000))).astype(object)
    others = [x for x in network.names if x != name]
    for x in others:
        for i in range(len(frame)):
            if data.draw(st.integers(0, 3)) == 0:
                frame.loc[i, x] = None
    table = network.predict_proba(frame, name)
    assert list(table.columns) == list(network.states[name])
    labels = network.predict(frame, name)
    for i, row in frame.iterrows():
        want = naive.posterior(network, name, {x: row[x] for x in others if not pd.isna(row[x])})
        assert table.loc[i].to_numpy() == pytest.approx(list(want.values()))
        assert labels[i] in network.states[name]
        assert want[labels[i]] == pytest.approx(max(want.values()))


def test_absent_columns_are_summed_out():
    network = random_network(8, 4)
    frame = network.sample(6, seed=1)
    one = network.predict_proba(frame[["V0"]], "V1")
    for i in range(6):
        want = naive.posterior(network, "V1", {"V0": frame.loc[i, "V0"]})
        assert one.loc[i].to_numpy() == pytest.approx(list(want.values()))


def test_thousands_of_observed_children():
    names = ["c", *(f"x{i}" for i in range(4000))]
    frame = pd.DataFrame(np.tile([[0], [1]], (5, len(names))), columns=names)
    network = bnml.fit(bnml.DAG(names, [("c", x) for x in names[1:]]), frame)
    start = time.process_time()
    assert network.predict(frame[:1], "c").tolist() == [0]
    assert time.process_time() - start < 4.0  # a quarter of this where nothing else runs


def test_types_and_errors():
    network = random_network(8, 3)
    frame = network.sample(4, seed=1)
    assert network.predict(frame, "V0").shape == (4,)
    with pytest.raises(BnmlError, match="'V7'"):
        network.predict(frame, "V7")
    with pytest.raises(BnmlError, match="'V7'"):
        network.predict_proba(frame, "V7")


# --- rows that cannot be answered ---


@pytest.fixture
def certain() -> bnml.BayesianNetwork:
    """Return a network with zeros: b is a or unknown, and c is b."""
    frame = pd.DataFrame({"a": list("xxyy"), "b": list("xuyu"), "c": list("xuyu")})
    return bnml.fit(bnml.DAG.parse("[a][b|a][c|b]"), frame, "mle")


def answers(network, source, name):
    """Return labels, probabilities and the warning, which is the only one of each call."""
    with pytest.warns(DataWarning) as of_labels:
        labels = network.predict(source, name)
    with pytest.warns(DataWarning) as of_probabilities:
        table = network.predict_proba(source, name)
    assert [str(w.message) for w in of_labels] == [str(w.message) for w in of_probabilities]
    assert {w.filename for w in (*of_labels, *of_probabilities)} == {__file__}
    (warning,) = of_labels
    return labels, table, str(warning.message)


def test_rows_that_cannot_be_answered_are_left_out_and_counted(certain):
    rows = [("x", "x"), ("x", "y"), ("x", None), ("z", "x"), (None, "u"), ("y", "x"), (None, "w")]
    frame = pd.DataFrame(rows, columns=["a", "c"], index=list("ABCDEFG"))
    labels, table, message = answers(certain, frame, "b")
    assert labels.tolist()[:2] + labels.tolist()[3:] == ["x", None, None, "u", None, None]
    assert labels[2] in ("u", "x")
    assert table.index[table.isna().all(axis=1)].tolist() == ["B", "D", "F", "G"]
    answered = [0, 2, 4]
    assert table.iloc[answered].equals(certain.predict_proba(frame.iloc[answered], "b"))
    assert labels[answered].tolist() == certain.predict(frame.iloc[answered], "b").tolist()
    assert "4 of 7 rows" in message
    for part in ("row 2: 'a=x', 'c=y' has probability zero", "row 4: column 'a' holds 'z'", "row 6: ", "1 more row"):
        assert part in message


def test_rows_with_missing_values_can_be_impossible_too(certain):
    labels, table, message = answers(certain, pd.DataFrame({"a": ["x", "x"], "c": ["y", "x"]}), "b")
    assert (labels.tolist(), table.isna().all(axis=1).tolist()) == ([None, "x"], [True, False])
    network = bnml.fit(
        bnml.DAG.parse("[a][b|a][c|b][d|c]"), pd.DataFrame({x: list("xxyy") for x in "abcd"}), "mle"
    )  # c is missing, and b of a and d
    labels, _, message = answers(network, pd.DataFrame({"a": ["x", "x"], "d": ["y", "x"]}), "b")
    assert labels.tolist() == [None, "x"]
    assert "1 of 2 rows (row 1: 'a=x', 'd=y' has probability zero" in message


def test_no_row_can_be_answered(certain):
    labels, table, message = answers(certain, pd.DataFrame({"a": ["strange"]}), "b")
    assert (labels.tolist(), table.isna().all(axis=None)) == ([None], True)
    assert "1 of 1 row (row 1: column 'a' holds 'strange', which is not one of its states 'x', 'y')" in message


def test_a_word_among_numbers_spoils_its_own_row():
    frame = pd.DataFrame({"age": [20, 30, 40, 70, 80, 90] * 5, "ill": ["no"] * 15 + ["yes"] * 15})
    frame["ill"] = np.where(frame["age"] > 50, "yes", "no")
    network = bnml.fit(bnml.DAG.parse("[age][ill|age]"), bnml.read(frame, bins={"age": [50]}), "mle")
    new = pd.DataFrame({"age": ["21", "unknown", "<=50", "85.5", None]})
    labels, _, message = answers(network, new, "ill")
    assert labels.tolist()[:4] == ["no", None, "no", "yes"]
    assert labels[4] in ("no", "yes")
    assert "1 of 5 rows (row 2: column 'age' holds 'unknown'" in message
    with pytest.raises(BnmlError, match="'age' holds 'unknown'"):
        network.log_prob(new.assign(ill="no"))


def test_an_unseen_code_spoils_its_own_row(tmp_path):
    (tmp_path / "x.vd").write_text("a\tlow\thigh\nb\t1\t2\t3\n")
    table = pd.DataFrame({"a": [0, 1, 0, 1], "b": [0, 1, 2, 1]})
    network = bnml.fit(bnml.DAG.parse("[a][b|a]"), bnml.read(table, states=tmp_path / "x.vd"))
    labels, _, message = answers(network, pd.DataFrame({"b": [1, 7, 2]}), "a")
    assert labels.tolist() == [*network.predict(table[["b"]], "a")[[1]], None, *network.predict(table[["b"]], "a")[[2]]]
    assert "row 2: column 'b' holds 7" in message


def test_labels_that_only_another_table_has(certain):
    """Of a table that was read on its own, with more states than the network."""
    data = bnml.read(pd.DataFrame({"a": list("xyz"), "b": list("xyu")}))
    labels, _, message = answers(certain, data, "c")
    assert labels.tolist() == ["x", "y", None]
    assert "row 3: column 'a' holds 'z'" in message


def test_integer_labels_come_back_as_integers():
    rng = np.random.default_rng(0)
    x = rng.integers(0, 2, 200)
    data = bnml.read(np.stack([x, x ^ (rng.random(200) < 0.05)], axis=1))
    network = bnml.fit(bnml.DAG.parse("[X0][X1|X0]"), data)
    predicted = network.predict(np.stack([x, x], axis=1), "X1")
    assert predicted.dtype.kind == "i"
    assert (predicted == x).all()
