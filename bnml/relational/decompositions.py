"""Every undirected graph, with the tuples it adds."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Any

from bnml.errors import SearchError
from bnml.relational.cliques import maximal_cliques
from bnml.relational.extra_tuples import ROOM, Cuts
from bnml.relational.relation import relation_of

if TYPE_CHECKING:
    import networkx as nx

MOST_GRAPHS = 1 << 15  # those of six attributes; with degrees, times their number


def decompositions(data: Any, *, possibility: str | None = None) -> list[tuple[nx.Graph[str], int | float]]:
    """Return every undirected graph of the attributes with its number of extra tuples, the best first.

    Parameters
    ----------
    data
        A `Data`, or anything that `bnml.read` takes; up to six attributes.
    possibility
        A column of degrees from 0 to 1, which then is no attribute; all tuples are fully possible without.

    Returns
    -------
    list of (networkx.Graph, number)
        In order of what `extra_tuples` says of them; ties with fewer edges first, then in order of the columns.

    Raises
    ------
    SearchError
        If there are too many graphs.
    BnmlError
        If the table cannot be read.

    Notes
    -----
    Lecture 003, part 1, method 1. n attributes have 2^(n (n - 1) / 2) graphs. The complete graph adds nothing; the
    first of the list is the smallest that adds nothing either.

    Examples
    --------
    >>> import bnml, pandas
    >>> shapes = pandas.DataFrame({"shape": ["ball", "ball", "box", "box"], "size": ["S", "M", "M", "L"]})
    >>> [(list(graph.edges), extra) for graph, extra in bnml.relational.decompositions(shapes)]
    [([('shape', 'size')], 0), ([], 2)]
    """
    import networkx as nx

    relation = relation_of(data, possibility, "bnml.relational.decompositions")
    names = relation.names
    check_decompositions(len(names))
    pairs = list(combinations(range(len(names)), 2))
    cuts = Cuts(relation, ROOM)
    if relation.graded and len(cuts.levels) << len(pairs) > MOST_GRAPHS:
        raise SearchError(
            f"decompositions: {1 << len(pairs):,} graphs at {len(cuts.levels):,} distinct degrees each are too many; "
            "choose fewer attributes, or round the degrees"
        )
    found = []
    for kept in range(1 << len(pairs)):
        edges = [pair for k, pair in enumerate(pairs) if kept >> k & 1]
        found.append((cuts.extra(maximal_cliques(len(names), edges)), len(edges), edges))
    ranking = []
    for extra, _, edges in sorted(found):
        graph: nx.Graph[str] = nx.Graph()
        graph.add_nodes_from(names)
        graph.add_edges_from((names[i], names[j]) for i, j in edges)
        ranking.append((graph, extra))
    return ranking


def check_decompositions(n: int) -> None:
    """Check that the decompositions of n attributes can all be listed.

    Raises
    ------
    SearchError
        If they are too many.
    """
    exponent = n * (n - 1) // 2
    if 1 << exponent > MOST_GRAPHS:
        number = f"{1 << exponent:,}" if exponent < 64 else f"2^{exponent}"
        raise SearchError(
            f"decompositions: {n} attributes have {number} graphs, which are too many; choose up to 6 of them, or take "
            "greedy_decomposition, spanning_tree or independence_map"
        )
