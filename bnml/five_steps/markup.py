"""Tables, figures and lists of a report. Whatever comes from a table of data is escaped here and nowhere else."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

from bnml.data import Data
from bnml.data.labels import label_text

MOST_ROWS = 15  # of a long table that are shown at once


class Html(str):
    """Text that is markup already."""


Cell = str | Html


def text_of(cell: Cell) -> str:
    """Return a cell as markup."""
    return str(cell) if isinstance(cell, Html) else escape(_plain(cell))


def _plain(text: str) -> str:
    """Return a text without control characters, which HTML does not allow."""
    return "".join(c if c.isprintable() or c == " " else "�" for c in text)


def paragraphs(*sentences: str, kind: str = "") -> Html:
    """Return plain text marked up as paragraphs of a page."""
    style = f' class="{kind}"' if kind else ""
    return Html("".join(f"<p{style}>{text_of(one)}</p>\n" for one in sentences))


def bullets(sentences: Iterable[str]) -> Html:
    """Return a list of sentences."""
    items = "".join(f"<li>{text_of(one)}</li>\n" for one in sentences)
    return Html(f"<ul>\n{items}</ul>\n") if items else Html("")


def table(caption: str, head: Sequence[str], rows: Sequence[Sequence[Cell]], *, texts: int = 1) -> Html:
    """Return a table: the first column heads its rows, and columns after the first ``texts`` hold numbers."""
    top = "".join(f'<th scope="col"{_side(k, texts)}>{text_of(cell)}</th>' for k, cell in enumerate(head))
    body = "".join(f"<tr>{_row(row, texts)}</tr>\n" for row in rows)
    said = f"<caption><span>{text_of(caption)}</span></caption>"
    return Html(
        f'<div class="wide"><table>\n{said}\n<thead><tr>{top}</tr></thead>\n<tbody>\n{body}</tbody>\n</table></div>\n'
    )


def _row(row: Sequence[Cell], texts: int) -> str:
    name = text_of(row[0]).replace("_", "_<wbr>")  # where a long name may be broken
    first = f'<th scope="row">{name}</th>'
    return first + "".join(f"<td{_side(k, texts)}>{text_of(cell)}</td>" for k, cell in enumerate(row[1:], 1))


def _side(column: int, texts: int) -> str:
    return "" if column < texts else ' class="number"'


def bar(share: float, text: str) -> Html:
    """Return a number with a bar of its length behind it."""
    width = f"{100 * min(max(share, 0.0), 1.0):.1f}"
    return Html(f'<span class="bar"><span style="width:{width}%"></span></span><span>{text_of(text)}</span>')


def figure(picture: Html, caption: str, *, wide: bool = False, small: bool = False, titled: bool = False) -> Html:
    """Return a picture with its caption; a small one stands beside others, a titled one has its caption above it."""
    kind = ' class="broad"' if wide else ' class="small"' if small else ""
    said = f"<figcaption>{text_of(caption)}</figcaption>"
    inside = f"{said}\n{picture}" if titled else f"{picture}\n{said}"
    return Html(f"<figure{kind}>\n{inside}\n</figure>\n")


def side_by_side(*figures: Html) -> Html:
    """Return small figures beside each other, as many as there is room for."""
    return Html(f'<div class="charts">\n{"".join(figures)}</div>\n')


def colour_key(colours: Iterable[tuple[str, str]]) -> Html:
    """Return the markup of a key: what colours stand for."""
    items = "".join(
        f'<span><span class="swatch" style="background:{colour}"></span>{text_of(text)}</span> '
        for colour, text in colours
    )
    return Html(f'<p class="key">{items}</p>\n')


def heading(text: str) -> Html:
    """Return a heading within a section."""
    return Html(f"<h3>{text_of(text)}</h3>\n")


def box(content: Html) -> Html:
    """Return what matters most in a box of its own."""
    return Html(f'<div class="summary">\n{content}</div>\n')


def details(summary: str, content: Html) -> Html:
    """Return something that opens when it is asked for."""
    return Html(f"<details>\n<summary>{text_of(summary)}</summary>\n{content}</details>\n")


def section(name: str, title: str, *parts: Html) -> Html:
    """Return a section of the page with its heading."""
    return Html(
        f'<section id="{name}" aria-labelledby="{name}-title">\n<h2 id="{name}-title">{text_of(title)}</h2>\n'
        f"{''.join(parts)}</section>\n"
    )


def long_table(caption: str, head: list[str], rows: list[list[Cell]], texts: int = 1, *, most: int = MOST_ROWS) -> Html:
    """Return a table; of a long one the first rows, and all of it when it is opened."""
    if len(rows) <= most + 5:
        return table(caption, head, rows, texts=texts)
    first = table(f"{caption} (the first {most} of {len(rows):,})", head, rows[:most], texts=texts)
    return Html(first + details(f"All {len(rows):,}", table(caption, head, rows, texts=texts)))


def shown_label(data: Data, name: str, label: Any) -> str:
    """Return the label of a value as markup and sentences show it."""
    text = label_text(label)
    return text.replace("<=", "≤").replace(">=", "≥") if name in data.cuts else text
