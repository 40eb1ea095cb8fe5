"""Interventional classes against their definition, over all DAGs with few nodes."""

from __future__ import annotations

from collections import defaultdict
from itertools import chain, combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bnml.errors import GraphError
from bnml.graph import DAG, interventional_class

from . import naive
from .strategies import dags


def v_structures(arcs):
    """Return the triples a -> c <- b in which a and b are not adjacent."""
    adjacent = naive.skeleton(arcs)
    into = defaultdict(set)
    for a, b in arcs:
        into[b].add(a)
    return frozenset(
        (frozenset(pair), c)
        for c, above in into.items()
        for pair in combinations(sorted(above), 2)
        if frozenset(pair) not in adjacent
    )


def signature(arcs, target_sets):
    """Return what the members of a class share, by the definition: skeletons with arcs into targets cut."""
    cut = tuple(naive.skeleton(frozenset(arc for arc in arcs if arc[1] not in own)) for own in target_sets)
    return naive.skeleton(arcs), v_structures(arcs), cut


def check(names, every, target_sets):
    classes = defaultdict(list)
    for arcs in every:
        classes[signature(arcs, target_sets)].append(frozenset(arcs))
    for members in classes.values():
        shared = frozenset.intersection(*members)
        links = naive.skeleton(members[0]) - {frozenset(arc) for arc in shared}
        for arcs in members[:: max(1, len(members) // 4)]:
            graph = interventional_class(DAG(names, arcs), target_sets)
            assert set(graph.directed) == shared
            assert {frozenset(link) for link in graph.undirected} == links
            assert len(list(graph.members())) == len(members)
    return len(classes)


@pytest.mark.parametrize("size", [2, 3])
def test_all_families_of_targets(size):
    names = list("ABC"[:size])
    every = [frozenset(arcs) for arcs in naive.all_dags(names)]
    sets = list(chain.from_iterable(combinations(names, k) for k in range(1, size + 1)))
    for chosen in chain.from_iterable(combinations(sets, k) for k in range(4)):
        check(names, every, [(), *chosen])


@pytest.mark.parametrize(
    "target_sets",
    [[()], [(), ("A",)], [(), ("A", "B")], [("A",), ("B",)], [(), ("A", "B"), ("B", "C")], [(), ("D",), ("A", "C")]],
)
def test_four_nodes(target_sets):
    names = list("ABCD")
    number = check(names, [frozenset(arcs) for arcs in naive.all_dags(names)], target_sets)
    assert number == 185 if target_sets == [()] else number > 185


@settings(max_examples=60, deadline=None)
@given(dags(most=6), st.data())
def test_larger_classes(dag, data):
    target_sets = data.draw(st.lists(st.sets(st.sampled_from(dag.names)), max_size=3))
    own = signature(frozenset(dag.arcs), target_sets)
    members = [arcs for arcs in naive.equivalence_class(frozenset(dag.arcs)) if signature(arcs, target_sets) == own]
    graph = interventional_class(dag, target_sets)
    assert set(graph.directed) == frozenset.intersection(*map(frozenset, members))
    assert len(list(graph.members())) == len(members)


def test_unknown_targets_are_refused():
    with pytest.raises(GraphError, match="Z"):
        interventional_class(DAG.parse("[A][B|A]"), [["Z"]])
