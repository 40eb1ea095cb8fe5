"""The walk over all subsets of the variables: sums of lookup tables over the cells of every one of 2^n tables.

A set of variables is a number whose bit v stands for variable v. Adding variables from the highest to the lowest, and
at each node the lower ones first, a depth-first walk meets the sets in the order of their numbers, so every set after
all of its subsets.

Whole numbers in floats: lookup tables hold multiples of a unit, so that every sum is exact and none depends on the
order in which rows, columns or threads come.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from bnml._arrays import Array
from bnml._jit import helper, kernel, plain_at_first
from bnml.counts._kernels import STIRLING_FROM, TINY
from bnml.counts._lookup_helpers import in_tail, stirling

ONE_ROW = 1 << 40  # a cell's weight and its number of rows are counted in one number
WEIGHT = ONE_ROW - 1


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
    """What to add up, in units: ``tables[t][n]``, or Γ(a + n) / Γ(a) by set index with ``rising``.

    ``rising`` has a, log a, and how many parts a row is, which n is a number of; all is taken so many times.

    Counts that have no entry in the tables are in their ``tails`` (`bnml.counts.batches`).

    What is written is (sum - low[t]) · factor, rounded.
    """

    tables: Array
    tails: Array
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


class Roots(NamedTuple):
    """The sets to start from: sets of the variables from ``depth`` on, shifted down, from ``first`` to before ``last``.

    Only sets are visited that are ``wanted``, by set index; all subsets of these are. If there are no others, it says
    ``all``.
    """

    depth: int
    first: int
    last: int
    wanted: Array
    all: bool


class Stack(NamedTuple):
    """The nodes on the way to the current one; node d is a set of d variables, and its partition of the rows."""

    words: Array
    weights: Array
    cells: Array
    alone: Array
    best: Array
    nodes: Array  # of each node, the numbers that are named below
    counts: Array
    labels: Array
    keys: Array
    sums: Array


SIZE, CELLS, LONE, MASK, INDEX, NEXT, STOP = range(7)  # rows and cells of a node, rows taken out, its set and set index


@helper
def _rising(a: float, log_a: float, n: float) -> float:
    """Log Γ(a + n) - log Γ(a), for a of any size."""
    if a < TINY:
        return log_a + math.lgamma(n)
    if a < STIRLING_FROM:
        return math.lgamma(a + n) - math.lgamma(a)
    # log Γ of large numbers nearly cancel: their difference as a series
    return n * math.log(a + n) + (a - 0.5) * math.log1p(n / a) - n + stirling(a + n) - stirling(a)


@helper
def _keys(words: Array, cells: Array, shift: int, field: int, r: int, keys: Array) -> None:
    """Give each row its cell after a variable was added: cell · r + value."""
    for i in range(keys.size):
        keys[i] = cells[i] * r + ((words[i] >> shift) & field)


@helper
def _count(keys: Array, weights: Array, counts: Array) -> None:
    for i in range(keys.size):
        counts[keys[i]] += weights[i]


@helper
def _entry(tables: Array, tails: Array, t: int, n: int) -> float:
    return tables[t, n] if n < tables.shape[1] else in_tail(tails[t], tables.shape[1], n)


@helper
def _sum_fixed(counts: Array, tables: Array, tails: Array, sums: Array) -> None:
    """Add to ``sums[t]`` what the cells add under each table."""
    if tails.shape[1] > 0:
        for t in range(tables.shape[0]):
            for c in range(counts.size):
                sums[t] += _entry(tables, tails, t, counts[c] & WEIGHT)
        return
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


@helper
def _sum_rising(counts: Array, table: Array, rising: Array, unit: float) -> float:
    """Sum log Γ(a + n) - log Γ(a); the smaller counts have an entry in the table."""
    total = 0.0
    limit = table.size
    a, log_a, parts = rising[0], rising[1], rising[2]
    for c in range(counts.size):
        n = counts[c] & WEIGHT
        if n < limit:
            total += table[n]
        else:
            total += np.rint(parts * _rising(a, log_a, n / parts) / unit)
    return total


@helper
def _label(counts: Array, strip_all: bool, tables: Array, tails: Array, alone: Array, labels: Array) -> tuple[int, int]:
    """Give numbers to the cells that rows share; return how many these are, and how many lone rows there are.

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
                alone[t] += _entry(tables, tails, t, count & WEIGHT)
            labels[c] = -1
        elif count == ONE_ROW + 1:
            lone += 1
            labels[c] = -1
        else:
            labels[c] = label
            label += 1
    return label, lone


@helper
def _compact(
    keys: Array, labels: Array, n_words: int, old: tuple[Array, Array], new: tuple[Array, Array, Array]
) -> int:
    """Keep the rows whose cell has a number; return how many. Old and new: words, weights, and new cells."""
    words, weights = old
    new_words, new_weights, new_cells = new
    first, new_first = words[0], new_words[0]
    kept = 0
    for i in range(keys.size):
        cell = labels[keys[i]]
        new_weights[kept] = weights[i]
        new_cells[kept] = cell
        new_first[kept] = first[i]
        for w in range(1, n_words):  # most tables have one word only
            new_words[w, kept] = words[w, i]
        kept += cell >= 0
    return kept


