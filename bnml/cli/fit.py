"""``bnml fit``: a structure becomes a network."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

import bnml
from bnml.cli import options, outputs, printing, reading
from bnml.cli.option_groups import takes_groups

EXAMPLE = "Example: bnml fit '[smoke][lung|smoke]' survey.csv --columns smoke,lung -o survey.bif"


@takes_groups
def command(
    structured: reading.StructuredTable,
    output: Annotated[Path, typer.Option("-o", "--output", metavar="NET", help="The network file to write.")],
    estimator: Annotated[
        str,
        typer.Option("--estimator", help="Parameters: snml, bpp, mle, or em (mle for incomplete data)."),
    ] = "snml",
    ess: Annotated[float, typer.Option("--ess", help="Equivalent sample size of bpp.")] = 1.0,
    as_json: options.Json = False,
) -> None:
    """Estimate the parameters of a structure from data and write the network to a file."""
    from bnml.network.files import check_network_file

    check_network_file(output)
    dag, data = structured()
    network = bnml.fit(dag, data, estimator, ess)
    network.save(output)
    if as_json:
        printing.print_json({**outputs.written_summary(network, output), "estimator": estimator})
        return
    print(f"{output}: {printing.printed_size(network)} ({estimator})")
