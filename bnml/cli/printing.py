"""What commands print: JSON, tables, and the size of a network in words."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import bnml
from bnml._plain import plain
from bnml._text import number_of

if TYPE_CHECKING:
    from rich.console import Console


def printed_size(network: bnml.BayesianNetwork) -> str:
    """Return the size of a network in words, to be printed."""
    sizes = (len(network.names), "variable"), (len(network.dag.arcs), "arc"), (network.n_parameters, "parameter")
    return ", ".join(number_of(n, word) for n, word in sizes)


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


SPARSE = "* fewer than five rows per cell: the p-value comes from random tables"


def printed_p_value(p: float, *, sparse: bool) -> str:
    """Return a p-value as commands print it: with a mark, or room for it, that `SPARSE` explains."""
    return f"{p:.2g}{'*' if sparse else ' '}"


def print_grid(
    titles: Sequence[str], rows: Iterable[Sequence[str]], sums: Sequence[str] = (), *, texts: int = 1
) -> None:
    """Print a table: the first columns hold texts, which are folded where they are long, the others numbers."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    grid = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_footer=bool(sums))
    for k, title in enumerate(titles):
        total = sums[k] if sums else ""
        if k < texts:
            grid.add_column(title, total, overflow="fold")
        else:
            grid.add_column(title, total, justify="right", no_wrap=True)
    for row in rows:
        grid.add_row(*(Text(cell) if k < texts else cell for k, cell in enumerate(row)))
    console().print(grid)