@helper
def _needed(rows: PackedRows, bounds: Bounds, known: Array, own: Array, before: int, index: int, v: int) -> bool:
    """Whether a variable may have a better family in a node plus v, or in what follows, than one that is known.

    The best known families of the node and of what v makes of it are ``known`` and ``own``.
    """
    n = rows.arities.size
    for i in range(n):
        own[i] = known[i]
    for e in range(bounds.group[v], bounds.group[v + 1]):
        if bounds.sets[e] & ~before == 0:
            own[bounds.children[e]] = max(own[bounds.children[e]], bounds.values[e])
    here = before | (1 << v)
    index += rows.steps[v]
    for i in range(n):
        inside = here >> i & 1
        if (here & ~(1 << i)) & ~bounds.may[i] == 0:
            below = index - inside * rows.steps[i]
            cost = bounds.closed[below] - bounds.closed[below + rows.steps[i]] if rows.arities[i] > 1 else 0.0
            if bounds.fit[i] - cost > own[i]:
                return True
    return False


def _steps_of_walk(rows: PackedRows, sums: Sums, bounds: Bounds, roots: Roots, *others: Array) -> float:
    if sums.rising.size or sums.tails.size:
        return math.inf
    return float(((roots.last - roots.first) << roots.depth) * (12 + 2 * rows.weights.size))


@plain_at_first(_steps_of_walk)
@kernel
def walk(rows: PackedRows, sums: Sums, bounds: Bounds, roots: Roots, stack: Stack, out: Array) -> int:
    """Kernel: write ``out[t, set]`` of sets whose variables from ``depth`` on are one of the roots; return how many.

    What bounds leave out stays as it was. To go to a root, its variables are added, the highest first; only then are
    sets written. All in one function: Numba is slow to compile calls that pass many arrays.
    """
    n, n_sums = rows.arities.size, stack.sums.size
    depth, wanted, nodes = roots.depth, roots.wanted, stack.nodes
    bounded = bounds.fit.size > 0
    if bounded:
        for e in range(bounds.group[n], bounds.children.size):
            stack.best[0, bounds.children[e]] = max(stack.best[0, bounds.children[e]], bounds.values[e])
    fills = sums.rising.size == 0 and not bounded and roots.all
    visited = 0
    for root in range(roots.first, roots.last):
        rest, v = root, n
        d = base = 0
        nodes[0, NEXT], nodes[0, STOP] = 0, depth
        empty = root == 0
        while d >= base:
            if empty:
                for i in range(rows.weights.size):
                    stack.counts[0] += rows.weights[i]
                n_cells, here, index = 1, 0, 0
                writes, deeper, below = True, False, 0
                empty = False
            else:
                to_root = rest > 0
                if to_root:
                    v -= 1
                    while not rest >> (v - depth) & 1:
                        v -= 1
                    rest &= ~(1 << (v - depth))
                else:
                    v = nodes[d, NEXT]
                    if v >= nodes[d, STOP]:
                        d -= 1
                        continue
                    nodes[d, NEXT] += 1
                here, index = nodes[d, MASK] | (1 << v), nodes[d, INDEX] + rows.steps[v]
                if not wanted[index] or (
                    bounded
                    and not _needed(rows, bounds, stack.best[d], stack.best[d + 1], nodes[d, MASK], nodes[d, INDEX], v)
                ):
                    if to_root:
                        break
                    continue
                s = nodes[d, SIZE]
                if s == 0 and fills and not to_root:  # every row is alone, and so it is in all sets that follow
                    for t in range(n_sums):
                        value = np.rint((stack.alone[d, t] - sums.low[t]) * sums.factor)
                        for k in range(here, here + (1 << v)):
                            out[t, k] = value
                    visited += 1 << v
                    continue
                writes = rest == 0
                below = depth if to_root else v
                # of the variables that follow the first has fewest states: if it is too much, so are all
                deeper = not writes or (below > 0 and wanted[index + rows.steps[0]])
                if to_root:
                    base = d + 1
                r = rows.arities[v]
                n_cells = nodes[d, CELLS] * r if s > 0 else 0
                _keys(
                    stack.words[d, rows.word_of[v]], stack.cells[d], rows.shifts[v], rows.fields[v], r, stack.keys[:s]
                )
                _count(stack.keys[:s], stack.weights[d], stack.counts)
            if writes:
                visited += 1
                if sums.rising.size > 0:
                    stack.sums[0] = nodes[d, LONE] * sums.tables[index, 1] + _sum_rising(
                        stack.counts[:n_cells],
                        sums.tables[index],
                        sums.rising[index],
                        sums.unit,
                    )
                else:
                    for t in range(n_sums):
                        stack.sums[t] = stack.alone[d, t]
                    _sum_fixed(stack.counts[:n_cells], sums.tables, sums.tails, stack.sums)
                for t in range(n_sums):
                    out[t, here] = np.rint((stack.sums[t] - sums.low[t]) * sums.factor)
            if deeper:
                for t in range(n_sums):
                    stack.alone[d + 1, t] = stack.alone[d, t]
                label, lone = _label(
                    stack.counts[:n_cells],
                    sums.rising.size == 0,
                    sums.tables,
                    sums.tails,
                    stack.alone[d + 1],
                    stack.labels,
                )
                nodes[d + 1, CELLS], nodes[d + 1, LONE] = label, nodes[d, LONE] + lone
                nodes[d + 1, SIZE] = _compact(
                    stack.keys[:s], stack.labels, rows.word_of[v - 1] + 1, (stack.words[d], stack.weights[d]),
                    (stack.words[d + 1], stack.weights[d + 1], stack.cells[d + 1]),
                )  # fmt: skip
            for c in range(n_cells):
                stack.counts[c] = 0
            if deeper:
                d += 1
                nodes[d, MASK], nodes[d, INDEX], nodes[d, NEXT], nodes[d, STOP] = here, index, 0, below
    return visited
