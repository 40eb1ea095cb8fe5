"""``bnml info``: what is in a table."""

from __future__ import annotations

from typing import Any

import bnml
from bnml._text import shortened
from bnml.cli import options, printing, reading
from bnml.counts import contingency

__all__ = ["command"]

EXAMPLE = "Example: bnml info survey.csv --bins quantile:4 --missing state"

BAR = 24


@reading.reads_a_table
def command(
    table: reading.TableReader,
    as_json: options.Json = False,
) -> None:
    """Show the columns of a table, their states and how often each occurs."""
    if as_json:
        printing.print_json(_summary(table()))
    else:
        _report(table())


def _frequencies(table: bnml.Data, column: int) -> list[int]:
    """Return how often each state of a column occurs."""
    counts: list[int] = contingency(table, [column]).tolist()
    return counts


def _summary(table: bnml.Data) -> dict[str, Any]:
    """Return the report as plain values."""
    return {
        "rows": table.n_rows,
        "distinct_rows": table.n_distinct,
        "columns": [
            {
                "name": name,
                "states": list(table.states[i]),
                "counts": _frequencies(table, i),
                "entropy": bnml.information.entropy(table, name),
                **({"cuts": list(table.cuts[name])} if name in table.cuts else {}),
            }
            for i, name in enumerate(table.names)
        ],
    }


def _report(table: bnml.Data) -> None:
    """Print the report."""
    from rich.text import Text

    out = printing.console()
    out.print(f"{table.n_rows:,} rows ({table.n_distinct:,} distinct), {len(table.names)} columns\n")
    width = max(6, min(max(len(name) for name in table.names), out.width // 3))
    out.print(Text(f"{'column':<{width}}  states  labels and shares", style="bold"))
    for i, name in enumerate(table.names):
        shares = (
            f"{label} {100 * count / table.n_rows:.0f} %"
            for label, count in zip(table.states[i], _frequencies(table, i), strict=True)
        )
        line = f"{shortened(name, width):<{width}}  {table.arities[i]:>6}  {', '.join(shares)}"
        out.print(Text(shortened(line, out.width)), soft_wrap=True)
    out.print()
    for name in table.cuts:
        _histogram(table, name)


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
