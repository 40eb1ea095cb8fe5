"""Values that are missing, and variables that were set.

How near structural EM comes to what whole data give, and how long it takes; the network of Sachs et al.
"""

from __future__ import annotations

import time
from statistics import mean

import numpy as np

import bnml
from benchmarks import experiments_with_targets
from benchmarks.figures import Figure
from benchmarks.samples import network
from bnml.experiments.gaps import values_taken_out

CASES = ((1000, 0.1, 1.0), (5000, 0.1, 1.0), (5000, 0.3, 4.0))  # rows, share, how much farther it may be
SEEDS = (0, 1, 2)
CHILD_SECONDS, ALARM_SECONDS = 30, 120


def run() -> list[Figure]:
    """Measure everything."""
    child = network("child")
    _learned(child, 200, 0.1, 0)  # machine code is loaded
    found = [figure for case in CASES for figure in _child(child, *case)]
    alarm = network("alarm")
    result, seconds = _learned(alarm, 5000, 0.1, 0)
    note = f"{result.search}, {result.info['em']['rounds']} rounds, distance {bnml.shd(alarm.dag, result.structure)}"
    found.append(Figure("ALARM × 5,000, 10 % missing", seconds, "s", ALARM_SECONDS, note=note))
    return [*found, *experiments_with_targets.run()]


def _child(child: bnml.BayesianNetwork, rows: int, share: float, farther: float) -> list[Figure]:
    whole, near, seconds = [], [], []
    for seed in SEEDS:
        whole.append(bnml.shd(child.dag, bnml.learn(_table(child, rows, 0.0, seed)).structure))
        result, taken = _learned(child, rows, share, seed)
        near.append(bnml.shd(child.dag, result.structure))
        seconds.append(taken)
    title = f"Child × {rows:,}, {share:.0%} missing"
    note = f"SHD {', '.join(map(str, near))}; whole data {', '.join(map(str, whole))}"
    return [
        Figure(f"{title}: farther from the truth than whole data", mean(near) - mean(whole), "", farther, note=note),
        Figure(f"{title}: the longest", max(seconds), "s", CHILD_SECONDS),
    ]


def _learned(
    source: bnml.BayesianNetwork, rows: int, share: float, seed: int
) -> tuple[bnml.search.SearchResult, float]:
    table = _table(source, rows, share, seed)
    started = time.perf_counter()
    return bnml.learn(table), time.perf_counter() - started


def _table(source: bnml.BayesianNetwork, rows: int, share: float, seed: int) -> bnml.Data:
    frame = source.sample(rows, seed=seed).astype(object)
    gaps = values_taken_out(frame, share, None, np.random.default_rng(100 + seed)) if share else frame
    states = {x: list(labels) for x, labels in source.states.items()}
    return bnml.read(gaps, states=states, missing="em")
