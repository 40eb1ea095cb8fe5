"""Consistent extension: a DAG that fits a partially directed graph, after Dor and Tarsi (1992).

A *consistent extension* of a PDAG orients its undirected edges so that no cycle and no new v-structure arises: it
has the same skeleton, the same directed arcs and the same v-structures. A PDAG may have none, for example the
undirected square A - B - C - D - A.

The idea: some node must be last in the order. A node can be the last one if no arc leaves it, and if turning its
undirected edges into arcs towards it makes no new v-structure, that is, if each of its undirected neighbours is
adjacent to all its other neighbours. Take any such node away, and go on with the rest. Which node is taken first never
decides whether the procedure succeeds; here it is the last one in the order of names, so that early names tend to
be the parents.
"""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heapify, heappop, heappush

from bnml._bits import bits, transposed


def consistent_extension(parents: Sequence[int], neighbours: Sequence[int]) -> list[int] | None:
    """Return the parent masks of a consistent extension, or None if there is none.

    Only the neighbours of a node taken away can become able to be last, so only they are looked at again.
    """
    children = transposed(parents)
    adjacent = [p | c | u for p, c, u in zip(parents, children, neighbours, strict=True)]
    result = list(parents)
    left = (1 << len(result)) - 1
    candidates = [-i for i in range(len(result))]  # a heap gives the smallest first; we want the largest
    heapify(candidates)
    while candidates:
        i = -heappop(candidates)
        if not left >> i & 1 or children[i] & left:
            continue
        around, free = adjacent[i] & left, neighbours[i] & left
        if any(around & ~adjacent[j] & ~(1 << j) for j in bits(free)):
            continue
        result[i] |= free
        left ^= 1 << i
        for j in bits(around):
            heappush(candidates, -j)
    return None if left else result
