"""Places on a line under least distances, with the smallest sum of lengths: the network simplex method.

Given are constraints ``x[b] - x[a] >= least``, each with a weight; wanted are whole numbers x that make the sum of
``weight * (x[b] - x[a])`` as small as possible. This is a linear program whose dual is a flow (Gansner, Koutsofios,
North and Vo 1993, section 2). A spanning tree of *tight* constraints, those that hold with equality, fixes all places.
Cutting one of them leaves two parts, one before and one after the cut; if the constraints that lead back weigh more
than those that lead forward, moving the parts away from each other makes the sum smaller, until another constraint
becomes tight and takes the place of the one that was cut. GraphRows of nodes, and places in a row, are both found like
this.
"""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heappop, heappush

Constraint = tuple[int, int, int, int]  # from, to, least distance, weight


def shorten_by_simplex(constraints: Sequence[Constraint], x: list[int], *, most_steps: int) -> None:
    """Shorten arcs by the network simplex method: improve places, in place.

    Parameters
    ----------
    constraints : sequence of (int, int, int, int)
        From, to, least distance and weight; they connect all places, and no weight is negative.
    x : list of int
        Places that satisfy the constraints; made better, and still satisfying them.
    most_steps : int
        When to stop at the latest: steps without progress could go in a circle.

    Examples
    --------
    >>> from bnml.plot.simplex import shorten_by_simplex
    >>> x = [0, 1, 2, 0]
    >>> shorten_by_simplex([(0, 1, 1, 1), (1, 2, 1, 1), (3, 2, 1, 1)], x, most_steps=10)
    >>> [place - x[0] for place in x]
    [0, 1, 2, 1]
    """
    surplus = [0] * len(x)
    for a, b, _, weight in constraints:
        surplus[a] += weight
        surplus[b] -= weight
    tree = _tight_tree(constraints, x)
    for _ in range(most_steps):
        link, order = _hang(constraints, tree, len(x))
        leaving = _best_cut(constraints, surplus, link, order)
        if leaving is None:
            return
        before = _before(constraints, link, order, leaving)
        slack, entering = min(
            (x[b] - x[a] - least, k) for k, (a, b, least, _) in enumerate(constraints) if before[b] and not before[a]
        )
        if slack:
            x[:] = [place - slack if first else place for place, first in zip(x, before, strict=True)]
        tree[tree.index(leaving)] = entering


def _tight_tree(constraints: Sequence[Constraint], x: list[int]) -> list[int]:
    """Return constraints that span all places, after moving places so that all of these are tight."""
    around: list[list[int]] = [[] for _ in x]
    for k, (a, b, _, _) in enumerate(constraints):
        around[a].append(k)
        around[b].append(k)
    inside = [False] * len(x)
    inside[0] = True
    members = [0]
    tree: list[int] = []
    # How far the tree has to move until a constraint is tight: forward if it begins inside, backward if it ends there.
    forward: list[tuple[int, int]] = []
    backward: list[tuple[int, int]] = []
    moved = 0
    new = 0
    while True:
        for k in around[new]:
            a, b, least, _ = constraints[k]
            slack = x[b] - x[a] - least
            if inside[a] and not inside[b]:
                heappush(forward, (slack + moved, k))
            elif inside[b] and not inside[a]:
                heappush(backward, (slack - moved, k))
        while forward and inside[constraints[forward[0][1]][1]]:
            heappop(forward)
        while backward and inside[constraints[backward[0][1]][0]]:
            heappop(backward)
        if not forward and not backward:
            return tree
        ahead = forward[0][0] - moved if forward else None
        back = backward[0][0] + moved if backward else None
        if back is None or (ahead is not None and ahead <= back):
            shift, (_, k) = ahead, heappop(forward)
        else:
            shift, (_, k) = -back, heappop(backward)
        if shift:
            moved += shift
            for v in members:
                x[v] += shift
        a, b, _, _ = constraints[k]
        new = b if inside[a] else a
        inside[new] = True
        members.append(new)
        tree.append(k)


def _hang(constraints: Sequence[Constraint], tree: Sequence[int], n: int) -> tuple[list[int], list[int]]:
    """Hang the tree up at place 0: the link above each place (-1 at the root), and the places from the root down."""
    around: list[list[int]] = [[] for _ in range(n)]
    for k in tree:
        around[constraints[k][0]].append(k)
        around[constraints[k][1]].append(k)
    link = [-1] * n
    order = [0]
    for v in order:  # grows while it is read
        for k in around[v]:
            if k != link[v]:
                a, b, _, _ = constraints[k]
                other = b if a == v else a
                link[other] = k
                order.append(other)
    return link, order


def _best_cut(
    constraints: Sequence[Constraint], surplus: Sequence[int], link: Sequence[int], order: Sequence[int]
) -> int | None:
    """Return the link whose cut gains most, if any does.

    What leads out of a set of places minus what leads into it is the sum of the surpluses of its members.
    """
    total = list(surplus)
    best, found = 0, None
    for v in reversed(order[1:]):
        k = link[v]
        a, b, _, _ = constraints[k]
        if a == v:
            total[b] += total[v]
            gain = total[v]
        else:
            total[a] += total[v]
            gain = -total[v]
        if gain < best:
            best, found = gain, k
    return found


def _before(constraints: Sequence[Constraint], link: Sequence[int], order: Sequence[int], cut: int) -> list[bool]:
    """Tell which places stay with the beginning of a link when it is cut."""
    hanging = [False] * len(link)
    for v in order[1:]:
        k = link[v]
        a, b, _, _ = constraints[k]
        hanging[v] = k == cut or hanging[a if b == v else b]
    side = hanging[constraints[cut][0]]
    return [part == side for part in hanging]
