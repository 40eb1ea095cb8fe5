"""Meek's rules, one by one and together."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bnml.errors import GraphError
from bnml.graph import DAG, PDAG, apply_meek_rules

from . import naive
from .strategies import dags, pdags


def graph(directed, undirected):
    """Make a PDAG from words such as ``"AB CD"``."""
    pairs = [*directed.split(), *undirected.split()]
    names = sorted({name for pair in pairs for name in pair})
    return PDAG(names, [tuple(pair) for pair in directed.split()], [tuple(pair) for pair in undirected.split()])


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (graph("HI", "IJ"), graph("HI IJ", "")),
        (graph("IK KJ", "IJ"), graph("IK KJ IJ", "")),
        (graph("KJ MJ", "IK IM IJ"), graph("KJ MJ IJ", "IK IM")),
        (graph("KM MJ", "IK IJ IM"), graph("KM MJ IJ", "IK IM")),
    ],
    ids=["R1", "R2", "R3", "R4"],
)
def test_each_rule(before, after):
    assert apply_meek_rules(before) == after


def test_rule_4_needs_i_and_m_adjacent():
    """Without I - M it is R1 that fires, from M -> J, and in the other direction; no DAG fits."""
    bare = graph("KM MJ", "IK IJ")
    assert ("I", "J") not in apply_meek_rules(bare, strict=False).directed
    with pytest.raises(GraphError, match="contradict"):
        apply_meek_rules(bare)


def as_sets(pdag):
    return frozenset(pdag.directed), frozenset(map(frozenset, pdag.undirected))


@settings(max_examples=300, deadline=None)
@given(pdags(most=6))
def test_closure_agrees_with_the_rules_as_written(pdag):
    expected = naive.meek_closure(*as_sets(pdag))
    if naive.extensions(*as_sets(pdag)):
        assert as_sets(apply_meek_rules(pdag)) == expected
        assert apply_meek_rules(pdag, strict=False) == apply_meek_rules(pdag)
        return
    try:  # with no DAG behind it, a contradiction may show or not; but no rule is left to fire
        closed = as_sets(apply_meek_rules(pdag))
    except GraphError:
        return
    assert naive.meek_closure(*closed) == closed


@settings(max_examples=150, deadline=None)
@given(dags(most=5), st.data())
def test_background_knowledge_is_complete(dag, data):
    """Exactly the arcs shared by all members of the class that have the background arcs."""
    member = data.draw(st.sampled_from(sorted(naive.equivalence_class(frozenset(dag.arcs)), key=sorted)))
    known = data.draw(st.lists(st.sampled_from(sorted(member)), max_size=4)) if member else []
    result = apply_meek_rules(dag.cpdag(), background=known)
    fitting = [arcs for arcs in naive.equivalence_class(member) if set(known) <= arcs]
    assert set(result.directed) == frozenset.intersection(*fitting)
    assert {frozenset(pair) for pair in result.skeleton()} == naive.skeleton(member)


@settings(max_examples=100, deadline=None)
@given(dags(most=5), st.data())
def test_background_knowledge_contradicts_exactly_when_no_member_has_it(dag, data):
    edges = [tuple(data.draw(st.permutations(pair))) for pair in dag.skeleton()]
    known = data.draw(st.lists(st.sampled_from(edges), max_size=3)) if edges else []
    fitting = [arcs for arcs in naive.equivalence_class(frozenset(dag.arcs)) if set(known) <= arcs]
    if fitting:
        assert set(known) <= set(apply_meek_rules(dag.cpdag(), background=known).directed)
    else:
        with pytest.raises(GraphError, match="contradicts"):
            apply_meek_rules(dag.cpdag(), background=known)


def test_background_errors():
    chain = DAG.parse("[A][B|A][C|B]").cpdag()
    with pytest.raises(GraphError, match="C -> B contradicts the graph: B -> C is there, or follows"):
        apply_meek_rules(chain, background=[("A", "B"), ("C", "B")])
    with pytest.raises(GraphError, match="A -> C is not an edge"):
        apply_meek_rules(chain, background=[("A", "C")])
    with pytest.raises(GraphError, match="background name 'Z'"):
        apply_meek_rules(chain, background=[("A", "Z")])


def test_contradictory_graphs():
    forced_both_ways = graph("HI KJ", "IJ")
    with pytest.raises(GraphError, match=r"I - J must become I -> J by Meek's rule 1 and J -> I by rule 1"):
        apply_meek_rules(forced_both_ways)
    assert apply_meek_rules(forced_both_ways, strict=False) == forced_both_ways
    round_and_round = graph("AB", "BC CD DA")
    with pytest.raises(GraphError, match="cycle A -> B -> C -> D -> A"):
        apply_meek_rules(round_and_round)
