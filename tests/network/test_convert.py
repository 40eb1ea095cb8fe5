"""Networks from and to networkx, pyAgrum and pgmpy."""

from __future__ import annotations

import importlib.util
import sys
import warnings

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bnml.data.labels import Reading
from bnml.errors import ArgumentError, BnmlError, DependencyError, GraphError, NetworkError
from bnml.graph import DAG
from bnml.network import convert
from bnml.network.network import BayesianNetwork
from tests.network.test_formats import networks

needs_pyagrum = pytest.mark.skipif(importlib.util.find_spec("pyagrum") is None, reason="pyAgrum is not installed")
needs_pgmpy = pytest.mark.skipif(importlib.util.find_spec("pgmpy") is None, reason="pgmpy is not installed")

plain = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=5)


@pytest.fixture
def odd() -> BayesianNetwork:
    """Return a network with several parents, in no particular order, of different arities."""
    dag = DAG(["d", "a b", "c", "ä"], [("c", "d"), ("ä", "d"), ("a b", "d"), ("ä", "c")])
    states = {"a b": ["<5", "12+", "Asy/Patch"], "c": ["x,y", 'q"'], "ä": ["None", "", "{", "|"], "d": ["0", "1"]}
    rng = np.random.default_rng(0)
    tables = {x: rng.dirichlet(np.ones(len(states[x])), [len(states[p]) for p in dag.parents(x)]) for x in dag.names}
    return BayesianNetwork(dag, states, tables)


def joint(network: BayesianNetwork, codes: dict[str, int]) -> float:
    """Return the probability of a row, given by positions of states."""
    return float(
        np.prod(
            [network.probabilities(x)[tuple(codes[v] for v in (*network.dag.parents(x), x))] for x in network.names]
        )
    )


# --- networkx ---


def test_networkx(odd):
    graph = odd.to_networkx()
    assert isinstance(graph, nx.DiGraph)
    assert list(graph.nodes) == list(odd.names)
    assert BayesianNetwork.from_networkx(graph) == odd
    graph.nodes["c"]["table"][:] = 0.5  # a copy: the network does not change
    assert BayesianNetwork.from_networkx(graph) != odd
    assert BayesianNetwork.from_networkx(odd.to_networkx()) == odd


def test_networkx_keeps_cuts_and_types():
    network = BayesianNetwork(DAG(["a"]), {"a": [1, 2]}, {"a": [0.5, 0.5]}, {"a": [1.5]})
    back = BayesianNetwork.from_networkx(network.to_networkx())
    assert back == network
    assert back.cuts["a"] == (1.5,)


def test_networkx_keeps_how_tables_were_read():
    network = BayesianNetwork(DAG(["a"]), {"a": [1, 2]}, {"a": [0.5, 0.5]}, reading=Reading("drop", ("NA",)))
    assert BayesianNetwork.from_networkx(network.to_networkx()).reading == network.reading


def test_networkx_by_hand():
    graph = nx.DiGraph([("z", "y"), ("a", "y")])
    graph.nodes["z"].update(states=["0", "1", "2"], table=[0.2, 0.3, 0.5])
    graph.nodes["a"].update(states=["0", "1"], table=[0.4, 0.6])
    with pytest.raises(NetworkError, match="'y' has no 'states'"):
        BayesianNetwork.from_networkx(graph)
    rows = [[[0.1, 0.9]] * 2] * 3
    graph.nodes["y"].update(states=["0", "1"], table=rows)
    network = BayesianNetwork.from_networkx(graph)
    assert network.dag.parents("y") == ("z", "a")  # the order of the nodes
    graph.nodes["y"].update(parents=["a", "z"], table=np.moveaxis(np.array(rows), 0, 1))
    assert BayesianNetwork.from_networkx(graph) == network
    for changes in ({"parents": ["a"]}, {"parents": ["a", "a"]}, {"table": [0.5, 0.5]}):
        broken = graph.copy()
        broken.nodes["y"].update(changes)
        with pytest.raises(NetworkError, match="'y'"):
            BayesianNetwork.from_networkx(broken)
    with pytest.raises(GraphError):
        BayesianNetwork.from_networkx(nx.Graph([("a", "b")]))


# --- pyAgrum ---


