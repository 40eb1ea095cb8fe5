"""Sums over the cells of the contingency tables of all subsets of the columns.

A family's score is a difference of two such sums, so 2^n of them hold all n · 2^(n-1) families. They are found by a
walk that refines a partition of the rows, one column at a time (`bnml.counts._lattice_kernels`), hundreds of times
faster than by counting each table afresh.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from bnml._arrays import Bools, Floats, Ints, Numbers
from bnml._bits import WORD_BITS
from bnml._costs import SECONDS
from bnml._machine import run_all
from bnml._watch import Tell
from bnml.counts.counts import Counts, counts_of
from bnml.data import Data

if TYPE_CHECKING:
    from bnml.counts._lattice_kernels import Bounds, PackedRows, Stack, Sums

TASK_SECONDS = 0.1
MOST_ROWS = 1 << 22  # distinct ones; more overflow the count of rows in a cell
MOST_WEIGHT = 1 << 40  # of all rows together; it shares a number with the count of rows
MOST_CELLS = 1 << 31  # rows times states; cells have 32-bit numbers


@dataclass(frozen=True)
class WalkOrder:
    """The columns in the order of the walk, those with few states first, and the indices of sets.

    Rows split fastest on columns with many states, which the walk adds first. Sets that have as many columns of each
    arity share an index, the sum of ``steps``: whatever depends on the number of configurations and of columns only
    has one entry for each index.
    """

    table: Data | Counts

    @cached_property
    def counts(self) -> Counts:
        """The counts of the table."""
        return counts_of(self.table)

    @property
    def n(self) -> int:
        """Number of columns."""
        return len(self.table.names)

    @cached_property
    def columns(self) -> tuple[int, ...]:
        """The column at each place of the order."""
        arities = self.table.arities
        return tuple(sorted(range(self.n), key=lambda column: (arities[column], column)))

    @cached_property
    def arities(self) -> Ints:
        """Number of states, in the order of the walk."""
        return np.array([self.table.arities[column] for column in self.columns], np.int64)

    @cached_property
    def kinds(self) -> tuple[Ints, Ints]:
        """The arities that there are, and how many columns have each."""
        kinds, numbers = np.unique(self.arities, return_counts=True)
        return kinds, numbers

    @cached_property
    def kind_steps(self) -> Ints:
        """What a column of each arity adds to the index of a set."""
        return np.cumprod([1, *(self.kinds[1][:-1] + 1)]).astype(np.int64)

    @cached_property
    def sizes(self) -> Floats:
        """How many columns the sets with each index have."""
        return self.accumulated(np.ones(self.kinds[0].size))

    @cached_property
    def configurations(self) -> Floats:
        """How many configurations the sets with each index have; infinite where that is more than a float holds."""
        numbers = np.ones(1)
        with np.errstate(over="ignore"):
            for r, number in zip(self.kinds[0].tolist(), self.kinds[1].tolist(), strict=True):
                numbers = (numbers * (float(r) ** np.arange(number + 1.0))[:, None]).ravel()
        return numbers

    def wanted(self, most: int, cells: float = math.inf) -> npt.NDArray[np.bool_]:
        """Return which indices have at most so many columns and configurations; single columns may have more."""
        return (self.sizes <= most) & ((self.configurations <= cells) | (self.sizes <= 1))

    @cached_property
    def steps(self) -> Ints:
        """What each column adds to the index of a set."""
        return self.kind_steps[np.searchsorted(self.kinds[0], self.arities)]

    @property
    def n_indices(self) -> int:
        """How many indices there are."""
        return int(np.prod(self.kinds[1] + 1))

    def digit(self, kind: int) -> Ints:
        """Return for each index the number of columns of one of the arities."""
        digits: Ints = np.arange(self.n_indices) // self.kind_steps[kind] % (self.kinds[1][kind] + 1)
        return digits

    def accumulated(self, values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Return for each index the sum of a value that each column has by its arity."""
        result = np.zeros(1)
        for value, number in zip(values.tolist(), self.kinds[1].tolist(), strict=True):
            result = (result + value * np.arange(number + 1.0)[:, None]).ravel()
        return result

    def indices(self, first: int, last: int) -> npt.NDArray[np.int32]:
        """Return the index of each subset of the places from ``first`` to before ``last``."""
        result = np.zeros(1, np.int32)
        for step in self.steps[first:last]:
            result = np.concatenate([result, result + np.int32(step)])
        return result


