"""``bnml bootstrap``: which arcs come back in other samples of the rows."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

import bnml
from bnml.cli import options, printing, reading
from bnml.cli.option_groups import takes_groups
from bnml.cli.searches import ArcPrior, ChosenScore, Limits, search_names
from bnml.data.read import DeferredTable

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


@takes_groups
def command(
    table: reading.TableReader,
    chosen: ChosenScore,
    search: Search = "auto",
    repetitions: Repetitions = 200,
    resampling: Resampling = "halves",
    *,
    arc_prior: ArcPrior,
    untimed: Limits,
    as_json: options.Json = False,
) -> None:
    """Learn from samples of the rows, and count how often each arc is found."""
    shown = sys.stderr.isatty()
    try:
        result = bnml.bootstrap(
            DeferredTable(table), chosen.score, search, repetitions=repetitions, resampling=resampling,
            prior=arc_prior, progress=_tell if shown else None, **untimed,
        )  # fmt: skip
    finally:
        if shown:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)
    if as_json:
        printing.print_json({**result.to_dict(), "score_name": chosen.name})
        return
    print(result)


def _tell(stage: str, fraction: float) -> None:
    print(f"\r{stage}", end="", file=sys.stderr, flush=True)
