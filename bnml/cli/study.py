"""``bnml study``: the five steps from a table to a network that one can answer for, and a report."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from bnml._text import shortened
from bnml.cli import options, printing, reading
from bnml.cli.constraints import Known
from bnml.cli.outputs import check_outputs
from bnml.cli.searches import Search
from bnml.graph.rules import ROWS_PER_CELL

__all__ = ["command"]

EXAMPLE = "Example: bnml study survey.csv --target lung --tiers 'age,smoke|lung|xray' -o report.html"

Target = Annotated[str | None, typer.Option("--target", metavar="X", help="The variable of interest.")]
Significance = Annotated[
    float, typer.Option("--significance", metavar="0.05", parser=options.parse_level, help="The level of the tests.")
]
Repetitions = Annotated[
    int,
    typer.Option(
        "--repetitions", metavar="R", parser=options.parse_whole, help="Halves of the rows that are drawn; 0 for none."
    ),
]
Output = Annotated[
    Path | None, typer.Option("-o", "--output", metavar="REPORT.html", help="The whole report, as one HTML file.")
]


@reading.takes_groups
def command(
    *,
    table: reading.TableReader,
    known: Known,
    data: options.DataOrExample = None,
    target: Target = None,
    output: Output = None,
    as_json: options.Json = False,
    chosen: reading.ChosenScore,
    search: Search = "auto",
    significance: Significance = 0.05,
    repetitions: Repetitions = 100,
    max_parents: options.MaxParents = None,
    rows_per_cell: options.RowsPerCell = ROWS_PER_CELL,
    seed: options.Seed = 0,
    threads: options.Threads = None,
    memory_limit: options.MemoryLimit = None,
) -> None:
    """Select features, learn a network, and say how sure and how strong its links are; with a report to read."""
    from bnml.five_steps.steps import study_as_asked, study_request

    if output is not None:
        check_outputs([("-o", output, (".html", ".htm"))])
    shown = sys.stderr.isatty()
    asked = study_request(
        target, search, {}, score=chosen.score, alpha=significance, repetitions=repetitions, max_parents=max_parents,
        rows_per_cell=rows_per_cell, seed=seed, threads=threads, memory_limit=memory_limit,
        progress=_tell if shown else None,
    )  # fmt: skip
    rows = table(other_bins="auto")
    try:
        found = study_as_asked(replace(asked, learning=asked.learning.completed(known(rows.names))), rows)
    finally:
        if shown:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)
    if output is not None:
        found.save(output, _title(data, target))
    if as_json:
        printing.print_json({**found.to_dict(), "report": None if output is None else str(output)})
        return
    if data is None:
        print("The bundled example: patients of a fictitious chest clinic\n")
    print(found)
    said = "-o report.html writes all of it, with pictures." if output is None else f"With pictures: {output}"
    print(f"\n{said}")


def _tell(stage: str, fraction: float) -> None:
    print(f"\r\x1b[K{fraction:4.0%} {shortened(stage, 60)}", end="", file=sys.stderr, flush=True)


def _title(data: Path | None, target: str | None) -> str:
    about = f": {shortened(target, 60)}" if target is not None else ""
    return f"A study of {'the chest clinic' if data is None else data.name}{about}"
