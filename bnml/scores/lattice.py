"""The scores of all families of a table: n · 2^(n-1) of them from the terms of 2^n subsets.

`Lattice` holds the terms ``J(S)``, and ``M(S)`` where they differ, of every subset of the columns, and gives the scores of a
variable's families as *gains*: how much more than the least that the variable can have, in units. The unit is a power of
two so small that nothing is lost that matters, and everything is a whole number of it. Sums of gains are then exact, so
equivalent structures tie exactly and nothing depends on the order of columns, rows or threads.

With 64-bit floats the unit is some 10^-11 nats at a thousand rows. With 32-bit integers, which take half the memory, it is
some 10^-6, and the optimum is found to within a few units for each variable.

**Bounds.** For scores that are a log-likelihood less a price for the number of configurations (AIC, BIC, HQC, MDL, qNML)
no superset of the parents P of i can score more than LL(i | all others) - price_i(P): the likelihood cannot be larger
than with all other variables as parents, and the price never falls when parents are added (checked here for the arities at
hand). Where a small subset of P is known to reach that already, P and all its supersets are left out.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from bnml._threads import cores, run_all
from bnml.counts.lattice import MOST_ROWS, Layout, no_bounds, walk_all
from bnml.errors import ArgumentError
from bnml.graph.constraints import CompiledConstraints, Constraints
from bnml.nml import log_rising
from bnml.scores.base import n_log_n
from bnml.scores.jkl import FamilyScores
from bnml.scores.local import LocalScores

if TYPE_CHECKING:
    from bnml.counts._lattice_kernels import Bounds, Sums
    from bnml.scores._lattice_kernels import Family

__all__ = ["Lattice", "Rules", "allowed_sets", "family_scores", "members", "minimal", "undominated_families", "walkable"]

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

FIRST_PARENTS = 3  # families with so few parents are known before the bounded walk
FEW_LINKS = 10  # required links of a variable whose subsets are all looked at
LEAST_FOR_BOUNDS = 12  # variables; below, all subsets are done before bounds would pay
MOST_RISING = 1 << 24  # entries of tables that change with the number of configurations; 128 MB
MANTISSA = 52
MOST_EQUALS = 4096  # parent sets of the same score that are looked at
SCANNED = 22  # variables whose subsets are looked at in one go
SMALLEST = 1e-290  # of a hyperparameter; below, its logarithm is used
NO_INTEGER = np.uint32(0xFFFFFFFF)


@dataclass(frozen=True)
class Rules:
    """What parents are allowed, for variables by their places in the walk.

    ``must``, ``may``: the parents a variable must and may have, as bit masks; ``links``: the others that must be its
    parents or its children; ``most``: the most parents.
    """

    must: tuple[int, ...]
    may: tuple[int, ...]
    links: tuple[int, ...]
    most: int

    @classmethod
    def of(cls, columns: Sequence[int], compiled: CompiledConstraints | None, max_parents: int | None) -> Rules:
        """Return the rules of a table's constraints, for its columns in some order."""
        n = len(columns)
        whole = (1 << n) - 1
        most = n - 1 if max_parents is None else min(max_parents, n - 1)
        if compiled is None:
            return cls((0,) * n, tuple(whole & ~(1 << i) for i in range(n)), (0,) * n, most)
        place = {column: i for i, column in enumerate(columns)}
        links = [0] * n
        for a, b in compiled.links:
            links[place[a]] |= 1 << place[b]
            links[place[b]] |= 1 << place[a]

        def moved(masks: Sequence[int]) -> tuple[int, ...]:
            return tuple(sum(1 << place[c] for c in range(n) if masks[column] >> c & 1) for column in columns)

        return cls(moved(compiled.must), moved(compiled.may), tuple(links), most)


def walkable(local: LocalScores) -> bool:
    """Whether the walk can find the terms: the score has tables, the prior is a sum over arcs, the rows are not too many."""
    return (
        local.terms is not None
        and local.data.n_distinct < MOST_ROWS
        and (local.prior is None or local.prior.arc_terms(local.data.names) is not None)
    )


