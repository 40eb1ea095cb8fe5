"""Translating codes and grouping equal rows."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bnml._arrays import Array
from bnml._jit import helper, kernel, plain_at_first

BLOCK = 4096


def _translate_by_numpy(codes: Array, mapping: Array, out: Array) -> None:
    out[:] = mapping[codes]


@plain_at_first(lambda codes, mapping, out: 5 + codes.size / 200, _translate_by_numpy)
@kernel
def translate(codes: Array, mapping: Array, out: Array) -> None:
    """Kernel: write ``mapping[code]`` for every code; -1 reads the mapping's last entry."""
    for i in range(codes.size):
        out[i] = mapping[codes[i]]


@helper
def _shift_in(word: Array, column: Array, bits: int) -> None:
    for i in range(column.size):
        word[i] = (word[i] << bits) | column[i]


def _pack_by_numpy(columns: Array, bits: Array, word_of: Array, words: Array) -> None:
    for column, width, word in zip(columns, bits, word_of, strict=True):
        words[word] <<= width
        words[word] |= column


@plain_at_first(lambda columns, bits, word_of, words: 5 * len(columns) + columns.size / 100, _pack_by_numpy)
@kernel
def pack_codes(columns: Array, bits: Array, word_of: Array, words: Array) -> None:
    """Kernel: append each column's code to its word, ``bits[j]`` bits wide, a block of rows of data at a time."""
    n_rows = columns.shape[1]
    for start in range(0, n_rows, BLOCK):
        stop = min(n_rows, start + BLOCK)
        for j in range(columns.shape[0]):
            _shift_in(words[word_of[j], start:stop], columns[j, start:stop], bits[j])


@helper
def _hash(words: Array, i: int) -> int:
    h = 0
    for w in range(words.shape[0]):
        h = ((h ^ int(words[w, i])) * 0x9E3779B97F4A7C1) & 0x7FFFFFFFFFFFFFFF
        h ^= h >> 29
    return h


class Groups(NamedTuple):
    """Of each row the number of its group; of each group its weight and its first row."""

    index: Array
    totals: Array
    first: Array


@plain_at_first(lambda words, weights, slots, i, stop, *others: (stop - i) * (2 + words.shape[0]))
@kernel
def group(words: Array, weights: Array, slots: Array, i: int, stop: int, m: int, groups: Groups) -> tuple[int, int]:
    """Kernel: give equal rows of ``words`` (words × rows) equal numbers, in order of first occurrence.

    Goes on from row ``i``, with ``m`` groups known, up to row ``stop`` or until the ``slots`` are half full; returns
    the next row and the number of groups. An empty ``weights`` stands for ones. Open addressing.
    """
    index, totals, first = groups
    n_words = words.shape[0]
    mask = slots.size - 1
    while i < stop and 2 * m <= slots.size:
        h = _hash(words, i) & mask
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
        i += 1
    return i, m


@plain_at_first(lambda words, first, start, stop, slots: (stop - start) * (1 + words.shape[0]))
@kernel
def enter(words: Array, first: Array, start: int, stop: int, slots: Array) -> None:
    """Kernel: put the groups from ``start`` to ``stop`` into new slots."""
    mask = slots.size - 1
    for g in range(start, stop):
        h = _hash(words, first[g]) & mask
        while slots[h] >= 0:
            h = (h + 1) & mask
        slots[h] = g


MOST_TEXTS = 64
LONGEST_TEXT = 16


@helper
def _word(words: Array, start: int) -> int:
    """Return the eight bytes from ``start`` on; those past the end are arbitrary."""
    beyond = start - (words.size - 1)
    if beyond <= 0:
        return int(words[start])
    shifted: int = int(words[words.size - 1]) >> (8 * beyond if beyond < 8 else 63)
    return shifted


@kernel
def encode_texts(offsets: Array, words: Array, codes: Array, first: Array, known: Array, slots: Array) -> int:
    """Kernel: give equal texts equal codes, in order of first occurrence; return how many there are, or -1 to give up.

    For a few short labels only: at most ``MOST_TEXTS`` of up to ``LONGEST_TEXT`` bytes, which a text's length with its
    first and its last eight bytes tell apart. ``words[b]`` is the eight bytes from byte b on, ``first[g]`` the first
    row of text g. ``known`` has room for a text's length, head and tail, ``slots`` is a hash table filled with -1.
    """
    mask = slots.size - 1
    m = 0
    for i in range(codes.size):
        start = int(np.int64(offsets[i]))  # of 64 bits, whatever the offsets are
        n = int(np.int64(offsets[i + 1])) - start
        if n > LONGEST_TEXT:
            return -1
        head = _word(words, start)
        if n < 8:
            head &= (1 << (8 * n)) - 1
        tail = _word(words, start + n - 8) if n > 8 else 0
        h = (((head ^ (head >> 23)) * 0x9E3779B97F4A7C1 + tail * 0x2545F4914F6CDD1 + n) >> 40) & mask
        while True:
            g = slots[h]
            if g < 0:
                if m == MOST_TEXTS:
                    return -1
                g = m
                slots[h] = g
                known[g, 0], known[g, 1], known[g, 2] = n, head, tail
                first[g] = i
                m += 1
                break
            if known[g, 0] == n and known[g, 1] == head and known[g, 2] == tail:
                break
            h = (h + 1) & mask
        codes[i] = g
    return m


FIELD_START, UNQUOTED, QUOTED, QUOTE_CLOSED, TEXT_AFTER_QUOTE = range(5)
_QUOTE, _LINE_FEED, _RETURN = ord('"'), ord("\n"), ord("\r")


@plain_at_first(lambda text, delimiter, state: text.size / 5)
@kernel
def scan_quotes(text: Array, delimiter: int, state: int) -> int:
    """Kernel: return the state of a reader of delimited text after these bytes; the last state is final.

    A quote opens a field only at its start, and is an ordinary character in a field that is not quoted. In a quoted
    field it closes the field, unless another quote follows: the two stand for one.
    """
    if state == TEXT_AFTER_QUOTE:
        return state
    for byte in text:
        if state == QUOTED:
            if byte == _QUOTE:
                state = QUOTE_CLOSED
        elif byte in (delimiter, _LINE_FEED, _RETURN):
            state = FIELD_START
        elif byte == _QUOTE and state != UNQUOTED:
            state = QUOTED
        elif state == QUOTE_CLOSED:
            return TEXT_AFTER_QUOTE
        else:
            state = UNQUOTED
    return state
