"""From the texts of a command line to tables, structures and scores."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import bnml
from bnml._text import shortened
from bnml.cli.constraints import known_structure
from bnml.cli.options import (
    Bins,
    Columns,
    Config,
    DataFile,
    Drop,
    Missing,
    NaValues,
    PriorNetwork,
    ScoreName,
    States,
    Weights,
    parse_bins_options,
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

__all__ = [
    "ChosenScore",
    "SourceMaker",
    "TableLook",
    "TableReader",
    "read_score",
    "structure_and_network",
    "structure_of",
    "takes_groups",
]

TableReader = Callable[..., bnml.Data]
SourceMaker = Callable[..., "TableSource"]
TableLook = Callable[..., tuple[TableOverview, dict[str, Any]]]


def takes_groups(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command groups of options that commands share, each in place of one parameter.

    ==============  =====================================================================================
    ``table``       how to read the table; it is called to read it, and what it is called with goes before
                    the options
    ``source``      the same; it is called for where the table is, and how it is to be read
    ``look``        the same; it is called for an overview of the table
    ``chosen``      the score
    ``known``       what is known of the structure; it is called with the variables for the constraints
    ``known_arcs``  the same without ``--require-link``
    ==============  =====================================================================================

    An option of two groups, or of a group and the command itself, is one option and goes to both.
    """
    own = inspect.signature(command, eval_str=True).parameters
    asked = {name: _GROUPS[name].options for name in own if name in _GROUPS}
    parameters: dict[str, inspect.Parameter] = {}
    for name, parameter in own.items():
        if name in asked:
            parameters |= {option: asked[name][option] for option in asked[name] if option not in own}
        else:
            parameters[name] = parameter

    def run(**given: Any) -> None:
        made = {name: _GROUPS[name].made({key: given[key] for key in options}) for name, options in asked.items()}
        command(**{name: value for name, value in given.items() if name in own}, **made)

    run.__doc__ = command.__doc__
    run.__annotations__ = {name: parameter.annotation for name, parameter in parameters.items()}
    run.__signature__ = inspect.Signature(  # type: ignore[attr-defined]  # read by `inspect.signature`
        [parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY) for parameter in parameters.values()]
    )
    return run


def _table_options(
    data: DataFile,
    columns: Columns = None,
    drop: Drop = None,
    missing: Missing = None,
    na_values: NaValues = None,
    states: States = None,
    bins: Bins = None,
    weights: Weights = None,
    config: Config = None,
) -> tuple[AbstractContextManager[Path], dict[str, Any]]:
    """Return the table, to be opened, and the arguments of `bnml.read`; the TOML file has what options leave open."""
    given = read_settings(config)
    arguments = {
        "columns": parse_names(columns, "--columns") if columns else given.get("columns"),
        "drop": parse_names(drop, "--drop") if drop else given.get("drop") or [],
        "missing": missing or given.get("missing", "error"),
        "na_values": parse_names(na_values, "--na-values") if na_values else given.get("na_values", ()),
        "states": states or given.get("states"),
        "bins": _all_bins(bins or (), given.get("bins")),
        "weights": weights or given.get("weights"),
    }
    return nullcontext(data) if data is not None else resources.as_file(example_path()), arguments


def _all_bins(options: Sequence[str], given: str | Mapping[str, Any] | None) -> str | Mapping[str, Any] | None:
    """Return the bins of the options and of the file, whose bins hold for columns that no option is about."""
    own = parse_bins_options(options)
    known = {OTHERS: given} if isinstance(given, str) else dict(given or {})
    both = {**known, **own}
    return both[OTHERS] if set(both) == {OTHERS} else both or None


def _read_table(
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
    opened, arguments = _table_options(**options)
    bins = arguments["bins"]
    if like is None:
        with opened as path:
            return bnml.read(path, **_with_bins(arguments, other_bins))
    told = {name for name, value in options.items() if value and name not in ("data", "weights")}
    if "config" in told:
        told |= set(read_settings(options["config"])) & {"columns", "drop", "missing", "na_values", "states", "bins"}
        told.remove("config")
    with opened as path:
        if not told and like.reading.missing is not None:
            return read_like(path, like.states, like.cuts, like.reading, weights=arguments["weights"])
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


def _table_source(given: Mapping[str, Any], *, other_bins: str | None = None) -> TableSource:
    """Return where a table is, and how it is to be read."""
    from bnml.five_steps.table_source import TableSource

    _, arguments = _table_options(**given)
    path = None if given["data"] is None else str(given["data"])
    return TableSource(path, _with_bins(arguments, other_bins))


def _look_at_table(given: Mapping[str, Any]) -> tuple[TableOverview, dict[str, Any]]:
    """Return what a table holds, read as the options say or not, and what they say as arguments of `bnml.read`."""
    opened, arguments = _table_options(**given)
    with opened as path:
        return overview(path, **arguments), arguments


def structure_of(text: str) -> bnml.DAG:
    """Return the graph of a model string or of a network file."""
    return structure_and_network(text)[0]


def structure_and_network(text: str) -> tuple[bnml.DAG, bnml.BayesianNetwork | None]:
    """Return the graph of a model string or of a network file, and the network if it is one."""
    if text.lstrip().startswith("["):
        return bnml.DAG.parse(text), None
    from bnml.network.files import FORMATS

    if not text.lower().endswith(tuple(FORMATS)):
        raise ArgumentError(
            f"STRUCTURE {shortened(text, 60)!r} is neither a model string such as '[A][B|A]' nor a network file "
            f"({' '.join(FORMATS)})"
        )
    network = bnml.load(text)
    return network.dag, network


def read_score(name: str, prior_network: Path | None) -> bnml.scores.Score:
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
    score: bnml.scores.Score


def _chosen_score(score: ScoreName = "qnml", prior_network: PriorNetwork = None) -> ChosenScore:
    """Return the score that the options name."""
    return ChosenScore(score, read_score(score, prior_network))


class _Group(NamedTuple):
    """Options that go together: the function whose parameters they are, what they make, and those left out."""

    declared: Callable[..., Any]
    made: Callable[[dict[str, Any]], Any]
    without: tuple[str, ...] = ()

    @property
    def options(self) -> dict[str, inspect.Parameter]:
        """The options by name."""
        parameters = inspect.signature(self.declared, eval_str=True).parameters
        return {name: parameter for name, parameter in parameters.items() if name not in self.without}


_GROUPS = {
    "table": _Group(_table_options, lambda given: partial(_read_table, given)),
    "source": _Group(_table_options, lambda given: partial(_table_source, given)),
    "look": _Group(_table_options, lambda given: partial(_look_at_table, given)),
    "chosen": _Group(_chosen_score, lambda given: _chosen_score(**given)),
    "known": _Group(known_structure, lambda given: known_structure(**given)),
    "known_arcs": _Group(known_structure, lambda given: known_structure(**given), without=("require_link",)),
}
