"""``bnml strength``: what each arc of a structure is worth."""

from __future__ import annotations

import bnml
from bnml._plain import records
from bnml.cli import options, printing, reading
from bnml.cli.option_groups import takes_groups
from bnml.cli.searches import ArcPrior, ChosenScore

EXAMPLE = "Example: bnml strength survey.bif survey.csv --score bic"


@takes_groups
def command(
    structured: reading.StructuredTable,
    chosen: ChosenScore,
    *,
    arc_prior: ArcPrior,
    as_json: options.Json = False,
) -> None:
    """Show for each arc what the score loses without it, before and after its cost, and how it is tested."""
    frame = bnml.strength(*structured(), chosen.score, prior=arc_prior)
    if as_json:
        printing.print_json({"score_name": chosen.name, "arcs": records(frame)})
        return
    rows = [
        [f"{a} -> {b}", f"{gain:,.3f}", f"{net:,.3f}", f"{information:.4f}", printing.printed_p_value(p, sparse=sparse)]
        for a, b, gain, net, information, p, _, sparse in frame.itertuples(index=False)
    ]
    printing.print_grid(["arc", f"{chosen.name} gained", "net", "information", "p-value"], rows)
    print("The net gain is what is left after the cost of an arc under the structure prior.")
    print("Information in nats and p-values (G²) are given the other parents of the child.")
    if frame["sparse"].any():
        print(printing.SPARSE)
