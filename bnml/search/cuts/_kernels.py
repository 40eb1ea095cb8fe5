"""Kernels of branch and cut: climbing over orders, and local search for clusters.

Sets of variables are rows of 64-bit words, so that there may be any number of variables. The families of a variable
stand together, the best first: those of x are ``first[x]`` to ``first[x + 1]``.
"""

from __future__ import annotations

import numpy as np

from bnml._arrays import Array
from bnml._jit import helper, kernel

NEVER = -1e12  # in place of a score where no family fits
BETTER = 1e-7  # what a move must gain
STEPS_DOWN = 4  # that a cluster may take at first
ONE = np.uint64(1)
LOW_BITS = np.uint64(63)
ZERO = np.uint64(0)


@helper
def _fitting(families: Array, x: int, before: Array) -> int:
    """Return the best family of a variable whose parents come before, with all that it must be linked with; or -1."""
    first, sets, _, links, _ = families
    for f in range(first[x], first[x + 1]):
        fits = True
        for w in range(before.size):
            if sets[f, w] & ~before[w] | links[x, w] & before[w] & ~sets[f, w]:
                fits = False
                break
        if fits:
            return f
    return -1


@helper
def _flip(words: Array, x: int) -> None:
    words[x >> 6] ^= ONE << (np.uint64(x) & LOW_BITS)


@helper
def _value(families: Array, x: int, before: Array) -> float:
    found = _fitting(families, x, before)
    return NEVER if found < 0 else families[2][found]


@helper
def _take(families: Array, order: Array, before: Array, own: Array) -> float:
    """Give each variable its best family in an order; return the total."""
    before[:] = ZERO
    total = 0.0
    for x in order:
        own[x] = _value(families, x, before)
        total += own[x]
        _flip(before, x)
    return total


@helper
def _move(order: Array, here: int, there: int) -> None:
    x = order[here]
    if there < here:
        for k in range(here, there, -1):
            order[k] = order[k - 1]
    else:
        for k in range(here, there):
            order[k] = order[k + 1]
    order[there] = x


@kernel
def climb_in_orders(families: Array, order: Array, sweep: Array, chosen: Array) -> float:
    """Kernel: for branch and cut, move variables to better places in an order until none can be; return the total.

    ``families`` is (first, sets, scores, links, matters); ``matters[u, v]`` says whether u's choice depends on v.
    ``sweep`` is the order in which variables are tried, ``chosen`` is filled with the families that are taken.
    """
    matters = families[4]
    n = order.size
    before = np.zeros(families[1].shape[1], np.uint64)
    own = np.empty(n)
    total = _take(families, order, before, own)
    idle, turn = 0, 0
    while idle < n:
        v = sweep[turn % n]
        turn += 1
        idle += 1
        here = 0
        while order[here] != v:
            here += 1
        best, place = BETTER, -1
        for way in range(2):  # to the left, then to the right
            before[:] = ZERO
            for k in range(here):
                _flip(before, order[k])
            others, mine = 0.0, own[v]
            k = here
            while True:
                k += 2 * way - 1
                if k < 0 or k >= n:
                    break
                u = order[k]
                if way == 0:
                    _flip(before, u)
                    if matters[u, v]:
                        _flip(before, v)
                        others += _value(families, u, before) - own[u]
                        _flip(before, v)
                else:
                    if matters[u, v]:
                        others += _value(families, u, before) - own[u]
                    _flip(before, u)
                if matters[v, u]:
                    mine = _value(families, v, before)
                gain = others + mine - own[v]
                if gain > best:
                    best, place = gain, k
        if place >= 0:
            _move(order, here, place)
            moved = _take(families, order, before, own)
            if moved > total + 0.5 * BETTER:
                total = moved
                idle = 0
            else:
                _move(order, place, here)
                _take(families, order, before, own)
    before[:] = ZERO
    for x in order:
        chosen[x] = _fitting(families, x, before)
        _flip(before, x)
    return total


@kernel
def unmark_dominated(first: Array, sets: Array, links: Array, keep: Array) -> None:
    """Kernel: unmark families of branch and cut with a subset before them that has the same of the required links."""
    for x in range(first.size - 1):
        for f in range(first[x], first[x + 1]):
            for g in range(first[x], f):
                if not keep[g]:
                    continue
                fits = True
                for w in range(sets.shape[1]):
                    if sets[g, w] & ~sets[f, w] | (sets[f, w] & ~sets[g, w]) & links[x, w]:
                        fits = False
                        break
                if fits:
                    keep[f] = False
                    break


