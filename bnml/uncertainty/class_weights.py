"""What sampled structures weigh where all equivalence classes are alike: one divided by the members of its class.

Chains sample structures as if each counted alike; that weight makes the classes alike (importance weights).
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice

import numpy as np

from bnml._arrays import Floats
from bnml._bits import mask_of
from bnml.errors import ArgumentError, argument
from bnml.graph import DAG, PDAG, Rules

MOST_MEMBERS = 100_000  # of a class that are looked at one by one


def class_weights(dags: Iterable[DAG], rules: Rules) -> Floats:
    """Return one divided by the number of allowed members of each structure's class.

    Parameters
    ----------
    dags
        The structures, over the variables of the rules.
    rules
        What is allowed.

    Examples
    --------
    >>> from bnml.graph import DAG, Rules
    >>> dags = [DAG.parse("[A][B|A][C|B]"), DAG.parse("[A][C][B|A:C]")]
    >>> class_weights(dags, Rules.none("ABC")).round(3).tolist()
    [0.333, 1.0]
    """
    known: dict[PDAG, int] = {}
    weights = []
    for dag in dags:
        graph = dag.cpdag()
        if graph not in known:
            known[graph] = count_allowed_members(graph, rules)
        weights.append(1.0 / known[graph])
    return np.array(weights)


def count_allowed_members(graph: PDAG, rules: Rules) -> int:
    """Return how many members of a class the rules allow: its weight is one divided by this.

    Raises
    ------
    ArgumentError
        If they have to be looked at one by one, and are too many for that.
    """
    if rules.undirected and not any(rules.links) and rules.most >= rules.n - 1:
        return graph.count_members()  # rows per cell decide for whole classes
    if graph.count_members() > MOST_MEMBERS:
        raise ArgumentError(
            "the members of a class that constraints and "
            + argument("max_parents")
            + f" allow cannot be counted, {graph.count_members():,} are too many to look at",
            argument="prior",
            value="classes",
            hint="leave these out, or take " + argument("prior", "uniform"),
        )
    return sum(_allowed(dag, rules) for dag in islice(graph.members(), MOST_MEMBERS + 1))


def _allowed(dag: DAG, rules: Rules) -> bool:
    at = {name: i for i, name in enumerate(rules.names)}
    for name in dag.names:
        i, parents = at[name], mask_of(at[p] for p in dag.parents(name))
        if parents & ~rules.may[i] or rules.must[i] & ~parents or not rules.fits(i, parents):
            return False
    return True
