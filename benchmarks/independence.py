"""Tests of independence: PC against pyAgrum and against the generating structure, tests per second, all pairs."""

from __future__ import annotations

import tempfile
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import bnml
from benchmarks.figures import Figure, best_of
from benchmarks.heuristics import table_of
from benchmarks.samples import FOLDER, NoNetworksError, sample
from bnml.counts import Questions
from bnml.independence import G2
from bnml.independence.oracles import DataJudge

ALPHA = 0.01
SECONDS = {10_000: 0.07, 100_000: 0.4}
TIMES = {10_000: 2.5, 100_000: 8.0}  # as fast as pyAgrum


def run() -> list[Figure]:
    """Measure everything."""
    figures = [figure for rows in (10_000, 100_000) for figure in (*duel(rows), *tests(rows))]
    return [*figures, bootstrapped()]


def bootstrapped() -> Figure:
    """Measure the bootstrap of 200 tabu searches on the 853 observations of Sachs et al."""
    path = FOLDER.parent / "samples" / "sachs_observational.csv"
    if not path.exists():
        raise NoNetworksError(f"this benchmark needs {path.name} of the shared data")
    data = bnml.read(path)
    found: list[Any] = []
    seconds = best_of(lambda: found.append(bnml.bootstrap(data, "bdeu", "tabu", repetitions=200)), 1)
    sure = found[-1].arcs.query("support > 0.85")
    note = "more than 85 %: " + ", ".join(f"{a} - {b}" for a, b in zip(sure["from"], sure["to"], strict=True))
    return Figure("sachs 11 × 853: 200 tabu searches", seconds, "s", 30, note=note)


def duel(rows: int) -> list[Figure]:
    """Measure PC on ALARM, data loaded, all threads, against pyAgrum with its own choice of threads."""
    data, dag = table_of("alarm", rows)
    results: list[Any] = []

    def pc() -> None:
        data.memo.clear()
        results.append(bnml.pc(data, ALPHA))

    ours, theirs = best_of(pc), _pyagrum(rows)
    result, title = results[-1], f"alarm 37 × {rows:,}, pc, g2, {ALPHA}"
    note = f"{ours:.3f} s; pyAgrum {theirs:.3f} s"
    links = {frozenset(edge) for edge in (*result.pdag.directed, *result.pdag.undirected)}
    true = {frozenset(arc) for arc in dag.arcs}
    how = f"{len(links - true)} links too many, {len(true - links)} missing; {result.n_tests:,} tests"
    npc = best_of(lambda: bnml.npc(data, ALPHA), 2)
    return [
        Figure(title, ours, "s", SECONDS[rows], note=how),
        Figure(f"{title}: against pyAgrum", theirs / ours, "× pyAgrum", TIMES[rows], higher=True, note=note),
        Figure(f"alarm 37 × {rows:,}, npc, g2, {ALPHA}", npc, "s"),
    ]


def _pyagrum(rows: int) -> float:
    """Return the time of pyAgrum's PC, data loaded."""
    import pyagrum

    names, labels, codes = sample("alarm", rows)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "alarm.csv")
        frame = pd.DataFrame({x: np.array(labels[i])[codes[:, i]] for i, x in enumerate(names)})
        frame.to_csv(path, index=False)
        learner = pyagrum.BNLearner(str(path))
    learner.usePC()
    learner.useG2Test()
    learner.setPCAlpha(ALPHA)
    return best_of(learner.learnPDAG, 5 if rows < 50_000 else 2)


def tests(rows: int) -> list[Figure]:
    """Measure tests given one variable, one thread; and the table of all pairs."""
    data, _ = table_of("alarm", rows)
    asked = [(x, y, z) for x, y in combinations(range(20), 2) for z in range(20) if z not in (x, y)][:3000]
    questions = np.array(asked)
    batch = Questions(
        questions[:, 0].copy(), questions[:, 1].copy(), np.arange(len(asked) + 1), questions[:, 2:].copy()
    )
    judge = DataJudge(data, data.names, G2(), ALPHA, 1)
    seconds = best_of(lambda: judge.decide(batch))
    return [
        Figure(f"alarm × {rows:,}: tests given one, one thread", len(asked) / seconds, "per s", higher=True),
        Figure(f"alarm × {rows:,}: dependences of all 666 pairs", best_of(lambda: bnml.dependences(data)), "s"),
    ]
