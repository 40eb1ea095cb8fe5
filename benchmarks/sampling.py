"""Sampled posteriors: how far off they are after how many processor seconds, and how honest their standard errors."""

from __future__ import annotations

import os
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

import bnml
from benchmarks.figures import Figure
from benchmarks.samples import sample

__all__ = ["run"]

ROWS = 1000
AGAINST_EXACT = ("child", "alarm", "insurance")
EXACT_COLUMNS, EXACT_SAMPLES, EXACT_SECONDS, EXACT_BAR = 14, 2600, 5.0, 0.002
TWO_SEEDS = (
    # network, columns, samples, processor seconds, bars for the mean and for the largest difference; whether it may
    # say instead that it has not converged
    ("child", 20, 2000, 15.0, 0.001, 0.05, False),
    ("alarm", 37, 700, 60.0, 0.002, 0.05, False),
    ("hailfinder", 56, 600, 120.0, None, 0.10, True),
    ("hepar2", 70, 600, 120.0, None, 0.10, True),
)
TABLES = 200  # for the coverage of standard errors
Floats = npt.NDArray[np.float64]


def run() -> list[Figure]:
    """Measure everything."""
    bnml.posterior(_data("child", 6), "bdeu", method="sample", samples=20)  # machine code is loaded
    bnml.posterior(_data("child", 6), "bdeu", method="exact")
    figures: list[Figure] = []
    for network in AGAINST_EXACT:
        figures += _against_exact(network)
    for case in TWO_SEEDS:
        figures += _two_seeds(*case)
    return [*figures, _paths(), _coverage()]


def _data(network: str, columns: int) -> bnml.Data:
    _, labels, codes = sample(network, ROWS)
    states = {f"X{i:02}": list(range(len(labels[i]))) for i in range(columns)}
    frame = {name: codes[:, i] for i, name in enumerate(states)}
    import pandas as pd

    return bnml.read(pd.DataFrame(frame), states=states)


def _sampled(data: bnml.Data, samples: int, seed: int, limit: float | None = None) -> tuple[Any, float]:
    """Return a posterior, and the processor seconds of all threads."""
    started = time.process_time()
    threads = min(2, len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 2)
    wall = None if limit is None else limit / threads
    found = bnml.posterior(
        data, "bdeu", prior="uniform", method="sample", samples=samples, seed=seed, threads=threads, time_limit=wall
    )
    return found, time.process_time() - started


def _off_diagonal(values: Any) -> Floats:
    matrix = np.asarray(values, np.float64)
    return matrix[~np.eye(len(matrix), dtype=bool)]


def _against_exact(network: str) -> list[Figure]:
    data = _data(network, EXACT_COLUMNS)
    exact = _off_diagonal(bnml.posterior(data, "bdeu", prior="uniform", method="exact").arc_probabilities)
    found, seconds = _sampled(data, EXACT_SAMPLES, seed=1)
    error = np.abs(_off_diagonal(found.arc_probabilities) - exact)
    text = f"{network} {EXACT_COLUMNS}, against exact"
    note = f"at most {error.max():.3g}, R-hat {found.r_hat:.3f}, effective size {found.effective_size:,.0f}"
    return [
        Figure(f"{text}, mean error", float(error.mean()), "", EXACT_BAR, note=note),
        Figure(f"{text}, time", seconds, "processor s", EXACT_SECONDS),
        *_peer(text, data, exact, float(error.mean()), seconds),
    ]


def _two_seeds(
    network: str, columns: int, samples: int, limit: float, mean: float | None, most: float, may_fail: bool
) -> list[Figure]:
    data = _data(network, columns)
    runs = [_sampled(data, samples, seed, 0.9 * limit if may_fail else None) for seed in (1, 2)]
    off = np.abs(np.subtract(*(_off_diagonal(found.arc_probabilities) for found, _ in runs)))
    converged = all(found.converged for found, _ in runs)
    note = ", ".join(f"R-hat {found.r_hat:.3f}, effective size {found.effective_size:,.0f}" for found, _ in runs)
    if not converged:
        note += "; said not to have converged"
    text, held = f"{network} {columns}, two seeds", converged or not may_fail
    return [
        Figure(f"{text}, mean difference", float(off.mean()), "", mean, note=note),
        Figure(f"{text}, largest difference", float(off.max()), "", most if held else None),
        Figure(f"{text}, time of each", max(seconds for _, seconds in runs), "processor s", limit),
    ]


def _paths() -> Figure:
    data = _data("child", 5)
    exact = _paths_by_enumeration(data)
    found, seconds = _sampled(data, 20_000, seed=1)
    error = float(np.abs(found.path_probabilities.to_numpy() - exact).mean())
    return Figure("paths of 5 variables, against enumeration", error, "", 0.002, note=f"{seconds:.2g} processor s")


def _paths_by_enumeration(data: bnml.Data) -> Floats:
    listed = bnml.posterior(data, "bdeu", prior="uniform", method="exact").top(29_281)
    total = np.zeros((len(data.names),) * 2)
    for structure, probability in zip(listed["structure"], listed["probability"], strict=True):
        dag = bnml.DAG.parse(structure)
        for j, name in enumerate(data.names):
            for other in dag.ancestors(name):
                total[data.names.index(other), j] += probability
    return total


def _coverage() -> Figure:
    """Return for how many arcs of small random tables the exact value is within two standard errors."""
    within: list[bool] = []
    for seed in range(TABLES):
        rng = np.random.default_rng(seed)
        rows = rng.integers(0, rng.integers(2, 4, 5), (40, 5))
        for i in range(1, 5):
            rows[:, i] = np.where(rng.random(40) < 0.3, rows[:, 0] % (rows[:, i].max() + 1), rows[:, i])
        exact = bnml.posterior(rows, "bdeu", method="exact").arc_probabilities
        found: Any = bnml.posterior(rows, "bdeu", method="sample", samples=500, seed=seed)
        off = np.abs(_off_diagonal(found.arc_probabilities) - _off_diagonal(exact))
        within += (off <= 2.0 * _off_diagonal(found.standard_errors)).tolist()
    share = 100.0 * float(np.mean(within))
    note = f"{TABLES} random tables of 5 variables; 99 % at most: {'yes' if share <= 99.0 else 'no'}"
    return Figure("exact within two standard errors", share, "% of arcs", 90, higher=True, note=note)


def _peer(text: str, data: bnml.Data, exact: Floats, ours: float, seconds: float) -> list[Figure]:
    """Compare with Gadget (sumu), where it is installed, given as much time."""
    try:
        import sumu
    except Exception:  # its compiled parts fail in many ways
        return [Figure(f"{text}, sumu's error / ours", float("nan"), "×", note="sumu is not installed")]
    n = len(data.names)
    codes = np.column_stack([np.asarray(data.codes[i]) for i in range(n)])
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.csv"
        np.savetxt(path, codes, "%d", header=" ".join(str(r) for r in data.arities), comments="")
        started = time.process_time()
        dags, *_ = sumu.Gadget(
            data=sumu.Data(str(path), discrete=True), mcmc={"n_dags": 2000}, score={"name": "bdeu", "ess": 1}
        ).sample()
        taken = time.process_time() - started
    arcs = np.zeros((n, n))
    for dag in dags:
        for child, parents in dag:
            arcs[list(parents), child] += 1.0 / len(dags)
    error = float(np.abs(_off_diagonal(arcs) - exact).mean())
    note = f"{error:.3g} after {taken:.3g} processor s, ours after {seconds:.3g}"
    return [Figure(f"{text}, sumu's error / ours", error / ours, "×", note=note)]
