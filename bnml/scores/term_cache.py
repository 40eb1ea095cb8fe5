"""The terms of sets of columns that have been computed, and the closed forms of families."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from bnml._bits import mask_of
from bnml.counts import as_float
from bnml.scores.base import Closed

__all__ = ["ClosedForms", "TermCache", "mask_of", "remember"]

Floats = npt.NDArray[np.float64]

MOST_CACHED = 2_000_000  # terms; some 200 MB


class TermCache:
    """The sums over the joint table and over the parents' table of families, by sets of columns.

    Parameters
    ----------
    arities
        Number of states of each column.
    quotient
        Whether the terms of a parents' table are those of a joint table: then they share their memory.
    """

    def __init__(self, arities: Sequence[int], quotient: bool) -> None:
        self.arities, self.quotient = arities, quotient
        self.joint: dict[int, float] = {}
        self.margin: dict[Any, float] = self.joint if quotient else {}

    def keys(self, child: int, parents: Sequence[int]) -> tuple[int, Any]:
        """Return under what the two terms of a family are remembered."""
        below = mask_of(parents)
        return below | 1 << int(child), below if self.quotient else (below, self.arities[child])

    def keys_of_additions(
        self, child: int, parents: Sequence[int], candidates: Sequence[int]
    ) -> tuple[list[int], list[Any]]:
        """Return the same for the families with each candidate added, one list for each of the two."""
        below = mask_of(parents)
        whole = below | 1 << int(child)
        bits = [1 << int(candidate) for candidate in candidates]
        if self.quotient:
            return [whole | bit for bit in bits], [below | bit for bit in bits]
        r = self.arities[child]
        return [whole | bit for bit in bits], [(below | bit, r) for bit in bits]

    def keep(self, whole: Sequence[int], below: Sequence[Any], sums: Floats) -> None:
        """Remember the two sums of some families."""
        for cache, keys, values in ((self.joint, whole, sums[:, 0]), (self.margin, below, sums[:, 1])):
            if len(cache) + len(keys) > MOST_CACHED:
                cache.clear()
            cache.update(zip(keys, values.tolist(), strict=True))


def remember(cache: dict[Any, float], key: Any, value: float) -> None:
    """Keep a value; a cache that is full is emptied first."""
    if len(cache) >= MOST_CACHED:
        cache.clear()
    cache[key] = value


class ClosedForms:
    """The closed form of families less that of their parents, which depends on few numbers, so that most are known.

    ``closed``: the closed form of sets; None for none.
    """

    def __init__(self, arities: Sequence[int], closed: Closed | None) -> None:
        self.arities, self.closed = arities, closed
        self._known: dict[tuple[int, int, int], float] = {}

    def of(self, child: int, parents: Sequence[int]) -> float:
        """Return that of one family."""
        if self.closed is None:
            return 0.0
        key = (math.prod([self.arities[p] for p in parents]), self.arities[child], len(parents))
        value = self._known.get(key)
        return float(self.at([key])[0]) if value is None else value

    def of_families(self, children: Sequence[int], candidates: Sequence[Sequence[int]]) -> float | Floats:
        """Return that of many families."""
        if self.closed is None:
            return 0.0
        r = self.arities
        pairs = zip(children, candidates, strict=True)
        return self.at([(math.prod([r[v] for v in p]), r[c], len(p)) for c, p in pairs])

    def of_additions(self, child: int, parents: Sequence[int], candidates: Sequence[int]) -> float | Floats:
        """Return that of the families with each candidate added."""
        if self.closed is None:
            return 0.0
        q, r, size = math.prod(self.arities[p] for p in parents), self.arities[child], len(parents) + 1
        return self.at([(q * self.arities[c], r, size) for c in candidates])

    def at(self, keys: Sequence[tuple[int, int, int]]) -> Floats:
        """Return those of families given by (configurations of the parents, arity of the child, number of parents)."""
        unknown = [key for key in dict.fromkeys(keys) if key not in self._known]
        if unknown:
            numbers = [*(q * r for q, r, _ in unknown), *(q for q, _, _ in unknown)]
            sizes = np.array([*(size + 1.0 for _, _, size in unknown), *(float(size) for _, _, size in unknown)])
            logs = np.array([math.log(number) for number in numbers])
            values = self.differences(np.array([as_float(number) for number in numbers]), logs, sizes)
            for key, value in zip(unknown, values.tolist(), strict=True):
                remember(self._known, key, value)
        return np.array([self._known[key] for key in keys])

    def differences(self, numbers: Floats, logs: Floats, sizes: Floats) -> Floats:
        """Return the closed form of the first half of some sets less that of the second half."""
        if self.closed is None:
            return np.zeros(numbers.size // 2)
        joint, margin = self.closed(numbers, logs, sizes).reshape(2, -1)
        if joint.min(initial=0.0) > -math.inf:
            return joint - margin
        with np.errstate(invalid="ignore"):
            return np.where(np.isneginf(joint), -np.inf, joint - margin)
