"""Sums over the cells of contingency tables: what a score asks of the data.

Counts are seldom wanted for themselves. A score adds up a lookup table over the cells of a family's joint table and
over those of its parents' table, so the kernels count and add up in one go, a batch of families at a time.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from bnml._threads import cores, run_all
from bnml.data import Data
from bnml.errors import ArgumentError

__all__ = ["FamilyBatch", "Lookups", "addition_sums", "as_float", "batch_of", "configurations", "family_sums"]

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

WORTH_A_THREAD = 8_000_000  # codes to visit before a second thread pays
CODES_PER_TASK = 80_000_000  # well under 0.3 s
CELLS_PER_TASK = 1 << 19  # of all tables that one pass over the rows fills: they should stay in a cache
EXACT = 1 << 53  # floats skip whole numbers beyond


@dataclass(frozen=True)
class Lookups:
    """What each cell of a table adds to a score.

    ``table[0][n]`` for a cell of the joint table; ``table[row_of[r]][n]`` for a cell of the parents' table of a child
    with r states. Where ``ess`` is positive, log Γ(a + n) - log Γ(a) instead, a = ess / (configurations of the set).
    """

    table: Floats
    row_of: dict[int, int]
    ess: float = 0.0


@dataclass(frozen=True)
class FamilyBatch:
    """Sets of columns, each ascending, and in each the position of the child (-1: the set alone is meant)."""

    members: Ints
    offsets: Ints
    position: Ints

    def __len__(self) -> int:
        return self.position.size

    @property
    def sizes(self) -> Ints:
        """Number of columns of each set."""
        return self.offsets[1:] - self.offsets[:-1]


def batch_of(children: Sequence[int], parent_sets: Sequence[Sequence[int]]) -> FamilyBatch:
    """Return families as a batch; a child of -1 stands for a set alone."""
    n = len(parent_sets)
    sets = [sorted((*p, c)) if c >= 0 else sorted(p) for c, p in zip(children, parent_sets, strict=True)]
    if n == 1:  # the most common batch, without what only pays for many
        position = sets[0].index(children[0]) if children[0] >= 0 else -1
        return FamilyBatch(np.array(sets[0], np.int64), np.array([0, len(sets[0])]), np.array([position]))
    offsets = np.zeros(n + 1, np.int64)
    np.cumsum(np.fromiter(map(len, sets), np.int64, n), out=offsets[1:])
    members = np.fromiter(chain.from_iterable(sets), np.int64, int(offsets[-1]))
    positions = np.fromiter((s.index(c) if c >= 0 else -1 for c, s in zip(children, sets, strict=True)), np.int64, n)
    return FamilyBatch(members, offsets, positions)


def configurations(data: Data, batch: FamilyBatch) -> tuple[Floats, Floats]:
    """Return how many configurations the sets (first row) and the sets less their children (second row) have.

    The numbers are right to the last digit, so they do not depend on the order of the columns, and infinite where they
    are larger than any float. Their logarithms, which come with them, are always finite.
    """
    from bnml.counts._kernels import configurations

    arities = arities_of(data)
    numbers = np.empty((2, len(batch)))
    configurations(arities, batch.members, batch.offsets, batch.position, numbers)
    logs = np.log(numbers)
    for i in np.flatnonzero(numbers[0] > EXACT).tolist():
        members = batch.members[batch.offsets[i] : batch.offsets[i + 1]].tolist()
        parents = [v for place, v in enumerate(members) if place != batch.position[i]]
        for row, variables in enumerate((members, parents)):
            number = math.prod(data.arities[v] for v in variables)
            if number > EXACT:
                numbers[row, i], logs[row, i] = as_float(number), math.log(number)
    return numbers, logs


def as_float(number: int) -> float:
    """Return a whole number as a float, infinite where it is larger than any."""
    try:
        return float(number)
    except OverflowError:
        return math.inf


def _weights(data: Data) -> npt.NDArray[Any]:
    """Return the weights in the narrowest type that holds their sum: half the memory, twice the speed."""
    narrow: npt.NDArray[Any] | None = data.memo.get("narrow weights")
    if narrow is None:
        narrow = data.weights.astype(np.int32 if data.n_rows < 1 << 31 else np.int64)
        data.memo["narrow weights"] = narrow
    return narrow


def arities_of(data: Data) -> Ints:
    """Return the number of states of each column as an array."""
    array: Ints | None = data.memo.get("arities")
    if array is None:
        array = data.memo["arities"] = np.array(data.arities, np.int64)
    return array


def dense_limit(data: Data) -> int:
    """Return up to how many cells a table is counted densely: beyond, most would be empty."""
    from bnml.counts._kernels import MAX_DENSE

    return min(MAX_DENSE, max(1024, 4 * data.n_distinct))


def check_columns(data: Data, variables: Iterable[int]) -> None:
    """Refuse numbers of columns that are not there.

    Raises
    ------
    ArgumentError
        If a number is not one of 0 … number of columns - 1.
    """
    n = len(data.names)
    for v in variables:
        if not 0 <= v < n:
            raise ArgumentError(f"there is no column {v}; the columns are numbered from 0 to {n - 1}")


def check_batch(data: Data, batch: FamilyBatch) -> None:
    """Refuse columns that are not there or stand twice in a set: a kernel would read past the end of an array."""
    members = batch.members
    if members.size == 0:
        return
    check_columns(data, (int(members.min()), int(members.max())))
    fresh = np.zeros(members.size + 1, bool)
    fresh[batch.offsets] = True
    again = np.flatnonzero(~fresh[1:-1] & (members[1:] == members[:-1]))
    if again.size:
        raise ArgumentError(f"column {int(members[again[0]])} stands twice in a family")


def family_sums(
    data: Data, batch: FamilyBatch, lookups: Lookups, threads: int | None = None, *, checked: bool = False
) -> Floats:
    """Return for each family the sum over its joint table and the sum over its parents' table (0 without a child).

    ``checked``: the batch is known to hold columns of the table only.
    """
    from bnml.counts._kernels import families

    if not checked:
        check_batch(data, batch)
    n = len(batch)
    arities = arities_of(data)
    rows = data.columns, _weights(data), arities
    margin_row = _margin_rows(batch, arities, lookups)
    joint_a = margin_a = np.empty((n, 0))
    if lookups.ess > 0:
        joint_a, margin_a = _hyperparameters(lookups.ess, *configurations(data, batch))
    out = np.zeros((n, 2))
    limit = dense_limit(data)

    def task(start: int, stop: int) -> None:
        part = slice(start, stop)
        sets = batch.members, batch.offsets[start : stop + 1], batch.position[part]
        terms = lookups.table, margin_row[part], joint_a[part], margin_a[part]
        families(rows, sets, terms, limit, out[part])

    codes = (n + batch.members.size) * data.n_distinct
    _run(task, n, codes, threads)
    return out


def _margin_rows(batch: FamilyBatch, arities: Ints, lookups: Lookups) -> Ints:
    """Return for each family the row of the lookups for its parents' table."""
    rows = np.zeros(len(batch), np.int64)
    if lookups.row_of:
        row_of = np.zeros(max(lookups.row_of) + 1, np.int64)
        row_of[list(lookups.row_of)] = list(lookups.row_of.values())
        has_child = batch.position >= 0
        rows[has_child] = row_of[arities[batch.members[(batch.offsets[:-1] + batch.position)[has_child]]]]
    return rows


