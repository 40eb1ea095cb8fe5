"""Two graphs in one picture: what they have in common, and in what they differ."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from bnml._checks import refuse
from bnml.errors import ArgumentError, argument
from bnml.graph import DAG, Comparison
from bnml.plot.draw import ORDINARY
from bnml.plot.labels import label_order
from bnml.plot.layout import Arc, Layout, arc_order, downward_arcs, layout_in_order
from bnml.plot.sheet import checked_sheet

if TYPE_CHECKING:
    from bnml.plot.matplotlib_figure import Line, Picture


def draw_comparison(
    comparison: Comparison,
    path: str | os.PathLike[str] | None = None,
    *,
    names: tuple[str, str] = ("A", "B"),
    title: str | None = None,
    size: tuple[float, float] | None = None,
    dpi: float | None = None,
) -> Picture:
    """Draw two graphs that were compared in one picture.

    What both have is dark and solid, what only the first has dashed, what only the second has dotted, and what it has
    the other way round thick; each has a colour of its own as well, and a legend says what they mean. The rows are
    those of the first graph, so that its arcs point down.

    Parameters
    ----------
    comparison : Comparison
        What `bnml.compare` found.
    names : (str, str)
        What the legend calls the first graph and the second.
    path, title, size, dpi
        As for `draw`.

    Returns
    -------
    matplotlib.figure.Figure
        Both graphs in one picture.

    Raises
    ------
    ArgumentError
        If the file cannot be written, or an argument is of the wrong kind. Nothing is written then.

    Examples
    --------
    >>> import bnml
    >>> found = bnml.compare(bnml.DAG.parse("[A][B|A][C|B]"), bnml.DAG.parse("[B][A|B][C|A]"))
    >>> figure = bnml.plot.draw_comparison(found, names=("truth", "learned"))
    >>> [text.get_text() for text in figure.axes[0].texts][3:]
    ['turned round in learned', 'only in truth', 'only in learned']
    """
    if not isinstance(comparison, Comparison):
        raise ArgumentError(
            argument("comparison") + f" must be what bnml.compare returns, got {type(comparison).__name__}."
        )
    sheet = checked_sheet(path, title, size, dpi)
    first, second = _checked_names(names)
    lines, legend = _lines_and_legend(comparison, first, second)
    return sheet.draw(comparison_layout(comparison, list(lines)), lines, legend)


def _lines_and_legend(
    comparison: Comparison, first: str, second: str
) -> tuple[dict[Arc, Line], list[tuple[Line, str]]]:
    """Return how each edge is drawn, and what the legend has to explain."""
    from bnml.plot.matplotlib_figure import ARC, REGIONS, Line, Look

    orange, blue, green, pink, *_ = REGIONS
    graphs = comparison.truth, comparison.learned
    directed = {arc for graph in graphs for arc in (graph.arcs if isinstance(graph, DAG) else graph.directed)}
    looks: list[tuple[tuple[Arc, ...], float, Look, str]] = [
        (comparison.shared, ORDINARY, Look(ARC), "in both"),
        (tuple((b, a) for a, b in comparison.reversed), 2.6, Look(green), f"turned round in {second}"),
        (comparison.undirected_in_b, 1.6, Look(pink, (7, 2.5, 1.6, 2.5)), f"directed only in {first}"),
        (comparison.undirected_in_a, 1.6, Look(pink, (7, 2.5, 1.6, 2.5, 1.6, 2.5)), f"directed only in {second}"),
        (comparison.only_a, 1.6, Look(blue, (6, 3.5)), f"only in {first}"),
        (comparison.only_b, 2.0, Look(orange, (2, 2)), f"only in {second}"),
    ]
    lines: dict[Arc, Line] = {}
    legend: list[tuple[Line, str]] = []
    for edges, width, look, text in looks:
        same_way = [edge if edge in directed else min(edge, edge[::-1], key=arc_order) for edge in edges]
        drawn = {edge: Line(edge in directed, width, look=look) for edge in sorted(same_way, key=arc_order)}
        lines |= drawn
        if drawn:
            legend.append((max(drawn.values(), key=lambda line: line.directed), text))
    return lines, legend


def comparison_layout(comparison: Comparison, edges: list[Arc]) -> Layout:
    """Return a layout of edges of both graphs, those of the first pointing down."""
    return layout_in_order(_order_from_top(comparison), edges)


def _order_from_top(comparison: Comparison) -> list[str]:
    """Return an order of the variables that agrees with the first graph and, as far as may be, with the second.

    Next is a variable whose parents in the first graph are placed, of these one with fewest parents in the second that
    are not, of these the first by name.
    """
    above: dict[str, set[str]] = {name: set() for name in sorted(comparison.truth.names, key=label_order)}
    wished: dict[str, set[str]] = {name: set() for name in above}
    for a, b in downward_arcs(comparison.truth):
        above[b].add(a)
    for a, b in (*comparison.only_b, *comparison.undirected_in_a):
        wished[b].add(a)
    placed: list[str] = []
    left = dict.fromkeys(above)
    while left:
        ready = [name for name in left if not above[name] & left.keys()]
        chosen = min(ready, key=lambda name: len(wished[name] & left.keys()))
        placed.append(chosen)
        del left[chosen]
    return placed


def _checked_names(names: Any) -> tuple[str, str]:
    if not isinstance(names, tuple | list) or len(names) != 2 or not all(isinstance(text, str) for text in names):
        raise refuse("names", names, "expected two texts: what the legend calls the first graph and the second")
    return names[0], names[1]
