"""The walk over all subsets of the variables: sums of lookup tables over the cells of every one of 2^n tables.

A set of variables is a number whose bit v stands for variable v. Adding variables from the highest to the lowest, and
at each node the lower ones first, a depth-first walk meets the sets in the order of their numbers, so every set after
all of its subsets.

Whole numbers in floats: lookup tables hold multiples of a unit, so that every sum is exact and none depends on the
order in which rows, columns or threads come.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from bnml._jit import kernel

__all__ = ["ONE_ROW", "Bounds", "PackedRows", "Sums", "walk"]

Array = Any  # kernels are typed by Numba, not by mypy

ONE_ROW = 1 << 40  # a cell's weight and its number of rows are counted in one number
WEIGHT = ONE_ROW - 1
TINY = 1e-18  # below, Γ(a + n) / Γ(a) is a Γ(n) to the last digit
STIRLING_FROM = 32.0


class PackedRows(NamedTuple):
    """The distinct rows: several variables to a word, and the weights, with ONE_ROW added to each.

    A set has an index: the sum of its variables' ``steps``. Sets with as many variables of each arity share it.
    """

    words: Array
    weights: Array
    word_of: Array
    shifts: Array
    fields: Array
    arities: Array
    steps: Array


class Sums(NamedTuple):
    """What to add up, in units: ``tables[t][n]``, or with ``rising``, pairs (a, log a), Γ(a + n) / Γ(a) by set index.

    What is written is (sum - low[t]) · factor, rounded.
    """

    tables: Array
    rising: Array
    unit: float
    low: Array
    factor: float


class Bounds(NamedTuple):
    """When to leave a set out: if no variable can have a better family in it, or in a larger set, than a known one.

    Known families: those whose lowest parent is v stand from ``group[v]`` to ``group[v + 1]``, those without parents
    from ``group[n]``; as the parents less v, the child, and the value. For each variable ``fit`` is the best that any
    parents could do without their price, which is what the child adds to ``-closed[index]``; ``may`` the parents it
    may have. There are no bounds if ``fit`` is empty.
    """

    group: Array
    sets: Array
    children: Array
    values: Array
    fit: Array
    closed: Array
    may: Array


class Stack(NamedTuple):
    """The nodes on the way to the current one; node d is a set of d variables, and its partition of the rows."""

    words: Array
    weights: Array
    cells: Array
    size: Array
    n_cells: Array
    lone: Array
    alone: Array
    mask: Array
    index: Array
    best: Array
    counts: Array
    labels: Array
    keys: Array
    sums: Array


@kernel
def _stirling(x: float) -> float:
    u = 1.0 / x
    v = u * u
    return u * (1 / 12 - v * (1 / 360 - v * (1 / 1260 - v / 1680)))


@kernel
def _rising(a: float, log_a: float, n: int) -> float:
    """Log Γ(a + n) - log Γ(a), for a of any size."""
    if a < TINY:
        return log_a + math.lgamma(n)
    if a < STIRLING_FROM:
        return math.lgamma(a + n) - math.lgamma(a)
    # log Γ of large numbers nearly cancel: their difference as a series
    return n * math.log(a + n) + (a - 0.5) * math.log1p(n / a) - n + _stirling(a + n) - _stirling(a)


@kernel
def _keys(words: Array, cells: Array, shift: int, field: int, r: int, keys: Array) -> None:
    """Give each row its cell after a variable was added: cell · r + value."""
    for i in range(keys.size):
        keys[i] = cells[i] * r + ((words[i] >> shift) & field)


@kernel
def _count(keys: Array, weights: Array, counts: Array) -> None:
    for i in range(keys.size):
        counts[keys[i]] += weights[i]


@kernel
def _sum_fixed(counts: Array, tables: Array, sums: Array) -> None:
    """Add to ``sums[t]`` what the cells add under each table."""
    first = tables[0]
    total = 0.0
    for c in range(counts.size):
        total += first[counts[c] & WEIGHT]
    sums[0] += total
    for t in range(1, tables.shape[0]):
        table = tables[t]
        total = 0.0
        for c in range(counts.size):
            total += table[counts[c] & WEIGHT]
        sums[t] += total


@kernel
def _sum_rising(counts: Array, table: Array, a: float, log_a: float, unit: float) -> float:
    """Sum log Γ(a + n) - log Γ(a); the smaller counts have an entry in the table."""
    total = 0.0
    limit = table.size
    for c in range(counts.size):
        n = counts[c] & WEIGHT
        if n < limit:
            total += table[n]
        else:
            total += np.rint(_rising(a, log_a, n) / unit)
    return total


@kernel
def _split(
    keys: Array, counts: Array, words: Array, n_words: int, weights: Array, strip_all: bool, tables: Array,
    alone: Array, new_words: Array, new_weights: Array, new_cells: Array, labels: Array,
) -> tuple[int, int, int]:  # fmt: skip
    """Compact the rows that share a cell with another row; return how many rows, cells, and lone rows there are.

    A row that is alone in its cell stays alone whatever is added. Where the tables are fixed, what it adds goes to
    ``alone``; where they change with the set, only rows of weight 1 are taken out, and counted.
    """
    label = 0
    lone = 0
    for c in range(counts.size):
        count = counts[c]
        if count >= 2 * ONE_ROW:
            labels[c] = label
            label += 1
        elif count == 0:
            continue
        elif strip_all:
            for t in range(tables.shape[0]):
                alone[t] += tables[t, count & WEIGHT]
            labels[c] = -1
        elif count == ONE_ROW + 1:
            lone += 1
            labels[c] = -1
        else:
            labels[c] = label
            label += 1
    kept = 0
    for i in range(keys.size):
        new = labels[keys[i]]
        new_weights[kept] = weights[i]
        new_cells[kept] = new
        for w in range(n_words):
            new_words[w, kept] = words[w, i]
        kept += new >= 0
    return kept, label, lone


@kernel
def _stack(rows: PackedRows, n_sums: int) -> Stack:
    """Make room for the walk; node 0 is the empty set, with all rows in one cell."""
    n = rows.arities.size
    n_words, n_rows = rows.words.shape
    largest = 1
    for v in range(n):
        largest = max(largest, rows.arities[v])
    stack = Stack(
        np.empty((n + 1, n_words, n_rows + 1), np.int64),  # the compaction writes one place too far
        np.empty((n + 1, n_rows + 1), np.int64),
        np.zeros((n + 1, n_rows + 1), np.int32),
        np.zeros(n + 1, np.int64),
        np.ones(n + 1, np.int64),
        np.zeros(n + 1, np.int64),
        np.zeros((n + 1, n_sums)),
        np.zeros(n + 1, np.int64),
        np.zeros(n + 1, np.int64),
        np.full((n + 1, n), -np.inf),
        np.zeros((n_rows + 1) * largest, np.int64),
        np.zeros((n_rows + 1) * largest, np.int32),
        np.empty(n_rows, np.int32),
        np.zeros(n_sums),
    )
    stack.size[0] = n_rows
    for i in range(n_rows):
        stack.weights[0, i] = rows.weights[i]
        for w in range(n_words):
            stack.words[0, w, i] = rows.words[w, i]
    return stack


@kernel
def _needed(rows: PackedRows, bounds: Bounds, stack: Stack, d: int, v: int) -> bool:
    """Whether a variable may have a better family in node d plus v, or in what follows, than one that is known."""
    n = rows.arities.size
    known, own = stack.best[d], stack.best[d + 1]
    before = stack.mask[d]
    for i in range(n):
        own[i] = known[i]
    for e in range(bounds.group[v], bounds.group[v + 1]):
        if bounds.sets[e] & ~before == 0:
            own[bounds.children[e]] = max(own[bounds.children[e]], bounds.values[e])
    here = before | (1 << v)
    index = stack.index[d] + rows.steps[v]
    for i in range(n):
        inside = here >> i & 1
        if (here & ~(1 << i)) & ~bounds.may[i] == 0:
            below = index - inside * rows.steps[i]
            cost = bounds.closed[below] - bounds.closed[below + rows.steps[i]] if rows.arities[i] > 1 else 0.0
            if bounds.fit[i] - cost > own[i]:
                return True
    return False


@kernel
def _add_up(sums: Sums, stack: Stack, d: int, n_cells: int, index: int) -> None:
    """Sum the tables over the cells in ``counts`` and over the rows of node d that were taken out."""
    counts = stack.counts[:n_cells]
    if sums.rising.size > 0:
        a, log_a = sums.rising[index]
        total = stack.lone[d] * sums.tables[index, 1]
        stack.sums[0] = total + _sum_rising(counts, sums.tables[index], a, log_a, sums.unit)
    else:
        stack.sums[:] = stack.alone[d]
        _sum_fixed(counts, sums.tables, stack.sums)


@kernel
def _write(sums: Sums, stack: Stack, here: int, out: Array) -> None:
    for t in range(stack.sums.size):
        out[t, here] = np.rint((stack.sums[t] - sums.low[t]) * sums.factor)


@kernel
def _enter(rows: PackedRows, sums: Sums, stack: Stack, d: int, v: int, writes: bool, deeper: bool, out: Array) -> None:
    """Add v to node d: count, write the sums, and make the partition of node d + 1 if the walk goes deeper."""
    r = rows.arities[v]
    s = stack.size[d]
    n_cells = stack.n_cells[d] * r
    here = stack.mask[d] | (1 << v)
    index = stack.index[d] + rows.steps[v]
    if s == 0:
        n_cells = 0
    keys = stack.keys[:s]
    _keys(stack.words[d, rows.word_of[v], :s], stack.cells[d, :s], rows.shifts[v], rows.fields[v], r, keys)
    _count(keys, stack.weights[d, :s], stack.counts)
    if writes:
        _add_up(sums, stack, d, n_cells, index)
        _write(sums, stack, here, out)
    if deeper:
        stack.alone[d + 1] = stack.alone[d]
        kept, label, lone = _split(
            keys, stack.counts[:n_cells], stack.words[d], rows.word_of[v - 1] + 1, stack.weights[d],
            sums.rising.size == 0, sums.tables, stack.alone[d + 1], stack.words[d + 1], stack.weights[d + 1],
            stack.cells[d + 1], stack.labels,
        )  # fmt: skip
        stack.size[d + 1] = kept
        stack.n_cells[d + 1] = label
        stack.lone[d + 1] = stack.lone[d] + lone
        stack.mask[d + 1] = here
        stack.index[d + 1] = index
    stack.counts[:n_cells] = 0


@kernel
def _enter_root(
    rows: PackedRows, sums: Sums, bounds: Bounds, stack: Stack, root: int, depth: int, most: int, out: Array
) -> int:
    """Go to a set of variables from ``depth`` on, the highest first; return its size, -1 if it is left out."""
    bounded = bounds.fit.size > 0
    d = 0
    rest = root
    for v in range(rows.arities.size - 1, depth - 1, -1):
        if rest >> (v - depth) & 1:
            rest &= ~(1 << (v - depth))
            if d == most or (bounded and not _needed(rows, bounds, stack, d, v)):
                return -1
            _enter(rows, sums, stack, d, v, rest == 0, rest != 0 or (depth > 0 and d + 1 < most), out)
            d += 1
    return d


@kernel
def walk(rows: PackedRows, sums: Sums, bounds: Bounds, depth: int, first: int, last: int, most: int, out: Array) -> int:
    """Write ``out[t, set]`` for every set whose variables from ``depth`` on are one of some roots; return how many.

    A root is a set of these variables, shifted down, from ``first`` to before ``last``; a set has at most ``most``
    variables. What bounds leave out stays as it was.
    """
    n_sums = sums.low.size
    stack = _stack(rows, n_sums)
    bounded = bounds.fit.size > 0
    if bounded:
        for e in range(bounds.group[rows.arities.size], bounds.children.size):
            stack.best[0, bounds.children[e]] = max(stack.best[0, bounds.children[e]], bounds.values[e])
    following = np.zeros(rows.arities.size + 1, np.int64)
    stop = np.zeros(rows.arities.size + 1, np.int64)
    fills = sums.rising.size == 0 and not bounded and most >= rows.arities.size
    visited = 0
    for root in range(first, last):
        base = _enter_root(rows, sums, bounds, stack, root, depth, most, out)
        if base < 0:
            continue
        visited += 1
        if root == 0:
            for i in range(rows.weights.size):
                stack.counts[0] += rows.weights[i] & WEIGHT
            _add_up(sums, stack, 0, 1, 0)
            _write(sums, stack, 0, out)
            stack.counts[0] = 0
        if base == most:
            continue
        d = base
        following[d], stop[d] = 0, depth
        while d >= base:
            v = following[d]
            if v >= stop[d]:
                d -= 1
                continue
            following[d] += 1
            if bounded and not _needed(rows, bounds, stack, d, v):
                continue
            if fills and stack.size[d] == 0:  # every row is alone, and so it is in all sets that follow from here
                for below in range(1 << v):
                    stack.sums[:] = stack.alone[d]
                    _write(sums, stack, stack.mask[d] | (1 << v) | below, out)
                visited += 1 << v
                continue
            deeper = v > 0 and d + 1 < most
            _enter(rows, sums, stack, d, v, True, deeper, out)
            visited += 1
            if deeper:
                d += 1
                following[d], stop[d] = 0, v
    return visited
