"""K2: the parents of each variable from those before it in an order, one at a time (Cooper & Herskovits 1992)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from bnml._watch import Watch
from bnml.errors import ArgumentError, SearchError, did_you_mean, quoted
from bnml.graph import Constraints
from bnml.scores import LocalScores, Score
from bnml.scores.priors import StructurePrior
from bnml.search.search_result import SearchResult
from bnml.search.trees import Rules, gain, opened, result_of, rules_for

__all__ = ["Trial", "k2"]

EQUAL = 1e-9  # scores that differ by less are equal: it is what rounding can do
RELATIVE = 2.0**-40  # the same for large scores


class Trial(NamedTuple):
    """A parent that was tried: the child, its parents so far, the one more, what the score gains, whether it stays."""

    child: str
    parents: tuple[str, ...]
    candidate: str
    gain: float
    taken: bool


def k2(
    data: Any,
    score: Score | str = "k2",
    *,
    order: Iterable[str] | None = None,
    orders: int = 10,
    constraints: Constraints | None = None,
    max_parents: int | None = None,
    prior: StructurePrior | None = None,
    seed: int = 0,
    threads: int | None = None,
    time_limit: float | None = None,
    progress: Callable[[str, float], None] | None = None,
) -> SearchResult:
    """Give each variable, of those before it in an order, the parents that raise its score most, one at a time.

    Parameters
    ----------
    data
        A `Data`, or anything that `bnml.read` takes.
    score, constraints, max_parents, prior, threads, progress
        As for `bnml.learn`. The algorithm got its name from the score ``"k2"``, but any score will do.
    order
        All variables, each after those that may be its parents; if not given, random orders are tried.
    orders
        How many random orders to try, of those that agree with the constraints.
    seed
        Of the random orders.
    time_limit
        Seconds after which the best structure so far is returned.

    Returns
    -------
    SearchResult
        Of several orders the one with the highest score; ``info["order"]`` says which, and ``info["trace"]`` has each
        parent that was tried with it as a `Trial`, in turn: from the last variable to the first, and for each of them
        from the nearest predecessor to the first. ``info["moves"]`` is the number of parents that were added, and
        ``info["families"]`` that of families scored, with all orders; ``info["local_optimum"]`` is whether it was
        verified that no change of one arc is an improvement, whatever the order.

    Raises
    ------
    BnmlError
        If an argument is wrong, the order is not one of all variables, or it cannot meet the constraints; before any
        work.

    Notes
    -----
    For each variable: of all predecessors that are no parents yet, the one that raises the family's score most becomes
    a parent; again, until none raises it, or ``max_parents`` are reached. Required parents are there from the start. Of
    equal ones the first by name is taken.

    Cooper, G. F. & Herskovits, E. (1992), A Bayesian method for the induction of probabilistic networks from data.

    Examples
    --------
    >>> import bnml
    >>> order = ["asia", "smoke", "tub", "lung", "bronc", "either", "xray", "dysp"]
    >>> result = bnml.search.k2(bnml.example(), order=order)
    >>> print(result.dag)
    [asia][tub|asia][smoke][lung|smoke][bronc|smoke][either|tub:lung][xray|either][dysp|bronc:either]
    >>> for trial in result.info["trace"][-4:]:
    ...     print(trial.child, trial.parents, trial.candidate, round(trial.gain, 1), trial.taken)
    tub () smoke -5.0 False
    tub () asia 1.3 True
    tub ('asia',) smoke -6.1 False
    smoke () asia -0.3 False
    """
    watch = Watch(progress, time_limit)
    options = {} if order is None else {"order": order}
    local = opened(
        "k2", data, options, score=score, constraints=constraints, max_parents=max_parents, prior=prior, seed=seed,
        threads=threads, time_limit=time_limit, progress=progress,
    )  # fmt: skip
    rules = rules_for(local.data.names, constraints, max_parents)
    most = len(rules.names) if max_parents is None else int(max_parents)
    number = _number_of(orders)
    places = _random_orders(rules, most, number, seed) if order is None else [_checked_order(rules, order, most)]
    best: _OneOrder | None = None
    moves = families = tried = 0
    for k, place in enumerate(places):
        if best is not None and watch.over:
            break
        walk = _OneOrder(local, rules, place, most, threads)
        walk.run(watch, f"order {k + 1} of {len(places)}", k / len(places), (k + 1) / len(places))
        moves, families, tried = moves + walk.moves, families + walk.families, tried + 1
        if best is None or walk.score > best.score + _slack(best.score):
            best = walk
    assert best is not None
    info = {
        "order": tuple(rules.names[x] for x in best.order),
        "orders": tried,
        "moves": moves,
        "families": families,
        "complete": tried == len(places) and best.complete,
        "trace": best.trace,
    }
    return result_of("k2", local, rules, best.parents, constraints, watch, info, max_parents, threads)


class _OneOrder:
    """The parents of each variable for one order, numbers in place of names."""

    def __init__(self, local: LocalScores, rules: Rules, order: Sequence[int], most: int, threads: int | None) -> None:
        self.local, self.rules, self.order, self.most, self.threads = local, rules, order, most, threads
        self.parents = [list(above) for above in _required(rules, order)]
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
        columns = self.rules.columns
        self.scores = self.local.families(
            columns, [[columns[p] for p in above] for above in self.parents], self.threads
        ).tolist()
        self.families += len(columns)
        n = len(self.order)
        for k in range(n - 1, -1, -1):
            child = self.order[k]
            before = [x for x in reversed(self.order[:k]) if self.rules.may[x, child]]
            while len(self.parents[child]) < self.most:
                if watch.over:
                    self.complete = False
                    return
                if not self._add(child, before):
                    break
            watch(stage, start + (stop - start) * (n - k) / n)

    def _add(self, child: int, before: Sequence[int]) -> bool:
        """Try each predecessor as one more parent, and keep the best if it raises the score."""
        parents, columns, names = self.parents[child], self.rules.columns, self.rules.names
        candidates = [x for x in before if x not in parents]
        if not candidates:
            return False
        values = self.local.additions(
            columns[child], [columns[p] for p in parents], [columns[x] for x in candidates], self.threads
        )
        self.families += len(candidates)
        own = self.scores[child]
        gains, highest = gain(values, own).tolist(), float(values.max())
        equal = [x for x, value in zip(candidates, values.tolist(), strict=True) if value >= highest - _slack(highest)]
        chosen = min(equal) if highest > own + _slack(own) else None
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


def _slack(score: float) -> float:
    return max(EQUAL, RELATIVE * abs(score)) if math.isfinite(score) else 0.0


def _required(rules: Rules, order: Sequence[int]) -> list[list[int]]:
    """Return the parents that each variable must have: of a link the one that comes first in the order."""
    must = rules.must.copy()
    for k, x in enumerate(order):
        earlier = list(order[:k])
        must[earlier, x] |= rules.links[earlier, x]
    return [np.flatnonzero(must[:, x]).tolist() for x in range(len(order))]


def _number_of(orders: Any) -> int:
    if isinstance(orders, bool) or not isinstance(orders, int | np.integer) or orders < 1:
        raise ArgumentError(f"orders={orders!r}: expected a whole number from 1")
    return int(orders)


def _checked_order(rules: Rules, order: Any, most: int) -> list[int]:
    """Return an order as numbers, if it is one of all variables and can meet the rules."""
    if isinstance(order, str) or not isinstance(order, Iterable):
        raise ArgumentError(f"order={order!r}: expected a list of all variables")
    given = list(order)
    for name in given:
        if not isinstance(name, str) or name not in rules.names:
            raise ArgumentError(
                f"order: there is no variable {name!r}.{did_you_mean(name, rules.names)} "
                f"The variables are {quoted(rules.names)}."
            )
    twice = sorted({name for name in given if given.count(name) > 1})
    missing = [name for name in rules.names if name not in given]
    if twice or missing:
        wrong = [f"{quoted(twice)} stand twice" if twice else "", f"{quoted(missing)} are missing" if missing else ""]
        raise ArgumentError(f"order: it must name each variable once; {' and '.join(filter(None, wrong))}")
    places = [rules.names.index(name) for name in given]
    at = {x: k for k, x in enumerate(places)}
    for parent, child in np.argwhere(rules.must).tolist():
        if at[parent] > at[child]:
            a, b = rules.names[parent], rules.names[child]
            raise SearchError(f"order: {a} -> {b} must be there, but {b!r} comes before {a!r}; put {a!r} first")
    for child, above in enumerate(_required(rules, places)):
        if len(above) > most:
            raise SearchError(
                f"{rules.names[child]!r} must have {len(above)} parents with this order, but max_parents={most} allows "
                "fewer; raise it, or require fewer arcs"
            )
    return places


def _random_orders(rules: Rules, most: int, number: int, seed: int) -> list[list[int]]:
    """Return some orders that can meet the rules, each made from its end.

    A variable can be the last of those that are left if no other must be after it, and if it has no more required
    parents than are allowed. A variable that can be last can be so later as well: so if none can, there is no order.
    """
    rng = np.random.default_rng(seed)
    return [_random_order(rules, most, rng) for _ in range(number)]


def _random_order(rules: Rules, most: int, rng: np.random.Generator) -> list[int]:
    left = np.ones(len(rules.names), bool)
    load, below = rules.required.sum(axis=0), rules.must.sum(axis=1)  # of those that are left
    order: list[int] = []
    while left.any():
        free = np.flatnonzero(left & (below == 0) & (load <= most))
        if not free.size:
            raise SearchError(
                f"the required arcs and links give some of {quoted(np.array(rules.names, object)[left])} more parents "
                f"than max_parents={most} allows, in whatever order; raise it, or require fewer"
            )
        x = int(free[rng.integers(free.size)])
        order.append(x)
        left[x] = False
        load -= rules.required[x]
        below -= rules.must[:, x]
    return order[::-1]
