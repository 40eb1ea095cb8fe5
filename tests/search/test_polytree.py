"""Polytrees: what can be found of a polytree that made the data, what is left open, and constraints."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import bnml
from bnml import DAG
from bnml.counts import counts_of
from bnml.errors import BnmlError
from bnml.graph import Constraints
from bnml.independence import independence_test
from bnml.search import polytree
from bnml.search.polytree import _Directions, _p_values
from tests.counts.strategies import data_of
from tests.search.strategies import constraints, tables


def rows_from(dag, n=4000, seed=0):
    """Draw rows: a variable is the maximum of its parents, or noise."""
    rng = np.random.default_rng(seed)
    values = {}
    for name in dag.topological_order():
        above = [values[p] for p in dag.parents(name)]
        noise = rng.random(n) < (0.15 if above else 1.0)
        values[name] = np.where(noise, rng.integers(0, 2, n), np.max(above, axis=0) if above else 0)
    return bnml.read(np.stack([values[name] for name in dag.names], axis=1)), dag


MODELS = [
    "[X0][X1][X2|X0:X1][X3|X2]",
    "[X0][X1|X0][X2|X1][X3|X2]",
    "[X0][X1|X0][X2|X0][X3|X0]",
    "[X0][X1][X2][X3|X0:X1:X2][X4|X3]",
    "[X0][X1|X0][X3][X2|X1:X3][X4|X2][X5|X4]",
    "[X0][X1][X2|X0:X1][X3][X4|X2:X3][X5|X0]",
    "[X0][X1|X0][X2][X3|X2]",
    "[X0][X1][X2]",
]


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("seed", [1, 2])
def test_the_class_of_the_polytree_that_made_the_data(model, seed):
    data, dag = rows_from(DAG.parse(model).reordered(sorted(DAG.parse(model).names)), seed=seed)
    result = polytree(data, alpha=0.001)
    assert result.cpdag == dag.cpdag()
    assert set(result.info["undirected"]) == set(dag.cpdag().undirected)


@settings(max_examples=60, deadline=None)
@given(data=tables(columns=6), alpha=st.sampled_from([0.001, 0.05, 0.5]), random=st.randoms(use_true_random=False))
def test_what_holds_of_every_result(data, alpha, random):
    result = polytree(data, alpha=alpha)
    graph = result.dag.to_networkx().to_undirected()
    assert nx.is_forest(graph)
    p = p_values(data)
    assert all(p[frozenset(arc)] <= alpha for arc in result.dag.arcs)
    for a, _, b in result.dag.v_structures():
        assert p[frozenset((a, b))] > alpha, "parents of a variable are independent of each other"
    open_links = {frozenset(link) for link in result.info["undirected"]}
    assert open_links == {frozenset(link) for link in result.cpdag.undirected}
    left_out = [pair for pair in p if pair not in map(frozenset, graph.edges) and p[pair] <= alpha]
    assert all(nx.has_path(graph, *pair) for pair in left_out), "significant links are left out only in cycles"
    shuffled = data.select(random.sample(data.names, len(data.names)))
    assert polytree(shuffled, alpha=alpha, threads=2).dag == result.dag


def p_values(data):
    """Return the p-values of the G² tests of all pairs: by scipy, of sparse ones as one question asks for them."""
    found = {}
    for j, b in enumerate(data.names):
        for i, a in enumerate(data.names[:j]):
            table = bnml.counts.contingency(data, [i, j])
            table = table[table.any(axis=1)][:, table.any(axis=0)]
            if min(table.shape) == 1:
                p = 1.0
            elif 5 * table.size > data.n_rows:
                p = independence_test(data, a, b).p_value
                p = p if p > 1 / 2000 else 0.0  # dependent at every level
            else:
                p = stats.chi2_contingency(table, correction=False, lambda_="log-likelihood").pvalue
            found[frozenset((a, b))] = p
    return found


@settings(max_examples=30, deadline=None)
@given(tables(columns=4))
def test_p_values(data):
    from bnml.counts.pair_information import pair_information

    columns = range(len(data.names))
    found = _p_values(counts_of(data), columns, pair_information(data, columns))
    for pair, want in p_values(data).items():
        a, b = sorted(data.names.index(name) for name in pair)
        assert found[a, b] == pytest.approx(want, rel=1e-6, abs=1e-12)


@settings(max_examples=80, deadline=None)
@given(data=tables(columns=5), drawn=st.data())
def test_constraints(data, drawn):
    """They are kept, unless those that are required close a cycle."""
    known = drawn.draw(constraints(data.names))
    required = nx.Graph([*known.required, *known.required_links])
    if not (required.number_of_edges() == 0 or nx.is_forest(required)):
        with pytest.raises(BnmlError, match="close a cycle"):
            polytree(data, constraints=known)
        return
    result = polytree(data, constraints=known)
    assert known.allows(result.dag)
    assert nx.is_forest(result.dag.to_networkx().to_undirected())
    may = known.compiled(data.names).may
    for a, b in result.info["undirected"]:
        i, j = data.names.index(a), data.names.index(b)
        assert may[i] >> j & 1, "what is left open can be directed either way"
        assert may[j] >> i & 1


def test_what_constraints_direct_spreads():
    data, _ = rows_from(DAG.parse("[X0][X1|X0][X2|X1][X3|X2]"))
    assert len(polytree(data).info["undirected"]) == 3
    result = polytree(data, constraints=Constraints(required=[("X2", "X1")]))
    assert ("X1", "X0") in result.dag.arcs
    assert result.info["undirected"] == (("X2", "X3"),)
    known = Constraints(forbidden=[("X1", "X0")], forbidden_links=[("X1", "X2")])
    result = polytree(data, constraints=known)
    assert ("X0", "X1") in result.dag.arcs
    assert ("X1", "X2") not in result.dag.skeleton()
    required = Constraints(required_links=[("X0", "X3")])
    independent = np.random.default_rng(0).integers(0, 2, (500, 4))
    assert polytree(independent, constraints=required).dag.arcs == (("X0", "X3"),)


def test_tests_that_contradict_each_other():
    """Of the neighbours of c, a and b are independent, and so are b and d, but not a and d: d is no parent."""
    p = np.ones((4, 4))
    a, b, c, d = range(4)
    p[a, d] = p[d, a] = 0.0
    free = [{c}, {c}, {a, b, d}, {c}]
    work = _Directions(free, p, 0.05)
    work.begin([(a, c), (b, c)])
    assert work.parents == [set(), set(), {a, b}, {c}]
    assert not any(free)


def test_what_the_result_says():
    seen = []
    data = bnml.example()
    result = bnml.learn(data, "bic", search="polytree", alpha=0.01, progress=lambda stage, share: seen.append(share))
    assert (result.search, result.optimal, result.score_name) == ("polytree", False, "bic")
    assert (result.info["pairs"], result.info["families"], result.info["alpha"]) == (28, 8 * 8, 0.01)
    assert result.info["moves"] == len(result.dag.arcs)
    assert result.score == pytest.approx(bnml.score(result.dag, data, "bic"))
    assert result == polytree(data, "bic", alpha=0.01)
    assert seen == sorted(seen)
    assert seen[-1] == 1.0


def test_states_that_do_not_occur():
    """They say nothing, so they count no degrees of freedom."""
    from tests import naive

    rows = np.random.default_rng(2).integers(0, 2, (60, 3))
    rows[:, 1] = np.where(np.arange(60) % 4 == 0, rows[:, 1], rows[:, 0])
    few = data_of(naive.table_of(rows.tolist(), [2, 2, 2]))
    many = data_of(naive.table_of(rows.tolist(), [9, 9, 9]))
    assert polytree(few).dag == polytree(many).dag


def test_wrong_arguments():
    data = bnml.example()
    for arguments, message in (
        ({"alpha": 0.0}, "alpha=0.0"),
        ({"alpha": 1}, "alpha=1"),
        ({"alpha": "0.05"}, "alpha='0.05'"),
        ({"alpha": float("nan")}, "alpha=nan"),
        ({"max_parents": 2}, "search='polytree' cannot take it into account"),
        ({"time_limit": 1e-9}, "time_limit"),
    ):
        with pytest.raises(BnmlError, match=message):
            bnml.learn(data, search="polytree", **arguments)
