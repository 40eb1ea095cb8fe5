"""Parameters from data: maximum likelihood, Bayesian prediction, sequential NML."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from bnml._arrays import Floats
from bnml._checks import one_of, positive_number
from bnml._text import quoted
from bnml.counts import counts_of
from bnml.data import Data, as_data
from bnml.errors import ArgumentError, NetworkError
from bnml.graph import DAG
from bnml.network.network import MOST_PARENTS, BayesianNetwork

ESTIMATORS = ("snml", "bpp", "mle", "em")
DEFAULT_ESTIMATOR = "snml"


def fit(dag: DAG, data: Any, estimator: str = DEFAULT_ESTIMATOR, ess: float = 1.0) -> BayesianNetwork:
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
        never seen. ``"em"``: maximum likelihood from incomplete data, by EM (`bnml.network.em`); the same as ``"mle"``.
        With missing values (``missing="em"``) EM runs to maximum likelihood first, and ``"snml"`` and ``"bpp"`` are
        computed once, from the counts expected there: unlike maximum likelihood, they have no zeros.
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
    for x in dag.names:
        shape = [table.arities[table.index(v)] for v in (*dag.parents(x), x)]
        if math.prod(shape) > 50_000_000 or len(shape) > MOST_PARENTS + 1:
            raise NetworkError(
                f"the table of {x!r} has {len(shape) - 1} parents and {math.prod(shape):.3g} entries: too many; "
                "take a structure with fewer parents"
            )
    if table.has_gaps:
        return _fit_with_gaps(dag, table, estimator, ess)
    counts, tables = counts_of(table), {}
    for x in dag.names:
        variables = [table.index(v) for v in (*dag.parents(x), x)]
        own = counts.for_child(variables[-1]).table(variables).astype(np.float64)
        tables[x] = estimate(own, estimator, ess)
    states = {x: table.states[table.index(x)] for x in dag.names}
    return BayesianNetwork(dag, states, tables, table.cuts, table.reading)


def _fit_with_gaps(dag: DAG, table: Data, estimator: str, ess: float) -> BayesianNetwork:
    """Return the network fitted by EM, or another estimate at the counts that this one expects."""
    from bnml.network.em import estimate_at_expected_counts, fit_by_em

    alphabetical = table.select(sorted(table.names))  # sums depend on the order of rows, which must not matter
    network = fit_by_em(dag.reordered(alphabetical.names), alphabetical)
    if estimator in ("snml", "bpp"):
        network = estimate_at_expected_counts(network, alphabetical, estimator, ess)
    return network.reordered(dag.names)


def estimate(counts: Floats, estimator: str, ess: float = 1.0) -> Floats:
    """Return the parameters of one variable from the counts of its family, whose last axis is the variable's."""
    match estimator:
        case "mle" | "em":
            weights = np.where(counts.sum(axis=-1, keepdims=True) > 0, counts, 1.0)
        case "bpp":
            weights = counts + ess / counts.size
        case _:
            growth = np.exp(counts * np.log1p(1.0 / np.maximum(counts, 1.0)))
            weights = growth * (counts + 1.0)
    parameters: Floats = weights / weights.sum(axis=-1, keepdims=True)
    return parameters
