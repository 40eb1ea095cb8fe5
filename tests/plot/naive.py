"""Slow and obvious versions of what the layout computes."""

from __future__ import annotations

from itertools import combinations, pairwise, permutations, product


def crossings(rows, chains):
    """Compare every pair of pieces of arcs between two rows."""
    place = {v: (r, i) for r, row in enumerate(rows) for i, v in enumerate(row)}
    pieces = [(place[a], place[b]) for chain in chains for a, b in pairwise(chain)]
    return sum(a[0] == c[0] and (a[1] - c[1]) * (b[1] - d[1]) < 0 for (a, b), (c, d) in combinations(pieces, 2))


def fewest_crossings(rows, chains):
    """Try all orders of all rows."""
    return min(crossings(orders, chains) for orders in product(*(permutations(row) for row in rows)))


def shortest_sum(n, constraints):
    """Solve the linear program with another method."""
    from scipy.optimize import linprog

    cost = [0] * n
    rows, bounds = [], []
    for a, b, least, weight in constraints:
        cost[a] -= weight
        cost[b] += weight
        row = [0] * n
        row[a], row[b] = 1, -1
        rows.append(row)
        bounds.append(-least)
    return linprog(cost, A_ub=rows, b_ub=bounds, bounds=[(None, None)] * n).fun


def polyline_crossings(routes):
    """Count where the routes of arcs, as broken lines, go from one side of another to the other."""
    pieces = [(k, piece) for k, route in enumerate(routes) for piece in pairwise(route) if piece[0] != piece[1]]
    return sum(_properly_cross(p, q) for (j, p), (k, q) in combinations(pieces, 2) if j != k)


def _properly_cross(p, q):
    (a, b), (c, d) = p, q
    return _side(a, b, c) * _side(a, b, d) < 0 and _side(c, d, a) * _side(c, d, b) < 0


def _side(a, b, c):
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
