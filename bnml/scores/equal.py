"""When two scores count as equal."""

from __future__ import annotations

__all__ = ["tolerance"]

ABSOLUTE = 1e-9
RELATIVE = 1e-12


def tolerance(score: float) -> float:
    """Return by how much another score may differ from this one and still count as equal.

    Structures of one equivalence class have the same score, but its families are other ones, and sums of other numbers
    differ in their last digits: a thousand terms of size s are off by about 1e-13 · s at most. So what separates two
    scores by less than max(1e-9, 1e-12 · abs(score)) is rounding, and ties must not be decided by it; what tells two
    structures apart, one row in another cell, is far larger. The absolute part is for scores near zero, which are
    differences of large sums. One rule for all searches, so that the same two structures tie in each of them.

    Examples
    --------
    >>> tolerance(-20.0), tolerance(-1e6)
    (1e-09, 1e-06)
    """
    return max(ABSOLUTE, RELATIVE * abs(score))
