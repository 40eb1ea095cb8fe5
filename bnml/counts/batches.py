"""What is asked of counts: batches of families, and what each cell of their tables adds to a sum."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import chain

import numpy as np

from bnml._arrays import Floats, Ints
from bnml._plain import plain_float
from bnml.counts.tails import no_tails
from bnml.data.labels import EXACT
from bnml.errors import ArgumentError


@dataclass(frozen=True)
class Lookups:
    """What each cell of a table adds to a score.

    ``table[0][n]`` for a cell of the joint table; ``table[row_of[r]][n]`` for a cell of the parents' table of a child
    with r states. Counts for which there is no entry have one in the ``tails`` (`bnml.counts.tails`). Where ``ess`` is
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
