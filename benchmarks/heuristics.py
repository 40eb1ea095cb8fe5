"""Heuristic searches: against pyAgrum, against the generating structure, against the optimum."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import bnml
from benchmarks.certified import CASES, search_of
from benchmarks.figures import Figure, best_of
from benchmarks.samples import network, sample
from benchmarks.uci import SCORES, TABLES
from bnml.search import exact, forest, hill_climb, order, tabu

DUEL = ("alarm", "insurance", "hailfinder", "hepar2", "win95pts", "andes")
TRUTH = ("alarm", "insurance", "child", "hailfinder", "win95pts")
SEEDS = (1, 2, 3, 4, 5)
GROWN_ON_BARLEY = -59_430.196  # qNML of what order search found with parents that are grown one at a time


def run(*, long: bool = False) -> list[Figure]:
    """Measure everything; the duels in equal time and the five seeds only with ``--long``."""
    figures = [*peers(), *wide(), *very_wide(), *optima()]
    seeds = SEEDS if long else SEEDS[:1]
    figures += [figure for name in TRUTH for figure in truth(name, seeds)]
    return [*figures, *([*proven_optima(), barley(), *duels()] if long else [])]


def proven_optima() -> list[Figure]:
    """Measure by how much order search misses the optima that branch and cut proves, and how long it takes."""
    figures = []
    for case in CASES:
        best, found = (search_of(case, search) for search in ("exact", "order"))
        short, note = best["score"] - found["score"], f"of {best['score']:,.3f}"
        figures.append(Figure(f"{case.title}: order search short of the optimum", short, "nats", 0.5, note=note))
        figures.append(Figure(f"{case.title}: order search", found["seconds"], "s", 10))
    return figures


def barley() -> Figure:
    """Measure what lists of families add where parents that are grown one at a time miss most."""
    data, _ = table_of("barley", 1000, seed=0)
    result = order(data, "qnml", prior="uniform", rows_per_cell=0)
    better, note = result.score - GROWN_ON_BARLEY, f"score {result.score:,.3f}; grown {GROWN_ON_BARLEY:,.3f}"
    return Figure("barley × 1,000, qnml: order search with lists", better, "nats", 1700, higher=True, note=note)


def table_of(name: str, rows: int, seed: int = 1) -> tuple[bnml.Data, bnml.DAG]:
    """Return a sample of a network, and the structure it comes from."""
    names, labels, codes = sample(name, rows, seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # columns with one state
        states = {x: list(range(len(own))) for x, own in zip(names, labels, strict=True)}
        data = bnml.read(pd.DataFrame(codes, columns=names), states=states)
    return data, network(name).dag


def timed(search: Callable[..., Any], data: bnml.Data, score: str, **options: Any) -> tuple[float, Any]:
    """Return the shortest time of a search, nothing remembered from earlier ones, and its result."""
    results = []

    def afresh() -> None:
        data.memo.clear()
        results.append(search(data, score, **options))

    return best_of(afresh), results[-1]


def peers() -> list[Figure]:
    """Measure hill climbing and tabu on ALARM against pyAgrum on one thread."""
    figures = []
    bars = {(10_000, "climb"): 4.0, (100_000, "climb"): 10.0, (100_000, "tabu"): 10.0}
    for rows in (10_000, 100_000):
        data, dag = table_of("alarm", rows)
        true = bnml.score(dag, data, "bic")
        names, labels, codes = sample("alarm", rows)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "alarm.csv")
            frame = pd.DataFrame({x: np.array(labels[i])[codes[:, i]] for i, x in enumerate(names)})
            frame.to_csv(path, index=False)
            for name, search in (("climb", hill_climb), ("tabu", tabu)):
                theirs, peer = _pyagrum(path, name)
                ours, result = timed(search, data, "bic", prior="uniform")
                reached = bnml.score(bnml.DAG(data.names, peer), data, "bic")
                title = f"alarm 37 × {rows:,}, {name}, bic"
                note = f"{ours:.3f} s; pyAgrum {theirs:.3f} s"
                figures.append(
                    Figure(title, theirs / ours, "× pyAgrum", bars.get((rows, name)), higher=True, note=note)
                )
                note = f"above the truth: {result.score - true:,.1f}; pyAgrum {reached - true:,.1f}"
                figures.append(
                    Figure(f"{title}: score above pyAgrum's", result.score - reached, "nats", 0, higher=True, note=note)
                )
    return figures


def _pyagrum(path: Path, search: str) -> tuple[float, list[tuple[str, str]]]:
    """Return the time and the arcs of pyAgrum's search, data loaded, on one thread."""
    import pyagrum

    learner = pyagrum.BNLearner(str(path))
    learner.setNumberOfThreads(1)
    learner.useScoreBIC()
    learner.useNoPrior()
    if search == "climb":
        learner.useGreedyHillClimbing()
    else:
        learner.useLocalSearchWithTabuList()
    found: list[Any] = []
    seconds = best_of(lambda: found.append(learner.learnDAG()))
    names = [learner.nameFromId(i) for i in range(len(found[-1].nodes()))]
    return seconds, [(names[a], names[b]) for a, b in found[-1].arcs()]


