"""A picture of chains: the score of what they kept, one after the other, and how it is distributed in each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bnml._arrays import Floats

if TYPE_CHECKING:
    from matplotlib.figure import Figure

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")
STYLES = ("-", "--", "-.", ":")  # readable without colours


def trace_plot(scores: Floats, title: str) -> Figure:
    """Return the trace of each chain's score beside its histogram; chains that agree lie on each other.

    Parameters
    ----------
    scores
        ``[chain, sample]``.
    title
        What stands above.
    """
    from matplotlib.figure import Figure

    drawing = Figure(figsize=(9.0, 3.2), layout="constrained")
    trace, spread = drawing.subplots(1, 2, width_ratios=(3, 1), sharey=True)
    lowest, highest = float(scores.min()), float(scores.max())
    for c, values in enumerate(scores):
        look = {"color": COLOURS[c % len(COLOURS)], "linestyle": STYLES[c // len(COLOURS) % len(STYLES)]}
        trace.plot(range(1, values.size + 1), values, linewidth=0.6, label=f"chain {c + 1}", **look)
        spread.hist(
            values,
            30,
            range=(lowest - 1e-9, highest + 1e-9),
            histtype="step",
            orientation="horizontal",
            density=True,
            **look,
        )
    trace.set_xlabel("sample")
    trace.set_ylabel("score")
    trace.legend(fontsize=7, frameon=False, ncols=4)
    spread.set_xlabel("density")
    for panel in (trace, spread):
        panel.spines[["top", "right"]].set_visible(False)
        panel.grid(color="#e5e5e5", linewidth=0.6)
        panel.tick_params(labelsize=7)
    drawing.suptitle(title, fontsize=9)
    return drawing
