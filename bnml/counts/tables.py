"""Contingency tables of a set of columns: dense, or only the configurations that occur."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bnml.counts.sums import arities_of, as_float, check_columns
from bnml.data import Data
from bnml.errors import ArgumentError

__all__ = ["FamilyCounts", "Occupied", "contingency", "family_counts", "occupied"]

MOST_CELLS = 100_000_000

Counts = npt.NDArray[np.int64]


def contingency(data: Data, variables: Sequence[int]) -> Counts:
    """Return the counts of every configuration: an array with one axis per variable.

    Examples
    --------
    >>> import bnml, numpy
    >>> from bnml.counts import contingency
    >>> contingency(bnml.read(numpy.array([[0, 0], [0, 1], [1, 1], [1, 1]])), [0, 1])
    array([[1, 1],
           [0, 2]])
    """
    from bnml.counts._kernels import MAX_DENSE, count_dense

    check_columns(data, variables)
    shape = [data.arities[v] for v in variables]
    cells = math.prod(shape)
    if cells > MOST_CELLS:
        raise ArgumentError(
            f"a table of {len(shape)} columns has {cells:.3g} cells: too many to list; take fewer columns, or only the "
            "configurations that occur"
        )
    table = np.zeros(cells, np.int64)
    if cells <= MAX_DENSE:
        count_dense(data.columns, data.weights, arities_of(data), np.array(variables, np.int64), table)
    else:
        index = np.zeros(data.n_distinct, np.int64)
        for v, r in zip(variables, shape, strict=True):
            index = index * r + data.columns[v]
        np.add.at(table, index, data.weights)
    return table.reshape(shape)


@dataclass(frozen=True)
class Occupied:
    """The configurations of a set of columns that occur, in order of first occurrence.

    ``counts``: how often each occurs. ``rows``: for each a distinct row that has it. ``labels``: for each distinct row
    its configuration.
    """

    counts: Counts
    rows: Counts
    labels: Counts


def occupied(data: Data, variables: Sequence[int]) -> Occupied:
    """Return the configurations that occur, however many are possible."""
    from bnml.counts._kernels import partition

    check_columns(data, variables)
    labels = np.empty(data.n_distinct, np.int64)
    m = partition(data.columns, arities_of(data), np.array(variables, np.int64), labels)
    counts = np.zeros(m, np.int64)
    np.add.at(counts, labels, data.weights)
    rows = np.empty(m, np.int64)
    rows[labels[::-1]] = np.arange(data.n_distinct)[::-1]  # the first row of each is written last
    return Occupied(counts, rows, labels)


@dataclass(frozen=True)
class FamilyCounts:
    """The counts of a family, of what occurs only.

    ``n_ijk``: for each occupied cell its count; ``j``: its parent configuration; ``rows``: a distinct row in it.
    ``n_ij``: for each occupied parent configuration its count. ``r``, ``q``: how many are possible.
    """

    child: int
    parents: tuple[int, ...]
    r: int
    q: float
    n_ijk: Counts
    j: Counts
    n_ij: Counts
    rows: Counts


def family_counts(data: Data, child: int, parents: Sequence[int]) -> FamilyCounts:
    """Return the counts of a family."""
    above = occupied(data, sorted(parents))
    joint = occupied(data, sorted((*parents, child)))
    q = as_float(math.prod(data.arities[p] for p in parents))
    return FamilyCounts(
        child, tuple(parents), data.arities[child], q, joint.counts, above.labels[joint.rows], above.counts, joint.rows
    )
