"""How probable links are, as a picture: wide lines for probable links, arrows for probable directions."""

from __future__ import annotations

import os
from collections.abc import Mapping
from itertools import combinations
from math import isfinite
from typing import TYPE_CHECKING, Any

from bnml._checks import refuse
from bnml._text import number_of, percent
from bnml.errors import ArgumentError, argument
from bnml.plot.labels import label_order
from bnml.plot.layout import Arc, layout_in_order
from bnml.plot.sheet import checked_sheet

if TYPE_CHECKING:
    import pandas as pd

    from bnml.plot.matplotlib_figure import Line, Picture

THRESHOLD = 0.1
DIRECTION = 0.75
NARROW, WIDE = 0.5, 4.0  # widths of lines, in points, of links with probability 0 and 1
SAMPLES = (1.0, 0.5)  # probabilities that the legend shows, and the threshold
OFF = 1e-6  # probabilities that are sums of rounded numbers

Chances = dict[Arc, float]


def draw_posterior(
    arcs: pd.DataFrame,
    links: pd.DataFrame | None = None,
    path: str | os.PathLike[str] | None = None,
    *,
    threshold: float = THRESHOLD,
    direction: float = DIRECTION,
    title: str | None = None,
    size: tuple[float, float] | None = None,
    dpi: float | None = None,
) -> Picture:
    """Draw the probabilities of links and of their directions.

    A line is as wide as its link is probable, and a legend says how wide that is. Where one direction has most of the
    probability it is an arrow; else it is dashed. Links that are less probable than a threshold are left out, and
    counted below the picture. The rows go from likely causes to likely effects.

    Parameters
    ----------
    arcs : DataFrame
        The probability of each arc, from the row's variable to the column's, such as ``arc_probabilities`` of a
        posterior.
    links : DataFrame, optional
        The probability of each link, in either direction; by default the sums of those of the two arcs.
    threshold : float
        The least probability of a link that is drawn.
    direction : float
        What share of a link's probability one direction must have to be drawn as an arrow; more than one half.
    path, title, size, dpi
        As for `draw`.

    Returns
    -------
    matplotlib.figure.Figure
        The picture; a notebook shows it.

    Raises
    ------
    ArgumentError
        If the tables are of other variables or hold what is no probability, the file cannot be written, or an argument
        is of the wrong kind. Nothing is written then.

    Examples
    --------
    >>> import bnml
    >>> found = bnml.posterior(bnml.example(), "bdeu")
    >>> figure = bnml.plot.draw_posterior(found.arc_probabilities, found.link_probabilities, threshold=0.5)
    >>> [text.get_text() for text in figure.axes[0].texts][10:]
    ['link 100% probable', 'link 50% probable', '20 links below 50% are left out, 0.3 expected among them.']
    """
    names, chances, either = _checked_tables(arcs, links)
    least = _checked_share(threshold, "threshold", 0.0)
    share = _checked_share(direction, "direction", 0.5)
    sheet = checked_sheet(path, title, size, dpi)
    drawn = {pair: p for pair, p in either.items() if p >= least and p > 0.0}
    lines = _lines(drawn, chances, share)
    found = layout_in_order(_order_from_causes(names, lines, chances), list(lines))
    return sheet.draw(found, lines, _legend(lines, least, share), caption=_left_out(either, drawn, least))


def _lines(drawn: Chances, chances: Chances, share: float) -> dict[Arc, Line]:
    """Return how each link is drawn, the least probable first, so that others lie above it."""
    from bnml.plot.matplotlib_figure import Line

    lines: dict[Arc, Line] = {}
    for (a, b), p in sorted(drawn.items(), key=lambda item: (item[1], item[0])):
        arc = (a, b) if chances[a, b] >= chances[b, a] else (b, a)
        lines[arc] = Line(chances[arc] >= share * p, _width(p))
    return lines


def _width(probability: float) -> float:
    return NARROW + (WIDE - NARROW) * min(probability, 1.0)


def _legend(lines: dict[Arc, Line], least: float, share: float) -> list[tuple[Line, str]]:
    """Return what the legend has to explain: heads and dashes if there are any, and widths."""
    from bnml.plot.matplotlib_figure import Line

    if not lines:
        return []
    kinds = {line.directed for line in lines.values()}
    legend = []
    if True in kinds:
        legend.append((Line(True, _width(SAMPLES[1])), f"direction at least {percent(share)} sure"))
    if False in kinds:
        legend.append((Line(False, _width(SAMPLES[1])), "direction open"))
    shown = [p for p in SAMPLES if p > least] + ([least] if least > 0 else [])
    return legend + [(Line(True in kinds, _width(p)), f"link {percent(p)} probable") for p in shown]


