"""Possibly directed paths, against all paths one by one."""

from __future__ import annotations

from itertools import pairwise, permutations

from hypothesis import given
from hypothesis import strategies as st

from bnml.graph import PDAG
from bnml.graph.possible_paths import open_first_links, open_links_at, possibly_reached, possibly_reached_back
from tests.graph.strategies import pdags


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
