"""What the normaliser of a forest will take, and from where to compute it.

The normaliser does not depend on which variable is called the root, or on any direction of a link; its cost does. A
leaf, whatever its number of values, costs next to nothing, so roots are inner variables; of these that one is taken
from which the most branches look the same. What a link between inner variables costs is the number of their count
vectors, about n^(K-1) / (K! (K-1)!) each, multiplied with each other.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bnml._costs import BYTES, SECONDS
from bnml._machine import gigabytes, memory_limit_of
from bnml._plain import attributes
from bnml._text import time_text
from bnml.errors import ScoreError
from bnml.nml.forest_counts import number_of_sorted_counts
from bnml.nml.forest_sums import ForestSums, Needs
from bnml.nml.forest_weights import forest_weight_bytes, seconds_for_weights

MOST_VECTORS = 2 * 10**7  # count vectors of a variable that can be listed

Neighbours = Sequence[Sequence[int]]


@dataclass(frozen=True)
class ForestForecast:
    """What the normaliser of a forest will take.

    ``seconds``: about how long it takes. ``bytes``, ``limit``: the peak of the memory, and how much there may be.
    ``weights``: how many weights between count vectors of joined inner variables there are. ``arities``: the numbers of
    values of the two joined inner variables that cost most; empty if there are none.
    """

    seconds: float
    bytes: int
    limit: int
    weights: int = 0
    arities: tuple[int, ...] = ()

    @property
    def fits(self) -> bool:
        """Whether it can be done: in an hour, and in the memory there is."""
        return self.seconds <= 3600.0 and self.bytes <= self.limit

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain values, for JSON."""
        return attributes(self, "seconds", "bytes", "limit", "weights", "arities", "fits")

    def __str__(self) -> str:
        weights = f"{self.weights:,}" if self.weights < 10**13 else f"more than 10^{int(math.log10(self.weights))}"
        return f"{weights} weights, {time_text(self.seconds)}, {gigabytes(self.bytes)} of memory"


@dataclass(frozen=True)
class Trees:
    """The trees of a forest as sums to take: branches by number, stars and single multinomials, equal ones together."""

    roots: Counter[int]
    stars: Counter[tuple[int, tuple[int, ...]]]
    multinomials: Counter[int]

    def total(self, sums: ForestSums) -> float:
        """Return the logarithm of the normaliser."""
        parts = [times * sums.total(root) for root, times in sorted(self.roots.items())]
        parts += [times * sums.star(arity, leaves) for (arity, leaves), times in sorted(self.stars.items())]
        parts += [times * sums.single(arity) for arity, times in sorted(self.multinomials.items())]
        return math.fsum(parts)

    def forecast(self, sums: ForestSums, limit: int | str | None = None) -> ForestForecast:
        """Return what it will take, if nothing is known yet."""
        n, limit = sums.n, memory_limit_of(limit)
        uses: Counter[tuple[int, int]] = Counter()
        for root in self.roots:
            uses += sums.needs(root).uses
        seconds = SECONDS.observation * n * sum(1 + math.log2(arity) for arity, _ in self.stars)
        needed, weights = BYTES.forest + (80 * n if self.stars or self.roots else 0), 0
        worst, arities = 0.0, tuple[int, ...]()
        for (many, few), times in uses.items():
            cost = _pair_seconds(n, many, few, times)
            seconds += cost
            needed += forest_weight_bytes(n, many, few)
            weights += number_of_sorted_counts(n, many) * number_of_sorted_counts(n, few)
            if cost > worst:
                worst, arities = cost, (many, few)
        return ForestForecast(seconds, needed, limit, weights, arities)


def _pair_seconds(n: int, many: int, few: int, uses: int) -> float:
    """Return what the weights between two numbers of values take; infinite where counts cannot even be listed."""
    if number_of_sorted_counts(n, many) > MOST_VECTORS:
        return math.inf
    return seconds_for_weights(n, many, few, uses)


def check_plan(forecast: ForestForecast) -> None:
    """Refuse a plan that takes too much time or memory."""
    if not forecast.fits:
        a, b = forecast.arities or (1, 1)
        raise ScoreError(
            f"the exact NML of this forest is too much: {forecast} ({gigabytes(forecast.limit)} and an hour are "
            f"allowed). Variables with {a} and with {b} values are joined, and both have other neighbours",
            argument="score",
            value="nml",
            hint="take qnml, which comes nearest, or fewer values for variables that are not leaves.",
        )


def trees_of(sums: ForestSums, neighbours: Neighbours, arities: Sequence[int]) -> Trees:
    """Return the trees of a forest, each with its cheapest root.

    Parameters
    ----------
    sums
        Where branches are known.
    neighbours
        The neighbours of each variable; links must not close a cycle.
    arities
        The number of values of each. A variable with one value says nothing: its links do not count.
    """
    trees = Trees(Counter(), Counter(), Counter())
    links = [[y for y in near if arities[x] > 1 and arities[y] > 1] for x, near in enumerate(neighbours)]
    seen = [False] * len(links)
    for start in range(len(links)):
        if seen[start]:
            continue
        members = _reached(links, start, seen)
        inner = [x for x in members if len(links[x]) > 1]
        if not inner:
            trees.multinomials[math.prod(arities[x] for x in members)] += 1
        elif len(inner) == 1:
            leaves = tuple(sorted(arities[x] for x in links[inner[0]]))
            trees.stars[arities[inner[0]], leaves] += 1
        else:
            trees.roots[_best_root(sums, links, arities, inner)] += 1
    return trees


def _reached(links: Neighbours, start: int, seen: list[bool]) -> list[int]:
    members, seen[start] = [start], True
    for x in members:
        for y in links[x]:
            if not seen[y]:
                seen[y] = True
                members.append(y)
    return members


def _best_root(sums: ForestSums, links: Neighbours, arities: Sequence[int], inner: Sequence[int]) -> int:
    """Return the branch of a whole tree from the root that costs least; of equal ones the first."""
    near = {x: [y for y in links[x] if len(links[y]) > 1] for x in inner}
    leaves = {x: [arities[y] for y in links[x] if len(links[y]) == 1] for x in inner}
    order, above = planned_order(near, inner[0])
    down: dict[int, int] = {}
    for x in reversed(order):
        down[x] = sums.branch(arities[x], leaves[x], [down[y] for y in near[x] if y != above[x]])
    up: dict[int, int] = {}  # what lies beyond the variable above
    best, least = -1, math.inf
    for k, x in enumerate(order):
        around = {y: up[x] if y == above[x] else down[y] for y in near[x]}
        for y in near[x]:
            if y != above[x]:
                up[y] = sums.branch(arities[x], leaves[x], [branch for z, branch in around.items() if z != y])
        if k < 256:  # roots that are tried
            root = sums.branch(arities[x], leaves[x], list(around.values()))
            cost = _using(sums, sums.needs(root))
            if cost < least:
                best, least = root, cost
    return best


def _using(sums: ForestSums, needs: Needs) -> float:
    """Return how many products of weights and messages there are to add."""
    n = sums.n
    return math.fsum(
        float(number_of_sorted_counts(n, a)) * number_of_sorted_counts(n, b) * times
        for (a, b), times in needs.uses.items()
    )


def planned_order(near: Mapping[int, Sequence[int]], start: int) -> tuple[list[int], dict[int, int]]:
    """Return the variables of a tree in the order to plan sums in, from the start outwards, and the one before each."""
    order, above = [start], {start: -1}
    for x in order:
        for y in near[x]:
            if y != above[x]:
                above[y] = x
                order.append(y)
    return order, above
