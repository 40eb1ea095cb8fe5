"""A structure that is changed one arc at a time, with the gain of every change at hand.

For each pair of variables two numbers are kept: what the child's score gains if the arc is added, and if it is taken
away. A reversal is one of each. A change touches the families of one or two variables, so only these are scored again.
Which variables are ancestors of which is kept as a matrix, so that no search through the graph is needed to see
whether an arc would close a cycle.

Variables are numbered by their names, so that what is found does not depend on the order of columns; of changes with
equal gains the first by name is taken.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from bnml.errors import ArgumentError, SearchError, argument
from bnml.graph import DAG
from bnml.scores import LocalScores
from bnml.scores.equal import tolerance
from bnml.search.task import Task

__all__ = ["ADD", "REMOVE", "REVERSE", "Move", "Structure"]

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]

ADD, REMOVE, REVERSE = 0, 1, 2


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
    task
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
    """

    def __init__(self, task: Task, start: DAG | None = None) -> None:
        self.task, self.local, self.threads = task, task.local, task.threads
        self.rules = rules = task.with_prior
        self.names, self.columns, self.n, self.most = rules.names, task.columns, rules.n, rules.most
        self.may, self.fixed, self.tied = rules.may_matrix, rules.must_matrix, rules.link_matrix
        n = self.n
        self.families = 0
        self.arcs = np.zeros((n, n), bool)
        self._scored = np.ones((n, n), bool)  # the structure that the gains are of; at first none
        self.reach = np.eye(n, dtype=bool)
        self.up, self.down = np.full((n, n), -np.inf), np.full((n, n), -np.inf)
        self.own = np.zeros(n)
        self.reset(_first(self, start))
        self.equal = tolerance(self.score)
        if not np.isfinite(self.score):
            name = self.names[int(np.flatnonzero(~np.isfinite(self.own))[0])]
            why = "under the prior" if isinstance(self.local, LocalScores) else "by the local scores"
            raise SearchError(f"the parents that {name!r} has from the start are impossible {why}")

    # --- the structure ---

    def reset(self, arcs: Bools) -> None:
        """Start from a structure."""
        self.arcs = arcs.copy()
        self.reach = _reachable(self.arcs)
        for child in np.flatnonzero((self._scored != self.arcs).any(axis=0)).tolist():
            self._rescore(child)
        self._scored = self.arcs.copy()

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
        return [self.columns[p] for p in np.flatnonzero(self.arcs[:, child])]

    def _rescore(self, child: int) -> None:
        """Find the gains of all changes of one variable's parents."""
        column, parents = self.columns[child], self._parents(child)
        here = np.flatnonzero(self.arcs[:, child])
        new = np.flatnonzero(self.may[:, child] & ~self.arcs[:, child])
        smaller = [[p for p in parents if p != self.columns[v]] for v in here]
        values = self.local.families(column, [parents, *smaller], self.threads)
        self.own[child] = values[0]
        self.up[:, child] = self.down[:, child] = -np.inf
        self.down[here, child] = values[1:] - values[0]
        if len(parents) < self.most and new.size:
            more = self.local.additions(column, parents, [self.columns[v] for v in new], self.threads)
            self.up[new, child] = more - values[0]
            self.families += new.size
        self.families += len(values)

    # --- changes ---

    def best_move(self, barred: Bools | None = None) -> Move | None:
        """Return the change that gains most, and closes no cycle; ``barred`` arcs do not change."""
        up = np.where(self.reach.T | self.arcs | self.arcs.T, -np.inf, self.up)
        down = np.where(self.fixed | self.tied, -np.inf, self.down)
        turn = np.where(self.arcs & self.may.T & ~self.fixed, self.down + self.up.T, -np.inf)
        if barred is not None:
            up[barred], down[barred] = -np.inf, -np.inf
            turn[barred | barred.T] = -np.inf
        while True:
            highest = [float(gains.max(initial=-np.inf)) for gains in (up, down, turn)]
            best = max(highest)
            if best == -np.inf:
                return None
            kind = next(k for k, value in enumerate(highest) if value >= best - self.equal)
            gains = (up, down, turn)[kind]
            parent, child = divmod(int(np.flatnonzero(gains.ravel() >= best - self.equal)[0]), self.n)
            if kind == REVERSE and self._another_path(parent, child):
                turn[parent, child] = -np.inf
                continue
            return Move(kind, parent, child, float(gains[parent, child]))

    def _another_path(self, a: int, b: int) -> bool:
        """Whether a leads to b by more than the arc between them."""
        others = self.arcs[a].copy()
        others[b] = False
        return bool((others & self.reach[:, b]).any())

    def apply(self, move: Move) -> None:
        """Make a change, and find the gains of what can be changed next."""
        parent, child = move.parent, move.child
        if move.kind == ADD:
            self.arcs[parent, child] = True
            self._connect(parent, child)
        else:
            self.arcs[parent, child] = False
            self._disconnect(parent)
            if move.kind == REVERSE:
                self.arcs[child, parent] = True
                self._connect(child, parent)
                self._rescore(parent)
        self._rescore(child)
        self._scored = self.arcs.copy()

    def _connect(self, parent: int, child: int) -> None:
        self.reach[self.reach[:, parent]] |= self.reach[child]

    def _disconnect(self, parent: int) -> None:
        """Find again what the ancestors of a variable lead to, those with fewer descendants first."""
        above = np.flatnonzero(self.reach[:, parent])
        for a in above[np.argsort(self.reach[above].sum(axis=1), kind="stable")]:
            own = self.reach[self.arcs[a]].any(axis=0)
            own[a] = True
            self.reach[a] = own


def _reachable(arcs: Bools) -> Bools:
    """Return which variables lead to which, themselves among them."""
    reach = arcs | np.eye(len(arcs), dtype=bool)
    while True:
        further = (reach.astype(np.float32) @ reach.astype(np.float32)) > 0
        if (further == reach).all():
            return reach
        reach = further


def _first(structure: Structure, start: DAG | None) -> Bools:
    """Return the structure to start from: one that is given, or no more than what is required."""
    n, at, known = structure.n, {name: k for k, name in enumerate(structure.names)}, structure.task.constraints
    arcs = np.zeros((n, n), bool)
    if start is not None:
        if not isinstance(start, DAG) or set(start.names) != set(at):
            raise ArgumentError(f"{argument('start')}: expected a DAG over the variables of the data")
        if known is not None and (wrong := known.violations(start)):
            raise ArgumentError(f"{argument('start')}: it does not meet the constraints: {wrong[0]}")
        for parent, child in start.arcs:
            arcs[at[parent], at[child]] = True
    else:
        place = {i: k for k, i in enumerate(structure.rules.order())}
        arcs |= structure.fixed
        for a, b in zip(*np.nonzero(np.triu(structure.tied)), strict=True):
            arcs[(a, b) if place[a] < place[b] else (b, a)] = True
    if (over := np.flatnonzero(arcs.sum(axis=0) > structure.most)).size:
        name = structure.names[int(over[0])]
        raise SearchError(
            f"{name!r} has more parents from the start than {argument('max_parents', structure.most)} allows"
        )
    return arcs
