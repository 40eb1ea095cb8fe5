"""The door to single regrets: arguments are checked here, once."""

from __future__ import annotations

import math
from typing import Any, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike

from bnml._arrays import Floats
from bnml._checks import is_number, is_whole
from bnml._text import did_you_mean, quoted
from bnml.errors import ArgumentError, argument
from bnml.nml.approximations import CLOSED_FORMS
from bnml.nml.exact import exact_regrets

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
    values = exact_regrets(n, distinct) if method == "exact" else CLOSED_FORMS[method](n, distinct)
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
