"""Labels: how a name is broken into lines, and how much room its box takes.

The layout needs the sizes of the boxes before anything is drawn, and must not depend on the fonts of a machine. So
the widths of the characters of DejaVu Sans, the font that comes with matplotlib and that `bnml.plot.draw` uses, are
kept here; other characters are taken at a generous width.

Lengths are whole numbers, in tenths of a typographic point: 720 to the inch.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

UNITS_PER_POINT = 10
FONT_SIZE = 10  # points
LINE_HEIGHT = 126
PADDING_X, PADDING_Y = 80, 65
NARROWEST_BOX = 360

MOST_IN_A_LINE = 18
MOST_LINES = 4

# Advance widths of DejaVu Sans, in hundredths of the font size, rounded up.
_CHARACTERS_OF_WIDTH = {
    28: "'ijl", 30: "IJ", 32: " ,.", 34: "/:;\\|", 35: "f", 37: "-", 39: "()[]", 40: "rt", 41: "!", 46: '"', 50: "*_`",
    53: "sz", 54: "?", 55: "c", 56: "L", 58: "Fk", 60: "Tvxy", 61: "P", 62: "aeoY", 64: "$0123456789ESbdghnpqu{}",
    66: "K", 69: "BVXZ", 70: "CR", 71: "A", 74: "U", 75: "N", 76: "H", 77: "D", 78: "&G", 79: "OQ", 82: "w",
    84: "#+<=>^~", 87: "M", 95: "%", 98: "m", 99: "W", 100: "@",
}  # fmt: skip
_WIDTHS = {character: width for width, characters in _CHARACTERS_OF_WIDTH.items() for character in characters}

_PIECE = re.compile(r"(?:[A-Z]+(?![a-z])|[A-Z]?[^\sA-Z_.:/\-]+)[\s_.:/\-]*|[\s_.:/\-]+")


def text_width(text: str, font_size: int = FONT_SIZE) -> int:
    """Return how wide one line of text is."""
    hundredths = sum(_character_width(character) for character in unicodedata.normalize("NFD", text))
    return -(-hundredths * font_size * UNITS_PER_POINT // 100)


def _character_width(character: str) -> int:
    known = _WIDTHS.get(character)
    if known is not None:
        return known
    if unicodedata.combining(character):
        return 0
    if unicodedata.east_asian_width(character) in "WF":
        return 105
    return 100


def label_lines(name: str) -> tuple[str, ...]:
    """Return a name as one line or, when it is long, as several.

    It is broken after spaces and punctuation and before capitals where possible; what is longer than four lines is
    cut, and ends in "…".

    Examples
    --------
    >>> from bnml.plot.labels import label_lines
    >>> label_lines("smoke"), label_lines("CarbonMonoxideConcentration")
    (('smoke',), ('CarbonMonoxide', 'Concentration'))
    """
    text = " ".join("".join(c if c.isprintable() else " " for c in name).split()) or "?"
    if len(text) <= MOST_IN_A_LINE:
        return (text,)
    lines = [""]
    for piece in _pieces(text):
        if lines[-1] and len(lines[-1]) + len(piece.rstrip()) > MOST_IN_A_LINE:
            lines.append("")
        lines[-1] += piece
    lines = [line.strip() for line in lines]
    if len(lines) > MOST_LINES:
        lines = [*lines[: MOST_LINES - 1], lines[MOST_LINES - 1][: MOST_IN_A_LINE - 1] + "…"]
    return tuple(lines)


def _pieces(text: str) -> Iterator[str]:
    """Yield the parts of a text between which a line may end, none longer than a line."""
    for match in _PIECE.finditer(text):
        piece = match.group()
        for start in range(0, len(piece), MOST_IN_A_LINE):
            yield piece[start : start + MOST_IN_A_LINE]


def box_size(name: str) -> tuple[int, int]:
    """Return the width and height of the box around a name.

    Examples
    --------
    >>> from bnml.plot.labels import box_size
    >>> box_size("smoke")
    (494, 256)
    """
    lines = label_lines(name)
    width = max(text_width(line) for line in lines) + 2 * PADDING_X
    width += width % 2  # so that the middle is a whole number
    return max(NARROWEST_BOX, width), len(lines) * LINE_HEIGHT + 2 * PADDING_Y


def label_order(name: str) -> tuple[list[tuple[str, int, str]], str]:
    """Return a sorting key for the labels in a picture that puts X2 before X10."""
    parts = re.split(r"([0-9]+)", name)
    return [_number_order(part) if i % 2 else (part, 0, "") for i, part in enumerate(parts)], name


def _number_order(digits: str) -> tuple[str, int, str]:
    shown = digits.lstrip("0")
    return "", len(shown), shown
