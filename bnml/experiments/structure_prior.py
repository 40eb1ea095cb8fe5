"""What a sparse structure prior is worth, by the number of parents that it expects.

Under a uniform prior over structures each of n - 1 candidate parents of a variable has its chance, and the more
candidates there are the more pass by chance. A sparse prior expects a number of parents for each variable and charges
for an arc accordingly. Two questions are asked of the uniform prior and of 1/2, 1, 2 and 4 expected parents.

**Noise.** How many arcs does a search find among independent binary columns, which have none?

**Networks.** How near does the learned structure come to the generating network (SHD, F1 of links and of arcs), and how
probable are held-out rows under the learned network, fitted by sequential NML? Structures are proven optima where a
fixed amount of work proves them, and otherwise those of order search; the tables say which.

All priors are compared on the same tables.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

import bnml
from bnml.experiments import charts
from bnml.experiments.claims import Claim, claim_everywhere, claim_of_margin
from bnml.experiments.comparison import student_error, student_factor
from bnml.experiments.experiment import Experiment, Outputs, Part, Row, experiment_blocks, experiment_generator
from bnml.experiments.proven import proven_best
from bnml.experiments.truths import draw_rows, repository_network
from bnml.graph.comparison import Overlap
from bnml.scores.priors import Sparse, StructurePrior
from bnml.search.search_result import SearchResult, uninterrupted_result

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

NAME = "structure-prior"
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
    "hepar2": "networks/hepar2.bif",
    "win95pts": "networks/win95pts.bif",
    "andes": "networks/andes.bif",
}
SIZES = (100, 300, 1000, 5000)
COLUMNS = (10, 20, 40, 60, 100, 200)
NOISE_ROWS = 500
HELD_OUT = 2000
SCORES = {"BDeu": "bdeu:1", "BIC": "bic", "fNML": "fnml", "qNML": "qnml"}
UNIFORM, DEFAULT = "uniform", "1"
PRIORS: dict[str, StructurePrior | None] = {
    UNIFORM: None,
    "1/2": Sparse(0.5),
    DEFAULT: Sparse(1.0),
    "2": Sparse(2.0),
    "4": Sparse(4.0),
}
COLOURS = ("#777777", "#56b4e9", "#0072b2", "#009e73", "#e69f00")
MARKERS = "XvosD"
MEASURES = ("relative", "held_out")  # SHD / true arcs, and nats per row
WHERE = "bnml, page on the cost of an arc"


def _parts(folder: Path, repetitions: int) -> list[Part]:
    """Return blocks of noise tables, and a part for each network, number of rows and repetition."""
    blocks = experiment_blocks(repetitions, 3)
    parts = [Part(("noise", n, first, last), n * n / 100) for n in COLUMNS for first, last in blocks]
    for name, file in NETWORKS.items():
        variables = len(repository_network(folder, file).names)
        every = product(SIZES, range(repetitions))
        parts += [Part((name, n, k), variables * variables * (500 + n) / 100) for n, k in every]
    return parts


def _work(folder: Path, key: tuple[Any, ...], seed: int) -> list[Row]:
    """Return the arcs found in a block of noise tables, or the structures learned from one table of a network."""
    if key[0] == "noise":
        _, columns, first, last = key
        return [row for k in range(first, last) for row in _noise(columns, k, seed)]
    name, n, repetition = key
    return _learned(folder, name, n, repetition, seed)


def _noise(columns: int, repetition: int, seed: int) -> list[Row]:
    """Return how many arcs are found in one table of independent binary columns."""
    random = experiment_generator(seed, NAME, "noise", columns, repetition)
    data = bnml.read(random.integers(0, 2, (NOISE_ROWS, columns)))
    rows = []
    for (score, formula), (prior, own) in product(SCORES.items(), PRIORS.items()):
        found = _best(data, formula, own)
        rows.append(
            {"kind": "noise", "columns": columns, "repetition": repetition, "score": score, "prior": prior,
             "proven": bool(found.optimal), "arcs": len(found.structure.arcs)}
        )  # fmt: skip
    return rows


def _learned(folder: Path, name: str, n: int, repetition: int, seed: int) -> list[Row]:
    """Return how near each score and prior comes to the network that generated one table."""
    truth = repository_network(folder, NETWORKS[name])
    random = experiment_generator(seed, NAME, name, n, repetition)
    data, held_out = draw_rows(truth, n, random), draw_rows(truth, HELD_OUT, random)
    rows = []
    for (score, formula), (prior, own) in product(SCORES.items(), PRIORS.items()):
        found = _best(data, formula, own)
        network = uninterrupted_result(found).network
        assert network is not None
        compared = bnml.compare(truth.dag.cpdag(), found.structure.cpdag())  # of classes: SID takes long
        rows.append(
            {"kind": "network", "network": name, "true_arcs": len(truth.dag.arcs), "N": n, "repetition": repetition,
             "score": score, "prior": prior, "proven": bool(found.optimal), "arcs": len(found.structure.arcs),
             "distance": compared.shd, "f1_links": _f1(compared.links), "f1_arcs": _f1(compared.arcs),
             "held_out": float(np.mean(network.log_prob(held_out)))}
        )  # fmt: skip
    return rows


def _f1(overlap: Overlap) -> float | None:
    """Return the F1 of links or arcs; None where neither graph has any."""
    return None if math.isnan(overlap.f1) else overlap.f1


def _best(data: bnml.Data, score: str, prior: StructurePrior | None) -> SearchResult:
    """Return the proven optimum if a fixed amount of work proves it, and otherwise what order search finds."""
    # 300,000 sets are some seconds for each proof: thousands of structures take hours and not days
    best = proven_best(data, score, 300_000, 10, prior)
    if best is not None:
        return best
    return uninterrupted_result(bnml.search.order(data, score, prior=prior, threads=1))


def _outcome(folder: Path, rows: Sequence[Row], repetitions: int) -> Outputs:
    """Average over repetitions and networks, and judge the default against the uniform prior."""
    noise = pd.DataFrame([row for row in rows if row["kind"] == "noise"]).drop(columns="kind")
    networks = pd.DataFrame([row for row in rows if row["kind"] == "network"]).drop(columns="kind")
    networks = networks.astype({"f1_links": float, "f1_arcs": float})
    networks["relative"] = networks["distance"] / networks["true_arcs"]
    changes = _changes(networks)
    false_arcs = _false_arcs(noise)
    tables = {
        "results": networks,
        "noise": noise,
        "false_arcs": false_arcs,
        "by_network": _by_network(networks),
        "by_rows": _by_rows(networks),
        "changes": changes,
    }
    figures = {"figure": _false_arcs_drawn(false_arcs), "distance": _curves_drawn(tables["by_rows"])}
    findings = _findings(noise, tables, repetitions)
    return Outputs(tables, figures, findings, _claims(noise, networks))


def _false_arcs(noise: pd.DataFrame) -> pd.DataFrame:
    """Return the mean number of arcs in independent columns, with errors, and in how many tables it is proven."""
    groups = noise.groupby(["columns", "score", "prior"], sort=False)
    found = groups["arcs"].agg(["mean", student_error])
    return found.assign(tables=groups.size(), proven=groups["proven"].sum()).reset_index()


def _by_network(networks: pd.DataFrame) -> pd.DataFrame:
    """Return means over repetitions, and in how many of them the optimum is proven."""
    groups = networks.groupby(["network", "N", "score", "prior"], sort=False)
    means = groups[["distance", "relative", "f1_links", "f1_arcs", "held_out", "arcs"]].mean()
    return means.assign(tables=groups.size(), proven=groups["proven"].sum()).reset_index()


def _by_rows(networks: pd.DataFrame) -> pd.DataFrame:
    """Return means over networks, each of the same weight, with the errors of SHD / true arcs."""
    means = _by_network(networks).groupby(["N", "score", "prior"], sort=False)
    found = means[["relative", "f1_links", "f1_arcs", "held_out"]].mean()
    errors = networks.groupby(["N", "score", "prior"], sort=False)[["network", "relative"]].apply(
        lambda own: _mean_and_error(own, "relative")[1]
    )
    return found.assign(error=errors, tables=means["tables"].sum(), proven=means["proven"].sum()).reset_index()


def _paired(networks: pd.DataFrame) -> pd.DataFrame:
    """Return what each prior changes in each table: SHD / true arcs and held-out log-probability, less uniform's."""
    key = ["network", "N", "repetition", "score"]
    base = networks.loc[networks["prior"] == UNIFORM, [*key, *MEASURES]]
    pairs = networks[networks["prior"] != UNIFORM].merge(base, on=key, suffixes=("", "_uniform"))
    for measure in MEASURES:
        pairs[measure] -= pairs[f"{measure}_uniform"]
    return pairs