WIDE = """
import json, sys, time
from pathlib import Path
from benchmarks.heuristics import table_of
from bnml.search import chow_liu, hill_climb
data, _ = table_of(sys.argv[1], 10_000)
search = chow_liu if sys.argv[2] == "chow-liu" else hill_climb
search(data.select(data.names[:5]), "bic")  # machine code is loaded
started = time.perf_counter()
result = search(data, "bic")
seconds = time.perf_counter() - started
peak = Path("/proc/self/status").read_text().split("VmHWM:")[1].split()[0]
print(json.dumps([seconds, int(peak) * 1024 / 1e9, result.score]))
"""


def wide() -> list[Figure]:
    """Measure hundreds of variables, each in a process of its own, once."""
    figures = []
    for name, search, bar in (("andes", "climb", 15), ("link", "climb", 120), ("link", "chow-liu", 5)):
        root = Path(__file__).parent.parent
        command = [sys.executable, "-c", WIDE, name, search]
        done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=root)
        seconds, peak, score = json.loads(done.stdout)
        if peak > 4:
            seconds = float("inf")
        note = f"score {score:,.1f}, peak {peak:.2f} GB of 4 allowed"
        figures.append(Figure(f"{name} × 10,000, {search}, bic", seconds, "s", bar, note=note))
    return figures


def very_wide() -> list[Figure]:
    """Measure thousands of columns: whether a time limit holds with at least the best forest, and time without one."""
    figures = []
    data, limit = binary_table(2000, 500), 10.0
    hill_climb(data.select(data.names[:5]), "bic")  # machine code is loaded
    best = forest(data, "bic").score
    for search in ("climb", "auto"):
        data.memo.clear()
        wall, processor = time.perf_counter(), time.process_time()
        result = bnml.learn(data, "bic", search, time_limit=limit)
        wall, processor = time.perf_counter() - wall, time.process_time() - processor
        title = f"2,000 binary columns × 500, {search}, bic, time_limit={limit:g}"
        figures.append(Figure(title, wall, "s", 1.5 * limit, note=f"{processor:.1f} s of processor time"))
        note = f"score {result.score:,.1f}; forest {best:,.1f}"
        figures.append(
            Figure(f"{title}: above the forest", result.score - best + 1e-6, "nats", 0, higher=True, note=note)
        )
    data = binary_table(1000, 1000)
    wall, processor = time.perf_counter(), time.process_time()
    result = hill_climb(data, "bic")
    wall, processor = time.perf_counter() - wall, time.process_time() - processor
    note = f"{processor:.1f} s of processor time, {result.info['moves']:,} moves"
    return [*figures, Figure("1,000 binary columns × 1,000, climb, bic", wall, "s", 10, note=note)]


