"""``bnml compare``: how far two structures are apart."""

from __future__ import annotations

from typing import Annotated

import typer

import bnml
from bnml.cli import common

__all__ = ["command"]

EXAMPLE = "Example: bnml compare '[A][B|A][C|B]' '[A][C][B|A:C]'"

SIDE = "A model string such as '[A][B|A]', or a network file."


def command(
    a: Annotated[str, typer.Argument(metavar="A", help=SIDE)],
    b: Annotated[str, typer.Argument(metavar="B", help=SIDE)],
    as_json: common.Json = False,
) -> None:
    """Compare two structures: structural Hamming distance, arcs in common and not."""
    first, second = common.structure_of(a), common.structure_of(b)
    distance, between_dags = bnml.shd(first, second), bnml.shd(first, second, of="dag")
    arcs, others = set(first.arcs), set(second.arcs)
    links = {frozenset(arc) for arc in others}
    shared = [arc for arc in first.arcs if arc in others]
    turned = [arc for arc in first.arcs if arc[::-1] in others]
    only_a = [arc for arc in first.arcs if frozenset(arc) not in links]
    only_b = [arc for arc in second.arcs if arc not in arcs and arc[::-1] not in arcs]
    if as_json:
        common.print_json(
            {
                "shd": distance,
                "shd_dag": between_dags,
                "equivalent": first.is_equivalent(second),
                "shared": shared,
                "reversed": turned,
                "only_a": only_a,
                "only_b": only_b,
            }
        )
        return
    print(f"structural Hamming distance {distance} between the equivalence classes, {between_dags} between the DAGs")
    if first.is_equivalent(second):
        print("the structures are equivalent: no data can tell them apart")
    for title, found in (("in both", shared), ("reversed in B", turned), ("only in A", only_a), ("only in B", only_b)):
        if found:
            print(f"{title} ({len(found)}):")
            for x, y in found:
                print(f"  {x} -> {y}")
