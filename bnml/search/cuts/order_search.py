"""Search over orders of the variables for the best structure of listed families."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from bnml._watch import Watch
from bnml.search.cuts.family_arrays import FamilyArrays

Ints = npt.NDArray[np.int64]

PATIENCE = 3  # restarts, for each variable, without a better structure, until a random order is begun with
EQUAL = 1e-9


class OrderSearch:
    """Climbs over orders of the variables, from orders that are given, random, or changed a little.

    Parameters
    ----------
    families
        The families; those that are not listed ones are left out.
    """

    def __init__(self, families: FamilyArrays) -> None:
        self.families = families if families.listed.all() else families.kept(families.listed)
        linked = np.zeros((self.families.n, self.families.n), bool)
        for i, j in self.families.linked:
            linked[i, j] = linked[j, i] = True
        own = self.families
        self._arrays = (own.first, own.sets, own.scores, own.links, own.possible | linked)

    def improve(self, order: Ints, sweep: Ints | None = None) -> tuple[float, Ints, Ints]:
        """Return the total, the order and the families that moves of single variables lead to; -inf if none fits."""
        from bnml.search.cuts._kernels import climb_in_orders

        better, chosen = order.astype(np.int64), np.empty(order.size, np.int64)
        climb_in_orders(self._arrays, better, np.arange(order.size) if sweep is None else sweep, chosen)
        total = float(self.families.scores[chosen].sum()) if (chosen >= 0).all() else -np.inf
        return total, better, chosen

    def restarts(self, order: Ints, rounds: int, seed: int, watch: Watch) -> tuple[float, Ints, Ints]:
        """Return the best that climbing from an order finds, and from others near to what was found before.

        What is not improved for long is left for a random order. Once several beginnings have led to the same best, it
        is taken to be the best there is.
        """
        rng = np.random.default_rng(seed)
        n = order.size
        best = own = self.improve(order)
        idle, agreed = 0, 0
        for _ in range(rounds):
            if watch.over:
                break
            if idle >= PATIENCE * n:
                agreed += own[0] > best[0] - EQUAL
                if agreed == 16:  # beginnings that lead to the same best structure
                    break
                own, idle = self.improve(rng.permutation(n), rng.permutation(n)), 0
            else:
                found = self.improve(_shaken(own[1], rng), rng.permutation(n))
                idle = 0 if found[0] > own[0] + EQUAL else idle + 1
                if idle == 0 or (found[0] > own[0] - EQUAL and rng.integers(2)):
                    own = found
            if own[0] > best[0] + EQUAL:
                best, agreed = own, 0
        return best


def _shaken(order: Ints, rng: np.random.Generator) -> Ints:
    """Return an order with some variables put elsewhere."""
    n = order.size
    changed: list[Any] = order.tolist()
    moves = rng.integers(0, n, (2 + int(rng.integers(n // 3 + 2)), 2))
    for here, there in moves.tolist():
        changed.insert(there, changed.pop(here))
    return np.array(changed)


def search_orders(
    families: FamilyArrays, order: Sequence[int] | None, rounds: int, seed: int, watch: Watch
) -> tuple[float, Ints]:
    """Return the score of the best structure that is found, and the number of each variable's family.

    Where there is none, these are -inf and -1.

    Parameters
    ----------
    families
        The families that are thought of.
    order
        Where to begin, or None for a random order.
    rounds
        How many restarts.
    seed
        Decides them.
    watch
        Ends them.
    """
    n = families.n
    begin = np.random.default_rng(seed).permutation(n) if order is None else np.array(order, np.int64)
    own = np.flatnonzero(families.listed)
    score, _, chosen = OrderSearch(families).restarts(begin, rounds, seed, watch)
    return score, np.where(chosen < 0, -1, own[chosen])
