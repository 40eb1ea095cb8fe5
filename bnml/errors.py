"""Every error a user can cause.

::

    ValueError
    └── BnmlError               anything below; catch this one
        ├── DataError           a table that cannot be read as asked
        │   └── MissingError    missing values, and ``missing="error"``
        ├── GraphError          an impossible graph, model string or constraint
        ├── ScoreError          an unknown score, or one that cannot be used here
        ├── SearchError         a search that does not fit into memory or time, or has no result
        ├── NetworkError        tables that are no network, or a query that is too large
        │   └── FormatError     a file that cannot be read; it says in which line
        ├── ArgumentError       an argument outside its range, or an unknown name
        └── DependencyError     an optional package is not installed

A table that can be read, though it may not be what was meant, is worth a ``DataWarning``, a ``UserWarning``.

A message says which argument or column is wrong, what was given, what is allowed, and what to do next. Where it names
an argument it does so by `argument`, ``f"{argument('max_parents', 3)} allows fewer"``: a Python programmer reads
``max_parents=3 allows fewer``, and other doors show their own word for it, as a shell does with ``--max-parents 3``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

_OPEN, _VALUE, _CLOSE = "\ue000", "\ue001", "\ue002"  # around an argument in a message; of Unicode's private use
_NOTHING = object()


def argument(name: str, value: Any = _NOTHING, *, most: int | None = None) -> str:
    """Return how an error names an argument in its message, with its value, or the start of a long one, or without.

    Examples
    --------
    >>> print(ArgumentError(f"{argument('seed', -1)}: expected a whole number from 0; leave {argument('seed')} out"))
    seed=-1: expected a whole number from 0; leave seed= out
    """
    if value is _NOTHING:
        return f"{_OPEN}{name}{_CLOSE}"
    text = repr(value)
    if most is not None and len(text) > most:
        text = text[: most - 1] + "…"
    return f"{_OPEN}{name}{_VALUE}{text}{_CLOSE}"


def function(name: str) -> str:
    """Return how an error names a function in its message; the command line names the command that is it.

    Examples
    --------
    >>> print(ArgumentError(f"{function('bnml.score')} needs every value"))
    bnml.score() needs every value
    """
    return f"{_OPEN}{name}(){_CLOSE}"


class _Message(Exception):
    """A message that can name its arguments in the words of whoever shows it."""

    def __init__(self, message: str = "") -> None:
        self._marked = message
        super().__init__(self._in_python())  # all that others see

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._marked,)

    @property
    def marked(self) -> str:
        """The message as it was written, to be a part of another one."""
        return self._marked

    def _in_python(self) -> str:
        head, parts = self._parts()
        for name, value, rest in parts:
            alone = not head and value is None  # the message is about it
            head += (name if alone or name.endswith("()") else f"{name}={value or ''}") + rest
        return head

    def text(self, word: Callable[[str, str | None], str]) -> str:
        """Return the message with the arguments that it names in other words.

        Parameters
        ----------
        word
            Is given the name of an argument, and the value that the message gives it as Python writes it, or None.
        """
        head, parts = self._parts()
        return head + "".join(word(name, value) + rest for name, value, rest in parts)

    def _parts(self) -> tuple[str, list[tuple[str, str | None, str]]]:
        """Return what comes before the first argument, and each argument with its value and what comes after it."""
        head, *others = self._marked.split(_OPEN)
        parts = []
        for other in others:
            named, _, rest = other.partition(_CLOSE)
            name, separator, value = named.partition(_VALUE)
            parts.append((name, value if separator else None, rest))
        return head, parts


class BnmlError(_Message, ValueError):
    """Base class of all errors that bnml raises on purpose."""


class DataWarning(_Message, UserWarning):
    """What a table may not have been meant to hold."""


class DataError(BnmlError):
    """A table cannot be read as asked."""


class MissingError(DataError):
    """A table has missing values and they were not allowed."""


class GraphError(BnmlError):
    """A graph, model string or set of constraints is impossible."""


class ScoreError(BnmlError):
    """A score is unknown or cannot be used in this place."""


class SearchError(BnmlError):
    """A search does not fit into memory or time, or has no result."""


class NetworkError(BnmlError):
    """Tables do not make a network, or a query needs tables that are too large."""


class FormatError(NetworkError):
    """A file of a network or of scores cannot be read."""


class ArgumentError(BnmlError):
    """An argument is outside its range or names something unknown.

    Attributes
    ----------
    argument
        The name of the argument, where the message begins with it; else None.
    """

    @property
    def argument(self) -> str | None:
        """The name of the argument that the message is about."""
        head, parts = self._parts()
        return parts[0][0] if parts and not head and not parts[0][0].endswith("()") else None


class DependencyError(BnmlError):
    """An optional package is needed and not installed."""
