"""Run measurements and print figure, bar, ok or miss."""

from __future__ import annotations

import argparse
import datetime
import importlib
import inspect
import os
import platform
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks.figures import Figure
from benchmarks.samples import NoNetworksError

BENCHMARKS = (
    "core", "networks", "exact", "certified", "uci", "heuristics", "forests", "independence", "sampling", "gaps",
    "priors", "experiments", "scale",
)  # fmt: skip


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the named benchmark, or all of them; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("name", choices=[*BENCHMARKS, "all"])
    parser.add_argument("--check", action="store_true", help="exit with status 1 if a figure misses its bar")
    parser.add_argument("--long", action="store_true", help="measure what takes many minutes, too")
    options = parser.parse_args(arguments)
    names = BENCHMARKS if options.name == "all" else (options.name,)
    if options.name == "all":
        print(heading())
    figures: list[Figure] = []
    for name in names:
        try:
            measure = importlib.import_module(f"benchmarks.{name}").run
            found = measure(long=options.long) if "long" in inspect.signature(measure).parameters else measure()
        except NoNetworksError as error:
            print(f"{name}: {error}", file=sys.stderr)
            return 1
        figures += found
        print(table(found, title=name))
    missed = [figure.name for figure in figures if figure.verdict == "miss"]
    if missed:
        print(f"missed: {', '.join(missed)}", file=sys.stderr)
    return 1 if options.check and missed else 0


def heading() -> str:
    """Return date, machine and commit."""
    root = Path(__file__).parent.parent
    commit = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], cwd=root, capture_output=True, text=True, check=False
    )
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return (
        f"{datetime.datetime.now(datetime.UTC):%Y-%m-%d}, {platform.machine()} with {cores} cores, "
        f"Python {platform.python_version()}, commit {commit.stdout.strip() or 'unknown'}\n"
    )


def table(figures: Sequence[Figure], title: str) -> str:
    """Return the figures as a Markdown table."""
    rows = [[title, "figure", "bar", "", "how"], *(figure.row() for figure in figures)]
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    lines = [
        "| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) + " |" for row in rows
    ]
    lines.insert(1, "|" + "|".join("-" * (width + 2) for width in widths) + "|")
    return "\n".join(lines)


if __name__ == "__main__":
    raise SystemExit(main())
