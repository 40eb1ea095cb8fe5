"""Words and numbers as reports write them, on lines of at most 80 columns."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence

__all__ = ["WIDTH", "facts", "number_of", "printable", "seconds_text", "shortened", "wrapped"]

WIDTH = 80


def number_of(n: int, word: str, words: str | None = None) -> str:
    """Return a number with its noun.

    Examples
    --------
    >>> number_of(1, "row"), number_of(2000, "row"), number_of(2, "family", "families")
    ('1 row', '2,000 rows', '2 families')
    """
    return f"{n:,} {word if n == 1 else words or word + 's'}"


def printable(text: str) -> str:
    """Return a text on one line: line breaks and the like as Python writes them."""
    return text if text.isprintable() else repr(text)[1:-1]


def shortened(text: str, width: int) -> str:
    """Return a text of at most some width, on one line."""
    line = printable(text)
    return line if len(line) <= width else line[: width - 1] + "…"


def seconds_text(seconds: float) -> str:
    """Return how long something took."""
    return f"{seconds:.2g} s" if seconds < 10 else f"{seconds:,.0f} s"


def wrapped(text: str, first: str = "", later: str = "") -> str:
    """Return a text on lines of at most 80 columns, with an indent for the first and one for the others."""
    if len(first) + len(text) <= WIDTH:
        return first + text
    return textwrap.fill(text, WIDTH, initial_indent=first, subsequent_indent=later, break_on_hyphens=False)


def facts(pairs: Iterable[tuple[str, str]], label_width: int) -> list[str]:
    """Return labels with their texts, a paragraph each: the texts stand below each other."""
    rows: Sequence[tuple[str, str]] = list(pairs)
    return [wrapped(f"{label:<{label_width}}{text}", "  ", " " * (label_width + 2)) for label, text in rows]
