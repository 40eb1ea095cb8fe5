"""What single searches take from the command line, and what they have to say."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bnml._text import facts, text_table
from bnml.cli import options
from bnml.cli.reading import check_read_variable
from bnml.errors import ArgumentError
from bnml.search.searches import SEARCHES

if TYPE_CHECKING:
    from bnml.search import SearchResult
    from bnml.search.k2 import Trial

__all__ = [
    "ClassVariable",
    "DropLink",
    "Keep",
    "Order",
    "Search",
    "Significance",
    "Verbose",
    "given_search_options",
    "search_details",
    "values_of",
]

OPTIONS = {
    "order": "--order",
    "class_variable": "--class",
    "alpha": "--significance",
    "keep": "--keep",
    "drop": "--drop-link",
}
# of the information of a search, what is shown elsewhere
SAID = ("trace", "reason", "local_optimum", "arc_gain", "rows_per_cell", "links_too_large")

_PANEL = "What single searches take"


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
    typer.Option(
        "--order", metavar="A,B,…", help="k2: all variables, parents before children.", rich_help_panel=_PANEL
    ),
]
ClassVariable = Annotated[
    str | None, typer.Option("--class", metavar="X", help="tan, naive: the class.", rich_help_panel=_PANEL)
]
Significance = Annotated[
    float | None,
    typer.Option(
        "--significance",
        metavar="0.05",
        parser=options.parse_level,
        help="pc, npc, polytree: the level of their tests.",
        rich_help_panel=_PANEL,
    ),
]
Keep = Annotated[
    list[str] | None,
    typer.Option(
        "--keep",
        metavar="A-B",
        help="npc: a link of an ambiguous region that stays; repeatable.",
        rich_help_panel=_PANEL,
    ),
]
DropLink = Annotated[
    list[str] | None,
    typer.Option(
        "--drop-link",
        metavar="A-B",
        help="npc: a link of an ambiguous region that goes; repeatable.",
        rich_help_panel=_PANEL,
    ),
]
Verbose = Annotated[
    bool, typer.Option("--verbose", "-v", help="Show how it was found; k2: every parent that was tried.")
]


def given_search_options(search: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options of a search that are given on the command line; refuse others, and miss what it needs.

    Parameters
    ----------
    search
        The search.
    given
        The options by their names in the library, None for those that are not given.
    """
    if search not in ("auto", *SEARCHES):
        return {}  # an unknown search is refused by those who know it
    own = SEARCHES.get(search)
    options = {name: value for name, value in given.items() if value is not None}
    for name in given:
        if name in options and (own is None or name not in own.options):
            others = " or ".join(other.name for other in SEARCHES.values() if name in other.options)
            raise ArgumentError(f"{OPTIONS[name]} goes with --search {others}, not with --search {search}")
        if name not in options and own is not None and name in own.needed:
            raise ArgumentError(f"--search {search} needs {OPTIONS[name]}")
    return options


def values_of(options: Mapping[str, Any], names: Sequence[str]) -> dict[str, Any]:
    """Return options with their names of variables told apart."""
    values = dict(options)
    if "order" in values:
        values["order"] = list(_names_in(values["order"], names))
    check_read_variable(values.get("class_variable"), "--class", names)
    return values


def _names_in(text: str, names: Sequence[str]) -> Iterator[str]:
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
