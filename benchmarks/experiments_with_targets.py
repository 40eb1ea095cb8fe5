"""Experiments with targets: the network of Sachs et al. from rows in which variables were set."""

from __future__ import annotations

import time

import bnml
from benchmarks.figures import Figure
from benchmarks.samples import FOLDER, NoNetworksError
from bnml.experiments.sachs import arcs_against, read_sachs, reference_of_sachs

LEAST_RIGHT, MOST_SECONDS = 16, 5.0


def run() -> list[Figure]:
    """Measure arcs that are right and reversed, time and proof, with the targets; and what is lost without them."""
    data = FOLDER.parent
    if not (data / "samples" / "sachs_interventional.csv").exists():
        raise NoNetworksError("this benchmark needs samples/sachs_interventional.csv of the shared data")
    reference, table = reference_of_sachs(data), read_sachs(data, targets=True)
    start = time.perf_counter()
    result = bnml.learn(table, "qnml")
    seconds = time.perf_counter() - start
    found = arcs_against(result.structure, reference)
    ignored = arcs_against(bnml.learn(read_sachs(data, targets=False), "qnml").structure, reference)
    note = f"{found['extra']} extra; targets ignored: {ignored['right']} right, {ignored['reversed']} reversed"
    return [
        Figure("Sachs with targets: right", found["right"], f"of {len(reference.arcs)}", LEAST_RIGHT, True, note),
        Figure("Sachs with targets: reversed", found["reversed"], "arcs", 0),
        Figure("Sachs with targets: proven optimal", float(result.optimal), "", 1, True, f"score {result.score:,.3f}"),
        Figure("Sachs with targets: time", seconds, "s", MOST_SECONDS, False, f"{result.search}, kernels compiled"),
    ]
