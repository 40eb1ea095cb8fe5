"""Layout: where the nodes of a graph stand and how its arcs run, in rows from top to bottom.

The layered layout of Sugiyama, Tagawa and Toda (1981), in four steps with a module each: rows so that arcs are short
(`bnml.plot.layers`), an order in each row so that few arcs cross (`bnml.plot.crossings`), positions so that long arcs
are straight (`bnml.plot.coordinates`), and routes for the arcs between the boxes (`bnml.plot.routes`). Parts of the
graph that are not connected are laid out one by one and set side by side (`bnml.plot.packing`).

A graph with undirected edges is laid out like the DAG that stands for its class (`bnml.graph.equivalence`); if
no DAG fits, its edges are taken to lead from smaller to larger names.

Everything is computed in whole numbers, tenths of a point (720 to the inch), and depends on the graph alone: equal
graphs have equal layouts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from bnml.errors import ArgumentError, GraphError, argument
from bnml.graph import DAG, PDAG, canonical_extension
from bnml.plot.coordinates import place_nodes
from bnml.plot.crossings import count_crossings, order_rows
from bnml.plot.labels import box_size, label_order
from bnml.plot.layers import assign_layers
from bnml.plot.packing import Piece, pack
from bnml.plot.routes import BEND_WIDTH, CORNER, HEAD_GAP, STUB, TAIL_GAP, heights_for_routes, route_arcs
from bnml.plot.rows import break_rows, make_rows

if TYPE_CHECKING:
    from bnml.network import BayesianNetwork

Point = tuple[int, int]
Arc = tuple[str, str]

BOX_GAP = 180  # between two boxes in a row


@dataclass(frozen=True)
class Layout:
    """Where everything stands, in tenths of a point; x grows to the right and y downwards.

    Attributes
    ----------
    positions : dict of str to (int, int)
        The middle of the box of each variable.
    sizes : dict of str to (int, int)
        Width and height of the box.
    routes : dict of (str, str) to tuple of (int, int)
        For each arc of a DAG, and each directed or undirected edge of a PDAG (the smaller name first), the points that
        it passes from the border of the one box to the border of the other.
    width, height : int
        The whole picture; everything lies between 0 and these.
    crossings : int
        How many pairs of arcs cross.
    """

    positions: dict[str, Point]
    sizes: dict[str, tuple[int, int]]
    routes: dict[Arc, tuple[Point, ...]]
    width: int
    height: int
    crossings: int


def layout(graph: DAG | PDAG | BayesianNetwork) -> Layout:
    """Lay a graph out in rows, arcs pointing down, with few crossings.

    Parameters
    ----------
    graph : DAG or PDAG
        The graph; the order of its names does not matter.

    Returns
    -------
    Layout
        Positions and sizes of the boxes, and routes of the arcs.

    Raises
    ------
    ArgumentError
        If it is not a graph of bnml.

    Examples
    --------
    >>> from bnml.graph import DAG
    >>> from bnml.plot import layout
    >>> found = layout(DAG.parse("[A][B|A][C|B][D|A]"))
    >>> found.crossings, found.positions["A"][1] < found.positions["B"][1] < found.positions["C"][1]
    (0, True)
    >>> found.positions["B"][0] == found.positions["C"][0]  # one straight below the other
    True
    """
    graph = checked_graph(graph)
    names = sorted(graph.names, key=label_order)
    index = {name: i for i, name in enumerate(names)}
    arcs = [(index[a], index[b]) for a, b in downward_arcs(graph)]
    sizes = _box_sizes(names, arcs)
    pieces = []
    crossings = 0
    for nodes in _components(len(names), arcs):
        if len(nodes) == 1:
            pieces.append(Piece.of_one(nodes[0], *sizes[nodes[0]]))
            continue
        number = {v: i for i, v in enumerate(nodes)}
        inner = [(number[a], number[b]) for a, b in arcs if a in number]
        piece, crossed = _lay_out_piece(nodes, inner, [sizes[v] for v in nodes])
        pieces.append(piece)
        crossings += crossed
    whole = pack(pieces)
    return Layout(
        positions={names[v]: whole.positions[v] for v in range(len(names))},
        sizes={names[v]: sizes[v] for v in range(len(names))},
        routes={edge: _directed_route(whole.routes, index[edge[0]], index[edge[1]]) for edge in edges_of(graph)},
        width=whole.width,
        height=whole.height,
        crossings=crossings,
    )


def _box_sizes(names: Sequence[str], arcs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the sizes of the boxes: wide enough for the names, and for the arcs that begin and end there."""
    room = [0] * len(names)
    for end, gap in ((0, TAIL_GAP), (1, HEAD_GAP)):
        for v, count in Counter(arc[end] for arc in arcs).items():
            room[v] = max(room[v], 2 * CORNER + (count - 1) * gap)
    return [(max(width, room[v]), height) for v, (width, height) in enumerate(map(box_size, names))]


def checked_graph(graph: DAG | PDAG | BayesianNetwork) -> DAG | PDAG:
    """Return the graph to lay out, that of a network too; refuse what is neither."""
    drawn = getattr(graph, "dag", graph)
    if not isinstance(drawn, DAG | PDAG):
        raise ArgumentError(
            argument("graph") + f" must be a bnml.DAG, a bnml.PDAG or a network, got {type(graph).__name__}."
        )
    return drawn


