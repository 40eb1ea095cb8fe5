"""Labels: what text a value has, which values are missing, which labels are numbers, in which order states stand.

A value's *text* is what it is matched by: ``1``, ``1.0`` in a float column and ``"1"`` are the same label. Nothing is
guessed away: ``None``, ``NA``, ``True`` and ``05`` in a file are ordinary labels.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

__all__ = ["MISSING_LABEL", "MISSING_TEXTS", "as_number", "is_whole", "label_text", "ordered", "without_point"]

MISSING_LABEL = "?"
MISSING_TEXTS = frozenset({"", "?", "NaN"})

_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?")
_WHOLE_WITH_POINT = re.compile(r"([+-]?\d+)\.0*")


def label_text(value: Any) -> str:
    """Return the text that a value is matched by."""
    if isinstance(value, str):
        return value
    if isinstance(value, float | np.floating):
        return str(int(value)) if math.isfinite(value) and value == int(value) else repr(float(value))
    return str(value)


def as_number(label: Any) -> float | None:
    """Return the finite number that a label is, or None."""
    if isinstance(label, bool | np.bool_):
        return None
    if isinstance(label, int | float | np.integer | np.floating):
        return float(label)
    if isinstance(label, str) and _NUMBER.fullmatch(label):
        number = float(label)
        return number if math.isfinite(number) else None
    return None


def is_whole(label: Any) -> bool:
    """Return whether a label is a whole number."""
    number = as_number(label)
    return number is not None and number.is_integer()


def without_point(text: str) -> str:
    """Return ``1`` for ``1.0``, as a float column of whole numbers prints it; any other text as it is."""
    match = _WHOLE_WITH_POINT.fullmatch(text)
    return match[1] if match else text


def ordered(labels: Iterable[Any]) -> list[Any]:
    """Return labels in numeric order if all are whole numbers or booleans, else in order of their texts."""
    items: Sequence[Any] = list(labels)
    if all(is_whole(label) for label in items):
        return sorted(items, key=lambda label: (float(label), label_text(label)))
    return sorted(items, key=label_text)
