"""How the page says what the library says of its arguments."""

from __future__ import annotations

from typing import Any

from bnml.errors import ABSENT, ArgumentError, BnmlError, DataWarning, Named, shorten_value

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
    """Return a message as the page shows it.

    Examples
    --------
    >>> from bnml.errors import DataError, argument
    >>> in_page_words(DataError("gaps: " + argument("missing", "drop"), hint="raise " + argument("alpha", 2)))
    'gaps: “Missing values”: drop the rows; raise the significance level 2'
    """
    return error.text(page_spelling)


def page_spelling(named: Named) -> str:
    """Return how the page spells an argument."""
    name, value = named.name, named.value
    shown = WORDS.get(name, name.replace("_", " "))
    if value is ABSENT:
        return shown
    if name in ("drop", "columns") and isinstance(value, list):
        return "switch it off"
    if name == "bins" and isinstance(value, dict):
        return "“Cut numbers”"
    if isinstance(value, str):
        choice = CHOICES.get((name, value))
        return f"{shown} {shorten_value(value)}" if choice is None else f"{shown}: {choice}"
    if isinstance(value, list | tuple):
        return f"{shown} {shorten_value(', '.join(map(str, value)))}"
    return f"{shown} {named.shown}"


def error_values(error: BnmlError) -> dict[str, Any]:
    """Return the words that the page has for an error, and the argument that it is about."""
    return {"error": in_page_words(error), "argument": error.argument if isinstance(error, ArgumentError) else None}
