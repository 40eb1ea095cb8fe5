"""A table whose states are settled while its numbers are still at hand, so that columns can be cut anew."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from bnml.data.columns import Column, column_code_type
from bnml.data.data import Data
from bnml.data.dependent_bins import CodedColumn, ColumnCutting, NumericColumn, partners_of
from bnml.data.gaps import Gaps
from bnml.data.read_choices import Reading
from bnml.data.states import States, medians_of_column, states_of_bins
from bnml.data.targets import Targets, group_with_targets


@dataclass(frozen=True, eq=False)
class DraftTable:
    """Columns with their states.

    Attributes
    ----------
    columns
        What was read.
    states
        The states of each column.
    frequencies
        How often each row occurs; once without.
    reading
        What `bnml.read` was told.
    keep_rows
        Whether the table has its rows one by one.
    automatic
        The columns that were cut by ``"auto"``.
    gaps
        What was missing, and which rows were left out.
    targets
        Which variables were set, for each row; None for none.
    """

    columns: tuple[Column, ...]
    states: tuple[States, ...]
    frequencies: npt.NDArray[np.int64] | None
    reading: Reading
    keep_rows: bool
    automatic: frozenset[str]
    gaps: Gaps
    targets: Targets | None = None

    def data(self) -> Data:
        """Return the table of categories."""
        from bnml.data._kernels import translate

        gaps = self.reading.missing == "em"
        arities = [
            len(states.labels) + (gaps and column.has_missing)
            for column, states in zip(self.columns, self.states, strict=True)
        ]
        matrix = np.empty((len(self.columns), self.columns[0].codes.size), column_code_type(max(arities)))
        for row, column, states in zip(matrix, self.columns, self.states, strict=True):
            translate(column.codes, states.mapping, row)
        codes, weights, row_index, targets = group_with_targets(matrix, arities, self.frequencies, self.targets)
        cut = [(column, s.cuts) for column, s in zip(self.columns, self.states, strict=True) if s.cuts is not None]
        medians = tuple((column.name, medians_of_column(column, own, self.frequencies)) for column, own in cut)
        return Data(
            tuple(column.name for column in self.columns),
            tuple(states.labels for states in self.states),
            codes,
            weights,
            row_index if self.keep_rows else None,
            {column.name: own for column, own in cut},
            replace(self.reading, medians=medians),
            self.gaps,
            targets,
        )

    def n_candidates(self, name: str) -> int:
        """Return how many places a column can be cut at."""
        return NumericColumn.of(self.columns[self._index(name)], self.frequencies).n_candidates

    def cut_anew(self, name: str, families: Sequence[tuple[Sequence[str], Sequence[str]]]) -> DraftTable:
        """Return the table with a column of numbers cut so that others are described best.

        Parameters
        ----------
        name
            The column.
        families
            The variables to describe, as one where there are several, and those that they are described given.
        """
        i = self._index(name)
        cuts = self.cutting(name, families).best()
        if not cuts:
            return self
        states = states_of_bins(self.columns[i], cuts)
        if self.reading.missing == "state" and self.columns[i].has_missing:
            states = states.with_missing_state()
        if self.reading.missing == "em":
            states = states.with_gaps()
        return replace(self, states=(*self.states[:i], states, *self.states[i + 1 :]))

    def cutting(self, name: str, families: Sequence[tuple[Sequence[str], Sequence[str]]]) -> ColumnCutting:
        """Return a column of numbers as it is to be cut for others; see `cut_anew`."""
        numbers = NumericColumn.of(self.columns[self._index(name)], self.frequencies)
        return ColumnCutting(numbers, [(self._joint(described), self._joint(given)) for described, given in families])

    def partners(self, name: str) -> list[str]:
        """Return the columns that a column of numbers tells most about."""
        numbers = NumericColumn.of(self.columns[self._index(name)], self.frequencies)
        known = zip(self.columns, self.states, strict=True)
        return partners_of(numbers, {own.name: CodedColumn.of(own, s) for own, s in known if own.name != name})

    def _index(self, name: str) -> int:
        return next(i for i, column in enumerate(self.columns) if column.name == name)

    def _joint(self, names: Sequence[str]) -> CodedColumn:
        """Return columns as one, whose states are their configurations."""
        joint = CodedColumn(np.zeros(self.columns[0].codes.size, np.int64), 1)
        for i in sorted(map(self._index, names), key=lambda i: self.columns[i].name):
            own = CodedColumn.of(self.columns[i], self.states[i])
            joint = CodedColumn(joint.codes * own.arity + own.codes, joint.arity * own.arity)
        return joint
