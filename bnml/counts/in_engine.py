"""The counts of a table that stays in an SQL engine: contingency tables by queries, kept, and summed up from there.

A scan of the table is what costs, so one scan counts many sets of columns. Sets that are wanted are joined to *blocks*,
larger sets with a bounded number of cells: one block of eight columns answers for all of its 255 subsets, whose tables
are margins of its own. The keys of all blocks of a scan are numbered one after the other, so that the engine sees a
single column of whole numbers to group by (`bnml.data.engine_codes`). Blocks are kept up to a number of bytes, and what
is a margin of one of these is never asked for again. Sums over cells are made by the kernels that serve tables in
memory, whose rows are here the cells of a block: equal counts give equal sums.
"""

from __future__ import annotations

import math
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from itertools import combinations, pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from bnml._arrays import Floats, Ints
from bnml._bits import bits, mask_of
from bnml.counts import pair_tests
from bnml.counts.batches import (
    FamilyBatch,
    Lookups,
    batch_of,
    check_batch,
    check_columns,
    configurations,
)
from bnml.counts.chi_square import Questions, Verdict
from bnml.counts.counts import Cells, cells_of_rows, counts_of_cells, shape_of_cells
from bnml.counts.in_memory import DistinctRows, family_sums
from bnml.data.columns import column_code_type
from bnml.data.pushed_data import PushedData, rows_stay

if TYPE_CHECKING:
    from bnml.counts._lattice_kernels import Bounds, Sums
    from bnml.counts.lattice import WalkOrder
    from bnml.counts.parent_sets import ParentSets, StartOfSets

LEAST_BLOCK, MOST_BLOCK = 1 << 12, 1 << 18  # cells of a block; more would be too sparse, or too large to keep many
ROWS_PER_CELL = 32  # of a block, on average
BLOCKS_PER_SCAN = 64
CELLS_PER_SCAN = 1 << 23


class _Block(NamedTuple):
    """The cells of some columns that occur: a row of codes per column, in the order of columns, and their counts."""

    variables: tuple[int, ...]
    rows: DistinctRows
    counts: Ints

    @property
    def nbytes(self) -> int:
        return int(self.rows.columns.nbytes + self.rows.weights.nbytes + self.counts.nbytes)


