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

A message says which argument or column is wrong, what was given, what is allowed, and what to do next.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable

__all__ = [
    "ArgumentError",
    "BnmlError",
    "DataError",
    "DependencyError",
    "FormatError",
    "GraphError",
    "MissingError",
    "NetworkError",
    "ScoreError",
    "SearchError",
    "did_you_mean",
    "quoted",
]


class BnmlError(ValueError):
    """Base class of all errors that bnml raises on purpose."""


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


def quoted(values: Iterable[object], *, most: int = 8) -> str:
    """Return values as a short readable list: ``'a', 'b' and 5 more``."""
    items = [repr(value) for value in values]
    shown = ", ".join(items[:most])
    return f"{shown} and {len(items) - most} more" if len(items) > most else shown


def did_you_mean(word: object, choices: Iterable[object]) -> str:
    """Return ``" Did you mean 'smoke'?"`` for the nearest choice, or an empty string."""
    texts = [str(choice) for choice in choices]
    folded = str(word).strip().casefold()
    near = [text for text in texts if text.strip().casefold() == folded] or difflib.get_close_matches(str(word), texts)
    return f" Did you mean {near[0]!r}?" if near else ""
