"""Restarts of a search: begun one after the other from the best structure so far, and done here or elsewhere.

A restart begins from the best structure that is known when it is its turn. Where an `executor` does several at a time,
the following ones are begun on trust, as if those under way will find nothing better, which is what nearly all of
them do. Once one has found something better, those begun after it are thrown away and begun anew, with the random
numbers that they would have had. So what is found is the same as if each had waited for the one before.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from bnml._arrays import Bools
from bnml._checks import whole_number
from bnml._executor import Crew, Place
from bnml._watch import Watch
from bnml.graph import DAG
from bnml.search.moves import ADD, REMOVE, Move, Structure

if TYPE_CHECKING:
    from concurrent.futures import Executor


@dataclass(frozen=True)
class Restarted:
    """What a restart has come to.

    ``found``: the structures that it has met, each with its score, and whether it was verified that no change of one
    arc is an improvement: those that may be better than the best so far, in this order. ``moves``, ``families``: how
    many changes were made, and how many families were scored.
    """

    found: tuple[tuple[Bools, float, bool], ...]
    moves: int
    families: int = 0


@dataclass
class BestSoFar:
    """The best of the structures that restarts have come to, and what was done for it.

    ``structure``: what is worked on. ``rounds``: how many restarts there are to be. ``arcs``, ``score``, ``verified``:
    the best, and whether it was verified that no change of one arc improves it. ``moves``, ``done``: how many changes
    were made, and the number of the last restart.
    """

    structure: Structure
    rounds: int
    arcs: Bools
    score: float
    verified: bool = False
    moves: int = 0
    done: int = 0

    def take(self, k: int, restarted: Restarted) -> bool:
        """Take note of what the k-th restart has come to; return whether the best is another one now."""
        self.moves, self.done, before = self.moves + restarted.moves, k, self.score
        for arcs, score, verified in restarted.found:
            if score > self.score + self.structure.equal:
                self.arcs, self.score, self.verified = arcs, score, verified
        self.structure.problem.watch(f"score {self.score:,.1f}", (k + 1) / (self.rounds + 1))
        return self.score > before


class Restarting(Protocol):
    """How a search goes on from where a restart begins; it is sent to other processes."""

    def on(self, structure: Structure) -> Callable[[Any, Watch], Restarted]:
        """Return what goes on from a beginning, on a structure that it may change, until the watch says it is over."""


@dataclass(frozen=True)
class Restarts:
    """What all restarts of a search share: the structure that is worked on, what it started from, and how to go on."""

    structure: Structure
    start: DAG | None
    how: Restarting


@dataclass(frozen=True)
class _Sent:
    """What another process is sent of it: the problem, and where and how to go on."""

    problem: Any
    start: DAG | None
    how: Restarting
    threads: int | None


def run_restarts(
    restarts: Restarts,
    rounds: range,
    begin: Callable[[int], Any],
    take: Callable[[int, Restarted], bool],
    rng: np.random.Generator,
    executor: Executor | None,
) -> None:
    """Do restarts, until all are done or time is over.

    Parameters
    ----------
    restarts
        What they share.
    rounds
        Their numbers.
    begin
        Returns where a restart begins: from the best structure so far, by the random numbers.
    take
        Is told what each has come to, one after the other; returns whether the best structure is another one now.
    rng
        The random numbers, of which only ``begin`` takes some.
    executor
        Where they are done; None for here.
    """
    watch = restarts.structure.problem.watch
    if executor is None:
        go_on = restarts.how.on(restarts.structure)
        for k in rounds:
            if watch.over:
                return
            take(k, go_on(begin(k), watch))
        return
    problem = restarts.structure.problem
    sent = _Sent(problem, restarts.start, restarts.how, 1 if problem.threads is None else problem.threads)
    with Crew(executor, _restart, sent) as crew:
        first = rounds.start
        while first < rounds.stop and not watch.over:
            first = _until_better(crew, range(first, rounds.stop), begin, take, rng, restarts.structure)


def _until_better(
    crew: Crew,
    rounds: range,
    begin: Callable[[int], Any],
    take: Callable[[int, Restarted], bool],
    rng: np.random.Generator,
    structure: Structure,
) -> int:
    """Do restarts elsewhere until one has changed the best structure; return the number of the next."""
    watch = structure.problem.watch
    states: dict[int, Any] = {}

    def beginnings() -> Iterator[tuple[Any, float | None]]:
        for k in rounds:
            beginning = begin(k)
            states[k] = rng.bit_generator.state
            yield beginning, None if watch.limit is None else max(0.0, watch.limit - watch.seconds)

    going = crew.in_order(beginnings(), lambda: watch.over)
    try:
        for k, restarted in zip(rounds, going, strict=False):
            structure.families += restarted.families
            state = states.pop(k)
            if take(k, restarted):
                rng.bit_generator.state = state
                return k + 1
    finally:
        going.close()
    return rounds.stop


def _restart(sent: _Sent, key: tuple[Any, float | None], place: Place) -> Restarted:
    """Do a restart, wherever this is done."""
    beginning, seconds = key
    if "restart" not in place.kept:
        options = replace(sent.problem.options, threads=sent.threads)
        own = replace(sent.problem, local=copy.copy(sent.problem.local), watch=Watch(), options=options)
        place.kept["restart"] = own.watch, sent.how.on(Structure(own, sent.start))
    watch, go_on = place.kept.pop("restart")  # should this end in between, the next begins with a fresh one
    watch.begin_again(place.go_on, seconds)
    restarted: Restarted = go_on(beginning, watch)
    if not watch.over:  # else not all of the structure's gains are known
        place.kept["restart"] = watch, go_on
    return restarted


@dataclass(frozen=True)
class Beginning:
    """Where a restart begins: a structure, how many changes were made for it, and its share of the progress."""

    arcs: Bools
    changed: int
    start: float
    stop: float


def restarting_at(
    structure: Structure, search: Callable[[Beginning, Watch], tuple[int, bool]]
) -> Callable[[Beginning, Watch], Restarted]:
    """Return what restarts a search from a beginning; the search returns its moves, and whether a top was reached."""

    def go_on(at: Beginning, watch: Watch) -> Restarted:
        before = structure.families
        structure.reset(at.arcs)
        moves, found = search(at, watch)
        ended = (structure.arcs.copy(), structure.score, found)
        return Restarted((ended,), at.changed + moves, structure.families - before)

    return go_on


def run_shaken(
    restarts: Restarts, best: BestSoFar, size: int, rng: np.random.Generator, executor: Executor | None
) -> None:
    """Do restarts, each from the best structure so far with some arcs changed at random, and end with the best."""
    structure, rounds = best.structure, best.rounds

    def begin(k: int) -> Beginning:
        structure.reset(best.arcs)
        changed = shake_structure(structure, rng, size)
        return Beginning(structure.arcs.copy(), changed, k / (rounds + 1), (k + 1) / (rounds + 1))

    run_restarts(restarts, range(1, rounds + 1), begin, best.take, rng, executor)
    structure.reset(best.arcs)


def shake_structure(structure: Structure, rng: np.random.Generator, size: int) -> int:
    """Shake a structure for a restart: change some arcs at random, as far as the rules allow; return how many."""
    made = 0
    for _ in range(20 * size):
        if made == size or structure.n < 2:
            break
        parent, child = rng.choice(structure.n, 2, replace=False).tolist()
        move = _change(structure, parent, child)
        if move is not None:
            structure.apply(move)
            made += 1
    return made


def _change(structure: Structure, parent: int, child: int) -> Move | None:
    """Return the change of a pair that is possible: its arc removed, or one added."""
    if structure.arcs[parent, child]:
        kept = structure.fixed[parent, child] or structure.tied[parent, child]
        return None if kept or structure.down[parent, child] == -np.inf else Move(REMOVE, parent, child, 0.0)
    blocked = structure.arcs[child, parent] or structure.reach[child, parent] or not structure.may[parent, child]
    full = structure.arcs[:, child].sum() >= structure.most
    return None if blocked or full or structure.up[parent, child] == -np.inf else Move(ADD, parent, child, 0.0)


def perturbation_of(structure: Structure, perturbation: int | None) -> int:
    """Return how many arcs a restart changes: as asked, or a quarter of the number of variables, three at least."""
    return max(3, structure.n // 4) if perturbation is None else whole_number(perturbation, "perturbation")
