"""Counting kernels: weighted contingency tables over the distinct rows, and sums of lookups over their cells.

Two regimes, chosen by the number of configurations of a set (the border is the same for all sets of a table):

- **dense**: one cell per configuration, numbered in mixed radix with the variables in ascending order. Cell numbers
  are made for a block of rows at a time, a column after the other, which the compiler vectorises; the counts go to
  four lanes in turn, because consecutive rows often fall into the same cell.
- **hashed**: the occupied configurations are numbered in order of first occurrence, whatever their number.

In both the order in which the cells are summed depends on the set of variables only. So the term of a set is the
same to the last bit whichever family asked for it, in a batch or alone, on one thread or two.

What belongs together comes as a plain tuple, whose type Numba finds much faster than that of a named one:

- ``rows``: a row of codes per column, the weights, the arities (`bnml.counts.in_memory.DistinctRows`);
- ``sets``: members, offsets, positions. Family f is the ascending set ``members[offsets[f]:offsets[f + 1]]`` with the
  child at ``position[f]``, -1 for no child: then only the joint sum is wanted (`bnml.counts.batches.FamilyBatch`);
- ``terms``: lookups, their tails, the row of each family's margin among them, and pairs (a, log a) for joint and
  margin. A cell with count n adds ``lookups[0, n]`` in the joint table and ``lookups[margin_row[f], n]`` in the
  parents', for a large n what the tail says (`bnml.counts.batches`); where pairs are given, log Γ(a + n) - log Γ(a)
  instead.
"""

from __future__ import annotations

import math

import numpy as np

from bnml._arrays import Array
from bnml._jit import helper, kernel, plain_at_first
from bnml.counts._lookup_helpers import in_tail, stirling

BLOCK = 1024
LANES = 4
MAX_DENSE = 1 << 16  # cell numbers of the dense regime are 16 bits wide
KEY_LIMIT = 1 << 62
TINY = 1e-18  # below, Γ(a + n) / Γ(a) is a Γ(n) to the last digit
STIRLING_FROM = 32.0  # from here on Stirling's series with four terms is exact


@helper
def _start(key: Array, column: Array) -> None:
    for i in range(column.size):
        key[i] = np.uint16(column[i])


@helper
def _base(r: int) -> Array:
    """Return an arity in 16 bits; 65536 becomes 0, which is as good: the digits before it can only be 0."""
    return np.uint16(r & 0xFFFF)


@helper
def _append(key: Array, column: Array, r: Array) -> None:
    """Append a digit with base ``r`` to each cell number."""
    for i in range(column.size):
        key[i] = np.uint16(key[i] * r + np.uint16(column[i]))


@helper
def _add(lanes: Array, key: Array, weights: Array) -> None:
    lane_0, lane_1, lane_2, lane_3 = lanes[0], lanes[1], lanes[2], lanes[3]
    n = weights.size
    whole = n // 4 * 4
    for i in range(0, whole, 4):
        lane_0[key[i]] += weights[i]
        lane_1[key[i + 1]] += weights[i + 1]
        lane_2[key[i + 2]] += weights[i + 2]
        lane_3[key[i + 3]] += weights[i + 3]
    for i in range(whole, n):
        lane_0[key[i]] += weights[i]


@helper
def _collect(lanes: Array, cells: int, table: Array) -> None:
    """Move the lanes' sum to ``table`` and leave the lanes empty for the next set."""
    lane_0, lane_1, lane_2, lane_3 = lanes[0], lanes[1], lanes[2], lanes[3]
    for c in range(cells):
        table[c] = lane_0[c] + lane_1[c] + lane_2[c] + lane_3[c]
        lane_0[c] = 0
        lane_1[c] = 0
        lane_2[c] = 0
        lane_3[c] = 0


