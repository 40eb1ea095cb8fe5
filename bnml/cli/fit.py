"""``bnml fit``: a structure becomes a network."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

import bnml
from bnml.cli import common

__all__ = ["command"]

EXAMPLE = "Example: bnml fit '[smoke][lung|smoke]' survey.csv -o survey.bif"


def command(
    structure: common.Structure,
    data: common.DataFile,
    output: Annotated[Path, typer.Option("-o", "--output", metavar="NET", help="The network file to write.")],
    estimator: Annotated[str, typer.Option("--estimator", help="Parameters: snml, bpp or mle.")] = "snml",
    ess: Annotated[float, typer.Option("--ess", help="Equivalent sample size of bpp.")] = 1.0,
    columns: common.Columns = None,
    drop: common.Drop = None,
    missing: common.Missing = "error",
    na_values: common.NaValues = None,
    states: common.States = None,
    bins: common.Bins = None,
    weights: common.Weights = None,
    config: common.Config = None,
    as_json: common.Json = False,
) -> None:
    """Estimate the parameters of a structure from data and write the network to a file."""
    from bnml.network.files import check_target

    check_target(output)
    dag = common.structure_of(structure)
    table = common.read_data(
        data, columns=columns, drop=drop, missing=missing, na_values=na_values, states=states, bins=bins,
        weights=weights, config=config,
    )  # fmt: skip
    network = bnml.fit(dag, table, estimator, ess)
    network.save(output)
    if as_json:
        common.print_json(
            {
                "file": str(output),
                "variables": len(network.names),
                "arcs": [list(arc) for arc in network.dag.arcs],
                "parameters": network.n_parameters,
                "estimator": estimator,
            }
        )
        return
    print(f"{output}: {common.size_of(network)} ({estimator})")
