"""Rows one by one: for those few that answer for each row of a source.

Scores and searches ask for counts. Log-probabilities of rows, predictions, relations and the estimators of scikit-learn
look at rows, and this is the one view that they have of them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from bnml.data.columns import column_code_type
from bnml.data.data import Data, refuse_gaps
from bnml.data.grouping import group_rows
from bnml.data.labels import Reading
from bnml.errors import DataError

Codes = npt.NDArray[Any]

UNSEEN = -2  # the code of the first label of a column if it is not among the states; that of the second is -3


def no_single_rows() -> DataError:
    """Return the error for a table of distinct rows with their frequencies where its rows are needed one by one."""
    return DataError(
        "this table holds only frequencies, as one that an engine has counted does, not its rows one by one; "
        "give the rows themselves, as a file or a frame"
    )


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows as codes into states.

    ``codes``: one row per variable, with an entry for each different row; -1 where a value is missing, and lower where
    a label is not among the states. ``places``: for each row of the source its place in ``codes``; None where it holds
    frequencies only. ``labels``: by column its own labels, where unseen ones are allowed.
    """

    codes: Codes
    places: Codes | None
    labels: Mapping[str, Sequence[Any]] = field(default_factory=dict)

    @property
    def n_different(self) -> int:
        """Number of places."""
        return int(self.codes.shape[1])

    def unseen_label(self, name: str, code: int) -> Any:
        """Return the label of a column that is not among the states and has this code."""
        return self.labels[name][UNSEEN - code]

    def in_order(self, values: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return for each row of the source what stands at its place.

        Raises
        ------
        DataError
            If the source holds frequencies only.
        """
        if self.places is None:
            raise no_single_rows()
        found: npt.NDArray[Any] = values[self.places]
        return found


def rows_of(data: Data) -> Rows:
    """Return the rows of a table, in its own states.

    Raises
    ------
    MissingError
        If it has gaps.
    """
    refuse_gaps(data, "rows_of()")
    return Rows(data.column_codes, data.row_index)


def rows_left_alone(data: Data, column: int) -> npt.NDArray[np.bool_] | slice:
    """Return, row by row, whether a column was left alone, not set; all rows of the source where nothing was."""
    if data.targets is None:
        return slice(None)
    return rows_of(data).in_order(~np.isin(data.targets.of_row, data.targets.setting(column)))


def rows_to_distinct(columns: Codes, arities: Sequence[int]) -> npt.NDArray[np.integer[Any]]:
    """Return, row by row, which of the distinct rows it is, by number; ``columns`` has a row for each variable."""
    if not len(columns):
        return np.zeros(columns.shape[1], np.int64)
    return group_rows(np.ascontiguousarray(columns), arities)[2]


def rows_to_numbers(columns: Codes, arities: Sequence[int]) -> npt.NDArray[np.integer[Any]]:
    """Return, row by row, a number that is the same for equal rows; unlike in `rows_to_distinct` there may be gaps.

    Numbers are as narrow as possible: those of 16 bits are sorted many times faster.
    """
    possible = math.prod(arities)
    if possible > 1 << 62:
        return rows_to_distinct(columns, arities)
    numbers = np.zeros(columns.shape[1], np.int64)
    for codes, r in zip(columns, arities, strict=True):
        numbers *= r
        numbers += codes
    return numbers.astype(np.uint16) if possible <= 1 << 16 else numbers


def rows_with_column(data: Data, name: str, labels: Sequence[Any], codes: Codes) -> Data:
    """Return the rows of a table with one more column, given by its labels and the code of each row; gaps stay."""
    rows = np.vstack([Rows(data.column_codes, data.row_index).in_order(data.codes).T, codes])
    return rows_to_data((*data.names, name), (*data.states, tuple(labels)), rows, data.cuts, data.reading)


def rows_to_data(
    names: Sequence[str],
    states: Sequence[Sequence[Any]],
    codes: Codes,
    cuts: Mapping[str, tuple[float, ...]] | None = None,
    reading: Reading | None = None,
) -> Data:
    """Return the rows that are given as codes, one row of these per column, as a table; gaps come after all states."""
    sizes = [len(own) + bool(reading is not None and reading.missing == "em") for own in states]
    grouped_rows = group_rows(np.ascontiguousarray(codes, column_code_type(max(sizes))), sizes)
    return Data(tuple(names), tuple(map(tuple, states)), *grouped_rows, cuts or {}, reading or Reading())