@needs_pyagrum
def test_pyagrum(odd):
    there = odd.to_pyagrum()
    assert BayesianNetwork.from_pyagrum(there) == odd
    assert BayesianNetwork.from_pyagrum(there).names == odd.names
    for codes in ({"d": 0, "a b": 2, "c": 1, "ä": 3}, {"d": 1, "a b": 0, "c": 1, "ä": 0}):
        labels = {x: odd.states[x][code] for x, code in codes.items()}
        instance = there.completeInstantiation()
        instance.fromdict(labels)
        assert there.jointProbability(instance) == pytest.approx(joint(odd, codes), rel=1e-12)


@needs_pyagrum
@given(networks(plain))
@settings(max_examples=30)
def test_pyagrum_takes_any_label(network):
    if any("\0" in x or any("\ud800" <= c <= "\udfff" for c in x) for x in network.names):
        with pytest.raises(NetworkError, match="pyAgrum cannot hold"):
            network.to_pyagrum()
    else:
        assert BayesianNetwork.from_pyagrum(network.to_pyagrum()) == network


@needs_pyagrum
def test_pyagrum_of_its_own_kinds():
    pyagrum = convert._package("pyagrum")
    network = BayesianNetwork.from_pyagrum(pyagrum.fastBN("a[3]->b{x|y}<-c{1.5:4.5:2}<-a"))
    assert network.states["a"] == ("0", "1", "2")
    assert network.states["b"] == ("x", "y")
    assert set(network.dag.arcs) == {("a", "b"), ("c", "b"), ("a", "c")}
    with pytest.raises(ArgumentError, match=r"expected a pyagrum\.BayesNet"):
        BayesianNetwork.from_pyagrum(3)
    bad = BayesianNetwork(DAG(["a"]), {"a": ["x\0", "y"]}, {"a": [0.5, 0.5]})
    with pytest.raises(NetworkError, match=r"'x\\x00' of the variable 'a'"):
        bad.to_pyagrum()


# --- pgmpy ---


@needs_pgmpy
def test_pgmpy(odd):
    there = odd.to_pgmpy()
    assert there.check_model()
    assert BayesianNetwork.from_pgmpy(there) == odd
    inference = convert._package("pgmpy.inference").VariableElimination(there)
    answer = inference.query(["d"], {"a b": "12+", "ä": ""}, show_progress=False)
    expected = [
        sum(joint(odd, {"d": d, "a b": 1, "ä": 1, "c": c}) for c in range(2)) / odd.probabilities("a b")[1]
        for d in range(2)
    ]
    values = [answer.get_value(d=label) for label in odd.states["d"]]
    assert values == pytest.approx(np.array(expected) / sum(expected), rel=1e-9)


@needs_pgmpy
@given(networks(plain))
@settings(max_examples=20, deadline=None)
def test_pgmpy_takes_any_label(network):
    assert BayesianNetwork.from_pgmpy(network.to_pgmpy()) == network


@needs_pgmpy
def test_pgmpy_by_hand():
    models, factors = convert._package("pgmpy.models"), convert._package("pgmpy.factors.discrete")
    model = models.DiscreteBayesianNetwork([("a", "b")])
    with pytest.raises(NetworkError, match="'a' has no table"):
        BayesianNetwork.from_pgmpy(model)
    first = factors.TabularCPD("a", 2, [[0.3], [0.7]], state_names={"a": ["no", "yes"]})
    turned = factors.TabularCPD(
        "b", 2, [[0.1, 0.2], [0.9, 0.8]], ["a"], [2], state_names={"a": ["yes", "no"], "b": [0, 1]}
    )
    model.add_cpds(first, turned)
    network = BayesianNetwork.from_pgmpy(model)
    assert network.states["b"] == (0, 1)
    assert network.probabilities("b").tolist() == [[0.2, 0.8], [0.1, 0.9]]  # given no, yes
    other = factors.TabularCPD("b", 2, [[0.1, 0.2], [0.9, 0.8]], ["a"], [2])
    model.remove_cpds(turned)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.add_cpds(other)
    with pytest.raises(NetworkError, match="other states for 'a'"):
        BayesianNetwork.from_pgmpy(model)
    with pytest.raises(ArgumentError, match="expected a pgmpy"):
        BayesianNetwork.from_pgmpy(nx.DiGraph())


@pytest.mark.parametrize("package", ["pyagrum", "pgmpy"])
def test_what_is_not_installed_is_named(package, odd, monkeypatch):
    for name in [name for name in sys.modules if name.partition(".")[0] == package]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, package, None)
    for work in (getattr(odd, f"to_{package}"), lambda: getattr(BayesianNetwork, f"from_{package}")(odd)):
        with pytest.raises(DependencyError, match=f"pip install '{package}>=") as caught:
            work()
        assert isinstance(caught.value, BnmlError)
