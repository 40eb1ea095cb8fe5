"""What the commands share: options for data, structures, and output."""

from __future__ import annotations

import json
import math
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

import bnml
from bnml.errors import ArgumentError, DataError, did_you_mean, quoted

if TYPE_CHECKING:
    from rich.console import Console

__all__ = [
    "Bins",
    "Columns",
    "Config",
    "DataFile",
    "Drop",
    "Json",
    "Missing",
    "NaValues",
    "ScoreName",
    "States",
    "Structure",
    "Weights",
    "console",
    "names_of",
    "print_json",
    "read_data",
    "shorten",
    "size_of",
    "structure_of",
    "whole",
]

DataFile = Annotated[
    Path, typer.Argument(metavar="DATA", help="A table: .csv .tsv .csv.gz .parquet .arrow .feather .idt")
]
Structure = Annotated[
    str, typer.Argument(metavar="STRUCTURE", help="A model string such as '[A][B|A]', or a network file.")
]
ScoreName = Annotated[str, typer.Option("--score", help="The score: qnml, bic, bdeu:10, fnml, … (see docs/scores.md).")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]

_PANEL = "How to read the data"
Columns = Annotated[
    str | None, typer.Option("--columns", metavar="A,B,…", help="Columns to keep.", rich_help_panel=_PANEL)
]
Drop = Annotated[
    str | None, typer.Option("--drop", metavar="A,B,…", help="Columns to leave out.", rich_help_panel=_PANEL)
]
Missing = Annotated[
    str, typer.Option("--missing", help="Missing values: error, drop or state.", rich_help_panel=_PANEL)
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

_CONFIG_KEYS = ("columns", "drop", "missing", "na_values", "states", "bins", "weights")


def read_data(
    path: Path,
    *,
    columns: str | None = None,
    drop: str | None = None,
    missing: str = "error",
    na_values: str | None = None,
    states: Path | None = None,
    bins: str | None = None,
    weights: str | None = None,
    config: Path | None = None,
) -> bnml.Data:
    """Read a table as the options say; what the command line leaves open comes from the TOML file."""
    given = _config(config)
    kept = names_of(columns, "--columns") if columns else given.get("columns")
    dropped = names_of(drop, "--drop") if drop else given.get("drop") or []
    arguments: dict[str, Any] = {
        "missing": missing if missing != "error" else given.get("missing", "error"),
        "na_values": names_of(na_values, "--na-values") if na_values else given.get("na_values", ()),
        "states": states or given.get("states"),
        "bins": bins or given.get("bins"),
        "weights": weights or given.get("weights"),
    }
    if dropped:
        kept = _without(path, kept, dropped)
    return bnml.read(path, columns=kept, **arguments)


def _without(path: Path, kept: Sequence[str] | None, dropped: Sequence[str]) -> list[str]:
    from bnml.data.sources import column_names

    every = list(kept) if kept is not None else list(column_names(path))
    for name in dropped:
        if name not in every:
            raise DataError(
                f"--drop: there is no column {name!r}; the columns are {quoted(every)}.{did_you_mean(name, every)}"
            )
    left = [name for name in every if name not in dropped]
    if not left:
        raise DataError("--drop leaves no columns")
    return left


def _config(path: Path | None) -> Mapping[str, Any]:
    if path is None:
        return {}
    try:
        settings = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ArgumentError(f"--config: cannot read {str(path)!r}: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ArgumentError(f"--config: {str(path)!r} is not TOML: {error}") from None
    for key in settings:
        if key not in _CONFIG_KEYS:
            raise ArgumentError(
                f"--config: {str(path)!r} has an unknown key {key!r}; the keys are {quoted(_CONFIG_KEYS, most=20)}."
                f"{did_you_mean(key, _CONFIG_KEYS)}"
            )
    return settings


def names_of(text: str, option: str) -> list[str]:
    """Return the names in a list separated by commas."""
    names = [name.strip() for name in text.split(",")]
    if not all(names):
        raise ArgumentError(f"{option} {text!r}: expected names separated by commas")
    return names


def whole(text: str) -> int:
    """Return the whole number that a text is."""
    try:
        return int(text)
    except ValueError:
        raise typer.BadParameter(f"{text!r} is not a whole number") from None


def structure_of(text: str) -> bnml.DAG:
    """Return the graph of a model string or of a network file."""
    if text.lstrip().startswith("["):
        return bnml.DAG.parse(text)
    if not Path(text).exists() and not Path(text).suffix:
        raise ArgumentError(f"STRUCTURE {text!r} is neither a model string such as '[A][B|A]' nor a network file")
    return bnml.load(text).dag


def shorten(text: str, width: int) -> str:
    """Return a text of at most some width, on one line."""
    line = text if text.isprintable() else repr(text)[1:-1]
    return line if len(line) <= width else line[: width - 1] + "…"


def size_of(network: bnml.BayesianNetwork) -> str:
    """Return the size of a network in words."""
    sizes = (len(network.names), "variable"), (len(network.dag.arcs), "arc"), (network.n_parameters, "parameter")
    return ", ".join(f"{n:,} {word}{'s' if n != 1 else ''}" for n, word in sizes)


def print_json(values: Mapping[str, Any]) -> None:
    """Print one JSON object; numbers that JSON does not have become null."""
    print(json.dumps(_plain(values), ensure_ascii=False))


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if value is None or isinstance(value, bool | int | str) else str(value)


def console() -> Console:
    """Return where reports are printed: standard output, coloured only on a terminal."""
    from rich.console import Console

    return Console(highlight=False, soft_wrap=False)
