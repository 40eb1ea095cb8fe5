"""Cuts that tell most about other columns: ``"auto"``, ``"target:NAME"``, and cuts that are made anew, given a network.

A histogram describes a column by itself: ages that are spread evenly are one bin, however much depends on them. Here
the bins of a column are those with which the NML code of other columns, its *partners*, is shortest
(`bnml.nml.partition`). With a target that is the partner. ``"auto"`` takes up to three: those that the column tells
most about once all numbers are cut into a few quantiles. Only what gains counts; where nothing does, the best one is
tried with all cuts, and if no cut pays even then the column gets three bins of equal numbers of rows.

No bins are so many that the table of the bins and a partner has fewer than five rows per cell, but two there are
always. As a network needs tables of more than two columns, a column that is not cut for a target has at most as many
bins, or three, as leave five rows per cell to a table of three such columns. Nothing depends on the order of columns or
rows: ties go by the names of the partners and to the left.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from bnml._arrays import Floats, Ints
from bnml.data.bins import Bins, bins_of_values, cut_points
from bnml.nml import nml_partition, regret
from bnml.nml.intervals import interval_edges_by_rank
from bnml.nml.partition import bins_code_length

if TYPE_CHECKING:
    from bnml.data.columns import Column
    from bnml.data.states import States

ROWS_PER_CELL = 5  # of the table of bins and a partner, on average
UNRELATED = 3  # bins of a column that nothing depends on
CANDIDATES = 400  # of cuts; more are thinned, at equal steps in rank


@dataclass(frozen=True)
class CodedColumn:
    """A column whose states are known: the code of each row, a missing value as a last state."""

    codes: Ints
    arity: int

    @staticmethod
    def of(column: Column, states: States) -> CodedColumn:
        """Return a column by the codes of its states; a missing value is a state of its own."""
        arity = len(states.labels)
        codes = states.mapping[column.codes]
        codes = np.where(codes < 0, arity, codes)  # a gap that was kept has that code already
        return CodedColumn(codes, arity + bool((codes >= arity).any()))


@dataclass(frozen=True)
class NumericColumn:
    """A column of numbers to be cut: its distinct values in order, the place of each row among them, -1 if missing."""

    values: Floats
    places: Ints
    weights: Floats | None

    @staticmethod
    def of(column: Column, weights: npt.NDArray[np.int64] | None) -> NumericColumn:
        """Return a column of numbers by its distinct values, those that occur."""
        numbers = column.numbers()
        assert numbers is not None
        occurring = np.zeros(numbers.size + 1, bool)
        occurring[column.codes] = True
        values = np.unique(numbers[occurring[:-1]])  # 1 and 1.0 may both be there as text
        places = np.append(np.searchsorted(values, numbers), -1)[column.codes]
        return NumericColumn(values, places, None if weights is None else weights.astype(np.float64))

    @property
    def n_rows(self) -> float:
        """Number of rows of the table, with or without a value."""
        return float(self.places.size if self.weights is None else self.weights.sum())

    @property
    def n_candidates(self) -> int:
        """Number of places that it can be cut at."""
        return int(_candidates(self.totals).sum())

    @property
    def present(self) -> npt.NDArray[np.bool_]:
        """Which rows have a value."""
        return self.places >= 0

    @property
    def totals(self) -> Floats:
        """How often each value occurs."""
        present = self.present
        weights = None if self.weights is None else self.weights[present]
        return np.bincount(self.places[present], weights, minlength=self.values.size).astype(np.float64)

    def coded(self, cuts: Sequence[float]) -> CodedColumn:
        """Return the column cut into bins."""
        bins = len(cuts) + 1
        gap = not self.present.all()
        return CodedColumn(np.append(bins_of_values(self.values, cuts), bins)[self.places], bins + gap)

    def quantiles(self, k: int) -> CodedColumn:
        """Return the column cut into bins of about equal numbers of rows."""
        return self.coded(cut_points(("quantile", k), self.values, self.totals))


def cuts_by_dependence(
    numeric: Mapping[str, NumericColumn], coded: Mapping[str, CodedColumn], asked: Mapping[str, Bins]
) -> dict[str, tuple[float, ...]]:
    """Return the cuts of columns whose bins are ``"auto"`` or for a target.

    Parameters
    ----------
    numeric
        These columns.
    coded
        All others.
    asked
        For each of these columns how it is to be cut; a column that is cut for itself is cut as by ``"auto"``.
    """
    target_of = {name: bins[1] for name, bins in asked.items() if bins[0] == "target" and bins[1] != name}
    wanted = {name for name in numeric if name not in target_of} | {t for t in target_of.values() if t in numeric}
    found = _automatic(numeric, coded, {str(name) for name in wanted})
    cuts = {name: found[name] for name in numeric if name not in target_of}
    for name, target in target_of.items():
        known = numeric[str(target)].coded(found[str(target)]) if target in numeric else coded[str(target)]
        halves = cut_points(("quantile", 2), numeric[name].values, numeric[name].totals)
        cuts[name] = _cuts(numeric[name], [known]) or halves
    return cuts


def _automatic(
    numeric: Mapping[str, NumericColumn], coded: Mapping[str, CodedColumn], wanted: set[str]
) -> dict[str, tuple[float, ...]]:
    """Return cuts that are chosen for dependence on other columns."""
    if not wanted:
        return {}
    n = next(iter(numeric.values())).n_rows
    k = _rough_bins(n)
    rough = {name: column.quantiles(k) for name, column in sorted(numeric.items())}
    known = {**coded, **rough}
    regret_of = cache(regret)
    found = {}
    for name in sorted(wanted):
        column = numeric[name]
        partners = _partners(column, rough[name], {x: own for x, own in known.items() if x != name}, regret_of)
        cuts = _cuts(column, [known[other] for other in partners], most_bins(n))
        found[name] = cuts or _unrelated(column)
    return found


def _rough_bins(n: float) -> int:
    # quantiles until better cuts are known; fewer where rows are few
    return max(2, min(4, int((n / ROWS_PER_CELL) ** 0.5)))


def _partners(
    column: NumericColumn, rough: CodedColumn, others: Mapping[str, CodedColumn], regret_of: Any
) -> list[str]:
    """Return the columns that a column is cut for: the few that its rough bins tell most about, by name."""
    n = column.n_rows
    gains = {
        other: _gain(column, rough, others[other], regret_of)
        for other in sorted(others)
        if others[other].arity > 1 and 2 * others[other].arity * ROWS_PER_CELL <= n
    }
    ranked = sorted(gains, key=lambda other: (-gains[other], other))
    return sorted([other for other in ranked[:3] if gains[other] > 0.0] or ranked[:1])


def partners_of(column: NumericColumn, others: Mapping[str, CodedColumn]) -> list[str]:
    """Return the columns, by name, that a column of numbers is cut for by ``"auto"``, the others being as they are."""
    return _partners(column, column.quantiles(_rough_bins(column.n_rows)), others, cache(regret))


def _unrelated(column: NumericColumn) -> tuple[float, ...]:
    bins = UNRELATED if column.n_rows >= 2 * UNRELATED * ROWS_PER_CELL else 2
    return cut_points(("quantile", bins), column.values, column.totals)


def _gain(column: NumericColumn, own: CodedColumn, other: CodedColumn, regret_of: Any) -> float:
    """Return by how much the NML code of a column is shorter given the rough bins of another, in nats."""
    table = _table(own, other, column.present, column.weights)
    rows, labels = table.sum(axis=1), table.sum(axis=0)
    r = other.arity
    fit = _sum_n_log_n(table) + _n_log_n(table.sum()) - _sum_n_log_n(rows) - _sum_n_log_n(labels)
    penalty = sum(regret_of(int(n), r) for n in rows) - regret_of(int(table.sum()), r)
    return fit - float(penalty)


def _n_log_n(n: float) -> float:
    return float(n * np.log(n)) if n > 0 else 0.0


def _sum_n_log_n(counts: Floats) -> float:
    positive = np.sort(counts[counts > 0])  # the sum must not depend on the order of states
    return float((positive * np.log(positive)).sum())


def _table(rows: CodedColumn, columns: CodedColumn, used: npt.NDArray[np.bool_], weights: Floats | None) -> Floats:
    """Return how often each pair of codes occurs."""
    cells = (rows.codes * columns.arity + columns.codes)[used]
    counts = np.bincount(cells, None if weights is None else weights[used], minlength=rows.arity * columns.arity)
    return counts.astype(np.float64).reshape(rows.arity, columns.arity)


def most_bins(n: float) -> int:
    """Return how many dependent bins a column has at most: a table of three such columns has rows for its cells."""
    return max(3, int((n / ROWS_PER_CELL) ** (1 / 3) + 1e-9))


def _cuts(column: NumericColumn, partners: Sequence[CodedColumn], most: int | None = None) -> tuple[float, ...]:
    """Return the best cuts for describing partners; none if none pays."""
    single = CodedColumn(np.zeros(column.places.size, np.int64), 1)
    return _cuts_given(column, [(partner, single) for partner in partners], most)


def _cuts_given(
    column: NumericColumn, families: Sequence[tuple[CodedColumn, CodedColumn]], most: int | None = None
) -> tuple[float, ...]:
    """Return the cuts with which some variables are described best, each given the bins and another one; or none.

    Parameters
    ----------
    column
        The numbers to cut.
    families
        The variables to describe, each with the one that it is described given, beside the bins.
    most
        The most bins, if the rows allow that many.

    Returns
    -------
    tuple of float
        The cuts; none where none pays.
    """
    if not families or column.values.size < 2:
        return ()
    totals = column.totals
    gaps = _candidates(totals)
    group_of = np.append(np.r_[0, np.cumsum(gaps)], -1)  # neighbouring values that no candidate cut parts
    tables = _tables(column, CodedColumn(group_of[column.places], int(gaps.sum()) + 1), families)
    cells = max(variable.arity * given.arity for variable, given in families)
    most = max(2, min(int(totals.sum() / (ROWS_PER_CELL * cells)), most or totals.size))
    best = nml_partition(tables, most=most)
    last = np.flatnonzero(gaps)[list(best.last)]
    return tuple(_between(column.values[i], column.values[i + 1]) for i in last)


def _tables(
    column: NumericColumn, groups: CodedColumn, families: Sequence[tuple[CodedColumn, CodedColumn]]
) -> list[Floats]:
    """Return for each variable to describe, and each state of what it is described given, its counts by group."""
    tables: list[Floats] = []
    for variable, given in families:
        both = CodedColumn(given.codes * variable.arity + variable.codes, given.arity * variable.arity)
        table = _table(groups, both, column.present, column.weights)
        parts = table.reshape(groups.arity, given.arity, variable.arity)
        tables += [parts[:, k, :] for k in range(given.arity) if parts[:, k, :].any()]
    return tables


@dataclass(frozen=True)
class ColumnCutting:
    """A column of numbers to be cut, and what is described by its bins.

    ``column``: the numbers. ``families``: the variables to describe, each with the one that it is described given,
    beside the bins.
    """

    column: NumericColumn
    families: Sequence[tuple[CodedColumn, CodedColumn]]

    def best(self) -> tuple[float, ...]:
        """Return the cuts that gain most; none where none pays."""
        return _cuts_given(self.column, self.families, most_bins(self.column.n_rows))

    def gain(self, cuts: Sequence[float]) -> float:
        """Return by how much the variables are described more shortly with cuts than without, in nats."""
        column = self.column
        kept = cut_points(tuple(float(cut) for cut in cuts), column.values, column.totals)
        gap = not column.present.all()
        lengths = []
        for groups in (column.coded(()), column.coded(kept)):
            tables = [table[: groups.arity - gap] for table in _tables(column, groups, self.families)]
            lengths.append(bins_code_length(tables, column.n_candidates) if tables else 0.0)
        return lengths[0] - lengths[1]


def _candidates(totals: Floats) -> npt.NDArray[np.bool_]:
    """Return which gaps between neighbouring values may be cut."""
    return np.ones(totals.size - 1, bool) if totals.size <= CANDIDATES else interval_edges_by_rank(totals, CANDIDATES)


def _between(low: float, high: float) -> float:
    """Return a cut between two neighbouring values, midway or near, with as few digits as that takes."""
    middle = 0.5 * low + 0.5 * high
    for digits in range(1, 18):
        cut = float(f"{middle:.{digits}g}")
        if low <= cut < high and abs(cut - middle) <= 0.25 * (high - low):
            return cut
    return float(low)


def bins_depend(bins: Bins | None) -> bool:
    """Return whether bins are dependent: their cuts depend on other columns."""
    return bins is not None and bins[:1] in (("auto",), ("target",))
