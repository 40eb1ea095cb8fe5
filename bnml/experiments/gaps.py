"""What is found where values are missing: rows dropped, gaps as states, and structural EM, beside whole data.

Tables are drawn from Child, and values are taken out of them: of every column and row alike (*completely at random*),
or more often where another column, which is always there, has its commonest value (*at random*, given what is
observed).
The structural Hamming distance of what is learned under qNML to the generating structure is taken; both count as their
CPDAGs. Dropping rows leaves none where much is missing: the structure then has no links.

bnlearn's numbers are those of its ``structural.em`` (its defaults, imputation in each round), measured on tables that
were drawn likewise and have values missing completely at random.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import bnml
from bnml.errors import DataError
from bnml.experiments import charts
from bnml.experiments.claims import Claim, claim_usually
from bnml.experiments.comparison import student_error
from bnml.experiments.experiment import Experiment, Outputs, Part, Row, experiment_generator
from bnml.network.sampling import sample
from bnml.search.search_result import uninterrupted_result

NAME = "gaps"
NETWORK = "networks/child.bif"
SIZES, SHARES = (1000, 5000), (0.1, 0.3)
MECHANISMS = {"completely at random": None, "given another column": "Disease"}
METHODS = {"whole": "whole data", "drop": "rows dropped", "state": "gaps as states", "em": "structural EM"}
BNLEARN = {(1000, 0.1): (18, 20), (5000, 0.3): (12, 15)}


def _parts(folder: Path, repetitions: int) -> list[Part]:
    """Return sizes, shares, mechanisms and repetitions."""
    bnml.load(folder / NETWORK)
    every = product(SIZES, SHARES, MECHANISMS, range(repetitions))
    return [Part((n, share, mechanism, k), n * (1.0 + 10.0 * share)) for n, share, mechanism, k in every]


def _work(folder: Path, key: tuple[Any, ...], seed: int) -> list[Row]:
    """Return the distance from the generating structure for each way to learn from one table."""
    n, share, mechanism, repetition = key
    network = bnml.load(folder / NETWORK)
    whole = sample(network, n, int(experiment_generator(seed, NAME, n, repetition).integers(2**63))).astype(object)
    rng = experiment_generator(seed, NAME, n, share, mechanism, repetition)
    gaps = values_taken_out(whole, share, MECHANISMS[mechanism], rng)
    states = {x: list(labels) for x, labels in network.states.items()}
    row: Row = {"N": n, "missing": share, "mechanism": mechanism, "repetition": repetition}
    for method in METHODS:
        try:
            table = bnml.read(whole if method == "whole" else gaps, states=states, missing=_choice(method))
        except DataError:  # no row is left
            row[method] = bnml.shd(network.dag, bnml.DAG(network.names))
            continue
        row[method] = bnml.shd(
            network.dag, uninterrupted_result(bnml.learn(table, prior="uniform", threads=1)).structure
        )
    return [row]


def _choice(method: str) -> str:
    return "error" if method == "whole" else method


def values_taken_out(frame: pd.DataFrame, share: float, other: str | None, rng: np.random.Generator) -> pd.DataFrame:
    """Return a table without a share of its values.

    Parameters
    ----------
    frame
        The table.
    share
        How much is taken out of each column, on average.
    other
        A column that stays whole: where it has its commonest value, more is missing in the others. None for values that
        are missing completely at random.
    rng
        Where chance comes from.
    """
    if other is None:
        return frame.mask(rng.random(frame.shape) < share)
    common = (frame[other] == frame[other].mode()[0]).to_numpy()
    often = min(1.6 * share, 1.0)  # more often where the other column has its commonest value
    seldom = max(0.0, (share - common.mean() * often) / max(1.0 - common.mean(), 1e-9))
    chances = np.where(common, often, seldom)[:, None] * (frame.columns != other)[None, :]
    return frame.mask(rng.random(frame.shape) < chances)


def _outcome(folder: Path, rows: Sequence[Row], repetitions: int) -> Outputs:
    """Average over repetitions, and set bnlearn's numbers beside."""
    key = ["N", "missing", "mechanism"]
    results = pd.DataFrame(rows).sort_values([*key, "repetition"], ignore_index=True)
    means = results.groupby(key)[list(METHODS)].mean().reset_index()
    known = {cell: float(np.mean(values)) for cell, values in BNLEARN.items()}
    first = next(iter(MECHANISMS))
    means["bnlearn"] = [
        known.get((n, share), np.nan) if mechanism == first else np.nan
        for n, share, mechanism in means[key].itertuples(index=False)
    ]
    drawing, panels = charts.figure(1, len(MECHANISMS), width=4.0)
    width = 1.0 / (len(METHODS) + 2)
    for panel, mechanism in zip(panels, MECHANISMS, strict=True):
        own = means[means["mechanism"] == mechanism]
        for k, (method, label) in enumerate((*METHODS.items(), ("bnlearn", "bnlearn's structural EM"))):
            panel.bar(np.arange(len(own)) + k * width, own[method], width, label=label)
        cells = [f"{n:,} rows\n{share:.0%}" for n, share in own[["N", "missing"]].itertuples(index=False)]
        panel.set_xticks(np.arange(len(own)) + 2 * width, cells)
        panel.set_title(f"missing {mechanism}", fontsize=9)
    panels[0].set_ylabel("mean distance (SHD)", fontsize=8)
    charts.legend(drawing, panels, published=False)
    tables = {"results": results, "means": means}
    return Outputs(tables, {"figure": drawing}, _findings(means, repetitions), [_claim(results)])


def _claim(results: pd.DataFrame) -> Claim:
    """Return whether structural EM comes nearer than rows dropped and gaps as states."""
    nearest = results[["drop", "state"]].min(axis=1)
    ahead = (nearest - results["em"]).groupby([results["N"], results["missing"], results["mechanism"]])
    margins, errors = ahead.mean(), ahead.agg(student_error, least=1.0)
    return claim_usually(
        "Structural EM comes nearer to the generating structure than rows dropped and than gaps as states.",
        "bnml, page on gaps and experiments", margins, errors,
        f"in {int((margins > 0).sum())} of {len(margins)} cells, by {margins.mean():.1f} arcs on average",
    )  # fmt: skip


def _findings(means: pd.DataFrame, repetitions: int) -> list[str]:
    said = [f"Child under qNML, mean distance (SHD) of {repetitions} tables each; 25 arcs generated them."]
    for cell in means.to_dict("records"):
        told = ", ".join(f"{label} {cell[method]:.1f}" for method, label in METHODS.items())
        beside = "" if math.isnan(cell["bnlearn"]) else f"; bnlearn's structural EM {cell['bnlearn']:.1f}"
        said.append(f"{cell['N']:,} rows, {cell['missing']:.0%} missing {cell['mechanism']}: {told}{beside}.")
    return said


EXPERIMENT = Experiment(NAME, _parts, _work, _outcome, repetitions=10, in_all=5, files=(NETWORK,))