@kernel
def order_by_values(first: Array, sets: Array, values: Array, order: Array) -> None:
    """Kernel: fill in an order: next comes the variable whose families within those before have the largest value."""
    n = order.size
    before = np.zeros(sets.shape[1], np.uint64)
    placed = np.zeros(n, np.bool_)
    inside = np.zeros(n)
    for x in range(n):
        for f in range(first[x], first[x + 1]):
            empty = True
            for w in range(before.size):
                if sets[f, w]:
                    empty = False
            if empty:
                inside[x] += values[f]
    for k in range(n):
        best = -1
        for x in range(n):
            if not placed[x] and (best < 0 or inside[x] > inside[best] + 1e-9):
                best = x
        order[k] = best
        placed[best] = True
        _flip(before, best)
        word, bit = best >> 6, ONE << (np.uint64(best) & LOW_BITS)
        for x in range(n):
            if placed[x]:
                continue
            for f in range(first[x], first[x + 1]):
                if values[f] > 0.0 and sets[f, word] & bit:
                    fits = True
                    for w in range(before.size):
                        if sets[f, w] & ~before[w]:
                            fits = False
                    if fits:
                        inside[x] += values[f]


@helper
def _gain(families: Array, members: Array, counts: Array, inside: Array, z: int) -> float:
    """Return by how much a cluster's value changes with a variable put in, or taken out."""
    child, value, _, _, having, which = families
    if members[z]:
        change: float = 1.0 - inside[z]
        for k in range(having[z], having[z + 1]):
            f = which[k]
            if members[child[f]] and counts[f] == 1:
                change -= value[f]
        return change
    change = inside[z] - 1.0
    for k in range(having[z], having[z + 1]):
        f = which[k]
        if members[child[f]] and counts[f] == 0:
            change += value[f]
    return change


@helper
def _switch(families: Array, members: Array, counts: Array, inside: Array, z: int) -> None:
    child, value, _, _, having, which = families
    step = -1 if members[z] else 1
    members[z] = not members[z]
    for k in range(having[z], having[z + 1]):
        f = which[k]
        if step > 0 and counts[f] == 0:
            inside[child[f]] += value[f]
        if step < 0 and counts[f] == 1:
            inside[child[f]] -= value[f]
        counts[f] += step


@kernel
def clusters_from(families: Array, starts: Array, noise: Array, least: float, found: Array, values: Array) -> int:
    """Kernel: search for clusters C with Σ_{x ∈ C} (value of the families of x that meet C) > |C| - 1; return how many.

    From each pair of variables in ``starts`` the cluster changes by one variable at a time, whichever gains most.
    ``families`` is (child, value, first parent, parents, first having, having): parents by family, and families by
    parent. ``noise`` is added to gains, in turn. Clusters that are violated by at least ``least`` go into ``found``.
    """
    child = families[0]
    n = found.shape[1]
    counts = np.zeros(child.size, np.int64)
    members = np.zeros(n, np.bool_)
    inside = np.zeros(n)
    size, n_found, turn = 0, 0, 0
    for start in range(starts.shape[0]):
        for z in range(n):
            members[z] = False
            inside[z] = 0.0
        counts[:] = 0
        size, value = 0, 0.0
        for k in range(2):
            z = starts[start, k]
            value += _gain(families, members, counts, inside, z)
            _switch(families, members, counts, inside, z)
            size += 1
        for step in range(3 * n):
            if value > least - 1.0 and n_found < found.shape[0]:
                found[n_found] = members
                values[n_found] = value + 1.0
                n_found += 1
            best, bests = -1e9, -1
            for z in range(n):
                if members[z]:
                    if size <= 2:
                        continue
                elif inside[z] <= 1e-9:
                    continue
                gain = _gain(families, members, counts, inside, z)
                seen = gain + noise[turn % noise.size]
                turn += 1
                if seen > best:
                    best, bests = seen, z
            if bests < 0:
                break
            gain = _gain(families, members, counts, inside, bests)
            if gain <= 1e-9 and not (step < STEPS_DOWN and gain > -0.3 and not members[bests]):
                break
            size += -1 if members[bests] else 1
            _switch(families, members, counts, inside, bests)
            value += gain
    return n_found
