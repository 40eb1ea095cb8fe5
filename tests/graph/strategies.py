"""Random graphs for hypothesis."""

from __future__ import annotations

from itertools import combinations

from hypothesis import strategies as st

from bnml.graph import DAG, PDAG

NAMES = "ABCDEFGH"


@st.composite
def dags(draw: st.DrawFn, most: int = 6) -> DAG:
    """Draw a DAG on up to ``most`` nodes, its names in any order."""
    names = draw(st.permutations(NAMES[: draw(st.integers(1, most))]))
    pairs = list(combinations(names, 2))
    kept = draw(st.lists(st.booleans(), min_size=len(pairs), max_size=len(pairs)))
    order = draw(st.permutations(names))
    return DAG(order, [pair for pair, keep in zip(pairs, kept, strict=True) if keep])


@st.composite
def pdags(draw: st.DrawFn, most: int = 5) -> PDAG:
    """Draw any PDAG, with or without an extension."""
    names = NAMES[: draw(st.integers(2, most))]
    pairs = list(combinations(names, 2))
    kinds = draw(st.lists(st.sampled_from("   -->>><"), min_size=len(pairs), max_size=len(pairs)))
    marked = list(zip(pairs, kinds, strict=True))
    directed = [(a, b) if kind == ">" else (b, a) for (a, b), kind in marked if kind in "<>"]
    return PDAG(list(names), directed, [pair for pair, kind in marked if kind == "-"])
