"""Numbers beside published numbers: how far apart, and how far that is in standard errors."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

__all__ = ["ALLOWED", "agreement", "compare_with_published", "disagreements"]

ALLOWED = 3.0  # standard errors


def compare_with_published(
    table: pd.DataFrame,
    ours: str = "ours",
    published: str = "published",
    errors: Sequence[str] = ("ours_error", "published_error"),
    rounding: float | Sequence[float] = 0.0,
) -> pd.DataFrame:
    """Return a comparison with published numbers: a table with differences, in standard errors, and if they are small.

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
    >>> compare_with_published(table)[["difference", "errors", "within"]].round(3)
       difference  errors  within
    0        -0.2    -2.0    True
    1        -1.0   -10.0   False
    """
    difference = table[ours] - table[published]
    error = np.sqrt(sum(table[name] ** 2 for name in errors))
    beyond = np.sign(difference) * np.maximum(np.abs(difference) - np.asarray(rounding), 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        sizes = np.where(beyond == 0, 0.0, beyond / error)
    return table.assign(difference=difference, errors=sizes, within=np.abs(sizes) <= ALLOWED)


def agreement(comparison: pd.DataFrame, what: str) -> str:
    """Return in a sentence how many numbers agree with the published ones."""
    n, within = len(comparison), int(comparison["within"].sum())
    return f"{within} of {n} {what} ({within / n:.1%}) lie within {ALLOWED:g} standard errors of the published ones."


def disagreements(comparison: pd.DataFrame, keys: Sequence[str]) -> list[str]:
    """Return a line for each number of a comparison that does not agree, the farthest first."""
    far = comparison[~comparison["within"]]
    far = far.loc[far["errors"].abs().sort_values(ascending=False, kind="stable").index]
    return [
        f"  {' '.join(str(row[key]) for key in keys)}: {row['ours']:.4g}, published {row['published']:.4g}, "
        f"difference {row['difference']:+.3g} ({row['errors']:+.1f} standard errors)"
        for _, row in far.iterrows()
    ]
