"""``bnml compare``: how far two structures are apart."""

from __future__ import annotations

from typing import Annotated

import typer

from bnml.cli import options, printing, reading
from bnml.graph.distance import difference

__all__ = ["command"]

EXAMPLE = "Example: bnml compare '[A][B|A][C|B]' '[A][C][B|A:C]'"

SIDE = "A model string such as '[A][B|A]', or a network file."


def command(
    a: Annotated[str, typer.Argument(metavar="A", help=SIDE)],
    b: Annotated[str, typer.Argument(metavar="B", help=SIDE)],
    as_json: options.Json = False,
) -> None:
    """Compare two structures: structural Hamming distance, arcs in common and not."""
    first, second = reading.structure_of(a), reading.structure_of(b)
    found = difference(first, second)
    if as_json:
        printing.print_json(found.to_dict())
        return
    print(f"structural Hamming distance {found.shd} between the equivalence classes, {found.shd_dag} between the DAGs")
    if found.equivalent:
        print("the structures are equivalent: no data can tell them apart")
    groups = {
        "in both": found.shared,
        "reversed in B": found.reversed,
        "only in A": found.only_a,
        "only in B": found.only_b,
    }
    for title, arcs in groups.items():
        if arcs:
            print(f"{title} ({len(arcs)}):")
            for x, y in arcs:
                print(f"  {x} -> {y}")
