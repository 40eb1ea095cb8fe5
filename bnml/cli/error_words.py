"""How the command line says what the library says of its arguments."""

from __future__ import annotations

import ast
import shlex
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from bnml.errors import ArgumentError

_SAME = (
    "adjust", "bins", "chains", "columns", "counting", "drop", "ess", "estimator", "interventions", "keep",
    "method", "missing", "na_values", "order", "out", "possibility", "prior", "repetitions", "resampling", "samples",
    "score", "search", "seed", "states", "target", "test", "threads", "threshold", "weight", "weights",
)  # fmt: skip
OPTIONS = {name: f"--{name.replace('_', '-')}" for name in _SAME} | {
    "alpha": "--significance",
    "class_variable": "--class",
    "constraints": "--require, --forbid and --tiers",
    "data": "DATA",
}
"""By the name of an argument of the library, the option that is it; arguments that have none keep their names."""

COMMANDS = {
    "bnml.family_score()": "bnml score",
    "bnml.posterior()": "bnml posterior",
    "bnml.score()": "bnml score",
    "network.impute()": "bnml impute",
    "relation_overview()": "bnml relational",
}
"""By the name of a function of the library, the command that is it."""

CHOICE = {"columns": "--columns or --drop"}  # where a message speaks of an argument without a value


def in_options(own: Mapping[str, str]) -> Callable[[str, str | None], str]:
    """Return how an argument is said on the command line, with its value or without; see `BnmlError.text`.

    Parameters
    ----------
    own
        What the command says otherwise than `OPTIONS`.

    Examples
    --------
    >>> word = in_options({"k": "--top"})
    >>> word("samples", "3"), word("missing", "'drop'"), word("columns", None), word("k", "0"), word("of", "'dag'")
    ('--samples 3', '--missing drop', '--columns or --drop', '--top 0', "of='dag'")
    >>> word("network.impute()", None)
    'bnml impute'
    """
    shared = getattr(sys.modules.get("bnml.cli.searches"), "LIMITS", ())  # loaded by the commands that have them
    options = {name: f"--{name.replace('_', '-')}" for name in shared} | {**OPTIONS, **COMMANDS, **own}

    def word(name: str, value: str | None) -> str:
        if name not in options:
            given = name if value is None else f"{name}={_typed(_value(value), value)}"
            return f"--option {given}" if _is_search_option(name) else name if value is None else f"{name}={value}"
        if value is None:
            return CHOICE.get(name, options[name])
        given = _value(value)
        if isinstance(given, dict):
            return _bins(given) if name == "bins" else f"[{name}] in a --config file"
        mark = "=" if options[name].startswith("--option ") else " "
        return f"{options[name]}{mark}{_typed(given, value)}"

    return word


def _is_search_option(name: str) -> bool:
    """Tell whether a search has an option of this name."""
    from bnml.search.searches import SEARCHES

    return any(name in search.options for search in SEARCHES.values())


def _bins(given: Mapping[str, Any]) -> str:
    """Return bins by column as they are typed in a shell."""
    texts = {name: how if isinstance(how, str) else ",".join(f"{cut:g}" for cut in how) for name, how in given.items()}
    return " ".join(f"--bins {shlex.quote(f'{name}={how}')}" for name, how in texts.items())


def _value(text: str) -> Any:
    """Return the value that Python writes so; None for what it has no way to write."""
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return None


def _typed(value: Any, text: str) -> str:
    """Return a value as it is typed in a shell; ``text`` is how Python writes it."""
    if isinstance(value, str):
        return shlex.quote(value) if value.isprintable() else text
    if isinstance(value, list | tuple) and all(isinstance(item, str) and item.isprintable() for item in value):
        return shlex.quote(",".join(value))
    return text


@contextmanager
def links_said() -> Iterator[None]:
    """Let the error of a search that speaks of links to drop say --drop-link: --drop is about columns."""
    try:
        yield
    except ArgumentError as error:
        if error.argument != "drop":
            raise
        raise ArgumentError(error.text(in_options({"drop": "--drop-link"}))) from None
