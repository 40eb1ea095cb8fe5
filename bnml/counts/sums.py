"""Sums over the cells of contingency tables: what a score asks of the data.

Counts are seldom wanted for themselves. A score adds up a lookup table over the cells of a family's joint table and
over those of its parents' table, so the kernels count and add up in one go, a batch of families at a time.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from bnml._threads import cores, run_all
from bnml.data import Data

__all__ = ["Batch", "Lookups", "addition_sums", "batch_of", "configurations", "family_sums"]

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

WORTH_A_THREAD = 2_000_000  # rows to visit before a second thread pays
ROWS_PER_TASK = 20_000_000  # well under 0.3 s


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
class Batch:
    """Sets of columns, each ascending, and in each the position of the child (-1: the set alone is meant)."""

    members: Ints
    offsets: Ints
    position: Ints

    def __len__(self) -> int:
        return self.position.size


def batch_of(children: Sequence[int], parent_sets: Sequence[Sequence[int]]) -> Batch:
    """Return families as a batch; a child of -1 stands for a set alone."""
    n = len(parent_sets)
    sets = [sorted((*p, c)) if c >= 0 else sorted(p) for c, p in zip(children, parent_sets, strict=True)]
    offsets = np.zeros(n + 1, np.int64)
    np.cumsum(np.fromiter(map(len, sets), np.int64, n), out=offsets[1:])
    members = np.fromiter(chain.from_iterable(sets), np.int64, int(offsets[-1]))
    position = np.fromiter((s.index(c) if c >= 0 else -1 for c, s in zip(children, sets, strict=True)), np.int64, n)
    return Batch(members, offsets, position)


def configurations(data: Data, batch: Batch) -> tuple[Floats, Floats]:
    """Return the number of configurations of each set and its logarithm; the number may be infinite."""
    arities = np.array(data.arities, np.float64)[batch.members]
    sizes = np.diff(batch.offsets)
    whole = np.repeat(np.arange(sizes.size), sizes)
    logs = np.bincount(whole, np.log(arities), minlength=sizes.size).astype(np.float64)
    numbers = np.ones(sizes.size)
    with np.errstate(over="ignore"):
        np.multiply.at(numbers, whole, arities)
    return numbers, logs


def _weights(data: Data) -> npt.NDArray[Any]:
    """Return the weights in the narrowest type that holds their sum: half the memory, twice the speed."""
    narrow: npt.NDArray[Any] | None = data.memo.get("narrow weights")
    if narrow is None:
        narrow = data.weights.astype(np.int32 if data.n_rows < 1 << 31 else np.int64)
        data.memo["narrow weights"] = narrow
    return narrow


def _arities(data: Data) -> Ints:
    array: Ints | None = data.memo.get("arities")
    if array is None:
        array = data.memo["arities"] = np.array(data.arities, np.int64)
    return array


def dense_limit(data: Data) -> int:
    """Return up to how many cells a table is counted densely: beyond, most would be empty."""
    from bnml.counts._kernels import MAX_DENSE

    return min(MAX_DENSE, max(1024, 4 * data.n_distinct))


def family_sums(data: Data, batch: Batch, lookups: Lookups, threads: int | None = None) -> Floats:
    """Return for each family the sum over its joint table and the sum over its parents' table (0 without a child)."""
    from bnml.counts._kernels import families

    n = len(batch)
    columns, weights, arities = data.columns, _weights(data), _arities(data)
    joint_row = np.zeros(n, np.int64)
    has_child = batch.position >= 0
    child = batch.members[np.minimum(batch.offsets[:-1] + batch.position, batch.members.size - 1)] if n else joint_row
    r = np.where(has_child, arities[child] if batch.members.size else 1, 1)
    margin_row = _rows(r, lookups)
    joint_a, margin_a = np.zeros(n), np.zeros(n)
    if lookups.ess > 0:
        q, _ = configurations(data, batch)
        joint_a = lookups.ess / q
        margin_a = joint_a * r
    out = np.zeros((n, 2))
    limit = dense_limit(data)

    def task(start: int, stop: int) -> None:
        part = slice(start, stop)
        offsets = batch.offsets[start : stop + 1]
        families(
            columns, weights, arities, batch.members, offsets, batch.position[part], lookups.table, joint_row[part],
            margin_row[part], joint_a[part], margin_a[part], limit, out[part],
        )  # fmt: skip

    work = n * data.n_distinct
    workers = cores(threads) if work > WORTH_A_THREAD else 1
    run_all(task, _ranges(n, work, workers), workers)
    return out


def _rows(r: Ints, lookups: Lookups) -> Ints:
    if not lookups.row_of:
        return np.zeros(r.size, np.int64)
    row_of = np.zeros(int(r.max(initial=1)) + 1, np.int64)
    for arity, row in lookups.row_of.items():
        if arity < row_of.size:
            row_of[arity] = row
    return row_of[r]


def _ranges(n: int, work: int, workers: int) -> Iterator[tuple[int, int]]:
    parts = 1 if workers == 1 else 4 * workers
    parts = min(max(parts, -(-work // ROWS_PER_TASK)), max(n, 1))
    edges = [n * i // parts for i in range(parts + 1)]
    return pairwise(edges)


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

    arities = _arities(data)
    base = np.array(sorted((*parents, child)), np.int64)
    chosen = np.array(candidates, np.int64)
    cells = np.prod(arities[base].astype(np.float64)) * arities[chosen]
    small = np.flatnonzero(cells <= dense_limit(data))
    out = np.zeros((chosen.size, 2))
    large = np.flatnonzero(cells > dense_limit(data))
    if large.size:
        batch = batch_of([child] * large.size, [(*parents, int(chosen[i])) for i in large])
        out[large] = family_sums(data, batch, lookups, threads)
    if not small.size:
        return out
    r = int(arities[child])
    joint_a = lookups.ess / cells if lookups.ess > 0 else np.zeros(chosen.size)
    margin_row = lookups.row_of.get(r, 0)
    results = np.empty((small.size, 2))
    weights, columns = _weights(data), data.columns
    position = int(np.searchsorted(base, child))

    def task(start: int, stop: int) -> None:
        part = small[start:stop]
        additions(
            columns, weights, arities, base, position, chosen[part], lookups.table, margin_row, joint_a[part],
            joint_a[part] * r, results[start:stop],
        )  # fmt: skip

    work = small.size * data.n_distinct
    workers = cores(threads) if work > WORTH_A_THREAD else 1
    run_all(task, _ranges(small.size, work, workers), workers)
    out[small] = results
    return out
