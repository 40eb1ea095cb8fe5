"""Exact search: time, memory, and whether the memory was foreseen."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from benchmarks.figures import Figure
from benchmarks.samples import path_of

__all__ = ["run"]

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
FORESEEN_FROM = 24  # variables; below, what Python itself takes outweighs the rest
QUICK = 5  # seconds; such a run is repeated

PROGRAM = """
import json, sys, time
from pathlib import Path
import numpy as np
import bnml
from benchmarks.samples import sample

network, columns, rows, score, task = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4], sys.argv[5]
names, labels, codes = sample(network, rows)
states = {f"X{i}": list(range(len(labels[i]))) for i in range(columns)}
data = bnml.read(np.ascontiguousarray(codes[:, :columns]), states=states)

def learn(data):
    if task == "posterior":
        return bnml.posterior(data, score, prior="order")
    return bnml.learn(data, score, search="exact")

learn(data.select(data.names[:12]))  # machine code is loaded
times = []
while not times or (sum(times) < 5 * float(sys.argv[6]) and len(times) < 5):
    started = time.perf_counter()
    result = learn(data)
    times.append(time.perf_counter() - started)
peak = int(Path("/proc/self/status").read_text().split("VmHWM:")[1].split()[0]) * 1024
info = dict(getattr(result, "info", {}))
value = getattr(result, "score", None) if task == "learn" else None
print(json.dumps([min(times), peak, value, info.get("bytes"), info.get("visited"), info.get("arithmetic")]))
"""


def run(*, long: bool = False) -> list[Figure]:
    """Measure everything; the searches that take many minutes only with ``--long``."""
    figures = []
    for network, columns, rows, bars, most in (*CASES, *(LONG if long else ())):
        for score, bar in zip(("bic", "qnml"), bars, strict=True):
            figures += _search(network, columns, rows, score, bar, most)
    for score in ("bdeu", "fnml"):
        figures += _search("child", 20, 1000, score, None, None)
    figures.append(_posterior())
    return figures


def _measure(network: str, columns: int, rows: int, score: str, task: str) -> tuple[float, int, float, int, int, str]:
    path_of(network)  # says what is missing, if it is
    arguments = [network, str(columns), str(rows), score, task, str(QUICK)]
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *arguments],
        capture_output=True,
        text=True,
        check=False,
        cwd=Path(__file__).parent.parent,
    )
    if done.returncode:
        raise RuntimeError(done.stderr)
    seconds, peak, value, foreseen, visited, arithmetic = json.loads(done.stdout)
    return seconds, peak, value, foreseen, visited, arithmetic


def _search(
    network: str, columns: int, rows: int, score: str, bar: float | None, most: float | None
) -> list[Figure]:
    seconds, peak, value, foreseen, visited, arithmetic = _measure(network, columns, rows, score, "learn")
    title = f"{network} {columns} × {rows:,}, {score}"
    note = f"score {value:,.3f}, {visited / 2**columns:.1%} of the subsets visited, {arithmetic}"
    figures = [
        Figure(title, seconds, "s", bar, note=note),
        Figure(f"{title}: memory", peak / 1e9, "GB", most, note=f"foreseen {foreseen / 1e9:.3g} GB"),
    ]
    if columns >= FORESEEN_FROM:
        off = abs(foreseen / peak - 1.0) * 100
        figures.append(Figure(f"{title}: memory foreseen", off, "% off", 15))
    return figures


def _posterior() -> Figure:
    seconds, peak, *_ = _measure("child", 20, 1000, "bdeu", "posterior")
    return Figure("posterior, child 20 × 1,000, bdeu", seconds, "s", 15, note=f"order prior, {peak / 1e9:.2f} GB")
