"""Pictures in notebooks and pages."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import TYPE_CHECKING, Any

from bnml.graph import DAG, PDAG, Comparison
from bnml.plot.draw import draw
from bnml.plot.draw_comparison import draw_comparison
from bnml.plot.draw_posterior import THRESHOLD, draw_posterior
from bnml.plot.layout import checked_graph, edges_of

if TYPE_CHECKING:
    from bnml.network import BayesianNetwork
    from bnml.plot.matplotlib_figure import Picture

MOST_NODES = 150
MOST_EDGES = 400


def graph_html(
    graph: DAG | PDAG | BayesianNetwork,
    regions: Iterable[Iterable[Iterable[str]]] = (),
    legend: tuple[str, str] | None = None,
) -> str:
    """Return what a notebook shows for a graph: its picture or, if it is too large to be read, a line of text.

    Parameters
    ----------
    graph : DAG, PDAG or BayesianNetwork
        What to show.
    regions, legend
        As for `draw`.

    Returns
    -------
    str
        HTML.

    Notes
    -----
    Graphs with more than 150 variables or 400 edges are not drawn; `draw` draws them all the same.

    Examples
    --------
    >>> from bnml.graph import DAG
    >>> from bnml.plot import graph_html
    >>> "<svg" in graph_html(DAG.parse("[A][B|A]")), graph_html(DAG([f"X{i}" for i in range(200)], []))
    (True, '<p>&lt;DAG of 200 variables with 0 arcs&gt;</p>')
    """
    graph = checked_graph(graph)
    if len(graph.names) > MOST_NODES or len(edges_of(graph)) > MOST_EDGES:
        return f"<p>{escape(repr(graph))}</p>"
    return _wide(draw(graph, regions=regions, legend=legend))


def comparison_html(comparison: Comparison) -> str:
    """Return the HTML of a comparison of two graphs, for a notebook: its picture, or nothing if it cannot be read.

    Examples
    --------
    >>> from bnml.graph import DAG, compare
    >>> "<svg" in comparison_html(compare(DAG.parse("[A][B|A]"), DAG.parse("[B][A|B]")))
    True
    """
    links = comparison.links
    edges = links.common + links.missing + links.extra
    if len(comparison.truth.names) > MOST_NODES or edges > MOST_EDGES:
        return ""
    return _wide(draw_comparison(comparison))


def posterior_html(arcs: Any, links: Any) -> str:
    """Return the HTML of a picture of the probabilities of arcs and links: a picture, or nothing if it cannot be read.

    Examples
    --------
    >>> import pandas as pd
    >>> arcs = pd.DataFrame([[0.0, 0.7], [0.2, 0.0]], index=["A", "B"], columns=["A", "B"])
    >>> "<svg" in posterior_html(arcs, None)
    True
    """
    both = arcs.to_numpy() + arcs.to_numpy().T if links is None else links.to_numpy()
    if len(both) > MOST_NODES or (both >= THRESHOLD).sum() // 2 > MOST_EDGES:
        return ""
    return _wide(draw_posterior(arcs, links))


def _wide(figure: Picture) -> str:
    """Return a picture as HTML, in a box of its own that scrolls."""
    from bnml.plot.matplotlib_figure import figure_svg

    return f'<div style="overflow-x:auto">{figure_svg(figure)}</div>'
