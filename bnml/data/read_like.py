"""`read_like`: a raw table becomes a `Data` in the terms of another one, whose states, cuts and reading are known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from bnml._machine import enough_memory
from bnml.data.columns import column_code_type
from bnml.data.data import Data, Gaps
from bnml.data.labels import Reading
from bnml.data.matching import check_matched, columns_to_match, matched_codes
from bnml.data.read import read_frequencies
from bnml.data.read_arguments import check_arguments
from bnml.data.sources import open_table
from bnml.data.states import medians_of_column
from bnml.data.targets import Targets, group_with_targets, targets_of_column
from bnml.errors import DataError


@enough_memory(DataError, "the table was read", "take fewer columns or rows, or a machine with more")
def read_like(
    source: Any,
    states: Mapping[str, Sequence[Any]],
    cuts: Mapping[str, Sequence[float]],
    reading: Reading,
    **arguments: Any,
) -> Data:
    """Read a table as another one was read: the same columns, states and cuts, and the same fate of missing values.

    Medians of bins are those of this table; of bins without numbers here, those of the first one.

    Parameters
    ----------
    source
        Anything that `bnml.read` takes.
    states
        The columns and their labels.
    cuts
        The cuts of those that hold numbers.
    reading
        What else is known of the first table.
    **arguments
        Other arguments of `bnml.read`: weights, interventions and the memory limit.

    Raises
    ------
    DataError
        If a column is not there, a value is none of its states, or values are missing where they were not before.
    """
    asked = check_arguments(columns=list(states), **arguments)
    table = open_table(source, asked.kept, asked.limit)
    frequencies = read_frequencies(table, asked)
    variables = {column.name: column for column in columns_to_match(table, states, reading) if column.name in states}
    matrix = matched_codes(variables, states, cuts, reading)
    if not matrix.shape[1]:
        raise DataError("the table has no rows")
    kept = np.ones(matrix.shape[1], bool) if frequencies is None else frequencies > 0
    if reading.missing == "drop":
        kept &= (matrix >= 0).all(axis=0)
    if not kept.any():
        raise DataError("no rows are left: every row has a missing value, or a weight of 0")
    matrix = matrix[:, kept]
    arities = [len(labels) for labels in states.values()]
    times = np.ones(matrix.shape[1], np.int64) if frequencies is None else frequencies[kept]
    missing = (matrix < 0) @ times
    if reading.missing == "em":
        matrix = np.where(matrix < 0, np.array(arities)[:, None], matrix)
        arities = [r + bool(n) for r, n in zip(arities, missing, strict=True)]
    else:
        check_matched(matrix, list(states), np.arange(matrix.shape[1]))
    own = next((column for column in table.columns if column.name == asked.interventions), None)
    targets = None
    if own is not None:
        sets, of_row = targets_of_column(own, list(states), table.names, frozenset(reading.na_values))
        targets = Targets.of(sets, of_row[kept])
    medians = dict(reading.medians)
    for column in (variables[name].rows(kept) for name in cuts):
        if column.codes.max() >= 0 and column.numbers() is not None:
            medians[column.name] = medians_of_column(
                column, cuts[column.name], None if frequencies is None else times, medians.get(column.name)
            )
    codes, totals, index, targets = group_with_targets(
        np.ascontiguousarray(matrix, column_code_type(max(arities))),
        arities,
        None if frequencies is None else times,
        targets,
    )
    return Data(
        tuple(states), tuple(map(tuple, states.values())), codes, totals, None if table.counts is not None else index,
        {name: tuple(points) for name, points in cuts.items()}, replace(reading, medians=tuple(medians.items())),
        Gaps(tuple((name, int(n)) for name, n in zip(states, missing, strict=True) if n)), targets=targets,
    )  # fmt: skip
