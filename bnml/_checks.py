"""Checks of arguments: each returns the value in the form that is worked with, or says what was expected.

Every error is an `ArgumentError` that knows its argument (see `bnml.errors`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from numbers import Integral, Real
from typing import Any

from bnml._text import did_you_mean, quoted
from bnml.errors import ArgumentError, Text


def refuse(name: str, value: Any, expected: Text, hint: Text = "") -> ArgumentError:
    """Return the error for an argument: its value, and what was expected."""
    return ArgumentError(expected, argument=name, value=value, hint=hint)


def is_whole(value: Any, least: int | None = 0) -> bool:
    """Tell whether something is a whole number, from ``least`` on; a truth value is not."""
    if isinstance(value, bool) or not isinstance(value, Integral):
        return False
    return least is None or int(value) >= least


def whole_number(value: Any, name: str, least: int = 0, *, otherwise: str = "") -> int:
    """Return a whole number from ``least`` on; ``otherwise`` says what else is allowed.

    Examples
    --------
    >>> whole_number(3, "seed")
    3
    >>> whole_number(-1, "seed")
    Traceback (most recent call last):
    bnml.errors.ArgumentError: seed=-1: expected a whole number from 0
    """
    if not is_whole(value, least):
        raise refuse(name, value, f"expected a whole number from {least}{otherwise}")
    return int(value)


def is_number(value: Any) -> bool:
    """Tell whether something is a real number, which a truth value is not."""
    return isinstance(value, Real) and not isinstance(value, bool)


def positive_number(value: Any, name: str, *, of: str = "", otherwise: str = "") -> float:
    """Return a positive finite number; ``of`` says of what, as in ``" of seconds"``."""
    if not is_number(value) or not 0.0 < float(value) < math.inf:
        raise refuse(name, value, f"expected a positive number{of}{otherwise}")
    return float(value)


def significance_level(value: Any, name: str = "alpha") -> float:
    """Check an argument that is a significance level, between 0 and 1."""
    if not is_number(value) or not 0.0 < float(value) < 1.0:
        raise refuse(name, value, "expected a significance level between 0 and 1")
    return float(value)


def flag(value: Any, name: str) -> bool:
    """Check an argument that is True or False."""
    if not isinstance(value, bool):
        raise refuse(name, value, "expected True or False")
    return value


def one_of(value: Any, name: str, choices: Iterable[str], *, otherwise: str = "") -> str:
    """Check an argument that is one of some words."""
    words = list(choices)
    if not isinstance(value, str) or value not in words:
        hint = did_you_mean(value, words).strip() if isinstance(value, str) else ""
        raise refuse(name, value, f"expected one of {quoted(words, most=20)}{otherwise}.", hint)
    return value


def a_variable(value: Any, name: str, names: Sequence[str]) -> int:
    """Check an argument that names a variable; return its position among the names."""
    if not isinstance(value, str) or value not in names:
        hint = did_you_mean(value, names).strip()
        raise refuse(name, value, f"there is no such variable among {quoted(names)}.", hint)
    return names.index(value)


def progress_function(value: Any) -> Callable[[str, float], None] | None:
    """Check the argument ``progress``: what is told how far the work is, or None."""
    if value is not None and not callable(value):
        raise refuse("progress", value, "expected a function of a stage and a fraction, or None")
    function: Callable[[str, float], None] | None = value
    return function


def plain_float(number: int) -> float:
    """Return a whole number as a plain float, infinite where it is larger than any."""
    try:
        return float(number)
    except OverflowError:
        return math.inf
