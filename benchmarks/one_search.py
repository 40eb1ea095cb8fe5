"""One exact search or posterior in a process of its own: ``python -m benchmarks.one_search alarm 28 1000 bic``."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

import bnml
from benchmarks.samples import sample

QUICK = 5.0  # seconds; a shorter run is repeated


def main(
    network: str, columns: int, rows: int, score: str, task: str = "learn", prior: str = "sparse"
) -> dict[str, Any]:
    """Return the shortest time, the peak of the memory, and what the search says of itself."""
    _, labels, codes = sample(network, rows)
    states = {f"X{i}": list(range(len(labels[i]))) for i in range(columns)}
    data = bnml.read(np.ascontiguousarray(codes[:, :columns]), states=states)

    def search(table: bnml.Data) -> Any:
        if task == "posterior":
            return bnml.posterior(table, score, prior="order", structure_prior="uniform", rows_per_cell=0)
        if task == "ruled":
            return bnml.learn(table, score, search="exact", rows_per_cell=5, prior=prior)
        return bnml.learn(table, score, search="exact", method="lattice", rows_per_cell=0, prior=prior)

    search(data.select(data.names[:12]))  # machine code is loaded
    times: list[float] = []
    while not times or (sum(times) < 5 * QUICK and len(times) < 5):
        started = time.perf_counter()
        result = search(data)
        times.append(time.perf_counter() - started)
    peak = int(Path("/proc/self/status").read_text(encoding="ascii").split("VmHWM:")[1].split()[0]) * 1024
    told = {} if task == "posterior" else {"score": result.score, **result.info}
    return {"seconds": min(times), "peak": peak, **told}


if __name__ == "__main__":
    network_, columns_, rows_, *rest = sys.argv[1:]
    print(json.dumps(main(network_, int(columns_), int(rows_), *rest)))