def _hyperparameters(ess: float, numbers: Floats, logs: Floats) -> Floats:
    """Return pairs of a = ess / (number of configurations) and log a."""
    pairs = np.empty((*numbers.shape, 2))
    np.divide(ess, numbers, out=pairs[..., 0])
    np.subtract(math.log(ess), logs, out=pairs[..., 1])
    return pairs


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
    data: Data,
    child: int,
    parents: Sequence[int],
    candidates: Sequence[int],
    lookups: Lookups,
    threads: int | None = None,
) -> Floats:
    """Return `family_sums` of the child's family plus each candidate as a parent, in one pass over the rows."""
    from bnml.counts._kernels import additions

    check_columns(data, (child, *parents, *candidates))
    if len({child, *parents}) <= len(parents) or {child, *parents} & set(candidates):
        raise ArgumentError(f"child {child}, parents {list(parents)} and candidates must be different columns")
    arities = arities_of(data)
    base = np.array(sorted((*parents, child)), np.int64)
    chosen = np.array(candidates, np.int64)
    base_cells, limit = math.prod(arities[base].tolist()), dense_limit(data)
    fits = base_cells * arities[chosen] <= limit if base_cells <= limit else np.zeros(chosen.size, bool)
    small, large = np.flatnonzero(fits), np.flatnonzero(~fits)
    out = np.empty((chosen.size, 2))
    if large.size:
        batch = batch_of([child] * large.size, [(*parents, int(chosen[i])) for i in large])
        out[large] = family_sums(data, batch, lookups, threads)
    if not small.size:
        return out
    r = int(arities[child])
    cells = base_cells * arities[chosen[small]]
    joint_a = margin_a = np.empty((small.size, 0))
    if lookups.ess > 0:
        numbers = np.stack([cells / 1, cells / r])
        joint_a, margin_a = _hyperparameters(lookups.ess, numbers, np.log(numbers))
    margin_row = np.full(small.size, lookups.row_of.get(r, 0), np.int64)
    results = np.empty((small.size, 2))
    rows = data.columns, _weights(data), arities
    position = int(np.searchsorted(base, child))

    def task(start: int, stop: int) -> None:
        part = slice(start, stop)
        terms = lookups.table, margin_row[part], joint_a[part], margin_a[part]
        additions(rows, base, position, chosen[small[part]], terms, results[part])

    codes = (base.size + 2 * small.size) * data.n_distinct
    _run(task, small.size, codes, threads, least_parts=-(-int(cells.sum()) // CELLS_PER_TASK))
    out[small] = results
    return out
