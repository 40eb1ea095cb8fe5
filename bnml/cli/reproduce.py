"""``bnml reproduce``: the published experiments, at one command each."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bnml._text import seconds_text, wrapped_text
from bnml.cli import options, printing
from bnml.cli.progress import progress_bar
from bnml.errors import ArgumentError, argument
from bnml.experiments.registry import EXPERIMENTS

if TYPE_CHECKING:
    from bnml.experiments import Reproduction, Reproductions

ALL = "all"
EXAMPLE = "Example: bnml reproduce regret-table --out tables"
OPTIONS = {"data": "--data", "ties": "--ties", "regret": "--regret"}

NAMES = "; ".join(f"{name} ({what})" for name, what in EXPERIMENTS.items())


def command(
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME",
            help=f"The experiment: {NAMES}; or all, for all but the longest, and one page with their claims.",
            autocompletion=lambda: [*EXPERIMENTS, "all"],
        ),
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
    ties: Annotated[
        str | None,
        typer.Option(
            metavar="RULE", help="Which of several best structures is taken: first (found) or package (bnml's)."
        ),
    ] = None,
    regret: Annotated[
        str | None,
        typer.Option(metavar="HOW", help="How the regret of qNML is computed: exact or eq7, an approximation."),
    ] = None,
    out: Annotated[
        Path, typer.Option("--out", metavar="DIR", help="Where a folder of results is made, or gone on with.")
    ] = Path("reproduced"),
    as_json: options.Json = False,
) -> None:
    """Reproduce a published experiment, and compare it with the published numbers."""
    from bnml.experiments import Reproductions, reproduce, reproduce_all

    if name == ALL and (ties or regret):
        raise ArgumentError(argument("ties" if ties else "regret") + f" is for one experiment: {ALL} shows both")
    run: Callable[..., Reproduction | Reproductions] = partial(reproduce, name, ties=ties, regret=regret)
    with progress_bar() if sys.stderr.isatty() else nullcontext() as progress:
        try:
            done = (reproduce_all if name == ALL else run)(
                data, repetitions=repetitions, seed=seed, threads=threads, out=out, progress=progress
            )
        except KeyboardInterrupt:
            kept = out if name == ALL else out / name
            print(f"what is done is kept in {kept}; the same command goes on from there", file=sys.stderr)
            raise
    if as_json:
        printing.print_json(done.to_dict())
    elif isinstance(done, Reproductions):
        _print_all(done)
    else:
        _print(done)


def _print_all(done: Reproductions) -> None:
    for one in done.done:
        print(f"{one.experiment.name} ({seconds_text(one.processor_seconds)} of processor time)")
        for claim in one.outcome.claims:
            print(wrapped_text(f"{claim.verdict}: {claim.sentence} {claim.numbers} [{claim.band}]", "  ", "    "))
    told = ", ".join(f"{number} {verdict}" for verdict, number in done.verdicts.items())
    print()
    print(wrapped_text(f"{sum(done.verdicts.values())} claims: {told}."))
    if done.left_out:
        print(wrapped_text(f"Not among them, as they take too long: {', '.join(done.left_out)}."))
    print(f"{done.seconds:.1f} s; written to")
    for file in done.files:
        print(f"  {file}")


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
