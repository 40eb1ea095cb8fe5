"""``bnml query``: questions to a network."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

import bnml
from bnml._plain import records
from bnml._text import did_you_mean, printable, quoted, shortened, text_table
from bnml.cli import options, printing
from bnml.data.labels import as_number, label_text
from bnml.errors import ArgumentError

if TYPE_CHECKING:
    import pandas as pd

EXAMPLE = "Example: bnml query survey.bif lung --given smoke=yes --given xray=yes"

BAR = 24
LONGEST_LABEL = 30

Given = Annotated[
    list[str] | None,
    typer.Option(
        "--given", metavar="A=yes", help="What is observed; A=yes:0.8,no:0.2 if it is not certain; repeatable."
    ),
]
Do = Annotated[
    list[str] | None,
    typer.Option("--do", metavar="A=yes", help="What is set from outside, whatever its causes are; repeatable."),
]


def command(
    network: Annotated[Path, typer.Argument(metavar="NET", help="A network file.")],
    names: Annotated[
        str | None,
        typer.Argument(metavar="X[,Y]", help="The variable that is asked for, or several together; all without."),
    ] = None,
    given: Given = None,
    do: Do = None,
    most_probable: Annotated[
        bool, typer.Option("--most-probable", help="Show the most probable row of all variables instead.")
    ] = False,
    influence: Annotated[
        bool, typer.Option("--influence", help="Show X for each value of each other variable instead.")
    ] = False,
    as_json: options.Json = False,
) -> None:
    """Ask a network for probabilities, given what is observed or set, by exact inference."""
    if most_probable and (influence or names is not None):
        other = "--influence" if influence else f"the variable {names!r}"
        raise ArgumentError(f"--most-probable is about all variables: leave out {other}")
    if influence and names is None:
        raise ArgumentError("--influence needs the variable X that is asked for")
    if influence and do:
        raise ArgumentError("--influence takes --given, not --do: ask for one X at a time, with --do")
    learned = bnml.load(network)
    evidence = dict(_parsed_evidence(learned, text, "--given") for text in _once(learned, given or (), "--given"))
    changed = dict(_parsed_evidence(learned, text, "--do") for text in _once(learned, do or (), "--do"))
    told = {"given": _texts(evidence), "do": _texts(changed)}
    if most_probable:
        row, log_probability = learned.most_probable(evidence, changed)
        if as_json:
            printing.print_json({**told, "most_probable": row, "log_probability": log_probability})
            return
        for line in text_table([[printable(x), printable(label_text(s))] for x, s in row.items()], "ss"):
            print(line)
        print(f"\nlog-probability {log_probability:.6f}")
        return
    asked = None if names is None else _parsed_names(learned, names)
    if influence and asked is not None:
        _show_influence(learned, asked, evidence, told, as_json=as_json)
        return
    if asked is None:
        tables = learned.marginals(evidence, changed)
        if as_json:
            shares = {x: _by_label(table) for x, table in tables.items()}
            printing.print_json({"variables": list(tables), **told, "probabilities": shares})
            return
        for x, table in tables.items():
            print(f"{printable(x)}")
            _print_shares(table)
        return
    table = learned.query(asked if len(asked) > 1 else asked[0], evidence, changed)
    if as_json:
        printing.print_json({"variables": asked, **told, "probabilities": _json_shares(table)})
    elif len(asked) == 1:
        _print_shares(table)
    else:
        rows = [
            [*(shortened(label_text(s), LONGEST_LABEL) for s in states), f"{p:.4f}"]
            for states, p in zip(table.index.to_list(), table.to_list(), strict=True)
        ]
        for line in text_table(rows, "s" * len(asked) + "r", [*map(printable, asked), "probability"], ruled=True):
            print(line)


def _show_influence(
    network: bnml.BayesianNetwork,
    asked: Sequence[str],
    evidence: Mapping[str, Any],
    told: Mapping[str, Any],
    *,
    as_json: bool,
) -> None:
    if len(asked) > 1:
        raise ArgumentError(f"--influence is about one variable, not {quoted(asked)}")
    frame = network.influence(asked[0], evidence)
    if as_json:
        printing.print_json({"variables": list(asked), **told, "influence": records(frame)})
        return
    titles = [shortened(label_text(title), 12) for title in frame.columns]
    rows, before = [], None
    for x, value, *shares in frame.itertuples(index=False):
        rows.append(["" if x == before else printable(x), printable(label_text(value)), *(f"{p:.4f}" for p in shares)])
        before = x
    for line in text_table(rows, "ss" + "r" * (len(titles) - 2), titles, ruled=True):
        print(line)


def _print_shares(table: pd.Series[float]) -> None:
    """Print a line for each state: its probability, and a bar of that length."""
    block = "█" if printing.speaks_unicode() else "#"
    labels = [shortened(label_text(label), LONGEST_LABEL) for label in table.index]
    width = max(map(len, labels))
    for label, share in zip(labels, table.to_list(), strict=True):
        print(f"  {label:<{width}}  {share:.4f}  {block * round(BAR * share)}".rstrip())


def _by_label(table: pd.Series[float]) -> dict[str, float]:
    return {label_text(label): float(p) for label, p in table.items()}


def _json_shares(table: pd.Series[float]) -> Any:
    """Return probabilities by label; of several variables a list with the states of each."""
    if table.index.nlevels == 1:
        return _by_label(table)
    return [
        {"states": dict(zip(table.index.names, states, strict=True)), "probability": p}
        for states, p in zip(table.index.to_list(), table.to_list(), strict=True)
    ]


def _texts(evidence: Mapping[str, Any]) -> dict[str, Any]:
    return {
        x: {label_text(s): w for s, w in said.items()} if isinstance(said, Mapping) else label_text(said)
        for x, said in evidence.items()
    }


def _parsed_names(network: bnml.BayesianNetwork, text: str) -> list[str]:
    """Return the variables that an argument names; a name may hold commas itself."""
    return [text] if text in network.states else options.parse_names(text, "X")


def _once(network: bnml.BayesianNetwork, texts: Sequence[str], option: str) -> Sequence[str]:
    """Refuse a variable that an option names twice."""
    names = [_variable_of(network, text, option) for text in texts]
    for i, name in enumerate(names):
        if name in names[:i]:
            raise ArgumentError(f"{option} {shortened(texts[i], 60)}: {name!r} is named twice")
    return texts


def _variable_of(network: bnml.BayesianNetwork, text: str, option: str) -> str:
    """Return the variable that stands before the ``=``; names may hold that letter themselves."""
    found = [x for x in network.names if text.startswith(f"{x}=")]
    if found:
        return max(found, key=len)
    name, equals, _ = text.partition("=")
    if not equals:
        raise ArgumentError(f"{option} {shortened(text, 60)}: expected a variable and its state, such as A=yes")
    raise ArgumentError(
        f"{option} {shortened(text, 60)}: there is no variable {name!r}; the variables are {quoted(network.names)}."
        f"{did_you_mean(name, network.names)}"
    )


def _parsed_evidence(network: bnml.BayesianNetwork, text: str, option: str) -> tuple[str, Any]:
    """Return a variable and its state; or a likelihood for each of some states, ``yes:0.8,no:0.2``."""
    name = _variable_of(network, text, option)
    said = text[len(name) + 1 :]
    states = {label_text(s) for s in network.states[name]}
    parts = [part.rpartition(":") for part in said.split(",")]
    if said in states or not all(colon and as_number(number) is not None for _, colon, number in parts):
        return name, said
    twice = [label.strip() for i, (label, _, _) in enumerate(parts) if label in [p[0] for p in parts[:i]]]
    if twice:
        raise ArgumentError(f"{option} {shortened(text, 60)}: {twice[0]!r} is named twice")
    return name, {label.strip(): as_number(number) for label, _, number in parts}
