"""How near the marginal likelihood under Jeffreys' prior comes to NML, on small trees.

The forest paper says that NML is, under certain conditions, asymptotically equivalent to the marginal likelihood with
Jeffreys' prior, which is difficult to compute in practice. For small trees of binary variables it can be integrated
(`bnml.nml.jeffreys_evidence`), and this experiment looks at the difference.

The conditions are about the parameters: where these keep away from 0 and 1 the difference should vanish as rows are
added, and near the edge it need not. So tables are drawn in three ways: with probabilities between 0.2 and 0.8, with
probabilities from Dirichlet(1/2), many of which are near 0 or 1, and with columns that are copies of their parents, so
that half of the cells never occur. The difference does not tell which of two trees is better, so that is asked as well:
by how much the two measures disagree on what a tree gains over no links at all.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from bnml.experiments import charts
from bnml.experiments.claims import Claim, claim_of_margin
from bnml.experiments.comparison import student_error
from bnml.experiments.experiment import Experiment, Outputs, Part, Row, experiment_blocks, experiment_generator
from bnml.nml import jeffreys_evidence, parametric_complexity
from bnml.nml.forest import forest_log_likelihood, rows_of_forest

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NAME = "jeffreys-vs-nml"
TREES: dict[str, tuple[int | None, ...]] = {
    "one variable": (None,),
    "pair": (None, 0),
    "chain of 3": (None, 0, 1),
    "star of 4": (None, 0, 0, 0),
    "chain of 4": (None, 0, 1, 2),
    "fork of 5": (None, 0, 1, 1, 0),
}
SIZES = (10, 30, 100, 300, 1000, 3000)
INNER, EDGE, COPIES = "between 0.2 and 0.8", "from Dirichlet(1/2)", "copies of parents"
CONDITIONS = {
    INNER: "probabilities between 0.2 and 0.8",
    EDGE: "probabilities from Dirichlet(1/2), many of which are near 0 or 1",
    COPIES: "columns that are copies of their parents",
}
PARAMETERS = tuple(CONDITIONS)
COLOURS = ("#777777", "#e69f00", "#56b4e9", "#009e73", "#0072b2", "#cc3377")
MARKERS = "osD^vP"


def _parts(folder: Path, repetitions: int) -> list[Part]:
    """Return a part for each tree, number of rows and block of repetitions."""
    every = product(TREES.items(), SIZES, experiment_blocks(repetitions, 10))
    return [Part((tree, n, *ends), len(parents) * (ends[1] - ends[0] + n / 100)) for (tree, parents), n, ends in every]


def _work(folder: Path, key: tuple[Any, ...], seed: int) -> list[Row]:
    """Return NML and the marginal likelihood of each table, of the tree and without links."""
    tree, n, first, last = key
    parents = TREES[tree]
    values, forests = [2] * len(parents), (list(parents), [None] * len(parents))
    complexity = [parametric_complexity(forest, values, n) for forest in forests]  # the same for all tables
    rows = []
    for repetition, parameters in product(range(first, last), PARAMETERS):
        random = experiment_generator(seed, NAME, tree, n, repetition, parameters)
        codes = draw_tree_rows(parents, n, parameters, random)
        fits = [forest_log_likelihood(rows_of_forest(forest, codes, values)) for forest in forests]
        nml, bare_nml = (fit - price for fit, price in zip(fits, complexity, strict=True))
        jeffreys, bare_jeffreys = (jeffreys_evidence(forest, codes, values) for forest in forests)
        rows.append(
            {"tree": tree, "N": n, "parameters": parameters, "repetition": repetition, "nml": nml, "jeffreys": jeffreys,
             "difference": nml - jeffreys, "gain_difference": nml - bare_nml - (jeffreys - bare_jeffreys)}
        )  # fmt: skip
    return rows


def draw_tree_rows(
    parents: Sequence[int | None], n: int, parameters: str, random: np.random.Generator
) -> npt.NDArray[np.int64]:
    """Return rows of binary variables that hang together as a tree says, a column for each; parents come first."""
    codes = np.zeros((n, len(parents)), np.int64)
    for x, above in enumerate(parents):
        if parameters == COPIES and above is not None:
            codes[:, x] = codes[:, above]
            continue
        shape = 1 if above is None else 2
        ones = random.beta(0.5, 0.5, shape) if parameters == EDGE else random.uniform(0.2, 0.8, shape)
        chance = ones[0] if above is None else ones[codes[:, above]]
        codes[:, x] = random.random(n) < chance
    return codes


def _outcome(folder: Path, rows: Sequence[Row], repetitions: int) -> Outputs:
    """Average the differences, and say where they vanish."""
    results = pd.DataFrame(rows)
    key = ["tree", "parameters", "N"]
    off = results.assign(size=results["difference"].abs(), gain_size=results["gain_difference"].abs())
    means = off.groupby(key, sort=False).agg(
        tables=("nml", "size"), difference=("difference", "mean"), smallest=("difference", "min"),
        largest=("difference", "max"), size=("size", "mean"), gain_size=("gain_size", "mean"),
    ).reset_index().sort_values(key, ignore_index=True)  # fmt: skip
    tables = {"results": results, "means": means}
    return Outputs(tables, {"figure": _drawn(means)}, _findings(means, repetitions), _claims(off))


def _claims(off: pd.DataFrame) -> list[Claim]:
    """Return whether the difference falls as rows are added, for each kind of parameters."""
    claims = []
    for parameters, choice in CONDITIONS.items():
        own = off[off["parameters"] == parameters]
        few, many = sorted(own["N"].unique())[-2:]
        sizes = {n: own[own["N"] == n].groupby("tree")["size"] for n in (few, many)}
        mean = {n: float(size.mean().mean()) for n, size in sizes.items()}
        errors = pd.concat([size.agg(student_error) for size in sizes.values()])
        claim = claim_of_margin(
            "NML is, under certain conditions, asymptotically equivalent to the marginal likelihood with the Jeffreys "
            "prior (the difference falls as rows are added).", "forests, section 1", mean[few] - mean[many],
            float(np.sqrt((errors**2).sum())) / len(TREES),
            f"{mean[few]:.3f} nats with {few:,} rows, {mean[many]:.3f} with {many:,}, the mean of {len(TREES)} trees",
        )  # fmt: skip
        claims.append(claim.chosen(choice, again=parameters != INNER))
    return claims


def _drawn(means: pd.DataFrame) -> Figure:
    """Draw the mean difference by the number of rows, a panel for each kind of parameters."""
    drawing, panels = charts.figure(1, len(PARAMETERS))
    for panel, parameters in zip(panels, PARAMETERS, strict=True):
        for k, tree in enumerate(TREES):
            own = means[(means["tree"] == tree) & (means["parameters"] == parameters)]
            panel.plot(
                own["N"],
                own["difference"],
                color=COLOURS[k],
                marker=MARKERS[k],
                markersize=3.5,
                linewidth=1.1,
                label=tree,
            )
        panel.axhline(0.0, color="#999999", linewidth=0.8, linestyle=":")
        panel.set_xscale("log")
        panel.set_title(f"parameters {parameters}" if parameters != COPIES else "columns are copies", fontsize=9)
        panel.set_xlabel("rows", fontsize=8)
    panels[0].set_ylabel("log NML less log marginal\nlikelihood, nats", fontsize=8)
    charts.legend(drawing, panels, published=False)
    return drawing


def _findings(means: pd.DataFrame, repetitions: int) -> list[str]:
    said = [f"{repetitions} tables of each tree, number of rows and kind of parameters, all binary."]
    for parameters in PARAMETERS:
        own = means[means["parameters"] == parameters].groupby("N")[["size", "gain_size"]].mean()
        first, last = own.index[0], own.index[-1]
        told = ", ".join(f"{n:,} rows {size:.3f}" for n, size in own["size"].items())
        said.append(f"Mean size of the difference, nats, {parameters}: {told}.")
        said.append(
            f"  It is {own['size'].loc[last] / own['size'].loc[first]:.2f} times as large with {last:,} rows as with "
            f"{first:,}; the gains over no links differ by {own['gain_size'].loc[last]:.3f} nats with {last:,} rows."
        )
    last = means["N"].max()
    edge = means[(means["parameters"] == COPIES) & (means["N"] == last)].set_index("tree")
    cells = ", ".join(f"{tree} {one:.3f}" for tree, one in edge["difference"].items())
    said.append(f"Mean difference with {last:,} rows where columns are copies: {cells}.")
    return said


EXPERIMENT = Experiment(NAME, _parts, _work, _outcome, repetitions=20)
