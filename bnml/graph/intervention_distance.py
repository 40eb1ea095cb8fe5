"""The structural intervention distance: how many effects of interventions a graph gets wrong.

Who takes a learned DAG for the truth computes what happens to y when x is set from outside by adjusting for the parents
of x in that DAG: ``p(y | do(x)) = sum_z p(y | x, z) p(z)``, z over the values of these parents, or ``p(y)`` if y is one
of them. The *structural intervention distance* (SID; Peters and Bühlmann 2015) is the number of ordered pairs (x, y)
for which that is wrong, for some distribution of the true DAG. An arc too many can cost nothing, and one turned round a
lot.

If y is a parent of x in the learned DAG, the answer is wrong exactly if y is a descendant of x in the true one.
Otherwise it is right exactly if the parents Z of x in the learned DAG are a valid adjustment set in the true one
(Shpitser, VanderWeele and Robins 2010):

* no member of Z is a descendant of a node other than x on a directed path from x to y, or such a node itself;
* Z blocks every path from x to y that is not directed.

For one x all y are found at once. A path that is not directed begins with a parent of x, or it follows the arrows from
x to a collider first; so it is a matter of one walk through the true DAG, see `bnml.graph.separation`. The walk can
come back to a node where a path cannot; then the first condition fails as well.

The distance depends on the parents of each x alone. So its bounds over an equivalence class are sums of bounds over the
undirected parts of the CPDAG, and in a part they are found by sources, see `bnml.graph.orientations`.
"""

from __future__ import annotations

from typing import Any

from bnml._bits import bits, closure, set_key, union
from bnml.errors import ArgumentError, GraphError, argument
from bnml.graph.base import graph_of, require_same_variables
from bnml.graph.dag import DAG
from bnml.graph.orientations import (
    UndoableOrienter,
    begun_orientation,
    orientations_by_source,
    part_key,
    undirected_parts,
)
from bnml.graph.pdag import PDAG
from bnml.graph.separation import reachable


def sid(truth: Any, learned: Any) -> int:
    """Return the structural intervention distance of a DAG to the true one.

    Parameters
    ----------
    truth, learned : DAG, or what has one: a network, or the result of a search
        The true graph and the one to be judged, over the same variables. Their order matters.

    Returns
    -------
    int
        The number of ordered pairs of variables, of n (n - 1), for which ``learned`` gives a wrong effect of an
        intervention.

    Raises
    ------
    ArgumentError
        If one is a PDAG: its members give different effects. `sid_bounds` takes a learned PDAG.
    GraphError
        If the variables differ.

    Notes
    -----
    Peters, J. and Bühlmann, P. (2015), Structural intervention distance for evaluating causal graphs. Neural
    Computation.

    Examples
    --------
    >>> import bnml
    >>> truth = bnml.DAG.parse("[A][B|A][C|A:B]")
    >>> bnml.sid(truth, bnml.DAG.parse("[A][B|A][C|B]")), bnml.sid(truth, bnml.DAG.parse("[B][A|B][C|A:B]"))
    (1, 4)
    >>> bnml.sid(bnml.DAG.parse("[A][B|A][C|B]"), truth)  # an arc too many costs nothing
    0
    """
    true_dag, judged = _true_dag(truth), graph_of(learned, "learned")
    if not isinstance(judged, DAG):
        raise ArgumentError(
            argument("learned") + " is a PDAG, and its members give different effects.",
            hint="Take bnml.sid_bounds for the smallest and the largest distance, or one DAG, such as .to_dag().",
        )
    require_same_variables(true_dag.names, judged.names)
    effects = _Effects(true_dag)
    return sum(effects.wrong(i, parents) for i, parents in enumerate(judged.reordered(true_dag.names).parent_masks))


