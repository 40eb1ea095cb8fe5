"""Random relations and graphs for hypothesis, and the lecture's coloured shapes."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any

import networkx as nx
import pandas as pd
from hypothesis import strategies as st

from tests.relational import naive

SHAPES = pd.DataFrame(
    [
        ("blue", "circle", "small"), ("blue", "circle", "medium"), ("red", "circle", "small"),
        ("red", "circle", "medium"), ("red", "triangle", "medium"), ("red", "triangle", "large"),
        ("green", "square", "medium"), ("green", "triangle", "large"), ("green", "triangle", "medium"),
        ("yellow", "square", "medium"),
    ],
    columns=["color", "shape", "size"],
)  # fmt: skip
LESS = SHAPES.drop(index=8)  # the lecture's second relation

DEGREES = (0.0, 0.1, 0.25, 0.5, 0.7, 1.0)


@dataclass(frozen=True)
class Example:
    """A table, what the functions need to read it, and the same as naive tuples."""

    frame: pd.DataFrame
    arguments: dict[str, Any]
    tuples: dict[tuple[str, ...], float]

    @property
    def names(self):
        return [name for name in self.frame.columns if name != "degree"]


@st.composite
def examples(draw: st.DrawFn, most: int = 4, least: int = 1, values: int = 3) -> Example:
    """Draw a small relation, with degrees or without; rows may occur more than once."""
    n = draw(st.integers(least, most))
    row = st.tuples(*[st.sampled_from("abcd"[: draw(st.integers(2, values))]) for _ in range(n)])
    rows = draw(st.lists(row, min_size=2, max_size=14))
    rows += [("a",) * n, ("b",) * n]  # no column with a single value
    names = draw(st.permutations("VWXYZ"[:n]))
    frame = pd.DataFrame(rows, columns=names)
    if not draw(st.booleans()):
        return Example(frame, {}, naive.relation(rows))
    degrees = draw(st.lists(st.sampled_from(DEGREES), min_size=len(rows), max_size=len(rows)))
    degrees[draw(st.integers(0, len(rows) - 1))] = draw(st.sampled_from(DEGREES[1:]))
    frame.insert(draw(st.integers(0, n)), "degree", degrees)
    return Example(frame, {"possibility": "degree"}, naive.relation(rows, degrees))


@st.composite
def graphs(draw: st.DrawFn, n: int) -> list[tuple[int, int]]:
    """Draw the edges of a graph on n numbers."""
    pairs = list(itertools.combinations(range(n), 2))
    kept = draw(st.lists(st.booleans(), min_size=len(pairs), max_size=len(pairs)))
    return [pair for pair, keep in zip(pairs, kept, strict=True) if keep]


def graph_of(names, edges):
    graph = nx.Graph()
    graph.add_nodes_from(names)
    graph.add_edges_from((names[i], names[j]) for i, j in edges)
    return graph


def edges_of(graph):
    return {frozenset(edge) for edge in graph.edges}


def links(*texts):
    return {frozenset(text.split("-")) for text in texts}
