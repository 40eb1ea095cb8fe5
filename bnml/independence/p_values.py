"""P-values as logarithms: the tail of the χ² distribution, right where a float is too small, and adjusted ones.

A million rows give statistics in the hundred thousands. Their p-values, such as 10^-50000, all round to zero; their
logarithms still tell a strong dependence from a very strong one.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from bnml.counts import log_survival
from bnml.errors import ArgumentError


def log_p_values(statistics: Any, degrees_of_freedom: Any) -> npt.NDArray[np.float64]:
    """Return the logarithms of p-values, log P(χ² ≥ statistic), for statistics and their degrees of freedom.

    Parameters
    ----------
    statistics, degrees_of_freedom
        Numbers from 0, or arrays of them. With no degrees of freedom the p-value is 1.

    Returns
    -------
    array
        Natural logarithms of p-values.

    Raises
    ------
    ArgumentError
        If a number is negative or not a number.

    Examples
    --------
    >>> from bnml.independence.p_values import log_p_values
    >>> log_p_values([3.841458820694124, 2000.0], [1, 1]).round(4)
    array([  -2.9957, -1004.0267])
    """
    x, f = np.broadcast_arrays(np.asarray(statistics, np.float64), np.asarray(degrees_of_freedom, np.float64))
    if not ((x >= 0).all() and (f >= 0).all() and np.isfinite(f).all()):
        raise ArgumentError("log_p_values: statistics and degrees of freedom must be numbers from 0")
    flat = [log_survival(float(a), float(b)) for a, b in zip(x.ravel(), f.ravel(), strict=True)]
    return np.array(flat).reshape(x.shape)


def log_adjusted_p_values(log_p: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return Benjamini and Hochberg's adjusted p-values, in logarithms: min over q ≥ p of q · m / (rank of q).

    What was not tested, and is not a number, does not count among the m and stays.
    """
    m = int(np.isfinite(log_p).sum()) + int(np.isneginf(log_p).sum())
    order = np.argsort(log_p, kind="stable")[:m]
    scaled = log_p[order] + np.log(m / np.arange(1, m + 1)) if m else log_p[order]
    adjusted = np.full(log_p.size, np.nan)
    adjusted[order] = np.minimum(np.minimum.accumulate(scaled[::-1])[::-1], 0.0)
    return adjusted
