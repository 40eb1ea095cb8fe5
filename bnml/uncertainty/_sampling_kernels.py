"""Parts of the kernels that sample structures: random numbers, the table of scored families, single changes, cycles.

Several *replicas* of a structure change side by side. What a replica is stands in arrays, one after the other in
``state``:

- ``parents[v]``: the parents of v, as 64-bit words;
- ``own[v]``: the score of v with these parents;
- ``near[v, u]``: the score of v with one parent more or less, u; not a number where it has not been looked up, minus
  infinity where it is not allowed;
- ``key`` and ``count``: where its random numbers come from, and how many steps it has taken;
- ``order`` and ``place``: an order of the variables in which parents come first, and its inverse (for the order prior).

What a step needs is handed over array by array: to take one out of a tuple costs Numba as much as a step.

The random numbers of a step depend on its number alone (SplitMix64, Steele, Lea & Flood 2014). So a step whose scores
are not known yet can be put off and taken again, and steps that are still to come can be looked at.

``table`` has the scores that are known, by open addressing: ``children[at]`` (-1: free), ``sets[at]`` and
``values[at]``, and where there is memory for it ``lines[at]``, what is known of ``near`` with these parents. A step
that needs a score which is not in ``near`` writes child and parent to ``need`` (one or two such pairs, -1 for none) and
is taken again. What the table does not have is noted in ``wanted``, and ``n_wanted`` counts.

``rules`` is may, must, link (matrices ``[parent, child]``), the most parents, arities, and the most cells of the family
of each variable.
"""

from __future__ import annotations

import numpy as np

from bnml._arrays import Array
from bnml._jit import helper, kernel

DRAWS = 8  # random numbers that a step may use
ONE = np.uint64(1)
ZERO = np.uint64(0)
LOW = np.uint64(63)
GOLDEN = np.uint64(0x9E3779B97F4A7C15)
FIRST_MIX = np.uint64(0xBF58476D1CE4E5B9)
SECOND_MIX = np.uint64(0x94D049BB133111EB)
S11, S27, S29, S30, S31 = np.uint64(11), np.uint64(27), np.uint64(29), np.uint64(30), np.uint64(31)
BRUIJN = np.uint64(0x03F79D71B4CB0A89)
S58 = np.uint64(58)
UNIT = 2.0**-53


def _places_of_bits() -> Array:
    places = np.zeros(64, np.int64)
    for k in range(64):
        places[((1 << k) * 0x03F79D71B4CB0A89 & (1 << 64) - 1) >> 58] = k
    return places


PLACES = _places_of_bits()


# --- random numbers ---


@helper
def random_bits(key: Array, step: int, draw: int) -> Array:
    """Kernels' helper for sampling: return 64 random bits, those of a draw of a step."""
    z = key + np.uint64(step * DRAWS + draw + 1) * GOLDEN
    z = (z ^ (z >> S30)) * FIRST_MIX
    z = (z ^ (z >> S27)) * SECOND_MIX
    return z ^ (z >> S31)


@helper
def random_unit(key: Array, step: int, draw: int) -> float:
    """Kernels' helper for sampling: return a random number from 0 to 1."""
    return float(random_bits(key, step, draw) >> S11) * UNIT


# --- sets ---


@helper
def has_arc(parents: Array, u: int, v: int) -> bool:
    """Kernels' helper for sampling: whether u is a parent of v."""
    there: bool = (parents[v, u >> 6] >> (np.uint64(u) & LOW)) & ONE == ONE
    return there


@helper
def size_of_words(words: Array) -> int:
    """Kernels' helper for sampling: return the number of members of a set."""
    size = 0
    for w in range(words.size):
        left = words[w]
        while left != ZERO:
            left &= left - ONE
            size += 1
    return size


@helper
def members_of_words(words: Array, out: Array) -> int:
    """Kernels' helper for sampling: write the members of a set, smallest first; return how many."""
    k = 0
    for w in range(words.size):
        left = words[w]
        while left != ZERO:
            low = left & (~left + ONE)
            out[k] = 64 * w + PLACES[np.int64((low * BRUIJN) >> S58)]
            k += 1
            left ^= low
    return k


@helper
def number_of_arcs(parents: Array) -> int:
    """Kernels' helper for sampling: return the number of arcs of a structure."""
    total = 0
    for v in range(parents.shape[0]):
        total += size_of_words(parents[v])
    return total