def _changes(networks: pd.DataFrame) -> pd.DataFrame:
    """Return the mean change from the uniform prior for each number of rows, score and prior, with its error."""
    lines = []
    for (n, score, prior), own in _paired(networks).groupby(["N", "score", "prior"], sort=False):
        line: Row = {"N": n, "score": score, "prior": prior}
        for measure in MEASURES:
            line[measure], line[f"{measure}_error"] = _mean_and_error(own, measure)
        tables = own.groupby("network")["relative"].mean()
        lines.append({**line, "better": int((tables < 0).sum()), "worse": int((tables > 0).sum())})
    return pd.DataFrame(lines)


def _mean_and_error(table: pd.DataFrame, measure: str) -> tuple[float, float]:
    """Return the mean over networks, and its standard error from the repetitions of each, widened by Student's t."""
    groups = table.groupby("network")[measure]
    freedom = int((groups.size() - 1).sum())
    if not freedom:
        return float(groups.mean().mean()), float("nan")
    error = float(np.sqrt((groups.var(ddof=1) / groups.size()).sum())) / groups.ngroups
    return float(groups.mean().mean()), error * float(student_factor(freedom + 1))


def _false_arcs_drawn(false_arcs: pd.DataFrame) -> Figure:
    """Draw the number of false arcs by the number of columns, a panel for each score and a line for each prior.

    Bands are two standard errors; hollow marks are means with structures that order search found, not proven.
    """
    drawing, panels = charts.figure(1, len(SCORES), width=2.6)
    for panel, score in zip(panels, SCORES, strict=True):
        for k, prior in enumerate(PRIORS):
            own = false_arcs[(false_arcs["score"] == score) & (false_arcs["prior"] == prior)]
            label = "uniform prior" if prior == UNIFORM else f"expected parents {prior}"
            style: dict[str, Any] = {"color": COLOURS[k], "marker": MARKERS[k], "markersize": 3.5, "linewidth": 1.2}
            panel.plot(own["columns"], own["mean"], label=label, **style)
            low, high = own["mean"] - 2.0 * own["student_error"], own["mean"] + 2.0 * own["student_error"]
            panel.fill_between(own["columns"], low.clip(lower=0.0), high, color=COLOURS[k], alpha=0.15, linewidth=0)
            _mark_unproven(panel, own["columns"], own["mean"], own["proven"] < own["tables"], style)
        panel.set_yscale("symlog", linthresh=1.0)
        panel.set_ylim(bottom=0)
        panel.set_title(score, fontsize=9)
        panel.set_xlabel("independent columns", fontsize=8)
    panels[0].set_ylabel("false arcs, mean", fontsize=8)
    charts.legend(drawing, panels, published=False)
    return drawing


