"""Routes: how high the rows are, and the points that an arc passes on its way between the boxes.

An arc runs freely only in the gap between two rows; at a row it goes straight down, beside the boxes, at the place of
its bend. So no arc ever touches a box that it does not belong to. All arcs leave a gap vertically and are bent in the
same way, so that two of them cross there only if their ends are in a different order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bnml.plot.rows import GraphRows

Point = tuple[int, int]

BEND_WIDTH = 20
WIDEST_GAP = 800
STUB = 100  # the straight end of an arc: where the head of the arrow is
PORT_GAP = 110  # between the ends of two arcs at a box, if it is wide enough
TAIL_GAP, HEAD_GAP = 50, 80  # at least, where arcs begin and where they end
CORNER = 80
STRAIGHT = 10_000  # what it weighs that an arc is straight; the other wishes weigh 1


@dataclass(frozen=True)
class Band:
    """What a row takes from the height of the picture."""

    top: int
    bottom: int

    @property
    def middle(self) -> int:
        """The height at which the boxes of the row stand."""
        return (self.top + self.bottom) // 2


def heights_for_routes(graph: GraphRows, x: Sequence[int], box_heights: Sequence[int]) -> list[Band]:
    """Return the heights that routes need: where rows begin and end, with more room where routes run far sideways."""
    bands: list[Band] = []
    top = 0
    for r, row in enumerate(graph.rows):
        if r:
            farthest = max((abs(x[v] - x[w]) for v in row for w in graph.above[v]), default=0)
            top += STUB + STUB // 2 + min(200 + farthest // 8, WIDEST_GAP)  # 200 between two rows
        bottom = top + max((box_heights[v] for v in row if v < len(box_heights)), default=0)
        bands.append(Band(top, bottom))
        top = bottom
    return bands


def route_arcs(
    chains: Sequence[Sequence[int]],
    x: Sequence[int],
    bands: Sequence[Band],
    layer: Sequence[int],
    sizes: Sequence[tuple[int, int]],
) -> list[tuple[Point, ...]]:
    """Return the points of each arc, from the lower border of the one box to the upper border of the other."""
    starts = _ports(chains, x, sizes, at_end=False)
    ends = _ports(chains, x, sizes, at_end=True)
    routes = []
    for chain, start, end in zip(chains, starts, ends, strict=True):
        a, b = chain[0], chain[-1]
        band = bands[layer[a]]
        points = [(start, band.middle + sizes[a][1] // 2), (start, band.bottom + STUB // 2)]
        for row, v in enumerate(chain[1:-1], layer[a] + 1):
            points += [(x[v], bands[row].top - STUB), (x[v], bands[row].bottom + STUB // 2)]
        band = bands[layer[b]]
        points += [(end, band.top - STUB), (end, band.middle - sizes[b][1] // 2)]
        routes.append(tuple(points))
    return routes


def _ports(
    chains: Sequence[Sequence[int]], x: Sequence[int], sizes: Sequence[tuple[int, int]], *, at_end: bool
) -> list[int]:
    """Return where on its box each arc begins (or ends): beside each other, in the order of where they come from."""
    at: dict[int, list[tuple[int, int]]] = {}
    for k, chain in enumerate(chains):
        node, other = (chain[-1], chain[-2]) if at_end else (chain[0], chain[1])
        at.setdefault(node, []).append((x[other], k))
    ports = [0] * len(chains)
    for node, ends in at.items():
        ends.sort()
        half = sizes[node][0] // 2 - CORNER
        gap = min(PORT_GAP, 2 * half // max(1, len(ends) - 1))
        wishes = []
        for _, k in ends:
            other = chains[k][-2] if at_end else chains[k][1]
            wishes.append(
                _port_wish(x[node], half, x[other], sizes[other][0] // 2 - CORNER if other < len(sizes) else 0)
            )
        for port, (_, k) in zip(_spread(wishes, gap, x[node] - half, x[node] + half), ends, strict=True):
            ports[k] = port
    return ports


def _port_wish(here: int, half: int, there: int, other_half: int) -> tuple[int, int]:
    """Return where an arc would best begin, and how much that matters: most of all if it can then run straight down."""
    away = there - here
    if abs(away) <= min(half, other_half, PORT_GAP):
        return (here + there) // 2, STRAIGHT
    if not other_half and abs(away) <= half:
        return there, STRAIGHT
    return here + max(-half, min(half, away // 8)), 1


def _spread(wishes: Sequence[tuple[int, int]], gap: int, low: int, high: int) -> list[int]:
    """Return places near the wishes, with gaps between them; those too close spread around their weighted middle."""
    groups: list[tuple[int, int, int]] = []  # members, their weight, and the weighted sum of where the first would be
    for i, (wish, weight) in enumerate(wishes):
        count, total, first = 1, weight, weight * (wish - i * gap)
        while groups and groups[-1][2] * total > first * groups[-1][1]:
            earlier = groups.pop()
            count, total, first = count + earlier[0], total + earlier[1], first + earlier[2]
        groups.append((count, total, first))
    firsts = [(2 * first + total) // (2 * total) for count, total, first in groups for _ in range(count)]
    return [min(max(first, low), high - (len(wishes) - 1) * gap) + i * gap for i, first in enumerate(firsts)]
