"""All parent sets of a child, a level at a time: what the kernel needs, and what it finds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from bnml.counts.sums import DistinctRows

if TYPE_CHECKING:
    from bnml.counts._parent_set_kernels import ChildRows, Costs, Level

__all__ = ["ListedSets", "ParentSets", "Part", "StartOfSets"]

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

SECONDS_PER_ROW = 2e-9  # of one set
PART_SECONDS = 0.2
MOST_IN_PART = 1 << 16
SEED = 20060613


class Part(NamedTuple):
    """What was found of some sets of a level, and how many were counted."""

    numbers: Ints
    values: Floats
    subsets: npt.NDArray[np.int32]
    counted: int


class StartOfSets(NamedTuple):
    """What is known of the parents that every set has: their score with the child, the sum of n log n over their cells,

    the fit of the child, or a bound on the scores of larger sets, and the index of their number of configurations.
    """

    score: float
    term: float
    fit: float
    index: int


class ListedSets(NamedTuple):
    """Sets that are better than their subsets: their members, and their scores up to rounding."""

    members: npt.NDArray[np.int32]
    scores: Floats


class ParentSets:
    """The parent sets of a child: some fixed parents and any of the candidates, as far as they are open.

    Parameters
    ----------
    rows
        The table.
    child, candidates, fixed
        Columns by number; the candidates with few states first.
    start
        What is known of the fixed parents alone.
    """

    def __init__(
        self, rows: DistinctRows, child: int, candidates: Sequence[int], fixed: Sequence[int], start: StartOfSets
    ) -> None:
        from bnml.counts._kernels import partition
        from bnml.counts._parent_set_kernels import ChildRows, Level

        labels = np.zeros(rows.n_distinct, np.int64)
        n_cells = partition(rows.columns, rows.arities, np.array(fixed, np.int64), labels) if fixed else 1
        chosen = np.array(candidates, np.int64)
        self.rows: ChildRows = ChildRows(
            np.ascontiguousarray(rows.columns[child]),
            np.ascontiguousarray(rows.columns[chosen]),
            rows.weights.astype(np.int64),
            int(rows.arities[child]),
            rows.arities[chosen],
            labels.astype(np.int32),
            int(n_cells),
        )
        codes = np.random.default_rng(SEED).integers(1 << 62, size=chosen.size)
        self.level: Level = Level(
            np.zeros((1, 0), np.int32),
            np.zeros((1, 0), np.int32),
            np.zeros(1, np.int64),
            np.full(2, -1, np.int32),
            codes,
            np.array([start.score]),
            np.array([start.term]),
            np.array([start.fit]),
            np.array([start.index], np.int32),
            np.zeros(0),
        )

    @property
    def size(self) -> int:
        """How many candidates the sets of this level have."""
        return int(self.level.members.shape[1])

    @property
    def n_open(self) -> int:
        """How many sets are open."""
        return int(self.level.members.shape[0])

    @property
    def nbytes(self) -> int:
        """How many bytes this level takes."""
        return sum(part.nbytes for part in self.level)

    @property
    def indices(self) -> npt.NDArray[np.int32]:
        """The index of the number of configurations of each open set."""
        indices: npt.NDArray[np.int32] = self.level.index
        return indices

    def spans(self) -> list[tuple[int, int]]:
        """Return the parts of this level that one call each looks at: a fraction of a second, not too many sets."""
        lowest = self.level.members[:, -1] if self.size else np.array([self.rows.arities.size])
        ends = np.cumsum(lowest, dtype=np.int64)
        most = int(min(MOST_IN_PART, max(64.0, PART_SECONDS / (SECONDS_PER_ROW * self.rows.child.size))))
        cuts = np.searchsorted(ends, np.arange(most, int(ends[-1]) + most, most), side="right")
        edges = np.unique(np.concatenate([[0], cuts, [ends.size]]))
        return list(zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True))

    def extend(self, costs: Costs, span: tuple[int, int], most_cells: float) -> Part:
        """Look at some open sets, of at most so many cells, each with one more candidate below its lowest."""
        from bnml.counts._parent_set_kernels import Found, Room, extend

        k, rows, level = self.size, self.rows, self.level
        first, last = span
        lowest = level.members[first:last, -1] if k else np.array([rows.arities.size])
        most = int(lowest.sum())
        if most == 0:
            return Part(np.zeros((0, 4), np.int64), np.zeros((0, 4)), np.zeros((0, k + 1), np.int32), 0)
        n_rows = rows.child.size
        largest = int(rows.arities.max()) * int(min(n_rows, most_cells))
        cells = np.empty((k + 1, n_rows), np.int32)
        cells[0] = rows.cells
        n_cells = np.zeros(k + 1, np.int64)
        n_cells[0] = rows.n_cells
        room = Room(
            cells, n_cells, np.full(k, -1, np.int64), np.empty(largest * rows.arity, np.int64),
            np.empty(largest, np.int32), np.empty(k + 1, np.int64),
        )  # fmt: skip
        found = Found(np.empty((most, 4), np.int64), np.empty((most, 4)), np.empty((most, k + 1), np.int32))
        used, counted = extend(rows, costs, level, (first, last), room, found)
        return Part(found.numbers[:used].copy(), found.values[:used].copy(), found.subsets[:used].copy(), int(counted))

    def advance(self, parts: Sequence[Part]) -> ListedSets:
        """Go to the next level, with the sets that are open; return those that are better than their subsets."""
        from bnml.counts import _parent_set_kernels as kernels

        numbers = np.concatenate([part.numbers for part in parts])
        values = np.concatenate([part.values for part in parts])
        subsets = np.concatenate([part.subsets for part in parts])
        old = self.level

        def members(chosen: npt.NDArray[np.bool_]) -> npt.NDArray[np.int32]:
            own = numbers[chosen]
            added = own[:, kernels.CANDIDATE, None].astype(np.int32)
            return np.ascontiguousarray(np.concatenate([old.members[own[:, kernels.PARENT]], added], axis=1))

        says = numbers[:, kernels.SAYS]
        listed, open_ = says & kernels.LISTED > 0, says & kernels.OPEN > 0
        found = ListedSets(members(listed), values[listed, kernels.SCORE])
        mine, number = members(open_), numbers[open_]
        keys = old.keys[number[:, kernels.PARENT]] ^ old.codes[number[:, kernels.CANDIDATE]]
        slots = np.full(1 << max(1, (2 * keys.size).bit_length()), -1, np.int32)
        kernels.find_slots(keys, slots)
        value = values[open_]
        self.level = kernels.Level(
            mine, np.ascontiguousarray(subsets[open_]), keys, slots, old.codes,
            *(np.ascontiguousarray(value[:, at]) for at in (kernels.BEST, kernels.TERM, kernels.REACH)),
            number[:, kernels.INDEX].astype(np.int32), old.cost,
        )  # fmt: skip
        return found

