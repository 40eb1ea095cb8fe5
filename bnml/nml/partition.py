"""Cuts that tell most about other variables: as many as the rows pay for, wherever they pay most.

Cut the ordered values of a column into K bins and describe another variable, with r values, within each bin by its own
normalised maximum likelihood. A bin with h rows, n_k of them with the value k, takes

    Σ_k n_k log(h / n_k) + log C(h, r)

nats, and log binomial(E, K - 1) more say which of E candidates the K - 1 cuts are. Without that term cuts are added for
ever: among many places there is always one where a cut seems to help. The sum is a code length, and the shortest one
decides on the number of bins and on their places alike. It is what Fayyad and Irani (1993) do with entropies for a
class, without their greedy halving; for several variables the code lengths are added up.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bnml._arrays import Floats
from bnml.errors import ArgumentError, argument
from bnml.nml.approximations import szpankowski_weinberger
from bnml.nml.intervals import TIE, best_intervals, edge_prices
from bnml.nml.tables import regret_table

Integers = NDArray[np.int64]

LONGEST_TABLE = 1 << 18  # rows up to which regrets are exact; beyond, they are off by at most 0.1


@dataclass(frozen=True)
class Partition:
    """The bins with the shortest code for other variables.

    Attributes
    ----------
    last : tuple of int
        The last value of each bin but the highest one, as a position: bins are right-closed.
    code_lengths : tuple of float
        ``code_lengths[K - 1]`` is the shortest code length with K bins, in nats, as far as K was tried.
    """

    last: tuple[int, ...]
    code_lengths: tuple[float, ...] = field(repr=False)

    @property
    def gain(self) -> float:
        """What these bins save, in nats, in comparison with a single one."""
        return self.code_lengths[0] - self.code_lengths[len(self.last)]


def nml_partition(tables: Sequence[ArrayLike], *, least: int = 1, most: int | None = None) -> Partition:
    """Return the bins of ordered values that describe other variables best.

    Parameters
    ----------
    tables
        For each other variable a table of counts: a row per value, in order, and a column per value of the variable.
        Rows may add up to different sums: a variable that is described given others as well has a table for each of
        their configurations.
    least
        The fewest bins.
    most
        The most bins; as many as there are values without.

    Returns
    -------
    Partition
        Among equals, up to rounding, the one with the fewest bins, and then with the leftmost cuts.

    Raises
    ------
    ArgumentError
        If the tables are not of the same, positive number of rows.

    Notes
    -----
    The code length is Σ over bins and tables of Σ_k n_k log(h / n_k) + log C(h, r), plus log binomial(E, K - 1): see
    the top of `bnml.nml.partition`. A candidate cut lies between each two neighbouring values.

    Examples
    --------
    >>> from bnml.nml import nml_partition
    >>> ill = [[9, 1], [18, 2], [11, 0], [2, 9], [1, 20], [0, 8]]  # at six ages: healthy, ill
    >>> nml_partition([ill]).last  # a single cut, after the third age
    (2,)
    """
    counts = [np.asarray(table, np.float64) for table in tables]
    size = len(counts[0]) if counts and counts[0].ndim == 2 else 0
    if size == 0 or any(table.ndim != 2 or len(table) != size for table in counts):
        raise ArgumentError(argument("tables") + " must have two dimensions and the same, positive number of rows.")
    n = max(float(table.sum()) for table in counts)
    costs = _costs(counts)
    prices = edge_prices(size - 1, min(size, most or size) - 1)
    chosen, lengths = best_intervals(costs, prices, TIE * n * len(counts), least=least, lowest_fit=_lowest_fit(counts))
    return Partition(tuple(chosen.tolist()), tuple(lengths.tolist()))


def bins_code_length(tables: Sequence[ArrayLike], n_candidates: int) -> float:
    """Return the code length of other variables with given bins, in nats: what `nml_partition` makes short.

    Parameters
    ----------
    tables
        As for `nml_partition`, with a row for each bin.
    n_candidates
        How many places the cuts were chosen from.

    Examples
    --------
    >>> ill = [[9, 1], [18, 2], [11, 0], [2, 9], [1, 20], [0, 8]]
    >>> halves = [[38, 3], [3, 37]]
    >>> from bnml.nml import nml_partition
    >>> round(bins_code_length([halves], 5) - nml_partition([ill]).code_lengths[1], 9)
    0.0
    """
    total = 0.0
    for table in tables:
        counts = np.asarray(table, np.float64)
        h = counts.sum(axis=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            total += float(np.nansum(h * np.log(h)) - np.nansum(counts * np.log(counts)))
        total += float(_regrets(h, counts.shape[1]).sum())
    cuts = len(np.asarray(tables[0])) - 1
    return total + float(edge_prices(max(n_candidates, cuts), cuts)[-1])


def _costs(counts: Sequence[Floats]) -> Floats:
    """Return what each bin costs, from the edge before a value to one behind it: fit and regrets."""
    from bnml.nml._kernels import label_costs

    size = len(counts[0]) + 1
    costs = np.full((size, size), np.inf)
    first, last = np.triu_indices(size, 1)
    total = np.zeros(first.size)
    for table in counts:
        below = np.zeros((size, table.shape[1]))
        np.cumsum(table, axis=0, out=below[1:])
        part = np.empty((size, size))
        label_costs(below, part)
        rows = below.sum(axis=1)
        total += part[first, last] + _regrets(rows[last] - rows[first], table.shape[1])
    costs[first, last] = total
    return costs


def _regrets(rows: Floats, r: int) -> Floats:
    """Return log C(n, r) for many n."""
    most = int(rows.max(initial=0.0))
    table = regret_table(min(most, LONGEST_TABLE), r)
    found: Floats = table[np.minimum(rows, LONGEST_TABLE).astype(np.int64)]
    if most > LONGEST_TABLE and r > 1:
        long = rows > LONGEST_TABLE
        found[long] = szpankowski_weinberger(rows[long], float(r))
    return found


def _lowest_fit(counts: Sequence[Floats]) -> float:
    """Return what no bins cost less than: a bin for each value, and the regret of all rows in one bin."""
    total = 0.0
    for table in counts:
        h = table.sum(axis=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            total += np.nansum(h * np.log(h)) - np.nansum(table * np.log(table))
        total += float(_regrets(h.sum(keepdims=True), table.shape[1])[0])
    return total
