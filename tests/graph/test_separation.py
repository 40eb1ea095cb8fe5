"""d-separation and minimal separators."""

from __future__ import annotations

from itertools import combinations

import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bnml.errors import ArgumentError
from bnml.graph import DAG, minimal_separator
from bnml.graph.imaps import imap_statements
from bnml.graph.separation import reachable

from . import naive
from .strategies import dags


def test_chain_fork_collider():
    chain, fork, collider = DAG.parse("[A][B|A][C|B]"), DAG.parse("[B][A|B][C|B]"), DAG.parse("[A][C][B|A:C][D|B]")
    for blocked in (chain, fork):
        assert not blocked.d_separated("A", "C")
        assert blocked.d_separated("A", "C", "B")
    assert collider.d_separated("A", "C")
    assert not collider.d_separated("A", "C", ["B"])
    assert not collider.d_separated("A", "C", "D"), "a descendant of the collider opens it too"


@settings(max_examples=60, deadline=None)
@given(dags(most=5))
def test_every_statement_agrees_with_the_definition_and_with_networkx(dag):
    arcs, graph = frozenset(dag.arcs), dag.to_networkx()
    for x, y, known in imap_statements(dag.names):
        answer = dag.d_separated(x, y, known)
        assert answer == dag.d_separated(y, x, known)
        assert answer == naive.d_separated(dag.names, arcs, x, y, known)
        assert answer == nx.is_d_separator(graph, x, y, set(known))


@settings(max_examples=60, deadline=None)
@given(dags(most=8), st.data())
def test_sets_agree_with_networkx(dag, data):
    where = {name: data.draw(st.sampled_from("xyz ")) for name in dag.names}
    x, y, z = ([name for name in dag.names if where[name] == side] for side in "xyz")
    if x and y:
        assert dag.d_separated(x, y, z) == nx.is_d_separator(dag.to_networkx(), set(x), set(y), set(z))
    else:
        assert dag.d_separated(x, y, z), "nothing is independent of anything"


@settings(max_examples=60, deadline=None)
@given(dags(most=6), st.data())
def test_no_trail_runs_through_closed_nodes(dag, data):
    """What is known below a closed node still opens the colliders above it."""
    where = {name: data.draw(st.sampled_from("yz c")) for name in dag.names}
    x = data.draw(st.sampled_from(dag.names))
    known, closed = (frozenset(name for name in dag.names if where[name] == side and name != x) for side in "zc")
    source, fixed, barred = (dag.variables.mask(names) for names in ([x], known, closed))
    found = dag.variables.pick(reachable(dag.parent_masks, dag.child_masks, source, fixed, closed=barred))
    rest = [name for name in dag.names if name not in closed]
    others = [name for name in rest if name != x and name not in known]
    want = {y for y in others if not naive.d_separated(rest, frozenset(dag.arcs), x, y, known)}
    assert set(found) - known - {x} == want
    assert not closed & set(found)


@settings(max_examples=60, deadline=None)
@given(dags(most=6))
def test_minimal_separators(dag):
    adjacent = set(dag.skeleton())
    for x, y in combinations(dag.names, 2):
        found = minimal_separator(dag, x, y)
        if (x, y) in adjacent:
            assert found is None
            continue
        assert found is not None
        assert dag.d_separated(x, y, found)
        smaller = (s for size in range(len(found)) for s in combinations(found, size))
        assert not any(dag.d_separated(x, y, s) for s in smaller)


def test_bad_questions():
    dag = DAG.parse("[Asia][Tub|Asia][Lung]")
    with pytest.raises(ArgumentError, match=r"'Tubb'\. Did you mean 'Tub'\?"):
        dag.d_separated("Asia", "Lung", ["Tubb"])
    with pytest.raises(ArgumentError, match="'Asia' is in two"):
        dag.d_separated("Asia", "Lung", "Asia")
    with pytest.raises(ArgumentError, match="'Lung' is in two"):
        dag.d_separated(["Asia", "Lung"], "Lung")
    with pytest.raises(ArgumentError, match="several names"):
        dag.d_separated("Asia", 3)  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match="both hold 'Asia'"):
        minimal_separator(dag, "Asia", ["Asia"])
