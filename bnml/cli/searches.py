"""What single searches take from the command line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Annotated, Any

import typer

from bnml.cli import options
from bnml.cli.constraints import link_of
from bnml.cli.options import names_in
from bnml.search.forecast import METHODS
from bnml.search.searches import SEARCHES

__all__ = [
    "Search",
    "SearchOptions",
    "Significance",
    "Verbose",
    "search_names",
    "search_option_values",
    "search_options",
]

OPTIONS = {"keep": "--keep", "drop": "--drop-link"}

_single = partial(typer.Option, rich_help_panel="What single searches take")


def search_names() -> list[str]:
    """Return the names of the searches, for shells that complete them."""
    return ["auto", *SEARCHES]


Search = Annotated[
    str,
    typer.Option(
        "--search",
        metavar="NAME",
        autocompletion=search_names,
        help=f"The search: {', '.join(('auto', *SEARCHES))}.",
    ),
]
Order = Annotated[
    str | None,
    _single("--order", metavar="A,B,…", help="k2: all variables, parents before children."),
]
ClassVariable = Annotated[str | None, _single("--class", metavar="X", help="tan, naive: the class.")]
Method = Annotated[
    str | None,
    _single(
        "--method",
        metavar="WAY",
        autocompletion=lambda: list(METHODS),
        help="exact: lattice (all subsets, some thirty variables), cuts (listed families, any number; the best so far "
        "and how far it can be from the best, if time is over), auto.",
    ),
]
Significance = Annotated[
    float | None,
    _single(
        "--significance",
        metavar="0.05",
        parser=options.parse_level,
        help="pc, npc, polytree: the level of their tests.",
    ),
]
Keep = Annotated[
    list[str] | None,
    _single("--keep", metavar="A-B", help="npc: a link of an ambiguous region that stays; repeatable."),
]
DropLink = Annotated[
    list[str] | None,
    _single("--drop-link", metavar="A-B", help="npc: a link of an ambiguous region that goes; repeatable."),
]
Verbose = Annotated[
    bool, typer.Option("--verbose", "-v", help="Show how it was found; k2: every parent that was tried.")
]


SearchOptions = dict[str, Any]


def search_options(
    method: Method = None,
    order: Order = None,
    class_variable: ClassVariable = None,
    keep: Keep = None,
    drop_link: DropLink = None,
) -> SearchOptions:
    """Return the options of single searches that were given on the command line, by their names in the library."""
    own = {"method": method, "order": order, "class_variable": class_variable, "keep": keep, "drop": drop_link}
    return {name: value for name, value in own.items() if value not in (None, [])}


def search_option_values(options: Mapping[str, Any], names: Sequence[str]) -> dict[str, Any]:
    """Return options with their names of variables told apart."""
    values = dict(options)
    if "order" in values:
        values["order"] = list(names_in(values["order"], names))
    for name in ("keep", "drop"):
        if name in values:
            values[name] = [link_of(text, OPTIONS[name], names) for text in values[name]]
    return values
