"""What the commands share: options for data, structures, and output."""

from __future__ import annotations

import inspect
import json
import re
import sys
import tomllib
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

import bnml
from bnml._plain import plain
from bnml._text import number_of, shortened
from bnml.data.example import example_path
from bnml.errors import ArgumentError, DataError, did_you_mean, quoted

if TYPE_CHECKING:
    from rich.console import Console

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
    "TableReader",
    "Weights",
    "console",
    "names_of",
    "print_json",
    "read_data",
    "reads_a_table",
    "score_of",
    "settings_of",
    "size_of",
    "speaks_unicode",
    "structure_of",
    "summary_of",
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

_CONFIG_KEYS = {
    "columns": "a list of texts",
    "drop": "a list of texts",
    "missing": "a text",
    "na_values": "a list of texts",
    "states": "a text or a table",
    "bins": "a text or a table",
    "weights": "a text",
    "required": "a list of lists of texts",
    "forbidden": "a list of lists of texts",
    "required_links": "a list of lists of texts",
    "forbidden_links": "a list of lists of texts",
    "tiers": "a list of lists of texts",
}

TableReader = Callable[[], bnml.Data]


def reads_a_table(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options of `read_data` in place of its parameter ``table``, which is called to read.

    An option that the command has itself as well, such as ``config``, goes to both.
    """
    options = inspect.signature(read_data, eval_str=True).parameters
    own = inspect.signature(command, eval_str=True).parameters
    parameters: dict[str, inspect.Parameter] = {}
    for name, parameter in own.items():
        others = {option: options[option] for option in options if option not in own}
        parameters |= others if name == "table" else {name: parameter}

    def run(**given: Any) -> None:
        reading = {name: given[name] if name in own else given.pop(name) for name in options}
        command(table=lambda: read_data(**reading), **given)

    run.__doc__ = command.__doc__
    run.__annotations__ = {name: parameter.annotation for name, parameter in parameters.items()}
    run.__signature__ = inspect.Signature(  # type: ignore[attr-defined]  # read by `inspect.signature`
        [parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY) for parameter in parameters.values()]
    )
    return run


def read_data(
    data: DataFile,
    columns: Columns = None,
    drop: Drop = None,
    missing: Missing = None,
    na_values: NaValues = None,
    states: States = None,
    bins: Bins = None,
    weights: Weights = None,
    config: Config = None,
) -> bnml.Data:
    """Read a table as the options say; what the command line leaves open comes from the TOML file."""
    given = settings_of(config)
    kept = names_of(columns, "--columns") if columns else given.get("columns")
    dropped = names_of(drop, "--drop") if drop else given.get("drop") or []
    arguments: dict[str, Any] = {
        "missing": missing or given.get("missing", "error"),
        "na_values": names_of(na_values, "--na-values") if na_values else given.get("na_values", ()),
        "states": states or given.get("states"),
        "bins": bins or given.get("bins"),
        "weights": weights or given.get("weights"),
    }
    with nullcontext(data) if data is not None else resources.as_file(example_path()) as path:
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


def settings_of(path: Path | None) -> Mapping[str, Any]:
    """Return the settings of a TOML file, checked; none without a file."""
    if path is None:
        return {}
    try:
        settings = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ArgumentError(f"--config: cannot read {str(path)!r}: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ArgumentError(f"--config: {str(path)!r} is not TOML: {error}") from None
    for key, value in settings.items():
        if key not in _CONFIG_KEYS:
            raise ArgumentError(
                f"--config: {str(path)!r} has an unknown key {key!r}; the keys are {quoted(_CONFIG_KEYS, most=20)}."
                f"{did_you_mean(key, _CONFIG_KEYS)}"
            )
        expected = _CONFIG_KEYS[key]
        if expected == "a list of texts" and isinstance(value, str):
            settings[key] = value = [value]
        if not any(kind in expected for kind in _kinds(value)):
            raise ArgumentError(
                f"--config: {str(path)!r} has {key} = {shortened(repr(value), 60)}; it must be {expected}"
            )
    return settings


def _kinds(value: Any) -> list[str]:
    """Return what a value of a TOML file is, in the words of the keys."""
    if isinstance(value, list):
        texts = all(isinstance(item, str) for item in value)
        lists = all("a list of texts" in _kinds(item) for item in value)
        return ["a list of texts"] * texts + ["a list of lists of texts"] * lists
    return ["a text"] if isinstance(value, str) else ["a table"] if isinstance(value, dict) else []


def names_of(text: str, option: str) -> list[str]:
    """Return the names in a list separated by commas."""
    names = [name.strip() for name in text.split(",")]
    if not all(names):
        raise ArgumentError(f"{option} {text!r}: expected names separated by commas")
    return names


def whole(given: str | int) -> int:
    """Return the whole number that a text is; a default is one already."""
    text = str(given)
    if not re.fullmatch(r"[+-]?[0-9]{1,1000}", text):
        raise typer.BadParameter(f"{shortened(text, 60)!r} is not a whole number")
    return int(text)


def structure_of(text: str) -> bnml.DAG:
    """Return the graph of a model string or of a network file."""
    if text.lstrip().startswith("["):
        return bnml.DAG.parse(text)
    from bnml.network.files import FORMATS

    if not text.lower().endswith(tuple(FORMATS)):
        raise ArgumentError(
            f"STRUCTURE {shortened(text, 60)!r} is neither a model string such as '[A][B|A]' nor a network file "
            f"({' '.join(FORMATS)})"
        )
    return bnml.load(text).dag


def score_of(name: str, prior_network: Path | None) -> bnml.scores.Score:
    """Return the score of a name; ``bde`` takes a prior network, and the others do not."""
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


def size_of(network: bnml.BayesianNetwork) -> str:
    """Return the size of a network in words."""
    sizes = (len(network.names), "variable"), (len(network.dag.arcs), "arc"), (network.n_parameters, "parameter")
    return ", ".join(number_of(n, word) for n, word in sizes)


def summary_of(network: bnml.BayesianNetwork, file: Path) -> dict[str, Any]:
    """Return what was written to a file as plain values."""
    return {
        "file": str(file),
        "variables": len(network.names),
        "arcs": [list(arc) for arc in network.dag.arcs],
        "parameters": network.n_parameters,
    }


def print_json(values: Mapping[str, Any]) -> None:
    """Print one JSON object; numbers that JSON does not have become null."""
    print(json.dumps(plain(values), ensure_ascii=not speaks_unicode()))


def speaks_unicode() -> bool:
    """Return whether standard output can show any letter."""
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    return encoding.lower().replace("-", "").startswith("utf")


def console() -> Console:
    """Return where reports are printed: standard output, coloured only on a terminal."""
    from rich.console import Console

    return Console(highlight=False, soft_wrap=False)
