"""The tree of the strongest dependences, by Kruskal's algorithm."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from bnml._checks import one_of
from bnml.graph.spanning import kruskal
from bnml.relational.gains import all_pairs, in_order_of_gains
from bnml.relational.hartley import check_measure
from bnml.relational.relation import relation_of

if TYPE_CHECKING:
    import networkx as nx

WEIGHTS = ("hartley", "relative")


def spanning_tree(
    data: Any, weight: str = "hartley", *, possibility: str | None = None, measure: str = "nonspecificity"
) -> nx.Graph[str]:
    """Return the tree that joins all attributes by the strongest dependences.

    Parameters
    ----------
    data
        A `Data`, or anything that `bnml.read` takes.
    weight
        What makes a dependence strong: ``"hartley"``, a high Hartley information gain, or ``"relative"``, a low number
        of occurring combinations divided by the possible ones.
    possibility
        A column of degrees from 0 to 1, which then is no attribute; all tuples are fully possible without.
    measure
        How gains of degrees are measured: ``"nonspecificity"``, or ``"lecture"``; see `bnml.relational.hartley_gain`.

    Returns
    -------
    networkx.Graph
        The tree; each edge has its gain, or its relative number, as ``weight``. It joins attributes that do not depend
        on any other, too, with a weight that says so.

    Raises
    ------
    BnmlError
        If the table cannot be read, or the weight or the measure is unknown.

    Notes
    -----
    Lecture 003, part 1, method 2: the maximum spanning tree of the gains, the minimum spanning tree of the relative
    numbers. Kruskal (1956) takes the edges in order of their weights, each that closes no circle. Of edges with equal
    weights the one with the smaller names comes first.

    Examples
    --------
    >>> import bnml
    >>> tree = bnml.relational.spanning_tree(bnml.example().select(["lung", "tub", "asia", "either"]))
    >>> for a, b, gain in tree.edges.data("weight"):       # who has lung cancer or tuberculosis has either
    ...     print(a, "-", b, round(gain, 3))
    lung - either 0.415
    tub - either 0.415
    asia - either 0.0
    """
    one_of(weight, "weight", WEIGHTS)
    relation = relation_of(data, possibility, "bnml.relational.spanning_tree")
    check_measure(measure, relation)
    pairs = all_pairs(relation, measure)
    if weight == "hartley":
        return attribute_tree(relation.names, [(-gain, (a, b, gain)) for a, b, *_, gain in pairs])
    return attribute_tree(relation.names, [(share, (a, b, share)) for a, b, _, _, share, _ in pairs])


def attribute_tree(names: Sequence[str], keyed: Iterable[tuple[float, tuple[str, str, float]]]) -> nx.Graph[str]:
    """Return the minimum spanning tree of attributes, whose edges have keys; an edge has the number beside its ends."""
    import networkx as nx

    at = {name: place for place, name in enumerate(names)}
    weights = {(at[a], at[b]): weight for a, b, weight in in_order_of_gains(keyed)}
    tree: nx.Graph[str] = nx.Graph()
    tree.add_nodes_from(names)
    tree.add_weighted_edges_from((names[a], names[b], weights[a, b]) for a, b in kruskal(len(names), weights))
    return tree
