"""Tables with gaps as tables without: gaps as states of their own, or filled with the most frequent value."""

from __future__ import annotations

import numpy as np

from bnml.data.data import Data
from bnml.data.grouping import group_rows
from bnml.data.labels import MISSING_LABEL
from bnml.data.read_choices import Reading

__all__ = ["count_rows_with_gaps", "gaps_as_states", "gaps_filled_by_mode"]


def gaps_as_states(data: Data) -> Data:
    """Return a table with gaps as `bnml.read` gives it for ``missing="state"``: they are a last state of their columns.

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
    return Data(data.names, states, data.codes, data.weights, data.row_index, {}, reading)


def gaps_filled_by_mode(data: Data) -> Data:
    """Return a table whose gaps are filled with the most frequent value of their column."""
    columns = data.column_codes.copy()
    for own, r in zip(columns, data.arities, strict=True):
        there = own < r
        own[~there] = np.bincount(own[there], data.weights[there], minlength=r).argmax()
    codes, weights, _ = group_rows(columns, data.arities, data.weights)
    return Data(data.names, data.states, codes, weights, None, data.cuts, Reading("error"))


def count_rows_with_gaps(data: Data) -> int:
    """Return how many distinct rows have gaps."""
    return int((data.column_codes >= np.array(data.arities)[:, None]).any(axis=0).sum())
