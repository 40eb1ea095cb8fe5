"""Numbers beside published numbers: how far apart, and how far that is in standard errors."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import ndtr, stdtrit

from bnml._arrays import Floats

ALLOWED = 3.0  # standard errors


def compare_with_published(
    table: pd.DataFrame,
    ours: str = "ours",
    published: str = "published",
    errors: Sequence[str] = ("ours_error", "published_error"),
    rounding: float | Sequence[float] = 0.0,
) -> pd.DataFrame:
    """Return a comparison with published numbers: a table with differences, in standard errors, bands, and if small.

    The band is how large a difference may be to count as none: three standard errors of both numbers together, and the
    rounding.

    Parameters
    ----------
    table
        A row for each number.
    ours, published
        The columns with the numbers.
    errors
        The columns with the standard errors of both.
    rounding
        By how much the published numbers may be off because they were rounded; that much of a difference is no
        difference.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"ours": [1.0, 2.0], "published": [1.2, 3.0], "ours_error": 0.1, "published_error": 0.0})
    >>> compare_with_published(table)[["difference", "errors", "band", "within"]].round(3)
       difference  errors  band  within
    0        -0.2    -2.0   0.3    True
    1        -1.0   -10.0   0.3   False
    """
    difference = table[ours] - table[published]
    error = np.sqrt(sum(table[name] ** 2 for name in errors))
    beyond = np.sign(difference) * np.maximum(np.abs(difference) - np.asarray(rounding), 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        sizes = np.where(beyond == 0, 0.0, beyond / error)
    band = ALLOWED * error + np.asarray(rounding)
    return table.assign(difference=difference, errors=sizes, band=band, within=np.abs(sizes) <= ALLOWED)


def agreement(comparison: pd.DataFrame, what: str) -> str:
    """Return in a sentence how many numbers agree with the published ones."""
    n, within = len(comparison), int(comparison["within"].sum())
    return (
        f"{within} of {n} {what} ({within / n:.1%}) lie within {ALLOWED:g} standard errors of the published ones, both "
        f"errors taken together: {band_of(comparison)}."
    )


def band_of(comparison: pd.DataFrame, unit: str = "") -> str:
    """Return how wide the bands of a comparison are, in themselves and beside the published numbers.

    Examples
    --------
    >>> band_of(pd.DataFrame({"band": [0.3, 0.1, 0.5], "published": [3.0, 2.0, 2.5]}), "arcs")
    '± 0.3 arcs at the median (10.0 % of the number), ± 0.5 at most'
    """
    band, size = comparison["band"], comparison["published"].abs()
    share = (band / size.where(size > 0)).median()
    beside = "" if np.isnan(share) else f" ({100 * share:.1f} % of the number)"
    most = rounded(float(band.max()))
    return f"± {rounded(float(band.median()))}{unit and ' ' + unit} at the median{beside}, ± {most} at most"


def ratio_band(log_ratio: float, error: float, form: str) -> str:
    """Return the band of a ratio from its logarithm and the standard error of that, unless it says nothing.

    Examples
    --------
    >>> ratio_band(0.0, 0.1, ".2f"), ratio_band(0.0, 0.1, ".0%"), ratio_band(0.0, 9.0, ".2f")
    ('0.74 to 1.35', '74% to 135%', 'n/a')
    """
    half = ALLOWED * error
    if not half < math.log(1000):  # a ratio that may be off by more is not known at all
        return "n/a"
    return " to ".join(f"{math.exp(log_ratio + side * half):{form}}" for side in (-1, 1))


def rounded(number: float, digits: int = 2) -> str:
    """Return a number in so many digits, without an exponent where it is large; "n/a" if it is not finite.

    Examples
    --------
    >>> rounded(0.0123), rounded(31234.5), rounded(-0.04632, 3), rounded(float("nan"))
    ('0.012', '31,234', '-0.0463', 'n/a')
    """
    if not np.isfinite(number):
        return "n/a"
    return f"{number:,.0f}" if abs(number) >= 100 else f"{number:.{digits}g}"


def errors_off(size: float, sign: str = "-") -> str:
    """Return how many standard errors a number is off, which is unknown if its standard error is 0 or unknown.

    Examples
    --------
    >>> errors_off(3.14), errors_off(3.14, "+"), errors_off(float("inf"))
    ('3.1 standard errors', '+3.1 standard errors', 'an unknown number of standard errors')
    """
    return f"{size:{sign}.1f} standard errors" if np.isfinite(size) else "an unknown number of standard errors"


def disagreements(comparison: pd.DataFrame, keys: Sequence[str]) -> list[str]:
    """Return a line for each number of a comparison that does not agree, the farthest first."""
    far = comparison[~comparison["within"]]
    far = far.loc[far["errors"].abs().sort_values(ascending=False, kind="stable").index]
    return [
        f"  {' '.join(str(row[key]) for key in keys)}: {row['ours']:.4g}, published {row['published']:.4g}, "
        f"difference {row['difference']:+.3g} ({errors_off(row['errors'], '+')})"
        for _, row in far.iterrows()
    ]


def student_error(values: pd.Series[Any], least: float = 0.0) -> float:
    """Return the standard error of a mean, so much larger that `ALLOWED` of it are as rare as they are for many values.

    Parameters
    ----------
    values
        The numbers, two or more.
    least
        By how much numbers can differ at least, where they differ. A few may be equal without all being so; the
        variance is at least what it is if one in n + 2 differs by this much (Laplace's rule of succession).

    Examples
    --------
    >>> round(student_error(pd.Series([1.0, 2.0, 3.0])), 3), round(student_error(pd.Series([1.0, 2.0, 3.0] * 99)), 3)
    (3.696, 0.048)
    """
    n = len(values)
    variance = max(float(values.var(ddof=1)), least**2 / (n + 2))
    return float(student_factor(n)) * float(np.sqrt(variance / n))


def student_factor(n: Any) -> Floats:
    """Return by how much to widen a standard error that is estimated from n values.

    `ALLOWED` widened errors are exceeded as rarely as `ALLOWED` errors that are known exactly (Student's t).

    Examples
    --------
    >>> student_factor([2, 3, 5, 20, 1000]).round(3).tolist()
    [78.6, 6.402, 2.207, 1.149, 1.003]
    """
    return np.asarray(stdtrit(np.asarray(n) - 1, ndtr(ALLOWED)) / ALLOWED)


def way_between(
    first: pd.Series[float], second: pd.Series[float], published: pd.Series[float], errors: Any
) -> tuple[float, float]:
    """Return how far published numbers lie on the way from one set of numbers to another, and the standard error.

    What they differ by from the first is regressed through the origin on what the second differs by: 0 if they are the
    first, 1 if they are the second. ``errors`` are those of a difference of published numbers and ours; the first and
    the second must come from the same samples.

    Examples
    --------
    >>> one, two, told = pd.Series([1.0, 2.0]), pd.Series([1.5, 2.5]), pd.Series([1.5, 2.4])
    >>> way, error = way_between(one, two, told, pd.Series([0.1, 0.1]))
    >>> round(way, 2), round(error, 2)
    (0.9, 0.14)
    """
    step, gap, weight = second - first, published - first, 1 / errors**2
    total = float((weight * step**2)[step != 0].sum())
    if not total:  # nothing tells the two apart
        return 0.5, float("inf")
    return float((weight * step * gap)[step != 0].sum()) / total, total**-0.5
