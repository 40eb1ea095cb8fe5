"""Moves of a whole neighbourhood: an arc is turned round, and both of its ends get new parents.

Grzegorczyk & Husmeier (2008, Machine Learning 71): of an arc i → j both ends lose their parents; then i gets new ones,
with j among them, and then j, each set with the probability that its weight gives it among those that close no cycle.
The move is accepted with the probability

    min(1, N(G) Z*(i) Z(j) / (N(G') Z*'(j) Z'(i))),

N being the number of arcs, Z* the sum of the weights that i could choose from, Z that of j, and Z*', Z' those of the
move back. It goes over sets that are listed, the best of those that were scored while the chains warmed up; where the
present parents of an end are not listed, there is no way back, and nothing moves.
"""

from __future__ import annotations

from itertools import pairwise
from math import exp, log

import numpy as np

from bnml._arrays import Array
from bnml._jit import helper
from bnml.uncertainty._sampling_kernels import (
    has_arc,
    members_of_words,
    number_of_arcs,
    random_bits,
    random_unit,
    set_parents,
    size_of_words,
)

MOST_LISTED = 300  # parent sets of a variable
ONE = np.uint64(1)
ZERO = np.uint64(0)
LOW = np.uint64(63)
HALF = np.uint64(32)


def no_reversal_lists(n: int, width: int) -> tuple[Array, Array, Array, Array]:
    """Return empty lists: nothing is moved."""
    return (
        np.zeros(n + 1, np.int64),
        np.zeros((0, width), np.uint64),
        np.zeros(0),
        np.zeros(0, np.int64),
    )


def reversal_lists(table: Array, n: int) -> tuple[Array, Array, Array, Array]:
    """Return the best parent sets that are scored, those of each variable together and the best first.

    Where they begin, the sets as words, their scores and their sizes.
    """
    children, sets, values, _ = table
    used = np.flatnonzero(children >= 0)
    used = used[np.isfinite(values[used])]
    by_set = [sets[used, w] for w in range(sets.shape[1])]
    ranked = used[np.lexsort((*by_set, -values[used], children[used]))]
    starts = np.searchsorted(children[ranked], np.arange(n + 1))
    kept = np.concatenate([ranked[a : min(a + MOST_LISTED, b)] for a, b in pairwise(starts)])
    first = np.searchsorted(children[kept], np.arange(n + 1)).astype(np.int64)
    sizes = np.unpackbits(np.ascontiguousarray(sets[kept]).view(np.uint8), axis=1).sum(axis=1).astype(np.int64)
    return first, np.ascontiguousarray(sets[kept]), np.ascontiguousarray(values[kept]), sizes


@helper
def _listed(lists: Array, v: int, own: Array) -> bool:
    """Whether the parents of v are listed."""
    first, sets = lists[0], lists[1]
    for f in range(first[v], first[v + 1]):
        same = True
        for w in range(own.size):
            if sets[f, w] != own[w]:
                same = False
        if same:
            return True
    return False


@helper
def _descendants(parents: Array, x: int, orphan: int, other: int, taken: int, lists: Array, out: Array) -> None:
    """Write x and its descendants in a structure in which x and ``orphan`` have no parents.

    But ``other`` (-1: none) has those of the listed set ``taken``, or its own if that is -1.
    """
    sets = lists[1]
    for w in range(out.size):
        out[w] = ZERO
    out[x >> 6] |= ONE << (np.uint64(x) & LOW)
    grown = True
    while grown:
        grown = False
        for v in range(parents.shape[0]):
            if v == x or (v == orphan and v != other) or (out[v >> 6] >> (np.uint64(v) & LOW)) & ONE == ONE:
                continue
            for w in range(out.size):
                above = sets[taken, w] if v == other and taken >= 0 else parents[v, w]
                if above & out[w] != ZERO:
                    out[v >> 6] |= ONE << (np.uint64(v) & LOW)
                    grown = True
                    break


@helper
def _fits(sets: Array, f: int, needed: int, barred: Array) -> bool:
    """Whether a listed set has a parent that is needed (-1: none), and none that is barred."""
    if needed >= 0 and (sets[f, needed >> 6] >> (np.uint64(needed) & LOW)) & ONE != ONE:
        return False
    shared: Array = ZERO
    for w in range(barred.size):
        shared |= sets[f, w] & barred[w]
    free: bool = shared == ZERO
    return free


