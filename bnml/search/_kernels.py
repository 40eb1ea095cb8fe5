"""Kernels of exact search: best parents, best sinks, and the sets that optimal orders pass through.

Sets of variables are numbers, their bits variables; a variable's candidate parents are numbered with its own bit left
out. Gains are whole numbers, in 64-bit floats or 32-bit integers; what is impossible is minus infinity or a very low
number, and every number below zero counts as that.
"""

from __future__ import annotations

from bnml._arrays import Array
from bnml._jit import helper, kernel, plain_at_first

CHUNK = 6  # the lowest bits, whose sinks are looked at one set at a time
TILE = 256  # sets that are neighbours, in a cache together with their subsets


@helper
def _raise(having: Array, without: Array) -> None:
    for k in range(having.size):
        having[k] = max(having[k], without[k])


@plain_at_first(lambda best, n_bits, tied: best.size * n_bits // 3)
@kernel
def raise_low(best: Array, n_bits: int, tied: int) -> None:
    """Kernel: replace each number by the largest of all subsets, over the lowest bits, of as many sets as there are.

    ``best[with bit] = max(best[with bit], best[without])`` for each bit in turn, but for those in ``tied``: these must
    be in the parents if they are in the candidates.
    """
    for b in range(n_bits):
        if tied >> b & 1:
            continue
        step = 1 << b
        if step < 8:
            for start in range(0, best.size, 2 * step):
                for k in range(start, start + step):
                    best[k + step] = max(best[k + step], best[k])
        else:
            for start in range(0, best.size, 2 * step):
                _raise(best[start + step : start + 2 * step], best[start : start + step])


@kernel
def raise_high(best: Array, low_bits: int, n_bits: int, tied: int, first: int, last: int) -> None:
    """Kernel: do the same for the bits from ``low_bits`` to ``n_bits``, in the tiles from ``first`` to ``last``.

    A tile is some neighbouring sets with all that differ from them in these bits only.
    """
    width = min(TILE, 1 << low_bits)
    rows = 1 << (n_bits - low_bits)
    across = (1 << low_bits) // width
    for tile in range(first, last):
        base = (tile // across) * (1 << n_bits) + (tile % across) * width
        for b in range(n_bits - low_bits):
            if tied >> (low_bits + b) & 1:
                continue
            for row in range(rows):
                if row >> b & 1:
                    here = base + (row << low_bits)
                    there = base + ((row ^ (1 << b)) << low_bits)
                    _raise(best[here : here + width], best[there : there + width])


@helper
def _raise_by_sum(total: Array, rest: Array, best: Array) -> None:
    for k in range(total.size):
        total[k] = max(total[k], rest[k] + best[k])


@kernel
def raise_by_sum(total: Array, rest: Array, best: Array) -> None:
    """Kernel: raise the totals of sets by those of the same sets without a sink, plus the sink's best parents."""
    _raise_by_sum(total, rest, best)


@helper
def _squeeze(mask: int, i: int) -> int:
    return (mask & ((1 << i) - 1)) | (mask >> (i + 1) << i)


@plain_at_first(lambda total, best, never, first, last: (last - first) * best.shape[0])
@kernel
def best_sinks(total: Array, best: Array, never: Array, first: int, last: int) -> None:
    """Kernel: raise the totals of the sets from ``first`` to ``last`` by each of their members as the sink.

    R(S) = max over i in S of R(S without i) + best_i(S without i).
    """
    n_low = best.shape[0]
    bits = min(CHUNK, n_low)
    width = 1 << bits
    for chunk in range(first, last, width):
        own = total[chunk : chunk + width]
        for i in range(bits, n_low):
            if chunk >> i & 1:
                rest = chunk ^ (1 << i)
                at = _squeeze(rest, i)
                _raise_by_sum(own, total[rest : rest + width], best[i, at : at + width])
        for k in range(width):
            found = own[k]
            for i in range(bits):
                if k >> i & 1:
                    rest = chunk | (k ^ (1 << i))
                    found = max(found, total[rest] + best[i, _squeeze(rest, i)])
            own[k] = found if found >= 0 else never[0]


@plain_at_first(lambda total, best, slack, first, last, marks: (last - first) * best.shape[0])
@kernel
def mark(total: Array, best: Array, slack: float, first: int, last: int, marks: Array) -> None:
    """Kernel: mark the sets that optimal orders of marked sets pass through, by low variables as sinks, from above."""
    for s in range(last - 1, first - 1, -1):
        if marks[s]:
            for i in range(best.shape[0]):
                if s >> i & 1:
                    rest = s ^ (1 << i)
                    if float(total[rest]) + float(best[i, _squeeze(rest, i)]) >= float(total[s]) - slack:
                        marks[rest] = True
