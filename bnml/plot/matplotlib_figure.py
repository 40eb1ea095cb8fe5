"""The figure itself: boxes, arcs, legend and title of a laid out graph, as matplotlib artists.

This module imports matplotlib, so `bnml.plot` loads it when the first picture is drawn. One unit of the axes is a tenth
of a point, as in the layout; nothing depends on the settings of matplotlib, nor changes them.
"""

from __future__ import annotations

import io
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from math import sqrt
from typing import Any

import matplotlib as mpl
import matplotlib.style
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties, fontManager, get_font
from matplotlib.patches import FancyBboxPatch, PathPatch, Polygon
from matplotlib.path import Path

from bnml.plot.labels import FONT_SIZE, LINE_HEIGHT, UNITS_PER_POINT, label_lines, text_width
from bnml.plot.layout import Arc, Layout, Point

UNITS_PER_INCH = 72 * UNITS_PER_POINT
DPI = 150
MARGIN = 200
TITLE_SIZE = 13
TITLE_LINE = 190
LEGEND_ROW = 220
CAPTION_LINE = 140
LEGEND_SAMPLE = 340
LEGEND_GAP = 260
WIDE_LEGEND = 6 * UNITS_PER_INCH  # one that is wider than the graph as well has several rows
CORNER = 60
LONGEST_SIDE = 190 * UNITS_PER_INCH  # beyond 200 inches readers of PDF give up
STEEP = 6  # an arc that goes so many times as far down as to the side is drawn straight

METADATA = {"png": ("Software",), "svg": ("Creator", "Date", "Format", "Type"), "pdf": ("CreationDate",)}

