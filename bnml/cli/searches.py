"""Search options on the command line."""

from __future__ import annotations

import inspect
import re
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import Field
from functools import partial
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer

import bnml
from bnml._text import shortened
from bnml.cli import options
from bnml.cli.constraints import link_of
from bnml.cli.options import names_in
from bnml.cli.reading import read_prior
from bnml.errors import ArgumentError
from bnml.scores import SCORES, Score
from bnml.scores.priors import DEFAULT_PRIOR, StructurePrior
from bnml.search.forecast import METHODS
from bnml.search.options import KNOWLEDGE, SHARED
from bnml.search.searches import SEARCHES

OPTIONS = {"keep": "--keep", "drop": "--drop-link"}
FLAGS = {**OPTIONS, "class_variable": "--class", "alpha": "--significance"}
OF_SEARCHES = {"test": "--option test", "weight": "--option weight"}  # which are flags of other commands
IN_PYTHON = ("start", "executor")  # options whose values no text can give

_single = partial(typer.Option, rich_help_panel="Search-specific options")


def search_names() -> list[str]:
    """Return the names of the searches, for shells that complete them."""
    return ["auto", *SEARCHES]


def score_names() -> list[str]:
    """Return the names of the scores, for shells that complete them."""
    return [*SCORES, "mdl+parents", "bde", "nml"]


ScoreName = Annotated[
    str,
    typer.Option(
        "--score",
        metavar="NAME",
        autocompletion=score_names,
        help=f"The score: {', '.join(score_names())}; a parameter may follow a colon, as in bdeu:10; bde goes with "
        "--prior-network, nml is for forests and complete parts.",
    ),
]
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


def shared_option(name: str, declared: Field[Any]) -> inspect.Parameter:
    """Return an option of the command line for one that all searches share."""
    kind = str(declared.type).partition(" | None")[0]  # as it is written there
    option = typer.Option(
        f"--{name.replace('_', '-')}", metavar=declared.metadata["metavar"], help=declared.metadata["help"],
        rich_help_panel=declared.metadata["panel"], parser=PARSERS.get(kind),
    )  # fmt: skip
    return inspect.Parameter(
        name, inspect.Parameter.KEYWORD_ONLY, default=declared.default, annotation=Annotated[str | None, option]
    )


PARSERS = {"int": options.parse_whole, "float": options.parse_number}
LIMITS = {name: shared_option(name, one) for name, one in SHARED.items() if one.metadata["metavar"] is not None}
"""Options shared by all searches, as those of the command line: all whose values are texts or numbers."""

SearchOptions = dict[str, Any]
Limits = dict[str, Any]
ArcPrior = str | StructurePrior
Prior = Annotated[
    str,
    typer.Option("--prior", metavar="NAME", help=SHARED["prior"].metadata["help"], rich_help_panel=KNOWLEDGE),
]


def structure_prior(prior: Prior = DEFAULT_PRIOR, prior_links: options.PriorLinks = None) -> str | StructurePrior:
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


def read_score(name: str, prior_network: Path | None) -> Score:
    """Return the score that an option names; for ``bde`` the file of the prior network is read."""
    kind, colon, ess = name.partition(":")
    if kind != "bde":
        if prior_network is not None:
            raise ArgumentError(f"--prior-network goes with --score bde only, not with --score {name}")
        return bnml.scores.parse_score(name)
    if prior_network is None:
        raise ArgumentError(f"--score {name} needs --prior-network NET, the network file to start from")
    if colon and not ess:
        raise ArgumentError(f"--score {name}: nothing follows the colon")
    network = bnml.load(prior_network)
    return bnml.scores.BDe(network, ess or 1)  # type: ignore[arg-type]  # a text that is no number is refused there


class ChosenScore(NamedTuple):
    """A score, and the name that it was asked for by."""

    name: str
    score: Score


def read_chosen_score(score: ScoreName = "qnml", prior_network: options.PriorNetwork = None) -> ChosenScore:
    """Read the score that the options name."""
    return ChosenScore(score, read_score(score, prior_network))
