"""Topological orders, and the cycle that stands in the way of one.

A topological order lists parents before their children. Among the many there may be, this module always gives
the one that is smallest position by position, so that equal graphs are written in equal ways.
"""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heapify, heappop, heappush

from bnml._bits import bits


def topological_order(parents: Sequence[int], children: Sequence[int]) -> list[int]:
    """Return the smallest topological order; nodes on or behind a cycle are left out."""
    waiting = [mask.bit_count() for mask in parents]
    ready = [i for i, count in enumerate(waiting) if not count]
    heapify(ready)
    order = []
    while ready:
        i = heappop(ready)
        order.append(i)
        for j in bits(children[i]):
            waiting[j] -= 1
            if not waiting[j]:
                heappush(ready, j)
    return order


def find_cycle(parents: Sequence[int], order: Sequence[int]) -> list[int]:
    """Return one cycle among the nodes that ``order`` leaves out, along the arrows, smallest node first.

    Each of those nodes has a parent that is left out too, so walking up must come back to a node seen before.
    """
    stuck = (1 << len(parents)) - 1
    for i in order:
        stuck ^= 1 << i
    node = next(bits(stuck))
    walk: list[int] = []
    seen: dict[int, int] = {}
    while node not in seen:
        seen[node] = len(walk)
        walk.append(node)
        node = next(bits(parents[node] & stuck))
    cycle = walk[seen[node] :][::-1]
    start = cycle.index(min(cycle))
    return cycle[start:] + cycle[:start]


def cycle_text(names: Sequence[str], cycle: Sequence[int], *, most: int = 10) -> str:
    """Return a cycle, which no topological order has, as ``A -> B -> A``; the middle of a long one is left out."""
    path = [names[i] for i in cycle]
    if len(path) > most:
        path = [*path[: most - 2], "...", path[-1]]
    return " -> ".join([*path, names[cycle[0]]])
