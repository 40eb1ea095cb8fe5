"""Cutting numbers into bins.

Bins are right-closed, and the lowest value belongs to the first. A specification is ``"auto"`` (cuts that tell most
about other columns, see `bnml.data.dependent_bins`), ``"target:NAME"`` (about this one), ``"mdl"`` (the NML-optimal
histogram, see `bnml.nml.histogram`), ``"width:3"`` (bins of equal width), ``"quantile:4"`` (bins of about equal numbers
of rows) or the cut points themselves. A bin in which no row falls is joined to the one below it. Numbers that vary have
two bins at least, unless all lie on one side of the cut points that were given.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from bnml._arrays import Floats
from bnml.data.columns import Column
from bnml.errors import ArgumentError
from bnml.nml import nml_histogram

Bins = tuple[str, int | str] | tuple[float, ...]

MOST_BINS = 1000
MDL = ("mdl", 0)
AUTO = ("auto", 0)
HELP = 'expected "auto", "mdl", "target:COLUMN", "width:K", "quantile:K" '
HELP += f"(K bins, 2 to {MOST_BINS}) or a list of cut points"


def parse_bins(spec: Any, where: str) -> Bins:
    """Return a specification in checked form: `AUTO`, `MDL`, ``("width", 3)`` and the like, or the cut points.

    Raises
    ------
    ArgumentError
        If it is none of these; ``where`` names the argument in the message.
    """
    if isinstance(spec, str):
        if spec in ("mdl", "auto"):
            return MDL if spec == "mdl" else AUTO
        if spec.startswith("target:") and len(spec) > len("target:"):
            return "target", spec.removeprefix("target:")
        match = re.fullmatch(r"(width|quantile):([0-9]{1,9})", spec)
        if match and 2 <= int(match[2]) <= MOST_BINS:
            return match[1], int(match[2])
    elif isinstance(spec, Sequence | np.ndarray):
        try:
            cuts = tuple(float(cut) for cut in spec)
        except (TypeError, ValueError, OverflowError):
            raise _refusal(where, spec, HELP) from None
        if all(math.isfinite(cut) for cut in cuts) and all(a < b for a, b in pairwise(cuts)):
            return cuts
        raise _refusal(where, spec, "cut points must be finite and increase")
    raise _refusal(where, spec, HELP)


def _refusal(where: str, spec: Any, expected: str) -> ArgumentError:
    return ArgumentError(expected, argument=where, value=spec)


def cut_points(bins: Bins, values: Floats, weights: Floats) -> tuple[float, ...]:
    """Return the cuts between bins for sorted distinct values with positive weights, so that no bin is empty."""
    match bins:
        case ("mdl", _):
            cuts = list(_short(nml_histogram(values, weights, least=2).cuts, values))
            cuts = cuts or _equal_frequency(values, weights, 2)
        case ("width", int(k)):
            cuts = equal_width(values, k)
        case ("quantile", int(k)):
            cuts = _equal_frequency(values, weights, k)
        case _:
            cuts = [float(cut) for cut in bins]
    return _without_empty_bins(cuts, values)


def _short(cuts: Sequence[float], values: Floats) -> tuple[float, ...]:
    """Return cuts between the same values with as few digits as that takes."""
    shortened = []
    for cut in cuts:
        above = int(np.searchsorted(values, cut, side="right"))
        low, high = values[above - 1], values[above]
        shortened.append(next(c for digits in range(1, 18) if low <= (c := float(f"{cut:.{digits}g}")) < high))
    return tuple(shortened)


def equal_width(values: Floats, k: int) -> list[float]:
    """Return cuts in exact arithmetic on the decimals as written, so that a value on a cut falls below it."""
    low, high = Fraction(repr(float(values[0]))), Fraction(repr(float(values[-1])))
    return [float(low + (high - low) * i / k) for i in range(1, k)]


def _equal_frequency(values: Floats, weights: Floats, k: int) -> list[float]:
    """Cuts at the lowest values that reach i/k of the rows; the highest value is left for the last bin."""
    reached = np.cumsum(weights)[:-1] / weights.sum()
    places = np.searchsorted(reached, quantile_shares(k))
    return [float(values[min(place, values.size - 2)]) for place in places] if values.size > 1 else []


def quantile_shares(k: int) -> Floats:
    """Return the shares of the rows that the cuts between k bins of about equal numbers of rows must reach."""
    shares: Floats = np.arange(1, k) / k - 1e-12
    return shares


def _without_empty_bins(cuts: list[float], values: Floats) -> tuple[float, ...]:
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


def bins_of_values(values: Floats, cuts: Sequence[float]) -> npt.NDArray[np.int64]:
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


def bin_medians(
    cuts: Sequence[float], values: Floats, weights: Floats, otherwise: Sequence[float] | None = None
) -> tuple[float, ...]:
    """Return the median of the numbers in each bin, which are given as sorted distinct values with weights.

    A bin without numbers has the value that ``otherwise`` gives for it, or else its middle; the first and the last bin
    then are as wide as their neighbours. Means of two values are exact in decimals, as the values are written.

    Examples
    --------
    >>> bin_medians([10, 20], np.array([1.1, 1.2, 15.0]), np.array([1, 1, 3]))
    (1.15, 15.0, 25.0)
    """
    medians = list(otherwise or _middles(cuts))
    ends = [0, *np.searchsorted(values, np.asarray(cuts, np.float64), side="right").tolist(), values.size]
    for k, (start, stop) in enumerate(pairwise(ends)):
        if start < stop:
            reached = np.cumsum(weights[start:stop])
            places = [np.searchsorted(reached, reached[-1] / 2, side) for side in ("left", "right")]
            low, high = (Fraction(repr(float(values[start + place]))) for place in places)
            medians[k] = float((low + high) / 2)
    return tuple(medians)


def _middles(cuts: Sequence[float]) -> list[float]:
    if not cuts:
        return [0.0]
    first, last = (cuts[1] - cuts[0], cuts[-1] - cuts[-2]) if len(cuts) > 1 else (abs(cuts[0]) or 1.0,) * 2
    return [a / 2 + b / 2 for a, b in pairwise([cuts[0] - first, *cuts, cuts[-1] + last])]


def is_to_be_cut(column: Column) -> bool:
    """Return whether bins for all columns hold for this one: numbers with fractions, or with more than a few values."""
    numbers = column.numbers()
    if numbers is None or not numbers.size:
        return False
    # up to 10 whole numbers are not cut by bins for all columns
    return not np.equal(numbers, np.floor(numbers)).all() or np.unique(numbers).size > 10
