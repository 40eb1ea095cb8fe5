"""Reading, straight from the contract: the `csv` module and plain Python, a row at a time."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from dataclasses import dataclass
from typing import Any

NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")


class Refused(Exception):
    """The contract asks for an error."""


@dataclass
class Read:
    names: list[str]
    states: list[list[str]]
    rows: list[list[str]]


def read_text(text: str, *, missing: str = "error", na_values: tuple[str, ...] = ()) -> Read:
    """Read comma-separated text."""
    try:
        names, *rows = csv.reader(io.StringIO(text, newline=""), strict=True)
    except (csv.Error, ValueError) as error:
        raise Refused("an open quote, text after a quote, or no header") from error
    rows = [row or [""] for row in rows] if len(names) == 1 else [row for row in rows if row]
    if not rows or any(len(row) != len(names) for row in rows):
        raise Refused("no rows, or rows of another length")
    if len(set(names)) < len(names) or not all(name.strip() for name in names):
        raise Refused("names")
    gone = {"", "?", "NaN", *map(_integer, na_values)}
    columns = [_column([row[j] for row in rows], gone) for j in range(len(names))]
    if any(None in column for column in columns):
        if missing == "error":
            raise Refused("missing values")
        if missing == "drop":
            kept = [i for i in range(len(rows)) if all(column[i] is not None for column in columns)]
            columns = [[column[i] for i in kept] for column in columns]
            if not kept:
                raise Refused("no rows are left")
    states = [_states(column) for column in columns]
    return Read(names, states, [[column[i] or "?" for column in columns] for i in range(len(columns[0]))])


def _column(values: list[str], gone: set[str]) -> list[str | None]:
    column = [None if _integer(value) in gone else value for value in values]
    present = [value for value in column if value is not None]
    if all(_whole(value) for value in present):
        column = [None if value is None else _integer(value) for value in column]
    return column


def _whole(text: str) -> bool:
    return NUMBER.fullmatch(text) is not None and float(text).is_integer()


def _integer(text: str) -> str:
    head, point, tail = text.partition(".")
    if point and head.lstrip("+-").isdigit() and set(tail) <= {"0"}:
        return "0" if head == "-0" else head
    return text


def _states(column: list[str | None]) -> list[str]:
    present = sorted({value for value in column if value is not None})
    if present and all(NUMBER.fullmatch(value) for value in present):
        if not all(_whole(value) for value in present) or len(present) > 50:
            raise Refused("numbers")
        present.sort(key=lambda value: (float(value), value))
    elif len(present) > 1000:
        raise Refused("labels")
    return [*present, "?"] if None in column else present


def distinct(rows: list[list[Any]]) -> Counter[tuple[Any, ...]]:
    """Return the distinct rows with their numbers."""
    return Counter(tuple(row) for row in rows)
