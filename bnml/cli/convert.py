"""``bnml convert``: a network from one file format to another."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

import bnml
from bnml.cli import options, outputs, printing

EXAMPLE = "Example: bnml convert survey.bif survey.xdsl"


def command(
    source: Annotated[Path, typer.Argument(metavar="IN", help="A network file: .bif .xmlbif .net .dsc .xdsl .json")],
    target: Annotated[Path, typer.Argument(metavar="OUT", help="The file to write; its suffix decides the format.")],
    as_json: options.Json = False,
) -> None:
    """Convert a network file to another format."""
    from bnml.network.files import check_network_file

    check_network_file(target)
    network = bnml.load(source)
    network.save(target)
    if as_json:
        printing.print_json(outputs.written_summary(network, target))
        return
    print(f"{target}: {printing.printed_size(network)}")
