"""What scores make of columns that have nothing to do with each other, and what the rule on rows per cell does then.

**Useless parents.** A column of four states gets parents that are independent of it: k binary columns, 2^k
configurations. What the score gains by them should be negative. For few configurations it is; but with more
configurations than a fraction of the rows each of them holds hardly a row, a child that is predicted evenly costs no
more than log 4 a row whatever its parents are, and the price that qNML charges for another parent falls again. Its gain
turns at about a tenth of the rows and is positive near four tenths. fNML ends slightly above zero, and BDeu near it.

**Arcs.** The best network of columns with two, three and four states, evenly spread and independent, has no arcs. How
many are found is counted for each score, by exact search, with the rule that the table of a family has five rows for
each of its cells on average, and without it.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import bnml
from bnml.experiments import charts
from bnml.experiments.claims import Claim, claim_everywhere
from bnml.experiments.comparison import student_error
from bnml.experiments.experiment import Experiment, Outputs, Part, Row, experiment_blocks, experiment_generator
from bnml.graph.rules import ROWS_PER_CELL
from bnml.scores import LocalScores
from bnml.search.search_result import uninterrupted_result

NAME = "independent-columns"
SCORES = {"BIC": "bic", "BDeu": "bdeu", "fNML": "fnml", "qNML": "qnml"}
SIZES = (300, 1200, 10_000)  # rows
COLUMNS = (6, 8, 10)
CHILD = 4  # states


def _parts(folder: Path, repetitions: int) -> list[Part]:
    """Return the gains of useless parents, and the searches of independent columns, in blocks of repetitions."""
    found = []
    for n in SIZES:
        for first, last in experiment_blocks(repetitions, 5):
            found.append(Part(("gains", n, 0, first, last), n / 1000))
            found += [Part(("arcs", n, k, first, last), n * 2**k / 1e5) for k in COLUMNS]
    return found


def _work(folder: Path, key: tuple[Any, ...], seed: int) -> list[Row]:
    """Return the gains of useless parents, or the arcs found in independent columns, for a block of repetitions."""
    kind, n, columns, first, last = key
    rows = []
    for k in range(first, last):
        rng = experiment_generator(seed, kind, n, columns, k)
        rows += _gains(rng, n, k) if kind == "gains" else _arcs(rng, n, columns, k)
    return rows


def _gains(rng: np.random.Generator, n: int, repetition: int) -> list[Row]:
    """Return what each score gains by more and more useless parents of one column."""
    parents = int(np.log2(64 * n))  # up to 64 configurations of the parents for each row
    table = np.column_stack([rng.integers(0, CHILD, n), rng.integers(0, 2, (n, parents))])
    states = {"X0": list(range(CHILD))} | {f"X{i + 1}": [0, 1] for i in range(parents)}
    data = bnml.read(table, states=states)
    sets = [range(1, k + 1) for k in range(parents + 1)]
    rows = []
    for label, score in SCORES.items():
        values = LocalScores(data, score).families(0, [list(some) for some in sets])
        rows += [
            {"kind": "gain", "N": n, "repetition": repetition, "score": label, "q": 2**k, "gain": float(v - values[0])}
            for k, v in enumerate(values.tolist())
            if k
        ]
    return rows


def _arcs(rng: np.random.Generator, n: int, columns: int, repetition: int) -> list[Row]:
    """Return how many arcs each score finds, with the rule and without it."""
    states = [2 + i % 3 for i in range(columns)]
    table = np.column_stack([rng.integers(0, r, n) for r in states])
    data = bnml.read(table, states={f"X{i}": list(range(r)) for i, r in enumerate(states)})
    rows = []
    for label, score in SCORES.items():
        for least in (0, ROWS_PER_CELL):
            found = uninterrupted_result(
                bnml.search.exact(data, score, rows_per_cell=least, prior="uniform", threads=1)
            )
            rows.append(
                {"kind": "arcs", "N": n, "columns": columns, "repetition": repetition, "score": label,
                 "rows_per_cell": least, "arcs": len(found.structure.arcs), "parameters": found.n_parameters}
            )  # fmt: skip
    return rows


def _outcome(folder: Path, rows: Sequence[Row], repetitions: int) -> Outputs:
    """Average over repetitions, draw the gain of useless parents of independent columns, and say what was found."""
    gains = pd.DataFrame([row for row in rows if row["kind"] == "gain"]).drop(columns="kind")
    arcs = pd.DataFrame([row for row in rows if row["kind"] == "arcs"]).drop(columns="kind")
    curves = gains.groupby(["N", "score", "q"])["gain"].agg(["mean", "std"]).reset_index()
    found = arcs.groupby(["N", "columns", "score", "rows_per_cell"])[["arcs", "parameters"]].mean().reset_index()
    drawing, panels = charts.figure(1, len(SIZES))
    for panel, n in zip(panels, SIZES, strict=True):
        for label in SCORES:
            own = curves[(curves["N"] == n) & (curves["score"] == label)]
            charts.line(panel, own["q"] / n, own["mean"] / n, label)
        panel.axhline(0.0, color="#777777", linewidth=0.8)
        panel.axvline(1.0 / (CHILD * ROWS_PER_CELL), color="#777777", linewidth=0.8, linestyle=":")
        panel.set(xscale="log", ylim=(-0.3, 0.2))  # BIC leaves the panel
        panel.set_title(f"N = {n:,}", fontsize=9)
        panel.set_xlabel("parent configurations per row", fontsize=8)
    panels[0].set_ylabel("gain of a useless family, nats per row", fontsize=8)
    charts.legend(drawing, panels, published=False)
    tables = {"results": found, "gains": curves}
    return Outputs(tables, {"figure": drawing}, _findings(curves, found, repetitions), [_claim(arcs)])


def _claim(arcs: pd.DataFrame) -> Claim:
    """Return whether searches with the rule find no more than an arc in independent columns."""
    ruled = arcs[arcs["rows_per_cell"] == ROWS_PER_CELL].groupby(["score", "N", "columns"])["arcs"]
    means, errors = ruled.mean(), ruled.agg(student_error, least=1.0)
    return claim_everywhere(
        f"With {ROWS_PER_CELL} rows per cell no search finds more than an arc in independent columns, on average.",
        "bnml, page on scores", 1.0 - means, errors, f"{means.max():.1f} arcs at most in {len(means)} cells",
        [f"{score}, N = {n:,}, {columns} columns" for score, n, columns in means.index],
    )  # fmt: skip


def _findings(curves: pd.DataFrame, found: pd.DataFrame, repetitions: int) -> list[str]:
    said = [f"Independent columns, {repetitions} tables of each kind."]
    for label in SCORES:
        own = curves[curves["score"] == label]
        best = own.sort_values("mean").iloc[-1]
        low = own[own["q"] <= own["N"] / (CHILD * ROWS_PER_CELL)]
        where = f"N = {int(best['N']):,}, q = {int(best['q']):,}"
        said.append(
            f"{label}: the gain of useless parents is {best['mean']:+,.1f} nats at most ({where}); with "
            f"{ROWS_PER_CELL} rows per cell or more it is {low['mean'].max():+.1f} at most."
        )
    for label in SCORES:
        own = found[found["score"] == label]
        means = [own[own["rows_per_cell"] == least]["arcs"] for least in (0, ROWS_PER_CELL)]
        said.append(
            f"{label}: up to {means[0].max():.1f} arcs on average without the rule, up to {means[1].max():.1f} with it."
        )
    return said


EXPERIMENT = Experiment(NAME, _parts, _work, _outcome, repetitions=20)
