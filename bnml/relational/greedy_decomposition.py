"""A good decomposition of a relation with many attributes, edge by edge."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import combinations
from typing import TYPE_CHECKING, Any

from bnml._checks import is_number, refuse
from bnml.errors import SearchError
from bnml.relational.cliques import maximal_cliques
from bnml.relational.extra_tuples import ROOM, Cuts
from bnml.relational.gains import all_pairs
from bnml.relational.hartley import check_measure
from bnml.relational.relation import Relation, relation_of
from bnml.relational.spanning_tree import attribute_tree

if TYPE_CHECKING:
    import networkx as nx

MOST_SETS = 20_000  # of attributes that are tried, in one step

Edges = frozenset[tuple[int, int]]


def greedy_decomposition(
    data: Any, extra: float = 0, *, possibility: str | None = None, measure: str = "nonspecificity"
) -> tuple[nx.Graph[str], int | float]:
    """Return a graph of few edges whose decomposition adds few tuples to a relation, for any number of attributes.

    Parameters
    ----------
    data
        A `Data`, or anything that `bnml.read` takes.
    extra
        How many extra tuples are allowed: it is enough when there are no more.
    possibility
        A column of degrees from 0 to 1, which then is no attribute; all tuples are fully possible without.
    measure
        How gains of degrees are measured: ``"nonspecificity"``, or ``"lecture"``; see `bnml.relational.hartley_gain`.

    Returns
    -------
    networkx.Graph, number
        The graph, and what `bnml.relational.extra_tuples` says of it.

    Raises
    ------
    BnmlError
        If the table cannot be read, ``extra`` is negative or the measure is unknown.

    Notes
    -----
    It begins with the spanning tree of the gains (`bnml.relational.spanning_tree`) without edges that gain nothing.
    From there on the edge is added that leaves the fewest extra tuples, ties in order of the columns. Where no single
    edge helps, the smallest set of attributes is joined as a whole that does: the parity of three attributes is seen by
    no two of them. Where there are too many such sets to try, it ends, and the number says what is still extra. Last,
    edges are deleted, the newest first, that are not needed. There may be smaller graphs:
    `bnml.relational.decompositions` looks at all, of up to six attributes.

    Examples
    --------
    >>> import bnml, pandas
    >>> odd = pandas.DataFrame({"x": [0, 0, 1, 1], "y": [0, 1, 0, 1], "odd": [0, 1, 1, 0], "copy": [0, 1, 1, 0]})
    >>> graph, extra = bnml.relational.greedy_decomposition(odd)
    >>> list(graph.edges), extra
    ([('x', 'y'), ('x', 'odd'), ('y', 'odd'), ('odd', 'copy')], 0)
    """
    if not is_number(extra) or not extra >= 0:
        raise refuse("extra", extra, "expected a number of tuples from 0")
    relation = relation_of(data, possibility, "bnml.relational.greedy_decomposition")
    check_measure(measure, relation)
    edges, found = _forward(relation, extra, measure)
    import networkx as nx

    graph: nx.Graph[str] = nx.Graph()
    graph.add_nodes_from(relation.names)
    graph.add_edges_from((relation.names[i], relation.names[j]) for i, j in sorted(edges))
    return graph, found


def _forward(relation: Relation, enough: float, measure: str) -> tuple[Edges, int | float]:
    """Add edges until there are few enough extra tuples, then delete those that are not needed."""
    n, cuts = len(relation.names), Cuts(relation, ROOM)

    def extra(edges: Edges) -> int | float | None:
        try:
            return cuts.extra(maximal_cliques(n, edges))
        except SearchError:  # a join that does not fit into memory
            return None

    order = _tree_of_gains(relation, measure)
    edges: Edges = frozenset(order)
    found = cuts.extra(maximal_cliques(n, edges))
    helped = True
    while found > enough and helped:
        helped = False
        for larger in _by_size(n, edges):
            values = [(value, sorted(more)) for more in larger if (value := extra(edges | more)) is not None]
            best = min(values, default=None)
            if best is not None and best[0] < found:
                found, added = best
                edges |= frozenset(added)
                order += added
                helped = True
                break
    for edge in reversed(order):
        without = extra(edges - {edge})
        if without is not None and without <= max(found, enough):
            edges, found = edges - {edge}, without
    return edges, found


def _tree_of_gains(relation: Relation, measure: str) -> list[tuple[int, int]]:
    """Return the edges of the spanning tree of the gains that gain something, the strongest first."""
    places = {name: i for i, name in enumerate(relation.names)}
    pairs = [(-gain, (a, b, gain)) for a, b, *_, gain in all_pairs(relation, measure)]
    tree = attribute_tree(relation.names, pairs)
    weights = {
        (min(places[a], places[b]), max(places[a], places[b])): float(tree.edges[a, b]["weight"]) for a, b in tree.edges
    }
    return sorted((edge for edge, gain in weights.items() if gain > 0.0), key=lambda edge: (-weights[edge], edge))


def _by_size(n: int, edges: Edges) -> Iterator[list[Edges]]:
    """Yield what can be added to join two attributes, then three as a whole, and so on, while these are few enough."""
    for size in range(2, n + 1):
        if math.comb(n, size) > MOST_SETS:
            return
        wholes = (frozenset(combinations(some, 2)) - edges for some in combinations(range(n), size))
        yield [more for more in wholes if more]
