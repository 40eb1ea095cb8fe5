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

from bnml._bits import bits
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


def class_of(graph: DAG | PDAG) -> PDAG:
    """Return the CPDAG of a DAG; a PDAG as it is."""
    return graph.cpdag() if isinstance(graph, DAG) else graph
