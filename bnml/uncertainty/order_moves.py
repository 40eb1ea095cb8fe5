"""Moves of a structure together with an order of the variables that fits it: for the order prior.

Under that prior all pairs of an order and a DAG that fits it are equally probable. So the chain goes over such pairs,
and a DAG comes up once for each of its linear extensions. Half of the moves add or take away the arc from the earlier
of two variables to the later one, which needs no look at cycles. The others change the order: two neighbours change
places, an arc between them being turned round; or a variable goes to another place, past others that it is not linked
with. A proposal is as probable as the one back.
"""

from __future__ import annotations

from math import exp
from typing import Any

import numpy as np

from bnml._jit import helper
from bnml.uncertainty._sampling_kernels import has_arc, random_bits, random_unit, toggle
from bnml.uncertainty.single_arcs import random_pair

__all__ = ["order_step"]

Array = Any  # kernels are typed by Numba, not by mypy

KIND = np.uint64(3)
HALF = np.uint64(32)
NEVER = -40.0  # the logarithm of a chance that never comes up


@helper
def _swap(order: Array, place: Array, k: int) -> None:
    """Let the variables at places k and k + 1 change places."""
    x, y = order[k], order[k + 1]
    order[k], order[k + 1] = y, x
    place[y], place[x] = k, k + 1


@helper
def _arc(
    at: int, act: bool, key: Array, beta: float, gamma: float, parents: Array, own: Array, near: Array, link: Array,
    need: Array, place: Array,
) -> int:  # fmt: skip
    """Add or take away an arc along the order."""
    u, v = random_pair(random_bits(key, at, 0), own.size)
    if place[u] > place[v]:
        u, v = v, u
    score = near[v, u]
    if score != score:
        need[0], need[1], need[2] = v, u, -1
        return -1
    there = has_arc(parents, u, v)
    if not act or score == -np.inf or (there and link[u, v]):
        return 0
    gain = beta * (score - own[v]) + (gamma if there else -gamma)
    if gain < 0.0 and (gain < NEVER or random_unit(key, at, 2) >= exp(gain)):
        return 0
    toggle(parents, own, near, v, u, score)
    return 1


@helper
def _neighbours(
    at: int, act: bool, key: Array, beta: float, parents: Array, own: Array, near: Array, need: Array, order: Array,
    place: Array,
) -> int:  # fmt: skip
    """Let two neighbours in the order change places."""
    k: Array = np.int64(((random_bits(key, at, 0) >> HALF) * np.uint64(own.size - 1)) >> HALF)
    u, v = order[k], order[k + 1]
    if not has_arc(parents, u, v):
        if act:
            _swap(order, place, k)
        return 0
    score, other = near[v, u], near[u, v]
    if score != score or other != other:
        need[0], need[1] = v, u
        need[2], need[3] = u, v
        return -1
    if not act or score + other == -np.inf:
        return 0
    gain = beta * (score - own[v] + other - own[u])
    if gain < 0.0 and (gain < NEVER or random_unit(key, at, 2) >= exp(gain)):
        return 0
    toggle(parents, own, near, v, u, score)
    toggle(parents, own, near, u, v, other)
    _swap(order, place, k)
    return 1


@helper
def _far(at: int, key: Array, parents: Array, order: Array, place: Array) -> int:
    """Let a variable go to another place in the order, if it is linked with none that it passes."""
    here, there = random_pair(random_bits(key, at, 0), order.size)
    x = order[here]
    for k in range(here + 1, there + 1):
        if has_arc(parents, x, order[k]):
            return 0
    for k in range(there, here):
        if has_arc(parents, order[k], x):
            return 0
    for k in range(here, there):
        _swap(order, place, k)
    for k in range(here - 1, there - 1, -1):
        _swap(order, place, k)
    return 0


@helper
def order_step(
    at: int, act: bool, key: Array, beta: float, gamma: float, parents: Array, own: Array, near: Array, link: Array,
    need: Array, order: Array, place: Array,
) -> int:  # fmt: skip
    """Take step ``at`` of a replica: return 1 if its structure moved, 0 if not, and -1 if it needs a score.

    The chain's weights are exp(beta · score - gamma · number of arcs). If it is not to act, it only looks scores up.
    """
    kind = np.int64(random_bits(key, at, 1) & KIND)
    if kind < 2:
        return _arc(at, act, key, beta, gamma, parents, own, near, link, need, place)
    if kind == 2:
        return _neighbours(at, act, key, beta, parents, own, near, need, order, place)
    return _far(at, key, parents, order, place) if act else 0
