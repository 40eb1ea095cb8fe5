"""Spanning trees: the links with the largest sum that join all variables without a cycle (Kruskal 1956).

Links are taken one after the other, the best first, unless they close a cycle with those that were taken before. A
tree without directions becomes a DAG by leading all its links away from a root.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]
    Bools = npt.NDArray[np.bool_]

Links = list[tuple[int, int]]


def spanning_links(gains: Floats, allowed: Bools, required: Bools) -> Links:
    """Return the links of a maximum spanning tree, or forest, of symmetric gains: required ones first, ties by name."""
    import numpy as np

    a, b = np.nonzero(np.triu((allowed | required), 1))
    order = np.lexsort((b, a, -gains[a, b], ~required[a, b]))
    return kruskal(len(gains), zip(a[order].tolist(), b[order].tolist(), strict=True))


def kruskal(n: int, links: Iterable[tuple[int, int]]) -> Links:
    """Return those of some links between n nodes that close no cycle with those that come before them."""
    group = list(range(n))  # leads to the node that stands for all that are joined already

    def top(x: int) -> int:
        while group[x] != x:
            group[x] = group[group[x]]
            x = group[x]
        return x

    kept: Links = []
    for x, y in links:
        x_top, y_top = top(x), top(y)
        if x_top != y_top:
            group[max(x_top, y_top)] = min(x_top, y_top)
            kept.append((x, y))
            if len(kept) == n - 1:
                break
    return kept


def spanning_neighbours(n: int, links: Iterable[tuple[int, int]]) -> list[set[int]]:
    """Return the neighbours of each variable in a spanning forest."""
    neighbours: list[set[int]] = [set() for _ in range(n)]
    for a, b in links:
        neighbours[a].add(b)
        neighbours[b].add(a)
    return neighbours


def spanning_parents(neighbours: Sequence[set[int]], root: int | None = None) -> list[list[int]]:
    """Return the parents of each variable in a spanning forest directed away from a root, else from the first name."""
    n = len(neighbours)
    parents: list[list[int]] = [[] for _ in range(n)]
    seen = [False] * n
    for start in [*([] if root is None else [root]), *range(n)]:
        todo = [] if seen[start] else [start]
        while todo:
            x = todo.pop()
            seen[x] = True
            for y in neighbours[x]:
                if not seen[y]:
                    parents[y] = [x]
                    todo.append(y)
    return parents
