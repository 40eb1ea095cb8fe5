"""The necessary path condition: which independences fit together.

`settle_path_condition` is given the links, and for each pair the minimal sets that were found to separate it: its
*statements*. A statement X ⟂ Y | S is *supported* by a graph where, with X - Y taken out, a path leads from X to every
member of S without crossing Y, and one from Y without crossing X. More links never take support away. So the links fall
into three kinds, by two graphs between which the truth must lie: the *sure* links, and those that are *possible*:

- a statement that the sure links support holds however the rest turns out: its link goes;
- a link none of whose statements has the support even of all possible links stays: it becomes sure;
- repeated until nothing changes, this leaves links that are possible and not sure: the absence of each needs the
  presence of others that are just as undecided.

Of those, link p *depends* on link q if q lies on a path that a statement of p needs. Links that depend on each other,
in a circle, are an ambiguous region; a link that depends on a region and not the other way round waits for its
resolution.

**Choices.** `keep_links` makes links sure, `drop_link` takes one out, and both work out what follows. A link that was
dropped by choice may have no statement that the sure links support, as long as the possible ones do. Then a link
without which it would lose its last paths becomes sure. Where it needs one of several that would all go otherwise,
those whose independence is the most credible go first, and the last one stays. So in every graph on the way, and at the
end, each absent link has its paths (`unexplained` lists those that have not).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from bnml._bits import bits, closure
from bnml.independence.skeleton import Found, Pair, skeleton_links, unlink_pair

if TYPE_CHECKING:
    import networkx as nx

Statements = Mapping[Pair, Sequence[Found]]


@dataclass(frozen=True)
class Standing:
    """How far links are decided.

    Attributes
    ----------
    possible, sure
        The links that may be there, and those that are there, as masks.
    unsure
        The pairs whose link is possible and not sure.
    dropped
        The pairs whose link was dropped by choice.
    """

    possible: tuple[int, ...]
    sure: tuple[int, ...]
    unsure: frozenset[Pair]
    dropped: frozenset[Pair] = frozenset()


def settle_path_condition(links: Sequence[int], statements: Statements, kept: Iterable[Pair] = ()) -> Standing:
    """Return what the necessary path condition makes of statements.

    Parameters
    ----------
    links
        All links that there could be, as masks.
    statements
        For each pair the minimal sets that separate it.
    kept
        Links that stay whatever is said of them.
    """
    staying, sure = set(kept), list(links)
    unsure = {pair for pair, found in statements.items() if found and _linked(links, pair) and pair not in staying}
    for pair in unsure:
        unlink_pair(sure, pair)
    return _follow(Standing(tuple(links), tuple(sure), frozenset(unsure)), statements)


def keep_links(standing: Standing, statements: Statements, pairs: Iterable[Pair]) -> Standing:
    """Return what follows from the path condition once some links that are not sure stay."""
    chosen, sure = frozenset(pairs), list(standing.sure)
    for pair in chosen:
        _join(sure, pair)
    return _follow(replace(standing, sure=tuple(sure), unsure=standing.unsure - chosen), statements)


def drop_link(standing: Standing, statements: Statements, pair: Pair) -> Standing:
    """Return what follows from the path condition once a link that is not sure goes; dropped links keep their paths."""
    possible, dropped = links_without(standing.possible, pair), standing.dropped | {pair}
    return _follow(
        replace(standing, possible=tuple(possible), unsure=standing.unsure - {pair}, dropped=dropped), statements
    )


def _follow(standing: Standing, statements: Statements) -> Standing:
    """Decide links until nothing follows any more."""
    possible, sure, unsure, dropped = (
        list(standing.possible),
        list(standing.sure),
        set(standing.unsure),
        standing.dropped,
    )
    while unsure:
        gone = {p for p in unsure if any(is_supported(sure, p, one.given) for one in statements[p])}
        left = set()
        for pair in sorted(gone, key=lambda p: (-max(one.log_p for one in statements[p]), p)) if dropped else gone:
            if not dropped or not unexplained(links_without(possible, pair), statements, dropped):
                unlink_pair(possible, pair)
                left.add(pair)
        unsure -= left
        safe = {p for p in unsure if not any(is_supported(possible, p, one.given) for one in statements[p])}
        safe |= _needed(possible, sure, unsure, statements, dropped)
        for pair in safe:
            _join(sure, pair)
        unsure -= safe
        if not left and not safe:
            break
    return Standing(tuple(possible), tuple(sure), frozenset(unsure), dropped)


def _needed(
    possible: Sequence[int], sure: Sequence[int], unsure: set[Pair], statements: Statements, dropped: Iterable[Pair]
) -> set[Pair]:
    """Return the unsure links without which a link that was dropped by choice would have no path."""
    waiting = unexplained(sure, statements, dropped)
    return {pair for pair in unsure if waiting and unexplained(links_without(possible, pair), statements, waiting)}


def unexplained(links: Sequence[int], statements: Statements, pairs: Iterable[Pair]) -> list[Pair]:
    """Return those of some absent links of which no statement is supported."""
    return [p for p in sorted(pairs) if not any(is_supported(links, p, one.given) for one in statements.get(p, ()))]


def accepted_statements(standing: Standing, links: Sequence[int], statements: Statements) -> dict[Pair, Found]:
    """Return the statement to show for each pair whose link the path condition took: supported, small, a large p."""
    return {
        pair: best_statement(standing.possible, pair, found)
        for pair, found in statements.items()
        if found and not _linked(standing.possible, pair) and _linked(links, pair)
    }


def links_without(links: Sequence[int], pair: Pair) -> list[int]:
    """Return links that meet the path condition, or are to, without one of them."""
    left = list(links)
    unlink_pair(left, pair)
    return left


def _linked(links: Sequence[int], pair: Pair) -> bool:
    return bool(links[pair[0]] >> pair[1] & 1)


def _join(links: list[int], pair: Pair) -> None:
    links[pair[0]] |= 1 << pair[1]
    links[pair[1]] |= 1 << pair[0]


def _around(links: Sequence[int], y: int) -> list[int]:
    """Return the links without those of y, which paths may not cross."""
    kept = [mask & ~(1 << y) for mask in links]
    kept[y] = 0
    return kept


def is_supported(links: Sequence[int], pair: Pair, given: tuple[int, ...]) -> bool:
    """Tell whether paths lead from either of a pair to every given variable without crossing the other."""
    if not given:
        return True
    wanted = sum(1 << v for v in given)
    x, y = pair
    return not (wanted & ~closure(_around(links, y), 1 << x) or wanted & ~closure(_around(links, x), 1 << y))


def best_statement(links: Sequence[int], pair: Pair, found: Sequence[Found]) -> Found:
    """Return the statement that the path condition shows for a pair: with paths, then the smallest set, a large p."""
    return min(found, key=lambda one: (not is_supported(links, pair, one.given), len(one.given), -one.log_p, one.given))


def lost_path(links: Sequence[int], pair: Pair, given: tuple[int, ...]) -> tuple[int, int, int] | None:
    """Return a start, a goal and what lies between them, if a statement has a path too few; else None."""
    for start, other in (pair, pair[::-1]):
        reached = closure(_around(links, other), 1 << start)
        for goal in given:
            if not reached >> goal & 1:
                return start, goal, other
    return None


def unsure_regions(standing: Standing, statements: Statements) -> tuple[frozenset[Pair], ...]:
    """Return the circles of unsure links that depend on each other."""
    import networkx as nx

    possible, sure, unsure = standing.possible, standing.sure, standing.unsure
    depends: nx.DiGraph[Pair] = nx.DiGraph()
    for pair in sorted(unsure):
        depends.add_node(pair)
        for one in statements[pair]:
            if is_supported(possible, pair, one.given):
                for start, other in (pair, pair[::-1]):
                    for goal in one.given:
                        depends.add_edges_from((pair, q) for q in _on_paths(possible, sure, unsure, start, other, goal))
    circles = [frozenset(some) for some in nx.strongly_connected_components(depends) if len(some) > 1]
    return tuple(sorted(circles, key=sorted))


def _on_paths(
    possible: Sequence[int], sure: Sequence[int], unsure: frozenset[Pair], start: int, other: int, goal: int
) -> set[Pair]:
    """Return the unsure links on paths from start to goal that do not cross the other, where sure links do not suffice.

    What sure links join counts as one place. A link lies on a path between two places exactly if it is in one block
    (biconnected component) with a link that is added between them.
    """
    import networkx as nx

    around = _around(sure, other)
    place: dict[int, int] = {}
    for v in range(len(sure)):
        if v != other and v not in place:
            for w in bits(closure(around, 1 << v)):
                place[w] = v
    if place[start] == place[goal]:
        return set()
    between: dict[frozenset[int], set[Pair]] = {}
    for i, j in skeleton_links(_around(possible, other)):
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
