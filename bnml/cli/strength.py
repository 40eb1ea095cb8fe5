"""``bnml strength``: what each arc of a structure is worth."""

from __future__ import annotations

import bnml
from bnml._plain import records
from bnml.cli import common

__all__ = ["command"]

EXAMPLE = "Example: bnml strength survey.bif survey.csv --score bic"


@common.reads_a_table
def command(
    structure: common.Structure,
    table: common.TableReader,
    score: common.ScoreName = "qnml",
    prior_network: common.PriorNetwork = None,
    as_json: common.Json = False,
) -> None:
    """Show for each arc what the score loses without it, its mutual information, and its p-value."""
    chosen = common.score_of(score, prior_network)
    dag = common.structure_of(structure)
    frame = bnml.strength(dag, table(), chosen)
    if as_json:
        common.print_json({"score_name": score, "arcs": records(frame)})
        return
    from rich import box
    from rich.table import Table
    from rich.text import Text

    grid = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    grid.add_column("arc", overflow="fold")
    for title in (f"{score} gained", "information", "p-value"):
        grid.add_column(title, justify="right", no_wrap=True)
    for a, b, gain, information, p in frame.itertuples(index=False):
        grid.add_row(Text(f"{a} -> {b}"), f"{gain:,.3f}", f"{information:.4f}", f"{p:.2g}")
    common.console().print(grid)
    print("Information in nats and p-values (G²) are given the other parents of the child.")