class Lattice:
    """The scores of all families of a table, from the terms of its subsets.

    Parameters
    ----------
    local
        The local scores; `walkable`.
    rules
        What parents are allowed.
    integers
        Keep 32-bit integers in place of 64-bit floats.
    prune
        Leave out what the bounds allow to leave out.
    threads
        How many threads to use.
    done
        Told now and then which share of the work is done.

    Attributes
    ----------
    unit
        A gain of one, in nats.
    dtype, never
        What gains are kept in, and what stands for an impossible one.
    base
        What a gain of zero is, in nats, for each variable.
    visited
        How many subsets were visited.
    """

    def __init__(
        self,
        local: LocalScores,
        rules: Rules,
        *,
        integers: bool = False,
        prune: bool = True,
        threads: int = 1,
        done: Callable[[float], None] | None = None,
    ) -> None:
        self.layout = layout = Layout(local.data)
        self.names = local.data.names
        self._local = local
        self._arcs = _ArcTerms.of(local, layout, rules)
        self.rules = self._arcs.rules
        self.n = layout.n
        self.integers = integers
        self.dtype = np.dtype(np.int32 if integers else np.float64)
        self.never = np.array([-(1 << 30) if integers else -np.inf], self.dtype)
        self._closed_nats = _closed(local, layout)
        low, high = _range(local, layout)
        least = self._least(high - low)
        self._choose_units(low, high, least)
        self._base_units = [math.floor(value / self.unit) - self._slack for value in least]
        self.base = [units * self.unit for units in self._base_units]
        self.closed = self._closed_units(high - low)
        self._table_rows = _table_rows(local)
        shape = (1 + len(set(self._table_rows.values())), 1 << self.n)
        self.missing = np.array([NO_INTEGER]) if integers else np.array([np.nan])
        self.terms = np.empty(shape, self.missing.dtype)
        self._low = low
        self.visited = self._walk(prune, threads, done)

    # --- units ---

    def _least(self, span: float) -> list[float]:
        """Return for each variable a score that its best parents have at least, whatever candidates there are."""
        result = []
        for i in range(self.n):
            must, links = self.rules.must[i], self.rules.links[i]
            if links.bit_count() > FEW_LINKS:
                result.append(min(self._score(i, must), self._score(i, must | links)) - span)
            else:
                result.append(min(self._score(i, must | some) for some in _subsets(links)))
        if -math.inf in result:
            name = self.names[self.layout.columns[result.index(-math.inf)]]
            raise ArgumentError(f"the parents that {name!r} must have have probability zero under the prior or the score")
        return result

    def _score(self, i: int, parents: int) -> float:
        columns = self.layout.columns
        return self._local.family(columns[i], [columns[j] for j in range(self.n) if parents >> j & 1])

    def _choose_units(self, low: float, high: float, least: Sequence[float]) -> None:
        total = 1.0 + sum(-value for value in least if value > -math.inf)
        span = max(high - low, abs(high), abs(low), self._largest_closed(high - low), total)
        self._grain = 2.0 ** (math.ceil(math.log2(span)) - MANTISSA)
        self.unit, self._slack = self._grain, self._local.data.n_distinct + 8
        if self.integers:
            self.unit, self._slack = max((high - low + 1.0) / (2**32 - 16), 1.01 * total / 2**30), 8

    def _differences(self) -> Iterator[tuple[Ints, Ints]]:
        """Yield, for each arity, the indices of sets without and with one more column of it."""
        numbers, digits = self.layout.kinds[1], self.layout.digits
        for kind, step in enumerate(self.layout.kind_steps):
            without = np.flatnonzero(digits[:, kind] < numbers[kind])
            yield without, without + step

    def _relevant(self, span: float) -> npt.NDArray[np.bool_]:
        """Return which indices have families that are not too dear to be any variable's best."""
        closed, steps = self._closed_nats, self.layout.steps
        dearest = 2.0 * span + 1.0
        for i in range(self.n):
            index = sum(int(steps[j]) for j in range(self.n) if (self.rules.must[i] | self.rules.links[i]) >> j & 1)
            dearest = max(dearest, 2.0 * span + closed[index] - closed[index + steps[i]])
        relevant = np.zeros(closed.size, bool)
        relevant[0] = True
        with np.errstate(invalid="ignore"):
            for without, having in self._differences():
                relevant[having] |= closed[without] - closed[having] <= dearest
        return relevant

    def _largest_closed(self, span: float) -> float:
        return float(np.abs(self._closed_nats[self._relevant(span)]).max())

    def _closed_units(self, span: float) -> Floats:
        return np.where(self._relevant(span), np.rint(self._closed_nats / self.unit), -np.inf)

    # --- the walk ---

    def _walk(self, prune: bool, threads: int, done: Callable[[float], None] | None) -> int:
        sums, most = self._sums(), min(self.rules.most + 1, self.n)
        bounds = no_bounds(self.n)
        bounded = prune and self.n >= LEAST_FOR_BOUNDS and most > FIRST_PARENTS + 1 and self._priced()
        if bounded or most < self.n:
            self.terms.fill(self.missing[0])
        first = 0
        if bounded:
            first = walk_all(self.layout, sums, bounds, FIRST_PARENTS + 1, self.terms, threads)
            bounds = self._bounds()
        visited = walk_all(self.layout, sums, bounds, most, self.terms, threads, done)
        return max(visited, first)

    def _sums(self) -> Sums:
        from bnml.counts._lattice_kernels import Sums

        local, grain = self._local, self._grain
        assert local.terms is not None
        if local.terms.ess > 0.0:
            tables, rising = _rising_tables(local, self.layout)
        else:
            rows = {row: r for r, row in self._table_rows.items() if row > 0}
            tables = np.stack([local.terms.joint, *(local.terms.margin[rows[row]] for row in sorted(rows))])
            rising = np.zeros((0, 2))
        low = np.full(self.terms.shape[0], np.rint(self._low / grain) if self.integers else 0.0)
        return Sums(np.rint(tables / grain), rising, grain, low, grain / self.unit if self.integers else 1.0)

    def _priced(self) -> bool:
        """Whether the score is a log-likelihood less a price for configurations that never falls with more parents."""
        terms = self._local.terms
        assert terms is not None
        if terms.ess > 0.0 or terms.margin or not np.array_equal(terms.joint, n_log_n(self._local.shape.counts)):
            return False
        closed = self._closed_nats
        for without, having in self._differences():
            with np.errstate(invalid="ignore"):
                price = np.full(closed.size, np.nan)
                price[without] = closed[without] - closed[having]
                for fewer, more in self._differences():
                    if np.any(price[more] < price[fewer] - 1e-9):
                        return False
        return True

    def _bounds(self) -> Bounds:
        from bnml.counts._lattice_kernels import Bounds
        from bnml.scores.loglik import LogLikelihood

        n, columns = self.n, self.layout.columns
        sets, children, values = self._known()
        lowest = np.array([(int(s) & -int(s)).bit_length() - 1 if s else n for s in sets], np.int64)
        order = np.argsort(lowest, kind="stable")
        sets, children, values, lowest = sets[order], children[order], values[order], lowest[order]
        group = np.searchsorted(lowest, np.arange(n + 2)).astype(np.int64)
        rest = np.where(lowest < n, sets & (sets - 1), 0)
        fit = np.empty(n)
        likelihood = LocalScores(self._local.data, LogLikelihood())
        for i in range(n):
            best = likelihood.family(columns[i], [c for c in columns if c != columns[i]])
            fit[i] = (best + self._arcs.most[i] - self.base[i]) / self.unit + self._slack
        return Bounds(group, rest, children, values, fit, self.closed, np.array(self.rules.may, np.int64))

    def _known(self) -> tuple[Ints, Ints, Floats]:
        """Return the families of few parents that are better than any with fewer of these."""
        small = [sum(1 << v for v in c) for k in range(FIRST_PARENTS + 1) for c in combinations(range(self.n), k)]
        masks = np.array(small, np.int64)
        at = {mask: k for k, mask in enumerate(small)}
        gains = np.stack([self._gains_of(i, masks) for i in range(self.n)])
        better = np.zeros(gains.shape, bool)
        best = np.full(gains.shape, -np.inf)
        for k, mask in enumerate(small):
            below = np.full(self.n, -np.inf)
            for v in range(self.n):
                if mask >> v & 1:
                    below = np.maximum(below, best[:, at[mask ^ (1 << v)]])
            better[:, k] = gains[:, k] > below
            best[:, k] = np.maximum(gains[:, k], below)
        better[[i for i in range(self.n) if self.rules.links[i]]] = False  # a subset may lack a link that is required
        children, which = np.nonzero(better)
        return masks[which], children.astype(np.int64), gains[children, which]

    def _gains_of(self, i: int, sets: Ints) -> Floats:
        """Return the gains of some families of a variable; minus infinity where they are not allowed."""
        family = self.family(i)
        low, high = sets & (family.low_index.size - 1), sets >> (family.low_index.size.bit_length() - 1)
        index = family.low_index[low] + family.high_index[high]
        own = sets >> i & 1 == 1
        with np.errstate(invalid="ignore"):
            value = family.joint[sets | (1 << i)].astype(np.float64) - family.margin[sets].astype(np.float64)
            value += self.closed[np.where(own, 0, index + family.step)] - self.closed[index]
            value += family.low_add[low] + family.high_add[high] + family.base
        return np.where(own | np.isnan(value) | (family.joint[sets | (1 << i)] == self.missing[0]), -np.inf, value)

    # --- families ---

    @property
    def links(self) -> tuple[int, ...]:
        """For each variable the others that must be its parents or its children."""
        return self.rules.links

    @property
    def within_nats(self) -> float:
        """By how much a total of gains may be off: nothing that matters with floats, up to 3 units per variable else."""
        return 3.0 * self.n * self.unit if self.integers else 0.0

    @cached_property
    def _indices(self) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
        from bnml.scores._lattice_kernels import LOW

        return self.layout.indices(0, LOW), self.layout.indices(LOW, self.n)

    def family(self, i: int) -> Family:
        """Return what the scores of a variable's families are made of."""
        from bnml.scores._lattice_kernels import Family

        low_index, high_index = self._indices
        low_add, high_add, constant = self._arcs.tables(i, self.unit)
        base = constant - self._base_units[i]
        row = self._table_rows.get(int(self.layout.arities[i]), 0)
        return Family(
            self.terms[0], self.terms[row], self.missing, self.closed, low_index, high_index, low_add, high_add, base, i,
            int(self.layout.steps[i]),
        )  # fmt: skip

    def fill(
        self, i: int, n_low: int, top: int, start: int, gains: npt.NDArray[Any], least: float = -0.5
    ) -> None:
        """Raise ``gains`` to those of the families whose parents are some of the high variables ``top``, and low ones.

        ``gains[k]`` is for the set ``start + k`` of the low variables, the variable's own bit left out if it is low. A gain
        below ``least`` does not count: below zero there are better parents in every set of candidates.
        """
        from bnml.scores._lattice_kernels import fill

        tied = self.rules.links[i] >> n_low
        tops = np.array([some for some in _subsets(top) if some & tied == top & tied], np.int64)
        fill(self._families[i], n_low, tops, least, start, gains)

    def within(self, i: int, candidates: int, slack: float) -> tuple[float, list[int]]:
        """Return the best gain of a variable's families with parents among candidates, and the parents that reach it.

        That is to within ``slack``; of such sets only those that no other is a subset of.
        """
        from bnml.scores._lattice_kernels import scan

        tied = candidates & self.rules.links[i]
        free = candidates & self.rules.may[i] & ~tied & ~self.rules.must[i]
        fixed = tied | self.rules.must[i]
        if fixed & ~candidates or fixed & ~self.rules.may[i]:
            return -math.inf, []
        family, found = self._families[i], np.empty(MOST_EQUALS, np.int64)
        high = free >> SCANNED << SCANNED  # a call for each subset of the high ones, so that none lasts long
        best = max(scan(family, fixed | some, free ^ high, math.inf, found)[0] for some in _subsets(high))
        equals: list[int] = []
        for some in _subsets(high):
            number = scan(family, fixed | some, free ^ high, best - slack, found)[1]
            equals += found[: min(number, MOST_EQUALS)].tolist()
        return best, minimal(equals)

    @cached_property
    def _families(self) -> list[Family]:
        return [self.family(i) for i in range(self.n)]


