"""Sparse tables: where the χ² distribution does not hold, and what takes its place.

The distribution of G² and X² approaches χ² as counts grow. On a table that has more cells than rows it is nowhere near:
with 1,200 rows of a column of 800 labels and of an independent coin, χ² finds p = 7 · 10^-10, with a die p = 0.999999,
and neither says anything. The rule is that of searches by score: a test has on average at least five rows per cell, the
cells being all configurations of the variables that it is about, each with the states that occur.

Else a p-value comes from random tables with the same margins (`sparse_p_value`). In each stratum the values of Y are
dealt out anew to the rows: where X and Y are independent given the strata, all ways to do so are equally probable. It
stops once enough random tables are as far from independence as the one that was seen (Besag and Clifford 1991): a
p-value near one half takes a hundred tables, only small ones take them all. The same table gives the same p-value.
Where no random table comes near, the p-value is the smallest that so many tables can show, and the pair counts as
dependent at every level (`smallest_sparse_p_value`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING
from zlib import crc32

import numpy as np
import numpy.typing as npt

from bnml._arrays import Floats, Ints
from bnml._machine import run_all, short_ranges
from bnml.counts import Counts
from bnml.counts.observed import ObservedCounts
from bnml.graph.rules import ROWS_PER_CELL

if TYPE_CHECKING:
    from bnml.independence._kernels import Dealt

DRAWS = 1999  # random tables at most, and at least: fewer where there are very many rows
LEAST_DRAWS = 199
ENOUGH = 50  # random tables as far from independence, after which no more are drawn
MOST_SHUFFLED = 50_000_000  # rows in all
AT_ONCE = 2_000_000  # shuffled rows
PAIRS_AT_ONCE = 64


def is_sparse(states: npt.ArrayLike, n_rows: int, least: float = ROWS_PER_CELL) -> bool:
    """Tell whether a table of variables with so many states has fewer rows per cell than that.

    Examples
    --------
    >>> is_sparse([2, 3], 30), is_sparse([2, 3, 2], 30)
    (False, True)
    """
    return bool(np.prod(np.asarray(states, np.float64)) * least > n_rows)


def smallest_sparse_p_value(n_rows: int) -> float:
    """Return the p-value of a table that none of the random ones is as far from independence as.

    Examples
    --------
    >>> smallest_sparse_p_value(1200), smallest_sparse_p_value(1_000_000)
    (0.0005, 0.005)
    """
    return 1.0 / (1.0 + _draws(n_rows))


def _draws(n_rows: int) -> int:
    return max(LEAST_DRAWS, min(DRAWS, MOST_SHUFFLED // max(n_rows, 1)))


def sparse_p_value(
    counts: Counts | ObservedCounts, x: int, y: int, given: Sequence[int] = (), *, pearson: bool = False
) -> float:
    """Return the p-value of G² or X² from random tables with the same margins in each stratum.

    Parameters
    ----------
    counts
        The table.
    x, y, given
        Columns; the strata are the configurations of those that are given.
    pearson
        X², not G².

    Returns
    -------
    float
        The share of random tables that are at least as far from independence: (1 + that many) / (1 + drawn), or the
        share of those drawn until there were enough of them.

    Examples
    --------
    >>> import bnml, numpy
    >>> from bnml.counts import counts_of
    >>> counts = counts_of(bnml.read(numpy.array([[0, 0]] * 4 + [[1, 1]] * 4)))
    >>> round(sparse_p_value(counts, 0, 1), 2)                   # Fisher's exact test: 2 / 70
    0.03
    """
    return _p_value(*_prepared(counts, x, y, given), pearson)


def sparse_p_values(counts: Counts | ObservedCounts, pairs: Ints, *, pearson: bool = False, threads: int = 1) -> Floats:
    """Return the p-value of each of many pairs of columns; they do not depend on the number of threads."""
    found = np.ones(len(pairs))
    for start, stop in short_ranges(len(pairs), PAIRS_AT_ONCE):
        ready = [_prepared(counts, x, y, ()) for x, y in pairs[start:stop].tolist()]

        def draw(first: int, last: int, start: int = start, ready: list[tuple[Dealt, int]] = ready) -> None:
            for k in range(first, last):
                found[start + k] = _p_value(*ready[k], pearson)

        run_all(draw, [(k, k + 1) for k in range(len(ready))], threads)
    return found


def _prepared(counts: Counts | ObservedCounts, x: int, y: int, given: Sequence[int]) -> tuple[Dealt, int]:
    """Return the rows of a table, and a seed that belongs to its names: the same whatever the order of columns."""
    x, y = sorted((x, y), key=counts.names.__getitem__)
    given = sorted(given, key=counts.names.__getitem__)
    return _rows(counts, x, y, given), crc32("\n".join(counts.names[v] for v in (x, y, *given)).encode())


def _p_value(rows: Dealt, seed: int, pearson: bool) -> float:
    from bnml.independence._kernels import shuffled_sums

    n = int(rows.ys.size)
    terms = np.zeros(0)
    if not pearson:
        terms = np.arange(np.diff(rows.groups).max() + 1, dtype=np.float64)
        terms[1:] *= np.log(terms[1:])
    order, seen = np.arange(n), np.zeros(int(rows.ys.max()) + 1, np.int64)

    def sums(uniform: Floats) -> Floats:
        found = np.zeros(len(uniform))
        shuffled_sums(uniform, rows, order, seen, terms, found)
        return found

    own = float(sums(np.full((1, n), 1.0 - 2.0**-53))[0])  # each row keeps its own value
    rng = np.random.default_rng([0, seed])
    draws = _draws(n)
    larger, done = 0, 0
    while done < draws:
        size = max(1, min(done or 2 * ENOUGH, draws - done, AT_ONCE // n))
        # a sum that is this near counts as equal
        far = np.cumsum(sums(rng.random((size, n))) >= own - 1e-10 * abs(own)) + larger
        if far[-1] >= ENOUGH:
            return float(ENOUGH / (done + 1 + np.searchsorted(far, ENOUGH)))
        larger, done = int(far[-1]), done + size
    return (1 + larger) / (1 + draws)


def _rows(counts: Counts | ObservedCounts, x: int, y: int, given: Sequence[int]) -> Dealt:
    """Return all rows of a table, sorted by stratum, x and y."""
    from bnml.independence._kernels import Dealt

    cells = counts.cells(sorted((*given, x, y)))
    keys = [cells.of(v) for v in (y, x, *reversed(given))]
    rank = np.lexsort(keys)
    many, ys = cells.counts[rank].astype(np.int64), keys[0][rank].astype(np.int64)
    known = np.stack([key[rank] for key in keys[1:]])  # x, and what is given
    new = np.ones((2, rank.size), np.bool_)  # where a stratum begins, and a group
    for begins, keys_of in zip(new, (known[1:], known), strict=True):
        begins[1:] = (keys_of[:, 1:] != keys_of[:, :-1]).any(axis=0)
    before = np.cumsum(many) - many
    strata, groups = (np.append(before[begins], many.sum()) for begins in new)
    stratum = np.cumsum(new[0]) - 1
    _, column = np.unique(stratum * (int(ys.max()) + 1) + ys, return_inverse=True)
    return Dealt(
        strata,
        groups,
        np.repeat(ys, many),
        np.diff(strata)[stratum[new[1]]] / np.diff(groups),
        np.repeat(1.0 / np.bincount(column, weights=many)[column], many),
    )
