"""Renders the templates of reports: the one place where text is escaped.

Templates ending in ``.html`` escape every expression, except for `Markup`, and replace characters that HTML does not
allow; all others are plain text.
"""

from __future__ import annotations

import math
import re
from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from bnml._text import (
    name_in_words,
    names_in_words,
    number_of,
    percent,
    printable,
    seconds_text,
    shown_name,
)
from bnml.data.labels import MISSING_LABEL


def render(template: str, **values: Any) -> str:
    """Return a template of ``bnml/report/templates`` filled in with values."""
    return _environment(html=template.endswith(".html")).get_template(template).render(values)


def render_sentences(template: str, block: str, **values: Any) -> tuple[str, ...]:
    """Return the items of a block of a text template: each begins with ``- `` on a line of its own.

    Line breaks within an item, with the indent that follows, count as spaces.
    """
    found = _environment(html=False).get_template(template)
    text = "".join(found.blocks[block](found.new_context(values)))
    return tuple(re.sub(r"\s*\n\s*", " ", item).strip() for item in re.split(r"^- ", text, flags=re.MULTILINE)[1:])


def render_facts(block: str, **values: Any) -> list[tuple[str, str]]:
    """Return what a result says of itself: labels with their texts."""
    items = (item.partition(": ") for item in render_sentences("results.txt", block, **values))
    return [(label, text) for label, _, text in items]


def decimals_of_scores(*values: float) -> int:
    """Return with how many decimals scores are shown."""
    largest = max((abs(value) for value in values if math.isfinite(value)), default=0.0)
    return 3 if largest < 1e7 else 1 if largest < 1e9 else 0


def escaped(text: str) -> Markup:
    """Return a text escaped, unless it is markup already."""
    return escape(_without_control_characters(text))


@cache
def _environment(*, html: bool) -> Environment:
    environment = Environment(
        loader=PackageLoader("bnml.report"),
        autoescape=html,
        undefined=StrictUndefined,
        finalize=_without_control_characters if html else None,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals |= {
        "count": number_of,
        "missing_at_random": "that values are missing at random, given what was observed; where they are missing "
        "depending on themselves the data cannot tell, and the network may be wrong",
        "missing_label": MISSING_LABEL,
        "untested": "given several others, or with gaps, a table has too few rows per cell for a test",
    }
    environment.filters |= {
        "breakable": lambda text: escaped(text).replace("_", Markup("_<wbr>")),  # where a long name may be broken
        "capital": lambda text: text[:1].upper() + text[1:],
        "f": format,
        "listed": lambda links: ", ".join(links[:40]) + (f" and {len(links) - 40:,} more" if len(links) > 40 else ""),
        "name": name_in_words,
        "names": names_in_words,
        "one_line_name": shown_name,
        "percent": percent,
        "printable": printable,
        "plural": lambda number, one, many: one if number == 1 else many,
        "score": lambda value, like=None: f"{value:,.{decimals_of_scores(value if like is None else like)}f}",
        "seconds": seconds_text,
    }
    return environment


def _without_control_characters(value: Any) -> Any:
    """Return a text without the characters that HTML does not allow; markup and what is not text as it is."""
    if not isinstance(value, str) or isinstance(value, Markup) or value.isprintable():
        return value
    return "".join(c if c.isprintable() else "�" for c in value)
