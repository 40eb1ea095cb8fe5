"""Networks: probabilities, samples, files, bins."""

from __future__ import annotations

import numpy as np
import pandas as pd

import bnml
from benchmarks.figures import Figure, best_of
from benchmarks.samples import network, path_of
from bnml.network.sampling import sample_codes


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
        *_questions(alarm),
        Figure("load Munin1 and ask one question", best_of(_munin, 1), "s", 10, note="evidence at all leaves: refused"),
        Figure("MDL bins of 100,000 reals", best_of(lambda: _bins(reals)), "s", 2, note="bnml.read with bins"),
    ]


def _questions(alarm: bnml.BayesianNetwork) -> list[Figure]:
    """Ask a thousand questions about one variable with evidence about up to seven others, and pyAgrum the same."""
    rng = np.random.default_rng(3)
    rows, asked = alarm.sample(1000, seed=4), []
    for i in range(len(rows)):
        names = [alarm.names[k] for k in rng.permutation(len(alarm.names))]
        asked.append((names[-1], {x: rows.loc[i, x] for x in names[: int(rng.integers(0, 8))]}))

    def ours() -> None:
        for name, evidence in asked:
            alarm.query(name, evidence)

    seconds = best_of(ours)
    text = "1,000 queries on ALARM, up to 7 observed"
    try:
        import pyagrum
    except ImportError:
        return [Figure(text, seconds, "s", note="pyAgrum is not installed")]
    other = alarm.to_pyagrum()
    coded = [(x, {v: alarm.code(v, s) for v, s in evidence.items()}) for x, evidence in asked]

    def theirs() -> None:  # the fastest of three ways that were tried: one engine, and one target at a time
        engine = pyagrum.LazyPropagation(other)
        for name, evidence in coded:
            engine.eraseAllTargets()
            engine.addTarget(name)
            engine.setEvidence(evidence)
            engine.makeInference()
            engine.posterior(name)

    ratio = best_of(theirs) / seconds
    return [
        Figure(text, seconds, "s"),
        Figure("the same, pyAgrum's LazyPropagation", ratio, "times as long", 1, higher=True, note="one target each"),
    ]


def _munin() -> None:
    munin = bnml.load(path_of("munin1"))
    evidence = {x: munin.states[x][0] for x in munin.names if not munin.dag.children(x)}
    try:
        munin.query(munin.names[0], evidence)
    except bnml.BnmlError:
        munin.query(munin.names[0])


def _bins(frame: pd.DataFrame) -> bnml.Data:
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the other column has one state
        return bnml.read(frame, bins="mdl")
