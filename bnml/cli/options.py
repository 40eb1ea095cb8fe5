"""Options and arguments that commands share."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from bnml._text import shortened
from bnml.errors import ArgumentError

TABLES = ".csv .tsv .txt .csv.gz .parquet .arrow .feather .xlsx .idt, - for standard input, a folder or pattern of "
TABLES += "Parquet files, or an address such as duckdb://FILE?table=T"
DataFile = Annotated[str | None, typer.Argument(metavar="DATA", help=f"A table: {TABLES}")]
DataOrExample = Annotated[
    str | None, typer.Argument(metavar="DATA", help=f"A table: {TABLES}; the bundled example without.")
]
Structure = Annotated[
    str, typer.Argument(metavar="STRUCTURE", help="A model string such as '[A][B|A]', or a network file.")
]
PriorNetwork = Annotated[
    Path | None, typer.Option("--prior-network", metavar="NET", help="The network file that --score bde starts from.")
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]


def parse_whole(given: str | int) -> int:
    """Parse an option that is a whole number; a default is one already."""
    text = str(given)
    if not re.fullmatch(r"[+-]?[0-9]{1,1000}", text):
        raise typer.BadParameter(f"{shortened(text, 60)!r} is not a whole number")
    return int(text)


whole_number = partial(typer.Option, parser=parse_whole)


def parse_names(text: str, option: str) -> list[str]:
    """Parse an option that lists names, separated by commas."""
    names = [name.strip() for name in text.split(",")]
    if not all(names):
        raise ArgumentError(f"{option} {text!r}: expected names separated by commas")
    return names


def parse_level(text: str) -> float:
    """Parse an option that is a significance level."""
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0.0 < value < 1.0:
        raise typer.BadParameter(f"{shortened(text, 60)!r} is not a number between 0 and 1")
    return value


def parse_number(given: str | float) -> float:
    """Parse an option that is a number; a default is one already."""
    try:
        number = float(given)
    except ValueError:
        raise typer.BadParameter(f"{shortened(str(given), 60)!r} is not a number") from None
    return int(number) if number % 1 == 0 else number


_reading = partial(typer.Option, rich_help_panel="How to read the data")
Columns = Annotated[str | None, _reading("--columns", metavar="A,B,…", help="Columns to keep.")]
Drop = Annotated[str | None, _reading("--drop", metavar="A,B,…", help="Columns to leave out.")]
Missing = Annotated[str | None, _reading("--missing", help="Missing values: error (the default), drop, state or em.")]
NaValues = Annotated[str | None, _reading("--na-values", metavar="T,…", help="More texts for a missing value.")]
States = Annotated[Path | None, _reading("--states", metavar="FILE.vd", help="File with the states.")]
Bins = Annotated[
    list[str] | None,
    _reading(
        "--bins",
        metavar="[A=]HOW",
        help="How to cut numbers: auto, target:B, mdl, width:3 or quantile:4, of one column A=40,60 too; repeatable.",
    ),
]
Weights = Annotated[str | None, _reading("--weights", metavar="COLUMN", help="Column of frequencies.")]
Interventions = Annotated[
    str | None,
    _reading("--interventions", metavar="COLUMN", help="Column that names what was set in each row, A;B for several."),
]
Counting = Annotated[
    str | None,
    _reading("--counting", metavar="HOW", help="Of a table in an engine: compress (fetch distinct rows), push, auto."),
]
Config = Annotated[Path | None, _reading("--config", metavar="FILE.toml", help="These options from a TOML file.")]

_known = partial(typer.Option, rich_help_panel="Prior knowledge")
Require = Annotated[
    list[str] | None, _known("--require", metavar="'A>B'", help="An arc that must be there; repeatable.")
]
Forbid = Annotated[list[str] | None, _known("--forbid", metavar="'A>B'", help="An arc that must not; repeatable.")]
RequireLink = Annotated[list[str] | None, _known("--require-link", metavar="A-B", help="The same in either direction.")]
ForbidLink = Annotated[list[str] | None, _known("--forbid-link", metavar="A-B", help="The same in either direction.")]
Tiers = Annotated[
    str | None, _known("--tiers", metavar="'A,B|C'", help="Groups; no arc leads from a later to an earlier.")
]
StructurePriorName = Annotated[
    str,
    _known(
        "--structure-prior",
        metavar="NAME",
        help="Structure prior that --prior is multiplied by: uniform, or sparse (one expected parent per variable).",
    ),
]
PriorLinks = Annotated[
    Path | None,
    _known("--prior-links", metavar="FILE.csv", help="Prior probabilities of links: a, b, probability."),
]

FILES = "What to write"
Plots = Annotated[
    list[Path] | None,
    typer.Option("--plot", metavar="FILE", help="A picture: .png .svg .pdf; repeatable.", rich_help_panel=FILES),
]

_cost = partial(typer.Option, rich_help_panel="Resource limits")
Seed = Annotated[int, _cost("--seed", metavar="S", parser=parse_whole, help="Random seed.")]
MemoryLimit = Annotated[
    str | None,
    _cost("--memory-limit", metavar="8GB", help="Memory limit (default: most of the available memory)."),
]


def names_in(text: str, names: Sequence[str]) -> Iterator[str]:
    """Yield the names in an option, separated by commas; of names that hold commas themselves the longest that fits."""
    known = {name.strip(): name for name in names}
    most = max(name.count(",") for name in names) + 1
    pieces = text.split(",")
    while pieces:
        lengths = [k for k in range(most, 0, -1) if ",".join(pieces[:k]).strip() in known]
        length = lengths[0] if lengths else 1
        name = ",".join(pieces[:length]).strip()
        yield known.get(name, name)
        pieces = pieces[length:]
