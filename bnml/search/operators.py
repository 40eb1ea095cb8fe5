"""Steps from one class of equivalent networks to another, after Chickering (2002).

A class is its CPDAG (see `bnml.graph.cpdag`). Of a variable y, the *parents* have an arc to y, the *neighbours* an edge
without direction, and both with the children are *adjacent* to it. Each step stands for many: it changes one arc in some
member of the class, and what it leads to, and what the score gains, follow from the CPDAG alone.

Insert(x, y, T), for x and y that are not adjacent. T are neighbours of y that are not adjacent to x. The arc x -> y comes in,
and the edges between T and y become arcs to y. With S = T and the neighbours of y that are adjacent to x, this is possible if
S is a clique and every semi-directed path from y to x (one that follows arcs forwards and edges either way) meets S. The
score gains s(y, S ∪ parents ∪ {x}) - s(y, S ∪ parents)  (theorem 15 and corollary 16).

Delete(x, y, H), for x -> y or x - y. H are neighbours of y that are adjacent to x, and K the others of these. The edge goes, and
what joins H to x or y without direction becomes an arc to H. It is possible if K is a clique, and the score gains
s(y, K ∪ parents \\ {x}) - s(y, K ∪ parents ∪ {x})  (theorem 17 and corollary 18).

All steps are kept with their gains. After one has been taken, only those are looked at again that it can have changed: an
insert into y depends on what is next to y and its neighbours, and on the paths from y. So there is one list of inserts for each
y and S, with the variables that such a path reaches; of these none can be inserted, and none is scored.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from heapq import heapify, heappop, heappush
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from bnml.graph import PDAG
from bnml.graph._bits import bits, transposed
from bnml.scores import LocalScores

__all__ = ["DELETE", "INSERT", "Deletes", "Gains", "Graph", "Inserts", "Step", "taken"]

Floats = npt.NDArray[np.float64]

INSERT, DELETE = "insert", "delete"
MOST_SETS = 1024  # sets S of one y, or K of one x and y, that are looked at: all, unless eleven are neighbours of each other


@dataclass(frozen=True)
class Graph:
    """A CPDAG as bit masks of positions, in the order of the names."""

    names: tuple[str, ...]
    parents: tuple[int, ...]
    neighbours: tuple[int, ...]

    @classmethod
    def of(cls, pdag: PDAG) -> Graph:
        """Return a CPDAG with its names in order."""
        ordered = pdag.reordered(sorted(pdag.names))
        return cls(ordered.names, ordered.parent_masks, ordered.neighbour_masks)

    @property
    def pdag(self) -> PDAG:
        """The graph with names."""
        return PDAG.from_masks(self.names, self.parents, self.neighbours)

    @cached_property
    def onward(self) -> tuple[int, ...]:
        """Where a semi-directed path can go from each variable: to its children and neighbours."""
        children = transposed(self.parents)
        return tuple(c | u for c, u in zip(children, self.neighbours, strict=True))

    @cached_property
    def adjacent(self) -> tuple[int, ...]:
        """What each variable has an edge to."""
        return tuple(p | o for p, o in zip(self.parents, self.onward, strict=True))

    def is_clique(self, members: int) -> bool:
        """Tell whether all members are adjacent to each other."""
        return all(not members & ~self.adjacent[i] & ~(1 << i) for i in bits(members))

    def reached(self, y: int, without: int) -> int:
        """Return y and what semi-directed paths from y reach that do not meet some variables."""
        seen, todo = without | 1 << y, 1 << y
        while todo:
            low = todo & -todo
            new = self.onward[low.bit_length() - 1] & ~seen
            seen |= new
            todo = (todo ^ low) | new
        return seen & ~without


class Step(NamedTuple):
    """An operator, by positions in the order of the names, and what the score gains by it."""

    kind: str
    gain: float
    x: int
    y: int
    clique: int
    """S of an insert, K of a delete."""

    @property
    def rank(self) -> tuple[object, ...]:
        """Which of several steps with equal gains is first."""
        pair = (min(self.x, self.y), max(self.x, self.y))
        return (*pair, self.y, self.clique.bit_count(), tuple(bits(self.clique)))


def taken(graph: Graph, step: Step) -> Graph:
    """Return the class that a step leads to."""
    parents, neighbours = list(graph.parents), list(graph.neighbours)
    x, y = step.x, step.y
    if step.kind == INSERT:
        parents[y] |= 1 << x
        for t in bits(step.clique & ~graph.adjacent[x]):
            _direct(parents, neighbours, t, y)
    else:
        parents[y] &= ~(1 << x)
        neighbours[x] &= ~(1 << y)
        neighbours[y] &= ~(1 << x)
        for h in bits(graph.neighbours[y] & graph.adjacent[x] & ~step.clique):
            _direct(parents, neighbours, y, h)
            if neighbours[x] >> h & 1:
                _direct(parents, neighbours, x, h)
    after = PDAG.from_masks(graph.names, parents, neighbours).to_dag().cpdag()
    return Graph(graph.names, after.parent_masks, after.neighbour_masks)


def _direct(parents: list[int], neighbours: list[int], a: int, b: int) -> None:
    """Turn a - b into a -> b."""
    neighbours[a] &= ~(1 << b)
    neighbours[b] &= ~(1 << a)
    parents[b] |= 1 << a


def cliques(graph: Graph, within: int, seeds: Iterable[int], most: int) -> Iterator[int]:
    """Yield the cliques within a set that hold one of the seeds, those with fewer members first; ``most`` members.

    Every clique with a seed in it is a smaller one with that seed and one more member, so none is missed.
    """
    found = {seed for seed in seeds if seed.bit_count() <= most and graph.is_clique(seed)}
    waiting = [(seed.bit_count(), seed) for seed in found]
    heapify(waiting)
    while waiting:
        size, clique = heappop(waiting)
        yield clique
        joined = within & ~clique if size < most else 0
        for i in bits(clique):
            joined &= graph.adjacent[i]
        for j in bits(joined):
            larger = clique | 1 << j
            if larger not in found:
                found.add(larger)
                heappush(waiting, (size + 1, larger))


class Gains:
    """What the score of a variable gains by one more parent, by positions in the order of the names.

    Parameters
    ----------
    local
        The local scores.
    threads
        How many threads may count.

    Attributes
    ----------
    families
        How many families were scored.
    equal
        Gains that differ by no more than this are equal: it is what rounding can do.
    """

    def __init__(self, local: LocalScores, threads: int | None = None) -> None:
        names = local.data.names
        at = {name: column for column, name in enumerate(names)}
        self.names = tuple(sorted(names))
        self.columns = [at[name] for name in self.names]
        self.local, self.threads = local, threads
        self.families = 0
        n_rows = local.data.n_rows
        self.equal = max(1e-9, 1e-14 * n_rows * np.log(max(n_rows, 1)))

    def __call__(self, y: int, parents: int, added: int) -> Floats:
        """Return what y gains by each of the added parents, which it has besides those that are given."""
        above, more = self._columns(parents), self._columns(added)
        child = self.columns[y]
        self.families += len(more) + 1
        with np.errstate(invalid="ignore"):
            gains: Floats = self.local.additions(child, above, more, self.threads) - self.local.family(child, above)
        return gains

    def _columns(self, mask: int) -> list[int]:
        return [self.columns[i] for i in bits(mask)]


# --- what can be inserted ---


class _Into:
    """The inserts into one variable with one set S."""

    def __init__(self, clique: int, base: int, allowed: int, gains: Floats) -> None:
        self.clique, self.base, self.allowed, self.gains = clique, base, allowed, gains
        self.reached = self.valid = 0
        self.best = -np.inf


class Inserts:
    """All inserts that are possible, with their gains.

    Parameters
    ----------
    gains
        What the score gains by one more parent.
    partners
        For each variable those that it may be adjacent to.
    max_parents
        The most parents of a variable: those of y in the network that an insert stands for, the only ones that it makes
        more. All members of a class have the same largest number of parents.
    """

    def __init__(self, gains: Gains, partners: Sequence[int], max_parents: int | None = None) -> None:
        n = len(gains.names)
        self.gains, self.partners = gains, partners
        self.most = n if max_parents is None else max_parents
        self.cut: set[int] = set()
        self._into: list[list[_Into]] = [[] for _ in range(n)]
        self._graph: Graph | None = None

    def update(self, graph: Graph) -> Iterator[int]:
        """Bring everything up to date with a graph; yield each variable when that is done for it."""
        changed, moved = _changes(self._graph, graph)
        stale = changed | {y for y in range(len(graph.names)) if any(z in changed for z in bits(graph.neighbours[y]))}
        for y in range(len(graph.names)):
            if y in stale:
                self._renew(graph, y)
            for into in self._into[y]:
                if y in stale or into.reached & moved:
                    self._score(graph, y, into)
                    yield y
        self._graph = graph

    def _renew(self, graph: Graph, y: int) -> None:
        """Find the sets S of a variable, and which others can be inserted with each."""
        around, above = graph.neighbours[y], graph.parents[y]
        with_shared: dict[int, int] = {}  # those that are not adjacent, by the neighbours of y that they are adjacent to
        for x in bits(self.partners[y] & ~graph.adjacent[y] & ~(1 << y)):
            shared = around & graph.adjacent[x]
            with_shared[shared] = with_shared.get(shared, 0) | 1 << x
        known = {into.base: into.gains for into in self._into[y]}
        self._into[y] = []
        self.cut.discard(y)
        for clique in cliques(graph, around, with_shared, self.most - 1 - above.bit_count()):
            if len(self._into[y]) == MOST_SETS:
                self.cut.add(y)
                break
            allowed = 0
            for shared, others in with_shared.items():
                if not shared & ~clique:
                    allowed |= others
            base = clique | above
            gains = known.get(base)
            self._into[y].append(
                _Into(clique, base, allowed, np.full(len(graph.names), np.nan) if gains is None else gains)
            )

    def _score(self, graph: Graph, y: int, into: _Into) -> None:
        """Find what no path rules out any more, and its gains."""
        into.reached = graph.reached(y, into.clique)
        into.valid = into.allowed & ~into.reached
        places = list(bits(into.valid))
        new = [x for x in places if np.isnan(into.gains[x])]
        if new:
            gains = self.gains(y, into.base, sum(1 << x for x in new))
            into.gains[new] = np.where(np.isnan(gains), -np.inf, gains)
        into.best = float(into.gains[places].max(initial=-np.inf))

    def steps(self, above: float) -> Iterator[Step]:
        """Yield the inserts that gain more than this."""
        for y, lists in enumerate(self._into):
            for into in lists:
                if into.best > above:
                    for x in bits(into.valid):
                        if into.gains[x] > above:
                            yield Step(INSERT, float(into.gains[x]), x, y, into.clique)

    @property
    def highest(self) -> float:
        """The highest gain of all."""
        return max((into.best for lists in self._into for into in lists), default=-np.inf)


def _changes(before: Graph | None, after: Graph) -> tuple[set[int], int]:
    """Return the variables next to which something changed, and a mask of those from which paths now go elsewhere."""
    n = len(after.names)
    if before is None:
        return set(range(n)), -1
    old = list(zip(before.parents, before.neighbours, before.onward, strict=True))
    new = list(zip(after.parents, after.neighbours, after.onward, strict=True))
    changed = {i for i in range(n) if old[i] != new[i]}
    return changed, sum(1 << i for i in changed if old[i][2] != new[i][2])


# --- what can be deleted ---


class Deletes:
    """All deletes that are possible, with their gains.

    Parameters
    ----------
    gains
        What the score gains by one more parent.
    """

    def __init__(self, gains: Gains) -> None:
        self.gains = gains
        self.cut: set[int] = set()
        self._from: list[list[Step]] = [[] for _ in gains.names]
        self._graph: Graph | None = None

    def update(self, graph: Graph) -> Iterator[int]:
        """Bring everything up to date with a graph; yield each variable when that is done for it."""
        changed, _ = _changes(self._graph, graph)
        for y in range(len(graph.names)):
            if y in changed or any(z in changed for z in bits(graph.adjacent[y])):
                self._renew(graph, y)
            yield y
        self._graph = graph

    def _renew(self, graph: Graph, y: int) -> None:
        found: dict[int, list[tuple[int, int]]] = {}  # x and K, by the other parents of y
        self.cut.discard(y)
        for x in bits(graph.parents[y] | graph.neighbours[y]):
            shared = graph.neighbours[y] & graph.adjacent[x]
            for number, clique in enumerate(cliques(graph, shared, [0], len(graph.names))):
                if number == MOST_SETS:
                    self.cut.add(y)
                    break
                found.setdefault(clique | graph.parents[y] & ~(1 << x), []).append((x, clique))
        self._from[y] = []
        for base, pairs in found.items():
            gains = dict(zip(*self._scored(y, base, pairs), strict=True))
            self._from[y] += [Step(DELETE, -gains[x], x, y, clique) for x, clique in pairs if gains[x] < np.inf]

    def _scored(self, y: int, base: int, pairs: Sequence[tuple[int, int]]) -> tuple[list[int], list[float]]:
        places = sorted({x for x, _ in pairs})
        return places, self.gains(y, base, sum(1 << x for x in places)).tolist()

    def steps(self, above: float) -> Iterator[Step]:
        """Yield the deletes that gain more than this."""
        return (step for steps in self._from for step in steps if step.gain > above)

    @property
    def highest(self) -> float:
        """The highest gain of all."""
        return max((step.gain for steps in self._from for step in steps), default=-np.inf)
