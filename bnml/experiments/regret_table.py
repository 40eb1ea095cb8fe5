"""The regret and two approximations of it, for small and large samples of few and many values (qNML paper, Table 1)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd

import bnml
from bnml.experiments import charts
from bnml.experiments.experiment import Experiment, Outputs, Part, Row

__all__ = ["EXPERIMENT"]

SIZES, VALUES = (50, 500, 5000), (10, 100, 1000, 10_000)
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
    findings += [
        f"Equation 7 is off by at most {errors['eq7'].max():.3f} nats for these r, and for r = 2 by up to 0.094.",
        f"Equation 6 is off by at most {errors['eq6'][few].max():.2g} nats where r is at most N, and by up to "
        f"{errors['eq6'][~few].max():,.0f} where it is larger.",
    ]
    return Outputs({"results": results, "comparison": comparison}, {"figure": drawing}, findings)


EXPERIMENT = Experiment("regret-table", _parts, _work, _outcome)
