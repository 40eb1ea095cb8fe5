"""``bnml score``: how well a structure explains a table."""

from __future__ import annotations

import math

import bnml
from bnml.cli import options, printing, reading
from bnml.cli.option_groups import takes_groups
from bnml.cli.searches import ChosenScore
from bnml.data.data import refuse_gaps
from bnml.errors import function

EXAMPLE = "Example: bnml score '[smoke][lung|smoke]' survey.csv --columns smoke,lung --score bdeu:10"


@takes_groups
def command(structured: reading.StructuredTable, chosen: ChosenScore, as_json: options.Json = False) -> None:
    """Score a structure: in all, and for each variable with fit and penalty apart."""
    name, score = chosen
    dag, data = structured()
    refuse_gaps(data, function("bnml.score"))
    total = bnml.score(dag, data, score)
    if isinstance(score, bnml.scores.NML):
        _whole_forest(dag, data, total, as_json=as_json)
        return
    families = [(x, dag.parents(x), *bnml.family_score(x, dag.parents(x), data, score, parts=True)) for x in dag.names]
    if as_json:
        printing.print_json(
            {
                "score": total,
                "name": name,
                "rows": data.n_rows,
                "families": [
                    {"variable": x, "parents": list(above), "score": fit - penalty, "fit": fit, "penalty": penalty}
                    for x, above, fit, penalty in families
                ],
            }
        )
        return
    _report(name, total, families)


def _whole_forest(dag: bnml.DAG, data: bnml.Data, total: float, *, as_json: bool) -> None:
    """Show the exact NML of a forest, which is no sum over families."""
    fit = bnml.score(dag, data, "loglik")
    if as_json:
        printing.print_json({"score": total, "name": "nml", "rows": data.n_rows, "fit": fit, "penalty": fit - total})
        return
    print(f"fit      {fit:>16,.3f}\npenalty  {fit - total:>16,.3f}\nnml      {total:>16,.3f}")


def _report(name: str, total: float, families: list[tuple[str, tuple[str, ...], float, float]]) -> None:
    fit, penalty = math.fsum(row[2] for row in families), math.fsum(row[3] for row in families)
    rows = [
        [x, ", ".join(above), *(f"{value:,.3f}" for value in (family_fit, family_penalty, family_fit - family_penalty))]
        for x, above, family_fit, family_penalty in families
    ]
    sums = ["in all", "", *(f"{value:,.3f}" for value in (fit, penalty, total))]
    printing.print_grid(["variable", "parents", "fit", "penalty", name], rows, sums, texts=2)