class InEngine:
    """The `Counts` of a `PushedData`; ``scans`` is the number of queries that the engine was asked.

    Examples
    --------
    >>> import bnml, duckdb
    >>> from bnml.counts import counts_of
    >>> relation = duckdb.sql("SELECT range % 2 AS a, range % 3 AS b FROM range(600)")
    >>> counts = counts_of(bnml.read(relation, counting="push"))
    >>> counts.table([0, 1]).tolist(), counts.table([1]).tolist(), counts.scans
    ([[100, 100, 100], [100, 100, 100]], [200, 200, 200], 1)
    """

    def __init__(self, data: PushedData) -> None:
        self.names, self.states, self.arities = data.names, data.states, data.arities
        self.n_rows = data.n_rows
        self._data, self._coded = data, data.coded
        self._arities = np.array(data.arities, np.int64)
        self._kept: OrderedDict[int, _Block] = OrderedDict()
        self._bytes = 0
        self._most = max(LEAST_BLOCK, min(MOST_BLOCK, self.n_rows // ROWS_PER_CELL))
        self._code_type = column_code_type(max(self.arities))
        self._weight_type = np.int32 if self.n_rows < 1 << 31 else np.int64
        self._one_at_a_time = threading.RLock()  # searches count in several threads, and a connection has one
        self.scans = 0

    @property
    def n_distinct(self) -> int:
        """About how many distinct rows the engine has."""
        return self._coded.n_distinct

    @property
    def nbytes(self) -> int:
        """How many bytes are read here: none."""
        return 0

    @property
    def in_engine(self) -> bool:
        """Whether an engine counts, for which many sets are one scan."""
        return True

    def for_child(self, child: int) -> InEngine:
        """Return these counts: nothing was set in tables that stay in an engine."""
        return self

    # --- blocks ---

    def _cells_of(self, mask: int) -> int:
        return math.prod(self.arities[v] for v in bits(mask))

    def _known(self, mask: int) -> int | None:
        """Return the smallest block that is kept and has all columns of a set."""
        if mask in self._kept:
            return mask
        above = [own for own in self._kept if mask & ~own == 0]
        return min(above, key=lambda own: (self._kept[own].counts.size, own)) if above else None

    def _block(self, mask: int) -> _Block:
        """Return a block that has all columns of a set."""
        known = self._known(mask)
        if known is None:
            self._count([mask])
            known = self._known(mask)
            assert known is not None
        self._kept.move_to_end(known)
        return self._kept[known]

    def _blocks_for(self, masks: Iterable[int]) -> Iterable[tuple[list[int], _Block]]:
        """Yield blocks, each with those of the sets (by place) that it answers for; what is not known is counted.

        Sets come in portions that one or a few scans count, and each portion is answered before the next.
        """
        wanted = list(masks)
        open_places: list[int] = []
        ready: dict[int, list[int]] = {}
        for place, mask in enumerate(wanted):
            known = self._known(mask)
            if known is None:
                open_places.append(place)
            else:
                ready.setdefault(known, []).append(place)
        for known in ready:
            self._kept.move_to_end(known)
        answers = [(places, self._kept[known]) for known, places in ready.items()]
        yield from answers
        for blocks in self._portions({wanted[place] for place in open_places}):
            found = self._count(blocks)
            own: dict[int, list[int]] = {}
            left = []
            for place in open_places:
                block = next((b for b in blocks if wanted[place] & ~b == 0), None)
                if block is None:
                    left.append(place)
                else:
                    own.setdefault(block, []).append(place)
            open_places = left
            for block, places in own.items():
                yield places, found[block]

    def _portions(self, masks: set[int]) -> Iterable[list[int]]:
        """Join sets to blocks, and yield as many as one scan counts."""
        blocks: list[int] = []
        for mask in sorted(masks, key=lambda own: (-self._cells_of(own), own)):
            if any(mask & ~own == 0 for own in blocks):
                continue
            fits = (i for i, own in enumerate(blocks) if self._cells_of(own | mask) <= self._most)
            at = min(fits, key=lambda i: ((blocks[i] | mask).bit_count() - blocks[i].bit_count(), i), default=None)
            if at is None:
                blocks.append(mask)
            else:
                blocks[at] |= mask
        portion: list[int] = []
        cells = 0
        for block in blocks:
            size = min(self._cells_of(block), self.n_rows)
            if portion and (len(portion) == BLOCKS_PER_SCAN or cells + size > CELLS_PER_SCAN):
                yield portion
                portion, cells = [], 0
            portion.append(block)
            cells += size
        if portion:
            yield portion

    def _count(self, masks: Sequence[int]) -> dict[int, _Block]:
        """Let the engine count blocks, and keep them."""
        sets = [tuple(bits(mask)) for mask in masks]
        found = {}
        self.scans += 1
        for mask, variables, (keys, counts) in zip(masks, sets, self._coded.count_tables(sets), strict=True):
            columns = np.empty((len(variables), keys.size), self._code_type)
            rest = keys
            for place in range(len(variables) - 1, -1, -1):
                r = self.arities[variables[place]]
                columns[place] = rest % r
                rest = rest // r
            found[mask] = self._made(variables, columns, counts)
            self._keep(mask, found[mask])
        return found

    def _keep(self, mask: int, block: _Block) -> None:
        self._kept[mask] = block
        self._bytes += block.nbytes
        while self._bytes > 256 << 20 and len(self._kept) > 1:  # bytes of blocks
            _, oldest = self._kept.popitem(last=False)
            self._bytes -= oldest.nbytes

    def _count_all_pairs(self) -> None:
        """Count all pairs of columns, which every search begins with, by groups of columns: two groups are a block."""
        n = len(self.names)
        if n * (n - 1) // 2 > 20_000:
            return
        side = math.isqrt(self._most)
        groups: list[int] = []
        for v in sorted(range(n), key=lambda v: (-self.arities[v], v)):
            at = next((i for i, own in enumerate(groups) if self._cells_of(own) * self.arities[v] <= side), None)
            if at is None:
                groups.append(1 << v)
            else:
                groups[at] |= 1 << v
        blocks = [a | b for a, b in combinations(groups, 2)] or groups
        new = [block for block in blocks if self._known(block) is None]
        for start in range(0, len(new), BLOCKS_PER_SCAN):
            self._count(new[start : start + BLOCKS_PER_SCAN])

    # --- tables ---

    def count_together(self, sets: Sequence[Sequence[int]]) -> None:
        """Count sets of columns in as few scans as there can be, and keep what fits."""
        with self._one_at_a_time:
            for _ in self._blocks_for(mask_of(own) for own in sets):
                pass

    def cells(self, variables: Sequence[int]) -> Cells:
        """Return the configurations that occur, however many are possible."""
        check_columns(len(self.names), variables)
        with self._one_at_a_time:
            block = self._block(mask_of(variables))
        places = [block.variables.index(v) for v in variables]
        arities = [self.arities[v] for v in variables]
        return cells_of_rows(variables, arities, block.rows.columns, block.counts, places)

    def table(self, variables: Sequence[int]) -> Ints:
        """Return the counts of every configuration: an array with one axis per variable."""
        check_columns(len(self.names), variables)
        shape = shape_of_cells(variables, self.arities)
        with self._one_at_a_time:
            block = self._block(mask_of(variables))
        return counts_of_cells(shape, (block.rows.columns[block.variables.index(v)] for v in variables), block.counts)

    # --- sums ---

    def family_sums(
        self, batch: FamilyBatch, lookups: Lookups, threads: int | None = None, *, checked: bool = False
    ) -> Floats:
        """Return for each family the sum over its joint table and the sum over its parents' table (0 without a child).

        ``checked``: the batch is known to hold columns of the table only.
        """
        if not checked:
            check_batch(len(self.names), batch)
        bounds = batch.offsets.tolist()
        members = batch.members.tolist()
        sets = [members[low:high] for low, high in pairwise(bounds)]
        with self._one_at_a_time:
            return self._sums(batch, sets, lookups, threads)

    def _sums(self, batch: FamilyBatch, sets: Sequence[Sequence[int]], lookups: Lookups, threads: int | None) -> Floats:
        """Return the sums of `family_sums`, for sets that are given as lists, too."""
        if len(sets) > 1 and all(len(own) <= 2 for own in sets) and not self._kept:
            self._count_all_pairs()
        out = np.zeros((len(sets), 2))
        for places, block in self._with_large_alone(sets, self._blocks_for(map(mask_of, sets))):
            at = {v: place for place, v in enumerate(block.variables)}
            inside = [[at[v] for v in sets[place]] for place in places]
            offsets = np.zeros(len(places) + 1, np.int64)
            np.cumsum([len(own) for own in inside], out=offsets[1:])
            own = FamilyBatch(
                np.array([v for one in inside for v in one], np.int64), offsets, batch.position[np.array(places)]
            )
            out[places] = family_sums(block.rows, own, lookups, threads, checked=True, limit=self._dense)
        return out

    def _with_large_alone(
        self, sets: Sequence[Sequence[int]], found: Iterable[tuple[list[int], _Block]]
    ) -> Iterable[tuple[list[int], _Block]]:
        """Yield the same, but sets of many cells with a block of their own, so that no sum depends on what was kept."""
        for places, block in found:
            large = [
                place
                for place in places
                if len(sets[place]) < len(block.variables) and self._cells_of(mask_of(sets[place])) > self._dense
            ]
            for place in large:
                yield [place], self._margin(block, sets[place])
            if len(large) < len(places):
                yield [place for place in places if place not in large], block

    def _margin(self, block: _Block, variables: Sequence[int]) -> _Block:
        """Return the cells of some columns of a block, in the order of their codes."""
        from bnml.data.grouping import group_rows

        places = [block.variables.index(v) for v in variables]
        arities = [self.arities[v] for v in variables]
        codes, counts, _ = group_rows(np.ascontiguousarray(block.rows.columns[places]), arities, block.counts)
        return self._made(tuple(variables), np.ascontiguousarray(codes.T), counts)

    def _made(self, variables: tuple[int, ...], columns: npt.NDArray[Any], counts: Ints) -> _Block:
        weights = counts.astype(self._weight_type)
        for array in (columns, counts, weights):
            array.setflags(write=False)  # as the kernels know them
        return _Block(variables, DistinctRows(columns, weights, self._arities[list(variables)]), counts)

    @property
    def _dense(self) -> int:
        """Up to how many cells a table is summed in the order of its configurations, as in memory."""
        from bnml.counts._kernels import MAX_DENSE

        return min(MAX_DENSE, max(1024, 4 * self.n_distinct))

    def addition_sums(
        self, child: int, parents: Sequence[int], candidates: Ints, lookups: Lookups, threads: int | None = None
    ) -> Floats:
        """Return `family_sums` of the child's family plus each candidate as a parent, counted by one scan.

        These must be different columns of the table.
        """
        with self._one_at_a_time:
            if not parents and candidates.size > 1 and self._known(1 << child | 1 << int(candidates[0])) is None:
                self._count_all_pairs()
        batch = batch_of([child] * candidates.size, [(*parents, candidate) for candidate in candidates.tolist()])
        return self.family_sums(batch, lookups, threads, checked=True)

    def configurations(self, batch: FamilyBatch) -> tuple[Floats, Floats]:
        """Return how many configurations the sets of a batch have, and the logarithms."""
        return configurations(self._arities, batch)

    def statistics(self, questions: Questions, verdict: Verdict, threads: int | None = None) -> tuple[Floats, Ints]:
        """Test each pair given one set after the other, until the verdict is that it is independent.

        The tables of all tests of the batch are counted together.
        """
        pairs = zip(questions.xs.tolist(), questions.ys.tolist(), strict=True)
        both = [1 << x | 1 << y for x, y in pairs]
        each = np.diff(questions.offsets).tolist()
        around = [own for own, number in zip(both, each, strict=True) for _ in range(number)]
        masks = [own | mask_of(given) for own, given in zip(around, questions.sets.tolist(), strict=True)]
        with self._one_at_a_time:
            if len(masks) > 1 and questions.sets.shape[1] == 0 and not self._kept:
                self._count_all_pairs()
            for _ in self._blocks_for(dict.fromkeys(masks)):
                pass
        return pair_tests.pair_tests_one_by_one(self.cells, questions, verdict)

    # --- what needs rows ---

    @property
    def walks(self) -> bool:
        """Whether `subset_sums` can be had: not without rows."""
        return False

    def subset_sums(
        self,
        order: WalkOrder,
        sums: Sums,
        bounds: Bounds,
        wanted: npt.NDArray[np.bool_],
        out: npt.NDArray[Any],
        threads: int,
        done: Callable[[float], None] | None = None,
    ) -> int:
        """Refuse: a walk over all subsets needs the rows."""
        raise rows_stay(self._data, "a walk over all sets of columns")

    def parent_sets(
        self, child: int, candidates: Sequence[int], fixed: Sequence[int], start: StartOfSets, *, paired: bool
    ) -> ParentSets:
        """Refuse: lists of parent sets need the rows."""
        raise rows_stay(self._data, "a list of parent sets")
