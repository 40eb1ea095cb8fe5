"""``bnml compare``: what a structure has in common with a known one."""

from __future__ import annotations

from functools import partial
from typing import Annotated

import typer

import bnml
from bnml._files import write_files
from bnml.cli import options, printing, reading
from bnml.cli.outputs import check_outputs, write_picture

EXAMPLE = "Example: bnml compare '[A][B|A][C|B]' '[A][C][B|A:C]' --plot both.svg"

SIDE = "A model string such as '[A][B|A]', or a network file."


def command(
    a: Annotated[str, typer.Argument(metavar="A", help=f"What is taken as the truth. {SIDE}")],
    b: Annotated[str, typer.Argument(metavar="B", help=f"What is compared with it. {SIDE}")],
    plot: options.Plots = None,
    as_json: options.Json = False,
) -> None:
    """Compare two structures: distances, arcs that are common, missing, extra and turned round."""
    from bnml.plot.sheet import KINDS

    plots = plot or []
    check_outputs([("--plot", path, KINDS) for path in plots])
    found = bnml.compare(reading.structure_of(a), reading.structure_of(b))
    if plots:
        picture = found.draw()
        write_files({path: partial(write_picture, picture, path) for path in plots})
    if as_json:
        printing.print_json(found.to_dict())
    else:
        print(found)
