"""What notebooks show."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from bnml.errors import ArgumentError
from bnml.graph import DAG
from bnml.network import BayesianNetwork
from bnml.plot import draw, graph_html
from bnml.plot.html import MOST_EDGES, MOST_NODES

ASIA = DAG.parse("[asia][smoke][tub|asia][lung|smoke][bronc|smoke][either|tub:lung][xray|either][dysp|either:bronc]")


@pytest.mark.parametrize("graph", [ASIA, ASIA.cpdag()])
def test_svg_without_a_prolog(graph):
    text = draw(graph)._repr_html_()
    assert text.startswith("<svg ")
    assert text.rstrip().endswith("</svg>")
    assert "<style" not in text, "its rules would hold for the whole page"
    assert "metadata" not in text
    root = ElementTree.fromstring(text)
    assert root.tag.endswith("svg")
    assert text == draw(graph)._repr_html_()


def test_html_and_figures_show_the_same():
    html = graph_html(ASIA)
    assert html.startswith("<div")
    assert draw(ASIA)._repr_html_() in html


def test_networks():
    pair = DAG.parse("[A][B|A]")
    network = BayesianNetwork(pair, {"A": ["0", "1"], "B": ["0", "1"]}, {"A": [0.5, 0.5], "B": [[0.5, 0.5]] * 2})
    assert graph_html(network) == graph_html(pair)


def test_too_large_to_be_read():
    names = [f"<X{k}>" for k in range(MOST_NODES + 1)]
    assert graph_html(DAG(names)).startswith("<p>&lt;DAG of")
    some = names[:40]
    dense = DAG(some, [(a, b) for i, a in enumerate(some) for b in some[i + 1 :]])
    assert len(dense.arcs) > MOST_EDGES
    assert graph_html(dense).startswith("<p>")


def test_only_graphs():
    with pytest.raises(ArgumentError, match="graph"):
        graph_html("A")
