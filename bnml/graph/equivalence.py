"""Markov equivalence classes: their CPDAGs, Meek's rules, and the canonical member.

Different DAGs can promise the same independences: ``A -> B -> C``, ``A <- B <- C`` and ``A <- B -> C`` all say that A
and C are independent given B, and no data can tell them apart. Two DAGs are *Markov equivalent* exactly when they
have the same skeleton (edges without their arrows) and the same v-structures ``a -> c <- b``, a and b not adjacent
(Verma and Pearl 1990).

The class is drawn as its *CPDAG* (completed partially directed acyclic graph): an edge is directed when all members of
the class agree on its direction (it is *compelled*), and undirected when they do not (*reversible*). Equivalent DAGs
have the same CPDAG. On four nodes there are 543 DAGs but only 185 classes.

**Meek's rules** say which directions follow from those that are known. Given a skeleton, its v-structures and perhaps
some directions known from elsewhere, orient an undirected edge whenever the other direction would make a new
v-structure or a cycle:

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

The *canonical* DAG of a class is the one that puts the smallest names first.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from heapq import heapify, heappop, heappush

from bnml._bits import bits, transposed
from bnml.errors import GraphError
from bnml.graph.base import cycle_text, find_cycle, require_pdag, topological_order
from bnml.graph.dag import DAG
from bnml.graph.pdag import PDAG


def cpdag_of(dag: DAG) -> PDAG:
    """Return the CPDAG of a DAG's Markov equivalence class.

    Parameters
    ----------
    dag : DAG
        Any member of the class.

    Returns
    -------
    PDAG
        Directed where all members agree, undirected elsewhere.

    Notes
    -----
    Chickering's (1995) labelling of edges in topological order. Let x be the last parent of y in that order. If a
    compelled arc into x comes from a node that is not a parent of y, or y has a parent that is neither x nor a parent
    of x, then all arcs into y are compelled; otherwise exactly those from the nodes with a compelled arc into x. So
    one step per node is enough.

    Examples
    --------
    >>> from bnml.graph import DAG
    >>> from bnml.graph.equivalence import cpdag_of
    >>> print(cpdag_of(DAG.parse("[A][B|A][C|B]")))
    A - B, B - C
    """
    parents = dag.parent_masks
    compelled = [0] * len(parents)
    place = [0] * len(parents)
    for k, y in enumerate(dag.variables.index[name] for name in dag.topological_order()):
        place[y] = k
        if not parents[y]:
            continue
        x = max(bits(parents[y]), key=place.__getitem__)
        stranger = parents[y] & ~parents[x] & ~(1 << x)
        all_of_them = stranger or compelled[x] & ~parents[y]
        compelled[y] = parents[y] if all_of_them else compelled[x]
    neighbours = [0] * len(parents)
    for y, mask in enumerate(parents):
        for x in bits(mask & ~compelled[y]):
            neighbours[x] |= 1 << y
            neighbours[y] |= 1 << x
    return PDAG.from_masks(dag.names, compelled, neighbours)


def class_of(graph: DAG | PDAG) -> PDAG:
    """Return the CPDAG of a DAG; a PDAG as it is."""
    return graph.cpdag() if isinstance(graph, DAG) else graph


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


def canonical_extension(pdag: PDAG) -> DAG:
    """Return the DAG that stands for the class of a CPDAG: the member that puts the smallest names first.

    Write every member of the class in all its topological orders; the smallest of all these orders, compared name by
    name, belongs to the canonical DAG. It depends on the class alone, not on the order of names.

    Parameters
    ----------
    pdag : PDAG
        A CPDAG, or one with background knowledge added.

    Returns
    -------
    DAG
        A consistent extension with the names in the order of ``pdag``.

    Raises
    ------
    GraphError
        If there is no consistent extension.
    ArgumentError
        If ``pdag`` is not a PDAG.

    Notes
    -----
    The smallest name that has no parent among the names not yet placed is placed next, its undirected edges leave
    it, and Meek's rules draw the consequences before the next choice; so no choice is ever regretted.

    Examples
    --------
    >>> from bnml.graph import DAG, canonical_extension
    >>> print(canonical_extension(DAG.parse("[C][B|C][A|B]").cpdag()))
    [A][B|A][C|B]
    """
    ordered = require_pdag(pdag, "pdag").reordered(sorted(pdag.names))
    work = Orienter(ordered.names, ordered.parent_masks, ordered.neighbour_masks, strict=True)
    work.close()
    placed = 0
    ready = [i for i, mask in enumerate(work.parents) if not mask]
    heapify(ready)
    while ready:
        i = heappop(ready)
        if placed >> i & 1 or work.parents[i] & ~placed:  # a rule gave it a parent since: it will come again
            continue
        placed |= 1 << i
        for j in bits(work.neighbours[i]):
            work.orient(i, j)
        work.close()
        for j in bits(work.children[i]):
            if not work.parents[j] & ~placed:
                heappush(ready, j)
    if placed.bit_count() < len(work.parents):
        raise GraphError("this PDAG has no consistent extension: its arcs, or those that follow, close a cycle")
    parent_sets = [tuple(bits(mask)) for mask in work.parents]
    return DAG.from_parent_sets(ordered.names, parent_sets).reordered(pdag.names)
