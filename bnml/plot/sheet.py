"""What a picture is drawn on: its title and its size, and the file that it is written to."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from bnml._checks import positive_number, refuse
from bnml._files import a_file_path, check_writable, written_whole
from bnml.errors import ArgumentError, argument
from bnml.plot.layout import Arc, Layout

if TYPE_CHECKING:
    from bnml.plot.matplotlib_figure import Line, Picture

KINDS = (".png", ".svg", ".pdf")


class Sheet(NamedTuple):
    """The file, title, size and resolution of a picture, checked; each may be left open."""

    target: Path | None
    title: str | None
    inches: tuple[float, float] | None
    dots: float | None

    def draw(
        self,
        found: Layout,
        lines: Mapping[Arc, Line],
        legend: Sequence[tuple[Line, str]],
        *,
        highlighted: frozenset[str] = frozenset(),
        caption: str | None = None,
    ) -> Picture:
        """Draw a laid out graph, and write it to the file if there is one."""
        from bnml.plot.matplotlib_figure import draw_picture

        picture = draw_picture(
            found, lines, highlighted=highlighted, title=self.title, legend=legend, caption=caption, size=self.inches
        )
        picture.dots = self.dots
        if self.target is not None:
            with written_whole(self.target) as stream:
                stream.write(picture.render(self.target.suffix.lower()[1:]))
        return picture


def checked_sheet(path: str | os.PathLike[str] | None, title: Any, size: Any, dpi: Any) -> Sheet:
    """Refuse a file that is no picture or cannot be written, and what is no title, size or resolution."""
    target = None if path is None else _checked_path(path)
    if title is not None and not isinstance(title, str):
        raise ArgumentError(argument("title") + f" must be a text, got {title!r}.")
    inches = None if size is None else _checked_size(size)
    dots = None if dpi is None else positive_number(dpi, "dpi", of=" of dots per inch", otherwise=", or None")
    return Sheet(target, title, inches, dots)


def _checked_path(path: str | os.PathLike[str]) -> Path:
    target = a_file_path(path)
    if target.suffix.lower() not in KINDS:
        raise ArgumentError(
            argument("path") + f" is {str(target)!r}, with the suffix {target.suffix!r}",
            hint=f"allowed are {', '.join(KINDS)}.",
        )
    check_writable(target)
    return target


def _checked_size(size: Any) -> tuple[float, float]:
    try:
        width, height = size
    except (TypeError, ValueError):
        raise refuse("size", size, "expected the width and the height in inches, such as (6, 4)") from None
    return positive_number(width, "size", of=" of inches"), positive_number(height, "size", of=" of inches")
