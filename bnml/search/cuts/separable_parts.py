"""Sets of variables that a structure can be searched for apart: no cycle and no link goes from one to another."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bnml._bits import bits, closure, transposed


def separable_parts(parents: Sequence[Sequence[int]], links: Sequence[int]) -> Iterator[list[int]]:
    """Yield sets of variables that can be on a cycle together, or are linked, each with its members in their order."""
    up = [mask | links[i] for i, mask in enumerate(map(_union, parents))]
    down = transposed(up)
    up = [a | links[i] for i, a in enumerate(up)]
    left = (1 << len(up)) - 1
    while left:
        start = left & -left
        own = closure(up, start) & closure(down, start)
        left &= ~own
        yield list(bits(own))


def _union(masks: Sequence[int]) -> int:
    found = 0
    for mask in masks:
        found |= mask
    return found
