"""`read`: any table of categories becomes a `Data`."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from bnml.data.bins import Bins, parse_bins
from bnml.data.columns import Column
from bnml.data.data import Data
from bnml.data.grouping import code_type, distinct_rows
from bnml.data.labels import label_text
from bnml.data.sources import ENGINE_COUNT, open_table, read_vd
from bnml.data.states import States, codes_as_labels, settle
from bnml.errors import ArgumentError, DataError, MissingError, did_you_mean, quoted

__all__ = ["as_data", "read"]

MISSING_CHOICES = ("error", "drop", "state")


def read(
    source: Any,
    *,
    columns: Sequence[str] | None = None,
    states: Mapping[str, Sequence[Any]] | str | Path | None = None,
    missing: str = "error",
    na_values: Iterable[Any] = (),
    bins: str | Mapping[str, Any] | None = None,
    weights: str | None = None,
) -> Data:
    """Read a table of categories from a file, a frame, an array or a database.

    Parameters
    ----------
    source
        A path (``.csv``, ``.tsv``, either with ``.gz``, ``.parquet``, ``.arrow``, ``.feather``, or ``.idt`` with its
        ``.vd`` beside it), a DataFrame (pandas, polars, pyarrow, or anything else that speaks the Arrow interface), a
        2-D integer array (columns ``X0``, ``X1``, …) or an Ibis table, whose rows its own engine groups.
    columns
        The columns to keep, in this order; all by default.
    states
        The states of some columns in order, ``{"A": ["no", "yes"]}``, or a ``.vd`` file that lists them (then the
        table may hold codes from 0 in place of the labels). A declared state that never occurs counts all the same.
    missing
        What to do with missing values, which are nulls, NaN, the empty field, ``?`` and ``na_values``: ``"error"``,
        ``"drop"`` the rows, or make them a last ``"state"`` ``?``.
    na_values
        More texts that stand for a missing value.
    bins
        How to cut columns of numbers: ``"width:3"`` or ``"quantile:4"`` for all that have fractions or more than
        50 distinct whole numbers; or a mapping from names of numeric columns to one of these or to cut points.
    weights
        A column of whole-number frequencies, which then is no variable.

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
        If a column is left with a single state.

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
    if missing not in MISSING_CHOICES:
        raise ArgumentError(
            f"missing={missing!r}: expected one of {quoted(MISSING_CHOICES)}.{did_you_mean(missing, MISSING_CHOICES)}"
        )
    every_bins, bins_of = _checked_bins(bins)
    wanted = _checked_columns(columns, weights)
    na_texts = frozenset(label_text(value) for value in ([na_values] if isinstance(na_values, str) else na_values))
    declared = read_vd(Path(states)) if isinstance(states, str | Path) else _checked_states(states)

    table = open_table(source, wanted)
    if not isinstance(states, str | Path):
        _check_known(declared, table.names, "states")
    _check_known(bins_of, table.names, "bins")
    if both := set(declared) & set(bins_of):
        raise ArgumentError(f"column {min(both)!r} has both states= and bins=: give one of them")

    raw = [
        column if column.name in declared and _declares(declared, column, na_texts) else column.without(na_texts)
        for column in table.columns
    ]
    variables, frequencies = _split_weights(raw, ENGINE_COUNT if table.grouped else None, weights)
    if not variables:
        raise DataError("the table has no columns apart from its weights")
    variables, frequencies = _without_gaps(variables, frequencies, missing)
    if isinstance(states, str | Path):
        variables = codes_as_labels(variables, declared)
    own = {column.name for column in variables}
    settled = settle(variables, {k: v for k, v in declared.items() if k in own}, every_bins, bins_of, frequencies)
    if missing == "state":
        settled = [
            states.with_missing_state() if column.has_missing else states
            for column, states in zip(variables, settled, strict=True)
        ]
    return _assembled(variables, settled, frequencies, keep_rows=not table.grouped)


def as_data(source: Any) -> Data:
    """Return a `Data` as it is, and anything else through `read`."""
    return source if isinstance(source, Data) else read(source)


def _checked_bins(bins: Any) -> tuple[Bins | None, dict[str, Bins]]:
    if bins is None:
        return None, {}
    if isinstance(bins, Mapping):
        return None, {str(name): parse_bins(spec, f"bins[{name!r}]") for name, spec in bins.items()}
    if isinstance(bins, str):
        return parse_bins(bins, "bins"), {}
    raise ArgumentError(f"bins={bins!r}: expected a text such as 'quantile:4', or a mapping from columns to bins")


def _checked_columns(columns: Any, weights: str | None) -> list[str] | None:
    if columns is None:
        return None
    if isinstance(columns, str) or not isinstance(columns, Iterable):
        raise ArgumentError(f"columns={columns!r}: expected a list of column names")
    wanted = [str(name) for name in columns]
    if not wanted:
        raise ArgumentError("columns=[]: name at least one column")
    if len(set(wanted)) < len(wanted):
        raise ArgumentError(f"columns={wanted!r}: a column is named twice")
    if weights is not None and weights not in wanted:
        wanted.append(weights)
    return wanted