def _mark_unproven(panel: Axes, x: pd.Series, y: pd.Series, unproven: pd.Series, style: dict[str, Any]) -> None:
    """Draw means over structures of which some are not proven optima as hollow marks."""
    hollow = {**style, "linestyle": "", "markerfacecolor": "white", "zorder": 4}
    panel.plot(x[unproven], y[unproven], **hollow)


def _curves_drawn(by_rows: pd.DataFrame) -> Figure:
    """Draw SHD / true arcs by prior, a panel for each number of rows and a line for each score."""
    sizes = sorted(set(by_rows["N"]))
    drawing, panels = charts.figure(1, len(sizes), width=2.6)
    places = {prior: k for k, prior in enumerate(PRIORS)}
    for panel, n in zip(panels, sizes, strict=True):
        for score in SCORES:
            own = by_rows[(by_rows["N"] == n) & (by_rows["score"] == score)]
            x = own["prior"].map(places)
            charts.line(panel, x, own["relative"], score)
            style: dict[str, Any] = {"color": charts.COLOURS[score], "marker": charts.MARKERS[score], "markersize": 3.0}
            panel.errorbar(x, own["relative"], 2.0 * own["error"], fmt="none", ecolor=style["color"], elinewidth=0.8)
            _mark_unproven(panel, x, own["relative"], own["proven"] < own["tables"], style)
        panel.set_xticks(range(len(PRIORS)), list(PRIORS), fontsize=7)
        panel.set_title(f"{n:,} rows", fontsize=9)
        panel.set_xlabel("expected parents", fontsize=8)
    panels[0].set_ylabel("SHD / true arcs, mean of networks", fontsize=8)
    charts.legend(drawing, panels, published=False)
    return drawing


