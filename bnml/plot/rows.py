"""GraphRows: a graph in which arcs join neighbouring rows only, and rows that are too wide broken into several.

An arc that passes rows on its way is cut by *bends*: nodes of no size that stand for it in these rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

Arc = tuple[int, int]


@dataclass(frozen=True)
class GraphRows:
    """A graph in rows.

    Attributes
    ----------
    rows : list of list of int
        The nodes and bends of each row, in their order; bends have the numbers after those of the nodes.
    above, below : list of list of int
        The neighbours of each of them in the row above and in the row below.
    chains : list of list of int
        Each arc as what it passes: its first node, its bends and its last node.
    """

    rows: list[list[int]]
    above: list[list[int]]
    below: list[list[int]]
    chains: list[list[int]]


def make_rows(layer: Sequence[int], arcs: Sequence[Arc]) -> GraphRows:
    """Return a graph in rows, nodes in the order of their numbers and before bends.

    Examples
    --------
    >>> from bnml.plot.rows import make_rows
    >>> graph = make_rows([0, 1, 2], [(0, 1), (0, 2), (1, 2)])
    >>> graph.rows, graph.chains
    ([[0], [1, 3], [2]], [[0, 1], [0, 3, 2], [1, 2]])
    """
    n = len(layer)
    rows: list[list[int]] = [[] for _ in range(max(layer) + 1)]
    for v, row in enumerate(layer):
        rows[row].append(v)
    chains = []
    for a, b in arcs:
        chain = [a]
        for row in range(layer[a] + 1, layer[b]):
            rows[row].append(n)
            chain.append(n)
            n += 1
        chains.append([*chain, b])
    above: list[list[int]] = [[] for _ in range(n)]
    below: list[list[int]] = [[] for _ in range(n)]
    for chain in chains:
        for a, b in pairwise(chain):
            below[a].append(b)
            above[b].append(a)
    return GraphRows(rows, above, below, chains)


def break_rows(graph: GraphRows, layer: Sequence[int], parts: Sequence[int]) -> tuple[list[int], GraphRows]:
    """Deal the nodes of each row out, in turn, to so many rows below each other.

    Parameters
    ----------
    graph : GraphRows
        The graph, its rows in a good order.
    layer : sequence of int
        The row of each node.
    parts : sequence of int
        Into how many each row is to be broken.

    Returns
    -------
    (list of int, GraphRows)
        The new row of each node, and the new graph: all stands as it stood, bends where their arcs were.

    Examples
    --------
    >>> from bnml.plot.rows import break_rows, make_rows
    >>> layer, graph = break_rows(make_rows([0, 1, 1], [(0, 1), (0, 2)]), [0, 1, 1], [1, 2])
    >>> layer, graph.rows
    ([0, 1, 2], [[0], [1, 3], [2]])
    """
    n = len(layer)
    first = list(accumulate(parts, initial=0))
    old_row = [r for r, count in enumerate(parts) for _ in range(count)]
    place = {v: i for row in graph.rows for i, v in enumerate(row)}
    new_layer = list(layer)
    for r, row in enumerate(graph.rows):
        for i, v in enumerate(v for v in row if v < n):
            new_layer[v] = first[r] + i % parts[r]
    new = make_rows(new_layer, [(chain[0], chain[-1]) for chain in graph.chains])
    start = {v: place[v] for v in range(n)}
    for old_chain, chain in zip(graph.chains, new.chains, strict=True):
        for r, v in enumerate(chain[1:-1], new_layer[chain[0]] + 1):
            start[v] = place[old_chain[old_row[r] - layer[chain[0]]]]
    for row in new.rows:
        row.sort(key=start.__getitem__)
    return new_layer, new
