"""All parent sets of a child, a level at a time: what the kernel needs, and what it finds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from bnml._bits import WORD_BITS
from bnml._costs import SECONDS
from bnml.counts.in_memory import DistinctRows

if TYPE_CHECKING:
    from bnml.counts._parent_set_kernels import ChildRows, Costs, Level

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

PART_SECONDS = 0.2
MOST_IN_PART = 1 << 16
SEED = 20060613
MOST_COMPARED = 2000  # rows
MOST_PAIRS = 62 * 32  # that are told apart


class LevelPart(NamedTuple):
    """What was found of some sets of a level, how many were counted, and how many have too many configurations."""

    numbers: Ints
    values: Floats
    subsets: npt.NDArray[np.int32]
    counted: int
    beyond: int


class StartOfSets(NamedTuple):
    """What is known of the parents that every set has.

    Their score with the child, the sum of n log n over their cells, the fit of the child, or a bound on the scores of
    larger sets, and the number of their configurations among those that sets can have.
    """

    score: float
    term: float
    fit: float
    number: int


class ListedSets(NamedTuple):
    """Sets that are better than their subsets: their members, and their scores up to rounding."""

    members: npt.NDArray[np.int32]
    scores: Floats


class RowPairs(NamedTuple):
    """Pairs of some rows, those that differ in few columns first."""

    rows: Ints
    first: npt.NDArray[np.int32]
    second: npt.NDArray[np.int32]


def pairs_of_rows(rows: DistinctRows) -> RowPairs:
    """Return the pairs of rows that bound parent sets: all, or of as many rows as are quickly compared."""
    from bnml.counts._parent_set_kernels import pairs_by_distance

    chosen = np.arange(rows.n_distinct)
    if chosen.size > MOST_COMPARED:
        chosen = np.sort(np.random.default_rng(SEED).choice(chosen, MOST_COMPARED, replace=False))
    number = chosen.size * (chosen.size - 1) // 2
    first, second = np.empty(number, np.int32), np.empty(number, np.int32)
    pairs_by_distance(rows.columns, chosen, np.zeros(len(rows.columns) + 2, np.int64), first, second)
    return RowPairs(chosen, first, second)


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
    pairs
        Pairs of rows, for bounds on the fit; None for none.
    """

    def __init__(
        self,
        rows: DistinctRows,
        child: int,
        candidates: Sequence[int],
        fixed: Sequence[int],
        start: StartOfSets,
        pairs: RowPairs | None = None,
    ) -> None:
        from bnml.counts._kernels import partition_rows
        from bnml.counts._parent_set_kernels import ChildRows, Level

        labels = np.zeros(rows.n_distinct, np.int64)
        n_cells = partition_rows(rows.columns, rows.arities, np.array(fixed, np.int64), labels) if fixed else 1
        chosen = np.array(candidates, np.int64)
        self.rows: ChildRows = ChildRows(
            np.ascontiguousarray(rows.columns[child]),
            rows.columns,
            chosen,
            rows.weights,
            int(rows.arities[child]),
            rows.arities[chosen],
            labels.astype(np.int32),
            int(n_cells),
            np.zeros((chosen.size, 0), np.int64),
            0,
        )
        if pairs is not None and chosen.size:
            self._match(pairs)
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
            np.array([start.number], np.int32),
            np.zeros(0),
        )

    def _match(self, pairs: RowPairs) -> None:
        """Match rows that differ in the child."""
        from bnml.counts._parent_set_kernels import match_rows

        left = np.zeros(self.rows.child.size, np.int64)
        left[pairs.rows] = np.minimum(self.rows.weights[pairs.rows], MOST_PAIRS)
        words = -(-min(int(left.sum()) // 2, MOST_PAIRS) // WORD_BITS)
        told_apart = np.zeros((self.rows.arities.size, words), np.int64)
        n_pairs = int(match_rows(self.rows, pairs.first, pairs.second, left, told_apart))
        self.rows = self.rows._replace(told_apart=told_apart[:, : -(-n_pairs // WORD_BITS)].copy(), n_pairs=n_pairs)

    @property
    def size(self) -> int:
        """How many candidates the sets of this level have."""
        return int(self.level.members.shape[1])

    @property
    def n_open(self) -> int:
        """How many sets are open."""
        return int(self.level.members.shape[0])

    @property
    def n_next(self) -> int:
        """How many sets the next level would look at."""
        return int(self.level.members[:, -1].sum()) if self.size else int(self.rows.arities.size)

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
        most = int(min(MOST_IN_PART, max(64.0, PART_SECONDS / (SECONDS.parent_set_row * self.rows.child.size))))
        cuts = np.searchsorted(ends, np.arange(most, int(ends[-1]) + most, most), side="right")
        edges = np.unique(np.concatenate([[0], cuts, [ends.size]]))
        return list(zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True))

    def extend(self, costs: Costs, span: tuple[int, int], most_cells: float) -> LevelPart:
        """Look at some open sets, of at most so many cells, each with one more candidate below its lowest."""
        from bnml.counts._parent_set_kernels import FoundSets, Room, extend

        k, rows, level = self.size, self.rows, self.level
        first, last = span
        lowest = level.members[first:last, -1] if k else np.array([rows.arities.size])
        most = int(lowest.sum())
        if most == 0:
            return LevelPart(np.zeros((0, 4), np.int64), np.zeros((0, 4)), np.zeros((0, k + 1), np.int32), 0, 0)
        n_rows = rows.child.size
        largest = int(rows.arities.max()) * int(min(n_rows, most_cells))
        cells = np.empty((k + 1, n_rows), np.int32)
        cells[0] = rows.cells
        n_cells = np.zeros(k + 1, np.int64)
        n_cells[0] = rows.n_cells
        # the 8 candidates that tell most pairs apart count one by one, the others like the last
        room = Room(
            cells, n_cells, np.full(k, -1, np.int64), np.empty(largest * rows.arity, np.int64),
            np.empty(largest, np.int32), np.empty(k + 1, np.int64),
            np.zeros((2, rows.told_apart.shape[1]), np.int64), np.zeros(8, np.int64),
        )  # fmt: skip
        found = FoundSets(np.empty((most, 4), np.int64), np.empty((most, 4)), np.empty((most, k + 1), np.int32))
        used, counted, beyond = extend(rows, costs, level, (first, last), room, found)
        return LevelPart(
            found.numbers[:used].copy(),
            found.values[:used].copy(),
            found.subsets[:used].copy(),
            int(counted),
            int(beyond),
        )

    def advance(self, parts: Sequence[LevelPart]) -> ListedSets:
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
            np.ascontiguousarray(value[:, kernels.BEST]), np.ascontiguousarray(value[:, kernels.TERM]),
            np.ascontiguousarray(value[:, kernels.REACH]),
            number[:, kernels.INDEX].astype(np.int32), old.cost,
        )  # fmt: skip
        return found
