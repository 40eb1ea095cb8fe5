"""Single regrets: arguments checked, and the exact regret by the shortest of three ways.

**The recurrence in r** (fNML paper, eq. 13) climbs from C(n, 1) = 1 and C(n, 2) to C(n, r) in r steps, whatever
n, and passes all smaller r on its way:

    C(n, r+2) = C(n, r+1) + (n/r) C(n, r).

**The sum** (Mononen and Myllymäki 2008; qNML paper, appendix B.3) has n terms, whatever r:

    C(n, r) = Σ_{l=0}^{n-1} t_l,    t_l = (n-1)(n-2)...(n-l) · r (r+1) ... (r+l) / (n^(l+1) l!).

Its terms rise to a peak near l + 1 = m = 2n / (1 + √(1 + 4n/r)) and fall off on both sides like a normal density
of variance n (n-m) / (2n-m). The peak's logarithm is known from `log_rising`, so only the terms within
some ten standard deviations of it are added, all relative to the peak.

**The closed form** of Szpankowski and Weinberger (qNML paper, eq. 7) takes over where both n and r exceed a
million. There it is at most 2e-7 too high in a regret of 8·10^5 or more: better than 1e-12, relative to it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise
from typing import Any, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike

from bnml._arrays import Floats
from bnml._checks import is_number, is_whole
from bnml._text import did_you_mean, quoted
from bnml.errors import ArgumentError, argument
from bnml.nml.approximations import CLOSED_FORMS, szpankowski_weinberger
from bnml.nml.rising import log_rising

Whole = SupportsIndex | float  # integers of all kinds, and floats without a fraction

METHODS = ("exact", *CLOSED_FORMS)
LARGEST_N = 2**53  # beyond, floats skip whole numbers


def regret(n: Whole, r: Whole, method: str = "exact") -> float:
    """Return the regret reg(n, r) = log C(n, r) of n observations of a variable with r values.

    Parameters
    ----------
    n : int
        Number of observations, 0 to 2^53.
    r : int
        Number of values, at least 1 and as large as you like.
    method : {"exact", "szpankowski", "szpankowski-weinberger"}
        ``"exact"``; or an approximation of the qNML paper: eq. 6 (corrected) for small r and large n, or
        eq. 7 for all n and r.

    Returns
    -------
    float
        Natural logarithm; 0 where n = 0 or r = 1, whatever the method.

    Raises
    ------
    ArgumentError
        If n or r is no whole number or out of range, or the method is unknown.

    Notes
    -----
    C(n, r) = Σ n!/(k_1! ... k_r!) Π (k_j/n)^k_j over all k_1 + ... + k_r = n (Silander et al. 2008, eq. 9;
    Silander et al. 2018, eq. 5). ``"exact"`` is right to a relative 1e-12, in at most some milliseconds. Where
    n and r both exceed 10^6 it is eq. 7, whose own error there, at most 2e-7, is below that as well.

    Examples
    --------
    >>> from bnml.nml import regret
    >>> round(regret(2, 2), 6)  # log 2.5: the four data sets have 1 + 1/4 + 1/4 + 1
    0.916291
    >>> round(regret(5000, 100), 2), round(regret(5000, 100, method="szpankowski"), 2)
    (247.97, 247.97)
    """
    n, r = regret_argument("n", n, 0, LARGEST_N), regret_argument("r", r, 1)
    check_regret_method(method)
    try:
        size = float(r)
    except OverflowError:
        size = math.inf
    return float(_regrets(n, np.array([size]), np.array([math.log(r)]), method)[0])


def regrets(n: Whole, rs: ArrayLike, *, log_rs: ArrayLike | None = None, method: str = "exact") -> Floats:
    """Return reg(n, r) for one sample size n and many numbers of values r.

    Equal r are computed once, and all small r come out of one pass of the recurrence.

    Parameters
    ----------
    n : int
        Number of observations, 0 to 2^53.
    rs : array_like
        Numbers of values: whole numbers of at least 1, of any shape. ``inf`` stands for a number that is no
        longer a float.
    log_rs : array_like, optional
        Logarithms of ``rs``, of the same shape; read only where ``rs`` is ``inf``, and needed there.
    method : {"exact", "szpankowski", "szpankowski-weinberger"}
        As in `regret`.

    Returns
    -------
    ndarray
        Natural logarithms, of the shape of ``rs``.

    Raises
    ------
    ArgumentError
        If n or an r is no whole number or out of range, ``log_rs`` is missing or does not fit, or the method is
        unknown.

    Notes
    -----
    As r grows, reg(n, r) - n log(r/n) vanishes like n²/(2r): that limit is used where ``rs`` is ``inf``.

    Examples
    --------
    >>> import numpy as np
    >>> from bnml.nml import regrets
    >>> regrets(50, [10, 100, 1000]).round(2)
    array([ 13.24,  60.  , 153.28])
    >>> regrets(50, [np.inf], log_rs=[400 * np.log(10)]).round(2)  # r = 10^400
    array([45856.1])
    """
    n = regret_argument("n", n, 0, LARGEST_N)
    check_regret_method(method)
    sizes = _whole_numbers("rs", rs)
    if log_rs is None:
        if np.isinf(sizes).any():
            raise ArgumentError(
                argument("rs") + " holds inf, so log_rs is needed: pass the logarithms of the numbers of values."
            )
        logs = np.zeros(sizes.shape)
    else:
        logs = np.asarray(log_rs)
        if logs.dtype.kind not in "iuf" or logs.shape != sizes.shape:
            given = f"an array of shape {logs.shape} and type {logs.dtype}"
            raise ArgumentError(
                argument("log_rs") + f" must be numbers in the shape of rs, {sizes.shape}, got {given}."
            )
        if not np.isfinite(logs[np.isinf(sizes)]).all():
            raise ArgumentError(argument("log_rs") + " must be finite where rs is inf.")
    return _regrets(n, sizes, logs, method)


def _regrets(n: int, rs: Floats, log_rs: Floats, method: str) -> Floats:
    out = np.zeros(rs.shape)
    finite = np.isfinite(rs)
    distinct, index = np.unique(rs[finite], return_inverse=True)
    values = _exact_regrets(n, distinct) if method == "exact" else CLOSED_FORMS[method](n, distinct)
    out[finite] = values[index]
    if n > 0 and not finite.all():
        out[~finite] = np.inf if method == "szpankowski" else n * (log_rs[~finite] - math.log(n))
    return out


def regret_argument(name: str, value: Any, least: int, most: int | None = None) -> int:
    """Return an argument of the regret as an int if it is a whole number in range; refuse it if not."""
    whole = is_whole(value, None) or (isinstance(value, float | np.floating) and float(value).is_integer())
    if not whole or value < least or (most is not None and value > most):
        allowed = f"of at least {least}" if most is None else f"from {least} to {most}"
        raise ArgumentError(argument(name) + f" must be a whole number {allowed}, got {value!r}.")
    return int(value)


def _whole_numbers(name: str, values: ArrayLike) -> Floats:
    """Return whole numbers of at least 1, or inf, as floats."""
    given = np.asarray(values)
    if given.dtype == object and all(is_number(v) for v in given.flat):
        try:
            given = given.astype(np.float64)
        except OverflowError:
            raise ArgumentError(
                argument(name) + " holds a number beyond the range of floats: pass inf, and its logarithm in log_rs."
            ) from None
    if given.dtype.kind not in "iuf":
        raise ArgumentError(
            argument(name) + f" must be whole numbers of at least 1, got an array of type {given.dtype}."
        )
    array = given.astype(np.float64)
    wrong = ~((array >= 1.0) & (array == np.floor(array)))
    if wrong.any():
        raise ArgumentError(argument(name) + f" must be whole numbers of at least 1, got {array[wrong][0]}.")
    return array


def check_regret_method(method: str) -> None:
    """Refuse a method that is no way to compute the regret."""
    if method not in METHODS:
        raise ArgumentError(
            argument("method") + f" must be one of {quoted(METHODS)}, got {method!r}.{did_you_mean(method, METHODS)}"
        )


CLOSED_FORM_FROM = 1_000_000
SETUP_COST = 50.0  # the peak of one sum, in terms of the sum
CLIMB_COST = 1 / 64  # one step of the recurrence, in the same unit: it is as long, but serves many r at once
COST_PER_CALL = 1e8  # a kernel call lasts about 0.15 s


def _exact_regrets(n: int, rs: Floats) -> Floats:
    """Return log C(n, r) for ascending, finite, distinct rs.

    The way is chosen by n and r alone, so that a regret does not depend on the company it is asked for in.
    """
    if n == 0:
        return np.zeros(rs.shape)
    if n == 1:
        return np.log(rs)
    out = np.empty(rs.shape)
    small = rs <= CLOSED_FORM_FROM
    climb = small & (CLIMB_COST * rs <= exact_sum_cost(float(n), rs))
    add = ~climb & (small | (n <= CLOSED_FORM_FROM))
    closed = ~climb & ~add
    if climb.any():
        out[climb] = regrets_by_recurrence(n, rs[climb])
    if add.any():
        out[add] = regrets_by_sum(np.full(np.count_nonzero(add), float(n)), rs[add])
    if closed.any():
        out[closed] = szpankowski_weinberger(n, rs[closed])
    return out


def regrets_by_recurrence(n: int, rs: Floats) -> Floats:
    """Return log C(n, r) for ascending rs by the recurrence in r."""
    from bnml.nml._kernels import recurrence

    out = np.empty(rs.shape)
    recurrence(float(n), rs.astype(np.int64), out)
    return out


def regrets_by_sum(ns: Floats, rs: Floats) -> Floats:
    """Return log C(n, r) for pairs of n ≥ 1 and r by the sum around its largest term."""
    from scipy.special import gammaln

    from bnml.nml._kernels import sums_around_peak

    l = np.clip(np.rint(_peak(ns, rs)) - 1.0, 0.0, ns - 1.0)  # noqa: E741
    log_peak = log_rising(ns - l, l) + log_rising(rs, l + 1.0) - (l + 1.0) * np.log(ns) - gammaln(l + 1.0)
    finite = np.minimum(rs, 1e200)  # beyond, a single term is left and its ratios would overflow
    rest = np.empty(ns.shape)
    for part in _parts(exact_sum_cost(ns, rs)):
        sums_around_peak(ns[part], finite[part], l[part], rest[part])
    result: Floats = log_peak + rest
    return result


def exact_sum_cost(n: Floats | float, r: Floats) -> Floats:
    """Return what the exact sum costs, in terms: some twenty standard deviations."""
    m = _peak(n, r)
    terms = np.minimum(n, 20.0 + 20.0 * np.sqrt(n * (n - m) / (2.0 * n - m)))
    cost: Floats = SETUP_COST + terms
    return cost


def _peak(n: Floats | float, r: Floats) -> Floats:
    m: Floats = 2.0 * n / (1.0 + np.sqrt(1.0 + 4.0 * n / r))
    return m


def _parts(costs: Floats) -> Iterator[slice]:
    """Cut a list of tasks into slices that cost about ``COST_PER_CALL`` each."""
    edges = np.flatnonzero(np.diff(np.cumsum(costs) // COST_PER_CALL)) + 1
    ends = [0, *edges.tolist(), costs.size]
    return (slice(a, b) for a, b in pairwise(ends) if a < b)
