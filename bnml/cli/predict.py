"""``bnml predict``: what a network says of a variable, row by row."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Annotated

import typer

import bnml
from bnml._checks import a_variable
from bnml._files import written_whole
from bnml._text import quoted
from bnml.cli import options, outputs, printing
from bnml.cli.rows import print_rows, write_rows

__all__ = ["command"]

EXAMPLE = "Example: bnml predict survey.json new.csv --target lung --probabilities -o predicted.csv"


def command(
    network: Annotated[Path, typer.Argument(metavar="NET", help="A network file.")],
    data: Annotated[str, typer.Argument(metavar="DATA", help=f"A table: {options.TABLES}")],
    target: Annotated[str, typer.Option("--target", metavar="X", help="The variable to predict.")],
    probabilities: Annotated[
        bool, typer.Option("--probabilities", help="Add a column for each state, with its probability.")
    ] = False,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FILE.csv", help="File to write; standard output without.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print a summary as one JSON object, and no rows.")] = False,
) -> None:
    """Predict a variable from all others, for each row of a table, as CSV.

    A .json network reads the table as its own was read: columns, cuts, and what stands for a missing value. Columns
    that are not there and missing values are summed out.
    """
    import numpy as np

    if output is not None:
        outputs.check_outputs([("-o", output, (".csv", ".csv.gz"))])
    learned = bnml.load(network)
    a_variable(target, "target", learned.names)
    chances = learned.predict_proba(data, target)
    if len(chances) > 1 and learned.dag.markov_blanket(target) and (chances == chances.iloc[0]).all(axis=None):
        others = quoted(x for x in learned.names if x != target)
        warnings.warn(f"every row gets the same probabilities; has the table columns such as {others}?", stacklevel=1)
    states = learned.states[target]
    labels = [str(label) for label in states]
    best = chances.to_numpy().argmax(axis=1)
    frame = chances.set_axis([f"{target}={label}" for label in labels], axis=1) if probabilities else chances[[]]
    frame.insert(0, target, np.array(labels, object)[best])
    if output is not None:
        with written_whole(output) as stream:
            write_rows(frame, stream, packed=output.name.lower().endswith(".gz"))
    if as_json:
        counts = np.bincount(best, minlength=len(labels)).tolist()
        printing.print_json(
            {
                "target": target,
                "rows": len(frame),
                "predicted": [{"label": label, "count": n} for label, n in zip(states, counts, strict=True)],
                "file": None if output is None else str(output),
            }
        )
    elif output is None:
        print_rows(frame)
    else:
        print(f"{output}: {target} predicted for {len(frame):,} rows")
