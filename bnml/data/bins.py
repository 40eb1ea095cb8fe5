"""Cutting numbers into bins.

Bins are right-closed, and the lowest value belongs to the first. A specification is ``"width:3"`` (bins of equal
width), ``"quantile:4"`` (bins of about equal numbers of rows) or the cut points themselves. A bin in which no row falls
is joined to the one below it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from bnml.errors import ArgumentError

__all__ = ["Bins", "bin_labels", "cut_points", "parse_bins", "place"]

Values = npt.NDArray[np.float64]
Bins = tuple[str, int] | tuple[float, ...]

HELP = 'expected "width:K", "quantile:K" (K bins, from 2) or a list of cut points'


def parse_bins(spec: Any, where: str) -> Bins:
    """Return a specification in checked form: ``("width", 3)``, ``("quantile", 4)`` or the cut points.

    Raises
    ------
    ArgumentError
        If it is none of these; ``where`` names the argument in the message.
    """
    if isinstance(spec, str):
        kind, _, number = spec.partition(":")
        if kind in ("width", "quantile") and number.isascii() and number.isdigit() and int(number) >= 2:
            return kind, int(number)
    elif isinstance(spec, Sequence | np.ndarray) and len(spec):
        try:
            cuts = tuple(float(cut) for cut in spec)
        except (TypeError, ValueError):
            raise ArgumentError(f"{where}={spec!r}: {HELP}") from None
        if all(math.isfinite(cut) for cut in cuts) and all(a < b for a, b in pairwise(cuts)):
            return cuts
        raise ArgumentError(f"{where}={spec!r}: cut points must be finite and increase")
    raise ArgumentError(f"{where}={spec!r}: {HELP}")


def cut_points(bins: Bins, values: Values, weights: Values) -> tuple[float, ...]:
    """Return the cuts for sorted distinct values with positive weights, so that no bin is empty."""
    match bins:
        case ("width", int(k)):
            cuts = _equal_width(values, k)
        case ("quantile", int(k)):
            reached = np.cumsum(weights) / weights.sum()
            cuts = [float(values[np.searchsorted(reached, i / k - 1e-12)]) for i in range(1, k)]
        case _:
            cuts = [float(cut) for cut in bins]
    return _without_empty_bins(cuts, values)


def _equal_width(values: Values, k: int) -> list[float]:
    """Cuts in exact arithmetic on the decimals as written, so that a value on a cut falls below it."""
    low, high = Fraction(repr(float(values[0]))), Fraction(repr(float(values[-1])))
    return [float(low + (high - low) * i / k) for i in range(1, k)]


def _without_empty_bins(cuts: list[float], values: Values) -> tuple[float, ...]:
    """Drop the lower cut of each empty bin; an empty first bin has only an upper one."""
    kept: list[float] = []
    below = 0
    for cut in cuts:
        reached = int(np.searchsorted(values, cut, side="right"))
        if reached == 0:
            continue
        if reached == below:
            kept[-1] = cut
        else:
            kept.append(cut)
        below = reached
    if kept and below == values.size:
        kept.pop()
    return tuple(kept)


def place(values: Values, cuts: Sequence[float]) -> npt.NDArray[np.int64]:
    """Return each value's bin."""
    return np.searchsorted(np.asarray(cuts, np.float64), values, side="left").astype(np.int64)


def bin_labels(cuts: Sequence[float]) -> tuple[str, ...]:
    """Return a readable label for each bin.

    Examples
    --------
    >>> bin_labels([5.5, 6.7])
    ('<=5.5', '(5.5, 6.7]', '>6.7')
    """
    if not cuts:
        return ("all",)
    text = [f"{cut:.12g}" for cut in cuts]
    if len(set(text)) < len(text):
        text = [repr(cut) for cut in cuts]
    inner = [f"({low}, {high}]" for low, high in pairwise(text)]
    return (f"<={text[0]}", *inner, f">{text[-1]}")
