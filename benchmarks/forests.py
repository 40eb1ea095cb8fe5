"""The exact NML of forests: trees, long samples, and inner variables with three values."""

from __future__ import annotations

import json
import os
import subprocess
import sys

from benchmarks.figures import Figure

PROGRAM = """
import json, sys, time
from pathlib import Path
import numpy as np
import bnml
parents, arity, rows = json.loads(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
rng = np.random.default_rng(6)
table = np.empty((rows, len(parents)), int)
for x, above in enumerate(parents):
    noise = rng.integers(0, arity, rows)
    table[:, x] = noise if above is None else np.where(rng.random(rows) < 0.6, table[:, above], noise)
names = [f"X{x}" for x in range(len(parents))]
data = bnml.read(table, states={name: list(range(arity)) for name in names})
dag = bnml.DAG(names, [(names[above], names[x]) for x, above in enumerate(parents) if above is not None])
bnml.score(dag, data, "loglik")  # machine code is loaded
start = time.perf_counter()
if len(sys.argv) > 4:
    result = bnml.search.nml_forest(data)
    value, steps = result.score, result.info["steps"]
else:
    value, steps = bnml.score(dag, data, "nml"), 0
seconds = time.perf_counter() - start
peak = Path("/proc/self/status").read_text().split("VmHWM:")[1].split()[0]
print(json.dumps([seconds, int(peak) / 2**20, value, bnml.score(dag, data, "qnml"), steps]))
"""


def run() -> list[Figure]:
    """Measure everything, each in a process of its own."""
    heap: list[int | None] = [None, *((x - 1) // 2 for x in range(1, 50))]
    chain: list[int | None] = [None, *range(9)]
    irregular: list[int | None] = [None, *(x * 7 % 11 % x for x in range(1, 20))]
    return [
        _figure("binary tree of 50 variables, 1000 rows", heap, 2, 1000, 5),
        _figure("binary chain of 10 variables, 5000 rows", chain, 2, 5000, 60),
        _figure("20 variables of three values, 100 rows", irregular, 3, 100, 30),
        _figure("search, 20 binary variables, 1000 rows", irregular, 2, 1000, None, search=True),
    ]


def _figure(
    name: str, parents: list[int | None], arity: int, rows: int, bar: float | None, *, search: bool = False
) -> Figure:
    arguments = [json.dumps(parents), str(arity), str(rows), *(["search"] if search else [])]
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *arguments], capture_output=True, text=True, check=True, env=dict(os.environ)
    )
    seconds, gigabytes, value, other, steps = json.loads(done.stdout)
    if gigabytes > 2 and bar is not None:
        seconds = float("inf")
    note = f"peak {gigabytes:.2f} GB of 2 allowed; nml {value:,.2f}, qnml of the true forest {other:,.2f}"
    return Figure(name, seconds, "s", bar, note=note + (f", {steps} steps" if search else ""))
