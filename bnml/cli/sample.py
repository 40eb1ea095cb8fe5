"""``bnml sample``: rows drawn from a network."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

import bnml
from bnml._files import check_writable, written_whole
from bnml.cli import options, printing
from bnml.cli.rows import print_rows, write_rows
from bnml.errors import ArgumentError

EXAMPLE = "Example: bnml sample survey.bif -n 1000 --seed 1 -o rows.csv"
OPTIONS = {"n": "-n"}


def command(
    network: Annotated[Path, typer.Argument(metavar="NET", help="A network file.")],
    n: Annotated[int, options.whole_number("-n", "--rows", metavar="N", help="How many rows.")],
    seed: Annotated[int, options.whole_number("--seed", metavar="S", help="The same seed gives the same rows.")] = 0,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FILE.csv", help="File to write; standard output without.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="With -o: print one JSON object and nothing else.")] = False,
) -> None:
    """Draw rows from a network, as CSV."""
    if as_json and output is None:
        raise ArgumentError("--json needs -o: without it the rows go to standard output")
    if output is not None:
        if not output.name.lower().endswith((".csv", ".csv.gz")):
            raise ArgumentError(f"-o {str(output)!r}: expected a name that ends in .csv or .csv.gz")
        check_writable(output)
    frame = bnml.load(network).sample(n, seed)
    if output is None:
        print_rows(frame)
        return
    with written_whole(output) as stream:
        write_rows(frame, stream, packed=output.name.lower().endswith(".gz"))
    if as_json:
        printing.print_json({"file": str(output), "rows": len(frame), "columns": list(frame.columns)})
        return
    print(f"{output}: {len(frame):,} rows of {len(frame.columns)} columns")
