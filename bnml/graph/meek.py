"""Meek's rules: which directions follow from those that are known.

Given a skeleton, its v-structures and perhaps some directions known from elsewhere, orient an undirected edge
whenever the other direction would make a new v-structure or a cycle:

====  =============================================================================  ==========================
rule  i - j becomes i -> j when                                                      because j -> i would make
====  =============================================================================  ==========================
R1    h -> i, and h and j are not adjacent                                           the v-structure h -> i <- j
R2    i -> k -> j                                                                    a cycle
R3    i - k -> j and i - m -> j, and k and m are not adjacent                        k -> i <- m, or a cycle
R4    i - k -> m -> j, k and j are not adjacent, and i and m are                     k -> i <- j, or a cycle
====  =============================================================================  ==========================

R1 to R3, begun from the v-structures of a DAG, give exactly the CPDAG. R4 can fire only when directions came from
elsewhere (*background knowledge*); with it the four rules are complete for that case too: every edge left undirected
really occurs in both directions (Meek 1995).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from bnml._bits import bits, transposed
from bnml.errors import GraphError
from bnml.graph._checks import require_pdag
from bnml.graph.pdag import PDAG
from bnml.graph.topological import cycle_text, find_cycle, topological_order


class Orienter:
    """A partially directed graph in the course of being oriented, as bit masks.

    ``pending`` holds the undirected edges for which a rule may fire. A rule can begin to fire only when a new arc
    appears, so after each new arc only the few edges that it can concern are looked at again.
    """

    def __init__(self, names: Sequence[str], parents: Sequence[int], neighbours: Sequence[int], strict: bool) -> None:
        self.names = names
        self.parents, self.children, self.neighbours = list(parents), transposed(parents), list(neighbours)
        self.adjacent = [p | c | u for p, c, u in zip(self.parents, self.children, neighbours, strict=True)]
        self.strict = strict
        self.pending = [(i, j) for i, mask in enumerate(neighbours) for j in bits(mask) if i < j]
        self.pending.reverse()  # taken from the end: smallest first

    def orient(self, a: int, b: int) -> None:
        """Turn a - b into a -> b, and note the edges for which this arc may matter."""
        self.neighbours[a] &= ~(1 << b)
        self.neighbours[b] &= ~(1 << a)
        self.children[a] |= 1 << b
        self.parents[b] |= 1 << a
        adjacent, near_a, near_b = self.adjacent, self.neighbours[a], self.neighbours[b]
        at_b = near_b & (~adjacent[a] | self.parents[a])  # R1, R2
        if self.parents[b] & ~adjacent[a] & ~(1 << a):
            at_b |= near_b & near_a  # R3
        if self.parents[a] & ~adjacent[b]:
            at_b |= near_b & adjacent[a]  # R4, the new arc as m -> j
        self.pending.extend((b, i) for i in bits(at_b))
        self.pending.extend((a, j) for j in bits(near_a & self.children[b]))  # R2
        for j in bits(self.children[b] & ~adjacent[a]):  # R4, the new arc as k -> m
            self.pending.extend((i, j) for i in bits(near_a & self.neighbours[j] & adjacent[b]))

    def close(self) -> None:
        """Apply the rules until none fires."""
        while self.pending:
            i, j = self.pending.pop()
            if not self.neighbours[i] >> j & 1:
                continue
            forth, back = self._rule(i, j), self._rule(j, i)
            if forth and back:
                if self.strict:
                    raise GraphError(self._both_ways(i, j, forth, back))
            elif forth:
                self.orient(i, j)
            elif back:
                self.orient(j, i)

    def _rule(self, i: int, j: int) -> int:
        """Return the number of the first rule that makes i - j into i -> j, or 0."""
        parents, adjacent, neighbours = self.parents, self.adjacent, self.neighbours
        if parents[i] & ~adjacent[j]:
            return 1
        if self.children[i] & parents[j]:
            return 2
        both = neighbours[i] & parents[j]
        if any(both & ~adjacent[k] & ~(1 << k) for k in bits(both)):
            return 3
        if any(parents[m] & neighbours[i] & ~adjacent[j] for m in bits(parents[j] & adjacent[i])):
            return 4
        return 0

    def _both_ways(self, i: int, j: int, forth: int, back: int) -> str:
        a, b = self.names[i], self.names[j]
        return (
            f"the directions contradict each other: {a} - {b} must become {a} -> {b} by Meek's rule {forth} and"
            f" {b} -> {a} by rule {back}. No DAG has these edges, arcs and v-structures."
        )


def apply_meek_rules(pdag: PDAG, background: Iterable[Collection[str]] = (), *, strict: bool = True) -> PDAG:
    """Orient all edges whose direction follows, by Meek's rules R1 to R4.

    Parameters
    ----------
    pdag : PDAG
        A graph whose v-structures are all directed, such as a CPDAG, or a skeleton with its v-structures.
    background : iterable of (str, str)
        Arcs known from elsewhere: the edge must be there, and the arc must not contradict the graph.
    strict : bool
        What to do if the graph itself is contradictory, so that an edge is forced both ways: raise an error, or
        (False) leave that edge undirected, which suits the answers of independence tests on small samples.

    Returns
    -------
    PDAG
        The graph with every direction that follows.

    Raises
    ------
    GraphError
        If a background arc is not an edge or contradicts the graph or another background arc; and, if strict, if an
        edge is forced both ways or the arcs close a cycle.

    Notes
    -----
    Meek, C. (1995), Causal inference and causal explanation with background knowledge. In rule R4 the nodes i and m
    have to be adjacent, which is easily forgotten.

    Examples
    --------
    >>> from bnml.graph import PDAG, apply_meek_rules
    >>> chain = PDAG(["A", "B", "C"], [], [("A", "B"), ("B", "C")])
    >>> print(apply_meek_rules(chain, background=[("A", "B")]))
    A -> B, B -> C
    """
    require_pdag(pdag, "pdag")
    work = Orienter(pdag.names, pdag.parent_masks, pdag.neighbour_masks, strict)
    work.close()
    for i, j in pdag.variables.pairs(background, "background"):
        _add_background(work, i, j)
    if strict:
        order = topological_order(work.parents, work.children)
        if len(order) < len(pdag.names):
            cycle = cycle_text(pdag.names, find_cycle(work.parents, order))
            raise GraphError(f"the directions contradict each other: the arcs that follow close the cycle {cycle}")
    return PDAG.from_masks(pdag.names, work.parents, work.neighbours)


def _add_background(work: Orienter, i: int, j: int) -> None:
    arc = f"{work.names[i]} -> {work.names[j]}"
    if not work.adjacent[i] >> j & 1:
        raise GraphError(f"the background arc {arc} is not an edge of the graph; rules orient edges, they add none")
    if work.parents[i] >> j & 1:
        raise GraphError(
            f"the background arc {arc} contradicts the graph: {work.names[j]} -> {work.names[i]} is there, or follows"
            " from it and the other background arcs"
        )
    if work.neighbours[i] >> j & 1:
        work.orient(i, j)
        work.close()
