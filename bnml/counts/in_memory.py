"""The counts of a table in memory, by the kernels of this room over its distinct rows.

Counts are seldom wanted for themselves. A score adds up a lookup table over the cells of a family's joint table and
over those of its parents' table, so the kernels count and add up in one go, a batch of families at a time.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from bnml._arrays import Bools, Floats, Ints, Numbers
from bnml._machine import cores, run_all
from bnml._watch import Tell
from bnml.counts.batches import FamilyBatch, Lookups, batch_of, check_batch, check_columns, configurations
from bnml.counts.chi_square import Questions, Verdict
from bnml.counts.counts import KEPT, Cells, cells_of_rows, counts_of_cells, shape_of_cells
from bnml.data import Data
from bnml.data.targets import rows_not_setting

if TYPE_CHECKING:
    from bnml.counts._lattice_kernels import Bounds, Sums
    from bnml.counts.lattice import WalkOrder
    from bnml.counts.parent_sets import ParentSets, RowPairs, StartOfSets


class InMemory:
    """The `Counts` of a `Data`."""

    def __init__(self, data: Data) -> None:
        self.names, self.states, self.arities = data.names, data.states, data.arities
        self.n_rows, self.n_distinct = data.n_rows, data.n_distinct
        self._weights = data.weights
        # the narrowest type that holds the sum of the weights: half the memory, twice the speed
        narrow = data.weights.astype(np.int32 if data.n_rows < 1 << 31 else np.int64)
        self._rows = DistinctRows(data.column_codes, narrow, np.array(data.arities, np.int64))
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
        return family_sums(self._rows, batch, lookups, threads, checked=checked)

    def addition_sums(
        self, child: int, parents: Sequence[int], candidates: Ints, lookups: Lookups, threads: int | None = None
    ) -> Floats:
        """Return `family_sums` of the child's family plus each candidate as a parent, in one pass over the rows.

        These must be different columns of the table.
        """
        return addition_sums(self._rows, child, parents, candidates, lookups, threads)

    def configurations(self, batch: FamilyBatch) -> tuple[Floats, Floats]:
        """Return how many configurations the sets of a batch have, and the logarithms."""
        return configurations(self._rows.arities, batch)

    def statistics(self, questions: Questions, verdict: Verdict, threads: int | None = None) -> tuple[Floats, Ints]:
        """Test each pair given one set after the other, until the verdict is that it is independent."""
        from bnml.counts import pair_tests

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


WORTH_A_THREAD = 8_000_000  # codes to visit before a second thread pays
CODES_PER_TASK = 80_000_000  # well under 0.3 s
CELLS_PER_TASK = 1 << 19  # of all tables that one pass over the rows fills: they should stay in a cache


class DistinctRows(NamedTuple):
    """The distinct rows of a table as the kernels take them: a row of codes per column, weights, arities."""

    columns: npt.NDArray[np.unsignedinteger[Any]]
    weights: npt.NDArray[Any]
    arities: Ints

    @property
    def n_distinct(self) -> int:
        """Number of distinct rows."""
        return int(self.columns.shape[1])


def _dense_limit(rows: DistinctRows) -> int:
    """Return up to how many cells a table is counted densely: beyond, most would be empty."""
    from bnml.counts._kernels import MAX_DENSE

    return min(MAX_DENSE, max(1024, 4 * rows.n_distinct))


def family_sums(
    rows: DistinctRows,
    batch: FamilyBatch,
    lookups: Lookups,
    threads: int | None = None,
    *,
    checked: bool = False,
    limit: int | None = None,
) -> Floats:
    """Return for each family the sum over its joint table and the sum over its parents' table (0 without a child).

    ``checked``: the batch is known to hold columns of the table only. ``limit``: up to how many cells a table is
    counted densely, which the order of a sum depends on; by default as fits the number of rows.
    """
    from bnml.counts._kernels import sum_families

    if not checked:
        check_batch(rows.arities.size, batch)
    n = len(batch)
    plain, arities = tuple(rows), rows.arities
    margin_row = _margin_rows(batch, arities, lookups)
    joint_a = margin_a = np.empty((n, 0))
    if lookups.ess > 0:
        joint_a, margin_a = _hyperparameters(lookups, *configurations(arities, batch))
    out = np.zeros((n, 2))
    limit = _dense_limit(rows) if limit is None else limit

    def task(start: int, stop: int) -> None:
        part = slice(start, stop)
        sets = (batch.members, batch.offsets[start : stop + 1], batch.position[part])
        terms = (lookups.table, lookups.tails, margin_row[part], joint_a[part], margin_a[part])
        sum_families(plain, sets, terms, limit, out[part])

    codes = (n + batch.members.size) * rows.n_distinct
    _run(task, n, codes, threads)
    return out


def _margin_rows(batch: FamilyBatch, arities: Ints, lookups: Lookups) -> Ints:
    """Return for each family the row of the lookups for its parents' table."""
    margin_rows = np.zeros(len(batch), np.int64)
    if lookups.row_of:
        row_of = np.zeros(max(lookups.row_of) + 1, np.int64)
        row_of[list(lookups.row_of)] = list(lookups.row_of.values())
        has_child = batch.position >= 0
        margin_rows[has_child] = row_of[arities[batch.members[(batch.offsets[:-1] + batch.position)[has_child]]]]
    return margin_rows


