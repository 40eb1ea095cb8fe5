"""How the command line says what the library says of its arguments."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from bnml.errors import ABSENT, ArgumentError, Named, shorten_value

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


def in_options(own: Mapping[str, str]) -> Callable[[Named], str]:
    """Return how arguments are spelled on the command line; see `bnml.errors.Phrase.spelled`.

    Parameters
    ----------
    own
        What the command says otherwise than `OPTIONS`.

    Examples
    --------
    >>> spell = in_options({"k": "--top"})
    >>> spell(Named("samples", 3)), spell(Named("missing", "drop")), spell(Named("columns")), spell(Named("k", 0))
    ('--samples 3', '--missing drop', '--columns or --drop', '--top 0')
    >>> spell(Named("of", "dag")), spell(Named("network.impute()"))
    ("of='dag'", 'bnml impute')
    """
    shared = getattr(sys.modules.get("bnml.cli.searches"), "LIMITS", ())  # loaded by the commands that have them
    options = {name: f"--{name.replace('_', '-')}" for name in shared} | {**OPTIONS, **COMMANDS, **own}

    def spell(named: Named) -> str:
        name, value, bare = named.name, named.value, named.value is ABSENT
        if name not in options:
            if _is_search_option(name):
                return f"--option {name}" if bare else f"--option {name}={_typed(value)}"
            return name if bare else f"{name}={named.shown}"
        if bare:
            return CHOICE.get(name, options[name])
        if isinstance(value, dict):
            return _bins(value) if name == "bins" else f"[{name}] in a --config file"
        mark = "=" if options[name].startswith("--option ") else " "
        return f"{options[name]}{mark}{_typed(value)}"

    return spell


def _is_search_option(name: str) -> bool:
    """Tell whether a search has an option of this name."""
    from bnml.search.searches import SEARCHES

    return any(name in search.options for search in SEARCHES.values())


def _bins(given: Mapping[str, Any]) -> str:
    """Return bins by column as they are typed in a shell."""
    texts = {name: how if isinstance(how, str) else ",".join(f"{cut:g}" for cut in how) for name, how in given.items()}
    return " ".join(f"--bins {shlex.quote(f'{name}={how}')}" for name, how in texts.items())


def _typed(value: Any) -> str:
    """Return a value as it is typed in a shell, or as Python writes it, shortened if it is long."""
    text = repr(value)
    if isinstance(value, str) and value.isprintable():
        text = shlex.quote(value)
    elif isinstance(value, list | tuple) and all(isinstance(item, str) and item.isprintable() for item in value):
        text = shlex.quote(",".join(value))
    return shorten_value(text)


@contextmanager
def links_said() -> Iterator[None]:
    """Let the error of a search that speaks of links to drop say --drop-link: --drop is about columns."""
    try:
        yield
    except ArgumentError as error:
        if error.argument != "drop":
            raise
        raise ArgumentError(error.text(in_options({"drop": "--drop-link"}))) from None
