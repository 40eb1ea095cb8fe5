"""The canonical DAG of an equivalence class: the one that puts the smallest names first."""

from __future__ import annotations

from heapq import heapify, heappop, heappush

from bnml._bits import bits
from bnml.errors import GraphError
from bnml.graph._checks import require_pdag
from bnml.graph.dag import DAG
from bnml.graph.meek import Orienter
from bnml.graph.pdag import PDAG


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
