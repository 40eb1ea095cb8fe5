"""The configurations of some columns that occur, and how often: contingency tables without their empty cells."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from bnml._arrays import Ints
from bnml._plain import plain_float
from bnml.errors import ArgumentError

if TYPE_CHECKING:
    from bnml.counts.counts import Counts

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
