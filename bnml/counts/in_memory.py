"""The counts of a table in memory, by the kernels of this room over its distinct rows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from bnml._arrays import Bools, Floats, Ints, Numbers
from bnml._watch import Tell
from bnml.counts import pair_tests, sums
from bnml.counts.batches import FamilyBatch, Lookups, check_columns, configurations
from bnml.counts.cells import Cells, cells_of_rows, counts_of_cells, shape_of_cells
from bnml.counts.chi_square import Questions, Verdict
from bnml.data import Data
from bnml.data.targets import rows_not_setting

if TYPE_CHECKING:
    from bnml.counts._lattice_kernels import Bounds, Sums
    from bnml.counts.lattice import WalkOrder
    from bnml.counts.parent_sets import ParentSets, RowPairs, StartOfSets

KEPT = "counts"  # under which they are kept with a table


class InMemory:
    """The `Counts` of a `Data`."""

    def __init__(self, data: Data) -> None:
        self.names, self.states, self.arities = data.names, data.states, data.arities
        self.n_rows, self.n_distinct = data.n_rows, data.n_distinct
        self._weights = data.weights
        # the narrowest type that holds the sum of the weights: half the memory, twice the speed
        narrow = data.weights.astype(np.int32 if data.n_rows < 1 << 31 else np.int64)
        self._rows = sums.DistinctRows(data.column_codes, narrow, np.array(data.arities, np.int64))
        self._of_child = (
            None if data.targets is None else [_kept(rows_not_setting(data, v)) for v in range(len(self.names))]
        )

    def for_child(self, child: int) -> InMemory:
        """Return the counts that tell about a variable as a child: those of the rows in which it was not set."""
        return self if self._of_child is None else self._of_child[child]

    @property
    def in_engine(self) -> bool:
        """Whether an engine counts: the rows are here."""
        return False

    @property
    def nbytes(self) -> int:
        """How many bytes one look at all columns reads."""
        return self._rows.columns.nbytes

    def count_together(self, sets: Sequence[Sequence[int]]) -> None:
        """Do nothing: in memory each set is counted by itself."""

    def cells(self, variables: Sequence[int]) -> Cells:
        """Return the configurations that occur, however many are possible."""
        check_columns(len(self.names), variables)
        arities = [self.arities[v] for v in variables]
        return cells_of_rows(variables, arities, self._rows.columns, self._weights, variables)

    def table(self, variables: Sequence[int]) -> Ints:
        """Return the counts of every configuration: an array with one axis per variable."""
        from bnml.counts._kernels import MAX_DENSE, count_dense

        check_columns(len(self.names), variables)
        shape, columns = shape_of_cells(variables, self.arities), self._rows.columns
        if (size := math.prod(shape)) > MAX_DENSE:
            return counts_of_cells(shape, (columns[v] for v in variables), self._weights)
        counts = np.zeros(size, np.int64)
        count_dense(columns, self._weights, self._rows.arities, np.array(variables, np.int64), counts)
        return counts.reshape(shape)

    def family_sums(
        self, batch: FamilyBatch, lookups: Lookups, threads: int | None = None, *, checked: bool = False
    ) -> Floats:
        """Return for each family the sum over its joint table and the sum over its parents' table (0 without a child).

        ``checked``: the batch is known to hold columns of the table only.
        """
        return sums.family_sums(self._rows, batch, lookups, threads, checked=checked)

    def addition_sums(
        self, child: int, parents: Sequence[int], candidates: Ints, lookups: Lookups, threads: int | None = None
    ) -> Floats:
        """Return `family_sums` of the child's family plus each candidate as a parent, in one pass over the rows.

        These must be different columns of the table.
        """
        return sums.addition_sums(self._rows, child, parents, candidates, lookups, threads)

    def configurations(self, batch: FamilyBatch) -> tuple[Floats, Floats]:
        """Return how many configurations the sets of a batch have, and the logarithms."""
        return configurations(self._rows.arities, batch)

    def statistics(self, questions: Questions, verdict: Verdict, threads: int | None = None) -> tuple[Floats, Ints]:
        """Test each pair given one set after the other, until the verdict is that it is independent."""
        if pair_tests.pair_tests_fit(self._rows, questions):
            return pair_tests.pair_tests_in_memory(self._rows, questions, verdict, threads)
        return pair_tests.pair_tests_one_by_one(self.cells, questions, verdict)

    @property
    def walks(self) -> bool:
        """Whether `subset_sums` can be had: not if there are too many rows for it."""
        from bnml.counts import lattice

        return lattice.lattice_fits(self.n_rows, self.n_distinct, self.arities)

    def subset_sums(
        self, order: WalkOrder, sums: Sums, bounds: Bounds, wanted: Bools, out: Numbers, threads: int, done: Tell | None
    ) -> int:
        """Write the sums of all subsets that are wanted and that the bounds do not leave out."""
        from bnml.counts import lattice

        rows = lattice.packed_for_lattice(order, self._rows.columns, self._weights)
        return lattice.walk_lattice(rows, sums, bounds, wanted, out, threads, done)

    def parent_sets(
        self, child: int, candidates: Sequence[int], fixed: Sequence[int], start: StartOfSets, *, paired: bool
    ) -> ParentSets:
        """Return the parent sets of a child: the fixed parents with any of the candidates, a level at a time."""
        from bnml.counts.parent_sets import ParentSets

        return ParentSets(self._rows, child, candidates, fixed, start, self._pairs if paired else None)

    @cached_property
    def _pairs(self) -> RowPairs:
        from bnml.counts.parent_sets import pairs_of_rows

        return pairs_of_rows(self._rows)


def _kept(view: Data) -> InMemory:
    """Return the counts of a part of a table, which are kept with it."""
    known: InMemory | None = view.memo.get(KEPT)
    if known is None:
        known = view.memo[KEPT] = InMemory(view)
    return known
