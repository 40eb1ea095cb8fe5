"""Scores against the truth: how near the proven best structure comes to the network that generated the table.

Studies of scores on the larger networks of the Bayesian Network Repository compare what heuristics find, so that a
score answers for the faults of the search. Here the best structure under each score is found and proven, and nothing
else is counted. Where the proof takes more than a fixed amount of work, the cell says so; its number is then missing,
not a heuristic's.

Two distances are taken: the structural Hamming distance of the classes (SHD), and the Kullback-Leibler divergence of
the learned network from the generating one, in nats for each row, exactly and over all variables. Parameters are those
of sequential NML for every score, so that structures alone differ.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

import bnml
from bnml.experiments import charts
from bnml.experiments.experiment import Experiment, Outputs, Part, Row, experiment_generator
from bnml.experiments.proven import proven_best
from bnml.experiments.truths import draw_rows, repository_network

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NAME = "scores-against-truth"
NETWORKS = {
    "cancer": "networks/cancer.bif",
    "earthquake": "networks/earthquake.bif",
    "survey": "networks/survey.bif",
    "asia": "networks/asia.bif",
    "sachs": "networks/sachs.bif",
    "child": "networks/child.bif",
    "insurance": "networks/insurance.bif",
    "water": "networks/water.bif.gz",
    "mildew": "networks/mildew.bif.gz",
    "alarm": "networks/alarm.bif",
    "barley": "networks/barley.bif.gz",
    "hailfinder": "networks/hailfinder.bif",
    "win95pts": "networks/win95pts.bif",
}
SIZES = (100, 300, 1000, 3000)
SCORES = {"BDeu": "bdeu:1", "BIC": "bic", "fNML": "fnml", "qNML": "qnml"}
MEASURES = {"distance": "distance (SHD)", "divergence": "divergence, nats per row"}
CELL = ["network", "variables", "N"]


def _parts(folder: Path, repetitions: int) -> list[Part]:
    """Return a part for each network, number of rows and repetition."""
    variables = {name: len(repository_network(folder, file).names) for name, file in NETWORKS.items()}
    every = product(variables.items(), SIZES, range(repetitions))
    return [Part((name, n, k), float(v * v) * n) for (name, v), n, k in every]


def _work(folder: Path, key: tuple[Any, ...], seed: int) -> list[Row]:
    """Return how far the proven best structure of one table is from the generating network, for each score."""
    name, n, repetition = key
    truth = repository_network(folder, NETWORKS[name])
    data = draw_rows(truth, n, experiment_generator(seed, *key))
    rows = []
    for score, formula in SCORES.items():
        best = proven_best(data, formula)
        row: Row = {"network": name, "variables": len(data.names), "N": n, "repetition": repetition, "score": score}
        row |= {"proven": best is not None, "distance": None, "divergence": None, "links": None, "parameters": None}
        if best is not None:
            fitted = bnml.fit(best.structure, data)
            row |= {
                "distance": bnml.shd(truth.dag, best.structure),
                "divergence": bnml.kl_divergence(truth, fitted),
                "links": len(best.structure.arcs),
                "parameters": fitted.n_parameters,
            }
        rows.append(row)
    return rows


def _outcome(folder: Path, rows: Sequence[Row], repetitions: int) -> Outputs:
    """Average what is proven in all repetitions, and say which scores come nearest."""
    results = pd.DataFrame(rows)
    means = _means(results)
    nearest = _nearest(results)
    tables = {"results": results, "means": means, "nearest": nearest}
    tables |= {f"{measure}_table": _wide(means, measure) for measure in MEASURES}
    figures = {name: _drawn(means, measure) for name, measure in zip(("figure", "divergence"), MEASURES, strict=True)}
    return Outputs(tables, figures, _findings(results, means, nearest, repetitions))


def _means(results: pd.DataFrame) -> pd.DataFrame:
    """Return means and their standard errors of cells in which every repetition is proven; others have none."""
    groups = results.groupby([*CELL, "score"], sort=False)
    found = groups["proven"].agg(tables="size", proven="sum").reset_index()
    for measure in (*MEASURES, "links", "parameters"):
        own = groups[measure].agg(["mean", "sem"]).reset_index(drop=True).astype(float)
        whole = (found["proven"] == found["tables"]).to_numpy()
        found[measure] = own["mean"].where(whole)
        if measure in MEASURES:
            found[f"{measure}_error"] = own["sem"].where(whole)
    return found


def _whole_cells(results: pd.DataFrame) -> pd.DataFrame:
    """Return the results of cells in which everything is proven under every score, so that scores can be compared."""
    return results[results.groupby(CELL)["proven"].transform("all")]


def _nearest(results: pd.DataFrame) -> pd.DataFrame:
    """Return for each number of rows and measure the mean rank of each score over networks, and how often it is first.

    Scores that tie share the average rank; who ties for the first place is first.
    """
    lines = []
    whole = _whole_cells(results)
    means = whole.groupby([*CELL, "score"], sort=False)[list(MEASURES)].mean().reset_index()
    for measure in MEASURES:
        means["rank"] = means.groupby(CELL)[measure].rank()
        means["first"] = means[measure] == means.groupby(CELL)[measure].transform("min")
        for (n, score), own in means.groupby(["N", "score"], sort=False):
            lines.append(
                {"N": n, "measure": measure, "score": score, "networks": len(own), "rank": own["rank"].mean(),
                 "first": int(own["first"].sum())}
            )  # fmt: skip
    return pd.DataFrame(lines, columns=["N", "measure", "score", "networks", "rank", "first"]).sort_values(
        ["measure", "N", "score"], ignore_index=True
    )


def _wide(means: pd.DataFrame, measure: str) -> pd.DataFrame:
    """Return a table for people: a line for each network and number of rows, "not proven" where that is the answer."""
    digits = 1 if measure == "distance" else 3
    lines = []
    for (network, variables, n), own in means.groupby(CELL, sort=False):
        line: Row = {"network": network, "variables": variables, "N": n}
        for one in own.to_dict("records"):
            known = one["proven"] == one["tables"]
            line[one["score"]] = (
                f"{one[measure]:.{digits}f} ± {one[f'{measure}_error']:.{digits}f}"
                if known
                else f"not proven ({one['proven']} of {one['tables']})"
            )
        lines.append(line)
    return pd.DataFrame(lines)


def _drawn(means: pd.DataFrame, measure: str) -> Figure:
    """Draw a measure by the number of rows, a panel for each network."""
    names = list(dict.fromkeys(means["network"]))
    columns = min(len(names), 5)
    height = math.ceil(len(names) / columns)
    drawing, panels = charts.figure(height, columns, width=2.5, height=2.2)
    for panel, name in zip(panels, names, strict=False):
        for score in SCORES:
            own = means[(means["network"] == name) & (means["score"] == score)]
            charts.line(panel, own["N"], own[measure], score)
        variables = means[means["network"] == name]["variables"].iloc[0]
        panel.set_title(f"{name}, {variables} variables", fontsize=8)
        panel.set_xscale("log")
        sizes = sorted(set(means["N"]))
        panel.set_xlim(sizes[0] / 1.3, sizes[-1] * 1.3)
        panel.set_xticks(sizes, [f"{n:,}" for n in sizes])
        panel.minorticks_off()
        panel.set_ylim(bottom=0)
        if means[means["network"] == name][measure].isna().all():
            panel.text(0.5, 0.5, "not proven", transform=panel.transAxes, ha="center", fontsize=8)
            panel.set_yticks([])
    for panel in panels[len(names) :]:
        panel.set_visible(False)
    for row in range(height):
        panels[row * columns].set_ylabel(MEASURES[measure], fontsize=7)
    charts.legend(drawing, panels, published=False)
    return drawing


def _findings(results: pd.DataFrame, means: pd.DataFrame, nearest: pd.DataFrame, repetitions: int) -> list[str]:
    proven = means[means["proven"] == means["tables"]]
    largest = max(proven.to_dict("records"), key=lambda one: one["variables"], default=None)
    said = [
        f"{repetitions} tables of each network and number of rows: the optimum is proven for all of them in "
        f"{len(proven)} of {len(means)} cells (network, rows, score)"
        + ("." if largest is None else f", up to {largest['network']} with {largest['variables']} variables.")
    ]
    for (n, score), own in means[means["proven"] < means["tables"]].groupby(["N", "score"]):
        told = ", ".join(f"{one['network']} ({one['proven']} of {one['tables']})" for one in own.to_dict("records"))
        said.append(f"  not proven with {n:,} rows under {score}: {told}.")
    for measure, what in MEASURES.items():
        said.append(f"Mean rank by {what} over the networks proven under all scores, and how often first:")
        ranked = nearest[nearest["measure"] == measure]
        for n in sorted(set(ranked["N"].tolist())):
            ordered = ranked[ranked["N"] == n].sort_values("rank").to_dict("records")
            told = ", ".join(f"{one['score']} {one['rank']:.2f} ({one['first']})" for one in ordered)
            said.append(f"  {n:,} rows, {ordered[0]['networks']} networks: {told}.")
    return [*said, *_parsimony(results)]


def _parsimony(results: pd.DataFrame) -> list[str]:
    """Say how many links scores find, of those that generated the tables, in cells that are proven throughout."""
    whole = _whole_cells(results)
    if whole.empty:
        return []
    said = ["Links found, mean over those cells, and parameters:"]
    for n, own in whole.groupby("N"):
        means = own.groupby("score", sort=False)[["links", "parameters"]].mean()
        told = ", ".join(f"{score} {one['links']:.1f} ({one['parameters']:,.0f})" for score, one in means.iterrows())
        said.append(f"  {n:,} rows: {told}.")
    return said


EXPERIMENT = Experiment(NAME, _parts, _work, _outcome, repetitions=5, in_all=0, files=tuple(NETWORKS.values()))