def sid_bounds(truth: Any, learned: Any) -> tuple[int, int]:
    """Return the smallest and the largest structural intervention distance over a class of DAGs.

    Parameters
    ----------
    truth : DAG, or what has one: a network, or the result of a search
        The true graph.
    learned : DAG or PDAG, or what has one
        The class: all DAGs that a PDAG stands for, or that are equivalent to a DAG.

    Returns
    -------
    (int, int)
        The distances of the best and of the worst member.

    Raises
    ------
    ArgumentError
        If the truth is a PDAG.
    GraphError
        If the variables differ, no DAG fits ``learned``, or it has too many members: a part of it is undirected, and so
        dense that they cannot be gone through.

    Examples
    --------
    >>> import bnml
    >>> truth = bnml.DAG.parse("[A][B|A][C|B]")
    >>> bnml.sid_bounds(truth, truth)
    (0, 6)
    """
    true_dag, judged = _true_dag(truth), graph_of(learned, "learned")
    require_same_variables(true_dag.names, judged.names)
    judged = judged.reordered(true_dag.names)
    work = begun_orientation(judged if isinstance(judged, PDAG) else judged.cpdag())
    if work is None:
        raise GraphError("the learned PDAG has no consistent extension, so there is no DAG to judge")
    bounds = _Bounds(work, _Effects(true_dag))
    everything = (1 << len(true_dag.names)) - 1
    parts = undirected_parts(work, everything)
    return bounds.in_all(everything & ~sum(parts), parts, 0)


def _true_dag(truth: Any) -> DAG:
    graph = graph_of(truth, "truth")
    if not isinstance(graph, DAG):
        raise ArgumentError(
            argument("truth") + " is a PDAG, and interventions have other effects in each of its members.",
            hint="Give the true DAG, or take one by one those of .members().",
        )
    return graph


class _Effects:
    """Which effects of interventions are wrong when certain sets are adjusted for, in one true DAG."""

    def __init__(self, truth: DAG) -> None:
        self.parents, self.children = truth.parent_masks, truth.child_masks
        self.descendants = [0] * len(truth.names)  # of each node, itself among them
        for name in reversed(truth.topological_order()):
            i = truth.variables.index[name]
            self.descendants[i] = 1 << i | union(self.descendants, self.children[i])
        self.known: dict[tuple[int, int | bytes], int] = {}

    def wrong(self, i: int, given: int) -> int:
        """Return for how many others the effect of i is wrong if ``given`` are taken for its parents."""
        if given == self.parents[i]:
            return 0
        key = i, set_key(given)
        if key not in self.known:
            self.known[key] = self._wrong_effects(i, given).bit_count()
        return self.known[key]

    def _wrong_effects(self, i: int, given: int) -> int:
        itself = 1 << i
        below = self.descendants[i] & ~itself
        above_given = closure(self.parents, given)
        on_the_way = union(self.descendants, below & above_given)
        free = {j: 0 if given >> j & 1 else self.children[j] for j in bits(below)}
        colliders = closure(free, self.children[i]) & above_given
        starts = (self.parents[i] | union(self.parents, colliders)) & ~itself
        not_blocked = reachable(self.parents, self.children, starts, given, closed=itself)
        return (on_the_way | not_blocked) & ~(given | itself) | given & below


class _Bounds:
    """The smallest and the largest number of wrong effects over the orientations of a graph."""

    def __init__(self, work: UndoableOrienter, effects: _Effects) -> None:
        self.work, self.effects = work, effects
        self.known: dict[tuple[int | bytes, ...], tuple[int, int]] = {}

    def in_all(self, settled: int, parts: list[int], depth: int) -> tuple[int, int]:
        """Return the bounds for nodes whose parents are known and some parts together."""
        fixed = sum(self.effects.wrong(i, self.work.parents[i]) for i in bits(settled))
        bounds = [self.of_part(part, depth) for part in parts]
        return fixed + sum(low for low, _ in bounds), fixed + sum(high for _, high in bounds)

    def of_part(self, part: int, depth: int) -> tuple[int, int]:
        """Return the bounds for a part."""
        key = part_key(self.work, part, around=True)
        if key not in self.known:
            found = [
                self.in_all(settled, left, depth + 1)
                for settled, left in orientations_by_source(self.work, part, depth)
            ]
            self.known[key] = min(low for low, _ in found), max(high for _, high in found)
        return self.known[key]
