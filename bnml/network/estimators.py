"""Parameters from data: maximum likelihood, Bayesian prediction, sequential NML."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from bnml._arrays import Floats
from bnml._checks import one_of, positive_number
from bnml._text import quoted
from bnml.counts import counts_of
from bnml.data import as_data
from bnml.errors import ArgumentError, NetworkError
from bnml.graph import DAG
from bnml.network.network import MOST_PARENTS, BayesianNetwork

__all__ = ["ESTIMATORS", "fit"]

ESTIMATORS = ("snml", "bpp", "mle")
MOST_PARAMETERS = 50_000_000


def fit(dag: DAG, data: Any, estimator: str = "snml", ess: float = 1.0) -> BayesianNetwork:
    """Return the network with this structure whose parameters are estimated from data.

    Parameters
    ----------
    dag
        The structure, over the variables of the data.
    data
        A `Data`, or anything that `bnml.read` takes.
    estimator
        ``"snml"``: sequential predictive NML, θ_ijk ∝ e(N_ijk) (N_ijk + 1) with e(n) = ((n + 1) / n)^n and e(0) = 1
        (Rissanen & Roos 2007; qNML paper, section 4.2). ``"bpp"``: Bayesian predictive,
        θ_ijk ∝ N_ijk + ess / (r_i q_i). ``"mle"``: relative frequencies, uniform where a parent configuration was
        never seen.
    ess
        The equivalent sample size of ``"bpp"``.

    Raises
    ------
    BnmlError
        If graph and data differ in their variables, or a table would be too large.

    Notes
    -----
    Where variables were set (`bnml.read` with ``interventions``), each table is estimated from the rows in which its
    variable was not. One that was set in every row is as after no row at all: uniform.

    Examples
    --------
    >>> import bnml, pandas
    >>> frame = pandas.DataFrame({"A": list("xxxyy"), "B": list("uuvuv")})
    >>> bnml.fit(bnml.DAG.parse("[A][B|A]"), frame, "mle").cpt("B").round(2)
    B     u     v
    A
    x  0.67  0.33
    y  0.50  0.50
    """
    one_of(estimator, "estimator", ESTIMATORS)
    positive_number(ess, "ess")
    if not isinstance(dag, DAG):
        raise ArgumentError(f"expected a DAG, got {type(dag).__name__}: make one with bnml.DAG.parse('[A][B|A]')")
    table = as_data(data)
    if set(dag.names) != set(table.names):
        odd = sorted(set(dag.names) ^ set(table.names))
        raise ArgumentError(f"graph and data must have the same variables; they differ in {quoted(odd)}")
    counts, tables = counts_of(table), {}
    for x in dag.names:
        variables = [table.index(v) for v in (*dag.parents(x), x)]
        size = math.prod(table.arities[v] for v in variables)
        if size > MOST_PARAMETERS or len(variables) > MOST_PARENTS + 1:
            raise NetworkError(
                f"the table of {x!r} has {len(variables) - 1} parents and {size:.3g} entries: too many; "
                "take a structure with fewer parents"
            )
        tables[x] = _estimate(counts.for_child(variables[-1]).table(variables).astype(np.float64), estimator, ess)
    states = {x: table.states[table.index(x)] for x in dag.names}
    return BayesianNetwork(dag, states, tables, table.cuts, table.reading)


def _estimate(counts: Floats, estimator: str, ess: float) -> Floats:
    match estimator:
        case "mle":
            weights = np.where(counts.sum(axis=-1, keepdims=True) > 0, counts, 1.0)
        case "bpp":
            weights = counts + ess / counts.size
        case _:
            growth = np.exp(counts * np.log1p(1.0 / np.maximum(counts, 1.0)))
            weights = growth * (counts + 1.0)
    estimate: Floats = weights / weights.sum(axis=-1, keepdims=True)
    return estimate
