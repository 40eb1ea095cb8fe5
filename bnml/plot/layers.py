"""Layers: which row of the picture a node stands in, so that arcs point down and are short.

Every arc goes down by at least one row, and the sum of the lengths of all arcs (in rows) is as small as it can be with
that. Without the second demand, every node would hang as high as its parents allow, and arcs would be long.
"""

from __future__ import annotations

from collections.abc import Sequence

from bnml.plot.simplex import shorten_by_simplex

Arc = tuple[int, int]


def assign_layers(n: int, arcs: Sequence[Arc]) -> list[int]:
    """Return the row of each node of a connected graph: the smallest sum of lengths, then rows of even size.

    Parameters
    ----------
    n : int
        Number of nodes.
    arcs : sequence of (int, int)
        Pairs (from, to) without a cycle, that join all nodes.

    Returns
    -------
    list of int
        GraphRows from 0; each arc goes to a larger one.

    Examples
    --------
    >>> from bnml.plot.layers import assign_layers
    >>> assign_layers(4, [(0, 1), (1, 2), (3, 2)])
    [0, 1, 2, 1]
    """
    layer = _longest_paths(n, arcs)
    shorten_by_simplex([(a, b, 1, 1) for a, b in arcs], layer, most_steps=20 * n)
    top = min(layer)
    layer = [row - top for row in layer]
    _even_out(n, arcs, layer)
    return layer


def _longest_paths(n: int, arcs: Sequence[Arc]) -> list[int]:
    children: list[list[int]] = [[] for _ in range(n)]
    missing = [0] * n
    for a, b in arcs:
        children[a].append(b)
        missing[b] += 1
    layer = [0] * n
    ready = [v for v in range(n) if not missing[v]]
    for a in ready:  # grows while it is read
        for b in children[a]:
            layer[b] = max(layer[b], layer[a] + 1)
            missing[b] -= 1
            if not missing[b]:
                ready.append(b)
    return layer


def _even_out(n: int, arcs: Sequence[Arc], layer: list[int]) -> None:
    """Move nodes with as many arcs in as out, which are free between their neighbours, to rows with fewer nodes."""
    size = [0] * (max(layer) + 1)
    for row in layer:
        size[row] += 1
    parents: list[list[int]] = [[] for _ in range(n)]
    children: list[list[int]] = [[] for _ in range(n)]
    for a, b in arcs:
        parents[b].append(a)
        children[a].append(b)
    for v in range(n):
        if parents[v] and len(parents[v]) == len(children[v]):
            first = max(layer[p] for p in parents[v]) + 1
            last = min(layer[c] for c in children[v]) - 1
            size[layer[v]] -= 1
            layer[v] = min(range(first, last + 1), key=lambda row: (size[row], row))
            size[layer[v]] += 1
