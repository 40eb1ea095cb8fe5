"""Words and numbers as reports write them, on lines of at most 80 columns."""

from __future__ import annotations

import difflib
import math
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest
from typing import Any

WIDTH = 80
LONGEST_NAME = 40  # in a sentence
MOST_NAMED = 6  # names in a sentence


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


def shortened_in_the_middle(name: str, width: int) -> str:
    """Return a name on one line of some width; of a long one the beginning and the end."""
    line = printable(name)
    start = (2 * width - 1) // 3
    return line if len(line) <= width else f"{line[:start]}…{line[len(line) - (width - 1 - start) :]}"


def seconds_text(seconds: float) -> str:
    """Return as text how many seconds something took."""
    return f"{seconds:.2g} s" if seconds < 10 else f"{seconds:,.0f} s"


def time_text(seconds: float) -> str:
    """Return about how long something will take."""
    if seconds == math.inf:
        return "longer than anybody lives"
    for size, unit in ((86400.0 * 365, "years"), (86400.0, "days"), (3600.0, "hours"), (60.0, "minutes")):
        if seconds >= 2 * size:
            return f"about {seconds / size:,.0f} {unit}" if seconds < 1e6 * size else f"more than a million {unit}"
    return f"about {seconds:.0f} seconds" if seconds >= 1.5 else "about a second or less"


def wrapped_text(text: str, first: str = "", later: str = "") -> str:
    """Return a text on lines of at most 80 columns, with an indent for the first and one for the others."""
    if len(first) + len(text) <= WIDTH:
        return first + text
    return textwrap.fill(text, WIDTH, initial_indent=first, subsequent_indent=later, break_on_hyphens=False)


def facts(pairs: Iterable[tuple[str, str]], label_width: int) -> list[str]:
    """Return labels with their texts as lines of 80 columns, a paragraph each: the texts stand below each other."""
    rows: Sequence[tuple[str, str]] = list(pairs)
    return [wrapped_text(f"{label:<{label_width}}{text}", "  ", " " * (label_width + 2)) for label, text in rows]


def text_table(
    rows: Sequence[Sequence[str]],
    kinds: str,
    head: Sequence[str] = (),
    *,
    indent: str = "",
    ruled: bool = False,
    sums: bool = False,
) -> list[str]:
    """Return a table as lines of at most 80 columns, with as much room for each column as its cells take.

    Parameters
    ----------
    rows
        The cells.
    kinds
        A letter for each column: ``r`` to the right and ``l`` to the left, as wide as their cells; ``s`` to the left,
        cells that are too long are shortened; ``w`` to the left, those are wrapped.
    head
        The titles of the columns; none by default.
    indent
        What each line begins with.
    ruled
        Whether a rule follows the head.
    sums
        Whether a rule comes before the last row.

    Examples
    --------
    >>> for line in text_table([["A", "B, C", "1.50"], ["in all", "", "11.50"]], "lwr", ["node", "parents", "score"]):
    ...     print(line)
    node    parents  score
    A       B, C      1.50
    in all           11.50
    """
    cells = [[printable(cell) for cell in row] for row in ([head, *rows] if head else rows)]
    widths = [max((len(row[k]) for row in cells), default=0) for k in range(len(kinds))]
    fixed = sum(width for width, kind in zip(widths, kinds, strict=True) if kind in "lr")
    room = max(WIDTH - len(indent) - 2 * (len(kinds) - 1) - fixed, 20)
    share = room // max(1, kinds.count("s") * (2 if "w" in kinds else 1))
    widths = [min(width, share) if kind == "s" else width for width, kind in zip(widths, kinds, strict=True)]
    left = room - sum(width for width, kind in zip(widths, kinds, strict=True) if kind == "s")
    widths = [min(width, left) if kind == "w" else width for width, kind in zip(widths, kinds, strict=True)]

    def lines(row: Sequence[str]) -> Iterator[str]:
        for texts in zip_longest(*map(_cell, row, widths, kinds), fillvalue=""):
            sides = (str.rjust if kind == "r" else str.ljust for kind in kinds)
            padded = (side(text, width) for side, text, width in zip(sides, texts, widths, strict=True))
            yield (indent + "  ".join(padded)).rstrip()

    blocks = [list(lines(row)) for row in cells]
    rule = [indent + "-" * (sum(widths) + 2 * (len(kinds) - 1))]
    if sums:
        blocks.insert(-1, rule)
    if head and ruled:
        blocks.insert(1, rule)
    return [line for block in blocks for line in block]


