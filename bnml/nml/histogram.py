"""The histogram that describes numbers best: as many bins as the data pay for, wherever they pay most.

Cut the range of n numbers into K bins and say that within a bin all places are equally likely. With h_k numbers in
bin k of length L_k, the density there is h_k / (n L_k), and the numbers, written to a precision ε, take
Σ -h_k log(ε h_k / (n L_k)) nats. More bins always fit better, so the bins have a price: the regret log C(n, K) of a
variable with K values, and log binomial(E, K-1) to say which of E candidate cut points were taken. The sum is a *code
length* (Kontkanen and Myllymäki 2007), and the shortest one decides on the number of bins and their places alike,
with nothing to tune. Bins are narrow where the density changes, wide where it does not; a gap between clumps becomes
an empty bin; numbers that look uniform get a single bin.

**Precision.** ε is the largest step of which all differences between the values are multiples: 1 for ages in years,
0.5 for sizes of shoes, 2.54 for inches in centimetres. Reals have no such step: ε is then 2^-40 of the range, and
values nearer to each other than that are never told apart. The range of the model is [min - ε/2, max + ε/2].

**Candidates.** In the paper a cut may fall ε/2 before and after each value, so that a value is a cell of width ε.
Cuts anywhere else could only fit worse. As the candidates come from the data, and their places are not paid for, this
works only while the cells are not much narrower than the data lie apart. With sixteen digits, a single real would
make a bin of nearly no length, nearly infinite density, and the best histogram would have one spike for each. So a
cell has the width ε or, where the data are sparser, that of their spacing: the mean one of the next four observations
on the denser side (observations, not values: a value that is repeated has none to its own kind, and stays a cell of
width ε). Where two cells would overlap, a single candidate lies midway. Where there
are a few observations per ε, this is the paper's setting to the letter. And because *all* candidates cost nothing to
name, K is at most n/2.

**Long columns.** More than 1000 candidates are thinned to those of 600 gaps between values, at equal steps in rank
(of both gaps around a value that is itself more than such a step), and of up to 100 gaps that stand out: an empty bin
in a gap of t mean spacings saves about t nats, and it takes two cuts and two bins more, about 3 log n nats, so the
widest gaps above 3 log n are kept. So cuts between clumps and at the edges of a point mass stay where they are, and
other cuts are off by at most a thousandth of the observations.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bnml._arrays import Floats
from bnml._plain import attributes
from bnml.errors import ArgumentError, argument
from bnml.nml.intervals import TIE, best_intervals, edge_prices, interval_edges_by_rank
from bnml.nml.regret import LARGEST_N, regrets

Integers = NDArray[np.int64]

FINEST = 2.0**-40  # of the range: values closer than this are one
ALIKE = 1e-3  # two lengths are equal if they differ by less, relatively: values may come from a conversion
NEIGHBOURS = 4  # observations that the width of a cell is taken from
MORE_NEIGHBOURS = 16  # and those that a gap is compared with: a few values that are close by chance do not matter
MOST_CANDIDATES = 1000
RANKS = 600
WIDEST = 100


@dataclass(frozen=True)
class Histogram:
    """The histogram with the shortest code for a set of numbers.

    Attributes
    ----------
    edges : tuple of float
        The ends of the bins, one more than there are bins, range included. Bins are right-closed.
    counts : tuple of int
        Observations in each bin; an inner one may be empty.
    precision : float
        The precision ε of the numbers; 0 if they are all the same.
    candidates : int
        The number E of candidate cut points.
    code_lengths : tuple of float
        ``code_lengths[K - 1]`` is the shortest code length with K bins, in nats, as far as K was tried: more bins
        cannot be better.
    """

    edges: tuple[float, ...]
    counts: tuple[int, ...]
    precision: float
    candidates: int
    code_lengths: tuple[float, ...] = field(repr=False)

    @property
    def code_length(self) -> float:
        """The code length of this histogram, in nats."""
        return self.code_lengths[len(self.counts) - 1]

    @property
    def cuts(self) -> tuple[float, ...]:
        """The inner edges, an empty bin joined to the one below it: so cut, no bin is empty."""
        return tuple(cut for cut, above in zip(self.edges[1:-1], self.counts[1:], strict=True) if above > 0)

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain values, for JSON."""
        return attributes(self, "edges", "counts", "precision", "candidates", "code_lengths", "code_length", "cuts")


