"""Steps from one class of equivalent networks to another.

A class is its CPDAG. There, the *parents* of y have an arc to y, its *neighbours* an edge
without direction, and both, with its children, are *adjacent* to it. A step changes one arc in some member of the
class; where it leads to and what the score gains follow from the CPDAG alone. Below, s(y, P) is the local score of y
with the parents P. Each step has a set S of neighbours of y that must be a clique.

**Insert**(x, y, S), for x and y that are not adjacent: the arc x -> y comes in, in a member in which y has its parents
and S before it. It is possible if S holds all neighbours of y that are adjacent to x, and every semi-directed path from
y to x (along arcs forwards, along edges either way) meets S. The gain is s(y, parents ∪ S ∪ {x}) - s(y, parents ∪ S)
(Chickering 2002, theorem 15 and corollary 16; T there is S without those adjacent to x).

**Delete**(x, y, S), for x -> y or x - y: the edge goes. It is possible if all of S are adjacent to x. The gain is
s(y, parents ∪ S without x) - s(y, parents ∪ S ∪ {x})  (theorem 17 and corollary 18; H there are the neighbours of y
that are adjacent to x and not in S).

**Turn**(x, y, S), for y -> x or y - x: the arc y -> x becomes x -> y, in a member in which y has its parents and S
before it. With N the neighbours of y that are adjacent to x, this is possible

- for y -> x, if S holds N, and every semi-directed path from y to x but the arc meets S or a neighbour of x,
- for y - x, if S holds one that is not in N, and S ∩ N separates the others of S from the others of N among the
  neighbours of y.

The gain is that of the insert less s(x, P ∪ {y}) - s(x, P), where P, the other parents of x in that member, are its
parents in the CPDAG and S ∩ N  (Hauser & Bühlmann 2012, propositions 31 and 34).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from heapq import heapify, heappop, heappush
from typing import NamedTuple

from bnml._bits import bits, set_key, transposed
from bnml.graph import DAG, PDAG
from bnml.graph.extension import consistent_extension

INSERT, DELETE, TURN = "insert", "delete", "turn"


@dataclass(frozen=True)
class ClassGraph:
    """A CPDAG as bit masks of positions; the names are in ascending order."""

    names: tuple[str, ...]
    parents: tuple[int, ...]
    neighbours: tuple[int, ...]

    @classmethod
    def of(cls, dag: DAG) -> ClassGraph:
        """Return the class of a network."""
        cpdag = dag.reordered(sorted(dag.names)).cpdag()
        return cls(cpdag.names, cpdag.parent_masks, cpdag.neighbour_masks)

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

    def shared(self, x: int, y: int) -> int:
        """Return the neighbours of y that are adjacent to x."""
        return self.neighbours[y] & self.adjacent[x]

    def is_clique(self, members: int) -> bool:
        """Tell whether all members are adjacent to each other."""
        return all(not members & ~self.adjacent[i] & ~(1 << i) for i in bits(members))

    def reached(self, start: int, without: int) -> int:
        """Return a set and what semi-directed paths from it reach that do not meet another one."""
        seen, todo = start | without, start
        while todo:
            low = todo & -todo
            new = self.onward[low.bit_length() - 1] & ~seen
            seen |= new
            todo = (todo ^ low) | new
        return seen & ~without | start


class Step(NamedTuple):
    """An operator by positions in the order of the names, and what the score gains by it."""

    kind: str
    gain: float
    x: int
    y: int
    clique: int  # S

    @property
    def rank(self) -> tuple[object, ...]:
        """Which of several steps with equal gains comes first: by names."""
        pair = (min(self.x, self.y), max(self.x, self.y))
        return (*pair, self.y, self.clique.bit_count(), tuple(bits(self.clique)))


def step_taken(graph: ClassGraph, step: Step) -> ClassGraph:
    """Return the class that a step leads to."""
    parents, neighbours = list(graph.parents), list(graph.neighbours)
    {INSERT: _insert, DELETE: _delete, TURN: _turn}[step.kind](graph, step, parents, neighbours)
    after = PDAG.from_masks(graph.names, parents, neighbours).to_dag().cpdag()
    return ClassGraph(graph.names, after.parent_masks, after.neighbour_masks)


def _insert(graph: ClassGraph, step: Step, parents: list[int], neighbours: list[int]) -> None:
    parents[step.y] |= 1 << step.x
    for t in bits(step.clique & ~graph.adjacent[step.x]):
        _direct(parents, neighbours, t, step.y)


def _delete(graph: ClassGraph, step: Step, parents: list[int], neighbours: list[int]) -> None:
    x, y = step.x, step.y
    parents[y] &= ~(1 << x)
    neighbours[x] &= ~(1 << y)
    neighbours[y] &= ~(1 << x)
    for h in bits(graph.shared(x, y) & ~step.clique):
        _direct(parents, neighbours, y, h)
        if neighbours[x] >> h & 1:
            _direct(parents, neighbours, x, h)


def _turn(graph: ClassGraph, step: Step, parents: list[int], neighbours: list[int]) -> None:
    """Direct everything, as in the member in which the arc is turned."""
    x, y = step.x, step.y
    for first, last in ((step.clique, 1 << y), (1 << y, graph.neighbours[y]), (step.clique | 1 << y, 1 << x)):
        for a in bits(first):
            for b in bits(last & neighbours[a]):
                _direct(parents, neighbours, a, b)
    for b in bits(neighbours[x]):
        _direct(parents, neighbours, x, b)
    member = consistent_extension(parents, neighbours)
    assert member is not None
    member[x] &= ~(1 << y)
    member[y] |= 1 << x
    parents[:], neighbours[:] = member, [0] * len(member)


def _direct(parents: list[int], neighbours: list[int], a: int, b: int) -> None:
    """Turn a - b into a -> b."""
    neighbours[a] &= ~(1 << b)
    neighbours[b] &= ~(1 << a)
    parents[b] |= 1 << a


def turnable(graph: ClassGraph, x: int, y: int, clique: int) -> bool:
    """Tell whether x <- y or x - y can be turned with a clique S, which holds N if there is an arc."""
    shared = graph.shared(x, y)
    if graph.parents[x] >> y & 1:
        walls = clique | graph.neighbours[x] | 1 << y
        return not graph.reached(graph.onward[y] & ~walls & ~(1 << x), walls) >> x & 1
    own = clique & ~shared
    return bool(own) and not _connected(graph, own, graph.neighbours[y] & ~(shared & clique)) & shared


def _connected(graph: ClassGraph, start: int, within: int) -> int:
    """Return what a set is connected with by edges within another one."""
    seen = todo = start
    while todo:
        low = todo & -todo
        new = graph.neighbours[low.bit_length() - 1] & within & ~seen
        seen |= new
        todo = (todo ^ low) | new
    return seen


def cliques(graph: ClassGraph, within: int, seeds: Iterable[int], most: int) -> Iterator[int]:
    """Yield the cliques within a set that hold one of the seeds, smaller ones first, with ``most`` members at most.

    Such a clique is a seed, or a smaller one and one more member; so none is missed.
    """
    fit = {set_key(seed): seed for seed in seeds if seed.bit_count() <= most and graph.is_clique(seed)}
    waiting = [(seed.bit_count(), seed) for seed in fit.values()]
    found = set(fit)
    heapify(waiting)
    while waiting:
        size, clique = heappop(waiting)
        yield clique
        joined = within & ~clique if size < most else 0
        for i in bits(clique):
            joined &= graph.adjacent[i]
        for j in bits(joined):
            larger = clique | 1 << j
            if (key := set_key(larger)) not in found:
                found.add(key)
                heappush(waiting, (size + 1, larger))
