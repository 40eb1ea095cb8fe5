"""The terms of sets of columns that have been computed, and the closed forms of families."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from bnml._arrays import Floats, Ints
from bnml._bits import WORD, mask_of, set_key
from bnml._costs import BYTES
from bnml._plain import plain_float
from bnml.scores.base import Closed

MOST_CACHED = 2_000_000  # terms; some 200 MB


class SetTerms:
    """One term for each set of columns: of single columns and of pairs by position, of others by the set.

    Parameters
    ----------
    n
        Number of columns.
    by_position
        Whether pairs are to be kept by position as well, unless there is no room for all of them.
    """

    def __init__(self, n: int, *, by_position: bool) -> None:
        # the terms of all pairs of 5,000 columns are 200 MB
        self._n, self._most_by_position = n, 2 if by_position and n <= 5000 else 1
        self._singles = np.full(n, np.nan)
        self._others: dict[Any, float] = {}
        self._most = MOST_CACHED * BYTES.key // (BYTES.key + n // 8)

    @cached_property
    def _pairs(self) -> Floats:
        """The terms of all pairs; not a number where they are not known."""
        return np.full((self._n, self._n), np.nan)

    def get(self, members: Sequence[int], mask: int) -> float:
        """Return the term of a set, not a number if it is not known; ``mask`` has the same members."""
        if 0 < len(members) <= self._most_by_position:
            return self._singles.item(members[0]) if len(members) == 1 else self._pairs.item(*members)
        return self._others.get(mask if self._n < WORD else set_key(mask), math.nan)

    def keep(self, members: Sequence[int], mask: int, value: float) -> None:
        """Remember the term of a set."""
        if not 0 < len(members) <= self._most_by_position:
            remember(self._others, mask if self._n < WORD else set_key(mask), value, self._most)
        elif len(members) == 1:
            self._singles[members[0]] = value
        else:
            a, b = members
            self._pairs[a, b] = self._pairs[b, a] = value

    def get_additions(self, members: Sequence[int], candidates: Ints) -> Floats:
        """Return the terms of a set with each candidate added."""
        if len(members) < self._most_by_position:
            terms: Floats = self._pairs[members[0], candidates] if members else self._singles[candidates]
            return terms
        known = self._others
        return np.array([known.get(key, math.nan) for key in self._keys(members, candidates)])

    def keep_additions(self, members: Sequence[int], candidates: Ints, values: Floats) -> None:
        """Remember the terms of a set with each candidate added."""
        if len(members) >= self._most_by_position:
            if len(self._others) + candidates.size > self._most:
                self._others.clear()
            self._others.update(zip(self._keys(members, candidates), values.tolist(), strict=True))
        elif members:
            self._pairs[members[0], candidates] = self._pairs[candidates, members[0]] = values
        else:
            self._singles[candidates] = values

    def _keys(self, members: Sequence[int], candidates: Ints) -> Sequence[int | bytes]:
        """Return the keys of a set with each candidate added."""
        mask = mask_of(members)
        masks = [mask | 1 << candidate for candidate in candidates.tolist()]
        return masks if self._n < WORD else [set_key(each) for each in masks]


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
        self.arities = arities
        self._joint = SetTerms(len(arities), by_position=True)
        margins = {r: SetTerms(len(arities), by_position=False) for r in set(arities)}
        self._margin = dict.fromkeys(arities, self._joint) if quotient else margins

    def get(self, child: int, parents: Sequence[int], mask: int) -> tuple[float, float]:
        """Return the two sums of a family, not numbers where they are not known; ``mask`` is that of the parents."""
        joint = self._joint.get((child, *parents), mask | 1 << int(child))
        return joint, self._margin[self.arities[child]].get(parents, mask)

    def keep(self, child: int, parents: Sequence[int], mask: int, sums: Sequence[float]) -> None:
        """Remember the two sums of a family."""
        self._joint.keep((child, *parents), mask | 1 << int(child), sums[0])
        self._margin[self.arities[child]].keep(parents, mask, sums[1])

    def get_additions(self, child: int, parents: Sequence[int], candidates: Ints) -> Floats:
        """Return the sums of the families with each candidate added, a row for each."""
        known = np.empty((candidates.size, 2))
        known[:, 0] = self._joint.get_additions((child, *parents), candidates)
        known[:, 1] = self._margin[self.arities[child]].get_additions(parents, candidates)
        return known

    def keep_additions(self, child: int, parents: Sequence[int], candidates: Ints, sums: Floats) -> None:
        """Remember the sums of the families with each candidate added."""
        self._joint.keep_additions((child, *parents), candidates, sums[:, 0])
        self._margin[self.arities[child]].keep_additions(parents, candidates, sums[:, 1])


def remember(cache: dict[Any, float], key: Any, value: float, most: int | None = None) -> None:
    """Keep a value; a cache that is full is emptied first."""
    if len(cache) >= (MOST_CACHED if most is None else most):
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

    @cached_property
    def _kinds(self) -> tuple[list[int], Ints]:
        """The numbers of states that there are, and for each column which of them it has."""
        kinds, which = np.unique(np.array(self.arities, np.int64), return_inverse=True)
        return kinds.tolist(), which

    def of_additions(self, child: int, parents: Sequence[int], candidates: Ints) -> float | Floats:
        """Return that of the families with each candidate added."""
        if self.closed is None:
            return 0.0
        q, r, size = math.prod(self.arities[p] for p in parents), self.arities[child], len(parents) + 1
        kinds, which = self._kinds
        return self.at([(q * arity, r, size) for arity in kinds])[which[candidates]]

    def at(self, keys: Sequence[tuple[int, int, int]]) -> Floats:
        """Return those of families given by (configurations of the parents, arity of the child, number of parents)."""
        unknown = [key for key in dict.fromkeys(keys) if key not in self._known]
        if unknown:
            numbers = [*(q * r for q, r, _ in unknown), *(q for q, _, _ in unknown)]
            sizes = np.array([*(size + 1.0 for _, _, size in unknown), *(float(size) for _, _, size in unknown)])
            logs = np.array([math.log(number) for number in numbers])
            values = self.differences(np.array([plain_float(number) for number in numbers]), logs, sizes)
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
