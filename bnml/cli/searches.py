"""What single searches take from the command line, and what they have to say."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bnml._text import facts, text_table
from bnml.cli import options
from bnml.cli.constraints import link_of
from bnml.cli.error_words import in_options
from bnml.errors import ArgumentError
from bnml.search.forecast import METHODS
from bnml.search.searches import SEARCHES

if TYPE_CHECKING:
    from bnml.search import SearchResult
    from bnml.search.k2 import Trial

__all__ = [
    "ClassVariable",
    "DropLink",
    "Keep",
    "Method",
    "Order",
    "Search",
    "Significance",
    "Verbose",
    "given_options",
    "links_said",
    "names_in",
    "search_details",
    "values_of",
]

OPTIONS = {"keep": "--keep", "drop": "--drop-link"}
# of the information of a search, what is shown elsewhere
SAID = ("trace", "reason", "local_optimum", "arc_gain", "rows_per_cell", "links_too_large")

_single = partial(typer.Option, rich_help_panel="What single searches take")
Search = Annotated[
    str,
    typer.Option(
        "--search",
        metavar="NAME",
        autocompletion=options.search_names,
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
        "and how far it can be from the best with --time-limit 60), auto.",
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


def given_options(**own: Any) -> dict[str, Any]:
    """Return the options of single searches that were given on the command line."""
    return {name: value for name, value in own.items() if value not in (None, [])}


def values_of(options: Mapping[str, Any], names: Sequence[str]) -> dict[str, Any]:
    """Return options with their names of variables told apart."""
    values = dict(options)
    if "order" in values:
        values["order"] = list(names_in(values["order"], names))
    for name in ("keep", "drop"):
        if name in values:
            values[name] = [link_of(text, OPTIONS[name], names) for text in values[name]]
    return values


@contextmanager
def links_said() -> Iterator[None]:
    """Say --drop-link where a search speaks of links to drop: --drop is about columns."""
    try:
        yield
    except ArgumentError as error:
        if error.argument != "drop":
            raise
        raise ArgumentError(error.text(in_options(OPTIONS))) from None


def names_in(text: str, names: Sequence[str]) -> Iterator[str]:
    """Yield the names in a text, separated by commas; of names that hold commas themselves the longest that fits."""
    known = {name.strip(): name for name in names}
    most = max(name.count(",") for name in names) + 1
    pieces = text.split(",")
    while pieces:
        lengths = [k for k in range(most, 0, -1) if ",".join(pieces[:k]).strip() in known]
        length = lengths[0] if lengths else 1
        name = ",".join(pieces[:length]).strip()
        yield known.get(name, name)
        pieces = pieces[length:]


def search_details(result: SearchResult) -> str:
    """Return what the command line prints of a search's own way, and its steps if it lists them, in 80 columns."""
    told = {key.replace("_", " "): _text(value) for key, value in result.info.items() if key not in SAID}
    lines = facts(told.items(), max(map(len, told), default=0) + 2)
    trials = result.info.get("trace")
    return "\n".join(["How it was found:", *lines]) + (f"\n\n{_steps(trials)}" if trials else "")


def _text(value: Any) -> str:
    if isinstance(value, list | tuple):
        return ", ".join(" - ".join(item) if isinstance(item, tuple) else str(item) for item in value) or "none"
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _steps(trials: Sequence[Trial]) -> str:
    """Return each parent that was tried as a line of a table."""
    head = ("child", "parents so far", "tried", "gain", "")
    rows = [[t.child, ", ".join(t.parents), t.candidate, f"{t.gain:,.3f}", "*" * t.taken] for t in trials]
    lines = text_table(rows, "swsrl", head, ruled=True)
    return "\n".join(["Parents that were tried; those with * were taken:", "", *lines])
