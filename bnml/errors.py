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

An error is data: the argument that it is about and its value, the problem, and a hint. ``str`` of it is a message for
Python programmers; the command line and the studio spell arguments in their own way, as ``--max-parents 3`` instead of
``max_parents=3``. So a text that names arguments is a `Phrase`, as ``argument("max_parents", 3) + " allows fewer"`` is.
Join phrases by ``+``, not in f-strings, which would make them Python's text.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import Enum
from typing import Any

MAX_VALUE_LENGTH = 100  # characters of a value in a message

_Absent = Enum("_Absent", ["ABSENT"])
ABSENT = _Absent.ABSENT
"""The value of an argument that a text names without a value."""


@dataclass(frozen=True)
class Named:
    """An argument, with a value or without, or a function that a text names.

    Attributes
    ----------
    name
        The name of the argument; that of a function ends in ``()``.
    value
        The value, or `ABSENT`.
    """

    name: str
    value: Any = ABSENT

    def __reduce__(self) -> tuple[Any, ...]:
        try:
            pickle.dumps(self.value)
        except Exception:  # errors cross processes, whatever value they are about
            return Named, (self.name, _Shown(self.shown))
        return Named, (self.name, self.value)

    @property
    def is_function(self) -> bool:
        """Whether this is a function."""
        return self.name.endswith("()")

    @property
    def shown(self) -> str:
        """The value as Python writes it, shortened if it is long; empty without one."""
        return "" if self.value is ABSENT else shorten_value(repr(self.value))


class _Shown:
    """Stands for a value that cannot be pickled."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text


def shorten_value(text: str) -> str:
    """Return the text of a value, or the start of a long one."""
    return text if len(text) <= MAX_VALUE_LENGTH else text[: MAX_VALUE_LENGTH - 1] + "…"


@dataclass(frozen=True)
class Phrase:
    """A text that names arguments; ``+`` joins it with texts.

    Examples
    --------
    >>> str("take " + argument("missing", "em") + " or raise " + argument("memory_limit"))
    "take missing='em' or raise memory_limit="
    """

    parts: tuple[str | Named, ...] = ()

    def __add__(self, other: Text) -> Phrase:
        return Phrase(self.parts + _parts(other))

    def __radd__(self, other: Text) -> Phrase:
        return Phrase(_parts(other) + self.parts)

    def __bool__(self) -> bool:
        return bool(self.parts)

    def __str__(self) -> str:
        first = self.parts[0] if self.parts else ""
        about = first.name if isinstance(first, Named) and first.value is ABSENT else None  # the text is about it
        return (about or "") + Phrase(self.parts[about is not None :]).spelled(_in_python)

    def spelled(self, spell: Callable[[Named], str]) -> str:
        """Return the text, with arguments and functions as ``spell`` writes them."""
        return "".join(part if isinstance(part, str) else spell(part) for part in self.parts)

    def replace(self, old: str, new: str) -> Phrase:
        """Return the text with another word for one in it, as for a string; arguments stay."""
        return Phrase(tuple(part.replace(old, new) if isinstance(part, str) else part for part in self.parts))


Text = str | Phrase


def argument(name: str, value: Any = ABSENT) -> Phrase:
    """Return how a text names an argument, with its value or without.

    Examples
    --------
    >>> print(ArgumentError(argument("seed") + " must be a whole number, got 'a'", hint="leave " + argument("seed")))
    seed must be a whole number, got 'a'; leave seed=
    """
    return Phrase((Named(name, value),))


def function(name: str) -> Phrase:
    """Return how a text names a function; the command line names the command instead.

    Examples
    --------
    >>> print(ArgumentError(function("bnml.score") + " needs every value"))
    bnml.score() needs every value
    """
    return Phrase((Named(f"{name}()"),))


def join_texts(separator: str, texts: Iterable[Text]) -> Phrase:
    """Return texts as one, with a separator between them."""
    joined = Phrase()
    for number, text in enumerate(texts):
        joined = joined + (separator if number else "") + text
    return joined


def _parts(text: Text) -> tuple[str | Named, ...]:
    return text.parts if isinstance(text, Phrase) else (text,) if text else ()


def _in_python(named: Named) -> str:
    return named.name if named.is_function else f"{named.name}={named.shown}"


class _Message(Exception):
    """A message as data, which names its arguments as whoever shows it spells them.

    Parameters
    ----------
    problem
        What is wrong. Where it begins with an argument, it is a sentence about it, and ``argument`` is left out.
    argument
        The name of the argument that this is about.
    value
        Its value.
    hint
        What to do next.

    Examples
    --------
    >>> print(ArgumentError("expected a whole number from 0", argument="seed", value=-1, hint="leave it out"))
    seed=-1: expected a whole number from 0; leave it out
    """

    def __init__(
        self, problem: Text = "", *, argument: str | None = None, value: Any = ABSENT, hint: Text = ""
    ) -> None:
        self.problem, self.hint = problem, hint
        self._about = Phrase() if argument is None else Phrase((Named(argument, value), ": "))
        super().__init__(str(self.sentence))

    @property
    def sentence(self) -> Phrase:
        """The whole message, which can be a part of another one."""
        end = "" if not self.hint else " " if str(self.problem).endswith(".") else "; "
        return self._about + self.problem + end + self.hint

    def text(self, spell: Callable[[Named], str]) -> str:
        """Return the message with arguments and functions as ``spell`` writes them."""
        return self.sentence.spelled(spell)

    @property
    def argument(self) -> str | None:
        """The name of the argument that this is about; None if it is about none."""
        named = self._named
        return None if named is None else named.name

    @property
    def value(self) -> Any:
        """The value of that argument; None where the message gives none."""
        named = self._named
        return None if named is None or named.value is ABSENT else named.value

    @property
    def _named(self) -> Named | None:
        first = next(iter(self.sentence.parts), "")
        return first if isinstance(first, Named) and not first.is_function else None


class BnmlError(_Message, ValueError):
    """Base class of all errors that bnml raises on purpose.

    Attributes
    ----------
    argument
        The name of the argument that it is about; None if it is about none.
    value
        The value of that argument; None where the message gives none.
    problem
        What is wrong, a string or a `Phrase`.
    hint
        What to do next, a string or a `Phrase`; empty where there is nothing to say.
    """


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
    """An argument is outside its range or names something unknown."""


class DependencyError(BnmlError):
    """An optional package is needed and not installed."""
