"""Predictions averaged over structures.

The probability of a new row x is Σ_G P(G | D) P(x | G, D), with P(x | G, D) = Π_i θ_i(x), where θ_i(x) is the
probability of the row's state of X_i given those of its parents, as it belongs to the score. With the counts N_ijk and
N_ij of the data it is for

- BD, K2, BDJ, BDeu, BDe: the posterior mean (N_ijk + α_ijk) / (N_ij + α_ij). What a structure predicts for one row
  after the other then multiplies to its score.
- BDs: the same with α_ijk = ess / (r_i q̃_i) where the parents' configuration occurred; elsewhere its prior is silent,
  and all states are equally probable.
- BDq: the score is a quotient of the probabilities of two tables; the family's table alone predicts
  (N_ijk + α) / (N + q_i r_i α) for a cell, and so (N_ijk + α) / (N_ij + r_i α) given the parents.
- fNML, qNML: the normalised maximum likelihood of a table depends on how long it will become; for one more row it is
  sequential NML, e(N_ijk) (N_ijk + 1) divided by its sum over k, with e(n) = ((n + 1) / n)^n and e(0) = 1
  (Rissanen & Roos 2007; qNML paper, section 4.2).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from bnml.data import Data
from bnml.data.matching import match
from bnml.errors import ScoreError
from bnml.scores import BD, BDJ, FNML, K2, QNML, BDe, BDeu, BDq, BDs, Score
from bnml.uncertainty.structures import Listed

__all__ = ["averaged_log_prob"]

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

BLOCK = 1 << 22  # structures × rows that are worked on together; 32 MB


def averaged_log_prob(listed: Listed, data: Data, score: Score, new: Any) -> Floats:
    """Return the log-probability of each row of a new table, averaged over all structures."""
    rows = match(new, dict(zip(data.names, data.states, strict=True)), data.cuts)
    label, first = _distinct(rows.columns)
    probabilities = _Predictor(data, score, rows.columns[:, first]).all_families()
    weights, numbers = listed.log_weights, listed.structures.numbers
    weights, numbers = weights[np.isfinite(weights)], numbers[np.isfinite(weights)]
    found = np.empty(first.size)
    step = max(1, BLOCK // weights.size)
    for start in range(0, first.size, step):
        block = probabilities[:, :, start : start + step]
        each = weights[:, None] + np.sum([block[i][numbers[:, i]] for i in range(len(block))], axis=0)
        found[start : start + step] = np.logaddexp.reduce(each, axis=0)
    result: Floats = found[label][rows.index]
    return result


def _distinct(columns: npt.NDArray[Any]) -> tuple[Ints, Ints]:
    """Return for each row the number of its configuration, and for each configuration a row."""
    label = np.zeros(columns.shape[1], np.int64)
    for codes in columns:
        label = _renumbered(label, codes)
    return label, np.unique(label, return_index=True)[1].astype(np.int64)


def _renumbered(label: Ints, codes: npt.NDArray[Any]) -> Ints:
    """Return a number for each pair of a label and a code, without gaps."""
    pairs = label * (int(codes.max(initial=0)) + 1) + codes.astype(np.int64)
    return np.unique(pairs, return_inverse=True)[1].reshape(-1).astype(np.int64)


class _Predictor:
    """The probability that each family gives to the states of new rows.

    A table's cells are numbered through old rows and new together, only those that occur; so states may be many.
    """

    def __init__(self, data: Data, score: Score, new: npt.NDArray[Any]) -> None:
        self.data, self.score, self.new = data, score, new
        both = np.concatenate([data.columns.astype(np.int64), new.astype(np.int64)], axis=1)
        self.labels = [np.zeros(both.shape[1], np.int64)]  # for each set of columns, as a bit mask, the rows' cells
        for v in range(len(data.names)):
            self.labels += [_renumbered(label, both[v]) for label in self.labels]

    def all_families(self) -> Floats:
        """Return log θ[variable, number of the parent set without the variable, row]."""
        n = len(self.data.names)
        result = np.empty((n, 1 << (n - 1), self.new.shape[1]))
        for i in range(n):
            low = (1 << i) - 1
            for p in range(1 << (n - 1)):
                result[i, p] = self.family(i, (p & low) | (p & ~low) << 1)
        return result

    def family(self, child: int, above: int) -> Floats:
        """Return log θ of one family for each new row; ``above`` are the parents, as a bit mask."""
        parents = [v for v in range(len(self.data.names)) if above >> v & 1]
        if isinstance(self.score, FNML | QNML):
            return self._sequential(child, above)
        with np.errstate(divide="ignore", invalid="ignore"):
            log_a_ijk, log_a_ij = self._log_hyperparameters(child, parents, above)
            log_n_ijk, log_n_ij = np.log(self._seen(above | 1 << child)), np.log(self._seen(above))
            value = np.logaddexp(log_a_ijk, log_n_ijk) - np.logaddexp(log_a_ij, log_n_ij)
        if isinstance(self.score, BDs):
            return np.where(np.isneginf(log_n_ij), -math.log(self.data.arities[child]), value)
        return np.where(np.isneginf(log_a_ijk), -np.inf, value)  # what BDe's prior network rules out

    def _counts(self, columns: int) -> Ints:
        """Return how often each cell of a set of columns occurs in the old rows."""
        label, old = self.labels[columns], self.data.n_distinct
        counts = np.zeros(int(label.max()) + 1, np.int64)
        np.add.at(counts, label[:old], self.data.weights)
        return counts

    def _seen(self, columns: int) -> Ints:
        """Return for each new row how many old rows are in its cell."""
        return self._counts(columns)[self.labels[columns][self.data.n_distinct :]]

    def _sequential(self, child: int, above: int) -> Floats:
        """Return the logarithm of sequential NML; a cell that never occurred weighs 1."""
        cell, configuration = self.labels[above | 1 << child], self.labels[above]
        counts = self._counts(above | 1 << child).astype(np.float64)
        weights = np.exp(counts * np.log1p(1.0 / np.maximum(counts, 1.0))) * (counts + 1.0)
        of_cell = np.empty(counts.size, np.int64)
        of_cell[cell] = configuration
        total = self.data.arities[child] + np.bincount(of_cell, weights - 1.0)
        new = slice(self.data.n_distinct, None)
        result: Floats = np.log(weights[cell[new]]) - np.log(total[configuration[new]])
        return result

    def _log_hyperparameters(self, child: int, parents: list[int], above: int) -> tuple[Any, Any]:
        """Return log α_ijk and log α_ij for the new rows' cells."""
        r = self.data.arities[child]
        match self.score:
            case BDe():
                at = tuple(self.new[v] for v in (*parents, child))
                joint = self.score.ess * self.score.marginal(self.data, (*parents, child))
                return np.log(joint[at]), np.log(joint.sum(axis=-1)[at[:-1]])
            case BDeu(ess=ess):
                log_a_ij = math.log(ess) - math.fsum(math.log(self.data.arities[p]) for p in parents)
            case BDs(ess=ess):
                log_a_ij = math.log(ess) - math.log(np.count_nonzero(self._counts(above)))
            case BD() | K2() | BDJ():
                log_a_ij = math.log(r * self.score.alpha)
            case BDq():
                log_a_ij = math.log(r * self.score.alpha_for(self.data.n_rows))
            case _:
                raise ScoreError(f"log_prob: it is not known what {self.score.name} predicts")
        return log_a_ij - math.log(r), log_a_ij
