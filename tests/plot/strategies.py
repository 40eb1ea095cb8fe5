"""Random layered graphs for hypothesis."""

from __future__ import annotations

from itertools import combinations

from hypothesis import strategies as st

from bnml.graph import DAG, PDAG

NAMES = ("A", "B7", "B10", "a_rather_long_name_of_a_variable", "x y", "ÄÖÜ", "smoke", "Z", "W", "$v_1$", "k", "l")


@st.composite
def dags(draw: st.DrawFn, most: int = 9) -> DAG:
    """Draw a sparse DAG, its names in any order."""
    names = draw(st.permutations(NAMES))[: draw(st.integers(1, most))]
    arcs = draw(st.sets(st.sampled_from(list(combinations(names, 2))), max_size=2 * len(names))) if names[1:] else []
    return DAG(draw(st.permutations(names)), sorted(arcs))


@st.composite
def pdags(draw: st.DrawFn, most: int = 6) -> PDAG:
    """Draw any PDAG: also with cycles, and without an extension."""
    names = NAMES[: draw(st.integers(2, most))]
    pairs = list(combinations(names, 2))
    kinds = draw(st.lists(st.sampled_from("  --><"), min_size=len(pairs), max_size=len(pairs)))
    marked = list(zip(pairs, kinds, strict=True))
    directed = [(a, b) if kind == ">" else (b, a) for (a, b), kind in marked if kind in "<>"]
    return PDAG(draw(st.permutations(names)), directed, [pair for pair, kind in marked if kind == "-"])


@st.composite
def connected_arcs(draw: st.DrawFn, most: int = 7) -> tuple[int, list[tuple[int, int]]]:
    """Draw a number of nodes and arcs, from smaller to larger numbers, that join all of them."""
    n = draw(st.integers(2, most))
    arcs = {(draw(st.integers(0, b - 1)), b) for b in range(1, n)}
    arcs |= draw(st.sets(st.sampled_from(list(combinations(range(n), 2))), max_size=n))
    relabel = draw(st.permutations(range(n)))
    return n, sorted((relabel[a], relabel[b]) for a, b in arcs)
