"""The DAGs that a PDAG stands for, part by part.

Once Meek's rules have drawn every conclusion, the undirected edges fall into connected *parts*,
and what is left of one part does not depend on how another is oriented: all members of a part have the same parents
outside of it, so that neither a cycle nor a new v-structure can run through two parts (Andersson, Madigan and Perlman
1997 for CPDAGs, Perković 2020 with background knowledge). The DAGs of a PDAG are the product of the orientations of its
parts.

A part is connected, and an orientation of it has no v-structure, so exactly one of its nodes is the *source*: no arc
from within the part leads into it. Choose the source, let its edges leave it, apply the rules, and smaller parts are
left (He, Jia and Yu 2015). Sums and minima over all orientations are so found without listing them, since the same
small parts are met again and again.

After the rules every edge that is still undirected occurs in both directions (Meek 1995). So a list of the DAGs, an
edge at a time, never runs into a dead end, and the first of millions comes at once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bnml._bits import bits, closure, set_key
from bnml.errors import GraphError
from bnml.graph.equivalence import Orienter, apply_meek_rules
from bnml.graph.extension import consistent_extension
from bnml.graph.pdag import PDAG

MOST_STEPS = 500_000  # edges oriented to go through all sources, some seconds: a clique of 13, a tree of 700


class UndoableOrienter(Orienter):
    """A partially directed graph whose orientations can be taken back; ``done`` lists them."""

    def __init__(self, names: Sequence[str], parents: Sequence[int], neighbours: Sequence[int]) -> None:
        super().__init__(names, parents, neighbours, strict=True)
        self.done: list[tuple[int, int]] = []
        self.steps = 0

    def orient(self, a: int, b: int) -> None:
        """Turn a - b into a -> b."""
        super().orient(a, b)
        self.done.append((a, b))
        self.steps += 1

    def decide(self, a: int, b: int) -> None:
        """Turn a - b into a -> b, and draw the consequences."""
        self.orient(a, b)
        self.close()

    def undo(self, kept: int) -> None:
        """Take all orientations back but the first ones."""
        while len(self.done) > kept:
            a, b = self.done.pop()
            self.children[a] ^= 1 << b
            self.parents[b] ^= 1 << a
            self.neighbours[a] |= 1 << b
            self.neighbours[b] |= 1 << a


def begun_orientation(pdag: PDAG) -> UndoableOrienter | None:
    """Return the graph with every direction that follows, or None if no DAG fits it."""
    if consistent_extension(pdag.parent_masks, pdag.neighbour_masks) is None:
        return None
    work = UndoableOrienter(pdag.names, pdag.parent_masks, pdag.neighbour_masks)
    work.close()
    return work


def undirected_parts(work: Orienter, among: int) -> list[int]:
    """Return the parts to orient one by one: sets of nodes that undirected edges connect; none leaves ``among``."""
    parts = []
    for i in bits(among):
        if among >> i & 1 and work.neighbours[i]:
            part = closure(work.neighbours, 1 << i)
            among &= ~part
            parts.append(part)
    return parts


def part_key(work: Orienter, part: int, around: bool) -> tuple[int | bytes, ...]:
    """Return what stands for a part's orientations in a dict: its nodes and their parents, those ``around`` it, too."""
    parents = (work.parents[i] if around else work.parents[i] & part for i in bits(part))
    return (set_key(part), *map(set_key, parents))


def orientations_by_source(work: UndoableOrienter, part: int, depth: int) -> Iterator[tuple[int, list[int]]]:
    """Orient a part from each of its possible sources in turn; all is as it was in the end.

    Yields
    ------
    int
        The nodes of the part whose parents are known now, the source among them.
    list of int
        The parts that are left.

    Raises
    ------
    GraphError
        If it takes more than `MOST_STEPS`.
    """
    for source in bits(part):
        if work.parents[source] & part:
            continue
        if work.steps > MOST_STEPS or depth > 100:  # with more sources one after another there are too many parts
            raise GraphError(
                f"{part.bit_count()} variables, {work.names[source]} among them, are joined by undirected edges in too"
                " many ways to go through; orient some of these edges, or take single DAGs from PDAG.members()"
            )
        kept = len(work.done)
        for j in bits(work.neighbours[source]):
            if work.neighbours[source] >> j & 1:
                work.decide(source, j)
        if not work.parents[source] & part:  # background knowledge can rule a source out at last
            left = undirected_parts(work, part)
            yield part & ~sum(left), left
        work.undo(kept)


def orientations(work: UndoableOrienter) -> Iterator[list[int]]:
    """Yield the parents of every DAG that the graph stands for.

    Of the first undirected edge, in the order of names, the direction towards the later name comes first; then of the
    next edge that is still undirected, and so on.
    """
    choices: list[tuple[int, int, int]] = []
    start, end = 0, len(work.parents)
    while True:
        for i in range(start, end):
            while work.neighbours[i]:
                j = next(bits(work.neighbours[i]))
                choices.append((len(work.done), i, j))
                work.decide(i, j)
        yield list(work.parents)
        if not choices:
            return
        kept, start, j = choices.pop()
        work.undo(kept)
        work.decide(j, start)


def directed_in_all_ways(graph: PDAG, links: Sequence[tuple[str, str]], most: int) -> list[PDAG] | None:
    """Return the graph with some of its links directed, in every way that a DAG of it has; None if these are too many.

    Parameters
    ----------
    graph
        A graph that has a DAG, in which Meek's rules have drawn every conclusion: a link that they leave occurs in both
        directions (Meek 1995), so that no way is a dead end.
    links
        The links, each as a pair; those that have a direction already keep it.
    most
        How many ways there may be.

    Raises
    ------
    GraphError
        If the directions of the graph contradict each other.

    Examples
    --------
    >>> from bnml.graph import PDAG
    >>> chain = PDAG(["A", "B", "C"], [], [("A", "B"), ("B", "C")])
    >>> [str(one) for one in directed_in_all_ways(chain, [("A", "B")], most=2)]
    ['A -> B, B -> C', 'B -> A, B - C']
    >>> print(directed_in_all_ways(chain, [("A", "B")], most=1))
    None
    """
    ways = [graph]
    for a, b in links:
        ways = [
            later
            for one in ways
            for later in (
                [apply_meek_rules(one, background=[arc]) for arc in ((a, b), (b, a))]
                if b in one.neighbours(a)
                else [one]
            )
        ]
        if len(ways) > most:
            break
    return ways if len(ways) <= most else None
