"""`read`: any table of categories becomes a `Data`."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from bnml._machine import enough_memory
from bnml._text import clip
from bnml.data.bins import AUTO
from bnml.data.columns import Column
from bnml.data.data import Data, Gaps, refuse_columns_without_values, refuse_missing_values
from bnml.data.doubts import warn_of_doubts, warn_of_states
from bnml.data.engine_sources import open_engine_table
from bnml.data.labels import EXACT, MISSING_TEXTS, Reading, as_number
from bnml.data.read_arguments import ReadOptions, check_arguments
from bnml.data.sources import open_in_memory, open_table, source_text
from bnml.data.states import DraftTable, hold_codes, settle_states, states_of_codes, why_no_states
from bnml.data.table import Table
from bnml.data.targets import Targets, targets_of_column
from bnml.errors import DataError, argument

Weights = npt.NDArray[np.int64]


@enough_memory(DataError, "the table was read", "take fewer columns or rows, or a machine with more")
def read(
    source: Any,
    *,
    columns: Sequence[str] | None = None,
    states: Mapping[str, Sequence[Any]] | str | os.PathLike[str] | None = None,
    missing: str = "error",
    na_values: Iterable[Any] = (),
    bins: str | Mapping[str, Any] | None = None,
    weights: str | None = None,
    drop: Sequence[str] | None = None,
    interventions: str | None = None,
    counting: str = "auto",
    memory_limit: int | str | None = None,
) -> Data:
    """Read a table of categories from a file, a frame, an array or a database.

    Parameters
    ----------
    source
        A path (``.csv``, ``.tsv`` or ``.txt``, each with ``.gz`` too, ``.parquet``, ``.arrow``, ``.feather``,
        ``.xlsx``, or ``.idt`` with its ``.vd`` beside it; ``-`` is standard input), a folder or pattern of Parquet
        files (``"data/*.parquet"``), an address (``"duckdb://file.ddb?table=t"``, ``"postgres://…?table=t"``: whatever
        ``ibis.connect`` understands), a DataFrame (pandas, polars, pyarrow, or anything else that speaks the Arrow
        interface), a 2-D integer array (columns ``X0``, ``X1``, …), or an Ibis table or DuckDB relation. Tables in an
        engine are only read, never written to.
    columns
        The columns to keep, in this order; all by default.
    states
        The states of some columns in order, ``{"A": ["no", "yes"]}``, or a ``.vd`` file that lists them; then the
        table may hold codes from 0 in place of the labels, if there is a column in which no label looks like a code. A
        declared state that never occurs counts all the same.
    missing
        What to do with missing values, which are nulls, NaN, the empty field, ``?`` and ``na_values``: ``"error"``,
        ``"drop"`` the rows, make them a last ``"state"`` ``?``, or keep the gaps for ``"em"``: networks are then
        learned and fitted from expected counts. A text that is declared as a state is no missing value in that column.
    na_values
        More texts that stand for a missing value.
    bins
        How to cut columns of numbers: ``"auto"`` (for what they tell about other columns), ``"target:NAME"`` (for
        predicting this one), ``"mdl"`` (the NML-optimal histogram), ``"width:3"`` or ``"quantile:4"``, for all that
        have fractions or more than 10 distinct values; or a mapping from names of numeric columns to one of these or to
        cut points, in which ``"*"`` stands for all columns that it does not name.
    weights
        A column of whole-number frequencies, which then is no variable.
    drop
        Columns to leave out.
    interventions
        A column of targets, which then is no variable: it names, row by row, the variable or variables (separated by
        ``;``) that were set from outside; empty or missing where nothing was. What a variable depends on is learned
        from the rows in which it was not set. Interventions are taken as perfect: they cut a variable off from all its
        causes. Those that only shift it are out of scope.
    counting
        Of a table in an engine: ``"compress"`` fetches its distinct rows with their weights, ``"push"`` leaves them
        there and has the engine count every table that is needed; ``"auto"`` fetches them if they fit.
    memory_limit
        How much memory distinct rows that are fetched may take, such as ``"8GB"``; a quarter of the machine's by
        default. CSV and Parquet files that are larger are read by DuckDB.

    Returns
    -------
    Data
        The distinct rows with their weights.

    Raises
    ------
    DataError
        If the table cannot be read as asked; the message says where, why, and what would help.
    MissingError
        If values are missing and ``missing="error"``.

    Warns
    -----
    UserWarning
        If a column is left with a single state, or holds many numbers and a few words (``NA``, for one), which makes
        labels of them all, or numbers with a decimal comma; or if the first line of a file looks like a row.

    Notes
    -----
    States stand in their declared order, in a categorical's own order, in numeric order if all are whole numbers or
    booleans, else in lexicographic order.

    Examples
    --------
    >>> import bnml, pandas
    >>> frame = pandas.DataFrame({"sky": ["sun", "rain", "sun"], "air": ["warm", "cold", "warm"]})
    >>> print(bnml.read(frame))
    3 rows (2 distinct) × 2 columns
    column  states  labels
    sky          2  rain, sun
    air          2  cold, warm
    """
    asked = check_arguments(
        columns=columns, states=states, missing=missing, na_values=na_values, bins=bins, weights=weights, drop=drop,
        interventions=interventions, counting=counting, memory_limit=memory_limit,
    )  # fmt: skip
    engine = open_engine_table(source, asked.limit)
    if engine is None:
        if counting == "push":
            raise DataError(
                f"the rows of {source_text(source)} are in memory, and no engine holds them",
                argument="counting",
                value="push",
                hint="leave " + argument("counting") + " out",
            )
        return read_opened(open_in_memory(source, asked.kept), asked, source_text(source)).data()
    from bnml.data.engine_reading import read_engine_table

    return read_engine_table(engine, asked, source_text(source))


def read_draft(source: Any, **arguments: Any) -> DraftTable:
    """Read a table as `read` does, up to a draft: its columns can be cut anew, so that its rows must be here."""
    asked = check_arguments(**arguments)
    if asked.counting == "push":
        raise DataError(
            "cuts by turns with a network need rows, which stay in the engine with "
            + argument("counting", "push")
            + ": leave "
            + argument("counting")
            + " out"
        )
    return read_opened(open_table(source, asked.kept, asked.limit), asked, source_text(source))


def read_opened(table: Table, asked: ReadOptions, source: str) -> DraftTable:
    """Read a table that is open as `read` does, up to a draft; ``source`` is what it is called."""
    variables, coded = read_variables(table, asked)
    frequencies = read_frequencies(table, asked)
    targets = _targets(table, asked, variables, frequencies)
    variables, frequencies, gaps = _without_gaps(variables, frequencies, asked)
    warn_of_doubts(variables, asked, source if table.untyped else None)
    settled = settle_states(variables, asked.states, asked.bins, asked.bins_of, frequencies)
    automatic = [
        column.name
        for column, own in zip(variables, settled, strict=True)
        if own.cuts and asked.bins_of.get(column.name, asked.bins) == AUTO
    ]
    if asked.missing == "state":
        settled = [
            states.with_missing_state() if column.has_missing else states
            for column, states in zip(variables, settled, strict=True)
        ]
    if asked.missing == "em":
        refuse_columns_without_values(variables, settled)
        settled = [states.with_gaps() for states in settled]
    warn_of_states(variables, settled, asked)
    reading = Reading(asked.missing, tuple(asked.na_texts), coded)
    return DraftTable(
        tuple(variables), tuple(settled), frequencies, reading, table.counts is None, frozenset(automatic), gaps,
        targets,
    )  # fmt: skip


@dataclass(frozen=True)
class DeferredTable:
    """A table for a public function that is read only once the other arguments have been checked."""

    read: Callable[[], Data]


def as_data(source: Any, memory_limit: int | str | None = None) -> Data:
    """Return a `Data` as it is, and anything else through `read`."""
    if isinstance(source, DeferredTable):
        return source.read()
    return source if isinstance(source, Data) else read(source, memory_limit=memory_limit)


def read_variables(table: Table, asked: ReadOptions) -> tuple[list[Column], tuple[str, ...]]:
    """Read the columns that are variables, missing values and labels told apart; return also which held codes."""
    variables = [
        column.cleaned(
            asked.states.get(column.name, table.states.get(column.name, ())), asked.na_texts, untyped=table.untyped
        )
        for column in table.columns
        if column.name not in asked.no_variables
    ]
    if not variables:
        apart = "its weights" if asked.interventions is None else "those that are no variables"
        raise DataError(f"the table has no columns apart from {apart}")
    if asked.states_file is None or not hold_codes(variables, asked.states):
        return variables, ()
    coded = tuple(column.name for column in variables if column.name in asked.states)
    return states_of_codes(variables, asked.states), coded


def read_frequencies(table: Table, asked: ReadOptions) -> Weights | None:
    """Read how often each row occurs: an engine's count, the weights that were asked for, or both."""
    factors = [table.counts] if table.counts is not None else []
    factors += [column for column in table.columns if column.name == asked.weights]
    if not factors:
        return None
    numbers: Weights = np.array([read_weights(column) for column in factors])
    roughly = numbers.prod(axis=0, dtype=np.float64).sum()
    total: Weights = numbers.prod(axis=0, dtype=np.int64)
    if roughly > EXACT or total.sum() > EXACT:
        raise too_many_rows(factors[-1].name)
    return total


