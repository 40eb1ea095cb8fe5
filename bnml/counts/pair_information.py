"""The mutual information of every pair of columns: what trees are made of.

    N · I(A; B | C)  =  J(A, B, C) - J(A, C) - J(B, C) + J(C),      J(S) = Σ n log n over the cells of S

The terms n log n are rounded to multiples of a unit that is some 10^-15 of N log N, the largest sum there can be. So
every sum is exact, in whatever order the cells are added, and the answer depends neither on the order of columns nor
on threads.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from bnml._arrays import Floats
from bnml._machine import cores, run_all
from bnml._watch import Tell
from bnml.counts.batches import Lookups, batch_of, counts_before_tail, fit_tails, scaled_tails, tail_counts
from bnml.counts.counts import Counts, counts_of
from bnml.counts.in_memory import WORTH_A_THREAD
from bnml.data import Data

AT_ONCE = 32  # columns between two reports of progress


def pair_information(
    data: Data | Counts,
    variables: Sequence[int],
    given: Sequence[int] = (),
    threads: int | None = None,
    done: Tell = lambda share: None,
) -> Floats:
    """Return N · I(A; B | given) in nats for every pair of some columns.

    Parameters
    ----------
    data
        The table, or its counts.
    variables
        The columns, by number.
    given
        Columns that are known; none of ``variables``.
    threads
        How many threads may count; all cores by default.
    done
        Told now and then which share of the work is done.

    Returns
    -------
    array
        A symmetric matrix in the order of ``variables``, with zeros in the diagonal: half the G² of each pair, and what
        the log-likelihood gains by an arc between the two.

    Examples
    --------
    >>> import bnml, numpy
    >>> from bnml.counts.pair_information import pair_information
    >>> data = bnml.read(numpy.array([[0, 0, 0], [1, 1, 0], [1, 1, 1], [0, 1, 1]]))
    >>> (pair_information(data, [0, 1, 2]) / data.n_rows).round(4)
    array([[0.    , 0.2158, 0.    ],
           [0.2158, 0.    , 0.2158],
           [0.    , 0.2158, 0.    ]])
    """
    n, counts = len(variables), counts_of(data)
    unit = _unit(counts.n_rows)
    single = _sums(counts, [(v, *given) for v in variables], unit)
    base = _sums(counts, [given], unit)
    joint = _pair_sums(counts, variables, given, unit, threads, done)
    gains = np.triu(joint - single[:, None] - single[None, :] + base, 1)
    return np.asarray(np.maximum(gains + gains.T, 0.0) * unit if n else np.zeros((0, 0)))


def _unit(n_rows: int) -> float:
    """Return a power of two of which no sum is more than 2^51 times as large."""
    # a sum takes 51 bits, as floats hold 53
    return 2.0 ** (math.frexp(n_rows * math.log(n_rows))[1] - 51) if n_rows > 1 else 1.0


def _pair_sums(
    counts: Counts,
    variables: Sequence[int],
    given: Sequence[int],
    unit: float,
    threads: int | None,
    done: Tell,
) -> Floats:
    """Return J(A, B, given) of every pair, in units, above the diagonal."""
    n = len(variables)
    joint = np.zeros((n, n))
    lookups = _lookups(counts.n_rows, unit)

    def task(first: int, last: int) -> None:
        for i in range(first, last):
            others = np.array(variables[i + 1 :], np.int64)
            joint[i, i + 1 :] = counts.addition_sums(variables[i], given, others, lookups, 1)[:, 0]

    workers = cores(threads) if n * n * counts.n_distinct > 2 * WORTH_A_THREAD else 1
    for start in range(0, n - 1, AT_ONCE):
        stop = min(start + AT_ONCE, n - 1)
        run_all(task, [(i, i + 1) for i in range(start, stop)], workers)
        left = n - 1 - stop
        done(1.0 - left * (left + 1) / (n * (n - 1)))
    return joint


def _lookups(n_rows: int, unit: float) -> Lookups:
    """Return n log n of each count in units, as whole numbers."""
    from scipy.special import xlogy

    counts, large = counts_before_tail(n_rows), tail_counts(n_rows)
    tails = fit_tails(large, [np.asarray(xlogy(large, large), np.float64)])
    assert tails is not None  # it is smooth
    return Lookups(np.rint(xlogy(counts, counts) / unit)[None, :], {}, tails=scaled_tails(tails, unit))


def _sums(counts: Counts, sets: Sequence[Sequence[int]], unit: float) -> Floats:
    """Return J of each set of columns, in units."""
    return counts.family_sums(batch_of([-1] * len(sets), sets), _lookups(counts.n_rows, unit))[:, 0]
