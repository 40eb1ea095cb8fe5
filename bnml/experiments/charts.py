"""How the figures of the experiments look."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLOURS = {
    "BDeu": "#0072b2",
    "BIC": "#d55e00",
    "fNML": "#009e73",
    "qNML": "#cc3377",
    "AIC": "#e69f00",
    "BDq": "#56b4e9",
}
"""One colour for each score, in every figure; people who do not see red and green can tell them apart."""

MARKERS = {"BDeu": "s", "BIC": "^", "fNML": "D", "qNML": "o", "AIC": "v", "BDq": "P"}


def figure(rows: int, columns: int, *, width: float = 3.3, height: float = 2.6) -> tuple[Figure, list[Axes]]:
    """Return a figure of several panels, and the panels row by row; without the state that pyplot keeps."""
    from matplotlib.figure import Figure

    drawing = Figure(figsize=(width * columns, height * rows), layout="constrained")
    panels = drawing.subplots(rows, columns, squeeze=False)
    for panel in panels.flat:
        panel.spines[["top", "right"]].set_visible(False)
        panel.grid(color="#e5e5e5", linewidth=0.6)
        panel.set_axisbelow(True)
        panel.tick_params(labelsize=7)
    return drawing, list(panels.flat)


def line(panel: Axes, x: Any, y: Any, score: str, *, published: bool = False, **options: Any) -> None:
    """Draw the curve of a score: ours as a line with marks, the published one as a broken line beneath."""
    style: dict[str, Any] = {"color": COLOURS[score], "linewidth": 1.2, "zorder": 3}
    if published:
        style |= {"linestyle": (0, (4, 2)), "linewidth": 0.9, "alpha": 0.75, "zorder": 2}
    else:
        style |= {"marker": MARKERS[score], "markersize": 3, "label": score}
    panel.plot(x, y, **style | options)


def legend(drawing: Figure, panels: list[Axes], *, published: bool = True, columns: int = 10) -> None:
    """Put one legend below all panels of a chart: the scores, and what broken lines are."""
    from matplotlib.lines import Line2D

    known: dict[str, Any] = {}
    for panel in panels:
        handles, labels = panel.get_legend_handles_labels()
        known |= dict(zip(labels, handles, strict=True))
    if published:
        known["published"] = Line2D([], [], color="#777777", linestyle=(0, (4, 2)), linewidth=0.9)
    drawing.legend(
        list(known.values()),
        list(known),
        loc="outside lower center",
        ncols=min(len(known), columns),
        fontsize=8,
        frameon=False,
    )
