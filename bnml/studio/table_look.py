"""What the page shows of a table: its columns, what `bnml info` advises, and what becomes of them as it is read."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from bnml._plain import plain
from bnml.counts import contingency
from bnml.data import Data, read
from bnml.data.labels import label_text
from bnml.data.overview import ColumnOverview, overview
from bnml.errors import BnmlError, DataError, DataWarning, Phrase
from bnml.studio.page_words import in_page_words, page_spelling
from bnml.studio.session import TableChoices

Message = TypeVar("Message", str, Phrase)


def advised_choices(path: Path) -> TableChoices:
    """Return how the studio reads a table at its first look: by the choices that `bnml info` advises.

    Raises
    ------
    BnmlError
        If it cannot be opened.
    """
    with warnings.catch_warnings(), _told_of_the_table(path):
        warnings.simplefilter("ignore", DataWarning)
        seen = overview(path, bins="auto")
    advice = seen.settings
    left_out = tuple(advice.get("drop", ()))
    return TableChoices(
        left_out=left_out if len(left_out) < len(seen.columns) else (),
        missing=advice.get("missing", "error"),
        na_values=tuple(advice.get("na_values", ())),
    )


def table_look(path: Path, choices: TableChoices) -> dict[str, Any]:
    """Return what is in a table, read as chosen or not, as plain values.

    Raises
    ------
    BnmlError
        If it cannot be opened, or a choice names a column that is not there.
    """
    arguments = choices.arguments
    with warnings.catch_warnings(record=True) as doubts, _told_of_the_table(path):
        warnings.simplefilter("always", DataWarning)
        seen = overview(path, **{name: value for name, value in arguments.items() if name != "drop"})
        data: Data | None = seen.data
        error: BnmlError | None = seen.error
        if choices.left_out:
            doubts.clear()
            data, error = _read(path, arguments)
    used = [column.name for column in seen.columns if column.name not in choices.left_out]
    if choices.target is not None and choices.target not in used:
        error, data = DataError(f"the target {choices.target!r} is switched off, or no column"), None
    notes = [in_page_words(one.message) for one in doubts if isinstance(one.message, DataWarning)]
    return {
        "rows": seen.n_rows if data is None else data.n_rows,
        "columns": [_column(column, data, choices) for column in seen.columns],
        "readable": data is not None,
        "reason": None if error is None else _shown(in_page_words(error), path),
        "notes": [_shown(note, path) for note in notes],
        "preview": [list(row) for row in seen.first_rows],
    }


def _read(path: Path, arguments: dict[str, Any]) -> tuple[Data | None, BnmlError | None]:
    try:
        return read(path, **arguments), None
    except BnmlError as error:
        return None, error


@contextmanager
def _told_of_the_table(path: Path) -> Iterator[None]:
    """Let errors speak of the table, not of where the session keeps it."""
    try:
        yield
    except BnmlError as error:
        raise DataError(_shown(error.sentence, path)) from None


def _shown(message: Message, path: Path) -> Message:
    """Return a message that speaks of the table, not of where the session keeps it."""
    return message.replace(repr(str(path)), "the table").replace(str(path), "the table")


def _column(column: ColumnOverview, data: Data | None, choices: TableChoices) -> dict[str, Any]:
    read_as = None if data is None or column.name in choices.left_out else data
    cuts = None if read_as is None else read_as.cuts.get(column.name)
    at = -1 if read_as is None else read_as.index(column.name)
    histogram = None
    if column.histogram is not None:
        low, high, counts = column.histogram
        histogram = {"low": low, "high": high, "counts": list(counts)}
    return {
        "name": column.name,
        "kind": column.kind,
        "distinct": column.distinct,
        "missing": column.missing,
        "advice": _advice(column, cut=cuts is not None),
        "common": [{"label": label_text(label), "count": count} for label, count in column.common],
        "histogram": plain(histogram),
        "used": column.name not in choices.left_out,
        "cuts": None if cuts is None else list(cuts),
        "by_hand": column.name in choices.cuts,
        "states": None if read_as is None else [label_text(label) for label in read_as.states[at]],
        "counts": None if read_as is None else plain(contingency(read_as, [at])),
    }


def _advice(column: ColumnOverview, *, cut: bool) -> str | None:
    """Return the advice in the words of the page; what has been done already is not advised."""
    done = cut and column.cut and not column.leave_out and not column.words and not column.missing
    return None if column.advice is None or done else column.advice.spelled(page_spelling)
