"""Kernels of zero-half inequalities: elimination modulo 2, and sums in their shortest form."""

from __future__ import annotations

import numpy as np

from bnml._arrays import Array
from bnml._jit import kernel


@kernel
def odd_sums(odd: Array, weights: Array, slack: Array, columns: Array, most: float, found: Array) -> int:
    """Kernel: add up rows modulo 2 so that few coefficients are odd; note sums that lose less than ``most``; count.

    A row of ``odd`` has the parity of its coefficients, that of its right side, and which rows it is the sum of.
    Columns are eliminated in turn, each by a row without slack. A sum loses the weights of its odd columns and its
    slack, and must be odd on the right. In ``found`` are sums, by row: their loss and their parts.
    """
    n_rows, n_columns = odd.shape[0], weights.size
    parts = n_columns + 1
    used = np.zeros(n_rows, np.bool_)
    loss = np.empty(n_rows)
    changed = np.ones(n_rows, np.bool_)
    n_found = 0
    for turn in range(columns.size + 1):
        for k in range(n_rows):
            if changed[k]:
                loss[k] = 0.0
                for c in range(n_columns):
                    if odd[k, c]:
                        loss[k] += weights[c]
                changed[k] = False
                if odd[k, n_columns] and loss[k] + slack[k] < most and n_found < found.shape[0]:
                    found[n_found, 0] = loss[k] + slack[k]
                    for p in range(n_rows):
                        found[n_found, 1 + p] = odd[k, parts + p]
                    n_found += 1
        if turn == columns.size:
            break
        column = columns[turn]
        pivot = -1
        for k in range(n_rows):
            if odd[k, column] and slack[k] <= 0.0 and not used[k] and (pivot < 0 or loss[k] < loss[pivot] - 1e-9):
                pivot = k
        if pivot < 0:
            continue
        used[pivot] = True
        for k in range(n_rows):
            if k != pivot and odd[k, column]:
                changed[k] = True
                for p in range(odd.shape[1]):
                    odd[k, p] ^= odd[pivot, p]
    return n_found


@kernel
def shorten_zero_half(first: Array, total: Array) -> int:
    """Kernel: shorten a zero-half cut by the most frequent coefficient of each variable's families; return the sum."""
    shift = 0
    for x in range(first.size - 1):
        own = total[first[x] : first[x + 1]]
        lowest = own.min()
        counts = np.zeros(own.max() - lowest + 1, np.int64)
        for f in range(own.size):
            counts[own[f] - lowest] += 1
        common = lowest + np.argmax(counts)
        shift += common
        for f in range(own.size):
            own[f] -= common
    return shift
