"""What is known of the families of a table under a score: lookup tables, sums over cells, closed forms.

It is kept with the table, and so knows its counts and not the table itself: nothing stays in memory once the table is
gone.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from bnml._arrays import Floats, Ints
from bnml._bits import WORD, mask_of, set_key
from bnml._checks import plain_float
from bnml._costs import BYTES
from bnml.counts import Counts, Lookups, family_counts
from bnml.counts.batches import counts_before_tail, fit_tails, no_tails, tail_counts
from bnml.errors import ScoreError
from bnml.scores.base import Closed, Score, Shape, Terms


class FamilyTerms:
    """A score's terms for a table.

    Parameters
    ----------
    counts
        The counts of the table.
    score
        The score.
    """

    def __init__(self, counts: Counts, score: Score) -> None:
        self.counts, self.score = counts, score
        self.shape = Shape(counts.n_rows, counts.arities)

    @cached_property
    def outline(self) -> Terms | None:
        """What `terms` will be, with tables that hardly have an entry; None for a score without tables."""
        return self.score.terms(replace(self.shape, some_counts=np.zeros(1, np.int64)))

    @cached_property
    def terms(self) -> Terms | None:
        """The score's tables for small counts (`bnml.counts.batches`); None if it has none."""
        return self._tables[0]

    @cached_property
    def tails(self) -> Floats:
        """The tails of the joint table and of the margins' tables, by arity."""
        return self._tables[1]

    @cached_property
    def _tables(self) -> tuple[Terms | None, Floats]:
        if self.outline is None:
            return None, no_tails(0)
        n_tables, n_rows = 1 + len(self.outline.margin), self.shape.n_rows
        wanted = tail_counts(n_rows) if self.outline.ess == 0.0 else np.zeros(0, np.int64)
        if not wanted.size:
            return self.score.terms(self.shape if self.outline.ess == 0.0 else self._small), no_tails(n_tables)
        beyond = self.score.terms(replace(self.shape, some_counts=wanted))
        assert beyond is not None
        tails = fit_tails(wanted, [beyond.joint, *(beyond.margin[r] for r in sorted(beyond.margin))])
        if tails is not None:
            return self.score.terms(self._small), tails
        if n_tables * n_rows > 1 << 26:  # entries of tables that are not smooth; 512 MB
            raise ScoreError(f"{self.score.name} is not smooth in the counts of a cell: {n_rows:,} rows are too many")
        return self.score.terms(self.shape), no_tails(n_tables)

    @property
    def _small(self) -> Shape:
        return replace(self.shape, some_counts=counts_before_tail(self.shape.n_rows))

    @property
    def quotient(self) -> bool:
        """Whether ``M = J``: a family's score is the difference of the terms of two sets."""
        return self.outline is not None and not self.outline.margin

    @cached_property
    def lookups(self) -> Lookups:
        """The tables in the form that counts take."""
        assert self.terms is not None
        arities = sorted(self.terms.margin)
        table = np.ascontiguousarray(np.stack([self.terms.joint, *(self.terms.margin[r] for r in arities)]))
        return Lookups(
            table, {r: row for row, r in enumerate(arities, 1)}, self.terms.ess, self.tails, self.terms.parts
        )

    @cached_property
    def cache(self) -> TermCache:
        """The sums over cells that have been computed."""
        return TermCache(self.counts.arities, self.quotient)

    @cached_property
    def closed(self) -> ClosedForms:
        """The closed forms of families."""
        return ClosedForms(self.counts.arities, None if self.outline is None else self.outline.closed)

    @cached_property
    def one_by_one(self) -> OneByOne:
        """The scores of families, for a score without tables."""
        return OneByOne(self.counts, self.score)


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
            _remember(self._others, mask if self._n < WORD else set_key(mask), value, self._most)
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


def _remember(cache: dict[Any, float], key: Any, value: float, most: int | None = None) -> None:
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
                _remember(self._known, key, value)
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


class OneByOne:
    """The scores of families that are counted one after the other, for a score without tables (BDs, BDe)."""

    def __init__(self, counts: Counts, score: Score) -> None:
        self.counts, self.score = counts, score
        self._known: dict[tuple[int, int | bytes], float] = {}

    def family(self, child: int, parents: Sequence[int]) -> float:
        """Return the score of one family, without any prior."""
        key = (child, set_key(mask_of(parents)))
        value = self._known.get(key)
        if value is None:
            value = self.score.family(family_counts(self.counts, child, parents), self.counts)
            _remember(self._known, key, value)
        return value
