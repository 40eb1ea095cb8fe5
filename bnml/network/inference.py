"""Exact inference by variable elimination, with a forecast before it starts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from bnml._arrays import Floats
from bnml._checks import refuse
from bnml._factors import Factor, eliminate, plan
from bnml._text import quoted
from bnml.errors import ArgumentError, NetworkError
from bnml.network.network import BayesianNetwork

if TYPE_CHECKING:
    import pandas

__all__ = ["joint", "posterior", "query"]

LARGEST_TABLE = 2.0**26  # numbers; half a gigabyte, and as much again for each of two copies
LARGEST_WORK = 2.0**31


def query(network: BayesianNetwork, name: str, evidence: Mapping[str, Any]) -> pandas.Series[float]:
    """Return P(name | evidence) as a series over the states of ``name``."""
    import pandas as pd

    if not isinstance(evidence, Mapping):
        raise refuse("evidence", evidence, "expected a mapping from variables to their observed states")
    network.probabilities(name)  # refuses an unknown name
    observed = {x: network.code(x, label) for x, label in evidence.items()}
    if name in observed:
        raise ArgumentError(f"{name!r} is both asked for and observed")
    index = pd.Index(list(network.states[name]), name=name)
    return pd.Series(posterior(network, name, observed), index=index, name=f"P({name})")


def posterior(network: BayesianNetwork, name: str, observed: Mapping[str, int]) -> Floats:
    """Return P(name | evidence); the evidence as codes.

    Raises
    ------
    NetworkError
        If the evidence is impossible, or a table on the way would be too large.
    """
    table, _ = joint(network, [name], observed)
    total = float(table.sum())
    if total <= 0.0:
        shown = {x: network.states[x][code] for x, code in observed.items()}
        raise NetworkError(f"the evidence has probability zero: {quoted(f'{x}={s}' for x, s in shown.items())}")
    result: Floats = table / total
    return result


def joint(
    network: BayesianNetwork, names: Sequence[str], observed: Mapping[str, int] | None = None
) -> tuple[Floats, float]:
    """Return P(names, evidence): an axis for each of ``names``, and the logarithm of a factor that belongs to it.

    Only ancestors of what is asked for or observed matter. They fall into parts that share no variable once the
    evidence is known; a part without any of the names is one number.

    Raises
    ------
    NetworkError
        If a table on the way would be too large.
    """
    evidence = dict(observed or {})
    dag = network.dag
    needed = {*names, *evidence}.union(*(dag.ancestors(x) for x in (*names, *evidence)))
    position = {x: i for i, x in enumerate(dag.names)}
    fixed = {position[x]: code for x, code in evidence.items()}
    factors = [
        Factor((*(position[p] for p in dag.parents(x)), position[x]), network.probabilities(x)).given(fixed)
        for x in dag.names
        if x in needed
    ]
    wanted = [position[x] for x in names]
    sizes = {position[x]: len(labels) for x, labels in network.states.items()}
    forecast = plan([factor.axes for factor in factors], sizes, wanted)
    if forecast.largest > LARGEST_TABLE or forecast.total > LARGEST_WORK:
        advice = "observe more variables" if len(names) == 1 else "observe more variables, or ask for fewer at a time"
        raise NetworkError(
            f"exact inference of {quoted(names)} would need a table of {forecast.largest:.2g} numbers "
            f"({forecast.total:.2g} in all): {advice}"
        )
    return eliminate(factors, forecast.order, wanted)
