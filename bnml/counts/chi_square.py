"""Statistics of independence: G² or Pearson's X² of two columns given others, and how unlikely it is by chance.

G² = 2 Σ n log(n / e), X² = Σ (n - e)² / e, over all cells of all strata, n being a count and e what independence leads
one to expect. A stratum, a configuration of the columns that are given, has (rows that are not empty - 1) · (columns
that are not empty - 1) degrees of freedom, and strata add up. `bnml.independence.tests` says more.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from bnml._arrays import Ints
from bnml.counts.counts import Cells, first_of_cells


class Questions(NamedTuple):
    """Questions: pair p is ``xs[p], ys[p]`` and has the sets ``sets[offsets[p]:offsets[p + 1]]``, all of one size."""

    xs: Ints
    ys: Ints
    offsets: Ints
    sets: Ints


class Verdict(NamedTuple):
    """Which statistic is wanted, and when it speaks for independence: log p > ``log_alpha``, or it is below ``least``.

    By default it never does.
    """

    pearson: bool = False
    log_alpha: float = 1.0  # no logarithm of a p-value is larger
    least: float = -1.0


def log_survival(statistic: float, freedom: float) -> float:
    """Return log P(χ² > statistic), right where the probability is too small for a float."""
    from bnml.counts._kernels import log_survival

    return float(log_survival(statistic, freedom))


def chi_square_statistic(
    cells: Cells, x: int, y: int, given: Sequence[int], *, pearson: bool = False
) -> tuple[float, float]:
    """Return the chi-square statistic of two columns, G² or X², and its degrees of freedom, for any number of cells.

    ``cells``: those of the two columns and of ``given``.
    """
    stratum, n_s = cells.belonging(sorted(given))
    with_x, n_x = cells.belonging(sorted((*given, x)))
    with_y, n_y = cells.belonging(sorted((*given, y)))
    n = cells.counts.astype(np.float64)
    expected = n_x[with_x] * (n_y[with_y] / n_s[stratum])
    states_of_x = np.bincount(stratum[first_of_cells(with_x, n_x.size)])
    states_of_y = np.bincount(stratum[first_of_cells(with_y, n_y.size)])
    freedom = (states_of_x - 1) @ (states_of_y - 1)
    # what is expected in empty cells adds itself to X²
    terms = n * (n / expected) if pearson else 2.0 * n * np.log(n / expected)
    statistic = float(terms.sum()) - (int(cells.counts.sum()) if pearson else 0)
    return (max(statistic, 0.0) if freedom else 0.0), float(freedom)
