"""Possibly directed paths: ways from one variable to another on which no arc is met against its direction.

In some DAG of a class such a path may be directed, in others it is not. What setting variables from outside does to
another is the same in all DAGs of a class, background knowledge included, if every possibly directed path from one of
them to it, that meets no other of them, begins with an arc (Perković 2020). So what an answer hangs on are the links
without a direction at which such a path begins; once these are directed, and what follows from that is, it is settled.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence

from bnml.graph.pdag import PDAG


def open_links_at(graph: PDAG, given: Sequence[str]) -> dict[tuple[str, str], set[str]]:
    """Return the undirected links at which possible paths from variables that are set begin, with what these reach.

    Parameters
    ----------
    graph
        A graph in which Meek's rules have drawn every conclusion.
    given
        The variables that are set; a link comes as (one of these, another variable).

    Examples
    --------
    >>> from bnml.graph import PDAG
    >>> graph = PDAG(["A", "B", "C"], [("B", "C")], [("A", "B")])
    >>> {link: sorted(found) for link, found in open_links_at(graph, ["A"]).items()}
    {('A', 'B'): ['B', 'C']}
    >>> open_links_at(graph, ["A", "B"])
    {}
    """
    return {
        (x, y): possibly_reached(graph, y, given)
        for x in dict.fromkeys(given)
        for y in graph.neighbours(x)
        if y not in given
    }


def open_first_links(graph: PDAG, x: str, target: str) -> list[str]:
    """Return the neighbours, by links without a direction, through which possible paths lead from x to the target.

    Examples
    --------
    >>> from bnml.graph import PDAG
    >>> graph = PDAG(["A", "B", "C"], [("B", "C")], [("A", "B")])
    >>> open_first_links(graph, "A", "C"), open_first_links(graph, "B", "C")
    (['B'], [])
    """
    return [y for (_, y), found in open_links_at(graph, [x]).items() if target in found]


def possibly_reached(graph: PDAG, x: str, closed: Collection[str] = ()) -> set[str]:
    """Return x and what can be reached from it along arcs and links without a direction, not through some variables.

    Examples
    --------
    >>> from bnml.graph import PDAG
    >>> graph = PDAG(["A", "B", "C"], [("B", "C")], [("A", "B")])
    >>> [sorted(found) for found in (possibly_reached(graph, "A"), possibly_reached(graph, "A", ["B"]))]
    [['A', 'B', 'C'], ['A']]
    """
    return _walked(x, closed, lambda y: (*graph.children(y), *graph.neighbours(y)))


def possibly_reached_back(graph: PDAG, x: str) -> set[str]:
    """Return x and that from which it can be reached."""
    return _walked(x, (), lambda y: (*graph.parents(y), *graph.neighbours(y)))


def _walked(x: str, closed: Collection[str], following: Callable[[str], Iterable[str]]) -> set[str]:
    found, left = {x}, [x]
    while left:
        for y in following(left.pop()):
            if y not in closed and y not in found:
                found.add(y)
                left.append(y)
    return found
