"""The parent sets of one variable, a level at a time: all sets of k + 1 candidates of which every k are still open.

A set is the list of its members, candidates by number, the highest first. It is counted as an extension of itself
without its lowest member, by refining that set's partition of the rows; sets stand in such an order that neighbours
share most of their partitions. What a set is closed by is described in `bnml.scores.candidates_by_bounds`.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from bnml._arrays import Array
from bnml._bits import WORD_BITS
from bnml._jit import helper, kernel

BY_PRICE, BY_CELLS = 1, 2  # what bounds the score of larger sets; 0 for nothing

PAIR_COST = 2.0 * math.log(2.0)

LISTED, OPEN = 1, 2  # what is said of a set: it is better than its subsets, and larger ones may be


class ChildRows(NamedTuple):
    """The distinct rows as one child sees them.

    child, columns, places, weights
        The codes of the child and of all columns, the column of each candidate, and how often each row occurs.
    arity, arities
        Numbers of states.
    cells, n_cells
        The partition of the rows by the parents that every set has.
    told_apart, n_pairs
        Pairs of rows that the child tells apart: which of them each candidate tells apart as well, a bit for each.
    """

    child: Array
    columns: Array
    places: Array
    weights: Array
    arity: int
    arities: Array
    cells: Array
    n_cells: int
    told_apart: Array
    n_pairs: int


class Costs(NamedTuple):
    """What scores and bounds are made of; numbers of configurations q by index, ascending.

    kind
        The kind of each candidate: the number of its arity among all arities.
    step, below
        For each kind the index of q times the arity, -1 beyond the end; the largest whose q times it is at most q.
    price, rise
        What q configurations cost, and by how much that grows with a candidate of each kind, at the least for any
        larger q up to the ones in use.
    joint, margin, spread
        What cells of so many rows add to a set with the child, and without: one table, or one for each q with the
        hyperparameters ``spread``.
    gain, least
        What each candidate adds by the prior, and what is unknown of it when all other variables are known.
    numbers
        See the names of its entries below.
    mode
        What bounds the score of larger sets.
    """

    kind: Array
    step: Array
    below: Array
    price: Array
    rise: Array
    joint: Array
    margin: Array
    spread: Array
    gain: Array
    least: Array
    numbers: Array
    mode: int


# the best fit of all; what the prior adds at most; what a state costs that occurs; what differences are too small to
# count; the last index that is allowed; what the prior adds to all sets
FIT, BONUS, CELL_COST, SLACK, LAST, CONSTANT = range(6)


class Level(NamedTuple):
    """The open sets of one size.

    members, subsets
        The members of each set, the highest first, and where the set without each of them stood on the level before.
    keys, slots, codes
        A hash of each set, where to find it, and the random number of each candidate.
    best, cost, fit, index
        Of each set: the best score of its subsets and itself, its term (the sum of n log n over its cells), the fit of
        the child or a bound of larger sets, and the index of its number of configurations.
    before
        The terms of the sets on the level before.
    """

    members: Array
    subsets: Array
    keys: Array
    slots: Array
    codes: Array
    best: Array
    cost: Array
    fit: Array
    index: Array
    before: Array


class Room(NamedTuple):
    """Room to work in.

    Partitions on the way to a set with the candidates that made them, counts, labels, places, the pairs that a set
    tells apart, and how many more others would.
    """

    cells: Array
    n_cells: Array
    path: Array
    counts: Array
    labels: Array
    places: Array
    apart: Array
    more: Array


class FoundSets(NamedTuple):
    """What is found of sets: numbers and values, by the names below, and where subsets stand."""

    numbers: Array
    values: Array
    subsets: Array


PARENT, CANDIDATE, INDEX, SAYS = range(4)
SCORE, BEST, TERM, REACH = range(4)


@kernel
def find_slots(keys: Array, slots: Array) -> None:
    """Kernel: enter parent sets by their keys; -1 is an empty slot."""
    mask = slots.size - 1
    for i in range(keys.size):
        at = (keys[i] ^ (keys[i] >> 29)) & mask
        while slots[at] >= 0:
            at = (at + 1) & mask
        slots[at] = i


@kernel
def pairs_by_distance(columns: Array, chosen: Array, starts: Array, first: Array, second: Array) -> None:
    """Kernel: to bound parent sets, write all pairs of the chosen rows, those that differ in few columns first.

    ``starts[d + 1]``: how many pairs differ in d columns, and afterwards where those of d + 1 begin.
    """
    n = columns.shape[0]
    for fill in range(2):
        for a in range(chosen.size):
            i = chosen[a]
            for b in range(a):
                j = chosen[b]
                d = 0
                for c in range(n):
                    d += columns[c, i] != columns[c, j]
                if fill == 0:
                    starts[d + 1] += 1
                else:
                    first[starts[d]], second[starts[d]] = i, j
                    starts[d] += 1
        if fill == 0:
            for d in range(1, starts.size):
                starts[d] += starts[d - 1]


@kernel
def match_rows(rows: ChildRows, first: Array, second: Array, left: Array, told_apart: Array) -> int:
    """Kernel: to bound parent sets, match rows of one cell in which the child differs, pair by pair; return how many.

    ``left``: how often each row is still there. Of each pair it is noted which candidates tell it apart.
    """
    most = told_apart.shape[1] * WORD_BITS
    matched = 0
    for p in range(first.size):
        i, j = first[p], second[p]
        if rows.child[i] == rows.child[j] or rows.cells[i] != rows.cells[j]:
            continue
        while left[i] > 0 and left[j] > 0 and matched < most:
            left[i] -= 1
            left[j] -= 1
            for y in range(told_apart.shape[0]):
                if rows.columns[rows.places[y], i] != rows.columns[rows.places[y], j]:
                    told_apart[y, matched // WORD_BITS] |= 1 << (matched % WORD_BITS)
            matched += 1
    return matched


@helper
def _ones(word: int) -> int:
    """Return the number of bits of a word that are set."""
    word = word - ((word >> 1) & 0x5555555555555555)
    word = (word & 0x3333333333333333) + ((word >> 2) & 0x3333333333333333)
    word = (word + (word >> 4)) & 0x0F0F0F0F0F0F0F0F
    word += word >> 8
    word += word >> 16
    word += word >> 32
    return word & 0x7F


@helper
def _pairs_allow(
    rows: ChildRows, costs: Costs, level: Level, p: int, room: Room, q: int, best: float, more: int
) -> bool:
    """Whether the set p with the candidate at the end of ``places``, and ``more`` others or any above, can be better.

    A pair of rows that differ in the child and that a set leaves together costs the fit 2 log 2. Of those that the set
    itself leaves together, further parents tell apart no more than the candidates that tell most of them apart.
    """
    k = level.members.shape[1]
    apart, top = room.apart[1], room.more
    top[:] = 0
    separated = 0
    for w in range(apart.size):
        separated += _ones(apart[w])
    for y in range(rows.arities.size):
        known = y == room.places[k]
        for d in range(k):
            known |= y == level.members[p, d]
        if not known:
            new = 0
            for w in range(apart.size):
                new += _ones(rows.told_apart[y, w] & ~apart[w])
            at = top.size - 1
            if new > top[at]:
                while at > 0 and top[at - 1] < new:
                    top[at] = top[at - 1]
                    at -= 1
                top[at] = new
    least = best - costs.numbers[SLACK] - costs.numbers[BONUS]
    for t in range(rows.arities.size):
        if costs.numbers[FIT] - costs.price[q] < least:
            return False
        left = rows.n_pairs - separated
        if t >= more and (left <= 0 or -PAIR_COST * left - costs.price[q] >= least):
            return True
        separated += top[min(t, top.size - 1)]
        q = costs.step[q, costs.kind[0]]
        if q < 0 or q > costs.numbers[LAST]:
            return False
    return False


@helper
def _place(level: Level, key: int, p: int, left: int, added: int) -> int:
    """Return where the set p, with one member less and a lower one added, stands; -1 if it is closed."""
    k = level.members.shape[1]
    mask = level.slots.size - 1
    at = (key ^ (key >> 29)) & mask
    own = level.members[p]
    while True:
        i = level.slots[at]
        if i < 0:
            return -1
        if level.keys[i] == key and level.members[i, k - 1] == added:
            same = True
            for j in range(k - 1):
                if level.members[i, j] != own[j + (j >= left)]:
                    same = False
                    break
            if same:
                return int(i)
        at = (at + 1) & mask


@helper
def _refine(cells: Array, column: Array, r: int, n_cells: int, labels: Array, refined: Array) -> int:
    """Write the partition with one more column; return how many cells it has."""
    for c in range(n_cells * r):
        labels[c] = -1
    label = 0
    for i in range(cells.size):
        key = cells[i] * r + column[i]
        if labels[key] < 0:
            labels[key] = label
            label += 1
        refined[i] = labels[key]
    return label


@helper
def _entry(table: Array, a: float, n: int) -> float:
    return table[n] if n < table.size else math.lgamma(a + n) - math.lgamma(a)


@helper
def _count(rows: ChildRows, cells: Array, n_cells: int, y: int, counts: Array) -> int:
    """Count the cells of a partition with candidate y and the child; return how many there are without the child."""
    r, r_y = rows.arity, rows.arities[y]
    column, child, weights = rows.columns[rows.places[y]], rows.child, rows.weights
    n = n_cells * r_y
    for c in range(n * r):
        counts[c] = 0
    for i in range(child.size):
        counts[(cells[i] * r_y + column[i]) * r + child[i]] += weights[i]
    return int(n)


@helper
def _last_useful(price: Array, most: float, first: int) -> int:
    """Return the largest index, from ``first`` on, whose price is at most so much."""
    low, high = first, price.size - 1
    while low < high:
        middle = (low + high + 1) >> 1
        if price[middle] <= most:
            low = middle
        else:
            high = middle - 1
    return low


@helper
def _least_rise(costs: Costs, q: int, z: int, last: int) -> float:
    """Return by how much the price grows at least with candidate z, when it joins q configurations or more."""
    kind = costs.kind[z]
    end = max(q, costs.below[last, kind])
    return float(min(costs.rise[q, kind], costs.rise[end, kind]) - costs.gain[z])


@helper
def _closed_before(costs: Costs, level: Level, p: int, places: Array, y: int, q: int, last: int) -> bool:
    """Whether the set p with y is closed by what is known of its subsets: a member whose entropy is too small."""
    k = level.members.shape[1]
    slack = costs.numbers[SLACK]
    need = _least_rise(costs, costs.below[q, costs.kind[y]], y, last)
    for e in range(k):
        if level.before[level.subsets[p, e]] - level.cost[places[e]] - costs.least[y] < need - slack:
            return True
    for e in range(k):
        z = level.members[p, e]
        need = _least_rise(costs, costs.below[q, costs.kind[z]], z, last) + costs.least[z] - slack
        if level.before[level.subsets[p, e]] - level.cost[p] < need:
            return True
        for f in range(k):
            if f != e:
                at = e - (e > f)
                if level.before[level.subsets[places[f], at]] - level.cost[places[f]] < need:
                    return True
    return False


@helper
def _is_closed(costs: Costs, level: Level, p: int, places: Array, term: float, q: int, last: int) -> bool:
    """Whether a member of a set that was counted, the set p with another, adds less than it costs from q on.

    ``places``: where the set stands without each of its members, and then the one that was added.
    """
    k = level.members.shape[1]
    slack, fit = costs.numbers[SLACK], costs.numbers[FIT]
    for e in range(k + 1):
        z = level.members[p, e] if e < k else places[k]
        at = places[e] if e < k else p
        space = min(level.cost[at] - term - costs.least[z], fit - level.fit[at])
        if space < _least_rise(costs, costs.below[q, costs.kind[z]], z, last) - slack:
            return True
    return False


@kernel
def extend(
    rows: ChildRows, costs: Costs, level: Level, span: tuple[int, int], room: Room, found: FoundSets
) -> tuple[int, int, int]:
    """Kernel: look at the parent sets from ``span[0]`` to before ``span[1]``, each with every lower candidate.

    Return how many of what was looked at is in use, how many sets were counted, and how many have more configurations
    than are known.
    """
    k = level.members.shape[1]
    slack, fit, bonus, last_q = costs.numbers[SLACK], costs.numbers[FIT], costs.numbers[BONUS], int(costs.numbers[LAST])
    by_q = costs.spread.size > 0
    r, shared = rows.arity, 0
    places, labels, counts = room.places, room.labels, room.counts
    used = visited = beyond = 0
    for p in range(span[0], span[1]):
        shared = 0
        while shared < k and room.path[shared] == level.members[p, shared]:
            shared += 1
        for d in range(shared, k):
            y = level.members[p, d]
            room.path[d] = y
            room.n_cells[d + 1] = _refine(
                room.cells[d], rows.columns[rows.places[y]], rows.arities[y], room.n_cells[d], labels, room.cells[d + 1]
            )
        paired = costs.mode == BY_PRICE and rows.n_pairs > 0
        if paired:
            for w in range(room.apart.shape[1]):
                room.apart[0, w] = 0
                for d in range(k):
                    room.apart[0, w] |= rows.told_apart[level.members[p, d], w]
        gain = costs.numbers[CONSTANT]
        for d in range(k):
            gain += costs.gain[level.members[p, d]]
        for y in range(level.members[p, k - 1] if k > 0 else rows.arities.size):
            q = costs.step[level.index[p], costs.kind[y]]
            if q < 0 or q > last_q:
                beyond += q < 0
                continue
            best, reach = level.best[p], level.fit[p]
            whole = True
            for e in range(k):
                key = level.keys[p] ^ level.codes[level.members[p, e]] ^ level.codes[y]
                places[e] = _place(level, key, p, e, y)
                if places[e] < 0:
                    whole = False
                    break
                best = max(best, level.best[places[e]])
                reach = min(reach, level.fit[places[e]])
            if not whole:
                continue
            places[k] = y
            last = 0
            if costs.mode == BY_PRICE:
                if fit + bonus - costs.price[q] < best - slack:
                    continue
                last = _last_useful(costs.price, fit + bonus - best + slack, q)
                if k > 0 and _closed_before(costs, level, p, places, y, q, last):
                    continue
                if paired:
                    for w in range(room.apart.shape[1]):
                        room.apart[1, w] = room.apart[0, w] | rows.told_apart[y, w]
                    if not _pairs_allow(rows, costs, level, p, room, q, best, 0):
                        continue
            elif costs.mode == BY_CELLS and reach + bonus < best - slack:
                continue
            visited += 1
            n = _count(rows, room.cells[k], room.n_cells[k], y, counts)
            row = q if by_q else 0
            a = costs.spread[row] if by_q else 0.0
            joint, margin = costs.joint[row], costs.margin[row]
            over_joint = over_margin = 0.0
            filled = 0
            for c in range(n):
                total = 0
                for v in range(c * r, c * r + r):
                    if counts[v] > 0:
                        filled += 1
                        total += counts[v]
                        over_joint += _entry(joint, a / r, counts[v])
                if total > 0:
                    over_margin += _entry(margin, a, total)
            score = over_joint - over_margin - costs.price[q] + gain + costs.gain[y]
            reach = over_joint - over_margin
            if costs.mode == BY_PRICE and _is_closed(costs, level, p, places, over_margin, q, last):
                continue
            if costs.mode == BY_CELLS:
                reach = -filled * costs.numbers[CELL_COST]
            says = LISTED if score >= best - slack else 0
            best = max(best, score)
            more = costs.step[q, costs.kind[0]]  # candidates with few states come first
            beyond += more < 0
            if 0 <= more <= last_q:
                goes_on = True
                if costs.mode == BY_PRICE:
                    goes_on = fit + bonus - costs.price[more] >= best - slack
                    if goes_on:
                        last = _last_useful(costs.price, fit + bonus - best + slack, more)
                        goes_on = not _is_closed(costs, level, p, places, over_margin, more, last)
                    if goes_on and paired:
                        goes_on = _pairs_allow(rows, costs, level, p, room, q, best, 1)
                elif costs.mode == BY_CELLS:
                    goes_on = reach + bonus >= best - slack
                if goes_on:
                    says |= OPEN
            if says == 0:
                continue
            found.numbers[used, PARENT], found.numbers[used, CANDIDATE] = p, y
            found.numbers[used, INDEX], found.numbers[used, SAYS] = q, says
            found.values[used, SCORE], found.values[used, BEST] = score, best
            found.values[used, TERM], found.values[used, REACH] = over_margin, reach
            for e in range(k):
                found.subsets[used, e] = places[e]
            found.subsets[used, k] = p
            used += 1
    return used, visited, beyond
