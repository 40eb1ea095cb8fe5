"""Two closed forms for the regret, from the qNML paper (Silander et al. 2018).

Both broadcast over arrays of sample sizes n and numbers of values r, are 0 where n = 0 or r = 1 by definition,
and are written so that nothing cancels and nothing overflows before the result does.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from bnml._arrays import Bools, Floats

GAMMA_RATIO_FROM = 10.0  # from this r on the continued fraction below is exact after LEVELS levels


def _broadcast(n: ArrayLike, r: ArrayLike) -> tuple[Floats, Floats, Bools]:
    """Return both as arrays of one shape, and where the regret is 0 by definition; n is 1 there."""
    n, r = np.broadcast_arrays(np.asarray(n, dtype=np.float64), np.asarray(r, dtype=np.float64))
    trivial = (n == 0) | (r == 1)
    return np.where(trivial, 1.0, n), r, trivial


def szpankowski(n: ArrayLike, r: ArrayLike) -> Floats:
    """Return Szpankowski's approximation, for few values and many observations (eq. 6).

    Notes
    -----
    The qNML paper's eq. 6, with its first term corrected, reads with g = Γ(r/2) / Γ((r-1)/2)

        √2 r g / (3√n) + (r-1)/2 · log(n/2) - log Γ(r/2) + ½ log π - r² g² / (9n) + (2r³ - 3r² - 2r + 3) / (36n).

    The cubes cancel: with h = g² - (r/2 - ¾), which is about 1/(16r), the last two terms are
    -(4 r² h + 2r - 3) / (36n).

    Examples
    --------
    >>> float(szpankowski(500, 10).round(2))  # Table 1 of the paper: 22.67
    22.67
    """
    from scipy.special import gammaln

    n, r, trivial = _broadcast(n, r)
    overflow = ~trivial & (r > 1e205)  # its r^1.5 overflows soon after
    r = np.where(trivial | overflow, 2.0, r)
    excess = _gamma_ratio_excess(r)
    g = np.sqrt(0.5 * r - 0.75 + excess)
    value = (
        np.sqrt(2.0) * r * g / (3.0 * np.sqrt(n))
        + 0.5 * (r - 1.0) * np.log(0.5 * n)
        - gammaln(0.5 * r)
        + 0.5 * np.log(np.pi)
        - (4.0 * r * (r * excess) + 2.0 * r - 3.0) / (36.0 * n)
    )
    return np.where(trivial, 0.0, np.where(overflow, np.inf, value))


def _gamma_ratio_excess(r: Floats) -> Floats:
    """Return (Γ(r/2) / Γ((r-1)/2))² - (r/2 - ¾), for r ≥ 2.

    With x = 2r - 3 it is a quarter of Bauer's continued fraction 1²/(2x + 3²/(2x + 5²/(2x + ...))).
    """
    from scipy.special import gamma

    few = np.minimum(r, GAMMA_RATIO_FROM)
    direct = (gamma(0.5 * few) / gamma(0.5 * (few - 1.0))) ** 2 - (0.5 * few - 0.75)
    twice = 2.0 * (2.0 * np.maximum(r, GAMMA_RATIO_FROM) - 3.0)
    fraction = np.zeros_like(twice)
    for level in range(40, 0, -1):
        fraction = (2.0 * level - 1.0) ** 2 / (twice + fraction)
    return np.where(r < GAMMA_RATIO_FROM, direct, 0.25 * fraction)


def szpankowski_weinberger(n: ArrayLike, r: ArrayLike) -> Floats:
    """Return Szpankowski and Weinberger's approximation, for all ranges of n and r (eq. 7).

    Too high by about 1/(6r) when r is small (0.09 at r = 2, whatever n), and by less when n is the smaller.

    Notes
    -----
    With a = r/n and c = ½ + ½ √(1 + 4/a), the qNML paper's eq. 7 is

        n (log a + (a + 2) log c - 1/c) - ½ log(c + 2/a).

    Since c² = c + 1/a, the parenthesis is log(1 + ac) - ac + a (1 + log c), and also
    log(1 + ac) + a log c - 1/c: the first form serves small a, the second one large a.

    Examples
    --------
    >>> float(szpankowski_weinberger(500, 10).round(2))  # Table 1 of the paper: 22.69
    22.69
    """
    n, r, trivial = _broadcast(n, r)
    r = np.where(trivial, 1.0, r)
    a = r / n
    c_minus_1 = (2.0 / a) / (1.0 + np.sqrt(1.0 + 4.0 / a))
    log_c = np.log1p(c_minus_1)
    ac = a + a * c_minus_1
    near = np.minimum(ac, 0.5)  # only so that the branch not taken stays finite
    small = _log1p_minus(near) + a * (1.0 + log_c)
    large = np.log1p(ac) + a * log_c - 1.0 / (1.0 + c_minus_1)
    value = n * np.where(ac < 0.5, small, large) - 0.5 * np.log1p(c_minus_1 + 2.0 / a)
    return np.where(trivial, 0.0, value)


def _log1p_minus(u: Floats) -> Floats:
    """Return log(1 + u) - u for 0 ≤ u ≤ ½: with s = u / (2 + u) it is -u s + 2 (s³/3 + s⁵/5 + ...)."""
    s = u / (2.0 + u)
    square = s * s
    series = np.zeros_like(u)
    for k in range(25, 1, -2):
        series = 1.0 / k + square * series
    return s * (2.0 * square * series - u)


CLOSED_FORMS: dict[str, Callable[[ArrayLike, ArrayLike], Floats]] = {
    "szpankowski": szpankowski,
    "szpankowski-weinberger": szpankowski_weinberger,
}
