"""The DAGs that a PDAG stands for, one by one."""

from __future__ import annotations

from itertools import combinations, islice, pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bnml.errors import GraphError
from bnml.graph import DAG, PDAG, apply_meek_rules
from bnml.graph.orientations import begun_orientation, directed_in_all_ways, undirected_parts

from . import naive
from .strategies import dags, pdags


def naive_members(graph):
    return naive.extensions(frozenset(graph.directed), frozenset(map(frozenset, graph.undirected)))


@settings(max_examples=200, deadline=None)
@given(pdags())
def test_each_member_comes_once(graph):
    found = [frozenset(dag.arcs) for dag in graph.members()]
    want = naive_members(graph)
    assert len(found) == len(set(found)) == len(want) == graph.count_members()
    assert set(found) == set(want)
    assert all(dag.names == graph.names for dag in graph.members())


@settings(max_examples=100, deadline=None)
@given(dags(most=6), st.data())
def test_classes_with_and_without_background_knowledge(dag, data):
    graph = dag.cpdag()
    members = list(graph.members())
    assert dag in members
    assert len(members) == len(set(members)) == graph.count_members()
    assert all(member.is_equivalent(dag) for member in members)
    assert len(members) == len(naive.equivalence_class(frozenset(dag.arcs)))
    known = [arc for arc in dag.arcs if data.draw(st.booleans())]
    told = apply_meek_rules(graph, known)
    want = {member for member in members if set(known) <= set(member.arcs)}
    assert set(told.members()) == want
    assert told.count_members() == len(want)
    raw = PDAG(dag.names, {*graph.directed, *known}, {*graph.undirected} - _either_way(known))
    assert list(raw.members()) == list(told.members()), "what follows need not be said"


def _either_way(arcs):
    return {*arcs, *((b, a) for a, b in arcs)}


def test_in_a_fixed_order():
    triangle = DAG.parse("[A][B|A][C|A:B]").cpdag()
    assert [str(dag) for dag in triangle.members()] == [
        "[A][B|A][C|A:B]",
        "[A][C|A][B|A:C]",
        "[C][A|C][B|A:C]",
        "[B][A|B][C|A:B]",
        "[B][C|B][A|B:C]",
        "[C][B|C][A|B:C]",
    ]
    turned = triangle.reordered(["C", "B", "A"])
    assert str(next(turned.members())) == "[C][B|C][A|C:B]"


def test_none():
    square = [("A", "B"), ("B", "C"), ("C", "D"), ("D", "A")]
    collider = PDAG(list("ABC"), [("A", "B"), ("C", "B")], [("A", "C")])
    assert [str(dag) for dag in collider.members()] == ["[A][C|A][B|A:C]", "[C][A|C][B|A:C]"]
    for graph in (PDAG(list("ABCD"), [], square), PDAG(list("ABCD"), square)):
        assert list(graph.members()) == naive_members(graph) == []
        assert graph.count_members() == 0
    assert list(PDAG(["A"]).members()) == [DAG(["A"])]


def test_the_first_of_very_many_comes_at_once():
    names = [f"X{i}" for i in range(40)]
    graph = PDAG(names, [], list(combinations(names, 2)))
    first, second, third = islice(graph.members(), 3)
    assert first == DAG(names, list(combinations(names, 2)))
    assert len({first, second, third}) == 3
    names = [f"X{i}" for i in range(2_000)]
    chain = PDAG(names, [], list(pairwise(names)))
    assert next(chain.members()) == DAG(names, list(pairwise(names)))
    assert chain.count_members() == 2_000


def test_several_walks_at_a_time():
    graph = DAG.parse("[A][B|A][C|B][D|A]").cpdag()
    one, other = graph.members(), graph.members()
    pairs = [(next(one), next(other)) for _ in range(4)]
    assert all(a == b for a, b in pairs)
    assert next(one, None) is None


@settings(max_examples=100, deadline=None)
@given(dags(most=7), st.data())
def test_parts_have_the_same_parents_outside(dag, data):
    graph = apply_meek_rules(dag.cpdag(), [arc for arc in dag.arcs if data.draw(st.booleans())])
    work = begun_orientation(graph)
    parts = undirected_parts(work, (1 << len(dag.names)) - 1)
    assert not any(a & b for a, b in combinations(parts, 2)), "no node is in two"
    for part in parts:
        nodes = [i for i in range(len(dag.names)) if part >> i & 1]
        assert len({work.parents[i] & ~part for i in nodes}) == 1


@given(dags(most=5), st.data())
def test_links_are_directed_in_all_ways_that_members_have(dag, data):
    graph = dag.cpdag()
    if graph.undirected and data.draw(st.booleans()):  # what is known, and what follows from it
        known = data.draw(st.sampled_from(graph.undirected))
        graph = apply_meek_rules(graph, background=[known])
    links = [
        (b, a) if data.draw(st.booleans()) else (a, b)
        for a, b in data.draw(st.permutations(graph.undirected))
        if data.draw(st.booleans())
    ]
    pairs = {*links, *((b, a) for a, b in links)}
    wanted = {frozenset(pairs.intersection(member.arcs)) for member in graph.members()}
    found = directed_in_all_ways(graph, links, most=1000)
    assert found is not None
    assert {frozenset(pairs.intersection(one.directed)) for one in found} == wanted
    assert len(found) == len(wanted)
    for one in found:
        assert set(one.to_dag().arcs) >= set(one.directed) >= set(graph.directed)
    assert directed_in_all_ways(graph, links, most=len(wanted)) == found
    assert directed_in_all_ways(graph, links, most=len(wanted) - 1) is None


def test_a_graph_that_contradicts_itself():
    """A ring of four that nothing directs has no DAG."""
    ring = PDAG(list("ABCD"), [], [("A", "B"), ("B", "C"), ("C", "D"), ("D", "A")])
    with pytest.raises(GraphError, match="contradict"):
        directed_in_all_ways(ring, [("A", "B")], most=16)