@helper
def _count(columns: Array, weights: Array, arities: Array, variables: Array, key: Array, lanes: Array) -> None:
    n_distinct = columns.shape[1]
    for start in range(0, n_distinct, BLOCK):
        stop = min(n_distinct, start + BLOCK)
        if variables.size == 0:
            for i in range(stop - start):
                key[i] = 0
        else:
            _start(key, columns[variables[0], start:stop])
        for t in range(1, variables.size):
            v = variables[t]
            _append(key, columns[v, start:stop], _base(arities[v]))
        _add(lanes, key, weights[start:stop])


@plain_at_first(
    lambda columns, weights, arities, variables, table: columns.shape[1] * (1 + variables.size) + table.size
)
@kernel
def count_dense(columns: Array, weights: Array, arities: Array, variables: Array, table: Array) -> None:
    """Kernel: contingency table of at most ``MAX_DENSE`` cells, first variable slowest."""
    key = np.empty(BLOCK, np.uint16)
    lanes = np.zeros((LANES, table.size), weights.dtype)
    _count(columns, weights, arities, variables, key, lanes)
    _collect(lanes, table.size, table)


@helper
def _relabel(key: Array, slots: Array, labels: Array) -> int:
    """Give equal keys equal labels, in order of first occurrence; ``slots`` is a hash table filled with -1."""
    mask = slots.size - 1
    m = 0
    first = np.empty(key.size, np.int64)  # first[label]: the row that brought it
    for i in range(key.size):
        k = int(key[i])
        h = ((k * 0x9E3779B97F4A7C1) >> 17) & mask
        while True:
            label = slots[h]
            if label < 0:
                slots[h] = m
                first[m] = i
                labels[i] = m
                m += 1
                break
            if key[first[label]] == k:
                labels[i] = label
                break
            h = (h + 1) & mask
    return m


@helper
def _slots(n: int) -> Array:
    size = 64
    while size < 2 * n:
        size *= 2
    slots = np.empty(size, np.int64)
    for h in range(size):
        slots[h] = -1
    return slots


@helper
def _partition(columns: Array, arities: Array, variables: Array, labels: Array) -> int:
    """Label the rows by their configuration of ``variables``, in order of first occurrence; return how many.

    As many columns as fit into 62 bits are packed before each round of hashing.
    """
    key = np.empty(labels.size, np.int64)
    for i in range(labels.size):
        key[i] = labels[i] = 0
    m = 1 if labels.size else 0  # no rows have no configuration, not even that of no variables
    capacity = 1
    for t in range(variables.size):
        v = variables[t]
        r = arities[v]
        if capacity > KEY_LIMIT // r:
            m = _relabel(key, _slots(key.size), labels)
            for i in range(key.size):
                key[i] = labels[i]
            capacity = m
        column = columns[v]
        for i in range(key.size):
            key[i] = key[i] * r + column[i]
        capacity *= r
    if capacity > 1:
        m = _relabel(key, _slots(key.size), labels)
    return m


@plain_at_first(lambda columns, arities, variables, labels: labels.size * (2 + variables.size))
@kernel
def partition_rows(columns: Array, arities: Array, variables: Array, labels: Array) -> int:
    """Kernel: label the rows by their configuration of ``variables``, in order of first occurrence; return how many."""
    return _partition(columns, arities, variables, labels)


@helper
def _hashed(columns: Array, weights: Array, arities: Array, variables: Array, labels: Array, table: Array) -> int:
    m = _partition(columns, arities, variables, labels)
    for c in range(m):
        table[c] = 0
    for i in range(labels.size):
        table[labels[i]] += weights[i]
    return m


@helper
def _sum_lookups(table: Array, cells: int, lookup: Array, tail: Array) -> float:
    total = 0.0
    if tail.shape[0] == 0:
        for c in range(cells):
            total += lookup[table[c]]
        return total
    for c in range(cells):
        n = table[c]
        if n < lookup.size:
            total += lookup[n]
        else:
            total += in_tail(tail, lookup.size, n)
    return total


