"""The names of a table's columns: they must be there and differ, and some of them may be asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from bnml._text import clip, did_you_mean, quoted
from bnml.data.labels import as_number, is_missing
from bnml.errors import ArgumentError, DataError

# the columns to read (None: all), or what chooses them once their names are known
Wanted = Sequence[str] | Callable[[Sequence[str]], list[str]] | None


def check_table_names(names: Iterable[Any], where: str) -> tuple[str, ...]:
    """Return the names of a table's columns as text; they must be there and differ.

    Raises
    ------
    DataError
        If there are none, or one is missing, empty or occurs twice.
    """
    given = tuple(names)
    if not given:
        raise DataError(f"{where} has no columns")
    for i, name in enumerate(given):
        if is_missing(name) or (isinstance(name, tuple) and any(map(is_missing, name))):
            raise DataError(
                f"column {i + 1} of {where} is named {name!r}, which is a missing value: rename it, as by "
                f"frame.columns = [*frame.columns[:{i}], 'X{i + 1}', *frame.columns[{i + 1}:]], or drop it"
            )
    texts = tuple(map(str, given))
    for i, name in enumerate(texts):
        if not name.strip():
            raise DataError(f"column {i + 1} of {where} has no name: give it one, or drop it (a saved row index?)")
    if len(set(texts)) < len(texts):
        twice = sorted({name for name in texts if texts.count(name) > 1})
        hint = "; is its first line a header?" if all(as_number(name) is not None for name in twice) else ""
        raise DataError(f"column names of {where} must differ; these occur twice: {quoted(map(clip, twice))}{hint}")
    return texts


def kept_table_names(names: Sequence[str], wanted: Wanted) -> list[str]:
    """Return the names of a table's columns that were asked for, or all.

    Raises
    ------
    ArgumentError
        If there is no such column.
    """
    if wanted is None:
        return list(names)
    if callable(wanted):
        return wanted(names)
    known = set(names)
    for name in wanted:
        if name not in known:
            raise name_not_in_table("columns", name, names)
    return list(wanted)


def name_not_in_table(asked: str, name: Any, names: Sequence[str]) -> ArgumentError:
    """Return the error for an argument with a name that is not in the table: there is no such column."""
    return ArgumentError(
        f"there is no column {clip(name)!r}",
        argument=asked,
        hint=f"the columns are {quoted(map(clip, names))}.{did_you_mean(clip(name), map(clip, names))}",
    )