def _cell(text: str, width: int, kind: str) -> list[str]:
    """Return the lines of a cell."""
    if kind == "w":
        return textwrap.wrap(text, width, break_on_hyphens=False) or [""]
    return [shortened(text, width) if kind == "s" else text]


def quoted(values: Iterable[object], *, most: int = 8) -> str:
    """Return values as a short readable list: ``'a', 'b' and 5 more``."""
    items = [repr(value) for value in values]
    shown = ", ".join(items[:most])
    return f"{shown} and {len(items) - most} more" if len(items) > most else shown


def did_you_mean(word: object, choices: Iterable[object]) -> str:
    """Return the text ``" Did you mean 'smoke'?"`` for the nearest choice, or an empty one."""
    texts = [str(choice) for choice in choices]
    folded = str(word).strip().casefold()
    near = [text for text in texts if text.strip().casefold() == folded] or difflib.get_close_matches(str(word), texts)
    return f" Did you mean {near[0]!r}?" if near else ""


def clip(value: Any, most: int = 60) -> Any:
    """Return a value for a message: as it is if its text is short, else the start of its text."""
    text = str(value)
    return value if len(text) <= most else text[: most - 1] + "…"


def percent(share: float) -> str:
    """Return a share as text, in percent; what is neither none nor all never looks so."""
    if 0.0 < share < 0.005:
        return "<1%"
    return ">99%" if 0.995 <= share < 1.0 else f"{share:.0%}"


def probability_text(probability: float) -> str:
    """Return as text a posterior probability, in percent; it is never all."""
    return percent(min(probability, 0.9999))


def are(items: Sequence[object]) -> str:
    """Return the verb for some items."""
    return "is" if len(items) == 1 else "are"


def shown_name(name: str) -> str:
    """Return a name for a sentence: on one line, not too long, in quotes where it would run into other words."""
    return name_in_words(name) if not name or any(mark in name for mark in " ,;.") else name_in_words(name)[1:-1]


def name_in_words(name: str) -> str:
    """Return a name as it stands in a sentence: in quotes, on one line and not too long."""
    return f"“{shortened_in_the_middle(name, LONGEST_NAME)}”"


def _pair_in_words(text: str) -> str:
    """Return a name or a link for a sentence."""
    for mark in (" → ", " – "):
        a, found, b = text.partition(mark)
        if found:
            return f"{shown_name(a)}{mark}{shown_name(b)}"
    return shown_name(text)


def names_in_words(names: Sequence[str], most: int = MOST_NAMED) -> str:
    """Return names as a list in the words of a sentence; of many names the first."""
    texts = [_pair_in_words(name) for name in names[:most]]
    if len(names) > most:
        return f"{', '.join(texts)} and {len(names) - most:,} more"
    return texts[0] if len(texts) == 1 else f"{', '.join(texts[:-1])} and {texts[-1]}"


def p_value_text(p: float) -> str:
    """Return a p-value as text for reports: two digits, at most four places, and a dash where nothing was tested."""
    if math.isnan(p):
        return "–"
    if p < 0.0001:
        return "<0.0001"
    return f"{p:.4f}" if p < 0.00095 else f"{p:.3f}" if p < 0.0995 else f"{p:.2f}"


def quoted_value(text: object) -> str:
    """Return a value for a message: quoted, and cut if it is long."""
    return repr(clip(text))


def percent_range(low: float, high: float) -> str:
    """Return as text an interval of shares in percent, with a digit after the point where it is narrow, near 0 or 1.

    Examples
    --------
    >>> percent_range(0.281, 0.41), percent_range(0.0, 0.0012)
    ('28–41%', '0.0–0.1%')
    """
    digits = 1 if high - low < 0.02 and (low < 0.02 or high > 0.98) else 0
    return f"{100 * low:.{digits}f}–{100 * high:.{digits}f}%"
