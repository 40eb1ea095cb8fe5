"""CPDAGs: one graph for a whole Markov equivalence class.

Different DAGs can promise the same independences: ``A -> B -> C``, ``A <- B <- C`` and ``A <- B -> C`` all say that A
and C are independent given B, and no data can tell them apart. Two DAGs are *Markov equivalent* exactly when they
have the same skeleton (edges without their arrows) and the same v-structures ``a -> c <- b``, a and b not adjacent
(Verma and Pearl 1990).

The class is drawn as its *CPDAG* (completed partially directed acyclic graph): an edge is directed when all members of
the class agree on its direction (it is *compelled*), and undirected when they do not (*reversible*). Equivalent DAGs
have the same CPDAG. On four nodes there are 543 DAGs but only 185 classes.
"""

from __future__ import annotations

from heapq import heapify, heappop, heappush

from bnml._bits import bits
from bnml.errors import GraphError
from bnml.graph._arguments import require_pdag
from bnml.graph.dag import DAG
from bnml.graph.meek import Orienter
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
    >>> from bnml.graph.cpdag import cpdag_of
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
