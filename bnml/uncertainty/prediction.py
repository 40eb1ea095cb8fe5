"""Predictions averaged over structures.

The probability of a new row x is Σ_G P(G | D) P(x | G, D), with P(x | G, D) = Π_i θ_i(x), where θ_i(x) is the
probability of the row's state of X_i given those of its parents, as it belongs to the score:
`bnml.scores.predictive` says what each predicts. A structure's weight with the row is again a product over families,
so that the average is the quotient of two sums over structures.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from bnml._arrays import Floats, Ints
from bnml._bits import members
from bnml._machine import run_each, short_ranges
from bnml.counts import Counts, counts_of
from bnml.data import Data
from bnml.data.matching import match
from bnml.scores import Score
from bnml.scores.predictive import FamilyRows, FamilyTable
from bnml.uncertainty.all_structures import Listed
from bnml.uncertainty.sums_over_structures import log_sum_over_structures

BLOCK = 1 << 22  # families × rows that are worked on together; 32 MB

Average = Callable[[Floats], Floats]
"""From log θ[variable, number of the parent set without the variable, row] to the averages of the rows."""


def averaged_log_prob(data: Data, score: Score, new: Any, average: Average) -> Floats:
    """Return the log-probability of each row of a new table, averaged over all structures."""
    rows = match(new, dict(zip(data.names, data.states, strict=True)), data.cuts, data.reading)
    label, first = _distinct(rows.codes)
    families = len(data.names) << (len(data.names) - 1)
    found = np.empty(first.size)
    for start, stop in short_ranges(first.size, max(1, BLOCK // families)):
        codes = rows.codes[:, first[start:stop]]
        found[start:stop] = average(_all_families(counts_of(data), score, codes))
    return rows.in_order(found[label])


def average_over_listed(listed: Listed, threads: int) -> Average:
    """Return how predictions are averaged over structures that are listed, one by one."""
    from bnml.uncertainty import _kernels

    weights, numbers = listed.log_weights, listed.structures.numbers
    weights, numbers = weights[np.isfinite(weights)], numbers[np.isfinite(weights)]

    def average(tables: Floats) -> Floats:
        found = np.empty(tables.shape[2])

        def of_row(row: int) -> None:
            found[row] = _kernels.averages(weights, numbers, tables, row)

        run_each(of_row, found.size, threads, lambda part: None)
        return found

    return average


def average_by_sums(weights: Floats, prior: str, threads: int) -> Average:
    """Return how predictions are averaged over all structures: a sum over them with a row, less the one without it.

    ``weights`` are the log-weights of all families; a row's own are log θ more.
    """
    total = log_sum_over_structures(weights.copy(), prior, threads)

    def average(tables: Floats) -> Floats:
        found = np.empty(tables.shape[2])

        def of_row(row: int) -> None:
            found[row] = log_sum_over_structures(weights + tables[:, :, row], prior, 1) - total

        run_each(of_row, found.size, threads, lambda part: None)
        return found

    return average


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


def _all_families(counts: Counts, score: Score, new: npt.NDArray[Any]) -> Floats:
    """Return log θ[variable, number of the parent set without the variable, row]."""
    n = len(counts.names)
    predictors: dict[int, _Predictor] = {}
    result = np.empty((n, 1 << (n - 1), new.shape[1]))
    for i in range(n):
        own = counts.for_child(i)
        if id(own) not in predictors:
            predictors[id(own)] = _Predictor(own, score, new)
        low = (1 << i) - 1
        for p in range(1 << (n - 1)):
            result[i, p] = predictors[id(own)].family(i, (p & low) | (p & ~low) << 1)
    return result


class _Predictor:
    """The probability that each family gives to the states of new rows.

    A table's cells are numbered through old cells and new rows together, only those that occur; so states may be many.
    """

    def __init__(self, counts: Counts, score: Score, new: npt.NDArray[Any]) -> None:
        self.counts, self.score, self.new = counts, score, new
        self.old = counts.cells(range(len(counts.names)))
        both = np.concatenate([self.old.states.astype(np.int64), new.astype(np.int64)], axis=1)
        self.labels = [np.zeros(both.shape[1], np.int64)]  # for each set of columns, as a bit mask, the cells in it
        for v in range(len(counts.names)):
            self.labels += [_renumbered(label, both[v]) for label in self.labels]

    def family(self, child: int, above: int) -> Floats:
        """Return log θ of one family for each new row; ``above`` are the parents, as a bit mask."""
        parents = tuple(members(above))
        cell, configuration = self.labels[above | 1 << child], self.labels[above]
        n_ijk, n_ij = self._counts(above | 1 << child), self._counts(above)
        j = np.empty(n_ijk.size, np.int64)
        j[cell] = configuration
        of_row, of_cell = configuration[len(self.old) :], cell[len(self.old) :]
        table = FamilyTable(n_ijk, j, n_ij, of_row)
        rows = FamilyRows(self.counts, child, parents, self.new.__getitem__, n_ijk[of_cell], n_ij[of_row], table)
        return self.score.log_predictive(rows)

    def _counts(self, columns: int) -> Ints:
        """Return how often each cell of a set of columns occurred."""
        label = self.labels[columns]
        counts = np.zeros(int(label.max()) + 1, np.int64)
        np.add.at(counts, label[: len(self.old)], self.old.counts)
        return counts
