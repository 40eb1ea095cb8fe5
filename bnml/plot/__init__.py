"""Pictures of graphs: DAGs and equivalence classes, in rows with few crossings.

`layout` says where everything stands, `draw` makes a matplotlib figure of it and writes PNG, SVG and PDF,
`draw_comparison` does so for two graphs at once, `draw_posterior` for probabilities of arcs, and `graph_html` is what
notebooks show. matplotlib is loaded when the first picture is drawn, and left as it was.

===================  =============================================================
`labels`             names broken into lines, and the sizes of their boxes
`layers`             which row a node stands in: arcs point down and are short
`crossings`          the order in each row: few arcs cross
`coordinates`        how far to the right: long arcs are straight
`routes`             how arcs run between the boxes
`packing`            parts that are not connected, side by side
`layout_near`        layouts in which nodes stay where they were
`matplotlib_figure`  all of this as matplotlib artists
`sheet`              title and size of a picture, and its file
===================  =============================================================
"""

from bnml.plot.draw import draw
from bnml.plot.draw_comparison import draw_comparison
from bnml.plot.draw_posterior import draw_posterior
from bnml.plot.html import comparison_html, graph_html, posterior_html
from bnml.plot.layout import Layout, layout

__all__ = [
    "Layout",
    "comparison_html",
    "draw",
    "draw_comparison",
    "draw_posterior",
    "graph_html",
    "layout",
    "posterior_html",
]
