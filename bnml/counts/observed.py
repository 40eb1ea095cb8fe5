"""Counts of a table with gaps, for tests: each over the rows in which the columns that it is about are observed.

A test of independence needs only the columns that it is about, so a row that lacks another value can serve it (deletion
test by test). Counts of different columns are then of different rows, which tests can live with, and scores, which
compare sets of columns, cannot: for these `counts_of` refuses gaps.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

import numpy as np

from bnml._arrays import Bools, Floats, Ints
from bnml.counts.batches import check_columns
from bnml.counts.chi_square import Questions, Verdict, chi_square_statistic, log_survival
from bnml.counts.counts import Cells, Counts, cells_of_rows, counts_for_tests
from bnml.data import Data
from bnml.data.targets import rows_not_setting

KEPT = "observed counts"  # under which they are kept with a table


class ObservedCounts:
    """What tests ask of a table with gaps; columns by number."""

    def __init__(self, data: Data) -> None:
        self._data, self.names, self.states, self.arities = data, data.names, data.states, data.arities
        self.n_rows, self.n_distinct = data.n_rows, data.n_distinct
        self._columns, self._weights = data.column_codes, data.weights
        self._observed: Bools = data.column_codes < np.array(data.arities)[:, None]

    def observed(self, variables: Sequence[int]) -> Bools:
        """Return which distinct rows have a value in all of some columns."""
        check_columns(len(self.names), variables)
        rows: Bools = np.asarray(self._observed[list(variables)].all(axis=0))
        return rows

    def n_observed(self, variables: Sequence[int]) -> int:
        """Return how many rows have a value in all of some columns."""
        return int(self._weights[self.observed(variables)].sum())

    def for_child(self, child: int) -> Counts | ObservedCounts:
        """Return the counts that tell about a variable as a child: those of the rows in which it was not set."""
        return self if self._data.targets is None else counts_for_tests(rows_not_setting(self._data, child))

    def count_together(self, sets: Sequence[Sequence[int]]) -> None:
        """Do nothing: in memory each set is counted by itself."""

    def cells(self, variables: Sequence[int]) -> Cells:
        """Return the configurations that occur in the rows in which all of the columns are observed."""
        rows = self.observed(variables)
        columns = np.ascontiguousarray(self._columns[list(variables)][:, rows])
        columns.setflags(write=False)  # as the kernels know them
        return cells_of_rows(variables, [self.arities[v] for v in variables], columns, self._weights[rows])

    def table(self, variables: Sequence[int]) -> Ints:
        """Return the counts of every configuration, over those rows: an array with one axis per variable."""
        own = self.cells(variables)
        shape = [self.arities[v] for v in variables]
        counts = np.zeros(math.prod(shape), np.int64)
        counts[np.ravel_multi_index(tuple(own.states.astype(np.int64)), shape)] = own.counts
        return counts.reshape(shape)

    def lacks_rows(self, x: int, y: int, given: Sequence[int]) -> bool:
        """Tell whether a test has no degrees of freedom only because no, or too few, rows have all of its columns.

        So it is where both columns vary in one stratum, each in the rows in which it and what is given are observed,
        but not in the rows in which both are.
        """
        if not self.n_observed((*given, x, y)):
            return True

        def strata_varied(v: int, rows: Bools) -> set[tuple[int, ...]]:
            """Return the strata in which a column takes several states."""
            cells = np.unique(self._columns[[*given, v]][:, rows], axis=1)
            states = Counter(tuple(stratum) for *stratum, _ in cells.T.tolist())
            return {stratum for stratum, number in states.items() if number > 1}

        both = self.observed((*given, x, y))
        if strata_varied(x, both) & strata_varied(y, both):
            return False
        return bool(strata_varied(x, self.observed((*given, x))) & strata_varied(y, self.observed((*given, y))))

    def statistics(self, questions: Questions, verdict: Verdict, threads: int | None = None) -> tuple[Floats, Ints]:
        """Test each pair given one set after the other, until the verdict is that it is independent.

        A statistic below ``verdict.least`` is one of all rows: of fewer, in proportion. Where `lacks_rows`, nothing is
        tested: statistic and log p are not numbers, and the verdict is open.
        """
        results, made = np.zeros((len(questions.sets), 3)), np.zeros(questions.xs.size, np.int64)
        offsets, sets = questions.offsets.tolist(), questions.sets.tolist()
        for p, (x, y) in enumerate(zip(questions.xs.tolist(), questions.ys.tolist(), strict=True)):
            for t in range(offsets[p], offsets[p + 1]):
                own = self.cells(sorted((*sets[t], x, y)))
                statistic, freedom = chi_square_statistic(own, x, y, sets[t], pearson=verdict.pearson)
                made[p] += 1
                if not freedom and self.lacks_rows(x, y, sets[t]):
                    results[t] = math.nan, 0.0, math.nan
                    continue
                log_p = log_survival(statistic, freedom)
                results[t] = statistic, freedom, log_p
                least = verdict.least * int(own.counts.sum()) / self.n_rows
                if log_p > verdict.log_alpha or statistic < least:
                    break
        return results, made


def observed_counts(data: Data) -> ObservedCounts:
    """Return the counts of a table with gaps; they are kept with it."""
    known: ObservedCounts | None = data.memo.get(KEPT)
    if known is None:
        known = data.memo[KEPT] = ObservedCounts(data)
    return known
