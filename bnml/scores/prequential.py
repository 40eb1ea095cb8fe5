"""Prequential analysis: a Bayesian score as the result of predicting one row after the other."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from bnml._arrays import Floats
from bnml.counts import counts_of
from bnml.data import as_data
from bnml.data.data import refuse_gaps
from bnml.data.rows import rows_left_alone, rows_of, rows_to_numbers
from bnml.errors import ScoreError, function
from bnml.graph import DAG
from bnml.scores.base import Score, check_dag, parent_sets
from bnml.scores.predictive import FamilyRows
from bnml.scores.registry import parse_score


def prequential(dag: DAG, data: Any, score: Score | str = "bdeu") -> Floats:
    """Return the predictive log-probability of each row given the rows before it; they sum to the score.

    Parameters
    ----------
    dag
        The structure.
    data
        A `Data` that kept its rows, or anything that `bnml.read` takes.
    score
        A Bayesian Dirichlet score: ``k2``, ``bd``, ``bdj``, ``bdeu``, or a `BDe` object.

    Returns
    -------
    ndarray
        One value per row of the source, in its order; a variable that was set in a row adds nothing to it.

    Raises
    ------
    ScoreError
        If the score predicts nothing, as penalised likelihoods do not.

    Notes
    -----
    Equation 15 of the fNML paper:

    log P(d_t | d_1 … d_{t-1}, G) = Σ_i log (α_ijk + n_ijk) / (α_ij + n_ij), with the counts of the rows before t. A row
    that BDe's prior network rules out gets minus infinity, whatever came before it.

    Examples
    --------
    >>> import bnml, numpy
    >>> table = numpy.array([[0, 0], [0, 0], [1, 1], [1, 1], [1, 0]])
    >>> dag = bnml.DAG.parse("[X0][X1|X0]")
    >>> float(bnml.prequential(dag, table, "k2").sum().round(4)) == round(bnml.score(dag, table, "k2"), 4)
    True
    """
    chosen = parse_score(score)
    if not chosen.prequential:
        raise ScoreError(f"prequential: {chosen.name} does not predict row by row; take k2, bd, bdj, bdeu or BDe")
    check_dag(dag)
    table = as_data(data)
    refuse_gaps(table, function("bnml.prequential"))
    sets = parent_sets(dag, table.names)
    chosen.check(table)
    rows, counts = rows_of(table), counts_of(table)
    if rows.places is None or rows.places.size != table.n_rows:
        raise ScoreError("prequential: it needs the rows one by one, in order; this table holds only their frequencies")

    total = np.zeros(table.n_rows)
    for child, parents in enumerate(sets):
        variables = [*parents, child]
        arities = [table.arities[v] for v in variables]
        free = rows_left_alone(table, child)
        cell = rows.in_order(rows_to_numbers(rows.codes[variables], arities))[free]
        configuration = rows.in_order(rows_to_numbers(rows.codes[variables[:-1]], arities[:-1]))[free]
        seen = _seen_before(cell), _seen_before(configuration)

        def states_of(variable: int, free: Any = free) -> npt.NDArray[Any]:
            states: npt.NDArray[Any] = rows.in_order(rows.codes[variable])[free]
            return states

        total[free] += chosen.log_predictive(FamilyRows(counts.for_child(child), child, parents, states_of, *seen))
    return total


def _seen_before(labels: npt.NDArray[np.integer[Any]]) -> npt.NDArray[np.int64]:
    """Return for each row how many rows before it have the same label."""
    order = np.argsort(labels, kind="stable")
    grouped = labels[order]
    starts = np.flatnonzero(np.r_[True, grouped[1:] != grouped[:-1]])
    sizes = np.diff(np.append(starts, grouped.size))
    seen = np.empty(labels.size, np.int64)
    seen[order] = np.arange(labels.size) - np.repeat(starts, sizes)
    return seen
