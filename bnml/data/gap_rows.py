"""The rows of a table with gaps, for those who expect or fill what is missing: parameters by EM, completions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from bnml.data.columns import column_code_type
from bnml.data.data import Data
from bnml.data.grouping import group_rows
from bnml.data.read_choices import Reading

__all__ = ["GapRows", "joined_rows", "rows_split_by_gaps"]

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class GapRows:
    """The distinct rows of a table that have gaps.

    ``columns``: one row per column of the table, with the code of each distinct row; -1 for a gap. ``times``: how often
    each of them occurs.
    """

    columns: Ints
    times: Ints

    @property
    def n(self) -> int:
        """How many distinct rows there are."""
        return int(self.times.size)


def rows_split_by_gaps(data: Data) -> tuple[Data | None, GapRows]:
    """Return the table of the rows without gaps, None if there are none, and the others.

    Examples
    --------
    >>> import bnml, pandas
    >>> frame = pandas.DataFrame({"sky": ["sun", "rain", None, "sun"], "air": ["hot", "cold", "hot", "hot"]})
    >>> whole, rows = rows_split_by_gaps(bnml.read(frame, missing="em"))
    >>> whole.n_rows, rows.columns.tolist(), rows.times.tolist()
    (3, [[-1], [1]], [1])
    """
    arities = np.array(data.arities)[:, None]
    gaps = (data.column_codes >= arities).any(axis=0)
    columns = data.column_codes[:, gaps].astype(np.int64)
    rows = GapRows(np.where(columns >= arities, -1, columns), data.weights[gaps])
    if gaps.all():
        return None, rows
    codes, times = np.ascontiguousarray(data.column_codes[:, ~gaps]).T, data.weights[~gaps]
    return Data(data.names, data.states, codes, times, None, data.cuts, _without_gaps(data.reading)), rows


def joined_rows(data: Data, whole: Data | None, parts: int, columns: Ints, times: Ints) -> Data:
    """Return the rows of a table whose gaps were filled: the whole ones, so many times each, and the filled ones.

    Parameters
    ----------
    data
        The table with gaps.
    whole, parts
        Its rows without gaps, and how many times each of them is to count.
    columns, times
        The filled rows, a row of the array per column; how often each of them counts.
    """
    if whole is not None:
        columns = np.concatenate([whole.column_codes, columns], axis=1)
        times = np.concatenate([whole.weights * parts, times])
    coded: npt.NDArray[Any] = np.ascontiguousarray(columns, column_code_type(max(data.arities)))
    codes, totals, _ = group_rows(coded, data.arities, times)
    return Data(data.names, data.states, codes, totals, None, data.cuts, _without_gaps(data.reading))


def _without_gaps(reading: Reading) -> Reading:
    return Reading("error", reading.na_values, reading.coded)
