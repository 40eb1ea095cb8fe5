"""Relations by brute force: sets of tuples, the whole product space, one level of possibility at a time."""

from __future__ import annotations

import itertools
import math

import networkx as nx


def relation(rows, degrees=None):
    """Return each tuple with the largest of its degrees; without those of degree 0."""
    found = {}
    for row, degree in zip(rows, degrees or [1.0] * len(rows), strict=True):
        found[row] = max(degree, found.get(row, 0.0))
    return {row: degree for row, degree in found.items() if degree > 0}


def projection(tuples, places):
    found = {}
    for row, degree in tuples.items():
        key = tuple(row[i] for i in places)
        found[key] = max(degree, found.get(key, 0.0))
    return found


def averaged(tuples, value):
    """Return the average over the levels from 0 to 1 of a value of the cut, 0 for the empty one."""
    levels = sorted({0.0, *tuples.values()})
    parts = []
    for below, level in itertools.pairwise(levels):
        cut = {row for row, degree in tuples.items() if degree >= level}
        parts.append((level - below) * value(cut))
    return math.fsum(parts)


def size(cut, places):
    return len({tuple(row[i] for i in places) for row in cut})


def information(tuples, places):
    return averaged(tuples, lambda cut: math.log2(size(cut, places)))


def gain(tuples, a, b, given=()):
    def of(cut):
        parts = {}
        for row in cut:
            parts.setdefault(tuple(row[i] for i in given), set()).add(row)
        bits = [math.log2(size(p, [a]) * size(p, [b]) / size(p, [a, b])) for p in parts.values()]
        return math.fsum(bits) / len(bits)

    return averaged(tuples, of)


def lecture_gain(tuples, a, b, given=()):
    """Return the gain of sums of degrees, averaged over what is given."""
    parts = {}
    for row, degree in tuples.items():
        parts.setdefault(tuple(row[i] for i in given), {})[row] = degree
    bits = []
    for part in parts.values():
        scaled = {row: degree / max(part.values()) for row, degree in part.items()}
        one, two, both = (math.fsum(projection(scaled, places).values()) for places in ([a], [b], [a, b]))
        bits.append(math.log2(one * two / both))
    return math.fsum(bits) / len(bits)


def extra(tuples, n, edges):
    """Return the sum over the product space of the smallest degree of a projection, minus the tuple's own."""
    graph = nx.Graph()
    graph.add_nodes_from(range(n))
    graph.add_edges_from(edges)
    return extra_of_sets(tuples, list(nx.find_cliques(graph)), [sorted({row[i] for row in tuples}) for i in range(n)])


def extra_of_sets(tuples, sets, domains):
    """Return the same for any sets of attributes, over all values of the domains."""
    parts = [(some, projection(tuples, some)) for some in sets]
    total = []
    for row in itertools.product(*domains):
        given = min(part.get(tuple(row[i] for i in some), 0.0) for some, part in parts)
        total.append(given - tuples.get(row, 0.0))
    return math.fsum(total)


def best_tree_weight(n, weight, better):
    """Return the total weight of the best of all spanning trees."""
    pairs = list(itertools.combinations(range(n), 2))
    totals = []
    for edges in itertools.combinations(pairs, n - 1):
        graph = nx.Graph(edges)
        graph.add_nodes_from(range(n))
        if nx.is_connected(graph):
            totals.append(math.fsum(weight[edge] for edge in edges))
    return better(totals)
