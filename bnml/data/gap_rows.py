"""The rows of a table with gaps, for those who expect or fill what is missing: parameters by EM, completions."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from bnml.data.columns import column_code_type
from bnml.data.data import Data
from bnml.data.labels import Reading
from bnml.data.targets import Targets, group_with_targets, joined_targets

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class GapRows:
    """The distinct rows of a table that have gaps.

    ``columns``: one row per column of the table, with the code of each distinct row; -1 for a gap. ``times``: how often
    each of them occurs. ``targets``: what was set in them, None for nothing.
    """

    columns: Ints
    times: Ints
    targets: Targets | None = None

    @property
    def n(self) -> int:
        """How many distinct rows there are."""
        return int(self.times.size)

    def by_targets(self) -> list[tuple[tuple[int, ...], Ints]]:
        """Return each set of columns that were set together, with the places of the rows in which these were."""
        if self.targets is None:
            return [((), np.arange(self.n))]
        of_row = self.targets.of_row
        return [(own, np.flatnonzero(of_row == place)) for place, own in enumerate(self.targets.sets)]


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
    targets = [None if data.targets is None else data.targets.rows(np.flatnonzero(own)) for own in (gaps, ~gaps)]
    rows = GapRows(np.where(columns >= arities, -1, columns), data.weights[gaps], targets[0])
    if gaps.all():
        return None, rows
    codes, times = np.ascontiguousarray(data.column_codes[:, ~gaps]).T, data.weights[~gaps]
    reading = _without_gaps(data.reading)
    return Data(data.names, data.states, codes, times, None, data.cuts, reading, targets=targets[1]), rows


def joined_rows(
    data: Data, whole: Data | None, parts: int, columns: Ints, times: Ints, targets: Targets | None = None
) -> Data:
    """Return a table without gaps: some whole rows, so many times each, and others that were filled.

    Parameters
    ----------
    data
        The table with gaps.
    whole, parts
        Its rows without gaps, and how many times each of them is to count.
    columns, times, targets
        The filled rows, a row of the array per column; how often each of them counts; and what was set in them.
    """
    pieces = [(targets, times.size)]
    if whole is not None:
        pieces.insert(0, (whole.targets, whole.weights.size))
        columns = np.concatenate([whole.column_codes, columns], axis=1)
        times = np.concatenate([whole.weights * parts, times])
    coded: npt.NDArray[Any] = np.ascontiguousarray(columns, column_code_type(max(data.arities)))
    codes, totals, _, joined = group_with_targets(coded, data.arities, times, joined_targets(pieces))
    return Data(data.names, data.states, codes, totals, None, data.cuts, _without_gaps(data.reading), targets=joined)


def shares_of_set_values(data: Data, column: int) -> npt.NDArray[np.float64]:
    """Return the shares of the values that a column was set to, where it is known to what; without any, equal ones.

    Examples
    --------
    >>> import bnml, pandas
    >>> frame = pandas.DataFrame({"a": list("xyxy"), "b": ["u", "v", "v", None], "set": ["", "b", "b", "b"]})
    >>> shares_of_set_values(bnml.read(frame, missing="em", interventions="set"), 1)
    array([0., 1.])
    """
    assert data.targets is not None
    own, r = data.column_codes[column], data.arities[column]
    known = np.isin(data.targets.of_row, data.targets.setting(column)) & (own < r)
    counts = np.bincount(own[known], data.weights[known], r)
    return counts / counts.sum() if known.any() else np.full(r, 1.0 / r)


def _without_gaps(reading: Reading) -> Reading:
    return replace(reading, missing="error")