@dataclass(frozen=True)
class _ArcTerms:
    """The prior as what each arc adds; arcs that it requires or rules out become rules."""

    rules: Rules
    constant: tuple[float, ...]
    gain: Floats
    """``gain[i, j]``: what the parent j adds for the child i."""

    @classmethod
    def of(cls, local: LocalScores, layout: Layout, rules: Rules) -> _ArcTerms:
        n = layout.n
        terms = local.prior.arc_terms(local.data.names) if local.prior is not None else None
        if terms is None:
            return cls(rules, (0.0,) * n, np.zeros((n, n)))
        order = np.ix_(layout.columns, layout.columns)
        there, absent = (matrix[order].T for matrix in terms)
        bits = 1 << np.arange(n)
        must = tuple(m | int(bits[np.isneginf(absent[i])].sum()) for i, m in enumerate(rules.must))
        may = tuple(m & ~int(bits[np.isneginf(there[i])].sum()) for i, m in enumerate(rules.may))
        sure = np.where(np.isneginf(absent), there, absent)
        np.fill_diagonal(sure, 0.0)
        gain = np.where(np.isfinite(there) & np.isfinite(absent), there, 0.0) - np.where(
            np.isfinite(there) & np.isfinite(absent), absent, 0.0
        )
        constant = tuple(math.fsum(row) for row in sure.tolist())
        return cls(Rules(must, may, rules.links, rules.most), constant, gain)

    @property
    def most(self) -> list[float]:
        """The most that the prior can add to a family of each variable."""
        return [c + float(np.maximum(g, 0.0).sum()) for c, g in zip(self.constant, self.gain, strict=True)]

    def tables(self, i: int, unit: float) -> tuple[Floats, Floats, float]:
        """Return what the prior and the rules add for the low bits of a parent set, for the others, and to all."""
        from bnml.scores._lattice_kernels import LOW

        gains = np.rint(self.gain[i] / unit)

        def table(places: range) -> Floats:
            result = np.zeros(1)
            for j in places:
                there = gains[j] if self.rules.may[i] >> j & 1 else -np.inf
                absent = -np.inf if self.rules.must[i] >> j & 1 else 0.0
                result = np.concatenate([result + absent, result + there])
            return result

        n = len(gains)
        return table(range(min(n, LOW))), table(range(LOW, n)), round(self.constant[i] / unit)


