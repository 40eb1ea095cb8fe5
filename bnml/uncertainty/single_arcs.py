"""Moves of one arc: it is added, taken away or turned round (Madigan & York 1995; Giudici & Castelo 2003).

A pair of variables is drawn. If they are not linked, the arc from the first to the second is proposed; if they are,
that the arc be taken away or turned round, with equal chances. A proposal is as probable as the one back.
"""

from __future__ import annotations

from math import exp

import numpy as np

from bnml._arrays import Array
from bnml._jit import helper
from bnml.uncertainty._sampling_kernels import (
    has_arc,
    leads_to,
    random_bits,
    random_unit,
    toggle,
)

HALF = np.uint64(32)
LOWER = np.uint64(0xFFFFFFFF)
FIRST_BIT = np.uint64(1)


@helper
def random_pair(bits: Array, n: int) -> tuple[int, int]:
    """Return two different variables, drawn at random, as for a single arc."""
    u: Array = np.int64(((bits >> HALF) * np.uint64(n)) >> HALF)
    v: Array = np.int64(((bits & LOWER) * np.uint64(n - 1)) >> HALF)
    if v >= u:
        v += 1
    return u, v


@helper
def _accepted(gain: float, at: int, key: Array) -> bool:
    """Whether a proposal is taken: always if it gains, else with the chance that its loss gives it."""
    return not (gain < 0.0 and (gain < -40.0 or random_unit(key, at, 2) >= exp(gain)))  # exp(-40) never comes up


@helper
def decide_single_arc(
    at: int, act: bool, key: Array, beta: float, gamma: float, own: Array, near: Array, link: Array, need: Array,
    u: int, v: int, there: bool,
) -> int:  # fmt: skip
    """Return 1 if a single arc is to be added, or taken away if it is there; 0 if not, and -1 if a score is needed."""
    score = near[v, u]
    if score != score:
        need[0], need[1], need[2] = v, u, -1
        return -1
    if not act or score == -np.inf or (there and link[u, v]):
        return 0
    gain = beta * (score - own[v]) + (gamma if there else -gamma)
    return 1 if _accepted(gain, at, key) else 0


@helper
def decide_turn(
    at: int, act: bool, key: Array, beta: float, own: Array, near: Array, need: Array, u: int, v: int
) -> int:
    """Return 1 if a single arc is to be turned round, 0 if not, and -1 if scores are needed."""
    score, other = near[v, u], near[u, v]
    if score != score or other != other:
        need[0], need[1] = v, u
        need[2], need[3] = u, v
        return -1
    if not act or score + other == -np.inf:
        return 0
    return 1 if _accepted(beta * (score - own[v] + other - own[u]), at, key) else 0


@helper
def turn_single_arc(parents: Array, own: Array, near: Array, u: int, v: int) -> None:
    """Turn a single arc round."""
    score, other = near[v, u], near[u, v]
    toggle(parents, own, near, v, u, score)
    toggle(parents, own, near, u, v, other)


@helper
def single_arc_step(
    at: int, act: bool, key: Array, beta: float, gamma: float, parents: Array, own: Array, near: Array, link: Array,
    need: Array, stack: Array, seen: Array,
) -> int:  # fmt: skip
    """Take step ``at`` of a replica: return 1 if it moved, 0 if it stayed, and -1 if it needs a score.

    The chain's weights are exp(beta · score - gamma · number of arcs). If it is not to act, it only looks scores up.
    """
    u, v = random_pair(random_bits(key, at, 0), own.size)
    there = has_arc(parents, u, v)
    if not there and has_arc(parents, v, u):
        u, v = v, u
        there = True
    if there and random_bits(key, at, 1) & FIRST_BIT == FIRST_BIT:
        decision = decide_turn(at, act, key, beta, own, near, need, u, v)
        if decision == 1:
            if leads_to(parents, v, u, u, stack, seen):
                return 0
            turn_single_arc(parents, own, near, u, v)
        return decision
    decision = decide_single_arc(at, act, key, beta, gamma, own, near, link, need, u, v, there)
    if decision == 1:
        if not there and leads_to(parents, u, -1, v, stack, seen):
            return 0
        toggle(parents, own, near, v, u, near[v, u])
    return decision
