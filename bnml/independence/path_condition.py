"""The necessary path condition: which independences fit together.

`decide` is given the links, and for each pair the minimal sets that were found to separate it: its *statements*. A
statement X ⟂ Y | S is *supported* by a graph where, with X - Y taken out, a path leads from X to every member of S
without crossing Y, and one from Y without crossing X. More links never take support away. So the links fall into
three kinds, by two graphs between which the truth must lie: the *sure* links, and those that are *possible*:

- a statement that the sure links support holds however the rest turns out: its link goes;
- a link none of whose statements has the support even of all possible links stays: it becomes sure;
- repeated until nothing changes, this leaves links that are possible and not sure: the absence of each needs the
  presence of others that are just as undecided.

Of those, link p *depends* on link q if q lies on a path that a statement of p needs. Links that depend on each other,
in a circle, are an ambiguous region; a link that depends on a region and not the other way round waits for its
resolution.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bnml._bits import bits, closure
from bnml.independence.skeleton import Found, Pair, skeleton_links, unlink

if TYPE_CHECKING:
    import networkx as nx

__all__ = ["Decision", "decide", "settle"]


@dataclass(frozen=True)
class Decision:
    """The links that are possible, which of them are not sure, the accepted statements, and the ambiguous regions."""

    links: tuple[int, ...]
    unsure: frozenset[Pair]
    accepted: dict[Pair, Found]
    regions: tuple[frozenset[Pair], ...]


def decide(
    links: Sequence[int],
    statements: Mapping[Pair, Sequence[Found]],
    kept: Iterable[Pair] = (),
    dropped: Iterable[Pair] = (),
) -> Decision:
    """Return what the necessary path condition makes of statements.

    Parameters
    ----------
    links
        All links that there could be, as masks.
    statements
        For each pair the minimal sets that separate it.
    kept, dropped
        Links that are decided already.
    """
    possible, sure, unsure = settle(links, statements, kept, dropped)
    accepted = {
        pair: _best(possible, pair, found)
        for pair, found in statements.items()
        if found and not possible[pair[0]] >> pair[1] & 1 and links[pair[0]] >> pair[1] & 1
    }
    return Decision(tuple(possible), frozenset(unsure), accepted, _regions(possible, sure, unsure, statements))


def settle(
    links: Sequence[int],
    statements: Mapping[Pair, Sequence[Found]],
    kept: Iterable[Pair] = (),
    dropped: Iterable[Pair] = (),
) -> tuple[list[int], list[int], set[Pair]]:
    """Return the links that are possible, those that are sure, and the pairs that are neither gone nor sure."""
    possible, sure = list(links), list(links)
    staying, going = set(kept), set(dropped)
    open_pairs = {p for p in statements if statements[p] and links[p[0]] >> p[1] & 1 and p not in staying | going}
    for pair in open_pairs | going:
        unlink(sure, pair)
    for pair in going:
        unlink(possible, pair)
    while open_pairs:
        gone = {p for p in open_pairs if any(_supported(sure, p, one.given) for one in statements[p])}
        for pair in gone:
            unlink(possible, pair)
        open_pairs -= gone
        safe = {p for p in open_pairs if not any(_supported(possible, p, one.given) for one in statements[p])}
        for i, j in safe:
            sure[i] |= 1 << j
            sure[j] |= 1 << i
        open_pairs -= safe
        if not gone and not safe:
            break
    return possible, sure, open_pairs


def _without(links: Sequence[int], x: int, y: int) -> list[int]:
    """Return the links without those of y: paths from x may not cross it."""
    kept = [mask & ~(1 << y) for mask in links]
    kept[y] = 0
    return kept


def _supported(links: Sequence[int], pair: Pair, given: tuple[int, ...]) -> bool:
    """Tell whether paths lead from either of a pair to every given variable without crossing the other."""
    if not given:
        return True
    wanted = sum(1 << v for v in given)
    x, y = pair
    return not (wanted & ~closure(_without(links, x, y), 1 << x) or wanted & ~closure(_without(links, y, x), 1 << y))


def _best(links: Sequence[int], pair: Pair, found: Sequence[Found]) -> Found:
    """Return the statement to show for a pair: supported if one is, then the smallest set, then the largest p-value."""
    return min(found, key=lambda one: (not _supported(links, pair, one.given), len(one.given), -one.log_p, one.given))


def _regions(
    possible: Sequence[int], sure: Sequence[int], unsure: set[Pair], statements: Mapping[Pair, Sequence[Found]]
) -> tuple[frozenset[Pair], ...]:
    """Return the circles of unsure links that depend on each other."""
    import networkx as nx

    depends: nx.DiGraph[Pair] = nx.DiGraph()
    for pair in sorted(unsure):
        depends.add_node(pair)
        for one in statements[pair]:
            if _supported(possible, pair, one.given):
                for start, other in (pair, pair[::-1]):
                    for goal in one.given:
                        depends.add_edges_from((pair, q) for q in _on_paths(possible, sure, unsure, start, other, goal))
    circles = [frozenset(some) for some in nx.strongly_connected_components(depends) if len(some) > 1]
    return tuple(sorted(circles, key=sorted))


def _on_paths(
    possible: Sequence[int], sure: Sequence[int], unsure: set[Pair], start: int, other: int, goal: int
) -> set[Pair]:
    """Return the unsure links on paths from start to goal that do not cross the other, where sure links do not suffice.

    What sure links join counts as one place. A link lies on a path between two places exactly if it is in one block
    (biconnected component) with a link that is added between them.
    """
    import networkx as nx

    around = _without(sure, start, other)
    place: dict[int, int] = {}
    for v in range(len(sure)):
        if v != other and v not in place:
            for w in bits(closure(around, 1 << v)):
                place[w] = v
    if place[start] == place[goal]:
        return set()
    between: dict[frozenset[int], set[Pair]] = {}
    for i, j in skeleton_links(_without(possible, start, other)):
        if (i, j) in unsure and place[i] != place[j]:
            between.setdefault(frozenset((place[i], place[j])), set()).add((i, j))
    graph: nx.Graph[int] = nx.Graph()
    graph.add_edges_from((min(ends), max(ends)) for ends in between)
    graph.add_edge(place[start], place[goal])
    ends = frozenset((place[start], place[goal]))
    for block in nx.biconnected_component_edges(graph):
        edges = {frozenset(edge) for edge in block}
        if ends in edges:
            return set().union(*(between.get(edge, set()) for edge in edges))
    return set()
