"""``bnml bootstrap``: which arcs come back in other samples of the rows."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from bnml.cli import options, printing, reading
from bnml.cli.option_groups import takes_groups
from bnml.cli.searches import search_names
from bnml.graph.rules import ROWS_PER_CELL
from bnml.scores.priors import DEFAULT_PRIOR

__all__ = ["command"]

EXAMPLE = "Example: bnml bootstrap survey.csv --search tabu --repetitions 500"

Repetitions = Annotated[int, options.whole_number("--repetitions", metavar="R", help="How many tables are drawn.")]
Resampling = Annotated[
    str,
    typer.Option("--resampling", metavar="NAME", help="halves: without replacement; bootstrap: with replacement."),
]
Search = Annotated[
    str,
    typer.Option(
        "--search", metavar="NAME", autocompletion=search_names, help="The search for each table, as for learn."
    ),
]
Seed = Annotated[int, options.whole_number("--seed", metavar="S", help="Of the drawing of rows.")]
Threads = Annotated[int | None, options.whole_number("--threads", metavar="T", help="How many; all cores without.")]


@takes_groups
def command(
    table: reading.TableReader,
    chosen: reading.ChosenScore,
    search: Search = "auto",
    repetitions: Repetitions = 200,
    resampling: Resampling = "halves",
    rows_per_cell: options.RowsPerCell = ROWS_PER_CELL,
    prior: options.Prior = DEFAULT_PRIOR,
    prior_links: options.PriorLinks = None,
    seed: Seed = 0,
    threads: Threads = None,
    as_json: options.Json = False,
) -> None:
    """Learn from samples of the rows, and count how often each arc is found."""
    from bnml.uncertainty.bootstrap import bootstrap_as_asked, bootstrap_request

    shown = sys.stderr.isatty()
    asked = bootstrap_request(
        chosen.score, search, repetitions=repetitions, resampling=resampling, rows_per_cell=rows_per_cell,
        prior=reading.read_prior(prior, prior_links), seed=seed, threads=threads, progress=_tell if shown else None,
    )  # fmt: skip
    data = table()
    try:
        result = bootstrap_as_asked(asked, data)
    finally:
        if shown:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)
    if as_json:
        printing.print_json({**result.to_dict(), "score_name": chosen.name})
        return
    print(result)


def _tell(stage: str, fraction: float) -> None:
    print(f"\r{stage}", end="", file=sys.stderr, flush=True)
