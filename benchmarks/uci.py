"""The twenty discretised UCI tables of the qNML paper, solved exactly under four scores."""

from __future__ import annotations

import csv
import time
import warnings

import bnml
from benchmarks.figures import Figure
from benchmarks.samples import FOLDER, NoNetworksError

TABLES = FOLDER.parent / "uci-discretised"
SCORES = ("bic", "bdeu", "fnml", "qnml")


def run() -> list[Figure]:
    """Measure reading and solving each table."""
    if not (TABLES / "summary.csv").exists():
        raise NoNetworksError(f"this benchmark needs the tables in {TABLES.name}/ of the shared data")
    with (TABLES / "summary.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    figures, total = [], 0.0
    for row in rows:
        started = time.perf_counter()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # a column with one state
            data = bnml.read(TABLES / row["file"], states=TABLES / f"{row['data']}.vd")
        results = [bnml.learn(data, score, search="exact", rows_per_cell=0, prior="uniform") for score in SCORES]
        seconds = time.perf_counter() - started
        total += seconds
        assert all(result.optimal for result in results)
        size = f"{len(data.names)} × {data.n_rows:,}"
        found = ", ".join(f"{score} {r.score:,.2f}" for score, r in zip(SCORES, results, strict=True))
        figures.append(Figure(f"{row['data']} {size}", seconds, "s", note=found))
    return [*figures, Figure(f"all {len(rows)} tables, four scores each", total, "s", 180, note="first run included")]
