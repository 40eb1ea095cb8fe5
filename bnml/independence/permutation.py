"""Monte-Carlo tests: random tables with the margins of the one that was seen.

Where X and Y are independent in every stratum, all ways to pair their values within the strata are equally probable. A
random pairing gives a table whose margins are those of the data; it is drawn without shuffling any rows, cell by cell,
each from the hypergeometric distribution of what its row and its column still have to give. So a thousand tables cost
the same for a hundred rows and for a million.
"""

from __future__ import annotations

from collections.abc import Sequence
from zlib import crc32

import numpy as np

from bnml._arrays import Floats, Ints
from bnml.counts import Counts, counts_of
from bnml.counts.observed import ObservedCounts
from bnml.data import Data
from bnml.errors import ArgumentError, argument
from bnml.independence.tests import Permutation

ALMOST = 1e-9  # a statistic that is this near counts as equal


def permutation_p_value(
    data: Data | Counts | ObservedCounts, x: int, y: int, given: Sequence[int], test: Permutation
) -> tuple[float, float]:
    """Return the statistic and its p-value, (1 + tables at least as far from independence) / (1 + tables).

    Raises
    ------
    ArgumentError
        If there are more than a billion rows.

    Examples
    --------
    >>> import bnml, numpy
    >>> from bnml.independence import Permutation
    >>> from bnml.independence.permutation import permutation_p_value
    >>> data = bnml.read(numpy.array([[0, 0]] * 4 + [[1, 1]] * 4))
    >>> statistic, p = permutation_p_value(data, 0, 1, (), Permutation(permutations=9999))
    >>> round(statistic, 3), round(p, 2)                   # Fisher's exact test: 2 / 70
    (11.09, 0.03)
    """
    counts = data if isinstance(data, ObservedCounts) else counts_of(data)
    if counts.n_rows >= 1_000_000_000:  # what NumPy's hypergeometric distribution takes
        raise ArgumentError(
            "a permutation test takes fewer than a billion rows",
            hint="take " + argument("test", "g2") + ", exact for so many",
        )
    x, y = sorted((x, y), key=counts.names.__getitem__)  # the same draws whatever the order of columns
    given = sorted(given, key=counts.names.__getitem__)
    tables = counts.table([*given, x, y]).reshape(-1, counts.arities[x], counts.arities[y])
    tables = tables[tables.any(axis=(1, 2))]
    tables = tables[:, tables.any(axis=(0, 2))][:, :, tables.any(axis=(0, 1))]
    seen = float(_statistics(tables[None], test.statistic)[0])
    words = "\n".join(counts.names[v] for v in (x, y, *given))
    rng = np.random.default_rng([int(test.seed), crc32(words.encode())])
    at_once = max(1, min(test.permutations, 4_000_000 // tables.size))
    larger = 0
    for start in range(0, test.permutations, at_once):
        drawn = _random_tables(tables, min(at_once, test.permutations - start), rng)
        larger += int((_statistics(drawn, test.statistic) >= seen * (1 - ALMOST) - ALMOST).sum())
    return seen, (1 + larger) / (1 + test.permutations)


def _random_tables(tables: Ints, n: int, rng: np.random.Generator) -> Ints:
    """Return n random copies of a stack of tables, with the margins of each table kept."""
    strata, r, c = tables.shape
    drawn = np.zeros((n, strata, r, c), np.int64)
    left = np.broadcast_to(tables.sum(axis=1), (n, strata, c)).copy()  # what each column still has to give
    for i in range(r - 1):
        need = np.broadcast_to(tables.sum(axis=2)[:, i], (n, strata)).copy()
        later = left.sum(axis=2)
        for j in range(c - 1):
            later -= left[:, :, j]
            drawn[:, :, i, j] = rng.hypergeometric(left[:, :, j], later, need)
            need -= drawn[:, :, i, j]
        drawn[:, :, i, c - 1] = need
        left -= drawn[:, :, i]
    drawn[:, :, r - 1] = left
    return drawn


def _statistics(tables: Ints, statistic: str) -> Floats:
    """Return G² or X² of each stack of tables."""
    n = tables.astype(np.float64)
    total = n.sum(axis=(2, 3), keepdims=True)
    expected = n.sum(axis=2, keepdims=True) * n.sum(axis=3, keepdims=True) / total
    if statistic == "x2":
        terms = np.divide((n - expected) ** 2, expected, out=np.zeros_like(n), where=expected > 0)
    else:
        ratio = np.divide(n, expected, out=np.ones_like(n), where=n > 0)
        terms = 2.0 * n * np.log(ratio)
    return np.asarray(terms.sum(axis=(1, 2, 3)))
