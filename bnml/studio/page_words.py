"""How the page says what the library says of its arguments."""

from __future__ import annotations

import ast
from typing import Any

from bnml.errors import ArgumentError, BnmlError, DataWarning

WORDS = {
    "alpha": "the significance level",
    "bins": "“Cut numbers”",
    "class_variable": "the target",
    "columns": "the switches of the columns",
    "constraints": "what is known",
    "cuts": "the cuts",
    "data": "the table",
    "directed": "the direction",
    "do": "what is set",
    "drop": "what is dropped",
    "evidence": "what is observed",
    "interventions": "the targets",
    "keep": "what is kept",
    "max_parents": "the most parents",
    "memory_limit": "the memory limit",
    "missing": "“Missing values”",
    "na_values": "“Texts for missing values”",
    "order": "the order",
    "prior": "the structure prior",
    "repetitions": "the number of halves",
    "rows_per_cell": "the rows per cell",
    "score": "the score",
    "search": "the search",
    "states": "the states",
    "target": "the target",
    "weights": "the weights",
}
CHOICES = {
    ("missing", "error"): "refuse them",
    ("missing", "drop"): "drop the rows",
    ("missing", "state"): "a state of their own",
    ("missing", "em"): "em (not on this page, but on the command line)",
    ("bins", "auto"): "automatically",
}


def in_page_words(error: BnmlError | DataWarning) -> str:
    """Return a message with the words of the page for arguments.

    Examples
    --------
    >>> from bnml.errors import DataError, argument
    >>> in_page_words(DataError(f"gaps: {argument('missing', 'drop')}, or else {argument('alpha', 2)}"))
    'gaps: “Missing values”: drop the rows, or else the significance level 2'
    """
    return error.text(_word)


def _word(name: str, value: str | None) -> str:
    shown = WORDS.get(name, name.replace("_", " "))
    if value is None:
        return shown
    given = _value(value)
    if name in ("drop", "columns") and isinstance(given, list):
        return "switch it off"
    if name == "bins" and isinstance(given, dict):
        return "“Cut numbers”"
    text = CHOICES.get((name, given)) if isinstance(given, str) else None
    if text is not None:
        return f"{shown}: {text}"
    if isinstance(given, list | tuple):
        given = ", ".join(map(str, given))
    return f"{shown} {value if given is None else given}"


def _value(text: str) -> Any:
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return None


def error_values(error: BnmlError) -> dict[str, Any]:
    """Return the words that the page has for an error, and the argument that it is about."""
    return {"error": in_page_words(error), "argument": error.argument if isinstance(error, ArgumentError) else None}
