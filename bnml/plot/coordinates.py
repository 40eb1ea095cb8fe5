"""Coordinates: how far to the right each node stands, with the order of the rows given.

After Brandes and Köpf (2002): every node is aligned with the middle one of its neighbours above, where the order of
the rows allows; aligned nodes form vertical blocks, which are pushed together as far as the sizes of the nodes permit.
Where two alignments are in each other's way, the inside of a long arc wins, so that long arcs are straight. There are
four ways to do this, from above or from below, to the left or to the right. Each is one-sided; taken together (the mean
of the two middle values) they are balanced, and distances that all four respect are respected still.

From there, the sum of how far all arcs run to the side is made as small as possible (`bnml.plot.simplex`). Last, nodes
and the straight parts of long arcs move to the middle of what they are joined to, where there is room.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

from bnml.plot.rows import GraphRows
from bnml.plot.simplex import shorten_by_simplex

Separation = Callable[[int, int], int]


def place_nodes(graph: GraphRows, is_bend: Sequence[bool], separation: Separation) -> list[int]:
    """Return the horizontal position of the middle of each node, the rows standing in their order.

    Parameters
    ----------
    graph : GraphRows
        Rows in their final order.
    is_bend : sequence of bool
        Which nodes are bends of long arcs.
    separation : callable
        The least distance between the middles of two nodes that stand side by side.

    Returns
    -------
    list of int
        One position per node; neighbours in a row keep their distance.

    Examples
    --------
    >>> from bnml.plot.coordinates import place_nodes
    >>> from bnml.plot.rows import make_rows
    >>> place_nodes(make_rows([0, 1, 1], [(0, 1), (0, 2)]), [False] * 3, lambda a, b: 10)
    [5, 0, 10]
    """
    conflicts = _conflicts(graph, is_bend)
    found = [
        _one_sided(graph, conflicts, separation, from_below=from_below, to_right=to_right)
        for from_below in (False, True)
        for to_right in (False, True)
    ]
    narrowest = min(found, key=lambda x: max(x) - min(x))
    for number, x in enumerate(found):
        shift = max(narrowest) - max(x) if number % 2 else min(narrowest) - min(x)
        x[:] = [place + shift for place in x]
    balanced = [(sum(sorted(places)[1:3])) // 2 for places in zip(*found, strict=True)]
    _shorten_arcs(graph, is_bend, separation, balanced)
    _settle(graph, is_bend, separation, balanced)
    return balanced


def _shorten_arcs(graph: GraphRows, is_bend: Sequence[bool], separation: Separation, x: list[int]) -> None:
    """Make the sum of all sideways runs of arcs as small as possible; those inside long arcs count most.

    The distance of two nodes that may stand on either side of each other is twice a difference: that of a third place,
    which is left of both.
    """
    constraints = [(a, b, separation(a, b), 0) for row in graph.rows for a, b in pairwise(row)]
    places = list(x)
    for v, ends in enumerate(graph.below):
        for w in ends:
            weight = (1, 2, 8)[is_bend[v] + is_bend[w]]
            constraints += [(len(places), v, 0, weight), (len(places), w, 0, weight)]
            places.append(min(x[v], x[w]))
    # constraints looked at while arcs are made short: a few seconds
    shorten_by_simplex(constraints, places, most_steps=5_000_000 // len(constraints))
    x[:] = places[: len(x)]


def _conflicts(graph: GraphRows, is_bend: Sequence[bool]) -> set[tuple[int, int]]:
    """Return the pairs (upper, lower) of arcs that cross the inside of a long arc and are not inside one themselves."""
    found: set[tuple[int, int]] = set()
    for upper, lower in pairwise(graph.rows):
        place = {v: i for i, v in enumerate(upper)}
        inner = [(place[graph.above[v][0]], i) for i, v in enumerate(lower) if _inside(graph, is_bend, v)]
        for i, v in enumerate(lower):
            if not _inside(graph, is_bend, v):
                for w in graph.above[v]:
                    if any((place[w] - a) * (i - b) < 0 for a, b in inner):
                        found.add((w, v))
    return found


def _inside(graph: GraphRows, is_bend: Sequence[bool], v: int) -> bool:
    return is_bend[v] and is_bend[graph.above[v][0]]


def _one_sided(
    graph: GraphRows, conflicts: set[tuple[int, int]], separation: Separation, *, from_below: bool, to_right: bool
) -> list[int]:
    """Align and push together in one of the four ways."""
    rows = [row[::-1] if to_right else row for row in graph.rows]
    if from_below:
        rows.reverse()
    roots = _align(rows, graph.below if from_below else graph.above, conflicts)
    x = _push(rows, roots, separation)
    return [-place for place in x] if to_right else x


def _align(
    rows: Sequence[Sequence[int]], neighbours: Sequence[Sequence[int]], conflicts: set[tuple[int, int]]
) -> list[int]:
    """Return for each node the first node of the vertical block that it belongs to."""
    root = list(range(len(neighbours)))
    for earlier, row in pairwise(rows):
        place = {v: i for i, v in enumerate(earlier)}
        free_from = 0
        for v in row:
            near = sorted(neighbours[v], key=place.__getitem__)
            for w in near[(len(near) - 1) // 2 : len(near) // 2 + 1]:
                blocked = (w, v) in conflicts or (v, w) in conflicts
                if root[v] == v and place[w] >= free_from and not blocked:
                    root[v] = root[w]
                    free_from = place[w] + 1
    return root


def _push(rows: Sequence[Sequence[int]], root: Sequence[int], separation: Separation) -> list[int]:
    """Push the blocks to the left as far as they go, then each one back towards the right where nothing is lost."""
    distance: dict[int, dict[int, int]] = {v: {} for v in range(len(root)) if root[v] == v}
    pending = dict.fromkeys(distance, 0)
    for row in rows:
        for a, b in pairwise(row):
            onward = distance[root[a]]
            if root[b] not in onward:
                pending[root[b]] += 1
            onward[root[b]] = max(onward.get(root[b], 0), separation(a, b))
    order = [block for block, count in pending.items() if not count]
    x = dict.fromkeys(distance, 0)
    for block in order:
        for other, least in distance[block].items():
            x[other] = max(x[other], x[block] + least)
            pending[other] -= 1
            if not pending[other]:
                order.append(other)
    for block in reversed(order):
        if distance[block]:
            x[block] = max(x[block], min(x[other] - least for other, least in distance[block].items()))
    return [x[block] for block in root]


def _settle(graph: GraphRows, is_bend: Sequence[bool], separation: Separation, x: list[int]) -> None:
    """Move nodes, and straight runs of bends, to the middle of their neighbours, as far as there is room."""
    runs = _runs(graph, is_bend, x)
    left: dict[int, int] = {}
    right: dict[int, int] = {}
    for row in graph.rows:
        for a, b in pairwise(row):
            left[b], right[a] = a, b
    for turn in range(12):
        moved = False
        for run in runs if turn % 2 == 0 else runs[::-1]:
            wish = _wish(x[run[0]], [x[w] for w in graph.above[run[0]]], [x[w] for w in graph.below[run[-1]]])
            wish = max([wish, *(x[left[v]] + separation(left[v], v) for v in run if v in left)])
            wish = min([wish, *(x[right[v]] - separation(v, right[v]) for v in run if v in right)])
            if wish != x[run[0]]:
                moved = True
                for v in run:
                    x[v] = wish
        if not moved:
            return


def _wish(here: int, above: list[int], below: list[int]) -> int:
    """Return where the arcs of a node are shortest together; if there is a choice, in the middle or straight below."""
    ends = sorted(above + below)
    if not ends:
        return here
    low, high = ends[(len(ends) - 1) // 2], ends[len(ends) // 2]
    if any(low in side and high in side for side in (above, below)):
        return (low + high) // 2
    return min((low, high), key=lambda end: abs(end - here))


def _runs(graph: GraphRows, is_bend: Sequence[bool], x: Sequence[int]) -> list[list[int]]:
    """Return every node alone, and the bends that stand exactly below each other together, from top to bottom."""
    runs: list[list[int]] = []
    run_of: dict[int, list[int]] = {}
    for row in graph.rows:
        for v in row:
            if _inside(graph, is_bend, v) and x[graph.above[v][0]] == x[v]:
                run = run_of[graph.above[v][0]]
            else:
                run = []
                runs.append(run)
            run.append(v)
            run_of[v] = run
    return runs
