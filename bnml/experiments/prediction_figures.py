"""The experiment `prediction` in pictures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from bnml.experiments import charts
from bnml.experiments.prediction_tables import MEAN, SCORES, SPREAD

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LABELS = {
    "logprob": "log-probability of a row (nats)",
    "parameters": "number of parameters",
    "parents": "parents per variable",
}
COLUMNS = 5


def one_table_figure(name: str, comparison: pd.DataFrame) -> Figure:
    """Draw the number of parameters of one table by the size of the training part (Figure 1 of the paper)."""
    drawing, (panel, *_) = charts.figure(1, 1, width=5.0, height=3.6)
    own = comparison[(comparison["what"] == "parameters") & (comparison["data"] == name)]
    for score in SCORES:
        line = own[own["score"] == score]
        for column in ("ours", "published"):
            charts.line(panel, line["rows"].astype(int), line[column], score, published=column == "published")
    _logarithmic(panel)
    panel.set_title(f"{name.replace('_', ' ')}: parameters of the learned network", fontsize=9)
    panel.set_xlabel("training rows", fontsize=8)
    panel.set_ylabel(LABELS["parameters"], fontsize=8)
    charts.legend(drawing, [panel])
    return drawing


def curves_figure(
    results: pd.DataFrame,
    comparison: pd.DataFrame,
    n_rows: Mapping[str, int],
    arities: Mapping[str, Sequence[int]],
    quantity: str,
) -> Figure:
    """Draw a quantity for all tables by the share of the training part, with its standard deviation (appendix E)."""
    names = list(results["data"].unique())
    drawing, panels = charts.figure(-(-len(names) // COLUMNS), COLUMNS, width=2.6, height=2.2)
    published = comparison[comparison["what"] == quantity]
    for k, (panel, name) in enumerate(zip(panels, names, strict=False)):
        smallest = sum(r - 1 for r in arities[name])
        for score in SCORES:
            own = results[(results["data"] == name) & (results["score"] == score)]
            other = published[(published["data"] == name) & (published["score"] == score)].sort_values("rows")
            mean, deviation = own[f"{quantity}_mean"], np.sqrt(own[f"{quantity}_variance"])
            low = mean - deviation
            if quantity == "parameters":
                low = np.maximum(low, smallest)  # no network has fewer
            colour: dict[str, Any] = {"color": charts.COLOURS[score], "linewidth": 0}
            panel.fill_between(own["percent"], low, mean + deviation, alpha=0.13, zorder=1, **colour)
            charts.line(panel, own["percent"], mean, score)
            charts.line(panel, other["percent"].astype(int), other["published"], score, published=True)
        if quantity == "parameters":
            _logarithmic(panel)
        panel.set_title(f"{name.replace('_', ' ')} ({n_rows[name]:,} rows)", fontsize=9)
        if k % COLUMNS == 0:
            panel.set_ylabel(LABELS[quantity], fontsize=8)
        if k >= len(names) - COLUMNS:
            panel.set_xlabel("training part (%)", fontsize=8)
    for panel in panels[len(names) :]:
        panel.set_visible(False)
    charts.legend(drawing, panels)
    return drawing


def page_figure(name: str, results: pd.DataFrame, comparison: pd.DataFrame) -> Figure:
    """Draw one table's page of the appendix: means with standard deviations, beside the published ones, and medians."""
    drawing, panels = charts.figure(2, 2, width=4.4, height=3.2)
    own = results[results["data"] == name]
    shown = [("logprob", "mean"), ("parents", "mean"), ("parameters", "mean"), ("parameters", "median")]
    for panel, (quantity, kind) in zip(panels, shown, strict=True):
        printed = comparison[(comparison["what"] == quantity) & (comparison["data"] == name)]
        for score in SCORES:
            line = own[own["score"] == score]
            middle, deviation = line[f"{quantity}_{kind}"], np.sqrt(line[f"{quantity}_variance"])
            if kind == "mean":
                low = middle - deviation
                if quantity == "parameters":
                    low = np.maximum(low, own["parameters_median"].min() / 2)
                colour: dict[str, Any] = {"color": charts.COLOURS[score], "linewidth": 0}
                panel.fill_between(line["percent"], low, middle + deviation, alpha=0.13, zorder=1, **colour)
                other = printed[printed["score"] == score].sort_values("rows")
                charts.line(panel, other["percent"].astype(int), other["published"], score, published=True)
            charts.line(panel, line["percent"], middle, score)
        if quantity == "parameters":
            _logarithmic(panel)
        panel.set_ylabel(f"{kind} {LABELS[quantity]}", fontsize=8)
        panel.set_xlabel("training part (%)", fontsize=8)
    drawing.suptitle(f"{name.replace('_', ' ')}, {int(own['permutations'].iloc[0]):,} permutations", fontsize=10)
    charts.legend(drawing, panels)
    return drawing


def ranks_figure(ranks: pd.DataFrame) -> Figure:
    """Draw the ranks of Table 2: each table's ours beside the published ones, and all against each other."""
    drawing, (dots, pairs) = charts.figure(1, 2, width=4.6, height=5.2)
    tables = ranks[~ranks["data"].isin([MEAN, SPREAD])]
    names = [str(name) for name in tables["data"].unique()]
    for k, score in enumerate(SCORES):
        own = tables[tables["score"] == score]
        style: dict[str, Any] = {"color": charts.COLOURS[score], "marker": charts.MARKERS[score], "linestyle": "none"}
        height = np.arange(len(names)) + 0.12 * (k - 1.5)
        dots.errorbar(own["ours"], height, xerr=own["ours_error"], markersize=4, linewidth=1, label=score, **style)
        dots.plot(own["published"], height, markersize=7, markerfacecolor="none", alpha=0.6, **style)
        pairs.errorbar(own["published"], own["ours"], yerr=own["ours_error"], markersize=4, linewidth=1, **style)
    dots.set_yticks(range(len(names)), [name.replace("_", " ") for name in names])
    dots.invert_yaxis()
    dots.set_title("filled: ours with standard errors, hollow: published", fontsize=9)
    dots.set_xlabel("average rank (1 is best)", fontsize=8)
    pairs.axline((1, 1), slope=1, color="#777777", linewidth=0.8, zorder=1)
    pairs.set_title("average ranks of all tables and scores", fontsize=9)
    pairs.set_xlabel("published", fontsize=8)
    pairs.set_ylabel("ours", fontsize=8)
    for axis in (dots.set_xlim, pairs.set_xlim, pairs.set_ylim):
        axis(0.9, 4.1)
    pairs.set_aspect("equal")
    charts.legend(drawing, [dots], published=False)
    return drawing


def _logarithmic(panel: Axes) -> None:
    """Give a panel a logarithmic scale upwards, with plain numbers at the ticks."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    panel.set_yscale("log")
    low, high = panel.get_ylim()
    panel.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0) if high < 100 * low else (1.0,)))
    panel.yaxis.set_major_formatter(FuncFormatter(lambda number, _: f"{number:,.0f}"))
    panel.yaxis.set_minor_formatter(NullFormatter())
