"""From the texts of a command line to tables, structures and scores."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

import bnml
from bnml._text import shortened
from bnml.cli.options import (
    Bins,
    Columns,
    Config,
    Counting,
    DataFile,
    Drop,
    Interventions,
    MemoryLimit,
    Missing,
    NaValues,
    States,
    Structure,
    Weights,
    parse_names,
)
from bnml.cli.settings import read_settings
from bnml.data.example import example_path
from bnml.data.overview import TableOverview, overview
from bnml.data.read_arguments import OTHERS
from bnml.data.read_like import read_like
from bnml.errors import ArgumentError

if TYPE_CHECKING:
    from bnml.five_steps.table_source import TableSource

ALWAYS_TOLD = ("data", "weights", "interventions", "counting", "memory_limit")  # whatever a network's file says
TableReader = Callable[..., bnml.Data]
SourceMaker = Callable[..., "TableSource"]
StructuredTable = Callable[[], tuple[bnml.DAG, bnml.Data]]
TableLook = Callable[..., tuple[TableOverview, dict[str, Any]]]


def table_to_read(
    data: DataFile,
    columns: Columns = None,
    drop: Drop = None,
    missing: Missing = None,
    na_values: NaValues = None,
    states: States = None,
    bins: Bins = None,
    weights: Weights = None,
    interventions: Interventions = None,
    counting: Counting = None,
    memory_limit: MemoryLimit = None,
    config: Config = None,
) -> tuple[AbstractContextManager[str | Path], dict[str, Any]]:
    """Return the table to be read and the arguments of `bnml.read`; the TOML file has what options leave open."""
    given = read_settings(config)
    arguments = {
        "columns": parse_names(columns, "--columns") if columns else given.get("columns"),
        "drop": parse_names(drop, "--drop") if drop else given.get("drop") or [],
        "missing": missing or given.get("missing", "error"),
        "na_values": parse_names(na_values, "--na-values") if na_values else given.get("na_values", ()),
        "states": states or given.get("states"),
        "bins": _all_bins(bins or (), given.get("bins")),
        "weights": weights or given.get("weights"),
        "interventions": interventions or given.get("interventions"),
        "counting": counting or given.get("counting", "auto"),
        "memory_limit": memory_limit,
    }
    return nullcontext[str | Path](data) if data is not None else resources.as_file(example_path()), arguments


def _all_bins(options: Sequence[str], given: str | Mapping[str, Any] | None) -> str | Mapping[str, Any] | None:
    """Return the bins of the options and of the file, whose bins hold for columns that no option is about."""
    own = parse_bins_options(options)
    known = {OTHERS: given} if isinstance(given, str) else dict(given or {})
    both = {**known, **own}
    return both[OTHERS] if set(both) == {OTHERS} else both or None


def parse_bins_options(texts: Sequence[str]) -> dict[str, Any]:
    """Parse what ``--bins`` says of how to read columns, by name; of all other columns by `OTHERS`.

    A name may hold ``=`` itself: what stands behind the last one that bins follow is how to cut.

    Examples
    --------
    >>> parse_bins_options(["age=40,60", "bmi=quantile:3", "auto"])
    {'age': [40.0, 60.0], 'bmi': 'quantile:3', '*': 'auto'}
    """
    found: dict[str, Any] = {}
    for text in texts:
        name, how = _named_bins(text)
        if name in found:
            whose = "all columns" if name == OTHERS else f"column {name!r}"
            raise ArgumentError(f"--bins {shortened(text, 60)}: {whose} had bins already, {found[name]}")
        found[name] = how
    return found


def _named_bins(text: str) -> tuple[str, Any]:
    """Return the column that an option is about, and how to cut it."""
    places = [i for i, letter in enumerate(text) if letter == "="]
    for i in reversed(places):
        how = text[i + 1 :].strip()
        if re.fullmatch(r"auto|mdl|(width|quantile):.*|target:.+", how):
            return text[:i].strip(), how
        try:
            return text[:i].strip(), [float(cut) for cut in how.split(",")]
        except ValueError:
            continue
    if places and not text.startswith("target:"):
        raise ArgumentError(
            f"--bins {shortened(text, 60)}: expected bins after '=', such as age=auto, age=quantile:4 or age=40,60"
        )
    return OTHERS, text


def read_table(
    given: Mapping[str, Any],
    *,
    like: bnml.BayesianNetwork | None = None,
    other_bins: str | None = None,
    **changed: Any,
) -> bnml.Data:
    """Read a table as the options say, and where they say nothing as that of a network was read.

    Parameters
    ----------
    given
        The options.
    like
        A network of a file, whose variables are the columns that are read; if it knows how its table was read, it is
        taken in the same way.
    other_bins
        The bins of columns of which neither the options nor the file say anything.
    changed
        What goes before the options.
    """
    options = {**given, **changed}
    opened, arguments = table_to_read(**options)
    bins = arguments["bins"]
    if like is None:
        with opened as path:
            return bnml.read(path, **_with_bins(arguments, other_bins))
    told = {name for name, value in options.items() if value and name not in ALWAYS_TOLD}
    if "config" in told:
        told |= set(read_settings(options["config"])) & {"columns", "drop", "missing", "na_values", "states", "bins"}
        told.remove("config")
    with opened as path:
        if not told and like.reading.missing is not None:
            own = {name: arguments[name] for name in ("weights", "interventions", "memory_limit")}
            return read_like(path, like.states, like.cuts, like.reading, **own)
        if not told & {"columns", "drop"}:
            arguments["columns"] = list(like.names)
        if "missing" not in told:
            arguments["missing"] = like.reading.missing or "error"
        if "na_values" not in told:
            arguments["na_values"] = like.reading.na_values
        known = arguments["columns"] or like.names
        cuts = {x: list(points) for x, points in like.cuts.items() if x in known and x not in arguments["drop"]}
        arguments["bins"] = bins if isinstance(bins, str) else {**cuts, **(bins or {})} or None
        return bnml.read(path, **arguments)


def _with_bins(arguments: dict[str, Any], others: str | None) -> dict[str, Any]:
    """Return arguments of `bnml.read` with bins for columns of which they say nothing."""
    bins = arguments["bins"]
    return (
        arguments
        if others is None or isinstance(bins, str)
        else {**arguments, "bins": {OTHERS: others, **(bins or {})}}
    )


def source_to_read(given: Mapping[str, Any], *, other_bins: str | None = None) -> TableSource:
    """Return where the table of a command is, and how its options have it read."""
    from bnml.five_steps.table_source import TableSource

    _, arguments = table_to_read(**given)
    path = None if given["data"] is None else str(given["data"])
    return TableSource(path, _with_bins(arguments, other_bins))


def look_at_table(given: Mapping[str, Any]) -> tuple[TableOverview, dict[str, Any]]:
    """Return what a table holds, read as the options say or not, and what they say as arguments of `bnml.read`."""
    opened, arguments = table_to_read(**given)
    with opened as path:
        return overview(path, **arguments), arguments


def structure_of(text: str) -> bnml.DAG:
    """Return the graph of a model string or of a network file."""
    return structure_to_read(text)[0]


def structure_to_read(structure: Structure) -> tuple[bnml.DAG, bnml.BayesianNetwork | None]:
    """Return the graph of a model string or of a network file, and the network if it is one."""
    if structure.lstrip().startswith("["):
        return bnml.DAG.parse(structure), None
    from bnml.network.files import FORMATS

    if not structure.lower().endswith(tuple(FORMATS)):
        raise ArgumentError(
            f"STRUCTURE {shortened(structure, 60)!r} is neither a model string such as '[A][B|A]' nor a network file "
            f"({' '.join(FORMATS)})"
        )
    network = bnml.load(structure)
    return network.dag, network


def read_structured_table(given: Mapping[str, Any]) -> tuple[bnml.DAG, bnml.Data]:
    """Return a structure and the table that it is about; of a network file, read as its table was."""
    table = dict(given)
    dag, network = structure_to_read(table.pop("structure"))
    return dag, read_table(table, like=network)


def read_prior(name: str, links: Path | None, option: str = "--prior") -> str | bnml.priors.StructurePrior:
    """Return the structure prior that options name: for a file of links these, and the named prior for all others."""
    if name not in ("sparse", "uniform"):
        raise ArgumentError(f"{option} {name}: expected sparse or uniform")
    if links is None:
        return name
    return bnml.priors.LinkProbabilities.read(links, default=None if name == "sparse" else 2.0 / 3.0)
