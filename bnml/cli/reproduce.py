"""``bnml reproduce``: the published experiments, at one command each."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bnml._text import wrapped_text
from bnml.cli import options, printing
from bnml.cli.progress import progress_bar
from bnml.experiments.registry import EXPERIMENTS

if TYPE_CHECKING:
    from bnml.experiments import Reproduction

__all__ = ["command"]

EXAMPLE = "Example: bnml reproduce regret-table --out tables"
OPTIONS = {"data": "--data"}

NAMES = "; ".join(f"{name} ({what})" for name, what in EXPERIMENTS.items())


def command(
    name: Annotated[
        str,
        typer.Argument(metavar="NAME", help=f"The experiment: {NAMES}.", autocompletion=lambda: list(EXPERIMENTS)),
    ],
    data: Annotated[
        Path | None, typer.Option("--data", metavar="DIR", help="The folder with data and published numbers.")
    ] = None,
    repetitions: Annotated[
        int | None,
        options.whole_number("--repetitions", metavar="R", help="How often random things are repeated."),
    ] = None,
    seed: Annotated[int, options.whole_number("--seed", metavar="S", help="Of all random numbers.")] = 0,
    threads: Annotated[
        int | None,
        options.whole_number("--threads", metavar="T", help="How many cores to use; all without."),
    ] = None,
    out: Annotated[
        Path, typer.Option("--out", metavar="DIR", help="Where a folder of results is made, or gone on with.")
    ] = Path("reproduced"),
    as_json: options.Json = False,
) -> None:
    """Reproduce a published experiment, and compare it with the published numbers."""
    from bnml.experiments import reproduce

    with progress_bar() if sys.stderr.isatty() else nullcontext() as progress:
        try:
            done = reproduce(
                name, data, repetitions=repetitions, seed=seed, threads=threads, out=out, progress=progress
            )
        except KeyboardInterrupt:
            print(f"what is done is kept in {out / name}; the same command goes on from there", file=sys.stderr)
            raise
    if as_json:
        printing.print_json(done.to_dict())
        return
    _print(done)


def _print(done: Reproduction) -> None:
    often = "" if done.repetitions is None else f", {done.repetitions:,} repetitions"
    print(wrapped_text(f"{done.experiment.name}: {EXPERIMENTS[done.experiment.name]}{often}"), end="\n\n")
    for finding in done.outcome.findings:
        indent = " " * (len(finding) - len(finding.lstrip()))
        print(wrapped_text(finding, later=indent + "  " * bool(indent)))
    before = f" ({done.resumed:,} of {done.parts:,} parts were done before)" if done.resumed else ""
    print(f"\n{done.seconds:.1f} s{before}; written to")
    print(f"{done.files[0].parent}:")
    names = " ".join(file.name for file in done.files)
    print(wrapped_text(names, "  ", "  "))
