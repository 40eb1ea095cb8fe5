"""Counts: the one thing that scores, searches and tests ask of a table.

No one but `bnml.data` and this room knows rows. Everyone else asks a `Counts` for the cells of a set of columns, for
sums of lookups over the cells of many sets, or for statistics of independence, and sees no row numbers. Tables in
memory answer by the kernels of this room (`bnml.counts.in_memory`); an engine that holds the table answers by queries
(`bnml.counts.in_engine`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import numpy as np

from bnml._arrays import Bools, Floats, Ints, Numbers
from bnml._watch import Tell
from bnml.counts.in_memory import KEPT, InMemory
from bnml.data import Data
from bnml.data.gaps import refuse_gaps
from bnml.data.pushed_data import PushedData
from bnml.errors import function

if TYPE_CHECKING:
    from bnml.counts._lattice_kernels import Bounds, Sums
    from bnml.counts.batches import FamilyBatch, Lookups
    from bnml.counts.cells import Cells
    from bnml.counts.chi_square import Questions, Verdict
    from bnml.counts.lattice import WalkOrder
    from bnml.counts.observed import ObservedCounts
    from bnml.counts.parent_sets import ParentSets, StartOfSets

MOST_LISTED = 4096  # states of a column that are counted densely


@runtime_checkable
class Counts(Protocol):
    """What is counted in a table; columns by number."""

    @property
    def names(self) -> tuple[str, ...]:
        """The columns."""

    @property
    def states(self) -> tuple[tuple[Any, ...], ...]:
        """The labels of each column, in order."""

    @property
    def arities(self) -> tuple[int, ...]:
        """Number of states of each column."""

    @property
    def n_rows(self) -> int:
        """Number of rows."""

    @property
    def n_distinct(self) -> int:
        """Number of distinct rows: what it costs to count a set, and the most cells that one can have."""

    @property
    def nbytes(self) -> int:
        """How many bytes one look at all columns reads."""

    @property
    def in_engine(self) -> bool:
        """Whether an engine counts: many sets at once are one scan for it, and rows cannot be had."""

    def for_child(self, child: int) -> Counts:
        """Return the counts that tell about a variable as a child: those of the rows in which it was not set.

        For a table in which nothing was set, these counts themselves.
        """

    def count_together(self, sets: Sequence[Sequence[int]]) -> None:
        """Count sets of columns that are asked for next: an engine does so in as few scans as it can."""

    def cells(self, variables: Sequence[int]) -> Cells:
        """Return the configurations that occur, however many are possible."""

    def table(self, variables: Sequence[int]) -> Ints:
        """Return the counts of every configuration: an array with one axis per variable."""

    def family_sums(
        self, batch: FamilyBatch, lookups: Lookups, threads: int | None = None, *, checked: bool = False
    ) -> Floats:
        """Return for each family the sum over its joint table and the sum over its parents' table (0 without a child).

        ``checked``: the batch is known to hold columns of the table only.
        """

    def addition_sums(
        self, child: int, parents: Sequence[int], candidates: Ints, lookups: Lookups, threads: int | None = None
    ) -> Floats:
        """Return `family_sums` of the child's family plus each candidate as a parent, counted together.

        These must be different columns of the table.
        """

    def configurations(self, batch: FamilyBatch) -> tuple[Floats, Floats]:
        """Return `bnml.counts.configurations` of a batch."""

    def statistics(self, questions: Questions, verdict: Verdict, threads: int | None = None) -> tuple[Floats, Ints]:
        """Test each pair given one set after the other, until the verdict is that it is independent.

        Returns for each test its statistic, degrees of freedom and log p-value; and for each pair how many tests were
        made.
        """

    @property
    def walks(self) -> bool:
        """Whether `subset_sums` can be had: not if there are too many rows for it."""

    def subset_sums(
        self, order: WalkOrder, sums: Sums, bounds: Bounds, wanted: Bools, out: Numbers, threads: int, done: Tell | None
    ) -> int:
        """Write the sums of all subsets that are wanted, by index (`bnml.counts.lattice`); return how many."""

    def parent_sets(
        self, child: int, candidates: Sequence[int], fixed: Sequence[int], start: StartOfSets, *, paired: bool
    ) -> ParentSets:
        """Return the parent sets of a child: the fixed parents with any of the candidates, a level at a time.

        ``paired``: pairs of rows may close sets by the fit of the child.
        """


def counts_of(data: Data | Counts) -> Counts:
    """Return the counts of a table; they are kept with it.

    Raises
    ------
    MissingError
        If the table has gaps: a gap is no state, and there are no counts of what is not there.

    Examples
    --------
    >>> import bnml, numpy
    >>> from bnml.counts import counts_of
    >>> counts = counts_of(bnml.read(numpy.array([[0, 0], [0, 1], [1, 1], [1, 1]])))
    >>> counts.table([1]), counts.cells([0, 1]).counts
    (array([1, 3]), array([1, 1, 2]))
    """
    if not isinstance(data, Data):
        return data
    known: Counts | None = data.memo.get(KEPT)
    if known is None:
        refuse_gaps(data, function("counts_of"))
        known = data.memo[KEPT] = _engine_counts(data) if isinstance(data, PushedData) else InMemory(data)
    return known


def _engine_counts(data: PushedData) -> Counts:
    from bnml.counts.in_engine import InEngine

    return InEngine(data)


def count_occurring_states(counts: Counts | ObservedCounts) -> Ints:
    """Return how many states of each column have counts: those that occur."""
    counts.count_together([[v] for v in range(len(counts.arities))])
    few = [r <= MOST_LISTED for r in counts.arities]
    return np.array(
        [np.count_nonzero(counts.table([v])) if few[v] else len(counts.cells([v])) for v in range(len(few))], np.int64
    )