def minimal(sets: Sequence[int]) -> list[int]:
    """Return the sets that no other is a proper subset of, the smallest first."""
    result: list[int] = []
    for mask in sorted(set(sets), key=lambda mask: (mask.bit_count(), mask)):
        if not any(smaller & ~mask == 0 for smaller in result):
            result.append(mask)
    return result


def _subsets(mask: int) -> Iterator[int]:
    """Yield all subsets of a set, the largest first."""
    some = mask
    while True:
        yield some
        if some == 0:
            return
        some = (some - 1) & mask


def _closed(local: LocalScores, layout: Layout) -> Floats:
    """Return the closed form of the sets with each index."""
    if local.terms is None or local.terms.closed is None:
        return np.zeros(layout.n_indices)
    q, log_q = _configurations(layout)
    return local.terms.closed(q, log_q, layout.digits.sum(axis=1).astype(np.float64))


def _configurations(layout: Layout) -> tuple[Floats, Floats]:
    """Return how many configurations the sets with each index have, and the logarithm."""
    kinds = layout.kinds[0].astype(np.float64)
    with np.errstate(over="ignore"):
        return np.prod(kinds**layout.digits, axis=1), layout.digits @ np.log(kinds)


def _table_rows(local: LocalScores) -> dict[int, int]:
    """Return in which table of terms the margins of each arity stand; none where they are the joint terms."""
    assert local.terms is not None
    return {r: row for row, r in enumerate(sorted(local.terms.margin), 1)}


