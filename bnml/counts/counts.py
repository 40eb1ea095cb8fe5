"""Counts: the one thing that scores, searches and tests ask of a table.

No one but `bnml.data` and this room knows rows. Everyone else asks a `Counts` for the cells of a set of columns, for
sums of lookups over the cells of many sets, or for statistics of independence, and sees no row numbers. Tables in
memory answer by the kernels of this room (`bnml.counts.in_memory`); an engine that holds the table answers by queries
(`bnml.counts.in_engine`).

`Cells` are the configurations of some columns that occur, and how often: contingency tables without their empty cells.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from bnml._arrays import Bools, Floats, Ints, Numbers
from bnml._checks import plain_float
from bnml._watch import Tell
from bnml.data import Data
from bnml.data.data import refuse_gaps
from bnml.data.pushed_data import PushedData
from bnml.errors import ArgumentError

if TYPE_CHECKING:
    from bnml.counts._lattice_kernels import Bounds, Sums
    from bnml.counts.batches import FamilyBatch, Lookups
    from bnml.counts.chi_square import Questions, Verdict
    from bnml.counts.lattice import WalkOrder
    from bnml.counts.observed import ObservedCounts
    from bnml.counts.parent_sets import ParentSets, StartOfSets

KEPT, VARYING = "counts", "number of varying columns"  # under which they are kept with a table
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
        refuse_gaps(data, "counts_of()")
        known = data.memo[KEPT] = _engine_of(data)
    return known


def _engine_of(data: Data) -> Counts:
    if isinstance(data, PushedData):
        from bnml.counts.in_engine import InEngine

        return InEngine(data)
    from bnml.counts.in_memory import InMemory

    return InMemory(data)


def count_occurring_states(counts: Counts | ObservedCounts) -> Ints:
    """Return how many states of each column have counts: those that occur."""
    counts.count_together([[v] for v in range(len(counts.arities))])
    few = [r <= MOST_LISTED for r in counts.arities]
    return np.array(
        [np.count_nonzero(counts.table([v])) if few[v] else len(counts.cells([v])) for v in range(len(few))], np.int64
    )


def counts_for_tests(data: Data) -> Counts | ObservedCounts:
    """Return what tests of independence count in a table; of one with gaps, the rows in which they are observed.

    Examples
    --------
    >>> import bnml, pandas
    >>> from bnml.counts.counts import counts_for_tests
    >>> frame = pandas.DataFrame({"sky": ["sun", "rain", None, "sun"], "air": ["hot", "cold", "hot", None]})
    >>> counts = counts_for_tests(bnml.read(frame, missing="em"))
    >>> counts.table([0]).tolist(), counts.table([0, 1]).tolist()
    ([1, 2], [[1, 0], [0, 1]])
    """
    if not data.has_gaps:
        return counts_of(data)
    from bnml.counts.observed import observed_counts

    return observed_counts(data)


def count_varying(data: Data) -> int:
    """Return how many columns have more than one value among the rows in which they are observed."""
    known: int | None = data.memo.get(VARYING)
    if known is None:
        known = data.memo[VARYING] = int((count_occurring_states(counts_for_tests(data)) > 1).sum())
    return known


MOST_CELLS = 100_000_000  # of a table that is listed

States = npt.NDArray[np.unsignedinteger[Any]]


@dataclass(frozen=True, eq=False)
class Cells:
    """The configurations of a set of columns that occur, in order of first occurrence.

    Attributes
    ----------
    variables
        The columns, by number.
    arities
        How many states each has.
    counts
        How often each cell occurs.
    look
        Looks up the states, which are not always wanted.
    """

    variables: tuple[int, ...]
    arities: tuple[int, ...]
    counts: Ints
    look: Callable[[], States] = field(repr=False)

    def __len__(self) -> int:
        return self.counts.size

    @cached_property
    def states(self) -> States:
        """One row per column: its state in each cell."""
        return self.look()

    def of(self, variable: int) -> States:
        """Return the state of one of the columns in each cell."""
        own: States = self.states[self.variables.index(variable)]
        return own

    def belonging(self, variables: Sequence[int]) -> tuple[Ints, Ints]:
        """Return for each cell the configuration of some of the columns it belongs to, and how often these occur."""
        from bnml.counts._kernels import partition_rows

        belongs = np.empty(len(self), np.int64)
        m = partition_rows(self.states, np.array(self.arities, np.int64), self._places(variables), belongs)
        counts = np.zeros(m, np.int64)
        np.add.at(counts, belongs, self.counts)
        return belongs, counts

    def margin(self, variables: Sequence[int]) -> tuple[Cells, Ints]:
        """Return the cells of some of the columns, and for each cell of all of them the one it belongs to.

        They are the cells that one would have got by counting these columns: in the same order, with the same counts.
        """
        belongs, counts = self.belonging(variables)
        places = self._places(variables)
        arities = tuple(self.arities[place] for place in places)

        def look() -> States:
            return _states_of_cells(self.states, places, first_of_cells(belongs, counts.size))

        return Cells(tuple(variables), arities, counts, look), belongs

    def _places(self, variables: Sequence[int]) -> Ints:
        return np.array([self.variables.index(v) for v in variables], np.int64)


def cells_of_rows(
    variables: Sequence[int], arities: Sequence[int], rows: States, weights: Ints, places: Sequence[int] | None = None
) -> Cells:
    """Return the cells of some columns, counted in rows of codes.

    Parameters
    ----------
    variables, arities
        The columns, by number, and how many states each of them has.
    rows, weights
        A row of codes for each column, and how often each of the rows of the table occurs.
    places
        Where the columns stand in ``rows``; by default in their order.
    """
    from bnml.counts._kernels import partition_rows

    chosen = np.arange(len(variables)) if places is None else np.array(places, np.int64)
    every = np.ones(len(rows), np.int64)
    every[chosen] = arities
    labels = np.empty(rows.shape[1], np.int64)
    m = partition_rows(rows, every, chosen, labels)
    counts = np.zeros(m, np.int64)
    np.add.at(counts, labels, weights)

    def look() -> States:
        return _states_of_cells(rows, chosen, first_of_cells(labels, m))

    return Cells(tuple(variables), tuple(arities), counts, look)


def shape_of_cells(variables: Sequence[int], arities: Sequence[int]) -> list[int]:
    """Return how many cells there are along each of some columns.

    Raises
    ------
    ArgumentError
        If it has too many cells to be listed.
    """
    shape = [arities[v] for v in variables]
    size = math.prod(shape)
    if size > MOST_CELLS:
        raise ArgumentError(
            f"a table of {len(shape)} columns has {size:.3g} cells: too many to list; take fewer columns, or only "
            "the configurations that occur"
        )
    return shape


def counts_of_cells(shape: Sequence[int], rows: Iterable[States], weights: Ints) -> Ints:
    """Return the counts of all cells, given a row of codes for each column."""
    index = np.zeros(weights.size, np.int64)
    for codes, r in zip(rows, shape, strict=True):
        index = index * r + codes
    counts = np.zeros(math.prod(shape), np.int64)
    np.add.at(counts, index, weights)
    return counts.reshape(shape)


def first_of_cells(labels: Ints, m: int) -> Ints:
    """Return where each of m cells stands for the first time among labels of rows."""
    first = np.empty(m, np.int64)
    first[labels[::-1]] = np.arange(labels.size)[::-1]  # of equal labels the one that is written last stays
    return first


def _states_of_cells(states: States, rows: Ints, columns: Ints) -> States:
    """Return the states of some cells and columns, in the layout that the kernels know."""
    chosen: States = states[rows[:, None], columns]
    chosen.setflags(write=False)
    return chosen


@dataclass(frozen=True, eq=False)
class FamilyCounts:
    """The counts of a family, of what occurs only.

    ``joint``: the cells of the child and its parents. ``above``: those of the parents alone. ``j``: for each joint
    cell its parent configuration. ``r``, ``q``: how many states of the child and configurations of the parents are
    possible.
    """

    child: int
    parents: tuple[int, ...]
    r: int
    q: float
    joint: Cells
    above: Cells
    j: Ints

    @property
    def n_ijk(self) -> Ints:
        """How often each joint cell occurs."""
        return self.joint.counts

    @property
    def n_ij(self) -> Ints:
        """How often each parent configuration occurs."""
        return self.above.counts


def family_counts(counts: Counts, child: int, parents: Sequence[int]) -> FamilyCounts:
    """Return the cells of a family's joint table, with their counts and margins."""
    joint = counts.cells(sorted((*parents, child)))
    above, j = joint.margin(sorted(parents))
    q = plain_float(math.prod(counts.arities[p] for p in parents))
    return FamilyCounts(child, tuple(parents), counts.arities[child], q, joint, above, j)
