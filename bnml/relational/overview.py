"""All that can be said of a relation: its gains, its graphs, and its best decompositions."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bnml._plain import plain, records
from bnml.data import as_data
from bnml.errors import SearchError
from bnml.relational.decompositions import decompositions
from bnml.relational.extra_tuples import extra_tuples
from bnml.relational.gains import gains
from bnml.relational.greedy_decomposition import greedy_decomposition
from bnml.relational.independence_map import independence_map
from bnml.relational.relation import relation_of
from bnml.relational.spanning_tree import spanning_tree

if TYPE_CHECKING:
    import networkx as nx
    import pandas as pd

FEW = 5  # attributes whose decompositions take no time, and decompositions that are shown


@dataclass(frozen=True, eq=False)
class Decomposition:
    """A graph of attributes, and how many tuples its join adds; None where that is too much to be counted."""

    graph: nx.Graph[str]
    extra_tuples: int | float | None

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain values, for JSON."""
        edges = [{"a": a, "b": b, **values} for a, b, values in self.graph.edges(data=True)]
        return {"edges": plain(edges), "extra_tuples": plain(self.extra_tuples)}


@dataclass(frozen=True, eq=False)
class Overview:
    """What `relation_overview` found.

    Attributes
    ----------
    attributes, tuples, possibility
        The attributes, how many tuples are possible, and the column of degrees, or None.
    measure, gains
        The gain of each pair, and how it is measured; see `bnml.relational.gains`.
    weight, tree
        The spanning tree, and what it is made of.
    threshold, independence_map
        The independence map, and the gain from which it joins a pair; None for a spanning tree of these gains.
    graphs, decompositions
        How many decompositions there are, and the best of them; None where they were not asked for, or too many.
    greedy
        What `bnml.relational.greedy_decomposition` found; None where it was not asked for.
    """

    attributes: tuple[str, ...]
    tuples: int
    possibility: str | None
    measure: str
    gains: pd.DataFrame
    weight: str
    tree: Decomposition
    threshold: float | None
    independence_map: Decomposition
    graphs: int | None
    decompositions: Sequence[Decomposition] | None
    greedy: Decomposition | None

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain values, for JSON."""
        best = self.decompositions
        return {
            "attributes": list(self.attributes),
            "tuples": self.tuples,
            "possibility": self.possibility,
            "measure": self.measure,
            "gains": records(self.gains),
            "tree": {"weight": self.weight, **self.tree.to_dict()},
            "independence_map": {"threshold": self.threshold, **self.independence_map.to_dict()},
            "graphs": self.graphs,
            "decompositions": None if best is None else [one.to_dict() for one in best],
            "greedy": None if self.greedy is None else self.greedy.to_dict(),
        }


def relation_overview(
    data: Any,
    threshold: float | None = None,
    weight: str = "hartley",
    top: int | None = None,
    *,
    possibility: str | None = None,
    measure: str = "nonspecificity",
    extra: float | None = None,
) -> Overview:
    """Return what each of the ways to a graph makes of a table.

    Parameters
    ----------
    data
        A `Data`, or anything that `bnml.read` takes.
    threshold
        The independence map joins pairs whose gain is above; see `independence_map`.
    weight
        What the tree is made of; see `spanning_tree`.
    top
        How many of the best decompositions; None for five if there are no more than five attributes.
    possibility
        A column of degrees from 0 to 1, which then is no attribute.
    measure
        How gains of degrees are measured, in the table and in all graphs; see `gains`.
    extra
        The most extra tuples of a decomposition that is built edge by edge, for any number of attributes; see
        `greedy_decomposition`. None for no such decomposition.

    Examples
    --------
    >>> import pandas
    >>> shapes = pandas.DataFrame({"shape": ["ball", "ball", "box", "box"], "size": ["S", "M", "M", "L"]})
    >>> found = relation_overview(shapes)
    >>> found.tuples, found.graphs, found.tree.extra_tuples
    (4, 2, 0)
    """
    relation = relation_of(data, possibility, "relation_overview")
    table = data if possibility is not None else as_data(data)

    def described(graph: nx.Graph[str]) -> Decomposition:
        with suppress(SearchError):  # too many circles to count
            return Decomposition(graph, extra_tuples(graph, table, possibility=possibility))
        return Decomposition(graph, None)

    tree = described(spanning_tree(table, weight, possibility=possibility, measure=measure))
    given_others = described(independence_map(table, threshold, possibility=possibility, measure=measure))
    ranking = None
    if top is not None or len(relation.names) <= FEW:
        with suppress(*([] if top else [SearchError])):  # what nobody asked for may be too much
            ranking = decompositions(table, possibility=possibility)
    greedy = None
    if extra is not None:
        greedy = Decomposition(*greedy_decomposition(table, extra, possibility=possibility, measure=measure))
    return Overview(
        attributes=relation.names,
        tuples=relation.n_tuples,
        possibility=possibility,
        measure=measure,
        gains=gains(table, possibility=possibility, measure=measure),
        weight=weight,
        tree=tree,
        threshold=threshold,
        independence_map=given_others,
        graphs=None if ranking is None else len(ranking),
        decompositions=None if ranking is None else [Decomposition(*one) for one in ranking[: top or FEW]],
        greedy=greedy,
    )
