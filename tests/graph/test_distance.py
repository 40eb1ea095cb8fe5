"""Structural Hamming distances."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bnml
from bnml.errors import ArgumentError, GraphError
from bnml.graph import DAG, PDAG, shd

from .naive import marks
from .strategies import dags


def naive_shd(a, b):
    first, second = marks(a), marks(b)
    return sum(first.get(pair) != second.get(pair) for pair in first.keys() | second.keys())


@settings(max_examples=80, deadline=None)
@given(dags(most=6), st.data())
def test_counts_the_pairs_that_differ(a, data):
    pairs = [(x, y) for i, x in enumerate(a.names) for y in a.names[i + 1 :]]
    kept = data.draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []
    b = DAG(sorted(a.names), kept)
    assert shd(a, b) == shd(b, a) == naive_shd(a.cpdag(), b.cpdag())
    assert shd(a, b, of="dag") == shd(b, a, of="dag") == naive_shd(a, b)
    assert shd(a, b.cpdag()) == shd(a, b)
    assert (shd(a, b) == 0) == a.is_equivalent(b)


def test_a_pdag_counts_as_it_is():
    assert shd(PDAG(["A", "B"], [("A", "B")]), PDAG(["A", "B"], [], [("A", "B")])) == 1
    assert shd(PDAG(["A", "B"], [("A", "B")]), PDAG(["A", "B"], [("B", "A")])) == 1


def test_refused():
    a = DAG.parse("[A][B|A][C|B]")
    with pytest.raises(GraphError, match="only the first has 'C'; only the second has 'D', 'E'"):
        shd(a, DAG.parse("[A][B][D][E]"))
    with pytest.raises(ArgumentError, match=r"of must be 'cpdag' or 'dag', got 'cpdags'\. Did you mean 'cpdag'"):
        shd(a, a, of="cpdags")
    with pytest.raises(ArgumentError, match="to_dag"):
        shd(a, a.cpdag(), of="dag")
    with pytest.raises(ArgumentError, match="got str"):
        shd(a, "[A][B][C]")  # type: ignore[arg-type]


def test_networks_and_results_have_graphs():
    first = bnml.learn(bnml.example(), "bic")
    second = bnml.learn(bnml.example(), "aic")
    want = bnml.shd(first.dag, second.dag)
    assert bnml.shd(first, second) == bnml.shd(first.network, second.dag) == want
    tests = bnml.pc(bnml.example())
    assert bnml.shd(tests, first) == bnml.shd(tests.pdag, first.cpdag)
    with pytest.raises(ArgumentError, match="a must be a DAG or PDAG, got str"):
        bnml.shd("[A][B]", first)
