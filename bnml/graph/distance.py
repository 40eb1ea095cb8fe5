"""How far two graphs are from each other.

The *structural Hamming distance* counts the pairs of variables on which two graphs disagree: an edge that only one of
them has, or that the two draw differently. Between CPDAGs (Tsamardinos, Brown and Aliferis 2006) it does not
punish a direction that no data can reveal; between DAGs it does.
"""

from __future__ import annotations

from typing import Any

from bnml._text import did_you_mean
from bnml.errors import ArgumentError, argument
from bnml.graph.base import graph_of, require_same_variables
from bnml.graph.dag import DAG
from bnml.graph.equivalence import class_of
from bnml.graph.pdag import PDAG


def shd(a: Any, b: Any, of: str = "cpdag") -> int:
    """Return the structural Hamming distance of two graphs over the same variables.

    Parameters
    ----------
    a, b : DAG or PDAG, or what has one: a network, or the result of a search
        The graphs. With ``of="cpdag"`` a DAG counts as its CPDAG, and a PDAG is taken as it is.
    of : {"cpdag", "dag"}
        What to compare: the equivalence classes, or the DAGs themselves.

    Returns
    -------
    int
        The number of pairs of variables on which they differ: an edge missing, extra, or with another direction (or,
        for CPDAGs, with and without a direction) counts 1.

    Raises
    ------
    GraphError
        If the variables differ.
    ArgumentError
        If ``of`` is something else, or a PDAG is given for ``of="dag"``.

    Examples
    --------
    >>> from bnml.graph import DAG, shd
    >>> a, b = DAG.parse("[A][B|A][C|B]"), DAG.parse("[C][B|C][A|B]")
    >>> shd(a, b), shd(a, b, of="dag")
    (0, 2)
    """
    if of not in ("cpdag", "dag"):
        raise ArgumentError(
            argument("of") + f" must be 'cpdag' or 'dag', got {of!r}.{did_you_mean(of, ['cpdag', 'dag'])}"
        )
    a, b = graph_of(a, "a"), graph_of(b, "b")
    require_same_variables(a.names, b.names)
    if of == "cpdag":
        a, b = class_of(a), class_of(b)
    elif not (isinstance(a, DAG) and isinstance(b, DAG)):
        raise ArgumentError(
            argument("of", "dag") + " compares DAGs, and one of these is a PDAG.",
            hint="Take .to_dag() first, or " + argument("of", "cpdag") + ".",
        )
    return _differing_pairs(_marks(a), _marks(b.reordered(a.names)))


def _marks(graph: DAG | PDAG) -> list[tuple[int, int, int]]:
    """Return for each node its parents, children and undirected neighbours."""
    free = graph.neighbour_masks if isinstance(graph, PDAG) else (0,) * len(graph.names)
    return list(zip(graph.parent_masks, graph.child_masks, free, strict=True))


def _differing_pairs(a: list[tuple[int, int, int]], b: list[tuple[int, int, int]]) -> int:
    ends = 0
    for (into, out, free), (into_b, out_b, free_b) in zip(a, b, strict=True):
        ends += ((into ^ into_b) | (out ^ out_b) | (free ^ free_b)).bit_count()
    return ends // 2  # each pair is seen from both ends
