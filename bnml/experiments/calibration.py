"""Calibration: how many of the links that are said to be 90 % certain are in the generating network.

The posterior over structures and the bootstrap both put a number between 0 and 1 beside every link. If it is to be read
as a probability, then of all links with a number of about 0.9 nine in ten should be there. Tables are drawn from
networks that are known, every pair of variables of every table is put into a bin by the number beside it, and the
share of pairs that are linked in the generating network is held against the mean number: a *reliability curve*.

Three ways to a number are compared: the exact posterior, the posterior by sampling, and the bootstrap (support in
complementary halves of the rows, exact searches). The scores that are read as log-probabilities of the data have all
three, BIC the bootstrap alone.

The first source of tables is a check that can fail: structures of five variables are drawn from the uniform prior, and
parameters from BDeu's own prior. Under BDeu, without a rule of rows per cell, the exact posterior is then calibrated by
definition. The other sources are what nobody's prior foresaw: random networks with parameters from Dirichlet(1/2), and
networks of the repository.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

import bnml
from bnml._arrays import Floats
from bnml._bits import bits
from bnml.experiments import charts
from bnml.experiments.experiment import ANY_FAMILY, Experiment, Outputs, Part, Row, experiment_generator
from bnml.experiments.truths import draw_parameters, draw_rows, random_network, repository_network
from bnml.uncertainty.all_structures import Structures, all_structures

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NAME = "calibration"
NETWORKS = {name: f"networks/{name}.bif" for name in ("survey", "asia", "sachs")}
PRIOR, DRAWN = "the prior of BDeu", "random networks"
NODES, OTHERS = 5, 8  # variables of structures from the prior, and of random networks
SOURCES = (PRIOR, DRAWN, *NETWORKS)
SIZES = (100, 1000)
SCORES = {"BDeu": "bdeu:1", "fNML": "fnml", "qNML": "qnml", "BIC": "bic"}
EXACT, SAMPLED, HALVES = "exact posterior", "sampled posterior", "bootstrap"
METHODS = (EXACT, SAMPLED, HALVES)
NO_POSTERIOR = ("BIC",)
EDGES = (0.0, 0.05, 0.15, 0.25, 0.35, 0.45, 0.55, 0.65, 0.75, 0.85, 0.95, 1.0)
CERTAIN = 0.9
TABLES, SAMPLES = 60, 300  # of the bootstrap; and for each chain of the sampled posterior
CHECKS = 10  # tables from the prior for each repetition; the first has all three numbers, the others the exact one
COLOURS = {EXACT: "#0072b2", SAMPLED: "#e69f00", HALVES: "#cc3377"}
MARKERS = {EXACT: "o", SAMPLED: "x", HALVES: "s"}


def _parts(folder: Path, repetitions: int) -> list[Part]:
    """Return a part for each source of tables, number of rows and repetition."""
    variables = {PRIOR: NODES, DRAWN: OTHERS}
    variables |= {name: len(repository_network(folder, file).names) for name, file in NETWORKS.items()}
    every = product(SOURCES, SIZES, range(repetitions))
    return [Part((source, n, k), float(variables[source] ** 2 * (5 + n**0.5))) for source, n, k in every]


def _work(folder: Path, key: tuple[Any, ...], seed: int) -> list[Row]:
    """Return for one table, each way to a number and each score, the pairs in each bin."""
    source, n, repetition = key
    number = CHECKS if source == PRIOR else 1
    rows = []
    for k in range(number):
        random = experiment_generator(seed, NAME, *key, k)
        truth = _truth(folder, source, random)
        data, start = draw_rows(truth, n, random), int(random.integers(2**31))
        rule: dict[str, Any] = ANY_FAMILY if source == PRIOR else {}
        for (score, formula), method in product(SCORES.items(), METHODS if k == 0 else (EXACT,)):
            if method == HALVES or score not in NO_POSTERIOR:
                links = _numbers(data, formula, method, start, rule)
                cell: Row = {"source": source, "N": n, "repetition": repetition * number + k}
                cell |= {"score": score, "method": method}
                rows += [cell | one for one in said_and_true(links, truth.dag)]
    return rows


def _numbers(data: bnml.Data, score: str, method: str, seed: int, rule: dict[str, Any]) -> pd.DataFrame:
    """Return the numbers beside all links, by one of the ways to them."""
    if method == HALVES:
        found = bnml.bootstrap(data, score, "exact", prior="uniform", repetitions=TABLES, seed=seed, threads=1, **rule)
        return pd.DataFrame(found.links, found.names, found.names)
    kind = {"method": "exact"} if method == EXACT else {"method": "sample", "samples": SAMPLES, "seed": seed}
    return bnml.posterior(
        data, score, prior="uniform", structure_prior="uniform", threads=1, **kind, **rule
    ).link_probabilities


def _truth(folder: Path, source: str, random: np.random.Generator) -> bnml.BayesianNetwork:
    """Return the network that generates a table."""
    if source in NETWORKS:
        return repository_network(folder, NETWORKS[source])
    if source == DRAWN:
        return random_network(OTHERS, random)
    structures = _structures()
    masks = structures.parents[int(random.integers(len(structures.parents)))]
    names = [f"X{i}" for i in range(NODES)]
    dag = bnml.DAG.from_parent_sets(names, [list(bits(int(mask))) for mask in masks])
    states = {x: tuple(range(int(random.integers(2, 4)))) for x in names}
    return draw_parameters(dag, states, random, ess=1.0)


@cache
def _structures() -> Structures:
    """Return all structures that the uniform prior is over."""
    return all_structures(NODES)


def said_and_true(links: pd.DataFrame, dag: bnml.DAG) -> list[Row]:
    """Return for each bin of the numbers beside links: how many pairs, the sum of the numbers, and how many are true.

    Bins without a pair are left out. ``certain`` is the last bin of another kind: pairs with a number of 0.9 or more,
    whatever other bin they are in.

    Examples
    --------
    >>> links = pd.DataFrame([[0, 0.97, 0.2], [0.97, 0, 0.5], [0.2, 0.5, 0]], list("ABC"), list("ABC"))
    >>> for one in said_and_true(links, bnml.DAG.parse("[A][B|A][C|B]")):
    ...     print(one)
    {'bin': '0.2', 'pairs': 1, 'said': 0.2, 'true': 0}
    {'bin': '0.5', 'pairs': 1, 'said': 0.5, 'true': 1}
    {'bin': '1.0', 'pairs': 1, 'said': 0.97, 'true': 1}
    {'bin': 'certain', 'pairs': 1, 'said': 0.97, 'true': 1}
    """
    names = list(links.index)
    there = {frozenset(arc) for arc in dag.arcs}
    pairs = [(i, j) for i in range(len(names)) for j in range(i)]
    said = np.array([links.iloc[i, j] for i, j in pairs])
    true = np.array([frozenset((names[i], names[j])) in there for i, j in pairs])
    at = np.clip(np.searchsorted(EDGES, said, side="right") - 1, 0, len(EDGES) - 2)
    groups = [(f"{k / 10:.1f}", at == k) for k in range(len(EDGES) - 1)] + [("certain", said >= CERTAIN)]
    return [
        {"bin": name, "pairs": int(own.sum()), "said": float(said[own].sum()), "true": int(true[own].sum())}
        for name, own in groups
        if own.any()
    ]


def reliability(rows: pd.DataFrame, key: list[str]) -> pd.DataFrame:
    """Return by bin the mean number that was said, the share of links that are true, and its standard error.

    Parameters
    ----------
    rows
        Counts of single tables.
    key
        What is kept apart; ``bin`` for a curve.

    Notes
    -----
    Links of one table hang together, so the error of the share is that of a ratio of sums over tables: the standard
    deviation of what each table has more true links than the share leads one to expect, times the root of their number,
    over the number of pairs.
    """
    lines = []
    for cell, own in rows.groupby(key, sort=False):
        tables = own.groupby(["source", "N", "repetition"])[["pairs", "said", "true"]].sum()
        pairs, said, true = (float(tables[name].sum()) for name in ("pairs", "said", "true"))
        share, number = true / pairs, len(tables)
        excess = (tables["true"] - share * tables["pairs"]).to_numpy()
        error = float(np.sqrt(number / (number - 1) * (excess**2).sum()) / pairs) if number > 1 else np.nan
        values = cell if isinstance(cell, tuple) else (cell,)
        lines.append(
            {**dict(zip(key, values, strict=True)), "tables": number, "pairs": int(pairs), "said": said / pairs,
             "true": share, "error": error}
        )  # fmt: skip
    return pd.DataFrame(lines, columns=[*key, "tables", "pairs", "said", "true", "error"])


def calibration_errors(curves: pd.DataFrame, key: list[str]) -> pd.DataFrame:
    """Return the mean distance of what was said from the share that is true, weighted by the pairs in each bin."""
    off = curves.assign(off=(curves["said"] - curves["true"]).abs() * curves["pairs"])
    sums = off.groupby(key, sort=False)[["off", "pairs"]].sum()
    return (sums["off"] / sums["pairs"]).rename("calibration_error").reset_index()


def _outcome(folder: Path, rows: Sequence[Row], repetitions: int) -> Outputs:
    """Draw the reliability curves, and say what certain links are worth."""
    results = pd.DataFrame(rows)
    curves = results[results["bin"] != "certain"].sort_values("bin", kind="stable")
    certain = results[results["bin"] == "certain"]
    cell = ["source", "N", "score", "method"]
    tables = {
        "results": results,
        "curves": reliability(curves, [*cell, "bin"]),
        "certain": reliability(certain, cell),
        "certain_by_method": reliability(certain[certain["source"] != PRIOR], ["N", "score", "method"]),
        "certain_by_prior": reliability(certain[certain["source"] == PRIOR], ["N", "score", "method"]),
    }
    tables["errors"] = calibration_errors(tables["curves"], cell)
    figures = {"figure": _drawn(curves[curves["source"] != PRIOR]), "prior": _drawn(curves[curves["source"] == PRIOR])}
    return Outputs(tables, figures, _findings(tables, repetitions))


def _drawn(rows: pd.DataFrame) -> Figure:
    """Draw reliability curves, a row of panels for each number of rows and a column for each score."""
    drawing, panels = charts.figure(len(SIZES), len(SCORES), width=2.5, height=2.4)
    curves = reliability(rows, ["N", "score", "method", "bin"])
    for panel, (n, score) in zip(panels, product(SIZES, SCORES), strict=True):
        panel.plot([0, 1], [0, 1], color="#999999", linewidth=0.8, linestyle=":")
        for method in METHODS:
            own = curves[(curves["N"] == n) & (curves["score"] == score) & (curves["method"] == method)]
            if len(own):
                panel.errorbar(
                    own["said"], own["true"], yerr=_bars(own), color=COLOURS[method], marker=MARKERS[method],
                    markersize=3, linewidth=1.0, elinewidth=0.7, label=method,
                )  # fmt: skip
        panel.set_xlim(-0.03, 1.03)
        panel.set_ylim(-0.03, 1.03)
        panel.set_title(f"{score}, {n:,} rows", fontsize=8)
    for row in range(len(SIZES)):
        panels[row * len(SCORES)].set_ylabel("share that is true", fontsize=8)
    for panel in panels[-len(SCORES) :]:
        panel.set_xlabel("number beside the link", fontsize=8)
    charts.legend(drawing, panels, published=False)
    return drawing


def _bars(curve: pd.DataFrame) -> Floats:
    """Return the ends of error bars, which do not leave the range of shares."""
    error = curve["error"].fillna(0.0).to_numpy()
    true = curve["true"].to_numpy()
    return np.array([np.minimum(error, true), np.minimum(error, 1.0 - true)])


def _findings(tables: dict[str, pd.DataFrame], repetitions: int) -> list[str]:
    said = [
        f"{repetitions} tables of each source and number of rows; {CHECKS * repetitions} from {PRIOR} for the exact "
        "posterior."
    ]
    check = tables["curves"]
    own = check[(check["source"] == PRIOR) & (check["score"] == "BDeu") & (check["method"] == EXACT)]
    own = own[(own["tables"] > 1) & (own["error"] > 0)]
    off = ((own["said"] - own["true"]).abs() / own["error"]).to_numpy()
    if off.size:
        said.append(
            f"Check, exact posterior under BDeu of structures and parameters from its own prior: {(off <= 2).sum()} of "
            f"{off.size} shares are within two standard errors of what was said, the farthest {off.max():.1f} away."
        )
    for name, where in (("certain_by_prior", f"from {PRIOR}"), ("certain_by_method", "from all other networks")):
        said.append(f"Of links said to be {CERTAIN:.0%} certain or more, tables {where}:")
        said += [
            f"  {one['N']:,} rows, {one['score']}, {one['method']}: {one['true']:.1%} ± {one['error']:.1%} of "
            f"{one['pairs']:,} are true (said: {one['said']:.1%})."
            for one in tables[name].to_dict("records")
        ]
    said += _unlikely(check[check["source"] != PRIOR])
    errors = tables["errors"]
    others = errors[errors["source"] != PRIOR]
    said.append("Mean calibration error over sources but the prior (0 is perfect):")
    for (n, method), own in others.groupby(["N", "method"]):
        ordered = own.groupby("score")["calibration_error"].mean().sort_values()
        told = ", ".join(f"{score} {error:.3f}" for score, error in ordered.items())
        said.append(f"  {n:,} rows, {method}: {told}.")
    return said


def _unlikely(curves: pd.DataFrame) -> list[str]:
    """Say how many of the links in the lowest bin are true."""
    lowest = curves[curves["bin"] == "0.0"]
    counts = lowest.assign(there=lowest["true"] * lowest["pairs"]).groupby(["N", "score", "method"], sort=False)
    found = counts[["there", "pairs"]].sum().reset_index().to_dict("records")
    return [
        f"Of links said to be less than {EDGES[1]:.0%} certain, tables from all other networks:",
        *(
            f"  {one['N']:,} rows, {one['score']}, {one['method']}: {one['there'] / one['pairs']:.1%} of "
            f"{one['pairs']:,} are true."
            for one in found
        ),
    ]


EXPERIMENT = Experiment(NAME, _parts, _work, _outcome, repetitions=20, files=tuple(NETWORKS.values()))