def nml_histogram(values: ArrayLike, weights: ArrayLike, *, least: int = 1) -> Histogram:
    """Return the histogram with the shortest code length, for numbers given as distinct values and their counts.

    Parameters
    ----------
    values : array_like of float
        Distinct finite values, ascending.
    weights : array_like
        How often each value occurs: positive whole numbers.
    least : int
        The fewest bins; there are fewer only where there are fewer values, or fewer than twice as many observations.

    Returns
    -------
    Histogram
        Among equals, up to rounding, the one with the fewest bins, and then with the leftmost cuts.

    Raises
    ------
    ArgumentError
        If the values are not finite and ascending, or the weights are not positive whole numbers, one for each.

    Notes
    -----
    For K bins with counts h_k and lengths L_k, out of n observations and E candidate cut points, the code length is

        Σ_k -h_k log(ε h_k / (n L_k)) + log C(n, K) + log binomial(E, K-1),

    that is, lengths are in units of the precision ε (Kontkanen and Myllymäki, MDL histogram density estimation, AISTATS
    2007). What ε and the candidates are is told at the top of `bnml.nml.histogram`.

    The best K bins from an edge to the end of the range are a first bin and the best K-1 bins from where it ends, so
    each K takes E²/2 steps. All candidates taken give the best fit of all. As soon as even that fit, with the lowest
    price of any larger K, does not beat the best so far, no larger K is tried.

    Examples
    --------
    >>> import numpy as np
    >>> from bnml.nml import nml_histogram
    >>> ages = np.r_[np.repeat(np.arange(20, 60), 9), np.repeat(np.arange(60, 80), 3)]
    >>> histogram = nml_histogram(*np.unique(ages, return_counts=True))
    >>> histogram.edges, histogram.counts
    ((19.5, 59.5, 79.5), (360, 60))
    >>> one, two = histogram.code_lengths[:2]
    >>> round(one - two, 1)  # nats saved by the cut
    32.3
    """
    x, w = _checked(values, weights)
    n = int(w.sum())
    if x.size == 1:
        return Histogram((float(x[0]),) * 2, (n,), 0.0, 0, (0.0,))
    exponent = int(np.frexp(np.abs(x).max())[1]) + 1
    scaled = np.ldexp(x, -exponent)  # the range of the largest floats is no float
    gaps = np.diff(scaled)
    precision = _precision(gaps)
    after, offsets = _candidates(scaled, gaps, w, precision)
    span = scaled[-1] - scaled[0] + precision
    places = (scaled[after] - scaled[0] + offsets + 0.5 * precision) / span
    chosen, lengths = _best_cuts(np.r_[0.0, places, 1.0], np.r_[0.0, np.cumsum(w)[after], n], n, least)

    below, above = x[after[chosen]], x[after[chosen] + 1]
    with np.errstate(over="ignore"):
        ends = np.ldexp([scaled[0] - 0.5 * precision, scaled[-1] + 0.5 * precision, precision], exponent)
    cuts = np.clip(np.ldexp((scaled[after] + offsets)[chosen], exponent), below, np.nextafter(above, below))
    return Histogram(
        edges=(float(ends[0]), *cuts.tolist(), float(ends[1])),
        counts=tuple(np.diff(np.r_[0.0, np.cumsum(w)[after[chosen]], n]).astype(np.int64).tolist()),
        precision=float(ends[2]),
        candidates=after.size,
        code_lengths=tuple((lengths + n * math.log(span / precision)).tolist()),
    )


def _checked(values: ArrayLike, weights: ArrayLike) -> tuple[Floats, Floats]:
    given, counts = np.asarray(values), np.asarray(weights)
    if given.ndim != 1 or given.size == 0 or given.dtype.kind not in "iuf":
        shape = f"an array of shape {given.shape} and type {given.dtype}"
        raise ArgumentError(argument("values") + f" must be a list of at least one number, got {shape}.")
    x = given.astype(np.float64)
    if not (np.isfinite(x).all() and (x[1:] > x[:-1]).all()):
        raise ArgumentError(
            argument("values") + " must be finite, distinct and ascending: use numpy.unique(x, return_counts=True)."
        )
    if counts.shape != x.shape or counts.dtype.kind not in "iuf":
        shape = f"an array of shape {counts.shape} and type {counts.dtype}"
        raise ArgumentError(argument("weights") + f" must be {x.size} whole numbers, one for each value, got {shape}.")
    w = counts.astype(np.float64)
    wrong = ~((w >= 1.0) & (w == np.floor(w)))
    if wrong.any() or w.sum() > LARGEST_N:
        got = f"got {w[wrong][0]}" if wrong.any() else f"their sum is {w.sum():.6g}"
        raise ArgumentError(argument("weights") + f" must be positive whole numbers with a sum of at most 2^53, {got}.")
    return x, w


