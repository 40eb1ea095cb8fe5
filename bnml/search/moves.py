"""A structure that is changed one arc at a time, with the gain of every change at hand.

For each pair of variables two numbers are kept: what the child's score gains if the arc is added, and if it is taken
away. A reversal is one of each. A change touches the families of one or two variables, so only these are scored again.
Which variables are ancestors of which is kept as a matrix, so that no search through the graph is needed to see
whether an arc would close a cycle.

Variables are numbered by their names, so that what is found does not depend on the order of columns; of changes with
equal gains the first by name is taken.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

import numpy as np

from bnml._arrays import Bools, Floats
from bnml._bits import mask_of
from bnml.errors import ArgumentError, SearchError, argument
from bnml.graph import DAG
from bnml.scores import LocalScores
from bnml.scores.base import score_tolerance
from bnml.search.best_tree import tree_gain
from bnml.search.problem import Problem

ADD, REMOVE, REVERSE = 0, 1, 2
CODES_AT_ONCE = 200_000_000  # rows × candidates that are counted between two looks at the clock; a fraction of a second
FEW = 32  # variables of which all arcs are looked at again for each move


class Move(NamedTuple):
    """A change of one arc, by numbers of variables in the order of names, and what the score gains."""

    kind: int
    parent: int
    child: int
    gain: float

    @property
    def arcs(self) -> tuple[tuple[int, int], ...]:
        """The arcs that appear or disappear."""
        there = (self.parent, self.child)
        return (there, there[::-1]) if self.kind == REVERSE else (there,)


class Structure:
    """A structure, its score, and the gain of every change of one arc.

    Parameters
    ----------
    problem
        The local scores and the rules.
    start
        Where to start; by default no arcs but those that are required.

    Attributes
    ----------
    rules
        What is allowed, in the order of names; ``may``, ``fixed`` and ``tied`` are the same as matrices: the arcs that
        may be there, those that must, and the links that must. What must be there is never removed.
    score
        The score.
    families
        How many families were scored.
    equal
        Scores that differ by less are equal.
    first_arcs, first_gains
        The arcs at the start, and what each further one gained then; None if a start is given, or time has no limit.
    """

    def __init__(self, problem: Problem, start: DAG | None = None) -> None:
        self.problem, self.local, self.threads = problem, problem.local, problem.threads
        self.rules = rules = problem.with_prior
        self.names, self.columns, self.n, self.most = rules.names, problem.columns, rules.n, rules.most
        self.may, self.fixed, self.tied = rules.may_matrix, rules.must_matrix, rules.link_matrix
        n = self.n
        self._at = np.array(self.columns, np.int64)
        self._states = np.array(rules.arities, np.float64)  # empty if the rows set no bound
        self.families = 0
        self.arcs = np.zeros((n, n), bool)
        self._scored = np.ones((n, n), bool)  # the structure that the gains are of; at first none
        self._known = np.zeros(n, bool)  # whose gains are known: all, unless time was over
        self.reach = np.eye(n, dtype=bool)
        # a variable's gains lie side by side
        self.up, self.down = np.full((n, n), -np.inf, order="F"), np.full((n, n), -np.inf, order="F")
        self._kept = (self.fixed | self.tied).ravel()  # by number of an arc: whether it is never taken away,
        self._stays = (self.fixed | ~self.may.T).ravel()  # and whether it is never turned round
        self.own = np.zeros(n)
        self._highest, self._parent = np.zeros(n), np.zeros(n, np.int64)  # the best arc into each variable
        self._stale = np.ones(n, bool)  # where these are to be found again
        self._numbers = np.empty(0, np.int64)  # the arcs: parent · n + child, ascending
        self.first_arcs = _first(self, start)
        self.reset(self.first_arcs)
        self.first_gains = self.up.copy() if start is None and problem.watch.limit is not None else None
        self.equal = score_tolerance(self.score)
        if not np.isfinite(self.score):
            name = self.names[int((~np.isfinite(self.own)).nonzero()[0][0])]
            why = "under the prior" if isinstance(self.local, LocalScores) else "by the local scores"
            raise SearchError(f"the parents that {name!r} has from the start are impossible {why}")

    # --- the structure ---

    def reset(self, arcs: Bools) -> None:
        """Start from a structure."""
        if self._numbers.size and np.array_equal(arcs, self.arcs):
            return
        self.arcs = arcs.copy()
        self.reach = _reachable(self.arcs)
        self._numbers = np.flatnonzero(self.arcs)
        changed = ((self._scored != self.arcs).any(axis=0)).nonzero()[0].tolist()
        if len(changed) > 1:  # scored together; the rest may have to wait for ever
            self.own[changed] = self.family_scores(changed, self.arcs)
        for child in changed:
            self._rescore(child, scored=len(changed) > 1)
        self._scored = self.arcs.copy()
        self._stale[:] = True

    def family_scores(self, children: Sequence[int], arcs: Bools) -> Floats:
        """Return the scores of some variables with their parents in a structure, counted together."""
        sets = [[self.columns[p] for p in arcs[:, child].nonzero()[0]] for child in children]
        return self.local.families([self.columns[child] for child in children], sets, self.threads)

    def _forget(self, child: int) -> None:
        """Let the gains of all changes of one variable's parents be unknown."""
        self.up[:, child] = self.down[:, child] = -np.inf
        self._stale[child], self._known[child] = True, False

    @property
    def complete(self) -> bool:
        """Whether the gains of all changes are known: not if time was over before they were."""
        return bool(self._known.all())

    @property
    def score(self) -> float:
        """The score of the structure."""
        return float(self.own.sum())

    @property
    def parent_sets(self) -> list[list[int]]:
        """The parents of each variable, by column."""
        return [self._parents(child) for child in np.argsort(self.columns).tolist()]

    def dag(self) -> DAG:
        """Return the structure with the names of its variables."""
        return DAG.from_parent_sets(self.local.names, self.parent_sets)

    def _parents(self, child: int) -> list[int]:
        return [self.columns[p] for p in self.arcs[:, child].nonzero()[0]]

    def _rescore(self, child: int, *, scored: bool = False) -> None:
        """Find the gains of all changes of one variable's parents; if time is over, only its score, unless known."""
        over = self.problem.watch.over
        if over and scored:
            self._forget(child)
            self.families += 1
            return
        here = self.arcs[:, child].nonzero()[0]
        column, parents = self.columns[child], [self.columns[p] for p in here.tolist()]
        smaller = [] if over else [parents[:k] + parents[k + 1 :] for k in range(len(parents))]
        values = self.local.families(column, [parents, *smaller], self.threads)
        self.own[child] = values[0]
        self._forget(child)
        self.families += len(values)
        if over:
            return
        self._known[child] = True
        self.down[here, child] = tree_gain(values[1:], float(values[0]))
        if len(parents) < self.most:
            new = (self.may[:, child] & ~self.arcs[:, child]).nonzero()[0]
            if self.rules.sparse:
                cells = self._states[here].prod() * self._states[child]
                new = new[cells * self._states[new] <= self.rules.most_cells(child)]
            at_once = max(1, CODES_AT_ONCE // max(1, self.problem.n_distinct))
            if self.problem.in_engine:
                at_once = max(1, new.size)  # all of them by one scan
            for start in range(0, new.size, at_once):
                if start and self.problem.watch.over:
                    self._known[child] = False
                    break
                some = new[start : start + at_once]
                more = self.local.additions(column, parents, self._at[some], self.threads)
                self.up[some, child] = tree_gain(more, float(values[0]))
                self.families += some.size

    # --- changes ---

    def best_move(self, barred: Collection[tuple[int, int]] = ()) -> Move | None:
        """Return the change that gains most, and closes no cycle; ``barred`` arcs do not change."""
        up = self._highest_up(barred)
        down, turn = self._gains_of_arcs(barred)
        while True:
            highest = [float(gains.max(initial=-np.inf)) for gains in (up, down, turn)]
            best = max(highest)
            if best == -np.inf:
                return None
            kind = next(k for k, value in enumerate(highest) if value >= best - self.equal)
            if kind == ADD:
                parent, child = self._first_up(up, best - self.equal, barred)
                return Move(ADD, parent, child, float(self.up[parent, child]))
            gains = (up, down, turn)[kind]
            at = int((gains >= best - self.equal).nonzero()[0][0])
            parent, child = divmod(int(self._numbers[at]), self.n)
            if kind == REVERSE and self._another_path(parent, child):
                turn[at] = -np.inf
                continue
            return Move(kind, parent, child, float(gains[at]))

    def _gains_of_arcs(self, barred: Collection[tuple[int, int]]) -> tuple[Floats, Floats]:
        """Return for each arc what is gained by taking it away, and by turning it round."""
        parents, children = np.divmod(self._numbers, self.n)
        down = self.down.T.ravel().take(children * self.n + parents)
        turn = down + self.up.T.ravel().take(self._numbers)
        kept, stays = self._kept.take(self._numbers), self._stays.take(self._numbers)
        if barred:
            place = {number: k for k, number in enumerate(self._numbers.tolist())}
            for a, b in barred:
                if (k := place.get(a * self.n + b)) is not None:
                    kept[k] = stays[k] = True
                if (k := place.get(b * self.n + a)) is not None:
                    stays[k] = True
        down[kept], turn[stays] = -np.inf, -np.inf
        return down, turn

    def _highest_up(self, barred: Collection[tuple[int, int]]) -> Floats:
        """Return for each variable what the best arc into it gains, or more, but not for those that gain most.

        Of few variables all arcs are looked at. Else: the more arcs there are, the fewer others are possible. So what
        was found earlier is high enough, and only for those that gain most it matters whether that arc is still
        possible.
        """
        parents, children = [parent for parent, _ in barred], [child for _, child in barred]
        if self.n <= FEW:
            every: Floats = np.where(self.reach, -np.inf, self.up.T)
            every[children, parents] = -np.inf
            return every.max(axis=1, out=np.empty(self.n))
        for child in self._stale.nonzero()[0].tolist():
            self._find_highest(child)
        highest, sure = self._highest, np.zeros(self.n, bool)
        if barred:
            some, places = np.unique(children, return_inverse=True)
            gains = np.where(self.reach[some], -np.inf, self.up.T[some])
            gains[places, parents] = -np.inf
            highest = highest.copy()
            highest[some], sure[some] = gains.max(axis=1), True
        while True:
            near = (highest >= highest.max(initial=-np.inf) - self.equal).nonzero()[0]
            closed = near[self.reach[near, self._parent[near]] & ~sure[near]]
            if not closed.size:
                return highest
            for child in closed.tolist():
                self._find_highest(child)
                highest[child], sure[child] = self._highest[child], True

    def _find_highest(self, child: int) -> None:
        """Find the best arc into a variable that is possible."""
        gains = self._possible(child, ())
        self._parent[child] = np.argmax(gains)
        self._highest[child] = gains[self._parent[child]]
        self._stale[child] = False

    def _possible(self, child: int, barred: Collection[tuple[int, int]]) -> Floats:
        """Return what each arc into a variable gains that closes no cycle."""
        gains: Floats = np.where(self.reach[child], -np.inf, self.up[:, child])
        if barred:
            gains[[a for a, b in barred if b == child]] = -np.inf
        return gains

    def _first_up(self, highest: Floats, least: float, barred: Collection[tuple[int, int]]) -> tuple[int, int]:
        """Return the first of the arcs that gain no less than this."""
        near = (highest >= least).nonzero()[0].tolist()
        return min((int((self._possible(child, barred) >= least).nonzero()[0][0]), child) for child in near)

    def _another_path(self, a: int, b: int) -> bool:
        """Whether a leads to b by more than the arc between them."""
        others = self.arcs[a].copy()
        others[b] = False
        return bool((others & self.reach[:, b]).any())

    def apply(self, move: Move) -> None:
        """Make a change, and find the gains of what can be changed next."""
        parent, child = move.parent, move.child
        if move.kind == ADD:
            self._set(parent, child, there=True)
            self._connect(parent, child)
        else:
            self._set(parent, child, there=False)
            self._disconnect(parent)
            if move.kind == REVERSE:
                self._set(child, parent, there=True)
                self._connect(child, parent)
                self._rescore(parent)
                self._scored[:, parent] = self.arcs[:, parent]
        self._rescore(child)
        self._scored[:, child] = self.arcs[:, child]

    def _set(self, parent: int, child: int, *, there: bool) -> None:
        """Let an arc be there or not."""
        self.arcs[parent, child] = there
        self._numbers = self.arcs.ravel().nonzero()[0]

    def _connect(self, parent: int, child: int) -> None:
        self.reach[self.reach[:, parent]] |= self.reach[child]

    def _disconnect(self, parent: int) -> None:
        """Find again what the ancestors of a variable lead to, those with fewer descendants first."""
        above = self.reach[:, parent].nonzero()[0]
        for a in above[np.argsort(self.reach[above].sum(axis=1), kind="stable")]:
            own = self.reach[self.arcs[a]].any(axis=0)
            own[a] = True
            self.reach[a] = own
        self._stale[above] = True  # what was closed may be possible again


def _reachable(arcs: Bools) -> Bools:
    """Return which variables lead to which, themselves among them."""
    reach = np.eye(len(arcs), dtype=bool)
    waiting = arcs.sum(axis=1)  # children whose own are not known yet
    ready = (waiting == 0).nonzero()[0].tolist()
    while ready:
        child = ready.pop()
        for parent in arcs[:, child].nonzero()[0].tolist():
            reach[parent] |= reach[child]
            waiting[parent] -= 1
            if waiting[parent] == 0:
                ready.append(parent)
    return reach


def _first(structure: Structure, start: DAG | None) -> Bools:
    """Return the structure to start from: one that is given, or no more than what is required."""
    n, at, known = structure.n, {name: k for k, name in enumerate(structure.names)}, structure.problem.constraints
    arcs = np.zeros((n, n), bool)
    if start is not None:
        if not isinstance(start, DAG) or set(start.names) != set(at):
            raise ArgumentError("expected a DAG over the variables of the data", argument="start")
        if known is not None and (wrong := known.violations(start)):
            raise ArgumentError(f"it does not meet the constraints: {wrong[0]}", argument="start")
        for parent, child in start.arcs:
            arcs[at[parent], at[child]] = True
    else:
        arcs |= structure.fixed
        required = arcs.any() or structure.tied.any()
        place = {i: k for k, i in enumerate(structure.rules.order())} if required else {}
        for a, b in zip(*np.nonzero(np.triu(structure.tied)), strict=True):
            arcs[(a, b) if place[a] < place[b] else (b, a)] = True
    if (over := (arcs.sum(axis=0) > structure.most).nonzero()[0]).size:
        name = structure.names[int(over[0])]
        raise SearchError(
            f"{name!r} has more parents from the start than " + argument("max_parents", structure.most) + " allows"
        )
    if structure.rules.sparse:
        for i in range(structure.n):
            if not structure.rules.fits(i, mask_of(arcs[:, i].nonzero()[0].tolist())):
                raise SearchError(
                    f"the family of {structure.names[i]!r} has more cells from the start than "
                    + argument("rows_per_cell")
                    + " allows",
                    hint="start from another structure, or lower it",
                )
    return arcs
