"""When two scores are equal: one tolerance for all searches.

A score is a sum of thousands of terms in 64-bit floats. Equivalent structures have the same score, but their terms are
added in another order, and rounding leaves differences of some 10^-13 of the sum. Scores, and gains of scores of that
size, that differ by no more than the tolerance are equal; ties are then decided by names.
"""

from __future__ import annotations

import math

__all__ = ["tolerance"]

LEAST = 1e-9  # nats: no difference of evidence is so small
SHARE = 1e-12  # of the score: what rounding can do


def tolerance(score: float) -> float:
    """Return how much scores of this size may differ and be equal; 0 for one that is not finite.

    Examples
    --------
    >>> tolerance(-100.0), tolerance(-1e6)
    (1e-09, 1e-06)
    """
    return max(LEAST, SHARE * abs(score)) if math.isfinite(score) else 0.0
