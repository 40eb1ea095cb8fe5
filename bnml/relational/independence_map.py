"""The pairs of attributes that depend on each other, whatever else is known."""

from __future__ import annotations

import math
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from bnml._checks import is_number, refuse
from bnml.relational.hartley import check_measure, hartley_gain_within
from bnml.relational.relation import Relation, relation_of
from bnml.relational.spanning_tree import attribute_tree

if TYPE_CHECKING:
    import networkx as nx


def independence_map(
    data: Any,
    threshold: float | None = None,
    *,
    possibility: str | None = None,
    measure: str = "nonspecificity",
) -> nx.Graph[str]:
    """Return the graph of the pairs that depend on each other, given all other attributes.

    Parameters
    ----------
    data
        A `Data`, or anything that `bnml.read` takes.
    threshold
        A pair has an edge if its gain, given all others, is above this many bits. None: the spanning tree of the
        strongest of these gains.
    possibility
        A column of degrees from 0 to 1, which then is no attribute; all tuples are fully possible without.
    measure
        How gains of degrees are measured: ``"nonspecificity"``, or ``"lecture"``; see `bnml.relational.hartley_gain`.

    Returns
    -------
    networkx.Graph
        The graph; each edge has its gain in bits as ``weight``.

    Raises
    ------
    BnmlError
        If the table cannot be read, the threshold is negative or the measure is unknown.

    Notes
    -----
    Lecture 003, part 1, method 3: the Hartley information gain for each combination of the other attributes that
    occurs, averaged over these (see `hartley_gain`). The nonspecificity gain is 0 exactly where the pair is
    conditionally independent. With a threshold of 0 all that depend are joined, and the graph has no extra tuples where
    the independence of pairs implies that of sets. Attributes that are copies of each other do not depend on one
    another given the copies: see what `extra_tuples` says.

    Examples
    --------
    >>> import bnml, pandas
    >>> sums = pandas.DataFrame({"x": [0, 0, 1, 1], "y": [0, 1, 0, 1], "odd": [0, 1, 1, 0]})
    >>> bnml.relational.independence_map(sums, 0.5).edges        # no two of them depend, until the third is known
    EdgeView([('x', 'y'), ('x', 'odd'), ('y', 'odd')])
    """
    if threshold is not None:
        _check_threshold(threshold)
    relation = relation_of(data, possibility, "bnml.relational.independence_map")
    check_measure(measure, relation)
    edges = _conditional_gains(relation, measure)
    if threshold is None:
        return attribute_tree(relation.names, [(-gain, (a, b, gain)) for a, b, gain in edges])
    import networkx as nx

    graph: nx.Graph[str] = nx.Graph()
    graph.add_nodes_from(relation.names)
    graph.add_weighted_edges_from((a, b, gain) for a, b, gain in edges if gain > threshold)
    return graph


def _check_threshold(threshold: Any) -> None:
    if not is_number(threshold) or not math.isfinite(threshold) or threshold < 0:
        raise refuse("threshold", threshold, "expected a number of bits from 0, or None")


def _conditional_gains(relation: Relation, measure: str) -> list[tuple[str, str, float]]:
    """Return the gain of each pair, given all other attributes."""
    n = len(relation.names)
    without = [relation.first([k for k in range(n) if k != i]) for i in range(n)]
    every = np.ones(relation.n_tuples, np.bool_)
    edges = []
    for i, j in combinations(range(n), 2):
        others = relation.groups([k for k in range(n) if k not in (i, j)])
        gain = hartley_gain_within(others, without[j], without[i], every, relation.degrees, measure)
        edges.append((relation.names[i], relation.names[j], gain))
    return edges
