"""Options and arguments that commands share."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated

import typer

from bnml._text import shortened

__all__ = [
    "Bins",
    "Columns",
    "Config",
    "DataFile",
    "DataOrExample",
    "Drop",
    "Json",
    "Missing",
    "NaValues",
    "PriorNetwork",
    "ScoreName",
    "States",
    "Structure",
    "Weights",
    "whole",
]

TABLES = ".csv .tsv .csv.gz .parquet .arrow .feather .idt"
DataFile = Annotated[Path | None, typer.Argument(metavar="DATA", help=f"A table: {TABLES}")]
DataOrExample = Annotated[
    Path | None, typer.Argument(metavar="DATA", help=f"A table: {TABLES}; the bundled example without.")
]
Structure = Annotated[
    str, typer.Argument(metavar="STRUCTURE", help="A model string such as '[A][B|A]', or a network file.")
]
ScoreName = Annotated[
    str,
    typer.Option(
        "--score",
        metavar="NAME",
        help="The score: qnml, fnml, bic, aic, hqc, mdl, mdl+parents, loglik, k2, bdj; with a number that may be left "
        "out bd:1, bdeu:1, bds:1, bdq:0.5, and bde:1 with --prior-network; nml for forests.",
    ),
]
PriorNetwork = Annotated[
    Path | None, typer.Option("--prior-network", metavar="NET", help="The network file that --score bde starts from.")
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]

_PANEL = "How to read the data"
Columns = Annotated[
    str | None, typer.Option("--columns", metavar="A,B,…", help="Columns to keep.", rich_help_panel=_PANEL)
]
Drop = Annotated[
    str | None, typer.Option("--drop", metavar="A,B,…", help="Columns to leave out.", rich_help_panel=_PANEL)
]
Missing = Annotated[
    str | None,
    typer.Option("--missing", help="Missing values: error (the default), drop or state.", rich_help_panel=_PANEL),
]
NaValues = Annotated[
    str | None,
    typer.Option("--na-values", metavar="T,…", help="More texts for a missing value.", rich_help_panel=_PANEL),
]
States = Annotated[
    Path | None, typer.Option("--states", metavar="FILE.vd", help="File with the states.", rich_help_panel=_PANEL)
]
Bins = Annotated[
    str | None,
    typer.Option("--bins", help="How to cut numbers: mdl, width:3 or quantile:4.", rich_help_panel=_PANEL),
]
Weights = Annotated[
    str | None, typer.Option("--weights", metavar="COLUMN", help="Column of frequencies.", rich_help_panel=_PANEL)
]
Config = Annotated[
    Path | None,
    typer.Option("--config", metavar="FILE.toml", help="These options from a TOML file.", rich_help_panel=_PANEL),
]


def whole(given: str | int) -> int:
    """Return the whole number that a text is; a default is one already."""
    text = str(given)
    if not re.fullmatch(r"[+-]?[0-9]{1,1000}", text):
        raise typer.BadParameter(f"{shortened(text, 60)!r} is not a whole number")
    return int(text)
