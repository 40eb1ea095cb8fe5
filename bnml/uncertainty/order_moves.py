"""Moves of a structure together with an order of the variables that fits it: for the order prior.

Under that prior all pairs of an order and a DAG that fits it are equally probable. So the chain goes over such pairs,
and a DAG comes up once for each of its linear extensions. Half of the moves add or take away the arc from the earlier
of two variables to the later one, which needs no look at cycles. The others change the order: two neighbours change
places, an arc between them being turned round; or a variable goes to another place, past others that it is not linked
with. A proposal is as probable as the one back.
"""

from __future__ import annotations

import numpy as np

from bnml._arrays import Array
from bnml._jit import helper
from bnml.uncertainty._sampling_kernels import has_arc, random_bits, toggle
from bnml.uncertainty.single_arcs import decide_single_arc, decide_turn, random_pair, turn_single_arc

KIND = np.uint64(3)
HALF = np.uint64(32)


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
    decision = decide_single_arc(at, act, key, beta, gamma, own, near, link, need, u, v, has_arc(parents, u, v))
    if decision == 1:
        toggle(parents, own, near, v, u, near[v, u])
    return decision


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
    decision = decide_turn(at, act, key, beta, own, near, need, u, v)
    if decision == 1:
        turn_single_arc(parents, own, near, u, v)
        _swap(order, place, k)
    return decision


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
def order_move_step(
    at: int, act: bool, key: Array, beta: float, gamma: float, parents: Array, own: Array, near: Array, link: Array,
    need: Array, order: Array, place: Array,
) -> int:  # fmt: skip
    """Take step ``at`` of a replica, an order move: return 1 if its structure moved, 0 if not, -1 if it needs a score.

    The chain's weights are exp(beta · score - gamma · number of arcs). If it is not to act, it only looks scores up.
    """
    kind = np.int64(random_bits(key, at, 1) & KIND)
    if kind < 2:
        return _arc(at, act, key, beta, gamma, parents, own, near, link, need, place)
    if kind == 2:
        return _neighbours(at, act, key, beta, parents, own, near, need, order, place)
    return _far(at, key, parents, order, place) if act else 0
