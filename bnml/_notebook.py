"""What a notebook shows: the one place where a graph may ask for its picture, and only when it is shown."""

from __future__ import annotations

from html import escape
from typing import Any


def notebook_picture(graph: Any, caption: str = "", regions: Any = (), legend: tuple[str, str] | None = None) -> str:
    """Return the HTML that a notebook shows of a graph: its picture, with regions in colours, and a caption."""
    from bnml.plot import graph_html

    below = f"<div>{escape(caption)}</div>" if caption else ""
    return f"<div>{graph_html(graph, regions, legend)}{below}</div>"


def comparison_picture(comparison: Any, path: Any = None, **options: Any) -> Any:
    """Return the picture of a comparison of two graphs, as a notebook shows it, and write it."""
    from bnml.plot import draw_comparison

    return draw_comparison(comparison, path, **options)


def notebook_comparison(comparison: Any) -> str:
    """Return what a notebook shows of a comparison, as HTML: its picture, if that can be read, and its report."""
    from bnml.plot import comparison_html

    return f"<div>{comparison_html(comparison)}<pre>{escape(str(comparison))}</pre></div>"


def posterior_picture(arcs: Any, links: Any, path: Any = None, **options: Any) -> Any:
    """Return the picture of the probabilities of arcs and links, as a notebook shows it, and write it."""
    from bnml.plot import draw_posterior

    return draw_posterior(arcs, links, path, **options)


def notebook_posterior(arcs: Any, links: Any) -> str:
    """Return the picture of the probabilities of arcs and links as HTML, if it can be read."""
    from bnml.plot import posterior_html

    return posterior_html(arcs, links)


def notebook_table(title: str, head: list[str], rows: list[list[str]], texts: int = 100) -> str:
    """Return what a notebook shows of a table, as HTML; columns after the first ``texts`` hold numbers."""

    def line(tag: str, cells: list[str]) -> str:
        sides = ("left" if k < texts else "right" for k in range(len(cells)))
        shown = (f"<{tag} style='text-align:{side}'>{escape(x)}</{tag}>" for side, x in zip(sides, cells, strict=True))
        return f"<tr>{''.join(shown)}</tr>"

    body = "".join(line("td", row) for row in rows)
    return f"<div><p>{escape(title)}</p><table><thead>{line('th', head)}</thead><tbody>{body}</tbody></table></div>"
