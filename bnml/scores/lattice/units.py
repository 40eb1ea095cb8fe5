"""The units in which gains are counted."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bnml._arrays import Floats
from bnml._bits import members, subsets
from bnml.counts.lattice import WalkOrder
from bnml.graph import Rules
from bnml.scores.lattice.allowed_sets import FEW_LINKS
from bnml.scores.lattice.terms import term_neighbours

MANTISSA = 52  # bits of a float


@dataclass(frozen=True)
class Units:
    """How numbers are rounded.

    ``grain``: what the lookup tables are multiples of, in nats: a power of two. ``unit``: what gains are multiples of,
    in nats: with floats the grain. ``slack``: how many units a sum of rounded numbers may be off. ``closed``: the
    closed form of each index, in units; not a number where it is too dear for any variable.
    """

    grain: float
    unit: float
    slack: int
    closed: Floats


def choose_units(
    layout: WalkOrder,
    rules: Rules,
    closed: Floats,
    low: float,
    high: float,
    least: Sequence[float],
    *,
    bonus: float,
    integers: bool,
    whole: bool,
    coarser: float = 0.0,
) -> Units:
    """Return the finest units in which everything fits.

    ``bonus``: the most that a prior can add; ``whole``: even families that cannot be the best must fit. ``low``,
    ``high``: what terms lie between; ``least``: what each variable's families score at least, so that less their sum
    no gain, and no sum of gains, is larger. ``coarser``: the least unit.
    """
    relevant = np.ones(closed.size, bool) if whole else _relevant(layout, rules, closed, 2.0 * (high - low) + bonus)
    total = 1.0 + sum(-value for value in least)
    span = max(high - low, abs(high), abs(low), float(np.abs(closed[relevant]).max()), total)
    grain = unit = max(2.0 ** (math.ceil(math.log2(span)) - MANTISSA), 0.0 if integers else coarser)
    slack = layout.counts.n_distinct + 8
    if integers:
        unit, slack = max((high - low + 1.0) / (2**32 - 16), 1.01 * total / 2**30, coarser), 8
    return Units(grain, unit, slack, np.where(relevant, np.rint(closed / unit), np.nan))


def _relevant(layout: WalkOrder, rules: Rules, closed: Floats, margin: float) -> npt.NDArray[np.bool_]:
    """Return which indices have families that are not too dear to be any variable's best.

    Terms differ by ``span`` at most, so no family can make up for a price that is higher than that of the parents that
    a variable must have by more than twice as much. A variable with one state has no price and gains nothing from
    parents.
    """
    relevant = np.zeros(closed.size, bool)
    relevant[0] = True
    dearest = 0.0
    for i, (must, links) in enumerate(zip(rules.must, rules.links, strict=True)):
        for some in subsets(links) if links.bit_count() <= FEW_LINKS else (0, links):
            index = sum(int(layout.steps[j]) for j in members(must | some))
            relevant[[index, index + layout.steps[i]]] = True
            dearest = max(dearest, closed[index] - closed[index + layout.steps[i]])
    with np.errstate(invalid="ignore"):
        for r, (without, having) in zip(layout.kinds[0], term_neighbours(layout), strict=True):
            if r > 1:
                cheap = closed[without] - closed[having] <= dearest + margin + 1.0
                relevant[without] |= cheap
                relevant[having] |= cheap
    return relevant