def _left_out(either: Chances, drawn: Chances, least: float) -> str | None:
    """Return the sentence about links that are not drawn, and how many are expected among them."""
    rest = [p for pair, p in either.items() if pair not in drawn and p > 0.0]
    if not rest:
        return None
    expected = f"{sum(rest):.1f}" if sum(rest) >= 0.05 else "less than 0.1"
    are = "is" if len(rest) == 1 else "are"
    return f"{number_of(len(rest), 'link')} below {percent(least)} {are} left out, {expected} expected among them."


def _order_from_causes(names: list[str], lines: Mapping[Arc, Line], chances: Chances) -> list[str]:
    """Return an order of the variables in which probable arcs lead from earlier to later ones, as far as may be.

    Next is the variable into which the arrows from those that are left have the least probability; of several, that
    into which all links have the least, less the way out; of several, the first by name.
    """
    linked: dict[str, list[str]] = {name: [] for name in names}
    into: dict[str, list[str]] = {name: [] for name in names}
    for (a, b), line in lines.items():
        linked[a].append(b)
        linked[b].append(a)
        if line.directed:
            into[b].append(a)
    order: list[str] = []
    left = dict.fromkeys(sorted(names, key=label_order))

    def last(x: str) -> tuple[float, float]:
        arrows = sum(chances[y, x] for y in into[x] if y in left)
        return round(arrows, 9), round(sum(chances[y, x] - chances[x, y] for y in linked[x] if y in left), 9)

    while left:
        chosen = min(left, key=last)
        order.append(chosen)
        del left[chosen]
    return order


# --- the door ---


def _checked_tables(arcs: Any, links: Any) -> tuple[list[str], Chances, Chances]:
    """Return the variables, the probability of each arc, and that of each link by its ends in order."""
    names, chances = _checked_table(arcs, "arcs")
    pairs = list(combinations(sorted(names, key=label_order), 2))
    if links is None:
        return names, chances, {(a, b): min(chances[a, b] + chances[b, a], 1.0) for a, b in pairs}
    others, both = _checked_table(links, "links")
    if set(others) != set(names):
        raise ArgumentError(argument("links") + " must be of the same variables as " + argument("arcs") + ".")
    for a, b in pairs:
        if abs(both[a, b] - both[b, a]) > OFF or both[a, b] < max(chances[a, b], chances[b, a]) - OFF:
            raise ArgumentError(
                f"{a} - {b} has the probabilities {both[a, b]:.4g} and {both[b, a]:.4g}",
                argument="links",
                hint="they must be equal, and no less than those of the arcs.",
            )
    return names, chances, {pair: both[pair] for pair in pairs}


def _checked_table(table: Any, name: str) -> tuple[list[str], Chances]:
    index, columns = getattr(table, "index", None), getattr(table, "columns", None)
    if index is None or columns is None or not hasattr(table, "loc"):
        raise ArgumentError(
            argument(name) + " must be a table of probabilities, with the variables as rows and columns, got "
            f"{type(table).__name__}."
        )
    names = list(index)
    known = all(isinstance(one, str) for one in (*names, *columns))
    if not known or sorted(columns) != sorted(names) or len(set(names)) < len(names):
        raise ArgumentError(argument(name) + " must have the same variables as rows and as columns, each once.")
    values = table.loc[names, names].to_numpy()
    chances: Chances = {}
    for i, a in enumerate(names):
        for j, b in enumerate(names):
            value = values[i, j]
            if i != j and not _is_probability(value):
                raise ArgumentError(argument(name) + f" from {a} to {b} is {value!r}", hint="it must be a probability.")
            chances[a, b] = min(max(float(value), 0.0), 1.0) if i != j else 0.0
    return names, chances


def _is_probability(value: Any) -> bool:
    try:
        number = float(value)
    except (TypeError, ValueError):
        return False
    return isfinite(number) and -OFF <= number <= 1.0 + OFF


def _checked_share(value: Any, name: str, least: float) -> float:
    if isinstance(value, bool) or not _is_probability(value) or not least <= float(value) <= 1.0:
        raise refuse(name, value, f"expected a number from {least:g} to 1")
    return float(value)
