"""Dynamic programming over the subsets of the variables (Silander & Myllymäki 2006).

Every acyclic graph has a sink, a variable without children. So the best network on a set S of variables is the best
one on S without some sink, plus the best parents of that sink among the rest:

    best_i(C) = max over P ⊆ C of the score of i with the parents P                        *best parents*
    R(S)      = max over i in S of R(S without i) + best_i(S without i)                     *best sinks*

Best parents come from the scores of all parent sets in place: for each bit, the larger of with and without it. Which
parents it were is not stored; at the end they are looked up for the n families that are wanted.

**Blocks.** The best parents of all variables at once would take n · 2^(n-1) numbers. So the variables are split into
low and high ones, and the sets into blocks that have the same high variables H, which are visited in increasing order.
For a block the best parents over the low variables are made afresh, as the maximum over all subsets of H; sinks in H
look into the finished block of H without them. Only R is kept for all 2^n sets.

**Several best networks.** Different classes of networks can share the highest score: two columns that are copies of
each other, three of which each is decided by the other two. Exact search returns one of the best, and a report that
calls an arc of it directed by the data says too much if another best network turns the arc round, or does without.

All best networks are there in the sums of exact search. An order of the variables is optimal if each variable i comes
after a set S with R(S) + best_i(S) = R(S ∪ {i}), from the empty set to all of them; in some best network i has the
parents P if its score with P is best_i(S) for such a set S ⊇ P. So

- some best network has j → i if i can have parents P with j among them,
- some best network does not link i and j if one of them, say i, can have parents P without j, after a set S with j.

For each P the least best_i(S) over the supersets S is enough, and that is a minimum over supersets in place.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import numpy.typing as npt

from bnml._arrays import Numbers
from bnml._bits import squeeze
from bnml._machine import run_all
from bnml._watch import Tell
from bnml.counts.lattice import WalkOrder
from bnml.graph import PDAG
from bnml.scores import LocalScores
from bnml.scores.base import LEAST
from bnml.scores.lattice import has_lattice, lattice_of

if TYPE_CHECKING:
    from bnml.search.problem import Problem
    from bnml.search.search_result import SearchResult

STRIDE = 5  # bits that are raised together further up


class Families(Protocol):
    """Scores of the families of some variables, as gains: see `bnml.scores.lattice.Lattice`."""

    n: int
    dtype: np.dtype[Any]
    never: Numbers

    @property
    def links(self) -> Sequence[int]:
        """For each variable the others that must be its parents or its children."""

    def fill(self, i: int, n_low: int, top: int, start: int, gains: Numbers) -> None:
        """Raise ``gains`` to those of families."""

    def equals(self, i: int, candidates: int, slack: float) -> tuple[float, list[int]]:
        """Return the best gain among candidates, and the parents that reach it."""


class Subsets:
    """The score of the best network on every subset of the variables.

    Parameters
    ----------
    families
        The scores of all families.
    n_low
        How many variables are low ones.
    threads
        How many threads to use.
    done
        Told now and then which share of the work is done.

    Attributes
    ----------
    total
        R, by high and low variables.
    """

    def __init__(self, families: Families, n_low: int, threads: int, done: Tell = lambda share: None) -> None:
        self.families = families
        self.n, self.n_low, self.n_high = families.n, n_low, families.n - n_low
        self._threads = threads if self.n > 10 else 1
        self.total = np.full((1 << self.n_high, 1 << n_low), families.never[0], families.dtype)
        self.total[0, 0] = 0
        self._best = np.empty((n_low, (1 << n_low) // 2), families.dtype)
        self._block = self._block_above = -1
        self._above: dict[int, Numbers] = {}
        self._high: dict[int, Numbers] = {}
        self._done = done
        work = float(sum(1 << top.bit_count() for top in range(1 << self.n_high)))
        self._share = self._step = 0.0  # of the work before this block, and of one variable's best parents in it
        for top in range(1 << self.n_high):
            own = (1 << top.bit_count()) / work
            self._step = 0.8 * own / n_low
            self._sinks(top)
            self._share += own
            done(self._share)
        self._step = 0.0

    # --- best parents ---

    def _make_best(self, i: int, top: int, best: Numbers) -> None:
        """Write the best gains of variable i among the high variables ``top`` and each set of low ones."""
        from bnml.search._kernels import TILE, raise_high, raise_low

        bits = best.size.bit_length() - 1
        tied = self._tied(i)
        piece = min(16, bits)  # bits of the sets that are filled and raised together, in a cache
        for start in range(0, best.size, 1 << piece):
            part = best[start : start + (1 << piece)]
            part.fill(self.families.never[0])
            self.families.fill(i, self.n_low, top, start, part)
            raise_low(part, piece, tied)
        for low in range(piece, bits, STRIDE):
            high = min(low + STRIDE, bits)
            tiles = (best.size >> (high - low)) // min(TILE, 1 << low)
            step = max(1, tiles >> max(0, bits - 23))
            for first in range(0, tiles, step):
                raise_high(best, low, high, tied, first, min(first + step, tiles))

    def _tied(self, i: int) -> int:
        """Return the required links to low variables, with the variable's own bit left out."""
        links = self.families.links[i] & ((1 << self.n_low) - 1)
        return links if i >= self.n_low else squeeze(links, i)

    def best_low(self, top: int) -> Numbers:
        """Return the best gains of all low variables among the high ones ``top`` and each set of other low ones."""
        if self._block != top:
            self._block = -1

            def task(first: int, last: int) -> None:
                for i in range(first, last):
                    self._make_best(i, top, self._best[i])
                    self._done(self._share + self._step * (i + 1))

            run_all(task, [(i, i + 1) for i in range(self.n_low)], self._threads)
            self._block = top
        return self._best

    def best(self, i: int, whole: int) -> float:
        """Return the best gain of a variable among the others of a set."""
        top, low = whole >> self.n_low, whole & ((1 << self.n_low) - 1)
        if i < self.n_low:
            return float(self.best_low(top)[i, squeeze(low ^ (1 << i), i)])
        return float(self.best_high(top)[i][low])

    def best_high(self, top: int) -> dict[int, Numbers]:
        """Return the best gains of each high variable of ``top`` among its others and each set of low variables."""
        if self._block_above == top:
            return self._high
        self._block_above = -1
        members = [i for i in range(self.n_low, self.n) if top >> (i - self.n_low) & 1]
        for place in range(len(self._above), len(members)):
            self._above[place] = np.empty(1 << self.n_low, self.families.dtype)

        def task(first: int, last: int) -> None:
            for place in range(first, last):
                i = members[place]
                self._make_best(i, top ^ (1 << (i - self.n_low)), self._above[place])

        run_all(task, [(k, k + 1) for k in range(len(members))], self._threads)
        self._high = {i: self._above[place] for place, i in enumerate(members)}
        self._block_above = top
        return self._high

    # --- best sinks ---

    def _sinks(self, top: int) -> None:
        from bnml.search._kernels import best_sinks, raise_by_sum

        own = self.total[top]
        for i, best in self.best_high(top).items():
            rest = self.total[top ^ (1 << (i - self.n_low))]

            def raise_part(first: int, last: int, rest: Numbers = rest, best: Numbers = best) -> None:
                raise_by_sum(own[first:last], rest[first:last], best[first:last])

            run_all(raise_part, _parts(own.size, self._threads), self._threads)
        best = self.best_low(top)
        split = min(6, max(0, self.n_low - 8))  # bits over which sets are spread on threads
        width = own.size >> split
        for members in range(split + 1):  # sets with as many of the highest low variables do not look into each other
            blocks = [k for k in range(1 << split) if k.bit_count() == members]

            def task(first: int, last: int, blocks: list[int] = blocks) -> None:
                for k in blocks[first:last]:
                    best_sinks(own, best, self.families.never, k * width, (k + 1) * width)

            run_all(task, [(k, k + 1) for k in range(len(blocks))], self._threads)


