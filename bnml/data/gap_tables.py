"""Tables with gaps as tables without: gaps as states of their own, or filled with the most frequent value."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bnml._arrays import Floats
from bnml.data.columns import column_code_type
from bnml.data.data import Data
from bnml.data.grouping import group_rows
from bnml.data.labels import MISSING_LABEL, Reading
from bnml.data.targets import group_with_targets


def gaps_as_states(data: Data) -> Data:
    """Return a table with gaps as a table without: as read with ``missing="state"``, gaps are a last state of a column.

    Examples
    --------
    >>> import bnml, pandas
    >>> data = bnml.read(pandas.DataFrame({"sky": ["sun", "rain", None]}), missing="em")
    >>> gaps_as_states(data).states
    (('rain', 'sun', '?'),)
    """
    states = tuple(
        (*labels, MISSING_LABEL) if own > r else labels
        for labels, own, r in zip(data.states, data.code_arities, data.arities, strict=True)
    )
    reading = Reading("state", data.reading.na_values, data.reading.coded)
    return Data(
        data.names, states, data.codes, data.weights, data.row_index, {}, reading, targets=data.targets
    )  # fmt: skip


def gaps_filled_by_mode(data: Data) -> Data:
    """Return a table whose gaps are filled with the most frequent value of their column."""
    columns = data.column_codes.copy()
    for own, r in zip(columns, data.arities, strict=True):
        there = own < r
        own[~there] = np.bincount(own[there], data.weights[there], minlength=r).argmax()
    codes, weights, _, targets = group_with_targets(columns, data.arities, data.weights, data.targets)
    return Data(data.names, data.states, codes, weights, None, data.cuts, Reading("error"), targets=targets)


def table_of_counts(data: Data, columns: Sequence[int], counts: Floats, parts: int) -> Data:
    """Return a table without gaps that has given counts, which may be fractions, of some columns.

    Parameters
    ----------
    data
        The table with gaps: columns and states are taken from it.
    columns, counts
        The columns that were counted, and the counts of their configurations, an axis for each; they add up to a
        whole number of rows. All other columns hold their first state.
    parts
        How many parts a row is: the counts are right up to 1 / parts.

    Examples
    --------
    >>> import bnml, numpy, pandas
    >>> data = bnml.read(pandas.DataFrame({"sky": ["sun", "rain", None], "air": ["hot", "cold", "hot"]}), missing="em")
    >>> table_of_counts(data, [0], numpy.array([1.25, 1.75]), 4).weights.tolist()
    [5, 7]
    """
    flat = counts.ravel() * parts
    whole = np.floor(flat).astype(np.int64)
    left = round(float(counts.sum())) * parts - int(whole.sum())
    whole[np.argsort(whole - flat, kind="stable")[:left]] += 1  # the largest remainders
    cells = np.flatnonzero(whole)
    coded = np.zeros((len(data.names), cells.size), column_code_type(max(data.arities)))
    coded[list(columns)] = np.unravel_index(cells, counts.shape)
    codes, weights, _ = group_rows(coded, data.arities, whole[cells])
    return Data(data.names, data.states, codes, weights, None, data.cuts, Reading("error"))


def count_rows_with_gaps(data: Data) -> int:
    """Return for a table with gaps how many of its distinct rows have some."""
    return int((data.column_codes >= np.array(data.arities)[:, None]).any(axis=0).sum())
