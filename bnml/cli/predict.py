"""``bnml predict``: the most probable state of a variable, row by row."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

import bnml
from bnml._checks import a_variable
from bnml._files import written_whole
from bnml._text import quoted
from bnml.cli import options, outputs, printing
from bnml.cli.rows import print_rows, write_rows
from bnml.data.labels import name_not_in_table
from bnml.data.sources import open_table
from bnml.errors import ArgumentError, NetworkError

EXAMPLE = "Example: bnml predict survey.json new.csv --target lung --probabilities --keep id -o predicted.csv"


def command(
    network: Annotated[Path, typer.Argument(metavar="NET", help="A network file.")],
    data: Annotated[str, typer.Argument(metavar="DATA", help=f"A table: {options.TABLES}")],
    target: Annotated[str, typer.Option("--target", metavar="X", help="The variable to predict.")],
    probabilities: Annotated[
        bool, typer.Option("--probabilities", help="Add a column for each state, with its probability.")
    ] = False,
    keep: Annotated[
        list[str] | None,
        typer.Option("--keep", metavar="COLUMN", help="Copy this column of DATA to the output (repeatable)."),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FILE.csv", help="File to write; standard output without.")
    ] = None,
    force: outputs.Force = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print a summary as one JSON object, and no rows.")] = False,
) -> None:
    """Predict a variable from all others, for each row of a table, as CSV.

    A .json network reads the table as its own was read: columns, cuts, and what stands for a missing value. Columns
    that are not there and missing values are summed out. Rows that cannot be answered get an empty prediction and are
    counted on standard error: their evidence has probability zero, or a label did not occur in training. It is an error
    if no row can be answered.
    """
    import numpy as np
    import pandas as pd

    if output is not None:
        outputs.check_outputs([("-o", output, (".csv", ".csv.gz"))])
        outputs.check_not_input(output, data, force=force)
    learned = bnml.load(network)
    a_variable(target, "target", learned.names)
    states = learned.states[target]
    labels = [str(label) for label in states]
    columns = [target, *(f"{target}={label}" for label in labels if probabilities)]
    kept = list(dict.fromkeys(keep or ()))
    if twice := sorted({*kept} & {*columns}):
        raise ArgumentError(f"--keep {twice[0]!r}: a column of the predictions has this name; rename it in DATA")

    def wanted(names: Sequence[str]) -> list[str]:
        if unknown := [name for name in kept if name not in names]:
            raise name_not_in_table("keep", unknown[0], names)
        variables = [name for name in names if name in learned.states and name != target]
        return [*variables, *(name for name in kept if name not in variables)] or list(names)

    table = open_table(data, wanted)
    chances = learned.predict_proba(table, target).to_numpy()
    answered = ~np.isnan(chances[:, 0])
    if not answered.any():
        raise NetworkError(f"no row of {data!r} can be answered, so nothing is written")
    if answered.sum() > 1 and learned.dag.markov_blanket(target) and np.ptp(chances[answered], axis=0).max() == 0.0:
        others = quoted(x for x in learned.names if x != target)
        warnings.warn(f"every row gets the same probabilities; has the table columns such as {others}?", stacklevel=1)
    best = chances[answered].argmax(axis=1)
    predicted = np.full(len(chances), None, object)
    predicted[answered] = np.array(labels, object)[best]
    original = {column.name: column.values() for column in table.columns}
    values = [original[name] for name in kept] + [predicted, *chances.T][: len(columns)]
    frame = pd.DataFrame(dict(zip([*kept, *columns], values, strict=True)))
    if output is not None:
        with written_whole(output) as stream:
            write_rows(frame, stream, packed=output.name.lower().endswith(".gz"))
    if as_json:
        counts = np.bincount(best, minlength=len(labels)).tolist()
        printing.print_json(
            {
                "target": target,
                "rows": len(frame),
                "unanswered": len(frame) - len(best),
                "predicted": [{"label": label, "count": n} for label, n in zip(states, counts, strict=True)],
                "file": None if output is None else str(output),
            }
        )
    elif output is None:
        print_rows(frame)
    else:
        of_all = "" if answered.all() else f"of {len(frame):,} "
        print(f"{output}: {target} predicted for {len(best):,} {of_all}rows")
