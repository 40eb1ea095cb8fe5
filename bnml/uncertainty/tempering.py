"""Parallel tempering: replicas at several temperatures, which change places now and then.

The replicas of a chain are a ladder. At the rung with the inverse temperature β a structure G has the weight

    exp(β · score(G) - (1 - β) κ · number of arcs of G),    κ = log n:

at β = 1 its posterior weight, at β = 0 that of a random sparse graph, which one-arc moves reach from any other. After
each sweep neighbouring rungs exchange their structures, even and odd pairs by turns, with the usual probability (Geyer
1991; Okabe et al. 2001; Syed, Bouchard-Côté, Deligiannidis & Doucet 2022 show why by turns). While the chains warm up
the rungs are moved so that all pairs are rejected equally often: the sum of the rejection rates up to β is
interpolated, and cut into equal parts. Their number follows from that sum.
"""

from __future__ import annotations

from math import exp

import numpy as np

from bnml._arrays import Array, Floats
from bnml._jit import helper, kernel
from bnml.uncertainty._sampling_kernels import (
    find_place,
    members_of_words,
    number_of_arcs,
    random_bits,
    random_unit,
)
from bnml.uncertainty.edge_reversal import edge_reversal_step
from bnml.uncertainty.order_moves import order_move_step
from bnml.uncertainty.single_arcs import single_arc_step

FEWEST_RUNGS, MOST_RUNGS = 4, 24
REJECTED = 0.4  # of the exchanges of neighbours, where there are rungs enough
HOTTEST = 0.08  # inverse temperature

NEIGHBOURHOODS = np.uint64(63)  # one step in 64 is of a whole neighbourhood
ONE, ZERO = np.uint64(1), np.uint64(0)
LOW = np.uint64(63)
ARCS, ORDERS = 0, 1  # what moves


@helper
def _allowed(
    may: Array, must: Array, most: int, arities: Array, cells: Array, own: Array, v: int, u: int, scratch: Array
) -> bool:
    """Whether v may have one parent more, or less, u; ``own`` are those that it has."""
    if (own[u >> 6] >> (np.uint64(u) & LOW)) & ONE == ONE:
        return not must[u, v]
    if not may[u, v]:
        return False
    n = members_of_words(own, scratch)
    if n >= most:
        return False
    number = arities[v] * arities[u]
    for k in range(n):
        number *= arities[scratch[k]]
    fits: bool = number <= cells[v]
    return fits


@helper
def _run_replica(
    first: int, until: int, moves: int, key: Array, beta: float, gamma: float, parents: Array, own: Array, near: Array,
    order: Array, place: Array, wanted: Array, table: Array, rules: Array, lists: Array, scratch: Array,
) -> tuple[int, int]:  # fmt: skip
    """Let a replica take steps; return the number of the next, and how many scores it waits for (0: none)."""
    children, sets, values, lines = table
    may, must, link, most, arities, cells = rules
    need, members, stack, seen, words, weights = scratch
    listed = lists[2].size > 0
    acting, at, reached, last, n_wanted = True, first, first, until, 0
    while at < last:
        if listed and random_bits(key, at, 0) & NEIGHBOURHOODS == ZERO:  # bits that a pair does not depend on
            outcome = 0
            if acting:
                outcome = edge_reversal_step(
                    at, key, beta, gamma, parents, own, near, rules, lists, members, seen, words, weights
                )
        elif moves == ARCS:
            outcome = single_arc_step(at, acting, key, beta, gamma, parents, own, near, link, need, stack, seen)
        else:
            outcome = order_move_step(at, acting, key, beta, gamma, parents, own, near, link, need, order, place)
        if outcome < 0:
            known = True
            for k in range(0, 4, 2):
                v, u = need[k], need[k + 1]
                if v < 0:
                    break
                line = find_place(children, sets, v, parents[v], -1) if lines.size else -1
                if line >= 0:
                    near[v, :] = lines[line]
                    if near[v, u] == near[v, u]:
                        continue
                if not _allowed(may, must, most, arities, cells, parents[v], v, u, members):
                    near[v, u] = -np.inf
                    if line >= 0:
                        lines[line, u] = -np.inf
                    continue
                place_of = find_place(children, sets, v, parents[v], u)
                if place_of >= 0:
                    near[v, u] = values[place_of]
                    if line >= 0:
                        lines[line, u] = values[place_of]
                else:
                    known = False
                    if n_wanted < wanted.shape[0]:
                        wanted[n_wanted, 0], wanted[n_wanted, 1] = v, u
                        n_wanted += 1
            if acting:
                if known:
                    continue  # the same step again
                acting = False
                last = min(until, at + 256)  # steps that are looked at while scores are waited for
        if acting:
            reached = at + 1
        elif n_wanted >= wanted.shape[0]:
            break
        at += 1
    return reached, n_wanted


