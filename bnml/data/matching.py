"""New data in the terms of old: codes into states that are already fixed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from bnml._text import clip, did_you_mean, quoted
from bnml.data.bins import bins_of_values
from bnml.data.columns import Column
from bnml.data.data import Data
from bnml.data.labels import MISSING_LABEL, Reading, as_number, label_text
from bnml.data.rows import UNSEEN, Rows, no_single_rows
from bnml.data.sources import open_table
from bnml.data.states import hold_codes, states_of_codes
from bnml.data.table import Table
from bnml.errors import DataError, MissingError


def match(
    source: Any,
    states: Mapping[str, Sequence[Any]],
    cuts: Mapping[str, Sequence[float]],
    reading: Reading,
    *,
    gaps: bool = False,
    absent: bool = False,
    unseen: bool = False,
) -> Rows:
    """Read a table in terms of given states.

    Parameters
    ----------
    source
        A `Data`, a table that was opened, or anything that `bnml.read` takes.
    states
        The variables and their labels; labels are matched by text.
    cuts
        For binned variables the cuts: their numbers are placed by them, unless they are the labels of the bins.
    reading
        What else is known of tables of these variables: what stands for a missing value, and which hold codes.
    gaps, absent
        Allow missing values; allow missing columns, which then have missing values alone.
    unseen
        Allow labels that are not among the states.

    Returns
    -------
    Rows
        The codes; a missing value has the code of the state ``?``, if its variable has that state.

    Raises
    ------
    DataError
        If a column is not there or a value is not among the states.
    """

    def chosen(names: Sequence[str]) -> list[str]:
        return [name for name in names if name in states] or list(names)

    if isinstance(source, Data):
        own = [Column(name, source.states[i], _signed(source, i)) for i, name in enumerate(source.names)]
        own = [column.without(reading.gap_texts(states.get(column.name, ()))) for column in own]
        found = {column.name: column for column in _decoded(own, states, reading)}
        index = source.row_index
    else:
        table = source if isinstance(source, Table) else open_table(source, chosen)
        table = replace(table, columns=[column for column in table.columns if column.name in chosen(table.names)])
        index = None if table.counts is not None else np.arange(table.columns[0].codes.size)
        found = {column.name: column for column in columns_to_match(table, states, reading)}
    if index is None:
        raise no_single_rows()
    n = source.n_distinct if isinstance(source, Data) else index.size
    if n == 0:
        raise DataError("the table has no rows")
    not_there = [name for name in states if name not in found]
    if not_there and not absent:
        hint = did_you_mean(not_there[0], found)
        raise DataError(f"the data have no column {quoted(not_there)}; they have {quoted(found)}.{hint}")
    matched = matched_codes(found, states, cuts, reading, unseen=unseen)
    if not gaps:
        check_matched(matched, list(states), index)
    return Rows(matched, index, {name: column.labels for name, column in found.items()} if unseen else {})


def _signed(data: Data, column: int) -> npt.NDArray[Any]:
    """Return the codes of a column with -1 for gaps."""
    codes, r = data.column_codes[column], data.arities[column]
    return codes if data.code_arities[column] == r else np.where(codes == r, -1, codes.astype(np.int64))


def matched_codes(
    found: Mapping[str, Column],
    states: Mapping[str, Sequence[Any]],
    cuts: Mapping[str, Sequence[float]],
    reading: Reading,
    *,
    unseen: bool = False,
) -> npt.NDArray[np.int32]:
    """Return the codes of columns into given states, a row per variable; -1 where there is no value.

    Raises
    ------
    DataError
        If a label is not among the states, unless ``unseen`` labels are allowed (see `Rows`).
    """
    n = next(iter(found.values())).codes.size
    matched = np.full((len(states), n), -1, np.int32)
    for row, (name, labels) in zip(matched, states.items(), strict=True):
        if name in found:
            column = found[name]
            mapping = _mapping(column, labels, cuts.get(name))
            row[:] = np.append(mapping, reading.gap_code(labels))[column.codes]
            strange = row[row <= UNSEEN]
            if strange.size and not unseen:
                label = column.labels[UNSEEN - int(strange.max())]
                raise DataError(
                    f"{unseen_label_text(name, label, labels)}."
                    f"{did_you_mean(clip(label_text(label)), [clip(label_text(state)) for state in labels[:1000]])}"
                )
    return matched


def unseen_label_text(name: str, label: Any, labels: Sequence[Any]) -> str:
    """Return how messages say that a column holds a label that is not among its states."""
    return f"column {clip(name)!r} holds {clip(label)!r}, which is not one of its states {quoted(map(clip, labels))}"


def columns_to_match(table: Table, states: Mapping[str, Sequence[Any]], reading: Reading) -> list[Column]:
    """Return columns to be matched to given states: missing values and labels are told apart as in the first table."""
    labels_of = {name: reading.proper_labels(labels) for name, labels in states.items()}
    na_texts = frozenset(reading.na_values)
    columns = [c.cleaned(labels_of.get(c.name, ()), na_texts, untyped=table.untyped) for c in table.columns]
    return _decoded(columns, states, reading, certain=True)


def _decoded(
    columns: list[Column], states: Mapping[str, Sequence[Any]], reading: Reading, *, certain: bool = False
) -> list[Column]:
    """Return columns with labels in place of codes, if they are like those of the first table."""
    coded = {name: reading.proper_labels(states[name]) for name in reading.coded if name in states}
    telling = [column.without(_strange_texts(column, coded[column.name])) for column in columns if column.name in coded]
    return states_of_codes(columns, coded) if telling and hold_codes(telling, coded, certain=certain) else columns


def _strange_texts(column: Column, labels: Sequence[Any]) -> frozenset[str]:
    """Return the texts of a column that are neither labels nor codes, and so do not tell which of the two it holds."""
    return frozenset(column.texts) - {*map(label_text, labels), *map(str, range(len(labels)))}


def _mapping(column: Column, labels: Sequence[Any], cuts: Sequence[float] | None) -> npt.NDArray[np.int64]:
    """Return for each label of the column its code among the given ones; an unseen one has a code of its own."""
    code_of = {MISSING_LABEL: -1} | {label_text(label): code for code, label in enumerate(labels)}
    mapping = np.array([code_of.get(text, UNSEEN - i) for i, text in enumerate(column.texts)], np.int64)
    if cuts is not None and (mapping[column.codes[column.codes >= 0]] <= UNSEEN).any():
        found = column.numbers()
        numbers = np.array([as_number(label) for label in column.labels], np.float64) if found is None else found
        placed = ~np.isnan(numbers)
        mapping[placed] = bins_of_values(numbers[placed], cuts)
    return mapping


def check_matched(matched: npt.NDArray[np.int32], names: Sequence[str], index: npt.NDArray[Any]) -> None:
    """Refuse rows that were matched to given states and have gaps; ``index`` is the place of each row.

    Raises
    ------
    MissingError
        If there are some; the message names the variables and counts the rows.
    """
    gaps = {name: int((row[index] < 0).sum()) for name, row in zip(names, matched, strict=True) if row.min() < 0}
    if gaps:
        counts = ", ".join(f"{name!r}: {count}" for name, count in list(gaps.items())[:20])
        raise MissingError(f"missing values ({counts}): drop those rows first")