def edges_of(graph: DAG | PDAG) -> tuple[Arc, ...]:
    """Return the edges to be laid out, in the order of their names: the directed ones, then the undirected."""
    if isinstance(graph, DAG):
        return tuple(sorted(graph.arcs, key=arc_order))
    undirected = [min((a, b), (b, a), key=arc_order) for a, b in graph.undirected]
    return (*sorted(graph.directed, key=arc_order), *sorted(undirected, key=arc_order))


def arc_order(arc: Arc) -> tuple[object, ...]:
    """Return by what a layout sorts arcs: the names of their ends."""
    return label_order(arc[0]), label_order(arc[1])


def _directed_route(routes: Mapping[tuple[int, int], tuple[Point, ...]], a: int, b: int) -> tuple[Point, ...]:
    return routes[a, b] if (a, b) in routes else routes[b, a][::-1]


def downward_arcs(graph: DAG | PDAG) -> tuple[Arc, ...]:
    """Return the arcs of a DAG with the same skeleton, to lay the graph out by."""
    if isinstance(graph, DAG):
        return graph.arcs
    try:
        return canonical_extension(graph).arcs
    except GraphError:
        place = {name: i for i, name in enumerate(_order_by_names(graph))}
        return tuple((a, b) if place[a] < place[b] else (b, a) for a, b in edges_of(graph))


def _order_by_names(graph: PDAG) -> list[str]:
    """Place next the smallest name whose parents are placed or, in a cycle, simply the smallest."""
    left = sorted(graph.names, key=label_order)
    placed: list[str] = []
    while left:
        waiting = set(left)
        chosen = next((name for name in left if waiting.isdisjoint(graph.parents(name))), left[0])
        left.remove(chosen)
        placed.append(chosen)
    return placed


def _components(n: int, arcs: Sequence[tuple[int, int]]) -> list[list[int]]:
    """Return the connected parts, each in increasing order, by their smallest members."""
    around: list[list[int]] = [[] for _ in range(n)]
    for a, b in arcs:
        around[a].append(b)
        around[b].append(a)
    met = [False] * n
    parts = []
    for first in range(n):
        if met[first]:
            continue
        met[first] = True
        part = [first]
        for v in part:  # grows while it is read
            for w in around[v]:
                if not met[w]:
                    met[w] = True
                    part.append(w)
        parts.append(sorted(part))
    return parts


def _lay_out_piece(
    nodes: Sequence[int], arcs: Sequence[tuple[int, int]], sizes: Sequence[tuple[int, int]]
) -> tuple[Piece, int]:
    """Lay out one connected part; its nodes are numbered from 0 in ``arcs``."""
    n = len(nodes)
    arcs = sorted(arcs)
    layer = assign_layers(n, arcs)
    graph = order_rows(make_rows(layer, arcs))
    parts = _parts_of_rows([[v for v in row if v < n] for row in graph.rows], sizes)
    if max(parts) > 1:
        layer, graph = break_rows(graph, layer, parts)
        graph = order_rows(graph)
    widths = [width for width, _ in sizes] + [BEND_WIDTH] * (len(graph.above) - n)

    def separation(a: int, b: int) -> int:
        # 90 between a long arc and a box, or another long arc
        return (widths[a] + widths[b]) // 2 + (BOX_GAP if a < n and b < n else 90)

    x = place_nodes(graph, [v >= n for v in range(len(graph.above))], separation)
    bands = heights_for_routes(graph, x, [height for _, height in sizes])
    routes = route_arcs(graph.chains, x, bands, layer, sizes)
    piece = Piece.around(
        {nodes[v]: (x[v], bands[layer[v]].middle) for v in range(n)},
        {nodes[v]: sizes[v] for v in range(n)},
        {(nodes[chain[0]], nodes[chain[-1]]): route for chain, route in zip(graph.chains, routes, strict=True)},
    )
    return piece, count_crossings(graph.rows, graph.below)


def _parts_of_rows(boxes: Sequence[Sequence[int]], sizes: Sequence[tuple[int, int]]) -> list[int]:
    """Return into how many each row of boxes is to be broken so that the picture is not too wide for its height."""
    widths = [sum(sizes[v][0] + BOX_GAP for v in row) for row in boxes]
    height = sum(max(sizes[v][1] for v in row) + 400 for row in boxes)
    # a wider row, and a quarter wider than the picture is high, is broken into several
    limit = max(9000, height * 5 // 4)
    return [-(-width // limit) for width in widths]


def layout_in_order(names: list[str], edges: list[Arc]) -> Layout:
    """Return a layout of edges that point down from earlier names to later ones, and up from later to earlier."""
    place = {name: i for i, name in enumerate(names)}
    downward = [(a, b) if place[a] < place[b] else (b, a) for a, b in edges]
    found = layout(DAG(sorted(place, key=label_order), downward))
    return replace(
        found,
        routes={edge: found.routes[edge] if edge in found.routes else _upward(found.routes, edge) for edge in edges},
    )


def _upward(routes: dict[Arc, tuple[Point, ...]], edge: Arc) -> tuple[Point, ...]:
    """Return the route of an edge that points up, with as long a straight end for its head as others have."""
    *points, (x, y), tip = routes[edge[::-1]][::-1]
    return (*points, (x, max(y, tip[1] + STUB)), tip)
