"""What is asked of counts: batches of families, and what each cell of their tables adds to a sum.

**Tails.** Lookup tables have an entry for each small count, and a polynomial for the large ones. What a cell with n
rows adds to a score is a smooth function t(n). A table with an entry for each n up to billions would be far larger
than the data, so beyond `DIRECT` entries a table goes on as a *tail*: for each octave, the counts from 2^k to 2^(k+1),

    t(n) = n · (f log n + P(y)),   y from -1 to 1 over the octave,

with f = 0 or 1, whichever leaves less to the polynomial P, a Chebyshev series. For n log n itself P is 0. It is as
exact as floats are; what is not smooth enough for that is refused.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import chain

import numpy as np
import numpy.typing as npt

from bnml._arrays import Floats, Ints
from bnml._checks import plain_float
from bnml.data.labels import EXACT
from bnml.errors import ArgumentError


@dataclass(frozen=True)
class Lookups:
    """What each cell of a table adds to a score.

    ``table[0][n]`` for a cell of the joint table; ``table[row_of[r]][n]`` for a cell of the parents' table of a child
    with r states. Counts for which there is no entry have one in the ``tails``. Where ``ess`` is
    positive, log Γ(a + n) - log Γ(a) instead, a = ess / (configurations of the set); where a row is several ``parts``,
    n is a number of these, and all is taken so many times.
    """

    table: Floats
    row_of: dict[int, int]
    ess: float = 0.0
    tails: Floats = field(default_factory=lambda: no_tails(1))
    parts: int = 1

    def __post_init__(self) -> None:
        if len(self.tails) != len(self.table):
            object.__setattr__(self, "tails", no_tails(len(self.table)))


@dataclass(frozen=True)
class FamilyBatch:
    """Sets of columns, each ascending, and in each the position of the child (-1: the set alone is meant)."""

    members: Ints
    offsets: Ints
    position: Ints

    def __len__(self) -> int:
        return self.position.size

    @property
    def sizes(self) -> Ints:
        """Number of columns of each set."""
        return self.offsets[1:] - self.offsets[:-1]


def batch_of(children: Sequence[int], parent_sets: Sequence[Sequence[int]]) -> FamilyBatch:
    """Return families as a batch; a child of -1 stands for a set alone."""
    n = len(parent_sets)
    sets = [sorted((*p, c)) if c >= 0 else sorted(p) for c, p in zip(children, parent_sets, strict=True)]
    if n == 1:  # the most common batch, without what only pays for many
        position = sets[0].index(children[0]) if children[0] >= 0 else -1
        return FamilyBatch(np.array(sets[0], np.int64), np.array([0, len(sets[0])]), np.array([position]))
    offsets = np.zeros(n + 1, np.int64)
    np.cumsum(np.fromiter(map(len, sets), np.int64, n), out=offsets[1:])
    members = np.fromiter(chain.from_iterable(sets), np.int64, int(offsets[-1]))
    positions = np.fromiter((s.index(c) if c >= 0 else -1 for c, s in zip(children, sets, strict=True)), np.int64, n)
    return FamilyBatch(members, offsets, positions)


def configurations(arities: Ints, batch: FamilyBatch) -> tuple[Floats, Floats]:
    """Return how many configurations the families of a batch have (first row), and their parents (second row).

    The numbers are right to the last digit, so they do not depend on the order of the columns, and infinite where they
    are larger than any float. Their logarithms, which come with them, are always finite.
    """
    from bnml.counts._kernels import count_configurations

    numbers = np.empty((2, len(batch)))
    count_configurations(arities, batch.members, batch.offsets, batch.position, numbers)
    logs = np.log(numbers)
    for i in np.flatnonzero(numbers[0] > EXACT).tolist():
        members = batch.members[batch.offsets[i] : batch.offsets[i + 1]].tolist()
        parents = [v for place, v in enumerate(members) if place != batch.position[i]]
        for row, variables in enumerate((members, parents)):
            number = math.prod(int(arities[v]) for v in variables)
            if number > EXACT:
                numbers[row, i], logs[row, i] = plain_float(number), math.log(number)
    return numbers, logs


def check_columns(n: int, variables: Iterable[int]) -> None:
    """Refuse a batch with numbers of columns that are not there.

    Raises
    ------
    ArgumentError
        If a number is not one of 0 … n - 1, n being the number of columns.
    """
    for v in variables:
        if not 0 <= v < n:
            raise ArgumentError(f"there is no column {v}; the columns are numbered from 0 to {n - 1}")


def check_batch(n: int, batch: FamilyBatch) -> None:
    """Refuse columns that are not there or stand twice in a set: a kernel would read past the end of an array."""
    members = batch.members
    if members.size == 0:
        return
    check_columns(n, (int(members.min()), int(members.max())))
    fresh = np.zeros(members.size + 1, bool)
    fresh[batch.offsets] = True
    again = np.flatnonzero(~fresh[1:-1] & (members[1:] == members[:-1]))
    if again.size:
        raise ArgumentError(f"column {int(members[again[0]])} stands twice in a family")


def check_additions(n: int, child: int, parents: Sequence[int], candidates: Ints) -> None:
    """Refuse columns that are not there, and a child, parents and candidates that are not different columns.

    Raises
    ------
    ArgumentError
        If one is not 0 … n - 1, n being the number of columns, or the child or a parent comes twice.
    """
    own, others = {child, *parents}, candidates.tolist()
    check_columns(n, own)
    if others:
        check_columns(n, (min(others), max(others)))
    if len(own) <= len(parents) or not own.isdisjoint(others):
        raise ArgumentError(f"child {child}, parents {list(parents)} and candidates must be different columns")


DIRECT = 1 << 18  # counts that have an entry of their own
NODES = 24  # of an octave: log on [1, 2] is a series of so many terms to the last digit
CHECKS = (-0.9, 0.1, 0.7)  # where a series is compared with the table

FACTOR, WHOLE, SERIES = 0, 1, 2  # of a tail: f, whether values are rounded to whole numbers, and where P begins


def counts_before_tail(n_rows: int) -> Ints:
    """Return the counts before the tail of a lookup table, which have entries of their own."""
    return np.arange(min(n_rows + 1, DIRECT))


def tail_counts(n_rows: int) -> Ints:
    """Return the counts, ascending, whose values tell the tails of tables of so many rows; none if there is no tail."""
    if n_rows < DIRECT:
        return np.zeros(0, np.int64)
    octaves = 0
    while DIRECT << octaves <= n_rows:
        octaves += 1
    starts = DIRECT * 2.0 ** np.arange(octaves)
    return np.rint(starts[:, None] * (3.0 + _places()) / 2.0).astype(np.int64).ravel()


def _places() -> Floats:
    """Return where values are wanted in an octave: Chebyshev's nodes, and some between them."""
    nodes = np.cos(np.pi * (np.arange(NODES) + 0.5) / NODES)
    return np.sort(np.concatenate([nodes, CHECKS]))


