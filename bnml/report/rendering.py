"""Renders the templates of reports: the one place where text is escaped.

Templates ending in ``.html`` escape every expression, except for `Markup`; those ending in ``.txt`` are plain text.
Characters that HTML does not allow are replaced in both.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from bnml import _text


def render(template: str, **values: Any) -> str:
    """Return a template of ``bnml/report/templates`` filled in with values."""
    return _environment().get_template(template).render(values)


def render_sentences(template: str, block: str, **values: Any) -> tuple[str, ...]:
    """Return the items of a block of a text template: each begins with ``- `` on a line of its own.

    Line breaks within an item, with the indent that follows, count as spaces.
    """
    found = _environment().get_template(template)
    text = "".join(found.blocks[block](found.new_context(values)))
    return tuple(re.sub(r"\s*\n\s*", " ", item).strip() for item in re.split(r"^- ", text, flags=re.MULTILINE)[1:])


def escaped(text: str) -> Markup:
    """Return a text escaped, unless it is markup already."""
    return escape(_without_control_characters(text))


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("bnml.report"),
        autoescape=lambda name: name is None or name.endswith(".html"),
        undefined=StrictUndefined,
        finalize=_without_control_characters,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals |= {"count": _text.number_of}
    environment.filters |= {
        "breakable": lambda text: escaped(text).replace("_", Markup("_<wbr>")),  # where a long name may be broken
        "capital": lambda text: text[:1].upper() + text[1:],
        "f": format,
        "name": _text.name_in_words,
        "names": _text.names_in_words,
        "one_line_name": _text.shown_name,
        "percent": _text.percent,
        "plural": lambda number, one, many: one if number == 1 else many,
    }
    return environment


def _without_control_characters(value: Any) -> Any:
    """Return a text without the characters that HTML does not allow; markup and what is not text as it is."""
    if not isinstance(value, str) or isinstance(value, Markup) or value.isprintable():
        return value
    return "".join(c if c.isprintable() else "�" for c in value)
