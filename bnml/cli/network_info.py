"""What ``bnml info`` says of a network file."""

from __future__ import annotations

from math import prod
from typing import Any

import bnml
from bnml._text import number_of, printable, shortened, text_table
from bnml.cli import printing
from bnml.data.labels import label_text

LONGEST_NAME = 26


def show_network(path: str, *, as_json: bool) -> None:
    """Print what a network file holds: its variables, their states and parents, and how large its tables are."""
    from bnml.network.inference import inference_size

    network = bnml.load(path)
    size = inference_size(network)
    if as_json:
        printing.print_json(_summary(network, size))
        return
    print(f"{printing.printed_size(network)}\n")
    rows = [
        [
            shortened(x, LONGEST_NAME),
            str(len(network.states[x])),
            f"{network.probabilities(x).size:,}",
            ", ".join(map(printable, network.dag.parents(x))),
            ", ".join(printable(label_text(label)) for label in network.states[x]),
        ]
        for x in network.names
    ]
    titles = ["variable", "states", "numbers", "parents", "labels"]
    for line in text_table(rows, "lrrss", titles, ruled=True):
        print(line)
    print()
    for x, points in network.cuts.items():
        print(f"{printable(x)} is cut at {', '.join(f'{cut:g}' for cut in points)}")
    if size is None:
        print("exact inference: a junction tree is too large to be kept, so each question is worked out for itself")
    else:
        print(f"exact inference: a junction tree of {number_of(size, 'number')}")


def _summary(network: bnml.BayesianNetwork, size: int | None) -> dict[str, Any]:
    return {
        "variables": [
            {
                "name": x,
                "states": list(network.states[x]),
                "parents": list(network.dag.parents(x)),
                "children": list(network.dag.children(x)),
                "parameters": prod(len(network.states[p]) for p in network.dag.parents(x))
                * (len(network.states[x]) - 1),
                "cuts": list(network.cuts[x]) if x in network.cuts else None,
            }
            for x in network.names
        ],
        "arcs": [list(arc) for arc in network.dag.arcs],
        "parameters": network.n_parameters,
        "model": str(network.dag),
        "junction_tree_numbers": size,
    }
