"""``bnml info``: what is in a table, whether it can be read as it is or not; or in a network file."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

import bnml
from bnml._files import written_whole
from bnml._text import number_of, printable, shortened, text_table, wrapped_text
from bnml.cli import options, outputs, printing, reading
from bnml.cli.error_words import in_options
from bnml.cli.network_info import show_network
from bnml.cli.option_groups import takes_groups
from bnml.counts import contingency
from bnml.data.overview import ColumnOverview, TableOverview
from bnml.data.targets import rows_set, rows_set_words
from bnml.errors import ArgumentError

EXAMPLE = "Example: bnml info survey.csv --write-config survey.toml"

EM = (
    '# missing = "em" learns from what is there, and is right where values are missing at random; "state" suits values '
    "whose absence tells something, and commands that need every value."
)
BAR = 24
LONGEST_NAME = 26
LEVELS = "▁▂▃▄▅▆▇█"
PLAIN_LEVELS = ".:-=+*#@"

WriteConfig = Annotated[
    Path | None,
    typer.Option("--write-config", metavar="FILE.toml", help="Write the advice as a file for --config."),
]

TableOrNetwork = Annotated[
    str | None,
    typer.Argument(
        metavar="DATA", help=f"A table: {options.TABLES}; or a network file: .bif .xmlbif .net .dsc .xdsl .json"
    ),
]


@takes_groups
def command(
    context: typer.Context,
    look: reading.TableLook,
    data: TableOrNetwork,
    write_config: WriteConfig = None,
    as_json: options.Json = False,
) -> None:
    """Show the columns of a table, what they hold, and what to do about them before it is learned from.

    Of a network file, show its variables, their states and their parents.
    """
    from bnml.network.files import is_network_file

    if data is not None and is_network_file(data):
        _refuse_options_of_tables(context)
        show_network(data, as_json=as_json)
        return
    if write_config is not None:
        outputs.check_outputs([("--write-config", write_config, (".toml",))])
    found, given = look()
    if write_config is not None:
        content = _config(found, given)
        with written_whole(write_config) as stream:
            stream.write(content.encode("utf-8"))
    if as_json:
        printing.print_json({**_summary(found), "config": None if write_config is None else str(write_config)})
        return
    _report(found)
    if write_config is not None:
        print(f"{write_config}: this advice, for --config")


def _refuse_options_of_tables(context: typer.Context) -> None:
    """Refuse options that say how to read a table."""
    for name in context.params:
        source = context.get_parameter_source(name)
        if source is not None and source.name == "COMMANDLINE" and name not in ("data", "as_json"):
            raise ArgumentError(f"--{name.replace('_', '-')} is about tables, and DATA is a network file")


def _advice(column: ColumnOverview) -> str | None:
    """Return the advice in terms of the command line."""
    return None if column.advice is None else column.advice.spelled(in_options({}))


def _n_rows(found: TableOverview) -> int:
    """Return the number of rows, of those that are left where some were dropped."""
    return found.n_rows if found.data is None else found.data.n_rows


def _frequencies(table: bnml.Data, column: int) -> list[int]:
    """Return how often each state of a column occurs."""
    counts: list[int] = contingency(table, [column]).tolist()
    return counts


def _observed_entropy(counts: list[int]) -> float:
    """Return the entropy of a column in nats, of the values that are there."""
    total = sum(counts)
    return math.fsum(n / total * math.log(total / n) for n in counts if n)


def _summary(found: TableOverview) -> dict[str, Any]:
    """Return the report as plain values."""
    return {
        "rows": _n_rows(found),
        "distinct_rows": None if found.data is None else found.data.n_distinct,
        "readable": found.data is not None,
        "engine": None if found.data is None else found.data.engine,
        "counting": None if found.data is None else found.data.counting,
        "reason": None if found.error is None else found.error.text(in_options({})),
        "interventions": None if found.data is None else rows_set(found.data),
        "columns": [_column_summary(column, found.data) for column in found.columns],
    }


def _column_summary(column: ColumnOverview, data: bnml.Data | None) -> dict[str, Any]:
    summary: dict[str, Any] = {
        "name": column.name,
        "kind": column.kind,
        "distinct": column.distinct,
        "missing": column.missing,
        "common": [{"label": label, "count": count} for label, count in column.common],
        "advice": _advice(column),
    }
    if column.histogram is not None:
        low, high, counts = column.histogram
        summary["histogram"] = {"low": low, "high": high, "counts": list(counts)}
    if data is not None:
        i = data.index(column.name)
        summary |= {"states": list(data.states[i]), "counts": _frequencies(data, i)}
        summary["entropy"] = _observed_entropy(summary["counts"])
        if column.name in data.cuts:
            summary["cuts"] = list(data.cuts[column.name])
    return summary


def _report(found: TableOverview) -> None:
    """Print the report."""
    here = found.data is not None and found.data.engine == "memory"
    distinct = f" ({found.data.n_distinct:,} distinct)" if here and found.data is not None else ""
    print(f"{number_of(_n_rows(found), 'row')}{distinct}, {number_of(len(found.columns), 'column')}")
    if found.data is not None and found.data.targets is not None:
        print(wrapped_text(f"variables were set in {rows_set_words(found.data)}"))
    if found.data is not None and found.data.counting is not None:
        print(wrapped_text(found.data.counting))
    print()
    rows = [
        [shortened(c.name, LONGEST_NAME), c.kind, f"{c.distinct:,}", f"{c.missing:,}" if c.missing else "", _values(c)]
        for c in found.columns
    ]
    for line in text_table(rows, "llrrs", ["column", "kind", "distinct", "missing", "values"], ruled=True):
        print(line)
    print()
    advised = [(column.name, advice) for column in found.columns if (advice := _advice(column)) is not None]
    if advised:
        print("Advice")
        for name, advice in advised:
            print(wrapped_text(f"{printable(name)}: {printable(advice)}", "  ", "    "))
        print()
    if found.data is not None:
        for name in found.data.cuts:
            _histogram(found.data, name)


def _values(column: ColumnOverview) -> str:
    """Return a small histogram, or the commonest labels with their shares."""
    if column.histogram is not None:
        low, high, counts = column.histogram
        levels = LEVELS if printing.speaks_unicode() else PLAIN_LEVELS
        bars = "".join(levels[round((len(levels) - 1) * n / max(counts))] if n else " " for n in counts)
        return f"{low:g} {bars} {high:g}"
    total = max(1, sum(count for _, count in column.common))
    if column.distinct > len(column.common):
        return ", ".join(f"{shortened(str(label), 20)} {count:,}×" for label, count in column.common)
    return ", ".join(f"{shortened(str(label), 20)} {100 * count / total:.0f} %" for label, count in column.common)


def _histogram(table: bnml.Data, name: str) -> None:
    """Draw the bins of a column: a bar per bin."""
    from rich.text import Text

    out = printing.console()
    i = table.index(name)
    counts = _frequencies(table, i)
    labels = [str(label) for label in table.states[i]]
    width = max(map(len, labels))
    block = "█" if printing.speaks_unicode() else "#"
    out.print(
        Text.assemble((name, "bold"), f" cut at {', '.join(f'{cut:g}' for cut in table.cuts[name]) or 'no point'}")
    )
    for label, count in zip(labels, counts, strict=True):
        length = round(BAR * count / max(counts))
        out.print(Text.assemble(f"  {label:>{width}}  ", (block * length, "cyan"), f" {count:,}"))
    out.print()


def _config(found: TableOverview, given: Mapping[str, Any]) -> str:
    """Return the advice, with what was asked for already, as TOML; each piece of it is a comment, too."""
    advice = found.settings
    bins = given["bins"]
    asked = {"*": bins} if isinstance(bins, str) else dict(bins or {})
    cut = {} if isinstance(bins, str) else advice.get("bins", {})
    missing = given["missing"] if given["missing"] != "error" else advice.get("missing")
    gaps = given["missing"] == "error" and missing is not None
    settings = {
        "columns": given["columns"],
        "drop": [*given["drop"], *advice.get("drop", [])],
        "missing": "em" if gaps else missing,
        "na_values": sorted({*given["na_values"], *advice.get("na_values", [])}),
        "weights": given["weights"],
        "interventions": given["interventions"],
    }
    states = given["states"]
    lines = ["# What bnml info says of this table; --config takes this file. Change it as you like."]
    lines += [f"# {printable(c.name)}: {printable(said)}" for c in found.columns if (said := _advice(c)) is not None]
    lines += [EM] if gaps else []
    lines += [f"{key} = {_toml(value)}" for key, value in settings.items() if value]
    if states is not None and not isinstance(states, Mapping):
        lines.append(f"states = {_toml(str(states))}")
    for title, table in (("states", states if isinstance(states, Mapping) else {}), ("bins", {**cut, **asked})):
        if table:
            lines += ["", f"[{title}]", *(f"{_toml(str(key))} = {_toml(value)}" for key, value in table.items())]
    return "\n".join(lines) + "\n"


def _toml(value: Any) -> str:
    """Return a text, a number or a list of these as TOML."""
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_toml, value))}]"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