@helper
def _energy(state: Array, r: int, kappa: float) -> float:
    """Return what an exchange depends on: the score, and κ for each arc."""
    parents, own = state[0], state[1]
    total = 0.0
    for v in range(own.shape[1]):
        total += own[r, v]
    return total + kappa * number_of_arcs(parents[r])


@kernel
def run_tempering(
    c: int, goal: int, moves: int, kappa: float, ladder: Array, state: Array, table: Array, rules: Array, lists: Array,
    wanted: Array, n_wanted: Array, kept: Array,
) -> bool:  # fmt: skip
    """Kernel: let chain c go on until it has made ``goal`` sweeps; return whether it has, or waits for scores.

    ``ladder``: inverse temperatures, steps of each rung in a sweep, the replica at each rung of each chain, where each
    replica's sweep ends, sweeps made, exchanges ``[chain, rung, tried and accepted]``, and keys of random numbers.
    ``kept``: after how many sweeps a structure is kept, its parents, its score, how many are kept, and the highest
    score that the coldest replica of each chain has after a sweep.
    """
    betas, steps, at, until, sweeps, exchanges, chain_keys = ladder
    every, kept_parents, kept_scores, n_kept, best = kept
    n = state[1].shape[1]
    longest = 1
    for v in range(n):
        longest = max(longest, lists[0][v + 1] - lists[0][v])
    parents, own, near, keys, count, order, place = state
    scratch = (
        np.empty(4, np.int64),
        np.empty(n, np.int64),
        np.empty(n, np.int64),
        np.empty(parents.shape[2], np.uint64),
        np.empty((2, parents.shape[2]), np.uint64),
        np.empty(longest + 1),
    )
    while sweeps[c] < goal:
        waits = False
        for t in range(betas.size):
            r = at[c, t]
            if count[r] < until[r]:
                beta = betas[t]
                count[r], n_wanted[r] = _run_replica(
                    count[r], until[r], moves, keys[r], beta, (1.0 - beta) * kappa, parents[r], own[r], near[r],
                    order[r], place[r], wanted[r], table, rules, lists, scratch,
                )  # fmt: skip
                waits = waits or count[r] < until[r]
        if waits:
            return False
        for t in range(sweeps[c] & 1, betas.size - 1, 2):
            a, b = at[c, t], at[c, t + 1]
            gain = (betas[t] - betas[t + 1]) * (_energy(state, b, kappa) - _energy(state, a, kappa))
            chance = 1.0 if gain >= 0.0 else exp(gain)
            exchanges[c, t, 0] += 1.0
            exchanges[c, t, 1] += chance
            if random_unit(chain_keys[c], sweeps[c] * betas.size + t, 0) < chance:
                at[c, t], at[c, t + 1] = b, a
        sweeps[c] += 1
        for t in range(betas.size):
            until[at[c, t]] = count[at[c, t]] + steps[t]
        if every > 0:
            best[c] = max(best[c], own[at[c, 0]].sum())
        if every > 0 and sweeps[c] % every == 0 and n_kept[c] < kept_parents.shape[1]:
            r, k = at[c, 0], n_kept[c]
            total = 0.0
            for v in range(n):
                total += own[r, v]
                for w in range(kept_parents.shape[3]):
                    kept_parents[c, k, v, w] = parents[r, v, w]
            kept_scores[c, k] = total
            n_kept[c] += 1
    return True


def first_tempering_ladder(rungs: int) -> Floats:
    """Return inverse temperatures to begin with: from 1 to that of the hottest replica, geometric."""
    return np.asarray(np.geomspace(1.0, HOTTEST, rungs))


def tempering_ladder_for(betas: Floats, rejected: Floats, rungs: int | None = None) -> Floats:
    """Return rungs at which all neighbours are rejected equally often, by what was seen on others.

    Parameters
    ----------
    betas, rejected
        The inverse temperatures, the coldest first, and how often exchanges of neighbours were rejected.
    rungs
        How many there are to be; by default as many as it takes for three in five exchanges to be accepted.

    Examples
    --------
    >>> import numpy as np
    >>> tempering_ladder_for(np.array([1.0, 0.5, 0.0]), np.array([0.6, 0.2]), 3).round(3).tolist()
    [1.0, 0.667, 0.0]
    """
    barrier = np.concatenate([[0.0], np.cumsum(np.maximum(rejected, 1e-3))])
    if rungs is None:
        rungs = int(np.clip(np.ceil(barrier[-1] / REJECTED) + 1, FEWEST_RUNGS, MOST_RUNGS))
    found = np.interp(np.linspace(0.0, barrier[-1], rungs), barrier, betas)
    found[0], found[-1] = betas[0], betas[-1]
    return found