def too_many_rows(weights: str) -> DataError:
    """Return the error for weights that add up to more rows than are counted exactly."""
    return DataError(
        f"weights: column {clip(weights)!r} adds up to more than {EXACT:,} (2**53) rows, the most that can be "
        "counted exactly; divide the weights by a common factor and round them to whole numbers"
    )


def _targets(
    table: Table, asked: ReadOptions, variables: Sequence[Column], frequencies: Weights | None
) -> Targets | None:
    """Read which variables were set in each row that is kept; None for none.

    Raises
    ------
    DataError
        If the column of targets names something that is no variable.
    """
    own = next((column for column in table.columns if column.name == asked.interventions), None)
    if own is None:
        return None
    sets, of_row = targets_of_column(own, [column.name for column in variables], table.names, asked.na_texts)
    kept = np.ones(of_row.size, bool) if frequencies is None else frequencies > 0
    if asked.missing == "drop":
        for column in variables:
            kept &= ~column.missing
    return Targets.of(sets, of_row[kept])


def read_weights(column: Column) -> Weights:
    """Read the numbers of a column of weights.

    Raises
    ------
    DataError
        If a value is missing, too large, or no whole number from 0.
    """
    column = column.without(MISSING_TEXTS).occurring()
    if column.has_missing:
        raise DataError(f"weights: column {clip(column.name)!r} has missing values; put 0 for rows that do not count")
    numbers = [as_number(label) for label in column.labels]
    for label, number in zip(column.labels, numbers, strict=True):
        if number is None or not number.is_integer() or number < 0:
            raise DataError(
                f"weights: column {clip(column.name)!r} holds {clip(label)!r}; expected whole numbers from 0"
            )
        if number > EXACT:
            raise too_many_rows(column.name)
    return np.array(numbers, np.int64)[column.codes]