def binary_table(columns: int, rows: int) -> bnml.Data:
    """Return a table in which each column is a noisy function of up to two of the fifty before it."""
    rng = np.random.default_rng(0)
    codes = np.zeros((rows, columns), np.int8)
    for i in range(columns):
        parents = rng.choice(np.arange(max(0, i - 50), i), min(i, int(rng.integers(0, 3))), replace=False)
        together = codes[:, parents].sum(axis=1) % 2 if rng.random() < 0.3 else codes[:, parents].max(axis=1, initial=0)
        codes[:, i] = together ^ (rng.random(rows) < (0.15 if parents.size else 0.5))
    names = [f"v{i:04d}" for i in range(columns)]
    return bnml.read(pd.DataFrame(codes, columns=names), states={name: [0, 1] for name in names})


def optima() -> list[Figure]:
    """Count on how many of the UCI tables order search reaches the optimum, and how long it takes at most."""
    with (TABLES / "summary.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    figures = []
    reached, slowest = dict.fromkeys(SCORES, 0), dict.fromkeys(SCORES, 0.0)
    for row in rows:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            data = bnml.read(TABLES / row["file"], states=TABLES / f"{row['data']}.vd")
        for score in SCORES:
            best = exact(data, score).score
            data.memo.clear()
            started = time.perf_counter()
            found = order(data, score).score
            slowest[score] = max(slowest[score], time.perf_counter() - started)
            reached[score] += found >= best - 1e-6
    for score in SCORES:
        figures.append(
            Figure(f"uci, {score}: optima that order search reaches", reached[score], "of 20", 19, higher=True)
        )
        figures.append(Figure(f"uci, {score}: slowest", slowest[score], "s", 2))
    for name, columns in (("child", 20), ("sachs", 11)):
        data, _ = table_of(name, 1000)
        for score in SCORES:
            gap = exact(data, score).score - order(data, score).score
            figures.append(Figure(f"{name} {columns} × 1,000, {score}: below the optimum", gap, "nats", 1))
    return figures


def truth(name: str, seeds: tuple[int, ...]) -> list[Figure]:
    """Measure how far order search ends above the generating structure, at worst."""
    figures = []
    for score in ("bic", "qnml"):
        above, slowest = [], 0.0
        for seed in seeds:
            data, dag = table_of(name, 10_000, seed)
            started = time.perf_counter()
            result = order(data, score, time_limit=60)
            slowest = max(slowest, time.perf_counter() - started)
            above.append(result.score - bnml.score(dag, data, score, prior="sparse"))
        note = f"{len(seeds)} samples, at most {slowest:.1f} s of 60"
        title = f"{name} × 10,000, {score}: above the truth"
        figures.append(Figure(title, min(above) + 1e-6, "nats", 0, higher=True, note=note))
    return figures


def duels() -> list[Figure]:
    """Compare order search and tabu in equal time: tabu restarts until the time that order search took is over."""
    figures, gaps = [], []
    for name in DUEL:
        for rows in (1000, 10_000):
            for score in ("bic", "qnml"):
                data, _ = table_of(name, rows)
                started = time.perf_counter()
                ours = order(data, score)
                seconds = time.perf_counter() - started
                data.memo.clear()
                other = tabu(data, score, restarts=10**6, time_limit=seconds)
                gap = ours.score - other.score
                gaps.append(gap)
                note = f"{seconds:.1f} s each; order {ours.score:,.1f}, tabu {other.score:,.1f}"
                figures.append(Figure(f"{name} × {rows:,}, {score}: order above tabu", gap, "nats", note=note))
    won, lost = sum(gap > 1e-6 for gap in gaps), sum(gap < -1e-6 for gap in gaps)
    note = f"{won} won, {lost} lost, {len(gaps) - won - lost} even"
    return [*figures, Figure("duels: order search wins more than tabu", won - lost, "duels", 1, higher=True, note=note)]
