"""How far an answer about setting variables hangs on directions that data leave open.

A network has a direction for every link, and P(variable | evidence, do) follows these. Where the class of the network
leaves the direction of a link at a variable that is set open, other members of the class, which the data do not tell
from this one, may give another answer (`bnml.graph.possible_paths`). Once all such links are directed, all members give
the same; so one member for each way to direct them gives the whole range.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from bnml._arrays import Floats
from bnml.data import Data
from bnml.errors import GraphError, NetworkError
from bnml.graph import DAG, PDAG
from bnml.graph.orientations import directed_in_all_ways
from bnml.graph.possible_paths import open_links_at
from bnml.network import BayesianNetwork, fit

MOST_WAYS = 16  # of directing the links that an answer hangs on

Said = Mapping[str, str]


@dataclass(frozen=True)
class OpenAnswer:
    """What an answer hangs on.

    ``links``: the links at variables that are set whose direction is open, as arcs of the network. ``low``, ``high``:
    the smallest and the largest probability of each state of each variable, over all ways to direct these links; None
    where there are no such links, or too many ways.
    """

    links: tuple[tuple[str, str], ...] = ()
    low: Mapping[str, Floats] | None = None
    high: Mapping[str, Floats] | None = None


def open_answer(
    network: BayesianNetwork,
    graph: PDAG,
    data: Data,
    evidence: Said,
    do: Said,
    fitted: Callable[[DAG, Data], BayesianNetwork] = fit,
) -> OpenAnswer:
    """Return which open links an answer hangs on, and how far.

    Parameters
    ----------
    network
        The network that gave the answer.
    graph
        Its class, with all that is known of directions.
    data
        The table that its parameters come from.
    evidence, do
        What is observed, and what is set.
    fitted
        Gives a structure its parameters.

    Examples
    --------
    >>> import bnml
    >>> learned = bnml.learn(bnml.example())
    >>> found = open_answer(learned.network, learned.directions, learned.data, {}, {"bronc": "yes"})
    >>> found.links
    (('bronc', 'smoke'),)
    >>> [round(float(bound["smoke"][1]), 2) for bound in (found.low, found.high)]
    [0.5, 0.66]
    >>> open_answer(learned.network, learned.directions, learned.data, {"bronc": "yes"}, {})
    OpenAnswer(links=(), low=None, high=None)
    """
    open_links = open_links_at(graph, tuple(do))
    if not open_links:
        return OpenAnswer()
    arcs = {*network.dag.arcs}
    links = tuple((x, y) if (x, y) in arcs else (y, x) for x, y in open_links)
    try:
        ways = directed_in_all_ways(graph, links, MOST_WAYS)
        if ways is None:
            return OpenAnswer(links)
        others = [way.to_dag() for way in ways if not arcs.issuperset({*way.directed}.intersection(_both_ways(links)))]
        networks = [network, *(fitted(dag, data) for dag in others)]
        answers = [one.marginals(evidence, do) for one in networks]
    except (GraphError, NetworkError):  # tests contradict each other; a table is too large
        return OpenAnswer(links)
    own: dict[str, Floats] = {x: np.asarray(table, np.float64) for x, table in answers[0].items()}
    hanging = {
        x for x in own if any(not found.isdisjoint((x, *evidence)) for found in open_links.values()) and x not in do
    }
    tables: dict[str, Floats] = {x: np.array([answer[x] for answer in answers], np.float64) for x in hanging}
    low = own | {x: table.min(axis=0) for x, table in tables.items()}
    high = own | {x: table.max(axis=0) for x, table in tables.items()}
    return OpenAnswer(links, low, high)


def _both_ways(links: tuple[tuple[str, str], ...]) -> set[tuple[str, str]]:
    return {*links, *((b, a) for a, b in links)}