@helper
def leads_to(parents: Array, start: int, without: int, target: int, stack: Array, seen: Array) -> bool:
    """Kernels' helper for sampling: whether ``target`` is an ancestor of ``start``.

    The arc from ``without`` does not count (-1: all count).
    """
    for w in range(seen.size):
        seen[w] = ZERO
    word, bit = target >> 6, np.uint64(target) & LOW
    depth = 1
    stack[0] = start
    first = True
    while depth > 0:
        depth -= 1
        x = stack[depth]
        for w in range(seen.size):
            new = parents[x, w]
            if first and without >= 0 and without >> 6 == w:
                new &= ~(ONE << (np.uint64(without) & LOW))
            new &= ~seen[w]
            if w == word and (new >> bit) & ONE == ONE:
                return True
            seen[w] |= new
            while new != ZERO:
                low = new & (~new + ONE)
                stack[depth] = 64 * w + PLACES[np.int64((low * BRUIJN) >> S58)]
                depth += 1
                new ^= low
        first = False
    return False


# --- the table of families ---


@helper
def find_family(table: Array, child: int, own: Array, u: int) -> Array:
    """Kernels' helper for sampling: return where a family stands in the table, or -1 - (where it would).

    It is that of a child with one parent toggled (-1: none).
    """
    return find_place(table[0], table[1], child, own, u)


@helper
def find_place(children: Array, sets: Array, child: int, own: Array, u: int) -> Array:
    """Kernels' helper for sampling: do as `find_family`, the arrays of the table being handed over one by one."""
    last = children.size - 1
    h = np.uint64(child + 1) * GOLDEN
    for w in range(own.size):
        x = own[w]
        if u >= 0 and u >> 6 == w:
            x ^= ONE << (np.uint64(u) & LOW)
        h = (h ^ x) * FIRST_MIX
        h ^= h >> S29
    at: Array = np.int64(h & np.uint64(last))
    while children[at] >= 0:
        if children[at] == child:
            same = True
            for w in range(own.size):
                x = own[w]
                if u >= 0 and u >> 6 == w:
                    x ^= ONE << (np.uint64(u) & LOW)
                if sets[at, w] != x:
                    same = False
            if same:
                return at
        at = (at + 1) & last
    return -1 - at


@kernel
def enter_wanted(parents: Array, wanted: Array, n_wanted: Array, table: Array, entered: Array, free: int) -> int:
    """Kernel: give the families that are wanted a place in the table, without a score yet; return how many are new.

    At most ``free`` of them; the others will be wanted again. ``entered`` is filled with the places.
    """
    children, sets, values, _ = table
    k = 0
    for r in range(n_wanted.size):
        for i in range(n_wanted[r]):
            if k >= free:
                break
            v, u = wanted[r, i, 0], wanted[r, i, 1]
            at = find_family(table, v, parents[r, v], u)
            if at >= 0:
                continue
            at = -1 - at
            children[at] = v
            for w in range(parents.shape[2]):
                sets[at, w] = parents[r, v, w]
            if u >= 0:
                sets[at, u >> 6] ^= ONE << (np.uint64(u) & LOW)
            values[at] = np.nan
            entered[k] = at
            k += 1
        n_wanted[r] = 0
    return k


@kernel
def batch_members(
    table: Array, entered: Array, columns: Array, members: Array, offsets: Array, position: Array
) -> None:
    """Kernel: for sampling, write families as a batch to count: the columns of each ascending, where its child is."""
    children, sets = table[0], table[1]
    scratch = np.empty(columns.size, np.int64)
    offsets[0] = 0
    for f in range(entered.size):
        at = entered[f]
        n = members_of_words(sets[at], scratch)
        scratch[n] = children[at]
        own = columns[children[at]]
        start = offsets[f]
        for k in range(n + 1):
            column = columns[scratch[k]]
            i = start + k
            while i > start and members[i - 1] > column:
                members[i] = members[i - 1]
                i -= 1
            members[i] = column
        for k in range(n + 1):
            if members[start + k] == own:
                position[f] = k
        offsets[f + 1] = start + n + 1


@kernel
def rehash(old: Array, new: Array) -> None:
    """Kernel: enter all families of one table into another, which is larger."""
    for at in range(old[0].size):
        if old[0][at] >= 0:
            there = -1 - find_family(new, old[0][at], old[1][at], -1)
            new[0][there] = old[0][at]
            for w in range(old[1].shape[1]):
                new[1][there, w] = old[1][at, w]
            new[2][there] = old[2][at]


# --- single changes ---


@helper
def toggle(parents: Array, own: Array, near: Array, v: int, u: int, score: float) -> None:
    """Kernels' helper for sampling: give v one parent more or less, u."""
    before = own[v]
    parents[v, u >> 6] ^= ONE << (np.uint64(u) & LOW)
    own[v] = score
    for x in range(near.shape[1]):
        near[v, x] = np.nan
    near[v, u] = before


@helper
def set_parents(parents: Array, own: Array, near: Array, v: int, words: Array, score: float) -> None:
    """Kernels' helper for sampling: give v other parents."""
    for w in range(words.size):
        parents[v, w] = words[w]
    own[v] = score
    for x in range(near.shape[1]):
        near[v, x] = np.nan
