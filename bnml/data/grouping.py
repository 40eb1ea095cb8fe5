"""Distinct rows: pack each row's codes into words, group equal words, sort the groups."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from bnml._arrays import Numbers

Codes = npt.NDArray[np.unsignedinteger[Any]]

SLICE = 1 << 19  # rows in a call


def group_rows(
    columns: Codes, arities: Sequence[int], weights: npt.NDArray[np.int64] | None = None
) -> tuple[Codes, npt.NDArray[np.int64], npt.NDArray[np.integer[Any]]]:
    """Group equal rows: return the distinct ones (column-major codes, sorted), their weights, and each row's group.

    ``columns`` has one contiguous row per column.
    """
    words = _packed(columns, arities)
    n_rows = columns.shape[1]
    numbers = np.int32 if n_rows < 1 << 31 else np.int64
    index = np.empty(n_rows, numbers)
    totals = np.empty(n_rows, np.int64)
    first = np.empty(n_rows, np.int64)
    m = _group(words, np.empty(0, np.int64) if weights is None else weights, index, totals, first)
    first = first[:m]
    order = np.lexsort(words[::-1, first])
    rank = np.empty(m, numbers)
    rank[order] = np.arange(m, dtype=numbers)
    codes = np.take(columns, first[order], axis=1).T
    return codes, totals[:m][order], rank[index]


def _group(words: Numbers, weights: Numbers, index: Numbers, totals: Numbers, first: Numbers) -> int:
    """Group all rows, a slice at a time, so that no call is long; return the number of groups."""
    from bnml.data._kernels import Groups, enter, group

    n_rows = words.shape[1]
    slots = np.full(1024, -1, np.int64)
    groups = Groups(index, totals, first)
    i, m = 0, 0
    while i < n_rows:
        i, m = group(words, weights, slots, i, min(n_rows, i + SLICE), m, groups)
        if 2 * m > slots.size:
            slots = np.full(4 * slots.size, -1, np.int64)
            for start in range(0, m, SLICE):
                enter(words, first, start, min(m, start + SLICE), slots)
    return m


def _packed(columns: Codes, arities: Sequence[int]) -> npt.NDArray[np.int64]:
    """Pack rows into words of at most 62 bits, whose order as numbers is the lexicographic order of the codes."""
    from bnml.data._kernels import pack_codes

    bits = [(arity - 1).bit_length() for arity in arities]
    word_of = []
    word, used = 0, 0
    for width in bits:
        if used + width > 62:
            word, used = word + 1, 0
        word_of.append(word)
        used += width
    words = np.zeros((word + 1, columns.shape[1]), np.int64)
    pack_codes(columns, np.array(bits, np.int64), np.array(word_of, np.int64), words)
    return words
