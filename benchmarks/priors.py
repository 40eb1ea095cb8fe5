"""The default structure prior: noise that stays noise, distances to the truth, and what it costs exact search."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from statistics import mean
from typing import Any

import numpy as np
import pandas as pd

import bnml
from benchmarks import certified, exact
from benchmarks.figures import Figure
from benchmarks.samples import network

TABLES = 12
NOISE = ((60, 500, 2, 1.5), (100, 300, 3, 2.0), (200, 1000, 2, 3.0))  # columns, rows, states, bar in false arcs
SCORES = ("qnml", "fnml", "bdeu", "bic")
FALSE_LINKS = 0.2
NETWORKS = (
    "asia", "sachs", "child", "insurance", "alarm", "water", "hailfinder", "win95pts", "hepar2", "mildew", "barley",
)  # fmt: skip
DISTANCES = ((300, 0.75), (1000, 0.60))  # rows, bar in SHD / true arcs
SAMPLES = 6  # the means of three samples differ by 0.03
ANDES, ANDES_SAMPLES = 110, 3
RATIO, SHORT = 1.1, 1.0  # seconds; shorter searches are not compared
TURNS = 3  # by turns; the quickest of each counts, as other work on the machine only adds


def run(*, long: bool = False) -> list[Figure]:
    """Measure everything; learning from samples of networks, which takes many minutes, only with ``--long``."""
    figures = [_noise(*case, score) for case in NOISE for score in SCORES]
    figures += [_selected(), *_ratios()]
    return [*figures, *_distances()] if long else figures


def _table(rows: int, columns: int, states: int, seed: int) -> pd.DataFrame:
    codes = np.random.default_rng(seed).integers(states, size=(rows, columns))
    return pd.DataFrame(codes, columns=[f"c{k:03d}" for k in range(columns)])


def _noise(columns: int, rows: int, states: int, bar: float, score: str) -> Figure:
    tables = (_table(rows, columns, states, 9000 + k) for k in range(TABLES))
    found = [len(bnml.learn(table, score, search="tabu").structure.arcs) for table in tables]
    title = f"{columns} independent columns of {states} states × {rows:,}, {score}: false arcs"
    return Figure(title, mean(found), "", bar, note=f"tabu, at most {max(found)}")


def _selected() -> Figure:
    """Return the false links of a noise target to the best 8 of 200 noise columns."""
    found = []
    for k in range(TABLES):
        table = _table(500, 201, 2, 9500 + k)
        best = bnml.select_features(table, "c200", alpha=0.999, adjust=None)[:8]
        learned = bnml.study(table, "c200", select=best, repetitions=0, folds=0).learned
        found.append(sum("c200" in arc for arc in learned.structure.arcs))
    return Figure("noise target, best 8 of 200 noise columns: false links", mean(found), "", FALSE_LINKS)


def _ratios() -> list[Figure]:
    """Return what exact search takes under the default prior, as a share of what it takes under the uniform one."""
    figures = []
    for name, columns, rows, *_ in exact.CASES:
        for score in ("bic", "qnml"):
            sparse, uniform = _by_turns(partial(exact.measure, name, columns, rows, score))
            figures += _ratio(f"{name} {columns} × {rows:,}, {score}", sparse["seconds"], uniform["seconds"], True)
    for case in certified.CASES:
        sparse, uniform = _by_turns(partial(certified.search_of, case, "exact"))
        proven = bool(sparse["within"] <= uniform["within"] + 1e-6)
        figures += _ratio(case.title, sparse["seconds"], uniform["seconds"], proven)
    return figures


def _by_turns(measure: Callable[..., dict[str, Any]]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the quickest of some measurements under the default and under the uniform prior, made by turns."""
    turns = [(measure(prior="sparse"), measure(prior="uniform")) for _ in range(TURNS)]
    sparse, uniform = (min(each, key=lambda one: one["seconds"]) for each in zip(*turns, strict=True))
    return sparse, uniform


def _ratio(title: str, sparse: float, uniform: float, proven: bool) -> list[Figure]:
    bar = RATIO if max(sparse, uniform) > SHORT else None
    note = f"{sparse:.2f} s, uniform {uniform:.2f} s"
    ratio = Figure(f"{title}: time beside the uniform prior", sparse / uniform, "times", bar, note=note)
    return [ratio, *([] if proven else [Figure(f"{title}: proves less", 1.0, "", 0.0)])]


def _distances() -> list[Figure]:
    """Return how far what is learned by default is from the truth."""
    figures = []
    for rows, bar in DISTANCES:
        means = []
        for name in NETWORKS:
            truth = network(name)
            shds = [bnml.shd(truth.dag, _learned(truth, rows, seed).structure) for seed in range(SAMPLES)]
            means.append(mean(shds) / len(truth.dag.arcs))
        each = ", ".join(f"{name} {value:.2f}" for name, value in zip(NETWORKS, means, strict=True))
        figures.append(Figure(f"eleven networks × {rows:,}: SHD / true arcs", mean(means), "", bar, note=each))
    andes = network("andes")
    shds = [bnml.shd(andes.dag, _learned(andes, 1000, seed).structure) for seed in range(ANDES_SAMPLES)]
    return [*figures, Figure("Andes × 1,000: SHD", mean(shds), "", ANDES, note=", ".join(map(str, shds)))]


def _learned(truth: bnml.BayesianNetwork, rows: int, seed: int) -> bnml.search.SearchResult:
    states = {x: list(labels) for x, labels in truth.states.items()}
    return bnml.learn(bnml.read(truth.sample(rows, seed=seed).astype(str), states=states))
