"""The regret and two approximations of it, for small and large samples of few and many values (qNML paper, Table 1)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import bnml
from bnml.experiments import charts
from bnml.experiments.claims import Claim, claim_of_fact
from bnml.experiments.experiment import Experiment, Outputs, Part, Row

SIZES, VALUES = (50, 500, 5000), (10, 100, 1000, 10_000)
GOOD = 0.05  # nats that an approximation may be off
METHODS = {"eq6": "szpankowski", "eq7": "szpankowski-weinberger", "exact": "exact"}
PUBLISHED = {
    (50, 10): (13.24, 13.26, 13.24),
    (50, 100): (62.00, 60.01, 60.00),
    (50, 1000): (491.63, 153.28, 153.28),
    (50, 10_000): (25635.15, 265.28, 265.28),
    (500, 10): (22.67, 22.69, 22.67),
    (500, 100): (144.10, 144.03, 144.03),
    (500, 1000): (624.35, 603.93, 603.93),
    (500, 10_000): (4927.24, 1533.38, 1533.38),
    (5000, 10): (32.74, 32.76, 32.74),
    (5000, 100): (247.97, 247.97, 247.97),
    (5000, 1000): (1452.51, 1451.78, 1451.78),
    (5000, 10_000): (6247.83, 6043.16, 6043.16),
}


def _parts(folder: Path, repetitions: int) -> list[Part]:
    """Return the rows of the table."""
    return [Part((n, r)) for n in SIZES for r in VALUES]


def _work(folder: Path, key: tuple[Any, ...], seed: int) -> list[Row]:
    """Return the regret of one sample size and number of values, by each method."""
    n, r = key
    return [{"N": n, "r": r, **{name: bnml.regret(n, r, method) for name, method in METHODS.items()}}]


def _outcome(folder: Path, rows: Sequence[Row], repetitions: int) -> Outputs:
    """Compare with the printed table, and draw how far the approximations are off."""
    results = pd.DataFrame(rows)
    lines = [
        {"N": row["N"], "r": row["r"], "method": name, "ours": row[name], "published": published}
        for row in rows
        for name, published in zip(METHODS, PUBLISHED[row["N"], row["r"]], strict=True)
    ]
    comparison = pd.DataFrame(lines)
    comparison["difference"] = comparison["ours"] - comparison["published"]
    comparison["within"] = comparison["difference"].abs() <= 0.005 + 1e-9  # two decimals are printed
    drawing, panels = charts.figure(1, len(SIZES))
    for panel, n in zip(panels, SIZES, strict=True):
        own = results[results["N"] == n]
        for name, label, score in (("eq6", "equation 6", "BIC"), ("eq7", "equation 7", "qNML")):
            off = (own[name] - own["exact"]).abs()
            style = {"color": charts.COLOURS[score], "marker": charts.MARKERS[score], "markersize": 4}
            panel.loglog(own["r"], off, label=label, **style)
        panel.set_title(f"N = {n:,}", fontsize=9)
        panel.set_xlabel("number of values", fontsize=8)
    panels[0].set_ylabel("error of the regret (nats)", fontsize=8)
    charts.legend(drawing, panels, published=False)
    agree = int(comparison["within"].sum())
    findings = [f"{agree} of {len(comparison)} regrets are the printed ones to the last digit."]
    for _, row in comparison[~comparison["within"]].iterrows():
        place = f"N = {row['N']:,}, r = {row['r']:,}, {row['method']}"
        findings.append(f"  {place}: {row['ours']:.4f}, printed {row['published']:.2f}")
    errors = results[["eq6", "eq7"]].sub(results["exact"], axis=0).abs()
    few = results["r"] <= results["N"]
    binary = max(abs(bnml.regret(n, 2, METHODS["eq7"]) - bnml.regret(n, 2)) for n in (*range(1, 101), *SIZES))
    seventh = (
        f"Equation 7 is off by at most {errors['eq7'].max():.3f} nats for these r, and for r = 2 by up to {binary:.3f}."
    )
    sixth = (
        f"Equation 6 is off by at most {errors['eq6'][few].max():.2g} nats where r is at most N, and by up to "
        f"{errors['eq6'][~few].max():,.0f} where it is larger."
    )
    claims = _claims(comparison, errors, results, (seventh, sixth))
    tables = {"results": results, "comparison": comparison}
    return Outputs(tables, {"figure": drawing}, [*findings, seventh, sixth], claims)


def _claims(
    comparison: pd.DataFrame, errors: pd.DataFrame, results: pd.DataFrame, words: tuple[str, str]
) -> list[Claim]:
    """Return what the paper says of the two approximations of the regret."""
    agree, where = int(comparison["within"].sum()), "qNML, Table 1"
    growing = all((np.diff(errors["eq6"][results["N"] == n]) > 0).all() for n in SIZES)
    wrong = comparison[~comparison["within"]]
    worst = "".join(
        f"; N = {n:,}, r = {r:,} is {x:.2f}" for n, r, x in wrong[["N", "r", "ours"]].itertuples(index=False)
    )
    return [
        claim_of_fact(
            "The printed regrets are right.", where, agree == len(comparison),
            f"{agree} of {len(comparison)} are{worst}", "0.005, as two decimals are printed",
        ),
        claim_of_fact(
            "For a constant N equation 6 is a progressively worse approximation as r grows.", where, growing, words[1]
        ),
        claim_of_fact(
            "Equation 7 is a good approximation of the regret regardless of the ratio of N and r.", where,
            bool((errors["eq7"] < GOOD).all()), words[0], f"good is taken to be {GOOD:g} nats or less for these r",
        ),
    ]  # fmt: skip


EXPERIMENT = Experiment("regret-table", _parts, _work, _outcome)