@helper
def _sum_rising(table: Array, cells: int, a: float, log_a: float, parts: float) -> float:
    """Sum of log Γ(a + n) - log Γ(a) over the occupied cells; ``a`` may be too small for a float, ``log_a`` is not.

    Where a row is several parts, n is a number of these, and the sum is taken so many times.
    """
    total = 0.0
    if a < TINY:
        for c in range(cells):
            if table[c] > 0:
                total += log_a + math.lgamma(table[c] / parts)
    elif a < STIRLING_FROM:
        base = math.lgamma(a)
        for c in range(cells):
            if table[c] > 0:
                total += math.lgamma(a + table[c] / parts) - base
    else:  # the two would cancel; see bnml.nml.rising
        base = stirling(a)
        for c in range(cells):
            n = table[c] / parts
            if n > 0:
                main = (a - 0.5) * math.log1p(n / a) + n * (math.log(a + n) - 1.0)
                total += main + (stirling(a + n) - base)
    return parts * total


@helper
def _sum_out(table: Array, cells: int, r: int, stride: int, margin: Array) -> int:
    """Sum a digit with base ``r`` out of a dense table; ``stride`` is the number of cells behind that digit."""
    c = 0
    for high in range(0, cells, r * stride):
        for low in range(stride):
            n = 0
            for k in range(r):
                n += table[high + k * stride + low]
            margin[c] = n
            c += 1
    return c


@helper
def _cells(arities: Array, variables: Array, limit: int) -> int:
    """Return the number of configurations, or ``limit + 1`` where it is larger than ``limit``."""
    cells = 1
    for t in range(variables.size):
        cells *= arities[variables[t]]
        if cells > limit:
            return limit + 1
    return cells


@plain_at_first(lambda arities, members, offsets, position, out: offsets.size + members.size)
@kernel
def count_configurations(arities: Array, members: Array, offsets: Array, position: Array, out: Array) -> None:
    """Kernel: count the configurations of each family's variables, and of its parents, as rounded products."""
    for f in range(offsets.size - 1):
        q_r, q = 1.0, 1.0
        for t in range(offsets[f], offsets[f + 1]):
            r = float(arities[members[t]])
            q_r *= r
            if t - offsets[f] != position[f]:
                q *= r
        out[0, f], out[1, f] = q_r, q


@helper
def _term(table: Array, cells: int, lookup: Array, tail: Array, a: Array) -> float:
    return _sum_rising(table, cells, a[0], a[1], a[2]) if a.size > 0 else _sum_lookups(table, cells, lookup, tail)


def _steps_of_families(rows: Array, sets: Array, terms: Array, *others: Array) -> float:
    columns, offsets, tails, joint_a = rows[0], sets[1], terms[1], terms[3]
    if joint_a.size or tails.size:
        return math.inf
    return float(columns.shape[1] * (4 * offsets.size + offsets[-1] - offsets[0]))


