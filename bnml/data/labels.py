"""Labels: what text a value has, which values are missing, which labels are numbers, in which order states stand.

A value's *text* is what it is matched by: ``1``, ``1.0`` in a float column and ``"1"`` are the same label. Nothing is
guessed away: ``None``, ``NA``, ``True`` and ``05`` in a file are ordinary labels.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import Any

import numpy as np
import numpy.typing as npt

from bnml.errors import DataError

MISSING_LABEL = "?"
MISSING_TEXTS = frozenset({"", "?", "NaN"})
EXACT = 2**53  # up to which a float is every whole number

NUMBER = r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?"  # as Python and SQL engines read it
_NUMBER = re.compile(NUMBER)
_CHARACTERS = re.compile(r"[0-9+\-.eE,]*")  # of texts that are numbers if Python says so
_WHOLE_WITH_POINT = re.compile(r"([+-]?[0-9]+)\.0*")


def is_missing(value: Any) -> bool:
    """Return whether a value is no label: None, NaN or a frame's own sign for a missing value."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    if isinstance(value, float | np.floating):
        return math.isnan(value)
    return isinstance(value, Decimal) and value.is_nan()


def plain_label(value: Any) -> Any:
    """Return a label that is NumPy's number, boolean or text as Python's own; any other value as it is."""
    return value.item() if isinstance(value, np.number | np.bool_ | np.str_) else value


def label_text(value: Any) -> str:
    """Return the text that a value is matched by.

    Raises
    ------
    DataError
        If it is a number with more digits than Python prints.
    """
    if isinstance(value, str):
        return value
    if type(value) is not int and isinstance(value, float | np.floating | Decimal):
        if not math.isfinite(value) or value != int(value):
            return str(value) if isinstance(value, Decimal) else repr(float(value))
        value = int(value)
    try:
        return str(value)
    except ValueError:
        if not isinstance(value, int):
            raise
    raise DataError("a number of more than 4300 digits is no label: make it a text")


def as_number(label: Any) -> float | None:
    """Return the finite number that a label is, or None; booleans are none."""
    if isinstance(label, str):
        if not _NUMBER.fullmatch(label):
            return None
    elif isinstance(label, bool | np.bool_) or not isinstance(label, int | float | np.integer | np.floating | Decimal):
        return None
    try:
        number = float(label)
    except (OverflowError, ValueError):  # more than 300 digits; a signalling NaN
        return None
    return number if math.isfinite(number) else None


def as_numbers(labels: Sequence[Any]) -> npt.NDArray[np.float64] | None:
    """Return the finite numbers that labels are, or None if one of them is none."""
    kinds = set(map(type, labels))
    if kinds <= {int, float} or (kinds == {str} and _CHARACTERS.fullmatch(",".join(labels))):
        try:
            numbers = np.fromiter(map(float, labels), np.float64, len(labels))
        except (OverflowError, ValueError):
            return None
        return numbers if np.isfinite(numbers).all() else None
    values = []
    for label in labels:
        number = as_number(label)
        if number is None:
            return None
        values.append(number)
    return np.array(values, np.float64)


def is_whole(label: Any) -> bool:
    """Return whether a label is a whole number."""
    number = as_number(label)
    return number is not None and number.is_integer()


def label_without_point(text: str) -> str:
    """Return the label ``1`` for ``1.0``, as a float column of whole numbers prints it; any other text as it is."""
    match = _WHOLE_WITH_POINT.fullmatch(text)
    if match is None:
        return text
    return "0" if match[1] == "-0" else match[1]


def ordered(labels: Iterable[Any]) -> list[Any]:
    """Return labels in numeric order if all are whole numbers or booleans, else in order of their texts."""
    items: Sequence[Any] = list(labels)
    if set(map(type, items)) == {int} and all(-EXACT <= label <= EXACT for label in items):
        return sorted(items)
    if all(isinstance(label, bool | np.bool_) or is_whole(label) for label in items):
        return sorted(items, key=lambda label: (float(label), label_text(label)))
    return sorted(items, key=label_text)