def _range(local: LocalScores, layout: Layout) -> tuple[float, float]:
    """Return what the sums over cells lie between: all rows in one cell, or each in its own."""
    terms, n_rows = local.terms, local.data.n_rows
    assert terms is not None
    if terms.ess > 0.0:
        q, log_q = _configurations(layout)
        return n_rows * (math.log(terms.ess) - float(log_q.max())), float(log_rising(terms.ess, n_rows))
    ends = [value for t in (terms.joint, *terms.margin.values()) for value in (float(t[-1]), n_rows * float(t[1]))]
    return min(ends), max(ends)


def _rising_tables(local: LocalScores, layout: Layout) -> tuple[Floats, Floats]:
    """Return log Γ(a + n) - log Γ(a) for each index and small n, and the pairs (a, log a)."""
    assert local.terms is not None
    q, log_q = _configurations(layout)
    log_a = math.log(local.terms.ess) - log_q
    a = local.terms.ess / q
    most = max(2, min(local.data.n_rows + 1, MOST_RISING // layout.n_indices))
    tables = np.empty((layout.n_indices, most))
    for k in range(layout.n_indices):
        tables[k] = log_rising(a[k], np.arange(most)) if a[k] > 0.0 else 0.0
        if a[k] < SMALLEST:
            tables[k, 1:] = log_a[k] + log_rising(1.0, np.arange(most - 1))
    return tables, np.stack([a, log_a], axis=1)


def family_scores(local: LocalScores, threads: int | None = None, done: Callable[[float], None] | None = None) -> Floats:
    """Return the scores of all families: for each column, and each set of the others.

    ``result[i, p]`` is the score of column i with the parents p: a bit mask over the columns with bit i left out.
    """
    n, workers = len(local.data.names), cores(threads)
    result = np.empty((n, 1 << (n - 1)))
    if not walkable(local):
        for i in range(n):
            others = [j for j in range(n) if j != i]
            sets = [[j for b, j in enumerate(others) if p >> b & 1] for p in range(1 << (n - 1))]
            result[i] = local.families(i, sets, threads)
        return result
    lattice = Lattice(local, Rules.of(Layout(local.data).columns, None, None), prune=False, threads=workers, done=done)
    places = lattice.layout.columns

    def task(start: int, stop: int) -> None:
        for i in range(start, stop):
            gains = np.full(1 << (n - 1), -np.inf)
            lattice.fill(i, n, 0, 0, gains, -np.inf)
            others = [column - (column > places[i]) for k, column in enumerate(places) if k != i]
            result[places[i]] = lattice.base[i] + lattice.unit * _reordered(gains, others)

    run_all(task, [(i, i + 1) for i in range(n)], workers)
    return result


def _reordered(values: Floats, places: Sequence[int]) -> Floats:
    """Return values of sets with bit k of each set moved to bit ``places[k]``."""
    m = len(places)
    if m == 0:
        return values
    axes = [m - 1 - list(places).index(m - 1 - axis) for axis in range(m)]  # the last axis is bit 0
    return values.reshape((2,) * m).transpose(axes).reshape(-1)


def undominated_families(
    local: LocalScores,
    constraints: Constraints | None = None,
    max_parents: int | None = None,
    threads: int | None = None,
) -> FamilyScores:
    """Return the families of a table that are better than all with fewer of the same parents.

    No other family is in an optimal structure, whatever else holds: these are all that a solver needs.

    Examples
    --------
    >>> import bnml
    >>> from bnml.scores import LocalScores
    >>> undominated_families(LocalScores(bnml.example(), "bic"))
    FamilyScores(8 variables, 53 parent sets)
    """
    n, workers = len(local.data.names), cores(threads)
    compiled = constraints.compiled(local.data.names) if constraints is not None else None
    if compiled is not None and compiled.links:
        raise ArgumentError("required links cannot be told to another solver by its scores; require an arc instead")
    if walkable(local):
        columns = Layout(local.data).columns
        lattice = Lattice(local, Rules.of(columns, compiled, max_parents), threads=workers)
        found = [_undominated(lattice, i) for i in range(n)]
    else:
        columns = tuple(range(n))
        rules = Rules.of(columns, compiled, max_parents)
        found = [allowed_sets(rules, i) for i in range(n)]
    sets: list[list[int]] = [[] for _ in range(n)]
    for i, masks in enumerate(found):
        sets[columns[i]] = [sum(1 << columns[j] for j in range(n) if mask >> j & 1) for mask in masks.tolist()]
    scores = [local.families(i, [members(mask) for mask in sets[i]], threads) for i in range(n)]
    return FamilyScores(local.data.names, tuple(map(tuple, sets)), tuple(scores)).undominated()


def members(mask: int) -> list[int]:
    """Return the numbers of the bits of a set."""
    return [j for j in range(mask.bit_length()) if mask >> j & 1]


def allowed_sets(rules: Rules, i: int) -> Ints:
    """Return all parent sets that the rules allow to a variable."""
    sets = np.array([rules.must[i]], np.int64)
    for j in members(rules.may[i] & ~rules.must[i]):
        more = sets | (1 << j)
        sets = np.concatenate([sets, more[np.bitwise_count(more) <= rules.most]])
    return sets[np.bitwise_count(sets) <= rules.most]


def _undominated(lattice: Lattice, i: int) -> Ints:
    """Return the parent sets of a variable that are better than all their subsets."""
    n = lattice.n
    own = np.full(1 << (n - 1), -np.inf)
    lattice.fill(i, n, 0, 0, own)
    best, below = own.copy(), np.full(own.size, -np.inf)
    for b in range(n - 1):
        halves = best.reshape(-1, 2, 1 << b)
        np.maximum(halves[:, 1], halves[:, 0], out=halves[:, 1])
    for b in range(n - 1):
        np.maximum(below.reshape(-1, 2, 1 << b)[:, 1], best.reshape(-1, 2, 1 << b)[:, 0], out=below.reshape(-1, 2, 1 << b)[:, 1])
    found = np.flatnonzero(own > below)
    return np.asarray((found & ((1 << i) - 1)) | (found >> i << (i + 1)), np.int64)
