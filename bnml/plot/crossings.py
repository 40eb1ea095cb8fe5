"""Crossings: in which order the nodes of a row stand, so that few arcs cross.

Even for two rows the best order is hard to find, so it is improved step by step (Sugiyama, Tagawa and Toda 1981;
Gansner and others 1993, section 3): go down the rows and sort each one by where the neighbours in the row above stand
(the middle one, or their mean), go up again in the same way, exchange neighbours in a row while that helps, and keep
the best order seen. This is done from several starting orders.

"""

from __future__ import annotations

import random
from bisect import bisect_left, bisect_right, insort
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from bnml.plot.rows import GraphRows


def count_crossings(rows: Sequence[Sequence[int]], below: Sequence[Sequence[int]]) -> int:
    """Return the number of pairs of arcs that cross when rows stand in this order.

    Examples
    --------
    >>> from bnml.plot.crossings import count_crossings
    >>> count_crossings([[0, 1], [2, 3]], [[3], [2], [], []])
    1
    """
    total = 0
    for row, lower in pairwise(rows):
        place = {v: i for i, v in enumerate(lower)}
        seen: list[int] = []
        for v in row:
            ends = [place[w] for w in below[v]]
            total += sum(len(seen) - bisect_right(seen, end) for end in ends)
            for end in ends:
                insort(seen, end)
    return total


def order_rows(graph: GraphRows) -> GraphRows:
    """Return the graph with its rows in an order with few crossings, never more than they have as given.

    Examples
    --------
    >>> from bnml.plot.crossings import count_crossings, order_rows
    >>> from bnml.plot.rows import make_rows
    >>> crossed = make_rows([0, 0, 1, 1], [(0, 3), (1, 2)])
    >>> [count_crossings(graph.rows, graph.below) for graph in (crossed, order_rows(crossed))]
    [1, 0]
    """
    best = [list(row) for row in graph.rows]
    fewest = count_crossings(best, graph.below)
    arcs = sum(len(ends) for ends in graph.below)
    for start in range(max(2, min(30, 8000 // (arcs + 1)))):
        if not fewest:
            break
        found, crossings = _sweep(graph, _start(graph, start), by_median=start % 2 == 0)
        if crossings < fewest:
            best, fewest = found, crossings
    return replace(graph, rows=best)


def _start(graph: GraphRows, number: int) -> list[list[int]]:
    """Return a starting order: the given one, walks down and up, then shuffled ones."""
    rows = [list(row) for row in graph.rows]
    if number in (1, 2):
        return _walk(graph, rows if number == 1 else rows[::-1])
    if number > 2:
        shuffle = random.Random(number)
        for row in rows:
            shuffle.shuffle(row)
    return rows


def _walk(graph: GraphRows, beginnings: Sequence[Sequence[int]]) -> list[list[int]]:
    """Order the nodes of each row as a depth-first walk meets them, so that relatives stand together."""
    where = {v: r for r, row in enumerate(graph.rows) for v in row}
    rows: list[list[int]] = [[] for _ in graph.rows]
    met: set[int] = set()
    for first in (v for row in beginnings for v in row):
        stack = [first]
        while stack:
            v = stack.pop()
            if v not in met:
                met.add(v)
                rows[where[v]].append(v)
                stack.extend(w for near in (graph.above, graph.below) for w in reversed(near[v]) if w not in met)
    return rows


def _sweep(graph: GraphRows, rows: list[list[int]], *, by_median: bool) -> tuple[list[list[int]], int]:
    """Sort the rows down and up until that stops helping; return the best order met and its crossings."""
    place = [0] * len(graph.above)
    for row in rows:
        _note(row, place)
    _exchange(graph, rows, place, shake=False)
    best, fewest = [list(row) for row in rows], count_crossings(rows, graph.below)
    idle = 0
    turn = 0
    while fewest and idle < 8:  # rounds without progress before a start is given up
        downward = turn % 2 == 0
        neighbours = graph.above if downward else graph.below
        for row in rows if downward else rows[::-1]:
            _sort(row, neighbours, place, by_median=by_median, turn_ties=turn % 4 >= 2)
        _exchange(graph, rows, place, shake=turn % 2 == 1)
        crossings = count_crossings(rows, graph.below)
        idle += 1
        turn += 1
        if crossings < fewest:
            best, fewest, idle = [list(row) for row in rows], crossings, 0
    return best, fewest


def _note(row: Sequence[int], place: list[int]) -> None:
    for i, v in enumerate(row):
        place[v] = i


def _sort(
    row: list[int], neighbours: Sequence[Sequence[int]], place: list[int], *, by_median: bool, turn_ties: bool
) -> None:
    """Sort a row by where its neighbours stand; nodes without neighbours stay where they are."""
    wish = {v: _middle([place[w] for w in neighbours[v]], by_median=by_median) for v in row if neighbours[v]}
    movable = [v for v in row if v in wish]
    if turn_ties:
        movable.reverse()
    movable.sort(key=wish.__getitem__)
    following = iter(movable)
    row[:] = [next(following) if v in wish else v for v in row]
    _note(row, place)


def _middle(places: list[int], *, by_median: bool) -> float:
    """Return the mean or the median; between two middle values, nearer to the side where the others are closer."""
    count = len(places)
    if not by_median or count <= 2:
        return sum(places) / count
    places.sort()
    half = count // 2
    if count % 2:
        return places[half]
    left, right = places[half - 1] - places[0], places[-1] - places[half]
    if not left + right:
        return (places[half - 1] + places[half]) / 2
    return (places[half - 1] * right + places[half] * left) / (left + right)


def _exchange(graph: GraphRows, rows: Sequence[list[int]], place: list[int], *, shake: bool) -> None:
    """Exchange neighbours in a row while that removes crossings; before, if shaken, where it adds none."""
    if shake:
        for row in rows:
            _exchange_once(row, _ends(graph, row, place), most_gain=0)
            _note(row, place)
    changed = set(range(len(rows)))
    for _ in range(20):
        again: set[int] = set()
        for r in sorted(changed):
            ends = _ends(graph, rows[r], place)
            if _exchange_once(rows[r], ends, most_gain=-1):
                while _exchange_once(rows[r], ends, most_gain=-1):
                    pass
                _note(rows[r], place)
                again |= {r - 1, r + 1}
        changed = {r for r in again if 0 <= r < len(rows)}
        if not changed:
            return


def _ends(graph: GraphRows, row: Sequence[int], place: Sequence[int]) -> dict[int, tuple[list[int], list[int]]]:
    """Return where the neighbours of each node of a row stand, above and below."""
    return {v: (sorted([place[w] for w in graph.above[v]]), sorted([place[w] for w in graph.below[v]])) for v in row}


def _exchange_once(row: list[int], ends: Mapping[int, tuple[list[int], list[int]]], *, most_gain: int) -> bool:
    """Go through a row and exchange neighbours if the crossings they gain by it are at most so many."""
    exchanged = False
    for i in range(len(row) - 1):
        (a_up, a_down), (b_up, b_down) = ends[row[i]], ends[row[i + 1]]
        now = _inversions(a_up, b_up) + _inversions(a_down, b_down)
        if now + most_gain >= 0 and _inversions(b_up, a_up) + _inversions(b_down, a_down) <= now + most_gain:
            row[i], row[i + 1] = row[i + 1], row[i]
            exchanged = True
    return exchanged


def _inversions(left: Sequence[int], right: Sequence[int]) -> int:
    """Return how many arcs of the left node cross arcs of the right one; both ends sorted."""
    if not left or not right or left[-1] <= right[0]:
        return 0
    return sum(bisect_left(right, end) for end in left)
