"""Identifiers for names and labels, for formats that ask for them."""

from __future__ import annotations

import re
from collections.abc import Iterable

_IDENTIFIER = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
_KEYWORDS = frozenset(
    {
        *("belief", "class", "continuous", "data", "decision", "default", "discrete", "function", "is", "name", "net"),
        *("network", "node", "position", "potential", "probability", "properties", "property", "states", "table"),
        *("type", "utility", "variable"),
    }
)


def identifiers(texts: Iterable[str]) -> dict[str, str]:
    """Return for each of different texts an identifier of its own: itself if it is one.

    Examples
    --------
    >>> identifiers(["wet", "a b", "a_b", "12+", "node"])
    {'wet': 'wet', 'a b': 'a_b_2', 'a_b': 'a_b', '12+': 'x12_', 'node': 'node_2'}
    """
    wanted = list(texts)
    result = {text: text for text in wanted if _IDENTIFIER.fullmatch(text) and text.lower() not in _KEYWORDS}
    taken = {*result, *_KEYWORDS}
    count: dict[str, int] = {}
    for text in wanted:
        if text in result:
            continue
        stem = re.sub(r"[^A-Za-z0-9_]", "_", text)[:60]
        stem = stem if _IDENTIFIER.match(stem) else f"x{stem}"
        name = stem
        while name in taken or name.lower() in _KEYWORDS:
            count[stem] = count.get(stem, 1) + 1
            name = f"{stem}_{count[stem]}"
        taken.add(name)
        result[text] = name
    return {text: result[text] for text in wanted}
