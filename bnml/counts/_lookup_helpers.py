"""What the counting kernels share: counts beyond the end of a lookup table (`bnml.counts.batches`), and log Γ.

Machine code that is kept on disk has these as parts: who changes them deletes the kept kernels that call them.
"""

from __future__ import annotations

import math

import numpy as np

from bnml._arrays import Array
from bnml._jit import helper


@helper
def in_tail(tail: Array, size: int, n: int) -> float:
    """Kernels' helper: return what the tail of a lookup table with so many entries says of a count beyond them."""
    top = 2.0 * size
    octave = 0
    while n >= top:
        top *= 2.0
        octave += 1
    own = tail[octave]
    y = (4.0 * n - 3.0 * top) / top
    last = before = 0.0
    for k in range(own.size - 1, 2, -1):
        last, before = 2.0 * y * last - before + own[k], last
    value: float = n * (own[0] * math.log(n) + (y * last - before + own[2]))
    if own[1] > 0.0:
        value = np.rint(value)
    return value


@helper
def stirling(x: float) -> float:
    """Kernels' helper: return what log Γ(x) has beyond (x - ½) log x - x + ½ log 2π, for large x, not looked up."""
    u = 1.0 / x
    v = u * u
    return u * (1 / 12 - v * (1 / 360 - v * (1 / 1260 - v / 1680)))