INK, BORDER, FILL = "#1B2733", "#51677D", "#EDF2F7"
ARC, EDGE = "#33424F", "#3A86C8"
ACCENT, ACCENT_FILL = "#D55E00", "#FDE9DA"
REGIONS = ("#D55E00", "#0072B2", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")  # most people can tell these apart

# Tried in this order for letters that DejaVu Sans does not have.
OTHER_FONTS = (
    "Noto Sans", "Noto Sans CJK SC", "Noto Sans CJK JP", "Noto Sans CJK KR", "Noto Sans SC", "Source Han Sans SC",
    "PingFang SC", "Hiragino Sans", "Microsoft YaHei", "Yu Gothic", "Malgun Gothic", "WenQuanYi Micro Hei",
    "Arial Unicode MS", "Segoe UI Symbol", "Noto Emoji",
)  # fmt: skip


@dataclass(frozen=True)
class Look:
    """A colour and a pattern: how far the pen is down and up by turns, in points; it stays down if that is empty."""

    color: str
    pattern: tuple[float, ...] = ()


@dataclass(frozen=True)
class Line:
    """How an edge is drawn; a look of its own goes before what follows from the rest."""

    directed: bool
    width: float
    highlighted: bool = False
    region: int | None = None
    look: Look | None = None

    @property
    def color(self) -> str:
        """Dark for arcs, light for undirected edges, a third colour for what is highlighted, one for each region."""
        if self.look is not None:
            return self.look.color
        if self.region is not None:
            return REGIONS[self.region % len(REGIONS)]
        return ACCENT if self.highlighted else ARC if self.directed else EDGE

    @property
    def style(self) -> str | tuple[float, tuple[float, ...]]:
        """Solid, or how far the pen is down and up, in widths of the line; for thick dashes less."""
        if self.look is not None:
            return (0.0, tuple(part / self.width for part in self.look.pattern)) if self.look.pattern else "solid"
        return "solid" if self.directed else (0.0, (1.0 + 4.5 / self.width, 0.7 + 2.2 / self.width))


class Picture(Figure):
    """A matplotlib figure that notebooks show; ``dots`` is the resolution that is asked for, if one is."""

    dots: float | None = None

    def render(self, kind: str) -> bytes:
        """Return the picture as a file of this kind: png, svg or pdf. Equal pictures give equal files."""
        stream = io.BytesIO()
        metadata = dict.fromkeys(METADATA[kind])  # without these, which name versions and times
        with _plain_settings():
            self.savefig(stream, format=kind, dpi=self._dots_per_inch(), metadata=metadata)
        return stream.getvalue()

    def _dots_per_inch(self) -> float:
        width, height = self.get_size_inches()
        return float(min(self.dots or DPI, sqrt(60_000_000 / (width * height)), 60_000 / max(width, height)))

    def _repr_html_(self) -> str:
        return figure_svg(self)


def figure_svg(picture: Picture) -> str:
    """Return a matplotlib figure as an SVG element, for a page: no prolog, and no style that leaks out of it."""
    text = picture.render("svg").decode()
    text = text[text.index("<svg ") :]
    start, end = text.index("<style"), text.index("</style>") + len("</style>")
    text = text[:start] + text[end:].lstrip("\n")
    style = "max-width:100%;height:auto;stroke-linejoin:round;stroke-linecap:butt"
    return text.replace("<svg ", f'<svg style="{style}" ', 1)


@contextmanager
def _plain_settings() -> Iterator[None]:
    """Draw as matplotlib does out of the box, whatever the user has set; and SVG files the same every time.

    Letters that no font here has are drawn as empty boxes, without a warning for each.
    """
    with (
        matplotlib.style.context("default"),
        mpl.rc_context({"svg.hashsalt": "bnml", "pdf.fonttype": 42}),
        warnings.catch_warnings(),
    ):
        for message in ("Glyph .* missing from", "Matplotlib currently does not support .* natively"):
            warnings.filterwarnings("ignore", message)
        yield


def draw_picture(
    found: Layout,
    lines: Mapping[Arc, Line],
    *,
    highlighted: frozenset[str],
    title: str | None,
    legend: Sequence[tuple[Line, str]],
    caption: str | None = None,
    size: tuple[float, float] | None = None,
) -> Picture:
    """Draw a laid out graph with matplotlib.

    Parameters
    ----------
    found : Layout
        Where everything stands.
    lines : mapping of (str, str) to Line
        How each edge is drawn.
    highlighted : frozenset of str
        The variables whose boxes stand out.
    title : str or None
        Text above the picture.
    legend : sequence of (Line, str)
        Samples to be explained below the picture.
    caption : str or None
        Text below these.
    size : (float, float) or None
        Width and height in inches that the picture must fit into, and touch; None for letters of their usual size.
    """
    columns = _legend_columns([text for _, text in legend], max(found.width, WIDE_LEGEND))
    legend_width = sum(columns) - (LEGEND_GAP if legend else 0)
    legend_rows = -(-len(legend) // len(columns)) if legend else 0
    room = max(found.width, legend_width, 5 * UNITS_PER_INCH)
    title_lines = _broken(title, room, TITLE_SIZE) if title else []
    title_width = max((text_width(line, TITLE_SIZE) for line in title_lines), default=0)
    caption_lines = _broken(caption, room, FONT_SIZE - 1) if caption else []
    caption_width = max((text_width(line, FONT_SIZE - 1) for line in caption_lines), default=0)
    width = max(found.width, legend_width, title_width, caption_width) + 2 * MARGIN
    above = MARGIN + len(title_lines) * TITLE_LINE + (120 if title_lines else 0)
    below = len(caption_lines) * CAPTION_LINE + (60 if caption_lines else 0)
    height = above + found.height + MARGIN + legend_rows * LEGEND_ROW + below
    with _plain_settings():
        pen = _Pen(width, height, [*found.positions, *title_lines], size)
        for i, line in enumerate(title_lines):
            pen.write(line, width // 2, MARGIN + i * TITLE_LINE + TITLE_LINE // 2, size=TITLE_SIZE)
        left = (width - found.width) // 2
        for edge, line_style in lines.items():
            pen.edge([(x + left, y + above) for x, y in found.routes[edge]], line_style)
        for name, (x, y) in found.positions.items():
            pen.box(name, (x + left, y + above), found.sizes[name], highlighted=name in highlighted)
        top = height - below - MARGIN // 2 - legend_rows * LEGEND_ROW + LEGEND_ROW // 2
        for k, (sample, text) in enumerate(legend):
            row, column = divmod(k, len(columns))
            x, y = (width - legend_width) // 2 + sum(columns[:column]), top + row * LEGEND_ROW
            pen.edge([(x, y), (x + LEGEND_SAMPLE, y)], sample)
            pen.write(text, x + LEGEND_SAMPLE + 70, y, align="left", size=FONT_SIZE - 1)
        for i, line in enumerate(caption_lines):
            y = height - MARGIN // 2 - (len(caption_lines) - i) * CAPTION_LINE + CAPTION_LINE // 2
            pen.write(line, width // 2, y, size=FONT_SIZE - 1)
    return pen.picture


def _legend_columns(texts: Sequence[str], room: int) -> list[int]:
    """Return the widths of the columns of samples: in as few rows as there is room for, and no more than these need."""
    widths = [_legend_width(text) for text in texts]
    for rows in range(1, len(widths) + 1):
        number = -(-len(widths) // rows)
        columns = [max(widths[k::number]) for k in range(number)]
        if sum(columns) - LEGEND_GAP <= room:
            return columns
    return [max(widths, default=0)]


def _legend_width(text: str) -> int:
    return LEGEND_SAMPLE + 70 + text_width(text, FONT_SIZE - 1) + LEGEND_GAP


def _broken(text: str, room: int, size: int) -> list[str]:
    """Break a text where it would be wider than the picture."""
    lines = [""]
    for word in text.split():
        longer = f"{lines[-1]} {word}".strip()
        if lines[-1] and text_width(longer, size) > room:
            lines.append(word)
        else:
            lines[-1] = longer
    return lines


class _Pen:
    """Draws on a sheet of a given size."""

    def __init__(self, width: int, height: int, texts: Sequence[str], size: tuple[float, float] | None = None) -> None:
        self.scale = min(1.0, LONGEST_SIDE / max(width, height))
        if size is not None:
            self.scale = UNITS_PER_INCH * min(size[0] / width, size[1] / height)
        inches = (self.scale * width / UNITS_PER_INCH, self.scale * height / UNITS_PER_INCH)
        self.picture = Picture(figsize=inches, dpi=DPI, facecolor="white")
        self.axes: Axes = self.picture.add_axes((0.0, 0.0, 1.0, 1.0), xlim=(0, width), ylim=(height, 0))
        self.axes.set_axis_off()
        self.families = _families(texts)

    def write(self, text: str, x: int, y: int, *, align: str = "center", size: float = FONT_SIZE) -> None:
        style: dict[str, Any] = {"ha": align, "va": "center", "color": INK, "family": self.families}
        self.axes.text(x, y, text, fontsize=size * self.scale, parse_math=False, clip_on=False, zorder=5, **style)

    def box(self, name: str, middle: Point, size: tuple[int, int], *, highlighted: bool) -> None:
        (x, y), (width, height) = middle, size
        box = FancyBboxPatch(
            (x - width / 2, y - height / 2),
            width,
            height,
            boxstyle=f"round,pad=0,rounding_size={CORNER}",
            facecolor=ACCENT_FILL if highlighted else FILL,
            edgecolor=ACCENT if highlighted else BORDER,
            linewidth=(1.6 if highlighted else 1.0) * self.scale,
            clip_on=False,
            zorder=4,
        )
        self.axes.add_patch(box)
        lines = label_lines(name)
        for i, line in enumerate(lines):
            self.write(line, x, y + (2 * i - len(lines) + 1) * LINE_HEIGHT // 2)

    def edge(self, points: Sequence[Point], line: Line) -> None:
        points = list(points)
        if line.directed:
            points[-1] = self._head(points[-2], points[-1], line)
        stroke = PathPatch(
            _curve(points),
            fill=False,
            edgecolor=line.color,
            linewidth=line.width * self.scale,
            linestyle=line.style,
            capstyle="butt",
            joinstyle="round",
            clip_on=False,
            zorder=2.5 if line.highlighted else 2,
        )
        self.axes.add_patch(stroke)

    def _head(self, before: Point, tip: Point, line: Line) -> Point:
        """Draw the head of an arrow, and return where its line ends."""
        length, half = 65 + 11 * line.width, 26 + 7 * line.width
        dx, dy = tip[0] - before[0], tip[1] - before[1]
        far = sqrt(dx * dx + dy * dy)
        ux, uy = dx / far, dy / far
        base = (tip[0] - length * ux, tip[1] - length * uy)
        corners = [tip, (base[0] - half * uy, base[1] + half * ux), (base[0] + half * uy, base[1] - half * ux)]
        self.axes.add_patch(Polygon(corners, facecolor=line.color, linewidth=0, clip_on=False, zorder=3))
        return round(tip[0] - 0.8 * length * ux), round(tip[1] - 0.8 * length * uy)


def _curve(points: Sequence[Point]) -> Path:
    """Return a smooth path, vertical at its points; where it would hardly bend it is straight."""
    (first, top), (last, bottom) = points[0], points[-1]
    if len(points) == 4 and STEEP * abs(last - first) <= abs(bottom - top):
        points = [points[0], points[-1]]
    vertices: list[Point] = [points[0]]
    codes = [Path.MOVETO]
    for (x0, y0), (x1, y1) in pairwise(points):
        if 2 * STEEP * abs(x1 - x0) <= abs(y1 - y0) or y0 == y1 or len(points) == 2:
            vertices.append((x1, y1))
            codes.append(Path.LINETO)
        else:
            middle = (y0 + y1) // 2
            vertices += [(x0, middle), (x1, middle), (x1, y1)]
            codes += [Path.CURVE4] * 3
    return Path(vertices, codes)


def _families(texts: Sequence[str]) -> list[str]:
    """Return DejaVu Sans, followed by fonts of this machine if it lacks a letter."""
    own = get_font(fontManager.findfont(FontProperties(family="DejaVu Sans")))
    if all(own.get_char_index(ord(letter)) for letter in {*"".join(texts)} if letter.isprintable()):
        return ["DejaVu Sans"]
    installed = set(fontManager.get_font_names())
    return ["DejaVu Sans", *(family for family in OTHER_FONTS if family in installed)]
