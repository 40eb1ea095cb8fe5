"""``bnml dependences``: which pairs of variables depend on each other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer

import bnml
from bnml._plain import records
from bnml._text import names_in_words, number_of
from bnml.cli import options, printing, reading
from bnml.cli.option_groups import takes_groups
from bnml.data.targets import rows_setting_nothing, variables_set

if TYPE_CHECKING:
    import pandas as pd

EXAMPLE = "Example: bnml dependences survey.csv --target lung --adjust bh"

MOST_SHOWN = 40

Target = Annotated[str | None, typer.Option("--target", metavar="X", help="Only pairs with this variable.")]
Test = Annotated[
    str,
    typer.Option("--test", metavar="NAME", help="The test: g2, x2, g2-permutation or x2-permutation."),
]
Adjust = Annotated[
    str | None,
    typer.Option("--adjust", metavar="bh", help="Adjust p-values for the number of pairs: bh (Benjamini, Hochberg)."),
]
All = Annotated[bool, typer.Option("--all", help=f"Show all pairs, not only the {MOST_SHOWN} strongest.")]


@takes_groups
def command(
    table: reading.TableReader,
    target: Target = None,
    test: Test = "g2",
    adjust: Adjust = None,
    every: All = False,
    as_json: options.Json = False,
) -> None:
    """Show how strongly each pair of variables depends on each other, strongest first."""
    from bnml.independence.dependences import check_dependences

    check_dependences(test, adjust)
    whole = table()
    data = rows_setting_nothing(whole)
    frame = _sorted(bnml.dependences(data, test=test, adjust=adjust, target=target))
    if as_json:
        printing.print_json({"rows": data.n_rows, "test": test, "pairs": records(frame)})
        return
    _show(frame if every else frame.head(MOST_SHOWN))
    if len(frame) > MOST_SHOWN and not every:
        print(f"… and {len(frame) - MOST_SHOWN:,} more pairs; --all shows them")
    always = variables_set(whole, in_every_row=True)
    but = f" but {names_in_words(always)}" if always else ""
    chosen = "" if whole.targets is None else f" in which nothing{but} was set"
    print(f"{number_of(len(frame), 'pair')}, {_rows(frame, data.n_rows)}{chosen}; information in nats")
    if frame["sparse"].any():
        print(printing.SPARSE)


def _rows(frame: pd.DataFrame, n_rows: int) -> str:
    """Return how many rows there are, and from how many to how many of them a pair could use."""
    if "rows" not in frame or frame.empty:
        return f"{n_rows:,} rows"
    least, most = int(frame["rows"].min()), int(frame["rows"].max())
    used = f"{least:,}" if least == most else f"from {least:,} to {most:,}"
    untested = int(frame["p_value"].isna().sum())
    few = f", too few to test {number_of(untested, 'pair')}" if untested else ""
    return f"{n_rows:,} rows, used {used} in which both are observed{few}"


def _sorted(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the pairs, strongest first."""
    order = np.lexsort((np.arange(len(frame)), -frame["g2"].to_numpy(), frame["log_p"].to_numpy()))
    return frame.iloc[order].reset_index(drop=True)


def _show(frame: pd.DataFrame) -> None:
    titles = {"mutual_information": "information", "g2": "G²", "x2": "X²", "degrees_of_freedom": "df"}
    titles |= {"p_value": "p-value", "adjusted_p_value": "adjusted"}
    shown = [name for name in titles if name in frame]
    formats = {"mutual_information": "{:.4f}", "g2": "{:,.2f}", "x2": "{:,.2f}", "degrees_of_freedom": "{:,.0f}"}

    def text(row: dict[Any, Any], name: str) -> str:
        if name == "p_value" and frame["sparse"].any():
            return printing.printed_p_value(row[name], sparse=row["sparse"])
        return formats.get(name, "{:.2g}").format(row[name])

    records = frame.to_dict("records")
    rows = [[f"{row['a']} - {row['b']}", *(text(row, name) for name in shown)] for row in records]
    printing.print_grid(["pair", *(titles[name] for name in shown)], rows)
