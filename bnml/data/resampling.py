"""Tables of some of the rows of a table: drawn anew, divided in two or in folds, or the first in some order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from bnml._arrays import Ints
from bnml.data.data import Data
from bnml.data.rows import no_single_rows
from bnml.errors import DataError

MOST_DEALT = 10**8  # rows that can be dealt out one by one


def redrawn(data: Data, rng: np.random.Generator) -> Data:
    """Return a table with as many rows, drawn with replacement."""
    weights = rng.multinomial(data.n_rows, data.weights / data.n_rows)
    return _weighted(data, weights.astype(np.int64))


def halves(data: Data, rng: np.random.Generator) -> tuple[Data, Data]:
    """Return two tables with half of the rows each, drawn without replacement; if need be the first has one less."""
    size = data.n_rows // 2
    if data.n_rows < 10**9:  # of more rows no sample of exact size can be drawn
        taken = rng.multivariate_hypergeometric(data.weights, size, method="marginals")
    else:  # the law of large numbers sees to the sizes
        taken = rng.binomial(data.weights, 0.5)
    taken = taken.astype(np.int64)
    return _weighted(data, taken), _weighted(data, data.weights - taken)


def resampled_parts(data: Data, order: npt.NDArray[Any], size: int) -> tuple[Data, Data, Ints]:
    """Return the first rows of the source in an order, the others, and how often each row of these stands for one.

    The second table has one row for each of its distinct rows, so that what is asked of its rows is asked once for
    equal ones; the frequencies that come with it say how many rows each stands for.

    Raises
    ------
    DataError
        If the table holds frequencies only.
    """
    if data.row_index is None:
        raise no_single_rows()
    taken = np.bincount(data.row_index[order[:size]], minlength=data.n_distinct)
    training, rest = _weighted(data, taken, places=True), _weighted(data, data.weights - taken, places=True)
    return training, rest, rest.weights


def first_rows(data: Data, order: npt.NDArray[Any], sizes: Iterable[int]) -> Iterator[Data]:
    """Yield tables of the first rows in an order, which numbers rows as they stand in order of their codes."""
    index = np.repeat(np.arange(data.n_distinct), data.weights)
    for size in sizes:
        yield _weighted(data, np.bincount(index[order[:size]], minlength=data.n_distinct))


def stratified_folds(data: Data, name: str, k: int, rng: np.random.Generator) -> Iterator[tuple[Data, Data]]:
    """Yield tables of some rows: for each of k folds that of the others, and that of its own, distinct rows once.

    Every fold has as many rows of each state of a column as the others, up to one, and as many in all, up to one.
    Their rows do not depend on the order of the table's. In the second table each distinct row stands for as many as
    its weight says.

    Raises
    ------
    DataError
        If there are fewer rows than folds, or the rows are too many to be dealt out one by one.
    """
    if not k <= data.n_rows <= MOST_DEALT:
        raise DataError(f"{data.n_rows:,} rows cannot be dealt out to {k} folds; it takes {k} to {MOST_DEALT:,} rows")
    own = data.column_codes[data.index(name)]
    dealt = [
        rng.permutation(np.repeat(there, data.weights[there]))
        for there in (np.flatnonzero(own == code) for code in range(data.code_arities[data.index(name)]))
    ]
    rows = np.concatenate(dealt)
    for fold in range(k):
        taken = np.bincount(rows[fold::k], minlength=data.n_distinct)
        yield _weighted(data, data.weights - taken), _weighted(data, taken, places=True)


def expected_distinct(data: Data, size: int) -> float:
    """Return how many distinct rows are to be expected among so many, drawn with replacement, about."""
    return float((1 - (1 - size / data.n_rows) ** data.weights).sum())


def _weighted(data: Data, weights: Ints, *, places: bool = False) -> Data:
    """Return the table with other weights, without the rows that weigh nothing; with places each row left is one."""
    kept = np.flatnonzero(weights)
    codes = data.column_codes[:, kept].T
    row_index = np.arange(kept.size) if places else None
    targets = None if data.targets is None else data.targets.rows(kept)
    return Data(data.names, data.states, codes, weights[kept], row_index, data.cuts, data.reading, targets=targets)