def no_tails(n_tables: int) -> Floats:
    """Return the tails of tables that need none."""
    return np.zeros((n_tables, 0, SERIES + NODES))


def fit_tails(counts: Ints, values: Sequence[Floats]) -> Floats | None:
    """Return the tails of tables from their values at `tail_counts`; None if a table is not smooth.

    Returns
    -------
    array
        For each table and octave f, 0, and the coefficients of P.
    """
    octaves = counts.reshape(-1, NODES + len(CHECKS)).astype(np.float64)
    tails = np.zeros((len(values), len(octaves), SERIES + NODES))
    checked = np.isin(np.arange(octaves.shape[1]), np.searchsorted(_places(), CHECKS))
    for tail, table in zip(tails, values, strict=True):
        for own, n, value in zip(tail, octaves, table.reshape(octaves.shape), strict=True):
            own_tail = _fitted(n, value / n, checked)
            if own_tail is None:
                return None
            own[:] = own_tail
    return tails


def _fitted(n: Floats, value: Floats, checked: npt.NDArray[np.bool_]) -> Floats | None:
    """Return the tail of one octave, from t(n) / n."""
    top = 2.0 ** math.ceil(math.log2(n[-1]))
    rest = value - np.log(n)
    factor = float(np.abs(rest).max() < np.abs(value).max())
    rest = rest if factor else value
    if np.abs(rest).max() <= 4 * np.finfo(float).eps * np.abs(value).max():
        rest = np.zeros(n.size)  # n log n, but for rounding
    powers = np.polynomial.chebyshev.chebvander((4.0 * n - 3.0 * top) / top, NODES - 1)
    series = np.linalg.solve(powers[~checked], rest[~checked])
    off = np.abs(powers[checked] @ series - rest[checked]).max()
    if not off <= 1e-13 * np.abs(value).max():  # relative to the largest value of the octave
        return None
    return np.concatenate([[factor, 0.0], series])


def scaled_tails(tails: Floats, unit: float) -> Floats:
    """Return the tails of lookup tables in units, whose values are rounded to whole numbers."""
    result = tails / unit
    result[..., WHOLE] = 1.0
    return result


def tail_entries(table: Floats, tail: Floats, counts: Ints) -> Floats:
    """Return what a table and its tail say of some counts."""
    result = np.empty(counts.size)
    for k, n in enumerate(counts.tolist()):
        if n < table.size:
            result[k] = table[n]
            continue
        octave = (n // table.size).bit_length() - 1
        own, top = tail[octave], float(table.size << (octave + 1))
        series = np.polynomial.chebyshev.chebval((4.0 * n - 3.0 * top) / top, own[SERIES:])
        value = n * (own[FACTOR] * math.log(n) + series)
        result[k] = np.rint(value) if own[WHOLE] else value
    return result
