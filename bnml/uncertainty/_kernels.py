"""Kernels of sums over structures.

A sum of weights that differ by thousands of nats is kept as ``best``, the logarithm of its largest term, and ``mass``,
how many times that term it is: α_i(S) = Σ_{P ⊆ S} exp f_i(P) = exp(best_i(S)) · mass_i(S), with mass from 1 to 2^|S|;
best is -inf and mass 0 where nothing is allowed. ``top[S]`` is the logarithm of the largest weight of a structure on S,
and every sum over structures on S is kept divided by it. What is then too small for a float is too small to matter:
where a structure on S is a part of a larger one, the best one on S could take its place, and the whole is larger by
that factor.

Sets are bit masks. The parent sets of variable i are numbered without bit i (`squeezed`).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from bnml._arrays import Array
from bnml._jit import helper, kernel

FAR = -60.0  # nats below the largest term: no sum of 2^21 such terms is seen in a float
TINY = 1e-30  # a part of the whole that is left out
FAINT = 1e-100  # the same for a factor that may still be multiplied by the number of structures, 10^36 at most


@helper
def _squeezed(s: int, i: int) -> int:
    """Return the number of a set without regard to bit i."""
    low = (1 << i) - 1
    return (s & low) | ((s >> 1) & ~low)


@helper
def _spread(p: int, i: int) -> int:
    """Return the set without i that has this number."""
    low = (1 << i) - 1
    return (p & low) | ((p & ~low) << 1)


@kernel
def subset_sums(best: Array, mass: Array) -> None:
    """Kernel: turn the weights of sets, exp(best) · mass, into the sums over all subsets of each, in place."""
    size = best.size
    half = 1
    while half < size:
        for start in range(0, size, 2 * half):
            for low in range(start, start + half):
                high = low + half
                if best[low] <= best[high]:
                    if best[low] == best[high]:
                        mass[high] += mass[low]
                    elif best[low] - best[high] > FAR:
                        mass[high] += mass[low] * math.exp(best[low] - best[high])
                else:
                    beside = mass[low]
                    if best[high] - best[low] > FAR:
                        beside += mass[high] * math.exp(best[high] - best[low])
                    best[high] = best[low]
                    mass[high] = beside
        half *= 2


@kernel
def largest_weights(best: Array, top: Array, start: int, stop: int) -> None:
    """Kernel: R(S) = max over sinks i of R(S ∖ i) + best_i(S ∖ i), the largest weight of a structure over S.

    For the sets from start to stop.
    """
    n = best.shape[0]
    for s in range(start, stop):
        value = 0.0 if s == 0 else -np.inf
        for i in range(n):
            if s >> i & 1:
                below = s ^ (1 << i)
                value = max(value, top[below] + best[i, _squeezed(below, i)])
        top[s] = value


# --- orders ---


@kernel
def orders_forward(best: Array, mass: Array, top: Array, forward: Array, start: int, stop: int) -> None:
    """Kernel: g(S) = Σ_i g(S ∖ i) α_i(S ∖ i): the weight of all orders of S with their structures."""
    n = best.shape[0]
    for s in range(start, stop):
        value = 1.0 if s == 0 else 0.0
        for i in range(n):
            if s >> i & 1:
                below = s ^ (1 << i)
                p = _squeezed(below, i)
                if top[below] + best[i, p] > -np.inf:
                    value += forward[below] * mass[i, p] * math.exp(top[below] + best[i, p] - top[s])
        forward[s] = value


@kernel
def orders_backward(best: Array, mass: Array, top: Array, backward: Array, start: int, stop: int) -> None:
    """Kernel: h(S) = Σ_i α_i(S) h(S ∪ i): the weight of all ways to go on from S; from stop - 1 down to start."""
    n = best.shape[0]
    for s in range(stop - 1, start - 1, -1):
        value = 1.0 if s == (1 << n) - 1 else 0.0
        for i in range(n):
            if not s >> i & 1:
                above = s | (1 << i)
                p = _squeezed(s, i)
                if top[s] + best[i, p] > -np.inf:
                    value += mass[i, p] * backward[above] * math.exp(top[s] + best[i, p] - top[above])
        backward[s] = value


@kernel
def positions(
    best: Array, top: Array, forward: Array, backward: Array, i: int, start: int, stop: int, weights: Array
) -> None:
    """Kernel: weights[S] · mass_i(S) = P(the variables before i are S), for the sets numbered from start to stop."""
    whole = forward[top.size - 1]
    for p in range(start, stop):
        s = _spread(p, i)
        above = s | (1 << i)
        weight = 0.0
        if top[s] + best[p] > -np.inf:
            weight = forward[s] * backward[above] / whole * math.exp(top[s] + best[p] - top[above])
        weights[p] = weight


@kernel
def arc_sums(best: Array, mass: Array, weights: Array, start: int, stop: int, sums: Array) -> None:
    """Kernel: sums[v] += Σ_S weights[S] · (mass(S) - mass(S ∖ v) at the scale of S), v numbered without the child."""
    for p in range(start, stop):
        if abs(weights[p] * mass[p]) < TINY:
            continue
        left, v = p, 0
        while left:
            if left & 1:
                q = p ^ (1 << v)
                without = 0.0
                if best[q] - best[p] > FAR:
                    without = mass[q] * math.exp(best[q] - best[p])
                sums[v] += weights[p] * (mass[p] - without)
            left >>= 1
            v += 1


class Ordered(NamedTuple):
    """The sums over parents, ``best`` and ``mass``, the best structures, the sums over orders, and ternary numbers.

    ``backward``: all ways to go on from each set. ``ternary`` is of the sets of one variable less.
    """

    best: Array
    mass: Array
    top: Array
    backward: Array
    ternary: Array


@kernel
def orders_onward(given: Ordered, v: int, start: int, stop: int, onward: Array) -> None:
    """Kernel: K(S, D) = Σ of all ways to go on from the variables S to those in which v descends from one of D ⊆ S.

    Whoever comes next either has no parent in D, or has one and joins it. For the sets numbered without v from
    stop - 1 down to start; (S, D) has the number ternary[S ∖ D] + 2 ternary[D].
    """
    best, mass, top, backward, ternary = given
    n = best.shape[0]
    step = np.empty(n)
    for number in range(stop - 1, start - 1, -1):
        s = _spread(number, v)
        if top[s] == -np.inf:
            continue
        for j in range(n):
            step[j] = 0.0
            if not s >> j & 1:
                p = _squeezed(s, j)
                if best[j, p] > -np.inf:
                    step[j] = math.exp(top[s] + best[j, p] - top[s | (1 << j)])
        d = s
        while d > 0:
            value = 0.0
            for j in range(n):
                if step[j] > 0.0:
                    p, q = _squeezed(s, j), _squeezed(s ^ d, j)
                    away = 0.0
                    if best[j, q] - best[j, p] > FAR:
                        away = mass[j, q] * math.exp(best[j, q] - best[j, p])
                    joins = max(mass[j, p] - away, 0.0)
                    if j == v:
                        value += step[j] * joins * backward[s | (1 << v)]
                    else:
                        outside = ternary[_squeezed((s | (1 << j)) ^ d, v)]
                        without = onward[outside + 2 * ternary[_squeezed(d, v)]]
                        inside = onward[ternary[_squeezed(s ^ d, v)] + 2 * ternary[_squeezed(d | (1 << j), v)]]
                        value += step[j] * (away * without + joins * inside)
            onward[ternary[_squeezed(s ^ d, v)] + 2 * ternary[_squeezed(d, v)]] = value
            d = (d - 1) & s


# --- layers ---


class Layered(NamedTuple):
    """The sums over parents, ``best`` and ``mass``, the best structures, and the ternary number of each set."""

    best: Array
    mass: Array
    top: Array
    ternary: Array


@helper
def _others(s: int, n: int, others: Array) -> int:
    """List what is not in s, smallest first."""
    m = 0
    for i in range(n):
        if not s >> i & 1:
            others[m] = i
            m += 1
    return m


@helper
def _touching(best: Array, mass: Array, s: int, t: int, others: Array, m: int, d: Array, away: Array) -> None:
    """d[k] = D_j(S, T) = α_j(S) - α_j(S ∖ T), j = others[k]: parents in S, one of them in T; at the scale of S.

    ``away[k]``: the scale of S ∖ T at that of S. With nothing placed yet (s = 0), D is the weight of no parents.
    """
    for k in range(m):
        j = others[k]
        p = _squeezed(s, j)
        value = mass[j, p]
        away[k] = 0.0
        if t > 0 and value > 0.0:
            q = _squeezed(s ^ t, j)
            if best[j, q] - best[j, p] > FAR:
                away[k] = math.exp(best[j, q] - best[j, p])
                value -= mass[j, q] * away[k]
        d[k] = value if value > TINY else 0.0


@helper
def _steps(
    best: Array, top: Array, ternary: Array, s: int, others: Array, sums: Array, sets: Array, scale: Array
) -> None:
    """For each set U of others its state after S, and exp(R(S) + Σ_{j ∈ U} best_j(S) - R(S ∪ U)), at most 1."""
    m = others.size
    sums[0], sets[0] = top[s], s
    for k in range(m):
        half = 1 << k
        value = best[others[k], _squeezed(s, others[k])]
        for u in range(half):
            sums[half + u] = sums[u] + value
            sets[half + u] = sets[u] | (1 << others[k])
    for u in range(1 << m):
        scale[u] = 0.0
        if sums[u] > -np.inf:
            scale[u] = math.exp(sums[u] - top[sets[u]])
        sets[u] = ternary[s] + 2 * ternary[sets[u] ^ s]


@helper
def _room(n: int) -> tuple[Array, Array, Array, Array, Array, Array]:
    """Return room for others, for what `_touching` tells of them, and for sums, states and scales of `_steps`."""
    room = np.empty(1 << n), np.empty(1 << n, np.int64), np.empty(1 << n)
    return np.empty(n, np.int64), np.empty(n), np.empty(n), room[0], room[1], room[2]


@helper
def _after(
    given: Layered, s: int, others: Array, sums: Array, states: Array, scale: Array, backward: Array, after: Array
) -> int:
    """List what is not in S, and for each set U of them its state after S with B(S ∪ U, U), at the scale of S."""
    best, _, top, ternary = given
    m = _others(s, best.shape[0], others)
    _steps(best, top, ternary, s, others[:m], sums, states, scale)
    after[0] = 0.0 if m else 1.0
    for u in range(1, 1 << m):
        after[u] = scale[u] * backward[states[u]]
    return m


@kernel
def layers_forward(given: Layered, forward: Array, sets: Array, start: int, stop: int) -> None:
    """Kernel: F(S ∪ U, U) = Σ_T F(S, T) Π_{j ∈ U} D_j(S, T) for all U after each of the sets S from start to stop.

    State (S, T), T being the last layer of S, has the number ternary[S ∖ T] + 2 ternary[T].
    """
    best, mass, top, ternary = given
    n = best.shape[0]
    others, d, away, sums, states, scale = _room(n)
    products = np.empty(1 << n)
    for at in range(start, stop):
        s = int(sets[at])
        if top[s] == -np.inf:
            continue
        m = _others(s, n, others)
        size = 1 << m
        result = np.zeros(size)
        t = s
        while True:
            weight = 1.0 if s == 0 else forward[ternary[s ^ t] + 2 * ternary[t]]
            if weight > 0.0:
                _touching(best, mass, s, t, others, m, d, away)
                products[0] = weight
                for k in range(m):
                    half = 1 << k
                    for u in range(half):
                        products[half + u] = products[u] * d[k]
                for u in range(size):
                    result[u] += products[u]
            t = (t - 1) & s
            if t <= 0:
                break
        _steps(best, top, ternary, s, others[:m], sums, states, scale)
        for u in range(1, size):
            value = result[u] * scale[u]
            forward[states[u]] = value if value > TINY else 0.0


@helper
def _fold(values: Array, at: int, size: int, d: Array, k: int, work: Array, to: int) -> None:
    """Sum one variable out: work[to + u] = values[at + u] + d[k] · values[at + size + u]."""
    for u in range(size):
        work[to + u] = values[at + u] + d[k] * values[at + size + u]


@kernel
def layers_backward(
    given: Layered,
    forward: Array,
    backward: Array,
    whole: float,
    sets: Array,
    start: int,
    stop: int,
    weights: Array,
) -> None:
    """Kernel: B(S, T) = Σ_U Π_{j ∈ U} D_j(S, T) B(S ∪ U, U), and the weight of each variable j coming after (S, T).

    The latter without its own factor, W_j(S, T), as coefficients of sums over subsets: W_j(S, T) D_j(S, T) =
    W_j(S, T) α_j(S) - W_j(S, T) α_j(S ∖ T); ``weights`` takes both.
    """
    best, mass, top, ternary = given
    n = best.shape[0]
    others, d, away, sums, states, scale = _room(n)
    after, folded, work = np.empty(1 << n), np.empty(1 << n), np.empty(1 << n)
    for at in range(start, stop):
        s = int(sets[at])
        if top[s] == -np.inf:
            continue
        m = _after(given, s, others, sums, states, scale, backward, after)
        for u in range(1, 1 << m):
            if not forward[states[u]] > 0.0:
                after[u] = 0.0
        t = s
        while t > 0:
            state = ternary[s ^ t] + 2 * ternary[t]
            weight = forward[state] / whole
            if weight > 0.0:
                _touching(best, mass, s, t, others, m, d, away)
                value = _next(after, m, d, folded)
                if value > FAINT:
                    backward[state] = value
                if m and weight * value > TINY:
                    for k in range(m):
                        j = others[k]
                        each = weight * _derivative(after, m, d, folded, k, work)
                        weights[j, _squeezed(s, j)] += each
                        weights[j, _squeezed(s ^ t, j)] -= each * away[k]
            t = (t - 1) & s


@kernel
def layers_onward(given: Layered, backward: Array, sets: Array, start: int, stop: int) -> None:
    """Kernel: B(S, T) = Σ_U Π_{j ∈ U} D_j(S, T) B(S ∪ U, U), for all T ⊆ S, also those that are no last layer.

    All that comes later descends from T.
    """
    best, mass, top, ternary = given
    n = best.shape[0]
    others, d, away, sums, states, scale = _room(n)
    after, folded = np.empty(1 << n), np.empty(1 << n)
    for at in range(start, stop):
        s = int(sets[at])
        if top[s] == -np.inf:
            continue
        m = _after(given, s, others, sums, states, scale, backward, after)
        t = s
        while t > 0:
            _touching(best, mass, s, t, others, m, d, away)
            value = _next(after, m, d, folded)
            if value > FAINT:
                backward[ternary[s ^ t] + 2 * ternary[t]] = value
            t = (t - 1) & s


@helper
def _next(after: Array, m: int, d: Array, folded: Array) -> float:
    """Σ_U Π_{k ∈ U} d[k] · after[U], one variable summed out after the other, the last first.

    What is left with k variables, 2^k values, stays at folded[2^k] and after.
    """
    if m == 0:
        return float(after[0])
    half = 1 << (m - 1)
    _fold(after, 0, half, d, m - 1, folded, half)
    for k in range(m - 2, -1, -1):
        half = 1 << k
        _fold(folded, 2 * half, half, d, k, folded, half)
    return float(folded[1])


@helper
def _derivative(after: Array, m: int, d: Array, folded: Array, k: int, work: Array) -> float:
    """Σ_{U ∋ k} Π_{o ∈ U, o ≠ k} d[o] · after[U], from what `_next` has left."""
    half = 1 << k
    values, at = (after, half) if k == m - 1 else (folded, 3 * half)
    if k == 0:
        return float(values[at])
    _fold(values, at, half // 2, d, k - 1, work, 0)
    for other in range(k - 2, -1, -1):
        _fold(work, 0, 1 << other, d, other, work, 0)
    return float(work[0])


# --- structures one by one ---


@kernel
def linear_extensions(parents: Array, start: int, stop: int, found: Array) -> None:
    """Kernel: how many orders of the variables each structure fits, from start to stop."""
    n = parents.shape[1]
    ways = np.empty(1 << n, np.int64)
    for at in range(start, stop):
        ways[0] = 1
        for s in range(1, 1 << n):
            number = 0
            for i in range(n):
                if s >> i & 1:
                    below = s ^ (1 << i)
                    if int(parents[at, i]) & ~below == 0:
                        number += ways[below]
            ways[s] = number
        found[at] = ways[(1 << n) - 1]


@kernel
def averages(weights: Array, numbers: Array, tables: Array, row: int) -> float:
    """Kernel: log Σ_G exp(weights[G] + Σ_i tables[i, number of i's family in G, row])."""
    best, mass = -np.inf, 0.0
    for at in range(weights.size):
        value = weights[at]
        for i in range(numbers.shape[1]):
            value += tables[i, numbers[at, i], row]
        if value > best:
            mass = mass * math.exp(best - value) + 1.0
            best = value
        elif value - best > FAR:
            mass += math.exp(value - best)
    return float(best + math.log(mass)) if mass > 0.0 else -np.inf


class Ranked(NamedTuple):
    """The families of each variable, largest weight first, and what can be added to what is placed.

    ``weights`` and ``sets``: a row for each variable. ``onward[S]``: no way to go on from the variables S weighs more.
    ``gains[k]``: what a variable adds that can come in k places among those placed before it.
    """

    weights: Array
    sets: Array
    onward: Array
    gains: Array


@helper
def _lead_to(parents: int, above: Array) -> int:
    """Return the parents and all that lead to them, as a set."""
    found = parents
    for v in range(above.size):
        if parents >> v & 1:
            found |= int(above[v])
    return found


@helper
def _number_of(s: int) -> int:
    """Return how many members a set has."""
    number = 0
    while s:
        s &= s - 1
        number += 1
    return number


class Unfinished(NamedTuple):
    """How far a list of structures has come: what is placed, one after the other, and what may come next.

    ``sets``: what is placed, the layer so far, the one before. ``next``: the last of the layer, which variable comes
    next and with which family. ``totals``: weights of what is placed. ``families``: parents, and all that lead to each.
    ``at``: how many structures there are, and how many variables are placed; -1 when all is done.
    """

    sets: Array
    next: Array
    totals: Array
    families: Array
    at: Array


@kernel
def structures_above(given: Ranked, threshold: float, steps: int, listing: Unfinished, found: Array) -> bool:
    """Kernel: list the structures whose weight reaches a threshold, each once: layer by layer, each in its order.

    A variable of a layer has a parent in the layer before. One with s placed before it, a of which lead to it, adds
    gains[s + 1 - a] to the weight of its family. What can reach the threshold no more is not gone on with.

    Goes on for about so many steps. Returns whether there are more structures than ``found`` has room for.
    """
    weights, sets, onward, gains = given
    n, size = weights.shape
    full = (1 << n) - 1
    placed, layer, before = listing.sets[0], listing.sets[1], listing.sets[2]
    last, option, place = listing.next[0], listing.next[1], listing.next[2]
    total, chosen, above = listing.totals, listing.families[0], listing.families[1]
    number, depth = listing.at[0], listing.at[1]
    done = 0
    while depth >= 0 and done < steps:
        if placed[depth] == full:
            if number == found.shape[0]:
                return True
            for i in range(n):
                found[number, i] = chosen[i]
            number += 1
            depth -= 1
            done += 1
            continue
        deeper = False
        while option[depth] < 2 * n:  # one more of the same layer, or the first of the next
            done += 1
            new = option[depth] >= n
            j = option[depth] - n if new else option[depth]
            inside = placed[depth] if new else placed[depth] ^ layer[depth]
            touched = layer[depth] if new else before[depth]
            if not placed[depth] >> j & 1 and (layer[depth] != 0 if new else j > last[depth]):
                least = threshold - total[depth] - onward[placed[depth] | (1 << j)]
                p = place[depth]
                while p < size and weights[j, p] + gains[depth + 1] >= least:
                    done += 1
                    parents = sets[j, p]
                    if parents & ~inside == 0 and (parents & touched != 0 or inside == 0):
                        lead = _lead_to(parents, above)
                        value = weights[j, p] + gains[depth + 1 - _number_of(lead)]
                        if value >= least:
                            place[depth] = p + 1
                            chosen[j], above[j] = parents, lead
                            placed[depth + 1], last[depth + 1] = placed[depth] | (1 << j), j
                            total[depth + 1] = total[depth] + value
                            before[depth + 1] = touched
                            layer[depth + 1] = (0 if new else layer[depth]) | (1 << j)
                            option[depth + 1] = place[depth + 1] = 0
                            deeper = True
                            break
                    p += 1
                if deeper:
                    break
            option[depth] += 1
            place[depth] = 0
        depth += 1 if deeper else -1
    listing.at[0], listing.at[1] = number, depth
    return False
