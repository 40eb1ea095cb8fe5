"""Prequential analysis: a Bayesian score as the result of predicting one row after the other."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from bnml.counts import occupied
from bnml.data import Data, as_data
from bnml.errors import ScoreError
from bnml.graph import DAG
from bnml.scores.base import Score
from bnml.scores.bd import BD, BDJ, K2
from bnml.scores.bde import BDe
from bnml.scores.bdeu import BDeu
from bnml.scores.parent_sets import check_dag, parent_sets
from bnml.scores.registry import parse_score

__all__ = ["prequential"]

Floats = npt.NDArray[np.float64]


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
        One value per row of the source, in its order.

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
    if not isinstance(chosen, BD | K2 | BDJ | BDeu | BDe):
        raise ScoreError(f"prequential: {chosen.name} does not predict row by row; take k2, bd, bdj, bdeu or BDe")
    check_dag(dag)
    table = as_data(data)
    sets = parent_sets(dag, table.names)
    chosen.check(table)
    if table.row_index is None or table.row_index.size != table.n_rows:
        raise ScoreError("prequential: it needs the rows one by one, in order; this table holds only their frequencies")
    total = np.zeros(table.n_rows)
    for child, parents in enumerate(sets):
        cell, configuration = (occupied(table, variables).labels for variables in ((*parents, child), parents))
        with np.errstate(divide="ignore", invalid="ignore"):
            log_a_ijk, log_a_ij = (a[table.row_index] for a in _log_hyperparameters(chosen, table, child, parents))
            log_n_ijk, log_n_ij = (np.log(_seen_before(x[table.row_index])) for x in (cell, configuration))
            predicted = np.logaddexp(log_a_ijk, log_n_ijk) - np.logaddexp(log_a_ij, log_n_ij)
        total += np.where(np.isneginf(log_a_ijk), -np.inf, predicted)
    return total


def _seen_before(labels: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Return for each row how many rows before it have the same label."""
    order = np.argsort(labels, kind="stable")
    grouped = labels[order]
    starts = np.flatnonzero(np.r_[True, grouped[1:] != grouped[:-1]])
    sizes = np.diff(np.append(starts, grouped.size))
    seen = np.empty(labels.size, np.int64)
    seen[order] = np.arange(labels.size) - np.repeat(starts, sizes)
    return seen


def _log_hyperparameters(score: Score, data: Data, child: int, parents: tuple[int, ...]) -> tuple[Floats, Floats]:
    """Return log α_ijk and log α_ij for each distinct row's cell; α itself may be too small for a float."""
    n, r = data.n_distinct, data.arities[child]
    match score:
        case BDe():
            variables = (*parents, child)
            joint = score.ess * score.marginal(data, variables)
            at = tuple(data.columns[v] for v in variables)
            return np.log(joint[at]), np.broadcast_to(np.log(joint.sum(axis=-1)[at[:-1]]), n)
        case BDeu(ess=ess):
            log_a_ij = math.log(ess) - math.fsum(math.log(data.arities[p]) for p in parents)
        case BD() | K2() | BDJ():
            log_a_ij = math.log(r * score.alpha)
    return np.full(n, log_a_ij - math.log(r)), np.full(n, log_a_ij)