def _checked_states(states: Any) -> dict[str, list[Any]]:
    if states is None:
        return {}
    if not isinstance(states, Mapping):
        raise ArgumentError(f"states={states!r}: expected a mapping from columns to labels, or the path of a .vd file")
    declared = {}
    for name, labels in states.items():
        if isinstance(labels, str) or not isinstance(labels, Iterable):
            raise ArgumentError(f"states[{name!r}]={labels!r}: expected a list of labels")
        declared[str(name)] = list(labels)
        if not declared[str(name)]:
            raise ArgumentError(f"states[{name!r}] is empty: declare at least one label")
    return declared


def _check_known(given: Mapping[str, Any], names: Sequence[str], argument: str) -> None:
    for name in given:
        if name not in names:
            raise ArgumentError(
                f"{argument}: there is no column {name!r}; the columns are {quoted(names)}.{did_you_mean(name, names)}"
            )


def _declares(declared: Mapping[str, Sequence[Any]], column: Column, texts: frozenset[str]) -> bool:
    """Return whether a column's declared states contain one of these texts: then it is a label there."""
    return any(label_text(label) in texts for label in declared[column.name])


def _split_weights(
    columns: Sequence[Column], engine: str | None, name: str | None
) -> tuple[list[Column], npt.NDArray[np.int64] | None]:
    """Take the frequencies out of the columns."""
    variables = [column for column in columns if column.name not in (engine, name)]
    by_name = {column.name: column for column in columns}
    if name is not None and name not in by_name:
        known = [column.name for column in variables]
        raise ArgumentError(f"weights: there is no column {name!r}; the columns are {quoted(known)}")
    total: npt.NDArray[np.int64] | None = None
    for source in (engine, name):
        if source is not None:
            frequencies = _frequencies(by_name[source])
            total = frequencies if total is None else total * frequencies
    return variables, total


def _frequencies(column: Column) -> npt.NDArray[np.int64]:
    numbers = column.numbers()
    if column.has_missing:
        raise DataError(f"weights: column {column.name!r} has missing values")
    if numbers is None or (numbers < 0).any() or not np.equal(numbers, np.floor(numbers)).all():
        raise DataError(f"weights: column {column.name!r} must hold whole numbers from 0")
    return numbers.astype(np.int64)[column.codes]


def _without_gaps(
    columns: list[Column], frequencies: npt.NDArray[np.int64] | None, missing: str
) -> tuple[list[Column], npt.NDArray[np.int64] | None]:
    """Apply the choice for missing values, and drop rows with a frequency of zero."""
    n_rows = columns[0].codes.size
    if n_rows == 0:
        raise DataError("the table has no rows")
    keep = np.ones(n_rows, bool) if frequencies is None else frequencies > 0
    gaps = {column.name: column.missing for column in columns if column.has_missing}
    if gaps and missing == "error":
        counts = ", ".join(f"{name!r}: {int(where.sum())}" for name, where in list(gaps.items())[:20])
        raise MissingError(
            f"missing values in {len(gaps)} column{'s' if len(gaps) > 1 else ''} ({counts}): pass missing='drop' to "
            "drop those rows, or missing='state' to make them a state of their own"
        )
    if missing == "drop":
        for where in gaps.values():
            keep &= ~where
    if keep.all():
        return columns, frequencies
    if not keep.any():
        raise DataError("no rows are left" + (" after dropping those with missing values" if gaps else ""))
    return [column.rows(keep) for column in columns], None if frequencies is None else frequencies[keep]


def _assembled(
    columns: Sequence[Column], settled: Sequence[States], frequencies: npt.NDArray[np.int64] | None, *, keep_rows: bool
) -> Data:
    from bnml.data._kernels import translate

    names = tuple(column.name for column in columns)
    single = [name for name, states in zip(names, settled, strict=True) if len(states.labels) == 1]
    if single:
        subject = f"column {single[0]!r} has" if len(single) == 1 else f"columns {quoted(single)} have"
        warnings.warn(f"{subject} only one state", UserWarning, stacklevel=3)
    arities = [len(states.labels) for states in settled]
    matrix = np.empty((len(columns), columns[0].codes.size), code_type(max(arities)))
    for row, column, states in zip(matrix, columns, settled, strict=True):
        translate(column.codes, states.mapping, row)
    codes, weights, row_index = distinct_rows(matrix, arities, frequencies)
    cuts = {name: states.cuts for name, states in zip(names, settled, strict=True) if states.cuts is not None}
    return Data(
        names, tuple(states.labels for states in settled), codes, weights, row_index if keep_rows else None, cuts
    )
