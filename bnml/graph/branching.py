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
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy.typing as npt

EXACT = 1 << 51  # floats hold differences of smaller whole numbers


def maximum_branching(weights: Sequence[Sequence[int | None]] | npt.NDArray[Any]) -> list[int | None]:
    """Return a parent for each node, or None: without a cycle, and with the largest sum of the weights of the arcs.

    Parameters
    ----------
    weights
        For each node the weight of the arc from each other node; None, or in an array minus infinity, where there is no
        such arc. Whole numbers, so that differences are exact; in an array of floats below 2^51.

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
    work = _Groups(_as_array(weights))
    for start in range(len(weights)):
        work.grow(start)
    return work.opened()


def _as_array(weights: Sequence[Sequence[int | None]] | npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return weights as an array, of floats if these are exact; minus infinity where there is no arc."""
    import numpy as np

    if isinstance(weights, np.ndarray):
        return weights
    rows = [[-np.inf if weight is None else weight for weight in row] for row in weights]
    largest = max((abs(weight) for row in weights for weight in row if weight is not None), default=0)
    return np.array(rows, np.float64 if largest < EXACT else object).reshape(len(rows), len(rows))


class _Groups:
    """Nodes, and groups of them that are taken as one; both have numbers, the groups those after the root's."""

    def __init__(self, weights: npt.NDArray[Any]) -> None:
        import numpy as np

        n = self.n = len(weights)
        # a node without a parent has a parent as well: the root, which has the number n, at no cost
        first = np.zeros((n, n + 1), weights.dtype)
        first[:, :n] = weights
        first[np.arange(n), np.arange(n)] = -np.inf
        self.into: list[npt.NDArray[Any]] = [*first, np.empty(0)]
        # the node in a group that the arc leads to
        self.heads = [*(np.broadcast_to(np.int64(v), n + 1) for v in range(n)), np.empty(0, np.int64)]
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
            tail = self.chosen[v] = int(self.into[v].argmax())  # the first of equals
            v = self.group_of[tail]
        for v in path:
            self.finished[v] = True

    def _join(self, cycle: list[int]) -> int:
        """Take the nodes and groups of a cycle as one."""
        import numpy as np

        new = len(self.into)
        into = np.full(self.n + 1, -np.inf, self.into[0].dtype)
        heads = np.zeros(self.n + 1, np.int64)
        for v in cycle:
            more = self.into[v] - self.into[v][self.chosen[v]]
            better = (more > into) | ((more == into) & (self.heads[v] < heads) & (more > -np.inf))
            into[better], heads[better] = more[better], self.heads[v][better]
            self.above[v] = new
        nodes = [node for v in cycle for node in self.nodes[v]]
        for node in nodes:
            self.group_of[node] = new
        into[nodes] = -np.inf
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
            v = int(self.heads[outer][tail])
            parents[v] = tail if tail < self.n else None
            while v != outer:
                up = self.above[v]
                assert up is not None
                todo.extend(other for other in self.members[up] if other != v)
                v = up
        return parents
