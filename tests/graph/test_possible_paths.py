"""Possibly directed paths, against all paths one by one, and directions against all members of a class."""

from __future__ import annotations

from itertools import pairwise, permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnml.errors import GraphError
from bnml.graph import PDAG, apply_meek_rules
from bnml.graph.possible_paths import (
    directed_in_all_ways,
    open_first_links,
    open_links_at,
    possibly_reached,
    possibly_reached_back,
)
from tests.graph.strategies import dags, pdags


def paths(graph: PDAG, x: str, y: str) -> list[tuple[str, ...]]:
    """Return all paths from x to y on which no arc is met against its direction, by trying all orders of variables."""
    others = [name for name in graph.names if name not in (x, y)]
    found = []
    for size in range(len(others) + 1):
        for middle in permutations(others, size):
            path = (x, *middle, y)
            if all(b in graph.neighbours(a) or b in graph.children(a) for a, b in pairwise(path)):
                found.append(path)
    return found


@given(pdags())
def test_what_is_reached_is_the_end_of_a_path(graph):
    for x in graph.names:
        ends = {y for y in graph.names if y == x or paths(graph, x, y)}
        assert possibly_reached(graph, x) == ends
        assert possibly_reached_back(graph, x) == {y for y in graph.names if y == x or paths(graph, y, x)}
        for closed in graph.names:
            if closed != x:
                free = {y for y in ends - {closed} if y == x or any(closed not in path for path in paths(graph, x, y))}
                assert possibly_reached(graph, x, [closed]) == free


@given(pdags(), st.data())
def test_open_links_begin_paths_that_meet_no_other_variable_that_is_set(graph, data):
    given_ones = data.draw(st.lists(st.sampled_from(graph.names), unique=True, max_size=3))
    found = open_links_at(graph, given_ones)
    wanted: dict[tuple[str, str], set[str]] = {}
    for x in given_ones:
        for y in set(graph.names) - set(given_ones):
            for path in paths(graph, x, y):
                if path[1] in graph.neighbours(x) and not set(path[1:]) & set(given_ones):
                    wanted.setdefault((x, path[1]), set()).add(y)
    assert found == wanted
    for x in given_ones[:1]:
        for target in set(graph.names) - {x}:
            first = {y for (_, y), ends in open_links_at(graph, [x]).items() if target in ends}
            assert set(open_first_links(graph, x, target)) == first


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
