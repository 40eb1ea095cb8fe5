"""Exact inference by variable elimination, with a forecast before it starts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from bnml._factors import Factor, eliminate, plan
from bnml.errors import ArgumentError, NetworkError, quoted
from bnml.network.network import BayesianNetwork

if TYPE_CHECKING:
    import pandas

__all__ = ["joint", "query"]

Floats = npt.NDArray[np.float64]

LARGEST_TABLE = 2.0**27  # numbers, a gigabyte
LARGEST_WORK = 2.0**31


def query(network: BayesianNetwork, name: str, evidence: Mapping[str, Any]) -> pandas.Series[float]:
    """Return P(name | evidence) as a series over the states of ``name``."""
    import pandas as pd

    observed = {x: network.code(x, label) for x, label in evidence.items()}
    if name in observed:
        raise ArgumentError(f"{name!r} is both asked for and observed")
    table = joint(network, [name], observed)
    total = float(table.sum())
    if total <= 0.0:
        raise NetworkError(f"the evidence {dict(evidence)!r} has probability zero")
    index = pd.Index(list(network.states[name]), name=name)
    return pd.Series(table / total, index=index, name=f"P({name})")


def joint(network: BayesianNetwork, names: Sequence[str], observed: Mapping[str, int] | None = None) -> Floats:
    """Return P(names, evidence) up to a factor that does not depend on names: an axis for each of ``names``.

    Without evidence the factor is one. Only ancestors of what is asked for or observed matter, and of those only what
    hangs together with what is asked for.

    Raises
    ------
    NetworkError
        If a table on the way would be too large.
    """
    evidence = dict(observed or {})
    dag = network.dag
    for name in names:
        network.probabilities(name)  # refuses an unknown name
    needed = {*names, *evidence}.union(*(dag.ancestors(x) for x in (*names, *evidence)))
    position = {x: i for i, x in enumerate(dag.names)}
    fixed = {position[x]: code for x, code in evidence.items()}
    factors = [
        Factor((*(position[p] for p in dag.parents(x)), position[x]), network.probabilities(x)).given(fixed)
        for x in dag.names
        if x in needed
    ]
    wanted = [position[x] for x in names]
    factors = _connected(factors, wanted)
    sizes = {position[x]: len(labels) for x, labels in network.states.items()}
    forecast = plan([factor.axes for factor in factors], sizes, wanted)
    if forecast.largest > LARGEST_TABLE or forecast.total > LARGEST_WORK:
        raise NetworkError(
            f"exact inference of {quoted(names)} would need a table of {forecast.largest:.2g} numbers "
            f"({forecast.total:.2g} in all): observe more variables, or ask for fewer at a time"
        )
    return eliminate(factors, forecast.order, wanted)


def _connected(factors: Sequence[Factor], wanted: Sequence[int]) -> list[Factor]:
    """Return the factors that share variables with the wanted ones, directly or through others."""
    touching: dict[int, list[int]] = {}
    for i, factor in enumerate(factors):
        for axis in factor.axes:
            touching.setdefault(axis, []).append(i)
    reached: set[int] = set()
    seen = set(wanted)
    todo = list(wanted)
    while todo:
        for i in touching.get(todo.pop(), ()):
            if i not in reached:
                reached.add(i)
                fresh = [axis for axis in factors[i].axes if axis not in seen]
                seen.update(fresh)
                todo += fresh
    # a factor without variables left is a probability of the evidence: keep it, so that impossible evidence shows
    return [factor for i, factor in enumerate(factors) if i in reached or np.ndim(factor.table) == 0]
