"""Equivalence classes and their canonical members."""

from __future__ import annotations

from collections import defaultdict

import pytest
from hypothesis import given, settings

from bnml.errors import GraphError
from bnml.graph import DAG, PDAG, apply_meek_rules, canonical_extension

from . import naive
from .strategies import dags, pdags


def classes_of(names):
    classes = defaultdict(list)
    for arcs in naive.all_dags(names):
        dag = DAG(names, arcs)
        classes[dag.cpdag()].append(dag)
    return classes


@pytest.mark.parametrize(("n", "n_dags", "n_classes"), [(1, 1, 1), (2, 3, 2), (3, 25, 11), (4, 543, 185)])
def test_all_classes(n, n_dags, n_classes):
    names = list("ABCD"[:n])
    classes = classes_of(names)
    assert sum(map(len, classes.values())) == n_dags
    assert len(classes) == n_classes
    for graph, members in classes.items():
        arcs = [frozenset(member.arcs) for member in members]
        assert set(arcs) == set(naive.equivalence_class(arcs[0])), "all members, and no others, give this CPDAG"
        assert set(graph.directed) == frozenset.intersection(*arcs)
        assert graph.is_cpdag()
        assert graph.to_dag() in members
        assert all(member.is_equivalent(members[0]) for member in members)
        check_canonical(graph, members)


def check_canonical(graph, members):
    """Check that the canonical member owns the smallest topological order of all members."""
    order, best = min(
        ((order, member) for member in members for order in naive.topological_orders(member.names, member.arcs)),
        key=lambda pair: pair[0],
    )
    canonical = canonical_extension(graph)
    assert canonical == best
    assert canonical.reordered(sorted(graph.names)).topological_order() == order


@settings(max_examples=60, deadline=None)
@given(dags(most=6))
def test_larger_classes(dag):
    members = naive.equivalence_class(frozenset(dag.arcs))
    graph = dag.cpdag()
    assert set(graph.directed) == frozenset.intersection(*members)
    assert {frozenset(edge) for edge in graph.undirected} == naive.skeleton(frozenset(dag.arcs)) - {
        frozenset(arc) for arc in graph.directed
    }
    assert graph.is_cpdag()
    if len(dag.names) <= 5:
        check_canonical(graph, [DAG(dag.names, arcs) for arcs in members])


@settings(max_examples=60, deadline=None)
@given(dags(most=8))
def test_the_canonical_member_depends_on_the_class_alone(dag):
    canonical = canonical_extension(dag.cpdag())
    assert canonical.is_equivalent(dag)
    assert canonical.names == dag.names
    assert canonical_extension(dag.reordered(sorted(dag.names)).cpdag()) == canonical
    assert canonical_extension(dag.cpdag().to_dag().cpdag()) == canonical


@settings(max_examples=150, deadline=None)
@given(pdags())
def test_canonical_extension_of_any_pdag(graph):
    """Also with background knowledge: the best member when there is one, an error when there is none."""
    members = naive.extensions(frozenset(graph.directed), frozenset(map(frozenset, graph.undirected)))
    if members:
        check_canonical(graph, [DAG(graph.names, arcs) for arcs in members])
    else:
        with pytest.raises(GraphError):
            canonical_extension(graph)


@settings(max_examples=60, deadline=None)
@given(dags(most=8))
def test_agrees_with_v_structures_and_meek_rules(dag):
    directed = {arc for a, c, b in dag.v_structures() for arc in ((a, c), (b, c))}
    rest = [pair for pair in dag.skeleton() if pair not in directed and pair[::-1] not in directed]
    assert apply_meek_rules(PDAG(dag.names, directed, rest)) == dag.cpdag()
