"""The structural intervention distance, against the effects of interventions themselves."""

from __future__ import annotations

from itertools import combinations, permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bnml
from bnml.errors import ArgumentError, GraphError
from bnml.graph import DAG, PDAG, apply_meek_rules, orientations, sid, sid_bounds

from . import naive
from .strategies import dags, pdags


class RandomNetwork:
    """Binary variables with random tables along a DAG, and their joint distribution: one axis for each variable."""

    def __init__(self, dag, rng):
        self.names, self.factors = dag.names, {}
        for x in dag.names:
            axes = [i for i, name in enumerate(dag.names) if name in (x, *dag.parents(x))]
            table = rng.uniform(0.1, 0.9, size=2 ** (len(axes) - 1))
            whole = np.stack([table, 1 - table], axis=-1).reshape((2,) * len(axes))
            whole = np.moveaxis(whole, -1, axes.index(dag.names.index(x)))
            self.factors[x] = whole.reshape([2 if i in axes else 1 for i in range(len(dag.names))])

    def joint(self, without=()):
        product = np.ones((2,) * len(self.names))
        for x, factor in self.factors.items():
            if x not in without:
                product = product * factor
        return product

    def _marginal(self, table, *names):
        axes = [self.names.index(name) for name in names]
        kept = table.sum(axis=tuple(i for i in range(len(self.names)) if i not in axes))
        return np.transpose(kept, np.argsort(np.argsort(axes)))

    def effect(self, x, y):
        """p(y | do(x)) by the truncated factorisation, a row for each value of x."""
        return self._marginal(self.joint(without=[x]), x, y)

    def adjusted(self, x, y, parents):
        """Return what follows for it if some variables are taken for the parents of x."""
        joint = self.joint()
        if y in parents:
            return np.stack([self._marginal(joint, y)] * 2)
        with_y = self._marginal(joint, *parents, x, y)
        given_x = with_y / with_y.sum(axis=-1, keepdims=True)
        weight = with_y.sum(axis=(-1, -2), keepdims=True)
        return (given_x * weight).reshape(-1, 2, 2).sum(axis=0)


def naive_sid(truth, learned, rng):
    network = RandomNetwork(truth, rng)
    assert network.joint().sum() == pytest.approx(1)
    wrong = 0
    for x, y in permutations(truth.names, 2):
        error = np.abs(network.effect(x, y) - network.adjusted(x, y, learned.parents(x))).max()
        assert not 1e-13 < error < 1e-9, "neither rounding nor an error"
        wrong += error > 1e-11
    return wrong


def random_dag(rng, names):
    order = rng.permutation(names)
    density = rng.uniform(0.1, 1)
    return DAG(names, [(str(a), str(b)) for a, b in combinations(order, 2) if rng.random() < density])


def test_counts_the_effects_that_are_wrong():
    rng = np.random.default_rng(20150301)
    seen = set()
    for k in range(200):
        names = list("ABCDEF"[: 2 + k % 5])
        truth, learned = random_dag(rng, names), random_dag(rng, names)
        found = sid(truth, learned)
        assert found == naive_sid(truth, learned, rng), (str(truth), str(learned))
        seen.add(found)
    assert seen >= set(range(15))


def test_every_pair_of_three_nodes():
    rng = np.random.default_rng(3)
    graphs = [DAG(list("ABC"), sorted(arcs)) for arcs in naive.all_dags("ABC")]
    assert len(graphs) == 25
    for truth in graphs:
        for learned in graphs:
            assert sid(truth, learned) == naive_sid(truth, learned, rng), (str(truth), str(learned))


def test_examples_of_the_paper():
    """Peters and Bühlmann 2015, example 1: X1, X2 are the causes of all Y; an arc too many costs nothing."""
    effects = [f"Y{i}" for i in (1, 2, 3)]
    down = [(x, y) for x in ("X1", "X2") for y in effects]
    truth = DAG(["X1", "X2", *effects], [*down, ("X1", "X2")])
    more = truth.with_arcs([("Y1", "Y2")])
    turned = truth.reverse(("X1", "X2"))
    assert (bnml.shd(truth, more, of="dag"), sid(truth, more)) == (1, 0)
    assert (bnml.shd(truth, turned, of="dag"), sid(truth, turned)) == (1, 8)


