"""Layouts in which nodes stay where they were: for pictures that change a little while someone looks at them.

`layout` depends on the graph alone, so that one arc more may move every node. `layout_near` starts from a layout that
is on the screen already: where the graphs have most links in common the nodes and the routes of these stay, and each
new link gets a route of its own between the boxes (`with_routes`).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

from bnml.graph import DAG, PDAG
from bnml.plot.layout import Arc, Layout, Point, arc_order, checked_graph, edges_of, layout

if TYPE_CHECKING:
    from bnml.network import BayesianNetwork

FEW = 2  # links that may differ in any graph
SHARE = 0.25  # of the links of both that may
CLEAR = 30  # between a route and the boxes it passes
BENDS = (0, 1, -1, 2, -2, 3, -3, 4, -4, 6, -6, 8, -8)  # how far to the side a route may bend, in steps
STEP = 150


def layout_near(graph: DAG | PDAG | BayesianNetwork, before: Layout | None) -> Layout:
    """Return a layout in which the nodes stand where they stood before, if the graph is much the same.

    Parameters
    ----------
    graph
        The graph.
    before
        A layout; None for none.

    Returns
    -------
    Layout
        That of `bnml.plot.layout` if the variables are others or many links are; its ``crossings`` are those of the
        layout before where that is kept.

    Examples
    --------
    >>> from bnml.graph import DAG
    >>> from bnml.plot import layout
    >>> before = layout(DAG.parse("[A][B|A][C|A][D|B:C]"))
    >>> after = layout_near(DAG.parse("[A][B|A][C|A][D|A:B:C]"), before)
    >>> after.positions == before.positions, after.routes["A", "B"] == before.routes["A", "B"]
    (True, True)
    """
    graph = checked_graph(graph)
    edges = edges_of(graph)
    if before is None or set(before.positions) != set(graph.names):
        return layout(graph)
    now, then = {frozenset(edge) for edge in edges}, {frozenset(edge) for edge in before.routes}
    if len(now ^ then) > max(FEW, SHARE * len(now | then)):
        return layout(graph)
    return with_routes(replace(before, routes={}), edges, known=before)


def with_routes(found: Layout, edges: Iterable[Arc], known: Layout | None = None) -> Layout:
    """Return a layout near the one there is: with routes for more edges; nodes stay where they are.

    Parameters
    ----------
    found
        The layout.
    edges
        Pairs of names; a route leads from the first to the second.
    known
        A layout whose routes are taken where it has them; by default the same.

    """
    routes, own = dict(found.routes), (found if known is None else known).routes
    for edge in sorted(edges, key=arc_order):
        if edge in own:
            routes[edge] = own[edge]
        elif edge[::-1] in own:
            routes[edge] = own[edge[::-1]][::-1]
        else:
            routes[edge] = _route(found, *edge)
    return replace(found, routes=routes)


def _route(found: Layout, a: str, b: str) -> tuple[Point, ...]:
    """Return a route with one bend at most, within the picture, that passes as few other boxes as may be."""
    (ax, ay), (bx, by) = found.positions[a], found.positions[b]
    length = max(abs(bx - ax), abs(by - ay), 1)
    across = (-(by - ay), bx - ax)
    others = [name for name in found.positions if name not in (a, b)]
    best: tuple[int, tuple[Point, ...]] | None = None
    for bend in BENDS:
        middle = (ax + bx) // 2 + bend * STEP * across[0] // length, (ay + by) // 2 + bend * STEP * across[1] // length
        if not (0 <= middle[0] <= found.width and 0 <= middle[1] <= found.height):
            continue
        between = (middle,) if bend else ()
        first, last = (middle, middle) if bend else ((bx, by), (ax, ay))
        points = (_border(found, a, first), *between, _border(found, b, last))
        passed = sum(any(_meets(found, x, p, q) for p, q in pairwise(points)) for x in others)
        if best is None or passed < best[0]:
            best = passed, points
        if not passed:
            break
    assert best is not None
    return best[1]


def _border(found: Layout, name: str, towards: Point) -> Point:
    """Return where the line from the middle of a box to a point leaves the box."""
    (x, y), (width, height) = found.positions[name], found.sizes[name]
    dx, dy = towards[0] - x, towards[1] - y
    if dx == 0 and dy == 0:
        return x, y + height // 2
    if abs(dx) * height <= abs(dy) * width:  # through the lower or the upper side
        return x + dx * (height // 2) // abs(dy), y + (height // 2 if dy > 0 else -(height // 2))
    return x + (width // 2 if dx > 0 else -(width // 2)), y + dy * (width // 2) // abs(dx)


def _meets(found: Layout, name: str, p: Point, q: Point) -> bool:
    """Return whether a line from p to q passes a box, or near it."""
    (x, y), (width, height) = found.positions[name], found.sizes[name]
    low, high = 0.0, 1.0
    for start, end, middle, size in ((p[0], q[0], x, width), (p[1], q[1], y, height)):
        near, far = middle - size // 2 - CLEAR, middle + size // 2 + CLEAR
        if start == end:
            if not near <= start <= far:
                return False
            continue
        enter, leave = sorted(((near - start) / (end - start), (far - start) / (end - start)))
        low, high = max(low, enter), min(high, leave)
    return low <= high