def _claims(noise: pd.DataFrame, networks: pd.DataFrame) -> list[Claim]:
    """Return the verdicts on the default prior: noise, distance to the truth, held-out rows."""
    own = noise[noise["prior"] == DEFAULT].groupby(["score", "columns"])["arcs"]
    means, errors = own.mean(), own.agg(student_error, least=1.0)
    claims = [
        claim_everywhere(
            "With one expected parent per variable a search finds at most two arcs in independent columns, on average.",
            WHERE, 2.0 - means, errors, f"{means.max():.1f} arcs at most in {len(means)} cells",
            [f"{score}, {columns} columns" for score, columns in means.index],
        )
    ]  # fmt: skip
    paired = _paired(networks)
    for score, table in paired[paired["prior"] == DEFAULT].groupby("score", sort=False):
        relative, relative_error = _mean_and_error(table, "relative")
        held_out, held_out_error = _mean_and_error(table, "held_out")
        claims += [
            claim_of_margin(
                f"Under {score} the structure is nearer to the truth with one expected parent than with a uniform "
                "prior (SHD / true arcs, mean of networks and numbers of rows).",
                WHERE, -relative, relative_error, f"{relative:+.3f}",
            ),
            claim_of_margin(
                f"Under {score} held-out rows are more probable with one expected parent than with a uniform prior.",
                WHERE, held_out, held_out_error, f"{held_out:+.4f} nats per row",
            ),
        ]  # fmt: skip
    return claims


def _findings(noise: pd.DataFrame, tables: dict[str, pd.DataFrame], repetitions: int) -> list[str]:
    by_network, by_rows, changes = tables["by_network"], tables["by_rows"], tables["changes"]
    lines = [
        f"{repetitions} tables of each network and number of rows, and of each number of independent columns "
        f"({NOISE_ROWS} rows). Optima of networks are proven for {int(by_network['proven'].sum()):,} of "
        f"{int(by_network['tables'].sum()):,} tables, scores and priors, of independent columns for "
        f"{int(noise['proven'].sum()):,} of {len(noise):,}; order search found the other structures.",
        "False arcs in independent columns, mean, by prior (expected parents):",
    ]
    false_arcs = tables["false_arcs"]
    for (columns, score), own in false_arcs.groupby(["columns", "score"], sort=False):
        counted = ", ".join(f"{one['prior']} {one['mean']:.1f}" for one in own.to_dict("records"))
        lines.append(f"  {columns} columns, {score}: {counted}.")
    lines.append("SHD / true arcs, mean of networks, by prior:")
    for (n, score), own in by_rows.groupby(["N", "score"], sort=False):
        values = ", ".join(f"{one['prior']} {one['relative']:.3f}" for one in own.to_dict("records"))
        lines.append(f"  {n:,} rows, {score}: {values}.")
    lines.append("Change from the uniform prior with one expected parent, and networks that are nearer : farther:")
    lines += [
        f"  {one['N']:,} rows, {one['score']}: SHD / true arcs {one['relative']:+.3f} ± {one['relative_error']:.3f}, "
        f"{one['better']} : {one['worse']}; held-out rows {one['held_out']:+.4f} ± {one['held_out_error']:.4f} nats "
        "per row."
        for one in changes[changes["prior"] == DEFAULT].to_dict("records")
    ]
    overall = by_rows.groupby("prior", sort=False)[["relative", "f1_links", "f1_arcs", "held_out"]].mean()
    lines.append("Mean over scores and numbers of rows, by prior:")
    lines += [
        f"  {prior}: SHD / true arcs {one['relative']:.3f}, F1 of links {one['f1_links']:.3f}, of arcs "
        f"{one['f1_arcs']:.3f}, held-out rows {one['held_out']:.3f} nats."
        for prior, one in overall.iterrows()
    ]
    return lines


EXPERIMENT = Experiment(NAME, _parts, _work, _outcome, repetitions=3, in_all=0, files=tuple(NETWORKS.values()))