def _parts(size: int, threads: int) -> list[tuple[int, int]]:
    parts = threads if size >= 1 << 16 else 1
    return [(size * k // parts, size * (k + 1) // parts) for k in range(parts)]


Arc = tuple[str, str]
Flags = npt.NDArray[np.bool_]


def disputed_arcs(result: SearchResult) -> tuple[Arc, ...] | None:
    """Return the arcs with a known direction in a tie: another best network turns them round or does without.

    None if that is not known: only what is proven to be the best is asked, and only of a table that an exact search
    goes through in a moment.
    """
    problem = _affordable_problem(result)
    if problem is None or not result.directions.directed:
        return None if problem is None else ()
    best = _best_networks(problem)
    at = {name: place for place, name in enumerate(best.names)}
    if not all(best.some[at[a], at[b]] for a, b in result.structure.arcs):
        return None  # another score, or other rules, than those it was found by
    return tuple((a, b) for a, b in result.directions.directed if best.disagree(at[a], at[b]))


def ties_opened(graph: PDAG, arcs: tuple[Arc, ...]) -> PDAG:
    """Return a graph in which the arcs that ties dispute have no direction.

    Examples
    --------
    >>> print(ties_opened(PDAG(["A", "B", "C"], [("A", "B"), ("C", "B")]), (("A", "B"),)))
    C -> B, A - B
    """
    if not arcs:
        return graph
    kept = [arc for arc in graph.directed if arc not in arcs]
    return PDAG(graph.names, kept, (*graph.undirected, *arcs))


def _affordable_problem(result: SearchResult) -> Problem | None:
    """Return the problem of a result that is proven to be the best, if another exact search takes but a moment."""
    problem = result.problem
    if not result.optimal or problem is None or len(problem.names) > 14:
        return None
    if not isinstance(problem.local, LocalScores) or any(problem.rules.links) or not has_lattice(problem.local):
        return None
    return problem if problem.cost.seconds <= 1.0 else None


@dataclass(frozen=True)
class _BestNetworks:
    """What the best networks have between them: ``some[j, i]`` says that one has j → i, ``none[j, i]`` no link."""

    names: tuple[str, ...]
    some: Flags
    none: Flags

    def disagree(self, a: int, b: int) -> bool:
        """Whether some best network does not have a → b."""
        return bool(self.some[b, a] or self.none[a, b])


def _best_networks(problem: Problem) -> _BestNetworks:
    local = problem.table
    columns = WalkOrder(local.counts).columns
    families = lattice_of(local, problem.rules.among(columns), prune=False, whole=True)
    n, slack = families.n, LEAST / families.unit / families.n
    subsets = Subsets(families, n, 1)
    total = _by_axes(subsets.total[0], n)
    best = [_by_axes(subsets.best_low(0)[i], n - 1) for i in range(n)]
    with_i = [total.take(1, i) for i in range(n)]
    next_best = [total.take(0, i) + best[i] >= with_i[i] - slack for i in range(n)]
    passed = _passed(next_best, n)
    some, none = np.zeros((n, n), bool), np.zeros((n, n), bool)
    for i in range(n):
        least = np.where(next_best[i] & passed.take(1, i), best[i], np.inf)
        for axis in range(n - 1):
            without, joined = _halves(least, axis)
            np.minimum(without, joined, out=without)
        gains = np.full(1 << (n - 1), families.never[0])
        families.fill(i, n, 0, 0, gains)
        own = _by_axes(gains, n - 1)
        taken = own >= least - slack
        for axis, j in enumerate(j for j in range(n) if j != i):
            some[j, i] = taken.take(1, axis).any()
            none[j, i] = (own.take(0, axis) >= least.take(1, axis) - slack).any()
    return _BestNetworks(tuple(local.names[column] for column in columns), some, none | none.T)


def _passed(next_best: list[Flags], n: int) -> Flags:
    """Return the sets that an optimal order of all variables passes through."""
    passed = np.zeros((2,) * n, bool)
    passed[(1,) * n] = True
    for _ in range(n):
        for i in range(n):
            without, joined = _halves(passed, i)
            without |= joined & next_best[i]
    return passed


def _by_axes(values: Numbers, n: int) -> Numbers:
    """Return numbers of all sets of n variables with an axis for each, the first for the lowest bit."""
    return values.reshape((2,) * n).transpose(range(n - 1, -1, -1))


def _halves(values: Numbers, axis: int) -> tuple[Numbers, Numbers]:
    """Return views of the sets without and with a variable."""
    first = np.moveaxis(values, axis, 0)
    return first[:1], first[1:]
