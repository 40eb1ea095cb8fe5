"""Family scores from the terms of all subsets."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bnml._arrays import Array
from bnml._jit import helper, kernel, plain_at_first

LOW = 12  # bits of the sets that have tables of their own


class FamilyTables(NamedTuple):
    """What the scores of one variable's families are made of, in units.

    joint, margin, missing
        The terms of all subsets; a joint term that is ``missing[0]`` was left out.
    closed, low_index, high_index
        The closed form of each index, and the index of the lowest LOW bits of a set and of the others.
    low_add, high_add, base
        What else is added: for the lowest bits, for the others, and to all.
    variable, step
        The variable's place, and what it adds to the index of a set.
    """

    joint: Array
    margin: Array
    missing: Array
    closed: Array
    low_index: Array
    high_index: Array
    low_add: Array
    high_add: Array
    base: float
    variable: int
    step: int


class Neighbours(NamedTuple):
    """Sets that are numbered one after the other: slices of the tables, and the gains to raise."""

    joint: Array
    margin: Array
    low_index: Array
    low_add: Array
    gains: Array


@helper
def _run(sets: Neighbours, missing: Array, closed: Array, step: int, high: int, add: float, least: float) -> None:
    joint, margin, low_index, low_add, gains = sets
    for k in range(gains.size):
        index = high + low_index[k]
        value = (float(joint[k]) - float(margin[k])) + (closed[index + step] - closed[index]) + (low_add[k] + add)
        if joint[k] != missing and value > least and value > gains[k]:
            gains[k] = value


@plain_at_first(lambda family, n_low, tops, least, start, gains: 2 * tops.size * gains.size)
@kernel
def fill_gains(family: FamilyTables, n_low: int, tops: Array, least: float, start: int, gains: Array) -> None:
    """Kernel: raise ``gains`` to the scores of the families in the lattice above ``least``.

    The parents are the set ``start + k`` of the lowest ``n_low`` variables, with the variable's own bit left out if it
    is one of these, together with each of the sets ``tops`` of the others.
    """
    i = family.variable
    bit = 1 << i
    whole = gains.size
    run = min(whole, 1 << LOW)
    if i < n_low:
        run = min(run, 1 << i)
    low_mask = (1 << LOW) - 1
    for top in tops:
        for at in range(0, whole, run):
            x = start + at
            if i < n_low:
                x = (x & (bit - 1)) | (x >> i << (i + 1))
            parents = (top << n_low) | x
            low, high = parents & low_mask, parents >> LOW
            add = family.high_add[high] + family.base
            if add == -np.inf:
                continue
            sets = Neighbours(
                family.joint[parents + bit : parents + bit + run],
                family.margin[parents : parents + run],
                family.low_index[low : low + run],
                family.low_add[low : low + run],
                gains[at : at + run],
            )
            _run(sets, family.missing[0], family.closed, family.step, family.high_index[high], add, least)


@helper
def _value(family: FamilyTables, parents: int) -> float:
    """Return the gain of one family; not a number where there is none."""
    joint = family.joint[parents | (1 << family.variable)]
    if joint == family.missing[0]:
        return np.nan
    low, high = parents & ((1 << LOW) - 1), parents >> LOW
    index = family.low_index[low] + family.high_index[high]
    value = (float(joint) - float(family.margin[parents])) + (family.closed[index + family.step] - family.closed[index])
    return float(value + (family.low_add[low] + family.high_add[high] + family.base))


@plain_at_first(lambda family, fixed, free: 3 << free.bit_count())
@kernel
def highest_lattice_gain(family: FamilyTables, fixed: int, free: int) -> float:
    """Kernel: return the highest gain of families in the lattice with parents ``fixed`` and a subset of ``free``."""
    best = -np.inf
    some = free
    while True:
        value = _value(family, fixed | some)
        if value > best:
            best = value
        if some == 0:
            return best
        some = (some - 1) & free


@plain_at_first(lambda family, fixed, free, least, found: 4 << free.bit_count())
@kernel
def sets_reaching(family: FamilyTables, fixed: int, free: int, least: float, found: Array) -> int:
    """Kernel: write the parents in the lattice, ``fixed`` and some of ``free``, whose gain reaches ``least``.

    Supersets of these are left out. Return how many there are: all subsets of a set are met before it.
    One more than there is room for means too many.
    """
    number = 0
    some = 0
    while True:
        parents = fixed | some
        if _value(family, parents) >= least:
            known = False
            for k in range(number):
                if found[k] & ~parents == 0:
                    known = True
                    break
            if not known:
                if number == found.size:
                    return number + 1
                found[number] = parents
                number += 1
        some = (some - free) & free
        if some == 0:
            return number
