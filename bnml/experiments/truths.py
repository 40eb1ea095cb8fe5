"""What generates the tables of experiments: networks of the repository, random networks, and rows drawn from them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

import bnml
from bnml.data.rows import rows_to_data
from bnml.network.sampling import sample_codes

PARENTS = (0, 1, 1, 2, 2, 3)  # of a variable of a random network, each as probable, as far as there are so many
VALUES = (2, 3, 4)


@lru_cache(maxsize=32)
def repository_network(folder: Path, file: str) -> bnml.BayesianNetwork:
    """Return a network of the repository, read once."""
    return bnml.load(folder / file)


def random_network(n: int, random: np.random.Generator) -> bnml.BayesianNetwork:
    """Return a random network: up to three parents, two to four values, parameters from Dirichlet(1/2).

    Parameters
    ----------
    n
        How many variables it has. Their names tell nothing of the order in which they were drawn.
    random
        Where chance comes from.

    Examples
    --------
    >>> network = random_network(6, np.random.default_rng(0))
    >>> len(network.names), max(len(network.dag.parents(x)) for x in network.names) <= 3
    (6, True)
    """
    names = [f"X{i:02d}" for i in range(n)]
    order = [names[i] for i in random.permutation(n)]
    arcs = []
    for place, x in enumerate(order):
        number = min(int(random.choice(PARENTS)), place)
        arcs += [(order[int(k)], x) for k in np.sort(random.choice(place, number, replace=False))] if number else []
    states = {x: tuple(range(int(random.choice(VALUES)))) for x in names}
    return draw_parameters(bnml.DAG(names, arcs), states, random)


def draw_parameters(
    dag: bnml.DAG, states: Mapping[str, Sequence[Any]], random: np.random.Generator, ess: float | None = None
) -> bnml.BayesianNetwork:
    """Return a network with random parameters.

    Parameters
    ----------
    dag, states
        Its structure, and the values of its variables.
    random
        Where chance comes from.
    ess
        The equivalent sample size of the prior of BDeu, from which the parameters are drawn; None for Dirichlet(1/2).
    """
    tables = {}
    for x in dag.names:
        above = [len(states[p]) for p in dag.parents(x)]
        alpha = 0.5 if ess is None else ess / (len(states[x]) * math.prod(above))
        tables[x] = random.dirichlet(np.full(len(states[x]), alpha), above)
    return bnml.BayesianNetwork(dag, states, tables)


def draw_rows(network: bnml.BayesianNetwork, n: int, random: np.random.Generator) -> bnml.Data:
    """Return a table of rows drawn from a network, with all states that the network declares."""
    codes = sample_codes(network, n, int(random.integers(2**63)))
    return rows_to_data(tuple(network.states), tuple(network.states.values()), codes)