@plain_at_first(_steps_of_families)
@kernel
def sum_families(rows: Array, sets: Array, terms: Array, limit: int, out: Array) -> None:
    """Kernel: add up over the cells of each family's joint table and over those of its parents' table.

    Sets of at most ``limit`` configurations are counted densely.
    """
    columns, weights, arities = rows
    members, offsets, position = sets
    lookups, tails, margin_row, joint_a, margin_a = terms
    n_distinct = columns.shape[1]
    largest, hashed = 1, False  # scratch is sized for this batch: zeroing it must not cost more than the counting
    for f in range(offsets.size - 1):
        cells = _cells(arities, members[offsets[f] : offsets[f + 1]], limit)
        if cells <= limit:
            largest = max(largest, cells)
        else:
            hashed = True
    if hashed:
        largest = limit
    key = np.empty(BLOCK, np.uint16)
    lanes = np.zeros((LANES, largest), weights.dtype)
    table = np.empty(max(largest, n_distinct if hashed else 1), weights.dtype)
    margin = np.empty(largest, weights.dtype)
    labels = np.empty(n_distinct if hashed else 0, np.int64)
    scratch = np.empty(columns.shape[0], np.int64)
    for f in range(offsets.size - 1):
        start, stop = offsets[f], offsets[f + 1]
        child = start + position[f]
        cells = limit + 1
        for side in range(1 if child < start else 2):  # the joint table, then the parents'
            if side == 1 and cells <= limit:
                stride = 1
                for t in range(child + 1, stop):
                    stride *= arities[members[t]]
                counts, m = margin, _sum_out(table, cells, arities[members[child]], stride, margin)
            else:
                k = 0
                for t in range(start, stop):
                    if side == 0 or t != child:
                        scratch[k] = members[t]
                        k += 1
                variables = scratch[:k]
                cells = _cells(arities, variables, limit)
                if cells <= limit:
                    _count(columns, weights, arities, variables, key, lanes)
                    _collect(lanes, cells, table)
                    m = cells
                else:
                    m = _hashed(columns, weights, arities, variables, labels, table)
                counts = table
            if side == 0:
                row, a = 0, joint_a[f]
            else:
                row, a = margin_row[f], margin_a[f]
            out[f, side] = _term(counts, m, lookups[row], tails[row], a)


