"""``bnml score``: how well a structure explains a table."""

from __future__ import annotations

import math

import bnml
from bnml.cli import common

__all__ = ["command"]

EXAMPLE = "Example: bnml score '[smoke][lung|smoke]' survey.csv --columns smoke,lung --score bdeu:10"


@common.reads_a_table
def command(
    structure: common.Structure,
    table: common.TableReader,
    score: common.ScoreName = "qnml",
    prior_network: common.PriorNetwork = None,
    as_json: common.Json = False,
) -> None:
    """Score a structure: in all, and for each variable with fit and penalty apart."""
    chosen = common.score_of(score, prior_network)
    dag = common.structure_of(structure)
    data = table()
    total = bnml.score(dag, data, chosen)
    if isinstance(chosen, bnml.scores.NML):
        _whole_forest(dag, data, total, as_json=as_json)
        return
    families = [(x, dag.parents(x), *bnml.family_score(x, dag.parents(x), data, chosen, parts=True)) for x in dag.names]
    if as_json:
        common.print_json(
            {
                "score": total,
                "name": score,
                "rows": data.n_rows,
                "families": [
                    {"variable": x, "parents": list(above), "score": fit - penalty, "fit": fit, "penalty": penalty}
                    for x, above, fit, penalty in families
                ],
            }
        )
        return
    _report(score, total, families)


def _whole_forest(dag: bnml.DAG, data: bnml.Data, total: float, *, as_json: bool) -> None:
    """Show the exact NML of a forest, which is no sum over families."""
    fit = bnml.score(dag, data, "loglik")
    if as_json:
        common.print_json({"score": total, "name": "nml", "rows": data.n_rows, "fit": fit, "penalty": fit - total})
        return
    print(f"fit      {fit:>16,.3f}\npenalty  {fit - total:>16,.3f}\nnml      {total:>16,.3f}")


def _report(name: str, total: float, families: list[tuple[str, tuple[str, ...], float, float]]) -> None:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    grid = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_footer=True)
    grid.add_column("variable", "in all", overflow="fold", style="bold")
    grid.add_column("parents", overflow="fold")
    fit, penalty = math.fsum(row[2] for row in families), math.fsum(row[3] for row in families)
    for title, value in (("fit", fit), ("penalty", penalty), (name, total)):
        grid.add_column(title, f"{value:,.3f}", justify="right", no_wrap=True)
    for x, above, family_fit, family_penalty in families:
        numbers = (f"{value:,.3f}" for value in (family_fit, family_penalty, family_fit - family_penalty))
        grid.add_row(Text(x), Text(", ".join(above)), *numbers)
    common.console().print(grid)
