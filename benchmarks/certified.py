"""Proven optima beyond thirty variables: time from the table to the proof, or the gap that is left."""

from __future__ import annotations

import json
import subprocess
import sys
import time
import warnings
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

import bnml
from benchmarks.figures import Figure
from benchmarks.samples import path_of, sample

GAP = 0.3  # percent of the score, where a proof is not asked for


class Case(NamedTuple):
    """A sample, a score and rules, and how long the proof may take."""

    network: str
    rows: int
    score: str
    seconds: float
    rows_per_cell: int = 0
    max_parents: int | None = None
    limit: float = 600.0
    proven: bool = True

    @property
    def title(self) -> str:
        """What is measured."""
        rule = f", {self.rows_per_cell} rows per cell" if self.rows_per_cell else ""
        most = f", {self.max_parents} parents" if self.max_parents else ""
        return f"{self.network} × {self.rows:,}, {self.score}{rule}{most}"


CASES = (
    *(Case(network, 1000, "bic", 4) for network in ("insurance", "water", "mildew", "barley")),
    Case("alarm", 1000, "bic", 8),
    Case("hailfinder", 1000, "bic", 30),
    Case("insurance", 1000, "qnml", 15),
    Case("alarm", 1000, "qnml", 90),
    Case("insurance", 10_000, "bic", 90),
    Case("hepar2", 1000, "bic", 20, max_parents=3),
    Case("hailfinder", 1000, "qnml", 20, max_parents=3),
)
RULED = tuple(
    Case(network, rows, score, 180, rows_per_cell=5, limit=180, proven=False)
    for network, rows in (
        *((name, 1000) for name in ("insurance", "water", "mildew", "barley", "alarm", "hailfinder")),
        ("insurance", 10_000),
    )
    for score in ("bic", "bdeu", "fnml", "qnml")
)
LONG = (
    Case("alarm", 10_000, "bic", 600, max_parents=3, proven=False),
    Case("win95pts", 1000, "bic", 600, max_parents=3, proven=False),
    Case("andes", 1000, "bic", 300, max_parents=2, limit=300, proven=False),
)


def run(*, long: bool = False) -> list[Figure]:
    """Measure everything; what takes minutes each only with ``--long``."""
    return [figure for case in (*CASES, *(RULED + LONG if long else ())) for figure in _figures(case)]


def _figures(case: Case) -> list[Figure]:
    result = search_of(case, "exact")
    percent = 100.0 * result["within"] / -result["score"]
    note = (
        f"score {result['score']:,.3f}, {result['candidates']:,} of {result['visited']:,} parent sets, "
        f"{result['nodes']} nodes, {result['proof']}"
    )
    slack = 1.05 if not case.proven else 1.0  # what ends by its time limit takes a moment more
    seconds = Figure(case.title, result["seconds"], "s", slack * case.seconds, note=note)
    if case.network == "andes":
        return [seconds, Figure(f"{case.title}: gap", percent, "%", note="only reported")]
    gap = Figure(f"{case.title}: gap", percent, "%", 1e-6 if case.proven else GAP)
    return [seconds, gap]


def search_of(case: Case, search: str, prior: str = "sparse") -> dict[str, Any]:
    """Return what a search finds, in a process of its own."""
    path_of(case.network)  # says what is missing, if it is
    command = [sys.executable, "-m", "benchmarks.certified", search, prior, *map(str, case)]
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, cwd=Path(__file__).parent.parent
    )  # fmt: skip
    if done.returncode:
        raise RuntimeError(done.stderr)
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def main(search: str, prior: str, case: Case) -> dict[str, Any]:
    """Return the time from the table to the result, and what the result says."""
    names, labels, codes = sample(case.network, case.rows)
    states = {x: list(range(len(own))) for x, own in zip(names, labels, strict=True)}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # columns with one state
        data = bnml.read(pd.DataFrame(codes, columns=names), states=states)
        few = bnml.read(pd.DataFrame(codes[:300, :14], columns=names[:14]), states={x: states[x] for x in names[:14]})
    options: dict[str, Any] = {"method": "cuts", "time_limit": case.limit} if search == "exact" else {}
    for most in (2, case.max_parents):  # machine code is loaded
        bnml.learn(few, case.score, search=search, prior=prior, rows_per_cell=5, max_parents=most, **options)
    started = time.perf_counter()
    result = bnml.learn(
        data,
        case.score,
        search=search,
        prior=prior,
        rows_per_cell=case.rows_per_cell,
        max_parents=case.max_parents,
        **options,
    )
    return {**result.info, "seconds": time.perf_counter() - started, "score": result.score, "within": result.within}


def _case(words: list[str]) -> Case:
    network, rows, score, seconds, least, most, limit, proven = words
    parents = None if most == "None" else int(most)
    return Case(network, int(rows), score, float(seconds), int(least), parents, float(limit), proven == "True")


if __name__ == "__main__":
    print(json.dumps(main(sys.argv[1], sys.argv[2], _case(sys.argv[3:])), default=str))
