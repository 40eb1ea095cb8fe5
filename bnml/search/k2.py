"""K2: the parents of each variable from those before it in an order, one at a time (Cooper & Herskovits 1992)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from bnml._bits import bits, mask_of
from bnml._checks import refuse, whole_number
from bnml._text import did_you_mean, quoted
from bnml._watch import Watch
from bnml.errors import ArgumentError, SearchError, argument
from bnml.graph import Rules
from bnml.scores.base import score_tolerance
from bnml.search.best_tree import tree_gain
from bnml.search.local_optimum import verified_result
from bnml.search.problem import Problem
from bnml.search.search_result import SearchResult


class Trial(NamedTuple):
    """A parent that was tried: the child, its parents so far, the one more, what the score gains, whether it stays."""

    child: str
    parents: tuple[str, ...]
    candidate: str
    gain: float
    taken: bool


def k2(problem: Problem, *, order: Iterable[str] | None = None, orders: int = 10) -> SearchResult:
    """Give each variable, of those before it in an order, the parents that raise its score most, one at a time."""
    rules, watch = problem.with_prior, problem.watch
    number = whole_number(orders, "orders", 1)
    places = _random_orders(rules, number, problem.seed) if order is None else [_checked_order(rules, order)]
    number = number if order is None else 1
    best: _OneOrder | None = None
    moves = families = tried = 0
    for k, place in enumerate(places):
        if best is not None and watch.over:
            break
        walk = _OneOrder(problem, place)
        walk.run(watch, f"order {k + 1} of {number}", k / number, (k + 1) / number)
        moves, families, tried = moves + walk.moves, families + walk.families, tried + 1
        if best is None or walk.score > best.score + score_tolerance(best.score):
            best = walk
    assert best is not None
    info = {
        "order": tuple(rules.names[x] for x in best.order),
        "orders": tried,
        "moves": moves,
        "families": families,
        "complete": tried == number and best.complete,
        "trace": best.trace,
    }
    return verified_result(problem, best.parents, info)


class _OneOrder:
    """The parents of each variable for one order, numbers in place of names."""

    def __init__(self, problem: Problem, order: Sequence[int]) -> None:
        self.local, self.columns, self.threads = problem.local, problem.columns, problem.threads
        self.rules, self.order = problem.with_prior, order
        self.parents = _required(self.rules, order)
        self.scores = [math.nan] * len(order)
        self.trace: list[Trial] = []
        self.moves = self.families = 0
        self.complete = True

    @property
    def score(self) -> float:
        """The score of the structure."""
        return math.fsum(self.scores)

    def run(self, watch: Watch, stage: str, start: float, stop: float) -> None:
        """Find all parents; when the time is over, only those that are required."""
        columns = self.columns
        self.scores = self.local.families(
            columns, [[columns[p] for p in above] for above in self.parents], self.threads
        ).tolist()
        self.families += len(columns)
        n = len(self.order)
        for k in range(n - 1, -1, -1):
            child = self.order[k]
            before = [x for x in reversed(self.order[:k]) if self.rules.may[child] >> x & 1]
            while True:
                if watch.over:
                    self.complete = False
                    return
                if not self._add(child, before):
                    break
            watch(stage, start + (stop - start) * (n - k) / n)

    def _add(self, child: int, before: Sequence[int]) -> bool:
        """Try each predecessor as one more parent, and keep the best if it raises the score."""
        parents, columns, names = self.parents[child], self.columns, self.rules.names
        own_mask = mask_of(parents)
        candidates = [x for x in before if x not in parents and self.rules.fits(child, own_mask | 1 << x)]
        if not candidates:
            return False
        values = self.local.additions(
            columns[child], [columns[p] for p in parents], [columns[x] for x in candidates], self.threads
        )
        self.families += len(candidates)
        own = self.scores[child]
        gains, highest = tree_gain(values, own).tolist(), float(values.max())
        equal = [
            x
            for x, value in zip(candidates, values.tolist(), strict=True)
            if value >= highest - score_tolerance(highest)
        ]
        chosen = min(equal) if highest > own + score_tolerance(own) else None
        above = tuple(names[p] for p in parents)
        self.trace += [
            Trial(names[child], above, names[x], value, x == chosen) for x, value in zip(candidates, gains, strict=True)
        ]
        if chosen is None:
            return False
        parents.append(chosen)
        self.moves += 1
        self.scores[child] = float(values[candidates.index(chosen)])
        return True


def _required(rules: Rules, order: Sequence[int]) -> list[list[int]]:
    """Return the parents that each variable must have: of a link the one that comes first in the order."""
    parents, before = [list(bits(must)) for must in rules.must], 0
    for x in order:
        parents[x] = list(bits(rules.must[x] | rules.links[x] & before))
        before |= 1 << x
    return parents


def _checked_order(rules: Rules, order: Any) -> list[int]:
    """Return an order as numbers, if it is one of all variables and can meet the rules."""
    if isinstance(order, str) or not isinstance(order, Iterable):
        raise refuse("order", order, "expected a list of all variables")
    given = list(order)
    for name in given:
        if not isinstance(name, str) or name not in rules.names:
            raise ArgumentError(
                f"there is no variable {name!r}.{did_you_mean(name, rules.names)} The variables are "
                f"{quoted(rules.names)}.",
                argument="order",
            )
    twice = sorted({name for name in given if given.count(name) > 1})
    missing = [name for name in rules.names if name not in given]
    if twice or missing:
        wrong = [f"{quoted(twice)} stand twice" if twice else "", f"{quoted(missing)} are missing" if missing else ""]
        raise ArgumentError(f"it must name each variable once; {' and '.join(filter(None, wrong))}", argument="order")
    places = [rules.names.index(name) for name in given]
    at = {x: k for k, x in enumerate(places)}
    for child, parent in ((child, parent) for child, must in enumerate(rules.must) for parent in bits(must)):
        if at[parent] > at[child]:
            a, b = rules.names[parent], rules.names[child]
            raise SearchError(
                f"{a} -> {b} must be there, but {b!r} comes before {a!r}", argument="order", hint=f"put {a!r} first"
            )
    for child, above in enumerate(_required(rules, places)):
        if not rules.fits(child, mask_of(above)) and len(above) <= rules.most:
            raise SearchError(
                f"{rules.names[child]!r} must have the parents {quoted(rules.names[x] for x in above)} with this "
                "order, and " + argument("rows_per_cell") + " does not allow so many cells",
                hint="require fewer links, or lower it",
            )
        if len(above) > rules.most:
            raise SearchError(
                f"{rules.names[child]!r} must have {len(above)} parents with this order, but "
                + argument("max_parents", rules.most)
                + " allows fewer",
                hint="raise it, or require fewer arcs",
            )
    return places


def _random_orders(rules: Rules, number: int, seed: int) -> Iterator[list[int]]:
    """Yield some orders that can meet the rules, each made from its end."""
    rng = np.random.default_rng(seed)
    for _ in range(number):
        yield rules.order(lambda free: free[int(rng.integers(len(free)))])