def _without_gaps(
    columns: list[Column], frequencies: Weights | None, asked: ReadOptions
) -> tuple[list[Column], Weights | None, Gaps]:
    """Drop rows with a frequency of zero, and apply the choice for missing values; say what was missing."""
    if columns[0].codes.size == 0:
        raise DataError("the table has no rows")
    weightless = 0
    if frequencies is not None and not frequencies.all():
        weightless = int((frequencies == 0).sum())
        columns, frequencies = _kept_rows(columns, frequencies, frequencies > 0, "all weights are 0")
    gaps, dropped = [column for column in columns if column.has_missing], 0
    missing = tuple((column.name, _n_missing(column, frequencies)) for column in gaps)
    if gaps and asked.missing == "error":
        refuse_missing_values(missing, why_no_states(columns, asked.states, asked.bins, asked.bins_of))
    if gaps and asked.missing == "drop":
        keep = ~np.any([column.missing for column in gaps], axis=0)
        dropped = int((~keep).sum() if frequencies is None else frequencies[~keep].sum())
        columns, frequencies = _kept_rows(columns, frequencies, keep, "every row has a missing value")
    return columns, frequencies, Gaps(missing, dropped, weightless)


def _n_missing(column: Column, frequencies: Weights | None) -> int:
    """Return in how many rows a column has no value."""
    return int(np.sum(column.missing if frequencies is None else frequencies[column.missing]))


def _kept_rows(
    columns: list[Column], frequencies: Weights | None, keep: npt.NDArray[np.bool_], reason: str
) -> tuple[list[Column], Weights | None]:
    if not keep.any():
        raise DataError(f"no rows are left: {reason}")
    return [column.rows(keep) for column in columns], None if frequencies is None else frequencies[keep]
