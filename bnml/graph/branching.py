"""Maximum branchings: the best parent for each variable, one or none, without a cycle (Edmonds 1967).

Each variable takes the best arc that leads into it. If these arcs close a cycle, one of them has to go: the variables
of the cycle are taken together as one, and an arc into it costs what the arc that it replaces was worth. In the end
every such group is opened again from the outermost on: the arc into the group replaces one arc of its cycle, the others
stay.

The arcs are chosen along a path, as Gabow and others (1986) do it, so that each group is formed once, and the whole is
a number of steps that is quadratic in the number of variables.
"""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["maximum_branching"]


def maximum_branching(weights: Sequence[Sequence[int | None]]) -> list[int | None]:
    """Return a parent for each node, or None: without a cycle, and with the largest sum of the weights of the arcs.

    Parameters
    ----------
    weights
        For each node the weight of the arc from each other node; None where there is no such arc. Whole numbers, so
        that differences are exact.

    Returns
    -------
    list
        For each node its parent. Of equal arcs the one from the first node is preferred.

    Notes
    -----
    Edmonds, J. (1967), Optimum branchings. Gabow, H. N., Galil, Z., Spencer, T. & Tarjan, R. E. (1986), Efficient
    algorithms for finding minimum spanning trees in undirected and directed graphs.

    Examples
    --------
    >>> maximum_branching([[None, 5, 1], [6, None, 1], [None, 2, None]])
    [None, 0, 1]
    """
    work = _Groups(weights)
    for start in range(len(weights)):
        work.grow(start)
    return work.opened()


class _Groups:
    """Nodes, and groups of them that are taken as one; both have numbers, the groups those after the root's."""

    def __init__(self, weights: Sequence[Sequence[int | None]]) -> None:
        n = self.n = len(weights)
        # a node without a parent has a parent as well: the root, which has the number n, at no cost
        self.into: list[list[int | None]] = [[*row, 0] for row in weights]
        self.heads = [[v] * (n + 1) for v in range(n)]  # the node in a group that the arc leads to
        for v in range(n):
            self.into[v][v] = None
        self.into.append([])
        self.heads.append([])
        self.nodes = [[v] for v in range(n + 1)]
        self.members: list[list[int]] = [[] for _ in range(n + 1)]
        self.above: list[int | None] = [None] * (n + 1)
        self.chosen = [n] * (n + 1)  # where the best arc into a node or group comes from
        self.group_of = list(range(n + 1))  # of each node the outermost group
        self.finished = [False] * n + [True]

    def grow(self, start: int) -> None:
        """Choose the best arc into a node, into where that comes from, and so on, up to what is finished."""
        path: list[int] = []
        v = self.group_of[start]
        while not self.finished[v]:
            if v in path:
                at = path.index(v)
                v = self._join(path[at:])
                del path[at:]
            path.append(v)
            tail = self.chosen[v] = self._best(v)
            v = self.group_of[tail]
        for v in path:
            self.finished[v] = True

    def _best(self, v: int) -> int:
        """Return where the best arc into a node or group comes from; the first of equals."""
        best, found = None, self.n
        for tail, weight in enumerate(self.into[v]):
            if weight is not None and (best is None or weight > best):
                best, found = weight, tail
        return found

    def _join(self, cycle: list[int]) -> int:
        """Take the nodes and groups of a cycle as one."""
        new = len(self.into)
        into: list[int | None] = [None] * (self.n + 1)
        heads = [0] * (self.n + 1)
        for v in cycle:
            own = self.into[v][self.chosen[v]]
            assert own is not None
            for tail, weight in enumerate(self.into[v]):
                if weight is None:
                    continue
                more, head, known = weight - own, self.heads[v][tail], into[tail]
                if known is None or more > known or (more == known and head < heads[tail]):
                    into[tail], heads[tail] = more, head
            self.above[v] = new
        nodes = [node for v in cycle for node in self.nodes[v]]
        for node in nodes:
            self.group_of[node] = new
            into[node] = None
        self.into.append(into)
        self.heads.append(heads)
        self.nodes.append(nodes)
        self.members.append(cycle)
        self.above.append(None)
        self.chosen.append(self.n)
        self.finished.append(False)
        return new

    def opened(self) -> list[int | None]:
        """Open all groups, and return the parent of each node."""
        parents: list[int | None] = [None] * self.n
        todo = [v for v, above in enumerate(self.above) if above is None and v != self.n]
        while todo:
            outer = todo.pop()
            tail = self.chosen[outer]
            v = self.heads[outer][tail]
            parents[v] = tail if tail < self.n else None
            while v != outer:
                up = self.above[v]
                assert up is not None
                todo.extend(other for other in self.members[up] if other != v)
                v = up
        return parents
