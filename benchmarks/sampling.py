"""Sampled posteriors: how far off they are after how many processor seconds, and how honest their standard errors."""

from __future__ import annotations

import os
import time
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

import bnml
from benchmarks.figures import Figure
from benchmarks.samples import sample

ROWS = 1000
AGAINST_EXACT = (("child", 2000), ("alarm", 2900), ("insurance", 2200))  # with how many samples
EXACT_COLUMNS, EXACT_SECONDS, EXACT_BAR = 14, 5.0, 0.002
TWO_SEEDS = (
    # network, columns, samples, processor seconds, bars for the mean and for the largest difference; whether it may
    # say instead that it has not converged
    ("child", 20, 2000, 15.0, 0.001, 0.05, False),
    ("alarm", 37, 800, 60.0, 0.002, 0.05, False),
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
    for network, samples in AGAINST_EXACT:
        figures += _against_exact(network, samples)
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
        data,
        "bdeu",
        prior="uniform",
        structure_prior="uniform",
        method="sample",
        samples=samples,
        seed=seed,
        threads=threads,
        time_limit=wall,
    )
    return found, time.process_time() - started


def _exactly(data: bnml.Data) -> Any:
    return bnml.posterior(data, "bdeu", prior="uniform", structure_prior="uniform", method="exact")


def _off_diagonal(values: Any) -> Floats:
    matrix = np.asarray(values, np.float64)
    return matrix[~np.eye(len(matrix), dtype=bool)]


def _against_exact(network: str, samples: int) -> list[Figure]:
    data = _data(network, EXACT_COLUMNS)
    exact = _off_diagonal(_exactly(data).arc_probabilities)
    found, seconds = _sampled(data, samples, seed=1)
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
    listed = _exactly(data).top(29_281)
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
        exact = bnml.posterior(rows, "bdeu", structure_prior="uniform", method="exact").arc_probabilities
        found: Any = bnml.posterior(rows, "bdeu", structure_prior="uniform", method="sample", samples=500, seed=seed)
        off = np.abs(_off_diagonal(found.arc_probabilities) - _off_diagonal(exact))
        within += (off <= 2.0 * _off_diagonal(found.standard_errors)).tolist()
    share = 100.0 * float(np.mean(within))
    note = f"{TABLES} random tables of 5 variables; 99 % at most: {'yes' if share <= 99.0 else 'no'}"
    return Figure("exact within two standard errors", share, "% of arcs", 90, higher=True, note=note)


def _peer(text: str, data: bnml.Data, exact: Floats, ours: float, seconds: float) -> list[Figure]:
    """Compare with Gadget (sumu), where it is installed, given as much time for its chains once they are prepared.

    Version 0.1.2 needs Cython below 3 and NumPy below 2 to be built; the sums that it gets by subtraction are wrong on
    tables as dependent as these.
    """
    name = f"{text}, sumu's error / ours"
    try:
        import sumu
        from sumu import gadget
    except Exception:  # its compiled parts fail in many ways
        return [Figure(name, float("nan"), "×", note="sumu is not installed")]
    n = len(data.names)
    rows = np.vstack([data.arities, data.codes[data.row_index]]).astype(np.int32)
    np.random.seed(1)  # noqa: NPY002  # what it draws from
    started = time.process_time()
    sampler = sumu.Gadget(
        data=sumu.Data(rows, discrete=True, arities=True), scoref="bdeu", ess=1, max_id=-1, K=n - 1, d=3,
        cp_algo="greedy-lite", mc3_chains=16, burn_in=0, iterations=0, thinning=1, tolerance=2.0**-32,
    )  # fmt: skip
    gadget.LocalScore = partial(gadget.LocalScore, prior="uniform")  # it has another by default, and no argument
    try:
        sampler._find_candidate_parents()
        sampler._precompute_scores_for_all_candidate_psets()
        sampler._precompute_candidate_restricted_scoring()
        sampler._precompute_candidate_complement_scoring()
        sampler._init_mcmc()
    finally:
        gadget.LocalScore = gadget.LocalScore.func
    prepared = time.process_time()
    kept, steps = [], 0
    while (spent := time.process_time() - prepared) < seconds:
        partition = sampler.mcmc.sample()[0]
        steps += 1
        if spent > seconds / 3 and steps % 10 == 0:  # the first third is for the chains to forget their beginning
            kept.append(partition)
    draw = gadget.DAGR(sampler.score, sampler.C, tolerance=2.0**-32)
    arcs = np.zeros((n, n))
    for child in range(n):
        draw.precompute_pset_sampling(child)
        for partition in kept:
            arcs[_parents_by_sumu(draw, child, partition), child] += 1.0 / len(kept)
    taken = time.process_time() - started
    error = float(np.abs(_off_diagonal(arcs) - exact).mean())
    note = f"{error:.3g} after {taken:.3g} processor s, {len(kept):,} structures; ours after {seconds:.3g}"
    return [Figure(name, error / ours, "×", note=note)]


def _parents_by_sumu(draw: Any, child: int, partition: Any) -> list[int]:
    """Return parents of a child that are drawn given a partition of the variables."""
    try:
        with np.errstate(invalid="ignore"):
            family = draw.sample_pset(child, partition)
    except (UnboundLocalError, ValueError):  # its sums cancel: draw from all sets, one by one
        place = next(i for i, part in enumerate(partition) if child in part)
        return [*draw._sample_pset_brute(child, set().union(*partition[:place]), set(partition[place - 1]))]
    return [*family[1]] if len(family) > 1 else []
