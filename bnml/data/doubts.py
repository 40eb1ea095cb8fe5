"""Whether a file was meant as it was read: a first line like a row, numbers with a decimal comma, one state."""

from __future__ import annotations

import re
import sys
import warnings
from collections.abc import Sequence
from itertools import islice

import numpy as np

from bnml._text import clip, quoted
from bnml.data.columns import Column
from bnml.data.labels import as_number, label_text, label_without_point
from bnml.data.read_arguments import ReadOptions
from bnml.data.states import MOST_WHOLE_NUMBERS, States
from bnml.errors import DataWarning, Text, argument

MISSING_CODES = frozenset(
    (
        "na",
        "n/a",
        "n.a.",
        "#n/a",
        "nan",
        "null",
        "none",
        "nil",
        "missing",
        "not available",
        "unknown",
        "?",
        ".",
        "-",
        "--",
    )
)  # texts that statistical programs and registries write for a missing value, whatever their case

_CENSORED = re.compile(r"(<|>|<=|>=|≤|≥)\s*[+-]?[0-9.,]+.*")
_WITH_COMMA = re.compile(r"[+-]?[0-9.]*,[0-9]+([eE][+-]?[0-9]+)?")


def _header_doubt(columns: Sequence[Column], file: str) -> str | None:
    """Return what to say if the names of a file's columns look like one of its rows; else None.

    They do if all are numbers and one of them occurs in its column; or if all of them could be values and there is a
    number among them, or they are many. Numbers at equal distances, such as years, are names unless one occurs.
    """
    names = [column.name for column in columns]
    numbers = [number for name in names if (number := as_number(name)) is not None]
    found = len(numbers) == len(names) and any(map(_occurs, columns))
    counted = len(numbers) == len(names) and len(set(np.diff(numbers))) <= 1 and float(numbers[0]).is_integer()
    # if 3 names or more are all values too, they are a row, even without numbers
    if not found and (counted or not (numbers or len(names) >= 3) or not all(map(_fits, columns))):
        return None
    return (
        f"the first line of {file!r} is taken for the names of the columns, {quoted(map(clip, names), most=4)}, but it "
        "looks like a row, which then is missing: put a line of names before it"
    )


def _occurs(column: Column) -> bool:
    """Return whether the name of a column is one of its values."""
    return column.name in column.labels or label_without_point(column.name) in column.labels


def _fits(column: Column) -> bool:
    """Return whether the name of a column is one of its values, or lies among them if they are no categories."""
    if _occurs(column):
        return True
    number, numbers = as_number(column.name), column.numbers()
    if number is None or numbers is None or not numbers.size:
        return False
    categories = numbers.size <= MOST_WHOLE_NUMBERS and np.equal(numbers, np.floor(numbers)).all()
    return not categories and bool(numbers.min() <= number <= numbers.max())


def _comma_doubt(columns: Sequence[Column]) -> str | None:
    """Return what to say if columns of labels hold numbers with a decimal comma; else None."""
    examples = {column.name: example for column in columns if (example := number_with_comma(column)) is not None}
    if not examples:
        return None
    one = len(examples) == 1
    subject = f"column {clip(next(iter(examples)))!r} holds" if one else f"columns {quoted(map(clip, examples))} hold"
    example = clip(next(iter(examples.values())))
    return f"{subject} numbers with a decimal comma, such as {example!r}, taken as labels: write them with a point"


def number_with_comma(column: Column) -> str | None:
    """Return a label with a decimal comma, if all labels are numbers with one or without."""
    example = None
    for label in column.labels:
        if not isinstance(label, str):
            return None
        if _WITH_COMMA.fullmatch(label):
            example = example or label
        elif as_number(label) is None:
            return None
    return example


def is_missing_code(word: str) -> bool:
    """Tell whether a text is a common code for a missing value."""
    return word.strip().casefold() in MISSING_CODES


def hint_for_words(words: Sequence[str]) -> Text:
    """Return what to do about texts among numbers; only common codes are said to be missing values."""
    censored = [word for word in words if _CENSORED.fullmatch(word.strip())]
    codes = [word for word in words if is_missing_code(word)]
    if censored:
        kind = "is a censored value" if len(censored) == 1 else "are censored values"
        hint = f"{quoted(map(clip, censored))} {kind}: replace with a number{_usual_replacement(censored)}"
        if codes:
            hint += f"; if {quoted(map(clip, codes))} stands for a missing value, say so ("
            return hint + argument("na_values", codes) + ")"
        return hint
    if len(codes) == len(words):
        return "if that stands for a missing value, say so (" + argument("na_values", list(words)) + ")"
    return "replace them with numbers, or if they stand for missing values, name them in " + argument("na_values")


def _usual_replacement(censored: Sequence[str]) -> str:
    """Return by which number censored values on one side are usually replaced."""
    sides = {word.strip()[0] for word in censored}
    if sides <= set("<≤"):
        return ", such as half of the detection limit"
    return ", such as the limit itself" if sides <= set(">≥") else ""


def warn_of_doubts(columns: Sequence[Column], asked: ReadOptions, file: str | None) -> None:
    """Warn of a file whose first line may be a row, unless its names were used, and of numbers with a comma."""
    named = asked.columns is not None or asked.weights is not None or asked.states or asked.bins_of
    undeclared = [column for column in columns if not column.declared and column.name not in asked.states]
    doubts = [None if file is None or named else _header_doubt(columns, file), _comma_doubt(undeclared)]
    for doubt in doubts:
        if doubt is not None:
            warnings.warn(DataWarning(doubt), stacklevel=level_of_caller())


def warn_of_states(columns: Sequence[Column], settled: Sequence[States], asked: ReadOptions) -> None:
    """Warn of columns with one state, and of labels that are numbers but for a few."""
    single = [column.name for column, states in zip(columns, settled, strict=True) if len(states.labels) == 1]
    if single:
        subject = f"column {clip(single[0])!r} has" if len(single) == 1 else f"columns {quoted(map(clip, single))} have"
        cut = [c.name for c, s in zip(columns, settled, strict=True) if s.cuts == () and len(c.labels) > 1]
        reason = f": all numbers of {quoted(map(clip, cut))} are on one side of the cuts" if cut else ""
        warnings.warn(DataWarning(f"{subject} only one state{reason}"), stacklevel=level_of_caller())
    for column in columns:
        few = len(column.labels) <= MOST_WHOLE_NUMBERS
        if few or column.declared or column.name in asked.states or column.numbers() is not None:
            continue
        words = list(islice((label for label in column.labels if as_number(label) is None), 4))
        if 0 < len(words) < 4 and len(column.labels) - len(words) > MOST_WHOLE_NUMBERS:
            said = (
                f"column {clip(column.name)!r} holds numbers apart from {quoted(map(clip, words))}, so all of them are "
                "taken as labels"
            )
            hint = hint_for_words(list(map(label_text, words)))
            warnings.warn(DataWarning(said, hint=hint), stacklevel=level_of_caller())


def level_of_caller() -> int:
    """Return the ``stacklevel`` at which a warning of the calling function points outside of this package."""
    level, frame = 1, sys._getframe(1)
    inside = ("bnml", "contextlib")  # some functions of ours are decorated by context managers
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] in inside:
        level, frame = level + 1, frame.f_back
    return level
