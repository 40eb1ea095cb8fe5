"""The pictures of a report, as SVG elements with a text for those who do not see them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from math import isfinite
from typing import TYPE_CHECKING

from markupsafe import Markup

from bnml._text import names_in_words
from bnml.graph import DAG, PDAG
from bnml.report.charts import fitted_text, svg_element, text_pixels
from bnml.report.rendering import escaped

if TYPE_CHECKING:
    import pandas as pd

MOST_TOLD = 12  # links that the text for a picture names
MOST_IN_MATRIX = 60
LONGEST_LABEL = 150  # pixels
LETTERS = 11  # pixels of their height
SLANT = 0.71  # of a text's length is its height, if it is turned by 45 degrees
CELL = 18
SCALE_WIDTH = 540  # of the legend of a half matrix
PALE, DARK, BLANK = (222, 235, 247), (8, 64, 129), "#f2f4f6"


def graph_picture(
    graph: DAG | PDAG,
    name: str,
    what: str,
    *,
    strength: Mapping[tuple[str, str], float] | None = None,
    strength_label: str | None = None,
    legend: tuple[str, str] | None = None,
    highlight: Iterable[str | tuple[str, str]] = (),
) -> Markup | None:
    """Return the picture of a graph in the report of a study; None if it is too large to be read.

    The names of its parts begin with ``name``, which keeps them apart from those of other pictures on the page, and the
    text for those who do not see it begins with ``what``. The other options are those of `bnml.plot.draw`.
    """
    from bnml.plot.draw import draw
    from bnml.plot.html import MOST_EDGES, MOST_NODES
    from bnml.plot.layout import edges_of
    from bnml.plot.matplotlib_figure import figure_svg

    if len(graph.names) > MOST_NODES or len(edges_of(graph)) > MOST_EDGES:
        return None
    numbers = None if strength is None else {arc: value for arc, value in strength.items() if isfinite(value)}
    picture = draw(
        graph, strength=numbers or None, strength_label=strength_label, legend=legend, highlight=list(highlight)
    )
    svg = figure_svg(picture)
    return _alone(svg, name, f"{what}: {_told(graph)}")


def _told(graph: DAG | PDAG) -> str:
    """Say what a graph joins."""
    if isinstance(graph, DAG):
        links = [f"{a} → {b}" for a, b in graph.arcs]
    else:
        links = [f"{a} → {b}" for a, b in graph.directed] + [f"{a} – {b}" for a, b in graph.undirected]
    return names_in_words(links, most=MOST_TOLD) if links else "no links"


def _alone(svg: str, name: str, text: str) -> Markup:
    """Return an SVG element that shares no names with others on its page, with a text in place of the picture."""
    svg = re.sub(r"<!--.*?-->\s*", "", svg, flags=re.DOTALL)
    svg = re.sub(r'\bid="([^"]*)"', rf'id="{name}-\1"', svg)
    svg = re.sub(r'href="#([^"]*)"', rf'href="#{name}-\1"', svg)
    svg = re.sub(r"url\(#([^)]*)\)", rf"url(#{name}-\1)", svg)
    svg = re.sub(r' xmlns(:xlink)?="[^"]*"', "", svg).replace("xlink:href", "href")
    return Markup(svg.replace("<svg ", f'<svg role="img" aria-label="{escaped(text)}" ', 1))


def picture_width(svg: Markup) -> float:
    """Return how wide a picture of the report is, in points."""
    found = re.search(r'\bwidth="([0-9.]+)pt"', svg)
    return float(found.group(1)) if found else 0.0


def matrix_picture(names: Sequence[str], pairs: pd.DataFrame, alpha: float, target: str | None) -> Markup | None:
    """Return a half matrix, a square for each pair: the darker, the stronger, and pale grey for no dependence."""
    n = len(names)
    if not 2 < n <= MOST_IN_MATRIX:
        return None
    labels = [fitted_text(name, LONGEST_LABEL, LETTERS) for name in names]
    left = int(max(text_pixels(label, LETTERS) for label in labels)) + 12
    below = int(max(text_pixels(label, LETTERS) for label in labels[:-1]) * SLANT) + 20
    width, height = max(left + CELL * n + below, SCALE_WIDTH), CELL * n + below + 2 * CELL
    at = {name: i for i, name in enumerate(names)}
    shapes = []
    for a, b, strength, p in pairs[["a", "b", "strength", "adjusted_p_value"]].itertuples(index=False):
        i, j = sorted((at[a], at[b]))
        colour = _colour(float(strength)) if p <= alpha else BLANK
        said = f"{a}, {b}: " + (f"strength {strength:.2f}" if p <= alpha else "no dependence beyond chance")
        place = f'x="{left + CELL * i}" y="{CELL * (j - 1)}" width="{CELL - 1}" height="{CELL - 1}"'
        shapes.append(f'<rect {place} fill="{colour}"><title>{escaped(said)}</title></rect>')
    for i, label in enumerate(labels):
        ink = 'fill="#D55E00" font-weight="bold"' if names[i] == target else 'fill="#1b2733"'
        whole = "" if label == names[i] else f"<title>{escaped(names[i])}</title>"
        if i > 0:
            shapes.append(
                f'<text x="{left - 6}" y="{CELL * (i - 1) + 13}" text-anchor="end" {ink}>{escaped(label)}{whole}</text>'
            )
        if i < n - 1:
            x, y = left + CELL * i + 5, CELL * (n - 1) + 10
            shapes.append(f'<text transform="translate({x} {y}) rotate(45)" {ink}>{escaped(label)}{whole}</text>')
    shapes += _scale(height - CELL)
    count = int((pairs["adjusted_p_value"] <= alpha).sum())
    alt = f"Half matrix of all pairs of {n} variables; {count} of {len(pairs)} depend on each other. See the table."
    return svg_element(width, height, alt, shapes, LETTERS)


def _scale(y: int) -> list[str]:
    """Return the legend: what the colours stand for."""
    shapes, x = [], 4
    for number, text in ((None, "no dependence"), *((k / 4, f"{k / 4:g}") for k in range(5))):
        colour = BLANK if number is None else _colour(number)
        shapes.append(
            f'<rect x="{x}" y="{y}" width="{CELL - 4}" height="{CELL - 4}" fill="{colour}" stroke="#d5dde5"/>'
        )
        shapes.append(f'<text x="{x + CELL}" y="{y + 11}" fill="#1b2733">{text}</text>')
        x += CELL + 14 + int(text_pixels(text, LETTERS))
    return [*shapes, f'<text x="{x}" y="{y + 11}" fill="#1b2733">strength, on a scale from 0 to 1</text>']


def _colour(strength: float) -> str:
    mixed = (round(p + (d - p) * min(max(strength, 0.0), 1.0)) for p, d in zip(PALE, DARK, strict=True))
    return f"rgb({','.join(map(str, mixed))})"