def _hyperparameters(lookups: Lookups, numbers: Floats, logs: Floats) -> Floats:
    """Return a = ess / (number of configurations), log a, and how many parts a row is."""
    found = np.empty((*numbers.shape, 3))
    np.divide(lookups.ess, numbers, out=found[..., 0])
    np.subtract(math.log(lookups.ess), logs, out=found[..., 1])
    found[..., 2] = lookups.parts
    return found


def _run(task: Callable[[int, int], None], n: int, codes: int, threads: int | None, least_parts: int = 1) -> None:
    """Cut n things to do into tasks that last a fraction of a second, and run them on one or more threads."""
    workers = cores(threads)
    if codes <= min(WORTH_A_THREAD, CODES_PER_TASK) and least_parts == 1:
        task(0, n)
        return
    if codes <= WORTH_A_THREAD:
        workers = 1
    parts = max(1 if workers == 1 else 4 * workers, -(-codes // CODES_PER_TASK), least_parts)
    parts = max(min(parts, n), 1)
    run_all(task, pairwise(n * i // parts for i in range(parts + 1)), workers)


def addition_sums(
    rows: DistinctRows, child: int, parents: Sequence[int], chosen: Ints, lookups: Lookups, threads: int | None = None
) -> Floats:
    """Return `family_sums` of the child's family plus each of the chosen as a parent, in one pass over the rows.

    These must be different columns of the table.
    """
    from bnml.counts._kernels import sum_additions

    arities = rows.arities
    base = np.array(sorted((*parents, child)), np.int64)
    base_cells, limit = math.prod(arities[base].tolist()), _dense_limit(rows)
    fits = base_cells * arities[chosen] <= limit if base_cells <= limit else np.zeros(chosen.size, bool)
    small, large = fits.nonzero()[0], (~fits).nonzero()[0]
    out = np.empty((chosen.size, 2))
    if large.size:
        batch = batch_of([child] * large.size, [(*parents, int(chosen[i])) for i in large])
        out[large] = family_sums(rows, batch, lookups, threads)
    if not small.size:
        return out
    r = int(arities[child])
    cells = base_cells * arities[chosen[small]]
    joint_a = margin_a = np.empty((small.size, 0))
    if lookups.ess > 0:
        numbers = np.stack([cells / 1, cells / r])
        joint_a, margin_a = _hyperparameters(lookups, numbers, np.log(numbers))
    margin_row = np.full(small.size, lookups.row_of.get(r, 0), np.int64)
    results = np.empty((small.size, 2))
    plain = tuple(rows)
    position = int(np.searchsorted(base, child))

    def task(start: int, stop: int) -> None:
        part = slice(start, stop)
        terms = (lookups.table, lookups.tails, margin_row[part], joint_a[part], margin_a[part])
        sum_additions(plain, base, position, chosen[small[part]], terms, results[part])

    codes = (base.size + 2 * small.size) * rows.n_distinct
    _run(task, small.size, codes, threads, least_parts=-(-int(cells.sum()) // CELLS_PER_TASK))
    out[small] = results
    return out
