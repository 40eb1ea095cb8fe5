"""How many DAGs there are in a class."""

from __future__ import annotations

import math
import random
from collections import Counter
from itertools import combinations, pairwise, permutations

import pytest

from bnml._bits import mask_of
from bnml.errors import GraphError
from bnml.graph import DAG, PDAG, apply_meek_rules, count_dags, orientations
from bnml.graph.class_size import count_chordal_orientations

from . import naive


def random_chordal(rng, n):
    """Return the edges of a connected chordal graph: each node is joined to some of a clique before it."""
    cliques, edges = [{0}], []
    for i in range(1, n):
        base = sorted(rng.choice(cliques))
        near = rng.sample(base, rng.randint(1, len(base)))
        edges += [(j, i) for j in near]
        cliques.append({*near, i})
    order = rng.sample(range(n), n)
    return [(order[a], order[b]) for a, b in edges]


def masks(n, edges):
    return [mask_of(b if a == i else a for a, b in edges if i in (a, b)) for i in range(n)]


def naive_number(n, edges):
    """Orient the edges by every order of the nodes, and keep what has no v-structure."""
    joined = {frozenset(edge) for edge in edges}
    found = set()
    for order in permutations(range(n)):
        place = {node: k for k, node in enumerate(order)}
        arcs = frozenset((a, b) if place[a] < place[b] else (b, a) for a, b in edges)
        parents = {i: [a for a, b in arcs if b == i] for i in range(n)}
        if all(frozenset(pair) in joined for near in parents.values() for pair in combinations(near, 2)):
            found.add(arcs)
    return len(found)


def as_pdag(n, edges):
    return PDAG([f"X{i}" for i in range(n)], [], [(f"X{a}", f"X{b}") for a, b in edges])


def test_two_hundred_chordal_graphs():
    rng = random.Random(4)
    numbers = Counter()
    for k in range(200):
        n = 2 + k % 5
        edges = random_chordal(rng, n)
        number = count_chordal_orientations(masks(n, edges), (1 << n) - 1)
        assert number == naive_number(n, edges), edges
        assert as_pdag(n, edges).count_members() == number
        numbers[number] += 1
    assert len(numbers) > 20


def test_larger_chordal_graphs():
    rng = random.Random(5)
    checked = 0
    for k in range(60):
        graph = as_pdag(7 + k % 6, random_chordal(rng, 7 + k % 6))
        number = graph.count_members()
        if number < 3_000:
            assert number == sum(1 for _ in graph.members())
            checked += 1
    assert checked > 30


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_the_classes_hold_all_dags(n):
    names = list("ABCD"[:n])
    classes = Counter(DAG(names, sorted(arcs)).cpdag() for arcs in naive.all_dags(names))
    assert sum(classes.values()) == count_dags(n)
    assert {graph: graph.count_members() for graph in classes} == classes


def test_all_dags_of_five_nodes():
    """OEIS A007984 has the number of classes."""
    names = list("ABCDE")
    classes = Counter(DAG(names, sorted(arcs)).cpdag() for arcs in naive.all_dags(names))
    assert len(classes) == 8782
    assert {graph: graph.count_members() for graph in classes} == classes


def test_known_numbers():
    for n in range(1, 9):
        path = list(pairwise(range(n)))
        assert as_pdag(n, path).count_members() == n, "a tree: every node can be the root"
        assert as_pdag(n, list(combinations(range(n), 2))).count_members() == math.factorial(n)
    for n in range(4, 9):  # He, Jia and Yu 2015, theorem 3
        whole = list(combinations(range(n), 2))
        assert as_pdag(n, whole[1:]).count_members() == 2 * math.factorial(n - 1) - math.factorial(n - 2)
        ring = [*pairwise(range(n)), (0, 2)]
        assert as_pdag(n, ring).count_members() == 2 * n, "a tree and one edge more"


def test_parts_multiply():
    edges = [*combinations(range(4), 2), (4, 5), (5, 6)]
    assert as_pdag(8, edges).count_members() == 24 * 3


def test_large_classes():
    rng = random.Random(7)
    n = 150
    cliques, edges = [list(range(8))], list(combinations(range(8), 2))
    for i in range(8, n):
        near = rng.sample(rng.choice(cliques), 7)
        edges += [(j, i) for j in near]
        cliques.append([*near, i])
    graph = as_pdag(n, edges)
    number = graph.count_members()
    assert number > 10**6
    shuffled = rng.sample(graph.names, n)
    assert graph.reordered(shuffled).count_members() == number
    one = next(graph.members())
    assert one.cpdag() == graph


def test_background_knowledge():
    """In a complete graph the members are the orders that keep what is known."""
    names = list("ABCDEF")
    graph = PDAG(names, [], list(combinations(names, 2)))
    told = apply_meek_rules(graph, [("B", "A"), ("C", "D"), ("D", "E")])
    want = [
        order
        for order in permutations(names)
        if order.index("B") < order.index("A") and order.index("C") < order.index("D") < order.index("E")
    ]
    assert told.count_members() == len(want) == 60


def test_too_much_is_refused(monkeypatch):
    names = [f"X{i}" for i in range(12)]
    told = apply_meek_rules(PDAG(names, [], list(combinations(names, 2))), [("X0", "X1")])
    assert told.count_members() == math.factorial(12) // 2
    monkeypatch.setattr(orientations, "MOST_STEPS", 100)
    with pytest.raises(GraphError, match=r"too many ways to go through; .* PDAG\.members\(\)"):
        told.count_members()
