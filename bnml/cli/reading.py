"""From the texts of a command line to tables, structures and scores."""

from __future__ import annotations

import inspect
import tomllib
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from importlib import resources
from pathlib import Path
from typing import Any, NamedTuple

import bnml
from bnml._text import did_you_mean, quoted, shortened
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
from bnml.data.example import example_path
from bnml.data.overview import TableOverview, overview
from bnml.data.read_arguments import OTHERS
from bnml.data.read_like import read_like
from bnml.errors import ArgumentError

__all__ = [
    "ChosenScore",
    "TableLook",
    "TableReader",
    "read_data",
    "read_score",
    "read_settings",
    "reads_a_table",
    "structure_and_network",
    "structure_of",
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

TableReader = Callable[..., bnml.Data]
TableLook = Callable[..., tuple[TableOverview, dict[str, Any]]]


def reads_a_table(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options of `read_data` in place of its parameter ``table``, which is called to read.

    In the same way a parameter ``look`` is called for an overview of the table, by `look_at_data`, and the options of
    `chosen_score` stand in place of a parameter ``chosen``. An option that the command
    has itself as well, such as ``config``, goes to both; what ``table`` is called with goes before the option.
    """
    own = inspect.signature(command, eval_str=True).parameters
    groups: dict[str, Callable[..., Any]] = {"table": read_data, "look": look_at_data, "chosen": _chosen_score}
    asked = {name: inspect.signature(groups[name], eval_str=True).parameters for name in own if name in groups}
    parameters: dict[str, inspect.Parameter] = {}
    for name, parameter in own.items():
        if name in asked:
            parameters |= {option: asked[name][option] for option in asked[name] if option not in own}
        else:
            parameters[name] = parameter

    def run(**given: Any) -> None:
        values = {
            group: {name: given[name] if name in own else given.pop(name) for name in options}
            for group, options in asked.items()
        }
        if "chosen" in values:
            given["chosen"] = _chosen_score(**values["chosen"])
        if "look" in values:
            given["look"] = partial(look_at_data, **values["look"])
        if "table" in values:
            given["table"] = partial(_read_table, values["table"])
        command(**given)

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
    arguments = _arguments(columns, drop, missing, na_values, states, bins, weights, config)
    with _opened(data) as path:
        return bnml.read(path, **arguments)


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
    if like is None and other_bins is None:
        return read_data(**options)
    if like is None:
        arguments = _arguments(**{name: value for name, value in options.items() if name != "data"})
        bins = arguments["bins"]
        arguments["bins"] = bins if isinstance(bins, str) else {OTHERS: other_bins, **(bins or {})}
        with _opened(options["data"]) as path:
            return bnml.read(path, **arguments)
    told = {name for name, value in options.items() if value and name not in ("data", "weights")}
    if "config" in told:
        told |= set(read_settings(options["config"])) & {"columns", "drop", "missing", "na_values", "states", "bins"}
        told.remove("config")
    arguments = _arguments(**{name: value for name, value in options.items() if name != "data"})
    with _opened(options["data"]) as path:
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
        bins = arguments["bins"]
        arguments["bins"] = bins if isinstance(bins, str) else {**cuts, **(bins or {})} or None
        return bnml.read(path, **arguments)


def look_at_data(
    data: DataFile,
    columns: Columns = None,
    drop: Drop = None,
    missing: Missing = None,
    na_values: NaValues = None,
    states: States = None,
    bins: Bins = None,
    weights: Weights = None,
    config: Config = None,
) -> tuple[TableOverview, dict[str, Any]]:
    """Return what a table holds, read as the options say or not, and what they say as arguments of `bnml.read`."""
    arguments = _arguments(columns, drop, missing, na_values, states, bins, weights, config)
    with _opened(data) as path:
        return overview(path, **arguments), arguments


def _opened(data: Path | None) -> AbstractContextManager[Path]:
    return nullcontext(data) if data is not None else resources.as_file(example_path())


def _arguments(
    columns: str | None,
    drop: str | None,
    missing: str | None,
    na_values: str | None,
    states: Path | None,
    bins: Sequence[str] | None,
    weights: str | None,
    config: Path | None,
) -> dict[str, Any]:
    """Return the arguments of `bnml.read`."""
    given = read_settings(config)
    return {
        "columns": parse_names(columns, "--columns") if columns else given.get("columns"),
        "drop": parse_names(drop, "--drop") if drop else given.get("drop") or [],
        "missing": missing or given.get("missing", "error"),
        "na_values": parse_names(na_values, "--na-values") if na_values else given.get("na_values", ()),
        "states": states or given.get("states"),
        "bins": _all_bins(bins or (), given.get("bins")),
        "weights": weights or given.get("weights"),
    }


def _all_bins(options: Sequence[str], given: str | Mapping[str, Any] | None) -> str | Mapping[str, Any] | None:
    """Return the bins of the options and of the file, whose bins hold for columns that no option is about."""
    own = parse_bins_options(options)
    known = {OTHERS: given} if isinstance(given, str) else dict(given or {})
    both = {**known, **own}
    return both[OTHERS] if set(both) == {OTHERS} else both or None


def read_settings(path: Path | None) -> Mapping[str, Any]:
    """Read the settings of the ``--config`` file, which is TOML, and check them; none without a file."""
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
