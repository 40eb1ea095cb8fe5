"""Exact search: time, memory, and whether the memory was foreseen."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from benchmarks.figures import Figure
from benchmarks.samples import path_of

CASES = (
    # network, columns, rows, bars in seconds for bic and qnml, bar in GB
    ("child", 20, 1000, (1, 2.5), 1),
    ("child", 20, 10_000, (8, 20), 1),
    ("alarm", 25, 1000, (15, 60), 4),
)
LONG = (
    ("alarm", 28, 1000, (180, 600), 12),
    ("alarm", 30, 1000, (720, 2700), 16),
)
RULED = (
    # with five rows per cell: network, columns, rows, scores, bar in seconds
    ("child", 20, 1000, ("fnml", "bdeu"), 0.4),
    ("alarm", 25, 1000, ("bic", "qnml", "fnml", "bdeu"), 6),
)
LONG_RULED = (("alarm", 28, 1000, ("fnml",), 90),)
FORESEEN_FROM = 24  # variables; below, what Python itself takes outweighs the rest


def run(*, long: bool = False) -> list[Figure]:
    """Measure everything; the searches that take many minutes only with ``--long``."""
    figures = []
    for network, columns, rows, bars, most in (*CASES, *(LONG if long else ())):
        for score, bar in zip(("bic", "qnml"), bars, strict=True):
            figures += _search(network, columns, rows, score, bar, most)
    for score in ("bdeu", "fnml"):
        figures += _search("child", 20, 1000, score, None, None)
    for network, columns, rows, scores, bar in (*RULED, *(LONG_RULED if long else ())):
        figures += [_with_rule(network, columns, rows, score, bar) for score in scores]
    figures.append(_posterior())
    return figures


def _with_rule(network: str, columns: int, rows: int, score: str, bar: float) -> Figure:
    found = measure(network, columns, rows, score, "ruled")
    share = found["visited"] / 2**columns
    note = f"score {found['score']:,.3f}, {share:.2%} of the subsets visited, {found['peak'] / 1e9:.2f} GB"
    return Figure(f"{network} {columns} × {rows:,}, {score}, 5 rows per cell", found["seconds"], "s", bar, note=note)


def measure(
    network: str, columns: int, rows: int, score: str, task: str = "learn", prior: str = "sparse"
) -> dict[str, Any]:
    """Return the time, memory and result of one search in a process of its own."""
    path_of(network)  # says what is missing, if it is
    command = [sys.executable, "-m", "benchmarks.one_search", network, str(columns), str(rows), score, task, prior]
    root = Path(__file__).parent.parent
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=root)
    if done.returncode:
        raise RuntimeError(done.stderr)
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def _search(network: str, columns: int, rows: int, score: str, bar: float | None, most: float | None) -> list[Figure]:
    found = measure(network, columns, rows, score)
    peak, foreseen = found["peak"], found["bytes"]
    title = f"{network} {columns} × {rows:,}, {score}"
    share = found["visited"] / 2**columns
    note = f"score {found['score']:,.3f}, {share:.1%} of the subsets visited, {found['arithmetic']}"
    figures = [
        Figure(title, found["seconds"], "s", bar, note=note),
        Figure(f"{title}: memory", peak / 1e9, "GB", most, note=f"foreseen {foreseen / 1e9:.3g} GB"),
    ]
    if columns >= FORESEEN_FROM:
        off = abs(foreseen / peak - 1.0) * 100
        figures.append(Figure(f"{title}: memory foreseen", off, "% off", 15))
    return figures


def _posterior() -> Figure:
    found = measure("child", 20, 1000, "bdeu", "posterior")
    note = f"order prior, {found['peak'] / 1e9:.2f} GB"
    return Figure("posterior, child 20 × 1,000, bdeu", found["seconds"], "s", 15, note=note)
