"""Search options on the command line."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Annotated, Any

import typer

from bnml._text import shortened
from bnml.cli import options
from bnml.cli.constraints import link_of
from bnml.cli.options import names_in
from bnml.cli.reading import read_prior
from bnml.errors import ArgumentError
from bnml.scores.priors import StructurePrior
from bnml.search.forecast import METHODS
from bnml.search.options import SHARED
from bnml.search.searches import SEARCHES

OPTIONS = {"keep": "--keep", "drop": "--drop-link"}
FLAGS = {**OPTIONS, "class_variable": "--class", "alpha": "--significance"}
OF_SEARCHES = {"test": "--option test", "weight": "--option weight"}  # which are flags of other commands
IN_PYTHON = ("start", "executor")  # options whose values no text can give

_single = partial(typer.Option, rich_help_panel="Search-specific options")


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
Own = Annotated[
    list[str] | None,
    _single("--option", metavar="NAME=VALUE", help="Any other option of the search, such as restarts=10; repeatable."),
]
Verbose = Annotated[
    bool, typer.Option("--verbose", "-v", help="Show how it was found; k2: every parent that was tried.")
]


def _declared(name: str, flag: str, metavar: str, panel: str, parser: Callable[[str], Any] | None = None) -> Any:
    """Return a command-line option with the help text that is declared for it."""
    return typer.Option(flag, metavar=metavar, parser=parser, rich_help_panel=panel, help=SHARED[name].metadata["help"])


DEFAULTS: dict[str, Any] = {name: declared.default for name, declared in SHARED.items()}
KNOWLEDGE, COST = "Prior knowledge", "Resource limits"
MaxParents = Annotated[int | None, _declared("max_parents", "--max-parents", "K", KNOWLEDGE, options.parse_whole)]
RowsPerCell = Annotated[float, _declared("rows_per_cell", "--rows-per-cell", "R", KNOWLEDGE, options.parse_number)]
Prior = Annotated[str, _declared("prior", "--prior", "NAME", KNOWLEDGE)]
Seed = Annotated[int, _declared("seed", "--seed", "S", COST, options.parse_whole)]
Threads = Annotated[int | None, _declared("threads", "--threads", "T", COST, options.parse_whole)]
TimeLimit = Annotated[float | None, _declared("time_limit", "--time-limit", "S", COST, options.parse_seconds)]

SearchOptions = dict[str, Any]
Limits = dict[str, Any]
ArcPrior = str | StructurePrior


def search_limits(
    max_parents: MaxParents = DEFAULTS["max_parents"],
    rows_per_cell: RowsPerCell = DEFAULTS["rows_per_cell"],
    seed: Seed = DEFAULTS["seed"],
    threads: Threads = DEFAULTS["threads"],
    memory_limit: options.MemoryLimit = DEFAULTS["memory_limit"],
    time_limit: TimeLimit = DEFAULTS["time_limit"],
) -> Limits:
    """Return options shared by all searches, by their names in the library."""
    return {
        "max_parents": max_parents, "rows_per_cell": rows_per_cell, "seed": seed, "threads": threads,
        "memory_limit": memory_limit, "time_limit": time_limit,
    }  # fmt: skip


def structure_prior(prior: Prior = DEFAULTS["prior"], prior_links: options.PriorLinks = None) -> str | StructurePrior:
    """Return the structure prior that options name."""
    return read_prior(prior, prior_links)


def search_options(
    method: Method = None,
    order: Order = None,
    class_variable: ClassVariable = None,
    keep: Keep = None,
    drop_link: DropLink = None,
    option: Own = None,
) -> SearchOptions:
    """Return the options of single searches that were given on the command line, by their names in the library."""
    own = {"method": method, "order": order, "class_variable": class_variable, "keep": keep, "drop": drop_link}
    others = dict(_named_value(text, own) for text in option or ())
    return {name: value for name, value in own.items() if value not in (None, [])} | others


def _named_value(text: str, flags: Collection[str]) -> tuple[str, str]:
    """Return the name and the text of ``--option NAME=VALUE``, if the option has no flag of its own."""
    name, mark, value = (part.strip() for part in text.partition("="))
    given = f"--option {shortened(text, 60)!r}"
    if not mark or not name.isidentifier():
        raise ArgumentError(f"{given}: expected NAME=VALUE, such as restarts=10")
    if name in flags or name in SHARED or name == "alpha":
        raise ArgumentError(f"{given}: use {FLAGS.get(name, '--' + name.replace('_', '-'))}")
    if name in IN_PYTHON:
        raise ArgumentError(f"{given}: only Python code can give this option")
    return name, value


def typed_options(search: str, options: Mapping[str, Any]) -> SearchOptions:
    """Return the options of a search with values of the types that its function declares."""
    own = SEARCHES.get(search)
    if own is None:
        return dict(options)
    parameters = inspect.signature(own.run).parameters
    return {
        name: _typed(name, value, str(parameters[name].annotation))
        if isinstance(value, str) and name in parameters
        else value
        for name, value in options.items()
    }


def _typed(name: str, text: str, annotation: str) -> Any:
    """Return a text as a value of an annotated type; a text that is none of that type stays a text, to be refused."""
    if "None" in annotation and text.lower() == "none":
        return None
    if "bool" in annotation and text.lower() in ("true", "false"):
        return text.lower() == "true"
    for kind in (int, float):
        if kind.__name__ in annotation and re.fullmatch(r"[+-]?[0-9.]+(e[+-]?[0-9]+)?", text):
            with suppress(ValueError):
                return kind(text)
    return text


def search_option_values(options: Mapping[str, Any], names: Sequence[str]) -> dict[str, Any]:
    """Return options with their names of variables told apart."""
    values = dict(options)
    if "order" in values:
        values["order"] = list(names_in(values["order"], names))
    for name in ("keep", "drop"):
        if name in values:
            values[name] = [link_of(text, OPTIONS[name], names) for text in values[name]]
    return values