@kernel
def sum_additions(rows: Array, base: Array, position: int, candidates: Array, terms: Array, out: Array) -> None:
    """Kernel: add up as `sum_families` does, for ``base`` (ascending, child at ``position``) plus each candidate.

    One pass over the rows: the cell number of the base is made once for each block and every candidate appends its
    digit to it. Each base + candidate has at most ``MAX_DENSE`` cells.
    """
    columns, weights, arities = rows
    lookups, tails, margin_row, joint_a, margin_a = terms
    n_distinct = columns.shape[1]
    base_cells = _cells(arities, base, MAX_DENSE)
    starts = np.zeros(candidates.size + 1, np.int64)
    for c in range(candidates.size):
        starts[c + 1] = starts[c] + base_cells * arities[candidates[c]]
    lanes = np.zeros((1, LANES * starts[-1]), weights.dtype)[0]
    base_key = np.empty(BLOCK, np.uint16)
    key = np.empty(BLOCK, np.uint16)
    for start in range(0, n_distinct, BLOCK):
        stop = min(n_distinct, start + BLOCK)
        _start(base_key, columns[base[0], start:stop])
        for t in range(1, base.size):
            _append(base_key, columns[base[t], start:stop], _base(arities[base[t]]))
        for c in range(candidates.size):
            for i in range(stop - start):
                key[i] = base_key[i]
            y = candidates[c]
            _append(key, columns[y, start:stop], _base(arities[y]))
            own = lanes[LANES * starts[c] : LANES * starts[c + 1]]
            _add(own.reshape((LANES, own.size // LANES)), key, weights[start:stop])
    table = np.empty(MAX_DENSE, weights.dtype)
    ordered = np.empty(MAX_DENSE, weights.dtype)
    for c in range(candidates.size):
        cells = starts[c + 1] - starts[c]
        _collect(lanes[LANES * starts[c] : LANES * starts[c + 1]].reshape((LANES, cells)), cells, table)
        # the candidate's digit is the last; move it to its place in ascending order
        r = arities[candidates[c]]
        low = 1
        child_stride = 1
        for t in range(base.size):
            if base[t] > candidates[c]:
                low *= arities[base[t]]
            if t > position:
                child_stride *= arities[base[t]]
        if base[position] < candidates[c]:
            child_stride *= r
        d = 0
        for high in range(0, base_cells, low):
            for k in range(r):
                for j in range(low):
                    ordered[d] = table[(high + j) * r + k]
                    d += 1
        out[c, 0] = _term(ordered, cells, lookups[0], tails[0], joint_a[c])
        q = _sum_out(ordered, cells, arities[base[position]], child_stride, table)
        out[c, 1] = _term(table, q, lookups[margin_row[c]], tails[margin_row[c]], margin_a[c])


# --- tests of independence ---
#
# A test of X and Y given S counts one table, stratum by stratum of S, and makes of it a statistic, its degrees of
# freedom and the logarithm of its p-value. The cell numbers of X and Y are made once for all tests of the pair; the
# digits of S are put before them a block of rows at a time.

FEW_CELLS = 4096  # up to here the counts of a pair go to four lanes
MOST_STEPS = 100_000
LEAST = 1e-300
HALF_LOG_2PI = 0.9189385332046727


@helper
def _log_density(a: float, x: float) -> float:
    """Return log(x^a e^-x / Γ(a)); for large a without the difference of large numbers."""
    if a < STIRLING_FROM:
        return a * math.log(x) - x - math.lgamma(a)
    m = (x - a) / a
    log_ratio = math.log(x / a) if m < -0.5 else math.log1p(m)
    return a * (log_ratio - m) + 0.5 * math.log(a) - HALF_LOG_2PI - stirling(a)


@helper
def _log_survival(statistic: float, freedom: float) -> float:
    """Return log P(χ² > statistic): log Q(a, x), a and x half of freedom and statistic.

    Below a + 1 from the power series of 1 - Q, above from the continued fraction of Q (modified Lentz).
    """
    if freedom <= 0.0 or statistic <= 0.0:
        return 0.0
    a, x = 0.5 * freedom, 0.5 * statistic
    if x < a + 1.0:
        term = 1.0 / a
        total = term
        for k in range(1, MOST_STEPS):
            term *= x / (a + k)
            total += term
            if term < total * 1e-17:
                break
        below = math.exp(_log_density(a, x)) * total
        return math.log1p(-min(below, 1.0))
    b = x + 1.0 - a
    c = 1.0 / LEAST
    d = 1.0 / b
    h = d
    for k in range(1, MOST_STEPS):
        factor = -k * (k - a)
        b += 2.0
        d = factor * d + b
        if abs(d) < LEAST:
            d = LEAST
        c = b + factor / c
        if abs(c) < LEAST:
            c = LEAST
        d = 1.0 / d
        step = d * c
        h *= step
        if abs(step - 1.0) < 1e-16:
            break
    return min(_log_density(a, x) + math.log(h), 0.0)


@helper
def _pair_keys(x: Array, y: Array, r_y: int, keys: Array) -> None:
    for i in range(x.size):
        keys[i] = np.uint16(x[i] * r_y + y[i])


@helper
def _add_plain(table: Array, key: Array, weights: Array) -> None:
    """Add to one lane."""
    for i in range(weights.size):
        table[key[i]] += weights[i]


@helper
def _count_pair(
    columns: Array, weights: Array, arities: Array, pair: Array, r_xy: int, given: Array, scratch: Array, lanes: Array
) -> None:
    """Count the table of a pair given some columns into the lanes: strata first, then X, then Y."""
    n, cells = pair.size, r_xy
    for t in range(given.size):
        cells *= arities[given[t]]
    few = cells <= FEW_CELLS
    for start in range(0, n, BLOCK):
        stop = min(n, start + BLOCK)
        if given.size == 0:
            key = pair[start:stop]
        else:
            key = scratch[: stop - start]
            _start(key, columns[given[0], start:stop])
            for t in range(1, given.size):
                _append(key, columns[given[t], start:stop], _base(arities[given[t]]))
            _append(key, pair[start:stop], _base(r_xy))
        if few:
            _add(lanes, key, weights[start:stop])
        else:
            _add_plain(lanes[0], key, weights[start:stop])
    if few:
        table, lane_1, lane_2, lane_3 = lanes[0], lanes[1], lanes[2], lanes[3]
        for c in range(cells):
            table[c] += lane_1[c] + lane_2[c] + lane_3[c]
            lane_1[c] = 0
            lane_2[c] = 0
            lane_3[c] = 0


@helper
def _sum_strata(
    table: Array, strata: int, r_x: int, r_y: int, pearson: bool, n_x: Array, n_y: Array, out: Array
) -> None:
    """Write statistic, degrees of freedom and log p-value of a table, and leave the table empty.

    A stratum adds (rows that are not empty - 1) · (columns that are not empty - 1) degrees of freedom.
    """
    statistic, freedom = 0.0, 0
    for s in range(strata):
        base = s * r_x * r_y
        total = 0
        n_y[:r_y] = 0
        for i in range(r_x):
            row = 0
            for j in range(r_y):
                n = table[base + i * r_y + j]
                row += n
                n_y[j] += n
            n_x[i] = row
            total += row
        if total == 0:
            continue
        rows, across = -1, -1
        for i in range(r_x):
            rows += n_x[i] > 0
        for j in range(r_y):
            across += n_y[j] > 0
        freedom += rows * across
        if rows * across > 0:
            n_s = float(total)
            part = 0.0
            for i in range(r_x):
                if n_x[i] > 0:
                    share = n_x[i] / n_s
                    for j in range(r_y):
                        n = table[base + i * r_y + j]
                        expected = share * n_y[j]
                        if not pearson:
                            if n > 0:
                                part += 2.0 * n * math.log(n / expected)
                        elif n_y[j] > 0:
                            part += (n - expected) * (n - expected) / expected
            statistic += max(part, 0.0)
        table[base : base + r_x * r_y] = 0
    out[0], out[1], out[2] = statistic, freedom, _log_survival(statistic, freedom)


@kernel
def log_survival(statistic: float, freedom: float) -> float:
    """Kernel: return log P(χ² > statistic), inside the kernel that tests pairs."""
    return _log_survival(statistic, freedom)


@kernel
def run_pair_tests(rows: Array, questions: Array, verdict: Array, results: Array, made: Array) -> None:
    """Kernel: test each pair given one set of columns after the other, until a test finds it independent.

    `DistinctRows`, `Questions` and `Verdict` come as plain tuples, whose types Numba finds much faster. ``made[p]``
    says how many tests of pair p were made, and ``results[t]`` what test t found: statistic, degrees of freedom, log p.
    Tables have at most ``MAX_DENSE`` cells.
    """
    columns, weights, arities = rows
    xs, ys, offsets, sets = questions
    pearson, log_alpha, least = verdict
    n = columns.shape[1]
    most, widest = 1, 1
    for p in range(xs.size):
        widest = max(widest, arities[xs[p]], arities[ys[p]])
        for t in range(offsets[p], offsets[p + 1]):
            cells = arities[xs[p]] * arities[ys[p]]
            for k in range(sets.shape[1]):
                cells *= arities[sets[t, k]]
            most = max(most, cells)
    pair = np.empty(n, np.uint16)
    scratch = np.empty(BLOCK, np.uint16)
    lanes = np.zeros((LANES, most), weights.dtype)
    n_x, n_y = np.zeros(widest, np.int64), np.zeros(widest, np.int64)
    for p in range(xs.size):
        x, y = xs[p], ys[p]
        r_x, r_y = arities[x], arities[y]
        made[p] = 0
        if offsets[p] == offsets[p + 1]:
            continue
        _pair_keys(columns[x], columns[y], r_y, pair)
        for t in range(offsets[p], offsets[p + 1]):
            strata = 1
            for k in range(sets.shape[1]):
                strata *= arities[sets[t, k]]
            _count_pair(columns, weights, arities, pair, r_x * r_y, sets[t], scratch, lanes)
            _sum_strata(lanes[0], strata, r_x, r_y, pearson, n_x, n_y, results[t])
            made[p] += 1
            if results[t, 2] > log_alpha or results[t, 0] < least:
                break