def lattice_fits(n_rows: int, n_distinct: int, arities: Sequence[int]) -> bool:
    """Whether a table is small enough for a walk over its rows."""
    return n_rows < MOST_WEIGHT and n_distinct < MOST_ROWS and (n_distinct + 1) * max(arities) < MOST_CELLS


def packed_for_lattice(
    order: WalkOrder, columns: npt.NDArray[np.unsignedinteger[Any]], weights: npt.NDArray[np.int64]
) -> PackedRows:
    """Return the distinct rows, several columns to a word, in the order of the walk."""
    from bnml.counts._lattice_kernels import ONE_ROW, PackedRows

    widths = [max(1, int(r - 1).bit_length()) for r in order.arities]
    word_of, shifts = [0], [0]
    for width, following in pairwise(widths):
        at = shifts[-1] + width
        beside = at + following <= WORD_BITS
        word_of.append(word_of[-1] + (not beside))
        shifts.append(at if beside else 0)
    words = np.zeros((word_of[-1] + 1, columns.shape[1]), np.int64)
    for place, column in enumerate(order.columns):
        words[word_of[place]] |= columns[column].astype(np.int64) << shifts[place]
    return PackedRows(
        words,
        weights.astype(np.int64) + ONE_ROW,
        np.array(word_of, np.int64),
        np.array(shifts, np.int64),
        np.array([(1 << width) - 1 for width in widths], np.int64),
        order.arities,
        order.steps,
    )


def _walk_stack(rows: PackedRows, n_sums: int) -> Stack:
    """Make room for the kernel's walk; node 0 is the empty set, with all rows in one cell."""
    from bnml.counts._lattice_kernels import CELLS, SIZE, Stack

    n = rows.arities.size
    n_words, n_rows = rows.words.shape
    largest = max(1, int(rows.arities.max(initial=1)))
    stack = Stack(
        np.empty((n + 1, n_words, n_rows + 1), np.int64),  # the compaction writes one place too far
        np.empty((n + 1, n_rows + 1), np.int64),
        np.zeros((n + 1, n_rows + 1), np.int32),
        np.zeros((n + 1, n_sums)),
        np.full((n + 1, n), -np.inf),
        np.zeros((n + 1, 7), np.int64),
        np.zeros((n_rows + 1) * largest, np.int64),
        np.zeros((n_rows + 1) * largest, np.int32),
        np.empty(n_rows, np.int32),
        np.zeros(n_sums),
    )
    stack.nodes[0, SIZE], stack.nodes[:, CELLS] = n_rows, 1
    stack.weights[0, :n_rows] = rows.weights
    stack.words[0, :, :n_rows] = rows.words
    return stack


def walk_lattice(
    rows: PackedRows, sums: Sums, bounds: Bounds, wanted: Bools, out: Numbers, threads: int, done: Tell | None
) -> int:
    """Walk the lattice: write the sums of all wanted subsets, by index, that bounds do not leave out; return how many.

    By a walk over packed rows. ``done`` is told now and then which share of the work is done.
    """
    from bnml.counts._lattice_kernels import Roots, walk

    n = rows.arities.size
    per_subset = SECONDS.task_subset + SECONDS.task_row * rows.weights.size * sums.low.size
    depth = n
    while depth > 0 and per_subset * 2**depth > TASK_SECONDS:
        depth -= 1
    depth = max(0, min(depth, n - 3))  # roots enough for the threads
    n_roots = 1 << (n - depth)
    per_task = max(1, int(TASK_SECONDS / (per_subset * 2**depth)))
    per_task = max(1, min(per_task, n_roots // (8 * threads)))
    visited = np.zeros(n_roots, np.int64)
    finished = 0

    def task(first: int, last: int) -> None:
        nonlocal finished
        roots = Roots(depth, first, last, wanted, bool(wanted.all()))
        visited[first] = walk(rows, sums, bounds, roots, _walk_stack(rows, sums.low.size), out)
        finished += last - first
        if done is not None:
            done(finished / n_roots)

    run_all(task, [(k, min(k + per_task, n_roots)) for k in range(0, n_roots, per_task)], threads)
    return int(visited.sum())
