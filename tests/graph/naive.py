"""Slow, obvious versions of what bnml.graph does, straight from the definitions."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, pairwise, permutations, product

from bnml.graph import DAG

Arc = tuple[str, str]
Arcs = frozenset[Arc]


def is_acyclic(arcs: Arcs) -> bool:
    left = set(arcs)
    while left:
        inner = {arc for arc in left if any(other[1] == arc[0] for other in left)}
        if inner == left:
            return False
        left = inner
    return True


def all_dags(names: str | list[str]) -> Iterator[Arcs]:
    pairs = list(combinations(names, 2))
    for choice in product((0, 1, 2), repeat=len(pairs)):
        arcs = frozenset(p if c == 1 else p[::-1] for p, c in zip(pairs, choice, strict=True) if c)
        if is_acyclic(arcs):
            yield arcs


def skeleton(arcs: Arcs) -> frozenset[frozenset[str]]:
    return frozenset(frozenset(arc) for arc in arcs)


def v_structures(arcs: Arcs) -> frozenset[tuple[frozenset[str], str]]:
    edges = skeleton(arcs)
    return frozenset(
        (frozenset((a, b)), c) for a, c in arcs for b, d in arcs if c == d and a != b and frozenset((a, b)) not in edges
    )


def equivalence_class(arcs: Arcs) -> list[Arcs]:
    """All DAGs with the same skeleton and v-structures."""
    return [
        other
        for other in orientations(skeleton(arcs))
        if is_acyclic(other) and v_structures(other) == v_structures(arcs)
    ]


def orientations(edges: frozenset[frozenset[str]]) -> Iterator[Arcs]:
    pairs = sorted(tuple(sorted(edge)) for edge in edges)
    for flips in product((False, True), repeat=len(pairs)):
        yield frozenset(p[::-1] if flip else p for p, flip in zip(pairs, flips, strict=True))


def extensions(directed: Arcs, undirected: frozenset[frozenset[str]]) -> list[Arcs]:
    """All consistent extensions of a PDAG; its v-structures are those of its arcs."""
    edges = skeleton(directed) | undirected
    wanted = frozenset((pair, c) for pair, c in v_structures(directed) if pair not in edges)
    found = []
    for choice in orientations(undirected):
        arcs = directed | choice
        if is_acyclic(arcs) and v_structures(arcs) == wanted:
            found.append(arcs)
    return found


def descendants(arcs: Arcs, x: str) -> set[str]:
    found = {x}
    while True:
        more = found | {b for a, b in arcs if a in found}
        if more == found:
            return found
        found = more


def d_separated(names: str | list[str], arcs: Arcs, x: str, y: str, given: frozenset[str]) -> bool:
    """No simple path between x and y is active: the definition, path by path."""
    inner = [name for name in names if name not in (x, y)]
    for size in range(len(inner) + 1):
        for middle in permutations(inner, size):
            path = (x, *middle, y)
            if all((a, b) in arcs or (b, a) in arcs for a, b in pairwise(path)) and _active(path, arcs, given):
                return False
    return True


def _active(path: tuple[str, ...], arcs: Arcs, given: frozenset[str]) -> bool:
    for a, m, b in zip(path, path[1:], path[2:], strict=False):
        collider = (a, m) in arcs and (b, m) in arcs
        if collider and not descendants(arcs, m) & given:
            return False
        if not collider and m in given:
            return False
    return True


def topological_orders(names: str | list[str], arcs: Arcs) -> Iterator[tuple[str, ...]]:
    for order in permutations(names):
        if all(order.index(a) < order.index(b) for a, b in arcs):
            yield order


def meek_closure(
    directed: Arcs, undirected: frozenset[frozenset[str]]
) -> tuple[Arcs, frozenset[frozenset[str]]] | None:
    """Apply the four rules as they are written, everywhere, until nothing changes; None on a contradiction."""
    arcs, free = set(directed), set(undirected)
    adjacent = skeleton(directed) | undirected
    names = sorted({name for edge in adjacent for name in edge})

    def near(a: str, b: str) -> bool:
        return frozenset((a, b)) in adjacent

    def fires(i: str, j: str) -> bool:
        others = [name for name in names if name not in (i, j)]
        r1 = any((h, i) in arcs and not near(h, j) for h in others)
        r2 = any((i, k) in arcs and (k, j) in arcs for k in others)
        joined = [k for k in others if frozenset((i, k)) in free]
        r3 = any((k, j) in arcs and (m, j) in arcs and not near(k, m) for k, m in combinations(joined, 2))
        r4 = any(
            (k, m) in arcs and (m, j) in arcs and not near(k, j) and near(i, m)
            for k in joined
            for m in others
            if m != k
        )
        return r1 or r2 or r3 or r4

    while True:
        found = [(i, j) for edge in sorted(map(sorted, free)) for i, j in permutations(edge) if fires(i, j)]
        if not found:
            return (frozenset(arcs), frozenset(free)) if is_acyclic(frozenset(arcs)) else None
        if any((j, i) in found for i, j in found):
            return None
        arcs.add(found[0])  # one at a time: two at once could meet in a new v-structure
        free.remove(frozenset(found[0]))


def marks(graph):
    """Return every pair of variables that is joined, with its arc, or with itself if it has no direction."""
    directed = graph.arcs if isinstance(graph, DAG) else graph.directed
    undirected = () if isinstance(graph, DAG) else graph.undirected
    found = {frozenset(arc): arc for arc in directed}
    found.update({frozenset(edge): frozenset(edge) for edge in undirected})
    return found
