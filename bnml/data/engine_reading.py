"""Reading a table that is in an engine: states found there, then distinct rows fetched, or left where they are.

The engine lists the distinct values of every column, and the same code as for tables in memory decides what these mean:
missing values, labels, states, bins. With that the engine can code the rows (`bnml.data.engine_codes`), and either
sends the distinct ones with their weights (*compress*), or keeps them and counts (*push*).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from bnml._costs import BYTES
from bnml._machine import gigabytes
from bnml._text import clip, quoted
from bnml.data.bins import is_to_be_cut
from bnml.data.columns import Column
from bnml.data.data import COUNTING, Data, Gaps, refuse_columns_without_values, refuse_missing_values
from bnml.data.dependent_bins import bins_depend
from bnml.data.doubts import warn_of_doubts, warn_of_states
from bnml.data.engine_codes import CodedTable, ColumnCoding
from bnml.data.engine_table import DistinctValues, EngineTable, missing_values
from bnml.data.engine_values import known_values
from bnml.data.labels import EXACT, Reading, check_table_names
from bnml.data.pushed_data import PushedData
from bnml.data.read import read_opened, read_variables, read_weights, too_many_rows
from bnml.data.read_arguments import ReadOptions
from bnml.data.sources import grouped_table
from bnml.data.states import States, medians_of_column, settle_states, why_no_states
from bnml.data.table import Table
from bnml.errors import DataError, Text, argument, join_texts


def read_engine_table(table: EngineTable, asked: ReadOptions, source: str) -> Data:
    """Read a table in an engine as `bnml.read` does.

    Parameters
    ----------
    table
        The table.
    asked
        The arguments of `bnml.read`.
    source
        What messages call it.
    """
    names = check_table_names(table.names, "the table")
    kept = asked.kept(names)
    counting, limit = asked.counting, asked.limit // table.share
    variables = [name for name in kept if name not in asked.no_variables]
    if asked.interventions is not None:
        _refuse_to_push(counting, argument("interventions"))
        _refuse_many_rows(table, kept, counting, limit, argument("interventions"))
        return read_opened(grouped_table(table, kept, names), asked, source).data()
    whole = table
    table, weight, weightless, n_rows = _weighted(table, asked)
    if not variables:
        raise DataError("the table has no columns apart from its weights")
    found = known_values(table, variables, asked, limit, weight)
    columns, coded = _cleaned(found, asked, names, table)
    if not found[0].counts.size:
        raise DataError("the table has no rows" if n_rows is None else "no rows are left: all weights are 0")
    missing = tuple(
        (own.column.name, _n_missing(c, own)) for own, c in zip(found, columns, strict=True) if c.has_missing
    )
    total = int(found[0].counts.sum())
    dropped = 0
    if missing and asked.missing == "error":
        refuse_missing_values(missing, why_no_states(columns, asked.states, asked.bins, asked.bins_of))
    if missing and asked.missing == "drop":
        table = _without_missing(table, found, columns)
        found = known_values(table, variables, asked, limit, weight)
        if not found[0].counts.size:
            raise DataError("no rows are left: every row has a missing value")
        columns, coded = _cleaned(found, asked, names, table)
        dropped = total - int(found[0].counts.sum())
        total -= dropped
    if total > EXACT:
        raise too_many_rows(str(asked.weights))
    if wrong := why_no_states(columns, asked.states, asked.bins, asked.bins_of):
        raise DataError(join_texts("\n", wrong))
    if dependent := _cut_for_others(columns, asked):
        what = argument("bins", "auto") + f" of {quoted(map(clip, dependent), most=3)}"
        _refuse_to_push(counting, what)
        _refuse_many_rows(whole, kept, counting, limit, what)
        return read_opened(grouped_table(whole, kept, names), asked, source).data()
    warn_of_doubts(columns, asked, source if table.untyped else None)
    settled = _settled(columns, found, asked)
    codings = tuple(_coding(*own, table) for own in zip(found, columns, settled, strict=True))
    coded_table = CodedTable(table, codings, total, weight)
    _check_codes(coded_table, found, columns, settled)
    warn_of_states(columns, settled, asked)
    if asked.missing == "em":
        _refuse_to_push(counting, argument("missing", "em") if missing else "", only=bool(missing))
    cut = [(c, s.cuts, own) for c, s, own in zip(columns, settled, found, strict=True) if s.cuts is not None]
    listed = [(c, points, own.counts) for c, points, own in cut if own.about is None]  # few stand for all of others
    medians = tuple((c.name, medians_of_column(c, points, counts)) for c, points, counts in listed)
    reading = Reading(asked.missing, tuple(asked.na_texts), coded, medians)
    gaps = Gaps(missing, dropped, weightless)
    cuts = {c.name: points for c, points, _ in cut}
    states = tuple(own.labels for own in settled)
    kept_names = tuple(column.name for column in columns)
    push, why = _way_to_count(coded_table, counting, limit)
    if push and missing and asked.missing == "em":
        raise _too_many_rows(argument("missing", "em"), coded_table.n_distinct, _bytes_per_row(coded_table), limit)
    if push:
        data: Data = PushedData(kept_names, states, coded_table.kept_apart(), cuts, reading, gaps)
    else:
        codes, weights = coded_table.distinct_rows()
        data = Data(kept_names, states, codes.T, weights, None, cuts, reading, gaps)
    data.memo[COUNTING] = why
    return data


def _refuse_to_push(counting: str, what: Text, *, only: bool = True) -> None:
    if counting == "push" and only:
        raise DataError(
            what
            + " needs rows, which stay in the engine with "
            + argument("counting", "push")
            + ": take "
            + argument("counting", "compress")
            + ", which fetches the distinct ones"
        )


def _refuse_many_rows(table: EngineTable, kept: Sequence[str], counting: str, limit: int, what: Text) -> None:
    """Refuse to fetch rows with their labels if the distinct ones do not fit, unless that was asked for."""
    size = BYTES.fetched_value * len(kept)
    with table.answering("count the distinct rows"):
        rows = table.rows.select(**{f"v{i}": table.column(name) for i, name in enumerate(kept)})
        queries = rows.count().as_table(), rows.distinct().count().as_table()
    for query in queries:  # the first is quickly answered, and mostly enough
        n = 0 if counting == "compress" else int(table.table(query, "count the distinct rows").column(0)[0].as_py())
        if n * size <= limit:
            return
    raise _too_many_rows(what, n, size, limit)


def _too_many_rows(what: Text, n: int, size: int, limit: int) -> DataError:
    return DataError(
        what + f" needs the distinct rows here: about {n:,} of them take {_shown(n * size)} of memory, and "
        f"{_shown(limit)} are allowed",
        hint="do without it, take fewer columns, raise "
        + argument("memory_limit")
        + ", or fetch them all the same with "
        + argument("counting", "compress"),
    )


def _way_to_count(coded: CodedTable, counting: str, limit: int) -> tuple[bool, str]:
    """Return whether to leave the rows in the engine, and in words what is done and why."""
    engine = coded.table.engine
    if counting == "push":
        return True, f"counted by {engine}, where the rows stay (as asked)"
    if counting == "compress":
        return False, f"distinct rows fetched from {engine} (as asked)"
    most = min(coded.n_rows, math.prod(coding.arity for coding in coded.codings))
    per_row = _bytes_per_row(coded)
    if most * per_row <= limit:
        return False, f"distinct rows fetched from {engine}: they take {_shown(most * per_row)} of memory at most"
    needed = coded.n_distinct * per_row
    forecast = f"about {coded.n_distinct:,} of them take {_shown(needed)} of memory"
    if needed <= limit:
        return False, f"distinct rows fetched from {engine}: {forecast}, and {_shown(limit)} are allowed"
    return True, f"counted by {engine}, where the rows stay: {forecast}, and {_shown(limit)} are allowed"


def _shown(size: int) -> str:
    return gigabytes(max(size, 1000))


def _bytes_per_row(coded: CodedTable) -> int:
    """Return how many bytes a distinct row takes while it is fetched, sorted, and counted."""
    widest = max(coding.arity for coding in coded.codings)
    size = 1 if widest <= 1 << 8 else 2 if widest <= 1 << 16 else 4
    return size * len(coded.codings) + 16 * len(coded.words) + 40


def _cleaned(
    found: Sequence[DistinctValues], asked: ReadOptions, names: tuple[str, ...], table: EngineTable
) -> tuple[list[Column], tuple[str, ...]]:
    """Return the columns with missing values and labels told apart: an entry for each distinct value."""
    return read_variables(Table([own.column for own in found], names, untyped=table.untyped), asked)


def _n_missing(column: Column, found: DistinctValues) -> int:
    return int(found.counts[column.missing].sum())


def _weighted(table: EngineTable, asked: ReadOptions) -> tuple[EngineTable, Any, int, int | None]:
    """Return the rows that count, how many rows each stands for, how many were left out, and how many there are."""
    if asked.weights is None:
        return table, None, 0, None
    (found,) = table.distinct_values([asked.weights])
    numbers = read_weights(found.column)
    column = _numbers(table, asked.weights)
    weightless = int(found.counts[numbers == 0].sum())
    if weightless:
        table = table.only(column > 0)
        column = _numbers(table, asked.weights)
    return table, column.cast("int64"), weightless, int(found.counts.sum())


def _numbers(table: EngineTable, name: str) -> Any:
    """Return a column of weights, which may be text, as numbers."""
    column = table.column(name)
    return column.strip().cast("float64") if column.type().is_string() else column


def _without_missing(table: EngineTable, found: Sequence[DistinctValues], columns: Sequence[Column]) -> EngineTable:
    """Return the rows in which no value is missing."""
    for own, column in zip(found, columns, strict=True):
        if column.has_missing:
            table = table.only(~missing_values(table.column(column.name), _gaps(own, column)))
    return table


def _gaps(found: DistinctValues, column: Column) -> Sequence[Any]:
    """Return the values of a column that stand for a missing one, but for nulls and NaN."""
    if found.gaps:
        return found.gaps
    values = [item.as_py() for item, gap in zip(found.values, column.missing.tolist(), strict=True) if gap]
    return [value for value in values if value is not None and value == value]


def _cut_for_others(columns: Sequence[Column], asked: ReadOptions) -> list[str]:
    """Return the columns whose cuts are to depend on other columns."""

    def bins_of(column: Column) -> Any:
        if column.name in asked.states:
            return None
        if column.name in asked.bins_of:
            return asked.bins_of[column.name]
        return None if asked.bins is None or column.declared or not is_to_be_cut(column) else asked.bins

    return [column.name for column in columns if bins_depend(bins_of(column))]


def _settled(columns: Sequence[Column], found: Sequence[DistinctValues], asked: ReadOptions) -> list[States]:
    """Decide the states of every column, as `bnml.data.states.settle_states` does, from its distinct values."""
    settled = [
        settle_states([column], asked.states, asked.bins, asked.bins_of, own.counts)[0]
        for column, own in zip(columns, found, strict=True)
    ]
    if asked.missing == "state":
        return [
            states.with_missing_state() if column.has_missing else states
            for column, states in zip(columns, settled, strict=True)
        ]
    if asked.missing == "em":
        refuse_columns_without_values(columns, settled)
        return [states.with_gaps() for states in settled]
    return settled


def _coding(found: DistinctValues, column: Column, states: States, table: EngineTable) -> ColumnCoding:
    """Return how the engine codes a column."""
    import pyarrow as pa

    own_name = table.own_names.get(column.name, column.name)
    codes = states.mapping[column.codes]
    other = int(states.mapping[-1]) if column.has_missing and states.mapping[-1] >= 0 else None
    arity = max(len(states.labels), 1 + (-1 if other is None else other))
    text = found.values.type in (pa.string(), pa.large_string())
    # up to 300 values of a numeric column are coded one by one, more by comparing with cuts
    many = found.about is not None or (codes.size > 300 and (not text or table.engine == "duckdb"))
    if states.cuts is not None and many:
        return ColumnCoding(own_name, arity, (), (), states.cuts, other, _gaps(found, column))
    listed = [
        (value.as_py(), int(code))
        for value, code, gap in zip(found.values, codes.tolist(), column.missing.tolist(), strict=True)
        if not gap
    ]
    return ColumnCoding(own_name, arity, [v for v, _ in listed], [c for _, c in listed], None, other)


def _check_codes(
    coded: CodedTable, found: Sequence[DistinctValues], columns: Sequence[Column], settled: Sequence[States]
) -> None:
    """Check that the engine compares numbers with cuts as Python does, where it is to do so.

    Raises
    ------
    DataError
        If a bin has another number of rows there.
    """
    by_cuts = [i for i, coding in enumerate(coded.codings) if coding.cuts is not None]
    for i, (keys, counts) in zip(by_cuts, coded.count_tables([[i] for i in by_cuts]), strict=True):
        codes = settled[i].mapping[columns[i].codes]
        expected = np.bincount(codes, found[i].counts, minlength=coded.codings[i].arity).astype(np.int64)
        here = np.zeros_like(expected)
        here[keys] = counts
        if not np.array_equal(here, expected):
            raise DataError(
                f"{coded.table.engine} does not cut column {clip(columns[i].name)!r} where it was to be cut: store it "
                "as a column of numbers"
            )
