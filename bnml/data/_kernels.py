"""Translating codes and grouping equal rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from bnml._jit import kernel

__all__ = ["group", "pack", "translate"]

Array = Any


BLOCK = 4096


@kernel
def translate(codes: Array, mapping: Array, out: Array) -> None:
    """Write ``mapping[code]`` for every code; -1 reads the mapping's last entry."""
    for i in range(codes.size):
        out[i] = mapping[codes[i]]


@kernel
def _shift_in(word: Array, column: Array, bits: int) -> None:
    for i in range(column.size):
        word[i] = (word[i] << bits) | column[i]


@kernel
def pack(columns: Array, bits: Array, word_of: Array, words: Array) -> None:
    """Append each column's code to its word, ``bits[j]`` bits wide, a block of rows at a time."""
    n_rows = columns.shape[1]
    for start in range(0, n_rows, BLOCK):
        stop = min(n_rows, start + BLOCK)
        for j in range(columns.shape[0]):
            _shift_in(words[word_of[j], start:stop], columns[j, start:stop], bits[j])


@kernel
def group(words: Array, weights: Array, index: Array, totals: Array, first: Array) -> int:
    """Give equal rows of ``words`` (words × rows) equal numbers, in order of first occurrence; return how many.

    ``index[i]`` is the number of row i, ``totals[g]`` the weight of group g, ``first[g]`` its first row. An empty
    ``weights`` stands for ones. Open addressing; the table doubles when it is half full.
    """
    n_words, n_rows = words.shape
    size = 1024
    slots = np.full(size, -1, np.int64)
    m = 0
    for i in range(n_rows):
        mask = size - 1
        h = 0
        for w in range(n_words):
            h = ((h ^ int(words[w, i])) * 0x9E3779B97F4A7C1) & 0x7FFFFFFFFFFFFFFF
            h ^= h >> 29
        h &= mask
        while True:
            g = slots[h]
            if g < 0:
                g = m
                slots[h] = g
                first[g] = i
                totals[g] = 0
                m += 1
                break
            same = True
            for w in range(n_words):
                if words[w, first[g]] != words[w, i]:
                    same = False
                    break
            if same:
                break
            h = (h + 1) & mask
        index[i] = g
        totals[g] += weights[i] if weights.size else 1
        if 2 * m > size:
            size *= 4
            slots = np.full(size, -1, np.int64)
            mask = size - 1
            for g in range(m):
                h = 0
                for w in range(n_words):
                    h = ((h ^ int(words[w, first[g]])) * 0x9E3779B97F4A7C1) & 0x7FFFFFFFFFFFFFFF
                    h ^= h >> 29
                h &= mask
                while slots[h] >= 0:
                    h = (h + 1) & mask
                slots[h] = g
    return m
