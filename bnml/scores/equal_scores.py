"""When two scores are equal: one tolerance for all searches.

A score is a sum of thousands of terms in 64-bit floats. Equivalent structures have the same score, but their terms are
added in another order, and rounding leaves differences of some 10^-13 of the sum. Scores, and gains of scores of that
size, that differ by no more than the tolerance are equal; ties are then decided by names.

The terms themselves are rounded, too: with a billion rows they are some 10^10 nats, and a float has 16 digits. What
that can do to the difference of two scores is `score_rounding`; a proof claims no more.
"""

from __future__ import annotations

import math

LEAST = 1e-9  # nats: no difference of evidence is so small
SHARE = 1e-12  # of the score: what rounding can do
ROUNDINGS = 8  # of N log N, which no term exceeds, in the difference of two families: found by measurement, and doubled


def score_tolerance(score: float) -> float:
    """Return how much scores of this size may differ and be equal; 0 for one that is not finite.

    Examples
    --------
    >>> score_tolerance(-100.0), score_tolerance(-1e6)
    (1e-09, 1e-06)
    """
    return max(LEAST, SHARE * abs(score)) if math.isfinite(score) else 0.0


def score_rounding(n_rows: int) -> float:
    """Return by how many nats the difference of two scores of so many rows may be off; 0 where that is next to nothing.

    Examples
    --------
    >>> score_rounding(10**6), round(score_rounding(10**9), 6), round(score_rounding(10**12), 3)
    (0.0, 1.8e-05, 0.025)
    """
    off = ROUNDINGS * 2.0**-53 * n_rows * math.log(max(n_rows, 1))
    return off if off > 1e-6 else 0.0  # nats of rounding that no one need be told
