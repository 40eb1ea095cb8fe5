"""All steps to other classes of networks that are possible, with what the score gains by each, kept up to date.

What the steps are is explained in `bnml.search.ges.steps`. After one has been taken, only what it can have changed is
looked at again: a step at y depends on what is next to y and to its neighbours, and an insert also on the paths from y.
So there is one list of inserts for each y and S, with the variables that such a path reaches; none of these can be
inserted, and none is scored.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence

import numpy as np

from bnml._arrays import Floats
from bnml._bits import bits, mask_of, set_key
from bnml.graph import Rules
from bnml.scores.base import score_tolerance
from bnml.search.ges.steps import DELETE, INSERT, TURN, ClassGraph, Step, cliques, turnable
from bnml.search.problem import Problem

MOST_SETS = 1024  # sets S that are tried in one place: all of them, unless more than ten are adjacent to each other


class Gains:
    """What the score of a variable gains by one more parent; variables by their positions in the order of names.

    Parameters
    ----------
    problem
        The local scores.

    Attributes
    ----------
    families
        How many families were scored.
    equal
        Gains that differ by no more than this are equal.
    """

    def __init__(self, problem: Problem) -> None:
        self.names, self._columns = problem.by_name.names, problem.columns
        self._local, self._threads = problem.local, problem.threads
        self.families = len(self.names)
        self.equal = score_tolerance(math.fsum(self._local.families(range(len(self.names)), [()] * len(self.names))))

    def __call__(self, y: int, parents: int, added: int) -> Floats:
        """Return what y with some parents gains by each that is added; not a number where both scores are -inf."""
        child, above, more = self._columns[y], self._at(parents), self._at(added)
        self.families += len(more) + 1
        with np.errstate(invalid="ignore"):
            gains: Floats = self._local.additions(child, above, more, self._threads) - self._local.family(child, above)
        return gains

    def _at(self, mask: int) -> list[int]:
        return [self._columns[i] for i in bits(mask)]


class Operators(ABC):
    """All steps of one kind.

    Attributes
    ----------
    cut
        The variables around which there are more sets S than are tried.
    """

    def __init__(self, gains: Gains) -> None:
        self.gains = gains
        self.cut: set[int] = set()
        self._graph: ClassGraph | None = None

    @abstractmethod
    def update(self, graph: ClassGraph) -> Iterator[int]:
        """Find the steps from a class; yield the variable at work now and then, so that it can be given up."""

    @abstractmethod
    def steps(self, above: float) -> Iterator[Step]:
        """Yield the steps that gain more than this."""

    def highest(self) -> float:
        """Return the highest gain, if it is an improvement."""
        return max((step.gain for step in self.steps(self.gains.equal)), default=0.0)

    def best(self) -> Step | None:
        """Return the step that gains most, the first by names of several; None if none is an improvement."""
        equal, highest = self.gains.equal, self.highest()
        if highest <= equal:
            return None
        return min(self.steps(max(highest - equal, equal)), key=lambda step: step.rank)

    def _cliques(self, graph: ClassGraph, y: int, within: int, seeds: Sequence[int], most: int) -> Iterator[int]:
        for number, clique in enumerate(cliques(graph, within, seeds, most)):
            if number == MOST_SETS:
                self.cut.add(y)
                return
            yield clique


def _changes(before: ClassGraph | None, after: ClassGraph) -> tuple[int, int]:
    """Return the variables next to which something changed, and those from which paths now go elsewhere, as masks."""
    if before is None:
        return -1, -1
    old = zip(before.parents, before.neighbours, before.onward, strict=True)
    new = zip(after.parents, after.neighbours, after.onward, strict=True)
    changed = moved = 0
    for i, (a, b) in enumerate(zip(old, new, strict=True)):
        if a != b:
            changed |= 1 << i
            if a[2] != b[2]:
                moved |= 1 << i
    return changed, moved


class _Into:
    """The inserts into one variable with one set S: what may be inserted, what is not reached, what is known of it."""

    def __init__(self, clique: int, base: int, allowed: int, gains: Floats) -> None:
        self.clique, self.base, self.allowed, self.gains = clique, base, allowed, gains
        self.reached = self.valid = 0
        self.best = -math.inf


class Inserts(Operators):
    """All inserts.

    Parameters
    ----------
    gains
        What the score gains by one more parent.
    rules
        Who may be adjacent to whom, the most parents of a variable, and the most cells of a family. An insert gives one
        more parent to y in some member of the class, and to no other; as all members have the same largest numbers of
        parents and of cells, it is enough to look at y there.
    """

    def __init__(self, gains: Gains, rules: Rules) -> None:
        super().__init__(gains)
        self._partners, self._rules = rules.may, rules
        self._into: list[list[_Into]] = [[] for _ in gains.names]

    def update(self, graph: ClassGraph) -> Iterator[int]:
        """Find the sets S where something changed, and the gains of what is not reached any more."""
        changed, moved = _changes(self._graph, graph)
        for y, around in enumerate(graph.neighbours):
            stale = changed & (around | 1 << y)
            if stale:
                self._renew(graph, y)
            for into in self._into[y]:
                if stale or into.reached & moved:
                    self._score(graph, y, into)
                    yield y
        self._graph = graph

    def _renew(self, graph: ClassGraph, y: int) -> None:
        """Find the sets S, and what can be inserted with each of them."""
        sharing: dict[int | bytes, tuple[int, int]] = {}  # neighbours of y, and what is adjacent to these, not to y
        for x in bits(self._partners[y] & ~graph.adjacent[y]):
            shared = graph.shared(x, y)
            key = set_key(shared)
            sharing[key] = shared, sharing.get(key, (shared, 0))[1] | 1 << x
        known = {set_key(into.base): into.gains for into in self._into[y]}
        self._into[y] = []
        self.cut.discard(y)
        most = self._rules.most - 1 - graph.parents[y].bit_count()
        seeds = [shared for shared, _ in sharing.values()]
        for clique in self._cliques(graph, y, graph.neighbours[y], seeds, most):
            allowed = mask_of(x for shared, those in sharing.values() if not shared & ~clique for x in bits(those))
            base = clique | graph.parents[y]
            if self._rules.sparse:
                allowed = mask_of(x for x in bits(allowed) if self._rules.fits(y, base | 1 << x))
            gains = known.get(set_key(base))
            gains = np.full(len(graph.names), np.nan) if gains is None else gains
            self._into[y].append(_Into(clique, base, allowed, gains))

    def _score(self, graph: ClassGraph, y: int, into: _Into) -> None:
        """Find what no path reaches, and its gains as far as they are not known."""
        into.reached = graph.reached(1 << y, into.clique)
        into.valid = into.allowed & ~into.reached
        valid = list(bits(into.valid))
        new = [x for x in valid if np.isnan(into.gains[x])]
        if new:
            gains = self.gains(y, into.base, mask_of(new))
            into.gains[new] = np.where(np.isnan(gains), -np.inf, gains)
        into.best = float(into.gains[valid].max(initial=-np.inf))

    def steps(self, above: float) -> Iterator[Step]:
        """Yield the inserts that gain more than this."""
        for y, sets in enumerate(self._into):
            for into in sets:
                if into.best > above:
                    for x in bits(into.valid):
                        if into.gains[x] > above:
                            yield Step(INSERT, float(into.gains[x]), x, y, into.clique)

    def highest(self) -> float:
        """Return the highest gain."""
        return max((into.best for sets in self._into for into in sets), default=0.0)


class Deletes(Operators):
    """All deletes."""

    def __init__(self, gains: Gains) -> None:
        super().__init__(gains)
        self._from: list[list[Step]] = [[] for _ in gains.names]

    def update(self, graph: ClassGraph) -> Iterator[int]:
        """Find the deletes where something changed."""
        changed, _ = _changes(self._graph, graph)
        for y, near in enumerate(graph.adjacent):
            if changed & (near | 1 << y):
                self._renew(graph, y)
                yield y
        self._graph = graph

    def _renew(self, graph: ClassGraph, y: int) -> None:
        found: dict[int | bytes, tuple[int, list[tuple[int, int]]]] = {}  # the parents that y keeps, with x and S
        self.cut.discard(y)
        for x in bits(graph.parents[y] | graph.neighbours[y]):
            for clique in self._cliques(graph, y, graph.shared(x, y), (0,), len(graph.names)):
                base = clique | graph.parents[y] & ~(1 << x)
                found.setdefault(set_key(base), (base, []))[1].append((x, clique))
        self._from[y] = []
        for base, pairs in found.values():
            gains = self.gains(y, base, mask_of(x for x, _ in pairs)).tolist()
            places = {x: k for k, x in enumerate(sorted({x for x, _ in pairs}))}
            self._from[y] += [Step(DELETE, -gains[places[x]], x, y, clique) for x, clique in pairs]

    def steps(self, above: float) -> Iterator[Step]:
        """Yield the deletes that gain more than this."""
        return (step for steps in self._from for step in steps if step.gain > above)


class Turns(Operators):
    """All turns that are improvements."""

    def __init__(self, gains: Gains, rules: Rules) -> None:
        super().__init__(gains)
        self._rules = rules
        self._known: dict[tuple[int, int | bytes, int], float] = {}
        self._found: list[Step] = []

    def update(self, graph: ClassGraph) -> Iterator[int]:
        """Find all turns anew, from the gains that are known: there are few turns, and fewer are taken."""
        if graph == self._graph:
            return
        self._found = []
        self.cut.clear()
        for y in range(len(graph.names)):
            for x in bits(graph.onward[y]):
                self._found += self._turns(graph, x, y)
            yield y
        self._graph = graph

    def _turns(self, graph: ClassGraph, x: int, y: int) -> Iterator[Step]:
        shared, around = graph.shared(x, y), graph.neighbours[y] & ~(1 << x)
        seed = shared if graph.parents[x] >> y & 1 else 0
        most = self._rules.most - 1 - graph.parents[y].bit_count()
        for clique in self._cliques(graph, y, around, (seed,), most):
            if not self._rules.fits(y, graph.parents[y] | clique | 1 << x):
                continue
            others = graph.parents[x] & ~(1 << y) | clique & shared
            gain = self._gain(y, graph.parents[y] | clique, x) - self._gain(x, others, y)
            if gain > self.gains.equal and turnable(graph, x, y, clique):
                yield Step(TURN, gain, x, y, clique)

    def _gain(self, y: int, parents: int, x: int) -> float:
        key = (y, set_key(parents), x)
        if key not in self._known:
            self._known[key] = float(self.gains(y, parents, 1 << x)[0])
        return self._known[key]

    def steps(self, above: float) -> Iterator[Step]:
        """Yield the turns that gain more than this."""
        return (step for step in self._found if step.gain > above)
