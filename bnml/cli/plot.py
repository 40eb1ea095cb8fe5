"""``bnml plot``: a picture of a network or a structure."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

import bnml
from bnml._files import write_files
from bnml._text import number_of
from bnml.cli import options, printing, reading
from bnml.cli.outputs import check_outputs, write_picture

EXAMPLE = "Example: bnml plot survey.bif -o survey.svg --highlight lung"


def command(
    structure: options.Structure,
    output: Annotated[
        list[Path], typer.Option("-o", "--output", metavar="FILE", help="The picture: .png .svg .pdf; repeatable.")
    ],
    highlight: Annotated[
        list[str] | None, typer.Option("--highlight", metavar="A", help="A variable to stand out; repeatable.")
    ] = None,
    as_class: Annotated[
        bool, typer.Option("--class", help="Draw the equivalence class: dashed lines where directions are open.")
    ] = False,
    title: Annotated[str | None, typer.Option("--title", metavar="TEXT", help="Text above the picture.")] = None,
    as_json: options.Json = False,
) -> None:
    """Draw a structure."""
    from bnml.plot.sheet import KINDS

    check_outputs([("-o", path, KINDS) for path in output])
    dag = reading.structure_of(structure)
    picture = bnml.plot.draw(dag.cpdag() if as_class else dag, highlight=highlight or (), title=title)
    write_files({path: partial(write_picture, picture, path) for path in output})
    if as_json:
        printing.print_json(
            {"files": [str(path) for path in output], "variables": len(dag.names), "arcs": len(dag.arcs)}
        )
        return
    for path in output:
        print(f"{path}: {number_of(len(dag.names), 'variable')}, {number_of(len(dag.arcs), 'arc')}")
