"""How many DAGs a PDAG stands for.

The number is the product over the undirected parts of the graph (see `bnml.graph.orientations`). A part of a CPDAG is a
connected chordal graph, and its number of acyclic orientations without v-structures is found in polynomial time by
*Clique-Picking* (Wienöbst, Bannach and Liśkiewicz 2021). Every such orientation has a topological order that begins
with a maximal clique K. When K comes first, all other edges but those of some smaller chordal graphs have their
direction, and these do not depend on the order within K. So the number is a sum over the maximal cliques: of the orders
of K, times the numbers of the smaller graphs. Some orientations begin with several cliques. They are counted once when
the cliques are the nodes of a rooted tree, and for each clique only those orders count that do not begin with a set
which it shares with the path to the root.

With background knowledge a part holds arcs as well, and counting is as hard as counting the linear extensions of a
partial order. There it goes by sources, which takes exponential time at worst.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import factorial, prod

from bnml._bits import bits, closure, set_key
from bnml.graph.orientations import (
    UndoableOrienter,
    begun_orientation,
    orientations_by_source,
    part_key,
    undirected_parts,
)
from bnml.graph.pdag import PDAG


def count_members(pdag: PDAG) -> int:
    """Return how many DAGs a PDAG stands for; see `PDAG.count_members`."""
    work = begun_orientation(pdag)
    if work is None:
        return 0
    known: dict[tuple[int | bytes, ...], int] = {}
    everything = (1 << len(pdag.names)) - 1
    return prod(_count_part(work, part, known, 0) for part in undirected_parts(work, everything))


def _count_part(work: UndoableOrienter, part: int, known: dict[tuple[int | bytes, ...], int], depth: int) -> int:
    """Count the orientations of a part, which may hold arcs."""
    if not any(work.parents[i] & part for i in bits(part)):
        return count_chordal_orientations(work.neighbours, part)
    key = part_key(work, part, around=False)
    if key not in known:
        found = 0
        for _, left in orientations_by_source(work, part, depth):
            found += prod(_count_part(work, smaller, known, depth + 1) for smaller in left)
        known[key] = found
    return known[key]


def count_chordal_orientations(adjacent: Sequence[int], nodes: int) -> int:
    """Count the acyclic orientations without v-structures of a connected chordal graph, by Clique-Picking.

    Parameters
    ----------
    adjacent : sequence of int
        The neighbours of each node, as bit masks.
    nodes : int
        The nodes of the graph; others, and edges to them, do not count.

    Examples
    --------
    >>> count_chordal_orientations([0b0110, 0b0101, 0b1011, 0b0100], 0b1111)  # a triangle with a tail
    8
    """
    known: dict[int | bytes, int] = {}
    plans: dict[int | bytes, list[tuple[int, list[int]]]] = {}
    todo = [nodes]
    while todo:
        graph = todo[-1]
        key = set_key(graph)
        if key not in known and key not in plans:
            simple = _number_of_simple(adjacent, graph)
            if simple is None:
                plans[key] = _cliques_and_rest(adjacent, graph)
            else:
                known[key] = simple
        missing = [] if key in known else [g for _, rest in plans[key] for g in rest if set_key(g) not in known]
        if missing:
            todo += missing
            continue
        if key not in known:
            known[key] = sum(orders * prod(known[set_key(g)] for g in rest) for orders, rest in plans.pop(key))
        todo.pop()
    return known[set_key(nodes)]


def _number_of_simple(adjacent: Sequence[int], graph: int) -> int | None:
    """Return the number for a tree, whose orientations are its roots, or a complete graph; None for others."""
    size = graph.bit_count()
    edges = sum((adjacent[i] & graph).bit_count() for i in bits(graph)) // 2
    if edges == size - 1:
        return size
    return factorial(size) if edges == size * (size - 1) // 2 else None


def _cliques_and_rest(adjacent: Sequence[int], graph: int) -> list[tuple[int, list[int]]]:
    """Return for each maximal clique how many of its orders count, and the graphs that are left when it comes first."""
    cliques, above = _clique_tree(adjacent, graph)
    found = []
    for k, clique in enumerate(cliques):
        shared = set()
        at = k
        while at:
            separator = cliques[at] & cliques[above[at]]
            if not separator & ~clique:
                shared.add(separator.bit_count())  # these sets lie in each other, so sizes tell them apart
            at = above[at]
        orders = _orders_without_prefix(clique.bit_count(), sorted(shared))
        if orders:
            found.append((orders, _left_after(adjacent, graph, clique)))
    return found


def _clique_tree(adjacent: Sequence[int], graph: int) -> tuple[list[int], list[int]]:
    """Return the maximal cliques of a chordal graph, and for each but the first the one above it in a tree of them.

    Maximum cardinality search (Blair and Peyton 1993): next is a node with most neighbours before it; where these are
    no more than the last one had, a clique begins.
    """
    waiting = [graph]  # by the number of neighbours before
    met = 0
    last = -1
    cliques: list[int] = []
    above: list[int] = []
    clique_of: dict[int, int] = {}
    order: dict[int, int] = {}
    for step in range(graph.bit_count()):
        while not waiting[-1]:
            waiting.pop()
        node = next(bits(waiting[-1]))
        before = adjacent[node] & met
        waiting[-1] ^= 1 << node
        if before.bit_count() <= last or not cliques:
            above.append(clique_of[max(bits(before), key=order.__getitem__)] if before else 0)
            cliques.append(before)
        last = before.bit_count()
        clique_of[node], order[node] = len(cliques) - 1, step
        cliques[-1] |= 1 << node
        met |= 1 << node
        waiting.append(0)
        later = adjacent[node] & graph & ~met
        for count in range(len(waiting) - 2, -1, -1):
            moved = waiting[count] & later
            waiting[count] ^= moved
            waiting[count + 1] |= moved
    return cliques, above


def _orders_without_prefix(size: int, prefixes: Sequence[int]) -> int:
    """Count the orders of a set of some size that begin with none of some subsets, each a subset of the next."""
    counts: list[int] = []
    for k, length in enumerate([*prefixes, size]):
        first = sum(counts[j] * factorial(length - prefixes[j]) for j in range(k))
        counts.append(factorial(length) - first)
    return counts[-1]


def _left_after(adjacent: Sequence[int], graph: int, clique: int) -> list[int]:
    """Return the parts that are still undirected when a clique comes first, by a lexicographic breadth-first search."""
    found = []
    seen = clique
    groups = [clique, graph & ~clique]
    while groups:
        group = groups[0]
        node = next(bits(group))
        if not seen >> node & 1:
            seen |= group
            found += _components(adjacent, group)
        groups[0] ^= 1 << node
        near = adjacent[node]
        groups = [some for group in groups for some in (group & near, group & ~near) if some]
    return found


def _components(adjacent: Sequence[int], nodes: int) -> list[int]:
    """Return the connected parts of a graph that have an edge."""
    inner = {i: near for i in bits(nodes) if (near := adjacent[i] & nodes)}
    parts: list[int] = []
    met = 0
    for i in inner:
        if not met >> i & 1:
            parts.append(closure(inner, 1 << i))
            met |= parts[-1]
    return parts
