"""``bnml impute``: the missing values of a table, filled in by a network."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

import bnml
from bnml._files import written_whole
from bnml._text import number_of
from bnml.cli import options, outputs, printing
from bnml.cli.rows import print_rows, write_rows
from bnml.errors import ArgumentError

EXAMPLE = "Example: bnml impute survey.json survey.csv --draws 5 -o filled.csv"

DRAW = "draw"  # the column that numbers the tables


def command(
    network: Annotated[Path, typer.Argument(metavar="NET", help="A network file.")],
    data: Annotated[str, typer.Argument(metavar="DATA", help=f"A table: {options.TABLES}")],
    draws: Annotated[
        int | None,
        typer.Option("--draws", metavar="M", help="Draw M tables in place of the most probable values."),
    ] = None,
    seed: options.Seed = 0,
    labels: Annotated[
        bool, typer.Option("--labels", help="Fill binned columns with the labels of bins, not with their medians.")
    ] = False,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FILE.csv", help="File to write; standard output without.")
    ] = None,
    force: outputs.Force = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print a summary as one JSON object; the rows go to -o.")
    ] = False,
) -> None:
    """Fill missing values with the most probable ones, row by row, or with draws, as CSV.

    All else stays as it is written in DATA. A column of numbers that was cut into bins gets the median of the bin in
    the data that the network was learned from. Of several draws the tables stand one below the other, and a first
    column, draw, numbers them.
    """
    import pandas as pd

    if output is not None:
        outputs.check_outputs([("-o", output, (".csv", ".csv.gz"))])
        outputs.check_not_input(output, data, force=force)
    elif as_json:
        raise ArgumentError("--json: the filled table would be written nowhere; name a file for it with -o FILE.csv")
    if draws is not None and draws < 1:
        raise ArgumentError(
            f"--draws {draws}: expected a whole number from 1; without --draws gaps get their most probable values"
        )
    learned = bnml.load(network)
    filled = learned.impute(data, draws, seed, labels=labels)
    tables = [filled] if draws is None else filled
    if draws is not None and DRAW in tables[0]:
        raise ArgumentError(f"--draws: the table has a column {DRAW!r}, as the one that numbers them; rename it")
    frame = tables[0] if draws is None else pd.concat(tables, keys=range(1, len(tables) + 1), names=[DRAW, "row"])
    if draws is not None:
        frame = frame.reset_index(level=DRAW)
    if output is not None:
        with written_whole(output) as stream:
            write_rows(frame, stream, packed=output.name.lower().endswith(".gz"))
    if as_json:
        said = {"rows": len(tables[0]), "draws": draws, "file": str(output)}
        printing.print_json(said)
    elif output is None:
        print_rows(frame)
    else:
        times = "" if draws is None else f", drawn {number_of(len(tables), 'time')}"
        print(f"{output}: {number_of(len(tables[0]), 'row')} without gaps{times}")
