"""The charts of a report: risks with their intervals, stacked shares, ROC and reliability curves, as SVG elements.

Texts are measured before they are placed and cut where there is no room, with the whole text in a title, so that they
never run into each other. Lines differ by their dashes, not by colour alone: a report may be printed in black.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from markupsafe import Markup

from bnml._text import percent, percent_range, shortened_in_the_middle
from bnml.five_steps.predictive_measures import ReliabilityBin
from bnml.report.rendering import escaped

SIZE = 12  # pixels of a letter's height
INK, SOFT, LINE, MARK, ORANGE = "#1b2733", "#51677d", "#c3ced8", "#1f5f99", "#b34700"
ROW = 22
WIDTH = 450
LABEL = 122  # of the values, at the left, at most
FIGURES = 198  # at the right
NUMBERS = 84  # of rows, at the right of stacked bars
FEW = 10  # rows below which a share is drawn in grey
PALE, DARK = (214, 230, 244), (8, 48, 107)
SIDE = 260  # of a square plot
MARGIN = 46
STYLES = (("#08519c", "", 2.4), ("#b34700", "7 3", 1.8), ("#41761b", "2 3", 1.8), ("#6a3d9a", "9 3 2 3", 1.8))


class Curve(NamedTuple):
    """A curve with what its line in the legend says."""

    text: str
    points: Sequence[tuple[float, float]]


def fitted_text(text: str, width: float, size: int = SIZE) -> str:
    """Return a text of a chart that takes no more than some width, cut in the middle if need be.

    Examples
    --------
    >>> fitted_text("smoke", 60), fitted_text("a rather long name of a variable", 100)
    ('smoke', 'a rather l…iable')
    """
    shown = shortened_in_the_middle(text, max(len(text), 1))
    length = len(shown)
    while length > 2 and text_pixels(shown, size) > width:
        length -= 1
        shown = shortened_in_the_middle(text, length)
    return shown


def _label_width(labels: Sequence[str]) -> float:
    """Return the room for labels at the left: what they need, up to a bound."""
    return min(max((text_pixels(label) for label in labels), default=0.0) + 2.0, LABEL)


def text_pixels(text: str, size: int = SIZE) -> float:
    """Return how wide a line of text in a chart is, at most: in the wide letters of DejaVu Sans."""
    from bnml.plot.labels import UNITS_PER_POINT, text_width

    return text_width(text, size) / UNITS_PER_POINT


def _text(x: float, y: float, text: str, *, anchor: str = "start", fill: str = INK, room: float = 1e9) -> str:
    shown = fitted_text(text, room)
    side = "" if anchor == "start" else f' text-anchor="{anchor}"'
    title = "" if shown == text else f"<title>{escaped(text)}</title>"
    return f'<text x="{x:g}" y="{y:g}"{side} fill="{fill}">{escaped(shown)}{title}</text>'


def svg_element(width: float, height: float, alt: str, shapes: Sequence[str], size: int = SIZE) -> Markup:
    """Return shapes as an SVG element, with a text for those who do not see them."""
    return Markup(
        f'<svg role="img" aria-label="{escaped(alt)}" width="{width:g}" height="{height:g}" '
        f'viewBox="0 0 {width:g} {height:g}" font-size="{size}" font-family="inherit">{"".join(shapes)}</svg>'
    )


class RiskRow(NamedTuple):
    """A value of a variable: the share with its interval, the number of rows, and what the network says."""

    label: str
    share: float
    low: float
    high: float
    rows: int
    network: float | None


def risk_chart(name: str, rows: Sequence[RiskRow], overall: float, top: float, event: str) -> Markup:
    """Return the risk of an event for each value of a variable: a dot with its interval, and the network's as a mark.

    The risk in all rows, ``overall``, is a dashed line; the scale ends at ``top``.
    """
    height = ROW * len(rows) + 24
    label = _label_width([row.label for row in rows])
    start, end = label + 16, WIDTH - FIGURES - 14

    def at(share: float) -> float:
        return start + (end - start) * min(share, top) / top

    bottom = ROW * len(rows)
    shapes = [
        f'<line x1="{at(k * top / 2):g}" x2="{at(k * top / 2):g}" y1="0" y2="{bottom}" stroke="{LINE}"/>'
        for k in range(3)
    ]
    shapes += [_text(at(k * top / 2), bottom + 16, percent(k * top / 2), anchor="middle", fill=SOFT) for k in range(3)]
    shapes.append(
        f'<line x1="{at(overall):.1f}" x2="{at(overall):.1f}" y1="0" y2="{bottom}" stroke="{SOFT}" '
        'stroke-dasharray="4 3"/>'
    )
    told = []
    for k, row in enumerate(rows):
        y = ROW * k + ROW / 2
        shapes.append(_text(label, y + 4, row.label, anchor="end", room=label))
        if row.rows == 0:
            shapes.append(_text(WIDTH - FIGURES, y + 4, "no rows", fill=SOFT))
            told.append(f"{row.label}: no rows")
            continue
        few = row.rows < FEW
        ink = SOFT if few else MARK
        shapes.append(
            f'<line x1="{at(row.low):.1f}" x2="{at(row.high):.1f}" y1="{y:g}" y2="{y:g}" stroke="{ink}" '
            f'stroke-width="{2 if few else 3}"/>'
        )
        if row.network is not None:
            x = at(row.network)
            shapes.append(
                f'<path d="M{x:.1f} {y - 6:g}l4 6l-4 6l-4 -6z" fill="none" stroke="{ORANGE}" stroke-width="1.4"/>'
            )
        shapes.append(f'<circle cx="{at(row.share):.1f}" cy="{y:g}" r="4" fill="{ink}"/>')
        figures = f"{percent(row.share)} ({percent_range(row.low, row.high)}) of {row.rows:,}"
        shapes.append(_text(WIDTH - FIGURES, y + 4, figures, fill=SOFT if few else INK, room=FIGURES))
        said = "" if row.network is None else f", network {percent(row.network)}"
        told.append(f"{row.label}: {figures} rows{said}")
    return svg_element(WIDTH, height, f"Risk of {event} by {name}: {'; '.join(told)}", shapes)


def share_colours(n: int) -> list[str]:
    """Return colours for values in their order, from pale to dark."""
    steps = [k / max(n - 1, 1) for k in range(n)]
    mixed = [[round(p + (d - p) * step) for p, d in zip(PALE, DARK, strict=True)] for step in steps]
    return [f"rgb({','.join(map(str, colour))})" for colour in mixed]


def shares_chart(name: str, rows: Sequence[tuple[str, Sequence[float], int]], outcomes: Sequence[str]) -> Markup:
    """Return stacked bars: for each value of a variable the shares of the outcomes, and the number of rows."""
    colours, label_width = share_colours(len(outcomes)), _label_width([label for label, _, _ in rows])
    start, room = label_width + 10, WIDTH - NUMBERS - label_width - 20
    shapes, told = list[str](), list[str]()
    for k, (label, shares, n) in enumerate(rows):
        y, x = ROW * k, float(start)
        shapes.append(_text(label_width, y + 15, label, anchor="end", room=label_width))
        shapes.append(_text(WIDTH - NUMBERS, y + 15, f"{n:,} rows", fill=SOFT, room=NUMBERS))
        if n == 0:
            told.append(f"{label}: no rows")
            continue
        for j, share in enumerate(shares):
            width = room * share
            said = f"{outcomes[j]}: {percent(share)}"
            shapes.append(
                f'<rect x="{x:.1f}" y="{y + 2}" width="{width:.1f}" height="{ROW - 4}" fill="{colours[j]}" '
                f'stroke="#fff"><title>{escaped(said)}</title></rect>'
            )
            if width >= 34:
                ink = "#fff" if j > (len(outcomes) - 1) / 2 else INK
                shapes.append(_text(x + width / 2, y + 15, percent(share), anchor="middle", fill=ink))
            x += width
        figures = ", ".join(f"{text} {percent(share)}" for text, share in zip(outcomes, shares, strict=True))
        told.append(f"{label}: {figures}; {n:,} rows")
    return svg_element(WIDTH, ROW * len(rows) + 2, f"Shares by {name}: {'. '.join(told)}", shapes)


def roc_chart(curves: Sequence[Curve], what: str) -> Markup:
    """Return ROC curves with their legend; the diagonal is what guessing gives."""
    shapes = _square("share of the others that are taken for it", "share that is found")
    shapes += [_curve(points, style) for (_, points), style in zip(curves, STYLES, strict=False)]
    shapes += _legend([text for text, _ in curves], SIDE + MARGIN + 26)
    height = SIDE + MARGIN + 36 + 18 * len(curves)
    return svg_element(
        SIDE + 2 * MARGIN, height, f"ROC curves of {what}: {'; '.join(text for text, _ in curves)}", shapes
    )


def reliability_chart(methods: Sequence[tuple[str, Sequence[ReliabilityBin]]], what: str) -> Markup:
    """Return observed shares by predicted probability, with intervals for the first method, and its rows as bars."""
    shapes = _square("predicted probability", "observed share")
    bins = methods[0][1]
    most = max((one.rows for one in bins), default=1)
    for one in bins:
        x, height = _x(one.predicted), 34.0 * one.rows / most
        said = f"{one.rows:,} rows"
        shapes.append(
            f'<rect x="{x - 5:.1f}" y="{_y(0) - height:.1f}" width="10" height="{height:.1f}" fill="{LINE}">'
            f"<title>{said}</title></rect>"
        )
        shapes.append(
            f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{_y(one.low):.1f}" y2="{_y(one.high):.1f}" stroke="{STYLES[0][0]}"/>'
        )
    for (_, own), style in zip(methods, STYLES, strict=False):
        shapes.append(_curve([(one.predicted, one.observed) for one in own if one.rows >= FEW], style))
    for one in bins:
        ink = STYLES[0][0] if one.rows >= FEW else SOFT
        shapes.append(f'<circle cx="{_x(one.predicted):.1f}" cy="{_y(one.observed):.1f}" r="3.5" fill="{ink}"/>')
    shapes += _legend([text for text, _ in methods], SIDE + MARGIN + 26)
    told = "; ".join(f"predicted {percent(one.predicted)}, observed {percent(one.observed)}" for one in bins)
    height = SIDE + MARGIN + 36 + 18 * len(methods)
    return svg_element(SIDE + 2 * MARGIN, height, f"Reliability of {what} by the network: {told}", shapes)


def _x(share: float) -> float:
    return MARGIN + SIDE * share


def _y(share: float) -> float:
    return 10 + SIDE * (1.0 - share)


def _square(below: str, beside: str) -> list[str]:
    """Return the frame of a plot of shares, with its diagonal."""
    shapes = [
        f'<rect x="{MARGIN}" y="10" width="{SIDE}" height="{SIDE}" fill="none" stroke="{LINE}"/>',
        f'<line x1="{_x(0):g}" y1="{_y(0):g}" x2="{_x(1):g}" y2="{_y(1):g}" stroke="{LINE}"/>',
    ]
    for share in (0.0, 0.5, 1.0):
        shapes.append(_text(_x(share), _y(0) + 16, f"{share:.0%}", anchor="middle", fill=SOFT))
        shapes.append(_text(MARGIN - 6, _y(share) + 4, f"{share:.0%}", anchor="end", fill=SOFT))
    turned = f"translate(10 {_y(0.5):g}) rotate(-90)"
    shapes.append(_text(_x(0.5), _y(0) + 34, below, anchor="middle", fill=SOFT))
    shapes.append(f'<text transform="{turned}" text-anchor="middle" fill="{SOFT}">{escaped(beside)}</text>')
    return shapes


def _curve(points: Sequence[tuple[float, float]], style: tuple[str, str, float]) -> str:
    colour, dashes, width = style
    path = " ".join(f"{_x(x):.1f},{_y(y):.1f}" for x, y in points)
    dash = f' stroke-dasharray="{dashes}"' if dashes else ""
    return f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="{width}"{dash}/>'


def _legend(texts: Sequence[str], top: float) -> list[str]:
    shapes = []
    for k, (text, (colour, dashes, width)) in enumerate(zip(texts, STYLES, strict=False)):
        y = top + 18 * k + 12
        dash = f' stroke-dasharray="{dashes}"' if dashes else ""
        shapes.append(
            f'<line x1="{MARGIN}" x2="{MARGIN + 30}" y1="{y:g}" y2="{y:g}" stroke="{colour}" '
            f'stroke-width="{width}"{dash}/>'
        )
        shapes.append(_text(MARGIN + 38, y + 4, text, room=SIDE))
    return shapes
