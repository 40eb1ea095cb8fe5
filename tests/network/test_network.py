"""The network itself: what it holds and refuses."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings

from bnml.errors import ArgumentError, BnmlError, NetworkError
from bnml.graph import DAG
from bnml.network.network import BayesianNetwork
from tests.network.strategies import networks, random_network

STATES = {"A": ["x", "y"], "B": ["u", "v", "w"]}
TABLES = {"A": [0.25, 0.75], "B": [[0.2, 0.3, 0.5], [0.1, 0.1, 0.8]]}


@pytest.fixture
def small():
    return BayesianNetwork(DAG.parse("[A][B|A]"), STATES, TABLES)


def test_what_it_holds(small):
    assert small.names == ("A", "B")
    assert small.n_parameters == 1 + 2 * 2
    assert dict(small.states) == {"A": ("x", "y"), "B": ("u", "v", "w")}
    assert "2 variables, 1 arcs, 5 parameters" in repr(small)
    assert str(small).endswith("[A][B|A]")


def test_it_cannot_be_changed(small):
    with pytest.raises(AttributeError, match="dag"):
        small.dag = None
    with pytest.raises(ValueError, match="read-only"):
        small.probabilities("A")[0] = 1.0
    with pytest.raises(TypeError):
        small.states["A"] = ()


def test_cpt_with_no_one_and_several_parents():
    dag = DAG.parse("[A][B][C|A:B]")
    states = {"A": [0, 1], "B": ["u", "v", "w"], "C": [False, True]}
    table = np.arange(12.0).reshape(2, 3, 2)
    table /= table.sum(axis=-1, keepdims=True)
    network = BayesianNetwork(dag, states, {"A": [0.5, 0.5], "B": [0.2, 0.3, 0.5], "C": table})
    root = network.cpt("B")
    assert root.shape == (1, 3)
    assert list(root.columns) == ["u", "v", "w"]
    both = network.cpt("C")
    assert isinstance(both.index, pd.MultiIndex)
    assert both.index.names == ["A", "B"]
    assert both.loc[(1, "v"), True] == table[1, 1, 1]
    one = BayesianNetwork(DAG.parse("[A][B|A]"), STATES, TABLES).cpt("B")
    assert not isinstance(one.index, pd.MultiIndex)
    assert one.loc["y", "w"] == 0.8


@pytest.mark.parametrize(
    ("states", "tables", "message"),
    [
        ({"A": ["x", "y"]}, TABLES, "'B'"),
        (STATES, {"A": [0.25, 0.75]}, "'B'"),
        (STATES, {**TABLES, "A": [0.5, 0.6]}, "'A' is not a distribution"),
        (STATES, {**TABLES, "A": [-0.5, 1.5]}, "'A'"),
        (STATES, {**TABLES, "A": [float("nan"), 1]}, "'A'"),
        (STATES, {**TABLES, "B": [[0.2, 0.3, 0.5], [0.1, 0.1, 0.1]]}, "'B' at A=y"),
        (STATES, {**TABLES, "B": [0.2, 0.3, 0.5]}, r"shape \(3,\)"),
        ({**STATES, "A": ["x", "x"]}, TABLES, "'A'"),
        ({**STATES, "A": []}, TABLES, "'A'"),
        ({**STATES, "A": "xy"}, TABLES, "'A' must be a list"),
        ({**STATES, "A": 2}, TABLES, "'A' must be a list"),
        (["x", "y"], TABLES, "states=.*mapping"),
        (STATES, [[0.5, 0.5]], "tables=.*mapping"),
        (STATES, {**TABLES, "A": None}, "'A'"),
        (STATES, {**TABLES, "A": ["x", "y"]}, "'A' is not an array"),
        (STATES, {**TABLES, "B": [[0.2, 0.8], [1.0]]}, "'B' is not an array"),
    ],
)
def test_impossible_networks(states, tables, message):
    with pytest.raises(NetworkError, match=message):
        BayesianNetwork(DAG.parse("[A][B|A]"), states, tables)


@pytest.mark.parametrize(
    ("cuts", "message"),
    [
        ({"Z": [1]}, "'Z'"),
        (True, "cuts=True: expected the cuts of each variable"),
        ([1.0], "cuts="),
        ({"A": "abc"}, "'A' must be numbers"),
        ({"A": [1, 2, 3]}, "'A' must increase and separate its 2 bins"),
        ({"B": [5, 1]}, "'B' must increase"),
        ({"A": [float("inf")]}, "'A' must increase"),
    ],
)
def test_impossible_cuts(cuts, message):
    with pytest.raises(BnmlError, match=message):
        BayesianNetwork(DAG.parse("[A][B|A]"), STATES, TABLES, cuts)


def test_the_wrong_row_is_named():
    with pytest.raises(NetworkError, match="at A=y"):
        BayesianNetwork(
            DAG.parse("[A][B|A]"), {**STATES, "B": ["u", "v"]}, {"A": [0.5, 0.5], "B": [[0.5, 0.5], [1.5, -0.5]]}
        )


def test_no_graph():
    with pytest.raises(NetworkError, match="expected a DAG"):
        BayesianNetwork("[A][B|A]", STATES, TABLES)


def test_tables_cannot_be_changed_from_outside():
    table = np.array([0.5, 0.5])
    network = BayesianNetwork(DAG(["A"]), {"A": ["x", "y"]}, {"A": table})
    table[0] = 0.9
    assert network.probabilities("A").tolist() == [0.5, 0.5]


def test_rounded_rows_are_normalised():
    network = BayesianNetwork(DAG(["A"]), {"A": ["x", "y", "z"]}, {"A": [0.333, 0.333, 0.333]})
    assert network.probabilities("A").sum() == pytest.approx(1.0, abs=1e-15)


def test_unknown_names_and_states(small):
    for call in (small.cpt, small.probabilities):
        with pytest.raises(ArgumentError, match=r"'b'.*Did you mean 'B'"):
            call("b")
    with pytest.raises(ArgumentError, match="no state 'U'"):
        small.code("B", "U")


@settings(max_examples=20, deadline=None)
@given(networks())
def test_equal_by_value_and_pickled(network):
    again = pickle.loads(pickle.dumps(network))
    assert again == network
    assert hash(again) == hash(network)
    assert network != random_network(1, 6)
    assert network != "a text"


def test_equality_looks_through_the_order_of_parents():
    a = BayesianNetwork(DAG(["A", "B"], [("A", "B")]), STATES, TABLES)
    b = BayesianNetwork(DAG(["B", "A"], [("A", "B")]), STATES, TABLES)
    assert a == b
    other = BayesianNetwork(DAG(["A", "B"], [("A", "B")]), STATES, {**TABLES, "A": [0.5, 0.5]})
    assert a != other


def test_errors_are_bnml_errors():
    assert issubclass(NetworkError, BnmlError)