@settings(max_examples=100, deadline=None)
@given(dags(most=6))
def test_nothing_is_wrong_with_the_truth(dag):
    names = sorted(dag.names)
    assert sid(dag, dag.reordered(names)) == 0
    order = dag.topological_order()
    assert sid(dag, DAG(names, list(combinations(order, 2)))) == 0, "all that come before are enough"
    empty = sid(dag, DAG(names))
    connected = [(x, y) for x, y in permutations(names, 2) if not dag.d_separated(x, y)]
    below = [(x, y) for x, y in connected if y in dag.descendants(x)]
    assert len(connected) - len(below) <= empty <= len(connected)


@settings(max_examples=100, deadline=None)
@given(dags(most=6), st.data())
def test_bounds_are_those_of_the_members(truth, data):
    arcs = data.draw(st.lists(st.sampled_from(list(combinations(truth.names, 2)) or [()]), unique=True).map(set))
    learned = DAG(truth.names, [arc for arc in arcs if arc])
    distances = [sid(truth, member) for member in learned.cpdag().members()]
    assert sid_bounds(truth, learned) == sid_bounds(truth, learned.cpdag()) == (min(distances), max(distances))
    assert sid(truth, learned) in distances
    known = [arc for arc in learned.arcs if data.draw(st.booleans())]
    told = apply_meek_rules(learned.cpdag(), known)
    distances = [sid(truth, member) for member in told.members()]
    assert sid_bounds(truth, told) == (min(distances), max(distances))


@settings(max_examples=60, deadline=None)
@given(pdags(), st.data())
def test_bounds_for_any_pdag(graph, data):
    order = data.draw(st.permutations(graph.names))
    truth = DAG(graph.names, [arc for arc in combinations(order, 2) if data.draw(st.booleans())])
    distances = [sid(truth, member) for member in graph.members()]
    if distances:
        assert sid_bounds(truth, graph) == (min(distances), max(distances))
    else:
        with pytest.raises(GraphError, match="no consistent extension"):
            sid_bounds(truth, graph)


def complete(n):
    names = [f"X{i}" for i in range(n)]
    return DAG(names, list(combinations(names, 2)))


def test_bounds_of_a_complete_graph():
    """Every order is a member: the best has the true one, and the worst its reverse."""
    truth = complete(7)
    assert sid_bounds(truth, truth) == (0, 7 * 6)


def test_too_many_members(monkeypatch):
    monkeypatch.setattr(orientations, "MOST_STEPS", 1000)
    with pytest.raises(GraphError, match=r"variables, X\d+ among them, are joined .* in too many ways"):
        sid_bounds(complete(12), complete(12))
    monkeypatch.undo()
    with pytest.raises(GraphError, match="too many ways"):
        sid_bounds(complete(300), complete(300))


def test_two_hundred_variables():
    rng = np.random.default_rng(5)
    names = [f"X{i}" for i in range(200)]
    graphs = []
    for _ in range(2):
        order = rng.permutation(names)
        pairs = rng.choice([(str(a), str(b)) for a, b in combinations(order, 2)], size=400, replace=False)
        graphs.append(DAG(names, [tuple(map(str, pair)) for pair in pairs]))
    found = sid(*graphs)
    low, high = sid_bounds(*graphs)
    assert 0 < low <= found <= high < 200 * 199


def test_what_has_a_graph():
    result = bnml.learn(bnml.example(), "bic")
    truth = bnml.learn(bnml.example(), "aic").dag
    assert bnml.sid(truth, result) == bnml.sid(truth, result.network) == bnml.sid(truth, result.dag)
    assert bnml.sid_bounds(truth, bnml.pc(bnml.example())) == bnml.sid_bounds(truth, bnml.pc(bnml.example()).pdag)


def test_refused():
    a = DAG.parse("[A][B|A]")
    with pytest.raises(ArgumentError, match=r"learned is a PDAG.* bnml\.sid_bounds"):
        sid(a, a.cpdag())
    with pytest.raises(ArgumentError, match="truth is a PDAG"):
        sid(a.cpdag(), a)
    with pytest.raises(ArgumentError, match="truth is a PDAG"):
        sid_bounds(a.cpdag(), a)
    with pytest.raises(ArgumentError, match="learned must be a DAG or PDAG, got str"):
        sid(a, "[A][B]")
    with pytest.raises(GraphError, match="only the second has 'C'"):
        sid(a, DAG.parse("[A][B][C]"))
    with pytest.raises(GraphError, match="only the first has 'B'"):
        sid_bounds(a, PDAG(["A"]))