def _precision(gaps: Floats) -> float:
    """Return the largest step of which all gaps are multiples: Euclid's algorithm, for all gaps at once."""
    finest = FINEST * float(gaps.sum())
    gaps = gaps[gaps > finest]
    rest = gaps
    while rest.size:
        least = float(rest.min())
        if least <= finest:
            return finest
        step = float(rest[rest <= (1.0 + ALIKE) * least].mean())
        rest = np.abs(gaps - np.rint(gaps / step) * step)
        rest = rest[rest > ALIKE * step]
    return step


def _candidates(x: Floats, gaps: Floats, w: Floats, precision: float) -> tuple[Integers, Floats]:
    """Return the candidate cuts from left to right: the value that each one follows, and by how much."""
    cells = np.maximum(precision, _spacing(x, w, NEIGHBOURS))
    left = 0.5 * np.minimum(gaps, cells[:-1])
    right = gaps - 0.5 * np.minimum(gaps, cells[1:])
    single = right - left <= ALIKE * gaps
    left[single] = right[single] = 0.5 * gaps[single]
    usable = gaps > FINEST * gaps.sum()
    if np.count_nonzero(usable) + np.count_nonzero(usable & ~single) > MOST_CANDIDATES:
        spacing = np.maximum(precision, _spacing(x, w, MORE_NEIGHBOURS))
        usable &= _thinned(gaps / np.minimum(spacing[:-1], spacing[1:]), w)
    gap = np.flatnonzero(usable)
    both = np.stack([left[gap], right[gap]], axis=1)
    taken = np.stack([np.ones(gap.size, dtype=bool), ~single[gap]], axis=1)
    return np.repeat(gap, taken.sum(axis=1)), both[taken]


def _spacing(x: Floats, w: Floats, neighbours: int) -> Floats:
    """Return the mean spacing of the observations next to each value, on the side where they are denser."""
    ends = np.cumsum(w)
    n = ends[-1]
    m = min(max(n // 4, 1), neighbours)
    spacing = np.full(x.size, np.inf)
    for ranks, inside in ((ends - w + m, ends - w + m < n), (ends - 1 - m, ends - 1 - m >= 0)):
        there = x[np.searchsorted(ends, ranks[inside], side="right")]
        spacing[inside] = np.minimum(spacing[inside], np.abs(there - x[inside]) / m)
    return spacing


def _thinned(widths: Floats, w: Floats) -> NDArray[np.bool_]:
    """Choose gaps at equal steps in rank, and the widest of those that are wide, in spacings."""
    kept = interval_edges_by_rank(w, RANKS)
    wide = np.flatnonzero(widths > 3.0 * math.log(w.sum()))
    kept[wide[np.argsort(-widths[wide], kind="stable")[:WIDEST]]] = True
    return kept


def _best_cuts(places: Floats, below: Floats, n: int, least: int) -> tuple[Integers, Floats]:
    """Return which candidates the best histogram takes, and the best code length for each K in units of the range."""
    from bnml.nml._kernels import bin_costs

    size = places.size
    costs = np.full((size, size), np.inf)
    bin_costs(places, below, costs)
    all_taken = float(costs.diagonal(1).sum())
    return best_intervals(costs, _prices(n, size - 2), TIE * n, lowest_fit=all_taken, least=least)


def _prices(n: int, candidates: int) -> Floats:
    """Return log C(n, K) + log binomial(E, K-1) for K = 1, 2, ..., as many as may be."""
    most = min(candidates, max(n // 2, 1) - 1)
    prices: Floats = regrets(n, np.arange(1, most + 2)) + edge_prices(candidates, most)
    return prices
