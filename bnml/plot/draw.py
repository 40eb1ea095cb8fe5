"""Pictures of graphs, on screen and in files."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import replace
from math import isfinite
from typing import TYPE_CHECKING, Any

from bnml._checks import refuse
from bnml._text import did_you_mean, percent, quoted
from bnml.errors import ArgumentError, argument
from bnml.graph import DAG, PDAG
from bnml.plot.layout import Arc, checked_graph, edges_of, layout
from bnml.plot.sheet import checked_sheet

if TYPE_CHECKING:
    from bnml.network import BayesianNetwork
    from bnml.plot.matplotlib_figure import Line, Picture

LABELS = {
    "score_gain": "gain {} nats",
    "mutual_information": "information {} nats",
    "support": "found in {%} of the tables",
}
"""What the legend says of the columns of tables of arcs."""
THINNEST, THICKEST, ORDINARY = 0.8, 4.0, 1.3  # widths of lines, in points


def draw(
    graph: DAG | PDAG | BayesianNetwork,
    path: str | os.PathLike[str] | None = None,
    *,
    strength: Any = None,
    highlight: str | Iterable[str | tuple[str, str]] | None = None,
    regions: Iterable[Iterable[Iterable[str]]] = (),
    legend: tuple[str, str] | None = None,
    strength_label: str | None = None,
    title: str | None = None,
    size: tuple[float, float] | None = None,
    dpi: float | None = None,
) -> Picture:
    """Draw a graph in rows, arcs pointing down.

    In the picture of an equivalence class, arcs that all its members share, whose direction comes from the data, are
    dark arrows; edges on whose direction they differ are light, dashed and without a head. A legend says so.

    Parameters
    ----------
    graph : DAG, PDAG or BayesianNetwork
        What to draw; equal graphs give equal pictures.
    path : str or path, optional
        A file to write as well, or to replace; its suffix says what it is: ``.png``, ``.svg`` or ``.pdf``.
    strength : mapping, table or iterable, optional
        A number for arcs of the graph, shown as the width of their lines: a mapping from (parent, child) to numbers, a
        table with the columns ``from`` and ``to`` in which the next column counts (such as that of `bnml.strength`), or
        triples (parent, child, number). The ends of undirected edges come in either order. Widths grow in proportion
        from 0.8 points at zero, or at the smallest number if that is negative, to 4 points at the largest number, or
        at zero if all are negative; arcs without a number have 0.8.
    highlight : name, or iterable of names and arcs, optional
        Variables and arcs that stand out in colour.
    regions : iterable of sets of links, optional
        Links that belong together, such as the ambiguous regions of `bnml.npc`: each region has a colour of its own.
        Links that the graph does not have are left out.
    legend : (str, str), optional
        What the legend says of arrows and of edges without a direction; by default ``direction from the data`` and
        ``direction open`` for an equivalence class. A DAG has no such legend, unless this is given.
    strength_label : str, optional
        What the legend says of the thinnest and the thickest line, with ``{}`` for the number, or ``{%}`` for it as a
        share in per cent: ``"gain {} nats"``. By default the name and unit of the column of a table from
        `bnml.strength` or `bnml.bootstrap`, and else the bare number.
    title : str, optional
        Text above the picture.
    size : (float, float), optional
        The width and height, in inches, that the picture is to fit into; letters grow and shrink with it.
    dpi : float, optional
        Dots per inch of a ``.png`` file; 150 by default, fewer for very large pictures.

    Returns
    -------
    matplotlib.figure.Figure
        The picture; a notebook shows it. It does not belong to pyplot and needs no closing.

    Raises
    ------
    ArgumentError
        If the suffix is another one or the folder is not there, or if ``strength`` or ``highlight`` name what is not in
        the graph. Nothing is written then.

    Examples
    --------
    >>> from bnml.graph import DAG
    >>> from bnml.plot import draw
    >>> dag = DAG.parse("[smoke][lung|smoke][bronc|smoke][dysp|lung:bronc]")
    >>> figure = draw(dag, strength={("smoke", "lung"): 3.2, ("lung", "dysp"): 8.0}, highlight=["dysp"])
    >>> len(figure.axes)
    1
    """
    graph = checked_graph(graph)
    sheet = checked_sheet(path, title, size, dpi)
    widths = None if strength is None else _checked_strength(graph, strength)
    nodes, arcs = _checked_highlight(graph, highlight)
    if strength_label is not None and not isinstance(strength_label, str):
        raise ArgumentError(argument("strength_label") + f" must be a text, got {strength_label!r}.")
    words = None if legend is None else _checked_legend(legend)
    label = strength_label or LABELS.get(_column(strength) or "", "{}")
    lines, samples = _lines(graph, widths, arcs, words, label)
    samples += _coloured(graph, lines, regions)
    return sheet.draw(layout(graph), lines, samples, highlighted=nodes)


def _lines(
    graph: DAG | PDAG,
    strength: Mapping[Arc, float] | None,
    highlighted: frozenset[Arc],
    words: tuple[str, str] | None,
    label: str,
) -> tuple[dict[Arc, Line], list[tuple[Line, str]]]:
    """Return how each edge is drawn, and what the legend has to explain."""
    from bnml.plot.matplotlib_figure import Line

    directed = set(graph.arcs if isinstance(graph, DAG) else graph.directed)
    width_of = _widths(strength)
    usual = ORDINARY if strength is None else THINNEST
    lines = {edge: Line(edge in directed, width_of.get(edge, usual)) for edge in edges_of(graph)}
    for edge in highlighted:
        lines[edge] = Line(lines[edge].directed, lines[edge].width, highlighted=True)
    legend: list[tuple[Line, str]] = []
    if words is None and isinstance(graph, PDAG):
        words = ("direction from the data" if graph.is_cpdag() else "directed", "direction open")
    if words is not None:
        legend += [(Line(True, ORDINARY), words[0])] if directed else []
        legend += [(Line(False, ORDINARY), words[1])] if len(directed) < len(lines) else []
    low, high = _range(strength)
    if low < high:
        ends = ((THINNEST, low), (THICKEST, high))
        legend += [(Line(bool(directed), width), _labelled(label, number)) for width, number in ends]
    return lines, legend


def _coloured(
    graph: DAG | PDAG, lines: dict[Arc, Line], regions: Iterable[Iterable[Iterable[str]]]
) -> list[tuple[Line, str]]:
    """Give the links of each region its colour; return what the legend has to explain."""
    known = _edge_of_pair(graph)
    known |= {(b, a): edge for (a, b), edge in known.items()}
    legend: list[tuple[Line, str]] = []
    for number, region in enumerate(regions):
        pairs = [tuple(sorted(link)) for link in region]
        found = sorted({known[pair[0], pair[1]] for pair in pairs if len(pair) == 2 and pair in known})
        for edge in found:
            lines[edge] = replace(lines[edge], region=number)
        if found:
            legend.append((lines[found[0]], f"region {number + 1}"))
    return legend


def _labelled(label: str, number: float) -> str:
    return label.replace("{%}", percent(number)).replace("{}", _short(number))


def _short(number: float) -> str:
    return f"{number:,.0f}" if 100 <= abs(number) < 1e9 else f"{number:.3g}"


def _range(strength: Mapping[Arc, float] | None) -> tuple[float, float]:
    """Return the numbers that the thinnest and the thickest line stand for."""
    values = strength.values() if strength else ()
    return min(0.0, *values, 0.0), max(0.0, *values, 0.0)


def _widths(strength: Mapping[Arc, float] | None) -> dict[Arc, float]:
    """Return the width of the line for each number."""
    low, high = _range(strength)
    if not strength or low == high:
        return {}
    return {edge: THINNEST + (THICKEST - THINNEST) * (value - low) / (high - low) for edge, value in strength.items()}


# --- the door ---


def _checked_legend(legend: Any) -> tuple[str, str]:
    if not isinstance(legend, tuple | list) or len(legend) != 2 or not all(isinstance(text, str) for text in legend):
        raise refuse("legend", legend, "expected two texts: for arrows, and for edges without a direction")
    return legend[0], legend[1]


def _checked_strength(graph: DAG | PDAG, strength: Any) -> dict[Arc, float]:
    known = _edge_of_pair(graph)
    checked: dict[Arc, float] = {}
    unknown: list[Arc] = []
    for pair, value in _numbered_pairs(strength):
        if pair not in known:
            unknown.append(pair)
            continue
        try:
            number = float(value)
        except (TypeError, ValueError, OverflowError):
            number = float("nan")
        if not isfinite(number):
            raise ArgumentError(
                argument("strength") + f" of {_text(pair)} is {value!r}", hint="it must be a finite number."
            )
        if known[pair] in checked:
            raise ArgumentError(argument("strength") + f" has {_text(pair)} twice", hint="give each arc once.")
        checked[known[pair]] = number
    if unknown:
        raise ArgumentError(argument("strength") + f" names {_no_arcs(unknown, known)}")
    return checked


def _column(strength: Any) -> Any:
    """Return the column of a table that counts; None for what is no table, or has none."""
    return next((column for column in getattr(strength, "columns", ()) if column not in ("from", "to")), None)


def _numbered_pairs(strength: Any) -> list[tuple[Arc, Any]]:
    """Read a mapping, a table or an iterable as pairs of an arc and a number."""
    wrong = ArgumentError(
        argument("strength")
        + " must map arcs to numbers, such as {('A', 'B'): 1.5}, or be a table with the columns 'from', 'to' "
        f"and one of numbers, got {type(strength).__name__}."
    )
    try:
        if hasattr(strength, "columns"):
            triples = list(zip(strength["from"], strength["to"], strength[_column(strength)], strict=True))
        else:
            items = strength.items() if hasattr(strength, "items") else strength
            triples = [item if len(item) == 3 else (*item[0], item[1]) for item in items]
        pairs = [((a, b), value) for a, b, value in triples]
    except (TypeError, ValueError, KeyError, IndexError):
        raise wrong from None
    if isinstance(strength, str) or not all(isinstance(name, str) for pair, _ in pairs for name in pair):
        raise wrong
    return pairs


def _checked_highlight(
    graph: DAG | PDAG, highlight: str | Iterable[str | tuple[str, str]] | None
) -> tuple[frozenset[str], frozenset[Arc]]:
    if highlight is None:
        return frozenset(), frozenset()
    known = _edge_of_pair(graph)
    nodes: set[str] = set()
    arcs: set[Arc] = set()
    if not isinstance(highlight, Iterable):
        raise ArgumentError(
            argument("highlight") + f" must be names of variables and arcs (pairs of names), got {highlight!r}."
        )
    for item in [highlight] if isinstance(highlight, str) else highlight:
        if isinstance(item, str):
            if item not in graph.names:
                raise ArgumentError(
                    argument("highlight")
                    + f" names {item!r}, which is not a variable.{did_you_mean(item, graph.names)} The variables are "
                    f"{quoted(graph.names)}."
                )
            nodes.add(item)
        elif not isinstance(item, tuple | list) or len(item) != 2 or not all(isinstance(end, str) for end in item):
            raise ArgumentError(
                argument("highlight") + f" holds {item!r}",
                hint="it must be the name of a variable, or a pair of names.",
            )
        elif tuple(item) not in known:
            raise ArgumentError(argument("highlight") + f" names {_no_arcs([(item[0], item[1])], known)}")
        else:
            arcs.add(known[item[0], item[1]])
    return frozenset(nodes), frozenset(arcs)


def _edge_of_pair(graph: DAG | PDAG) -> dict[Arc, Arc]:
    """Return the edge that each acceptable pair of names means."""
    known = {edge: edge for edge in edges_of(graph)}
    if isinstance(graph, PDAG):
        directed = set(graph.directed)
        known |= {(b, a): (a, b) for a, b in known if (a, b) not in directed}
    return known


def _no_arcs(pairs: list[Arc], known: Mapping[Arc, Arc]) -> str:
    several = len(pairs) > 1
    text = ", ".join(_text(pair) for pair in pairs[:8]) + (f" and {len(pairs) - 8} more" if len(pairs) > 8 else "")
    turned = [pair for pair in pairs if pair[::-1] in known]
    hint = f" ({_text(turned[0])} is there the other way round.)" if turned else ""
    return f"{text}, which {'are not arcs' if several else 'is not an arc'} of the graph.{hint}"


def _text(pair: Arc) -> str:
    return f"{pair[0]} -> {pair[1]}"