@helper
def _log_sum(lists: Array, v: int, needed: int, barred: Array, beta: float, gamma: float, weights: Array) -> float:
    """Return the logarithm of the sum of the weights of the listed sets of v that fit; ``weights`` of each, scaled."""
    first, sets, scores, sizes = lists
    start = first[v]
    total, top, best = 0.0, -np.inf, 0.0
    for f in range(start, first[v + 1]):
        weights[f - start] = 0.0
        if total > 0.0 and beta * (scores[f] - best) < -60.0:  # nats: such a set is never drawn
            continue
        if _fits(sets, f, needed, barred):
            value = beta * scores[f] - gamma * sizes[f]
            if total == 0.0:
                top, best = value, scores[f]
            weights[f - start] = exp(value - top)
            total += weights[f - start]
    weights[-1] = total
    return top + log(total) if total > 0.0 else -np.inf


@helper
def _drawn(lists: Array, v: int, weights: Array, unit: float) -> int:
    """Return a listed set of v, drawn with these weights."""
    first = lists[0]
    left = unit * weights[-1]
    chosen = -1
    for k in range(first[v + 1] - first[v]):
        if weights[k] > 0.0:
            chosen = first[v] + k
            left -= weights[k]
            if left < 0.0:
                break
    return chosen


@helper
def _links_met(structure: Array, rules: Array, v: int) -> bool:
    """Whether v is linked with all that it must be linked with."""
    link = rules[2]
    for u in range(structure.shape[0]):
        if link[u, v] and not has_arc(structure, u, v) and not has_arc(structure, v, u):
            return False
    return True


@helper
def edge_reversal_step(
    at: int, key: Array, beta: float, gamma: float, parents: Array, own: Array, near: Array, rules: Array,
    lists: Array, members: Array, barred: Array, words: Array, weights: Array,
) -> int:  # fmt: skip
    """Take step ``at`` of a replica: return 1 if it moved, else 0. It needs no score that is not listed."""
    arcs = number_of_arcs(parents)
    if arcs == 0:
        return 0
    left = np.int64(((random_bits(key, at, 0) >> HALF) * np.uint64(arcs)) >> HALF)
    j, i = -1, -1
    for v in range(own.size):
        size = size_of_words(parents[v])
        if left < size:
            members_of_words(parents[v], members)
            j, i = v, members[left]
            break
        left -= size
    if rules[1][i, j] or not rules[0][j, i] or not _listed(lists, i, parents[i]) or not _listed(lists, j, parents[j]):
        return 0
    sizes = lists[3]
    _descendants(parents, i, j, -1, -1, lists, barred)
    forth = _log_sum(lists, i, j, barred, beta, gamma, weights)
    if forth == -np.inf:
        return 0
    new_i = _drawn(lists, i, weights, random_unit(key, at, 3))
    _descendants(parents, j, i, i, new_i, lists, barred)
    forth += _log_sum(lists, j, -1, barred, beta, gamma, weights)
    if forth == -np.inf:
        return 0
    new_j = _drawn(lists, j, weights, random_unit(key, at, 4))
    _descendants(parents, j, i, -1, -1, lists, barred)
    back = _log_sum(lists, j, i, barred, beta, gamma, weights)
    _descendants(parents, i, j, j, -1, lists, barred)
    back += _log_sum(lists, i, -1, barred, beta, gamma, weights)
    after = arcs - size_of_words(parents[i]) - size_of_words(parents[j]) + sizes[new_i] + sizes[new_j]
    gain = forth - back + log(arcs / after)
    if gain < 0.0 and random_unit(key, at, 2) >= exp(gain):
        return 0
    own_i, own_j = own[i], own[j]
    for w in range(parents.shape[1]):
        words[0, w], words[1, w] = parents[i, w], parents[j, w]
    set_parents(parents, own, near, i, lists[1][new_i], lists[2][new_i])
    set_parents(parents, own, near, j, lists[1][new_j], lists[2][new_j])
    if not _links_met(parents, rules, i) or not _links_met(parents, rules, j):
        set_parents(parents, own, near, i, words[0], own_i)
        set_parents(parents, own, near, j, words[1], own_j)
        return 0
    return 1
