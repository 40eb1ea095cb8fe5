"""Networks: probabilities, samples, files, bins."""

from __future__ import annotations

import numpy as np
import pandas as pd

import bnml
from benchmarks.figures import Figure, best_of
from benchmarks.samples import network, path_of
from bnml.network.sampling import sample_codes

__all__ = ["run"]


def run() -> list[Figure]:
    """Measure everything."""
    alarm = network("alarm")
    codes = sample_codes(alarm, 1_000_000, seed=1).T
    data = bnml.read(codes, states={f"X{i}": range(len(labels)) for i, labels in enumerate(alarm.states.values())})
    names = {x: f"X{i}" for i, x in enumerate(alarm.names)}
    twin = bnml.BayesianNetwork(
        bnml.DAG(list(names.values()), [(names[a], names[b]) for a, b in alarm.dag.arcs]),
        {names[x]: range(len(labels)) for x, labels in alarm.states.items()},
        {names[x]: alarm.probabilities(x) for x in alarm.names},
    )
    reals = pd.DataFrame({"x": np.random.default_rng(2).normal(size=100_000), "y": 1})
    n = f"{data.n_distinct:,} distinct"
    return [
        Figure("log_prob, 1,000,000 rows of ALARM, read", best_of(lambda: twin.log_prob(data)), "s", 2, note=n),
        Figure("log_prob, the same from an array of codes", best_of(lambda: twin.log_prob(codes)), "s", 2),
        Figure("sample 1,000,000 rows of ALARM", best_of(lambda: alarm.sample(1_000_000)), "s", 5),
        Figure("load Link", best_of(lambda: bnml.load(path_of("link"))), "s", 2, note="724 nodes, .bif.gz"),
        Figure("load Diabetes", best_of(lambda: bnml.load(path_of("diabetes"))), "s", note="430,000 parameters"),
        Figure("MDL bins of 100,000 reals", best_of(lambda: _bins(reals)), "s", 2, note="bnml.read with bins"),
    ]


def _bins(frame: pd.DataFrame) -> bnml.Data:
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the other column has one state
        return bnml.read(frame, bins="mdl")
