"""Junction trees: what is worth computing once where many questions are asked.

The families of a network, with those variables joined that elimination joins, make cliques; cliques form a tree in
which those that hold a variable hang together. Messages along its edges give the probabilities of all variables at
once, for any evidence, and the tree stays the same.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from copy import copy
from functools import cached_property, partial
from itertools import accumulate
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt

from bnml._arrays import Bools, Floats, Ints
from bnml._factors import EliminationPlan, Factor, log_factor
from bnml._machine import cores, run_all
from bnml.network._kernels import (
    MODULUS,
    TINY,
    Cliques,
    Tables,
    complete_rows,
    expected_tables,
    likeliest_rows,
    propagate,
    propagate_rows,
)

PARTS = 16  # that rows are dealt out to, for threads
WORTH_A_PART = 1_000_000  # numbers to look at


class JunctionTree:
    """A product of factors, arranged for questions about few of its variables at a time.

    Parameters
    ----------
    factors
        The factors; every variable is in one of them.
    sizes
        The number of states of each variable; their numbers may have gaps.
    plan
        In which order the variables are eliminated.
    """

    def __init__(self, factors: Sequence[Factor], sizes: Mapping[int, int], plan: EliminationPlan) -> None:
        self.sizes = dict(sizes)
        self.cliques, after = _cliques([factor.axes for factor in factors], plan.order)
        held: dict[int, list[int]] = {v: [] for v in plan.order}
        for c, clique in enumerate(self.cliques):
            for v in clique:
                held[v].append(c)
        self._held = {v: frozenset(cliques) for v, cliques in held.items()}
        home = {v: min(cliques, key=lambda c: (self._size(c), c)) for v, cliques in held.items()}
        self.arrays = self._arrays(after, home)
        self.factors = factors

    def refilled(self, factors: Sequence[Factor]) -> JunctionTree:
        """Return the tree of other factors over the same variables."""
        other = copy(self)
        other.factors = factors
        for name in ("_floats", "_logs"):
            other.__dict__.pop(name, None)
        return other

    @cached_property
    def _floats(self) -> Tables | None:
        """The products of the factors in each clique; None where floats would take a positive one for zero."""
        try:
            with np.errstate(under="raise", over="raise"):
                values, scale = self._products(self.factors, np.multiply)
        except FloatingPointError:
            return None
        positive = np.where(values > 0.0, values, np.inf)
        smallest = np.minimum.reduceat(positive, self.arrays.tables[:-1]) if values.size else positive
        return Tables(values, smallest, _log(scale), False) if smallest.min(initial=np.inf) >= TINY else None

    @cached_property
    def _logs(self) -> Tables:
        """The sums of the logarithms of the factors in each clique."""
        values, scale = self._products([log_factor(factor) for factor in self.factors], np.add)
        return Tables(values, np.empty(len(self.cliques)), scale, True)

    def _products(self, factors: Sequence[Factor], multiply: np.ufunc) -> tuple[Floats, float]:
        """Return the tables of the cliques, and the product of the factors of no variables."""
        values, scale = np.full(self.size, float(multiply.identity)), float(multiply.identity)
        tables = [self._table(values, clique) for clique in range(len(self.cliques))]
        for factor in factors:
            if factor.axes:
                holder = self.clique_of(factor.axes)
                assert holder is not None, "every factor is in a clique"
                multiply(tables[holder], _aligned(factor, self.cliques[holder]), out=tables[holder])
            else:
                scale = float(multiply(scale, factor.table))
        return values, scale

    def _attempts(self, totals: Floats) -> Iterator[Tables]:
        """Yield the tables from which a kernel computes rows, for those that it has left NaN with logarithms again."""
        totals.fill(np.nan)
        if self._floats is not None:
            yield self._floats
        if np.isnan(totals).any():
            yield self._logs

    @property
    def size(self) -> int:
        """How many numbers are in the tables of all cliques."""
        return int(self.arrays.tables[-1])

    def _size(self, clique: int) -> int:
        return prod(self.sizes[v] for v in self.cliques[clique])

    def _arrays(self, after: Sequence[int], home: Mapping[int, int]) -> Cliques:
        cliques, sizes = self.cliques, self.sizes
        messages, strides = [], []
        for clique, parent in zip(cliques, after, strict=True):
            shared = [v for v in clique if v in cliques[parent]] if parent >= 0 else []
            steps = dict(zip(shared, _strides([sizes[v] for v in shared]), strict=True))
            messages.append(prod(sizes[v] for v in shared))
            strides.append([steps.get(v, 0) for v in cliques[parent]] if parent >= 0 else [])
        self.position = {v: i for i, v in enumerate(sorted(home))}
        inner = {v: _strides([sizes[u] for u in cliques[c]])[cliques[c].index(v)] for v, c in home.items()}
        return Cliques(
            next=np.array(after, np.int64),
            tables=_starts([self._size(c) for c in range(len(cliques))]),
            messages=_starts(messages),
            axes=_starts([len(clique) for clique in cliques]),
            sizes=np.array([sizes[v] for clique in cliques for v in clique], np.int64),
            edges=_starts([len(steps) for steps in strides]),
            strides=np.array([step for steps in strides for step in steps], np.int64),
            home=np.array([home[v] for v in self.position], np.int64),
            states=np.array([sizes[v] for v in self.position], np.int64),
            inner=np.array([inner[v] for v in self.position], np.int64),
        )

    def clique_of(self, variables: Collection[int]) -> int | None:
        """Return the smallest clique that has all of some variables, or None if there is none."""
        held = frozenset.intersection(*(self._held[v] for v in variables))
        return min(held, key=lambda c: (self._size(c), c), default=None)

    def joint(self, variables: Sequence[int], weights: Mapping[int, Floats]) -> tuple[Floats, float]:
        """Return P(variables, evidence) but for a factor, an axis for each, and the logarithm of P(evidence).

        Parameters
        ----------
        variables
            Variables of one clique.
        weights
            For each variable with evidence the weights of its states.
        """
        clique = self.clique_of(variables)
        assert clique is not None, "the variables are in one clique"
        tables, total = self._propagated(weights, [clique])
        return self._marginal(tables, clique, variables), total

    def marginals(self, weights: Mapping[int, Floats]) -> tuple[dict[int, Floats], float]:
        """Return P(variable, evidence) but for a factor, for each variable, and the logarithm of P(evidence)."""
        tables, total = self._propagated(weights, range(len(self.cliques)))
        home = self.arrays.home
        return {v: self._marginal(tables, int(home[i]), [v]) for v, i in self.position.items()}, total

    def log_mass(self, weights: Mapping[int, Floats]) -> float:
        """Return the logarithm of the probability of evidence."""
        return self._propagated(weights, [])[1]

    def rows(self, n: int, codes: Mapping[int, npt.NDArray[np.int32]], target: int | None) -> tuple[Floats, Floats]:
        """Return the log-probability of each row, gaps summed out, and the probabilities of the target's states.

        Parameters
        ----------
        n
            The number of rows.
        codes
            For variables the states, row by row, -1 for a gap; others have gaps alone.
        target
            The variable whose states are asked for, if any.
        """
        table = self._by_position(n, codes)
        place = -1 if target is None else self.position[target]
        wanted = self._towards_root([] if target is None else [int(self.arrays.home[place])])
        totals, shares = np.empty(n), np.zeros((n, 0 if target is None else self.sizes[target]))
        for tables in self._attempts(totals):
            propagate_rows(self.arrays, tables, table, place, wanted, totals, shares)
        return totals, shares

    def _by_position(self, n: int, codes: Mapping[int, npt.NDArray[Any]]) -> Ints:
        """Return the states of all variables in n rows, as the kernels take them."""
        table = np.full((len(self.position), n), -1, np.int64)
        for v, column in codes.items():
            table[self.position[v]] = column
        return table

    def expected(
        self, codes: Mapping[int, npt.NDArray[Any]], weights: Floats, threads: int | None = None
    ) -> tuple[Floats, Floats]:
        """Return the tables of expected counts of rows with gaps, and the log-probability of each row.

        Parameters
        ----------
        codes
            For variables the states, row by row, -1 for a gap.
        weights
            How often each row occurs.
        threads
            How many threads may be used; the result does not depend on it.

        Notes
        -----
        Rows are dealt out to a fixed number of parts, whose sums are added in order.
        """
        n = weights.size
        table, totals, wanted = self._by_position(n, codes), np.empty(n), np.ones(len(self.cliques), np.bool_)
        parts = min(PARTS, max(1, n * self.size // WORTH_A_PART))
        sums = np.zeros((parts, self.size))

        def task(tables: Tables, first: int, last: int) -> None:
            for part in range(first, last):
                own = slice(n * part // parts, n * (part + 1) // parts)
                columns = np.ascontiguousarray(table[:, own])
                expected_tables(self.arrays, tables, columns, weights[own], wanted, totals[own], sums[part])

        for tables in self._attempts(totals):
            run_all(partial(task, tables), [(part, part + 1) for part in range(parts)], cores(threads))
        return sums.sum(axis=0), totals

    def marginal_of(self, tables: Floats, variables: Sequence[int]) -> Floats:
        """Return what `expected` has given, for some variables of one clique: an axis for each."""
        clique = self.clique_of(variables)
        assert clique is not None, "the variables are in one clique"
        return self._marginal(tables, clique, variables)

    def completions(
        self, codes: Mapping[int, npt.NDArray[Any]], points: Floats, seed: int = 0, threads: int | None = None
    ) -> tuple[dict[int, Ints], Floats]:
        """Return rows with gaps filled by draws from the joint distribution of what is missing given what is there.

        Parameters
        ----------
        codes
            For variables the states, row by row, -1 for a gap.
        points
            For each row the points of [0, 1) that its completions are decoded from; see `complete_rows`.
        seed
            Where the numbers begin that are taken once a point is used up.
        threads
            How many threads may be used; the result does not depend on it.

        Returns
        -------
        tuple
            For each variable the states, the completions of a row one after the other; and the log-probability of each
            row with its gaps. Rows of probability zero are not filled.
        """
        n, k = points.shape
        table, totals = self._by_position(n, codes), np.empty(n)
        seeds = np.random.default_rng(seed).integers(1, MODULUS, size=(n, k))
        out = np.repeat(table, k, axis=1)
        parts = min(PARTS, max(1, n * self.size // WORTH_A_PART))

        def task(tables: Tables, first: int, last: int) -> None:
            for part in range(first, last):
                start, stop = n * part // parts, n * (part + 1) // parts
                own = np.ascontiguousarray(table[:, start:stop])
                filled = np.ascontiguousarray(out[:, start * k : stop * k])
                complete_rows(
                    self.arrays, tables, own, points[start:stop], seeds[start:stop], totals[start:stop], filled
                )
                out[:, start * k : stop * k] = filled

        for tables in self._attempts(totals):
            run_all(partial(task, tables), [(part, part + 1) for part in range(parts)], cores(threads))
        return {v: out[i] for v, i in self.position.items()}, totals

    def likeliest_rows(self, n: int, codes: Mapping[int, npt.NDArray[Any]]) -> tuple[dict[int, Ints], Floats]:
        """Return n rows with their gaps filled by the states that together are likeliest, and the log-probabilities."""
        table, totals = self._by_position(n, codes), np.empty(n)
        out = table.copy()
        likeliest_rows(self.arrays, self._logs, table, totals, out)
        return {v: out[i] for v, i in self.position.items()}, totals

    def likeliest(self) -> tuple[dict[int, int], float]:
        """Return the states of all variables that together are likeliest, and their log-probability."""
        states, totals = self.likeliest_rows(1, {})
        return {v: int(column[0]) for v, column in states.items()}, float(totals[0])

    def _propagated(self, weights: Mapping[int, Floats], cliques: Collection[int]) -> tuple[Floats, float]:
        weighed = np.array([self.position[v] for v in weights], np.int64)
        starts = np.zeros(len(self.position), np.int64)
        starts[weighed] = _starts([w.size for w in weights.values()])[:-1]
        wanted, totals = self._towards_root(cliques), np.empty(1)
        for tables in self._attempts(totals):
            flat = np.concatenate([*weights.values(), np.empty(0)])
            totals[0], values = propagate(self.arrays, tables, weighed, flat, starts, wanted)
        return values, float(totals[0])

    def _towards_root(self, cliques: Collection[int]) -> Bools:
        """Mark cliques and all between them and their roots."""
        wanted = np.zeros(len(self.cliques), np.bool_)
        for clique in cliques:
            while clique >= 0 and not wanted[clique]:
                wanted[clique] = True
                clique = int(self.arrays.next[clique])
        return wanted

    def _table(self, tables: Floats, clique: int) -> Floats:
        """Return the part of the tables that is a clique's, with an axis for each of its variables."""
        start, stop = self.arrays.tables[clique : clique + 2]
        return tables[start:stop].reshape([self.sizes[v] for v in self.cliques[clique]])

    def _marginal(self, tables: Floats, clique: int, variables: Sequence[int]) -> Floats:
        axes, table = self.cliques[clique], self._table(tables, clique)
        rest = tuple(i for i, v in enumerate(axes) if v not in variables)
        left = [v for v in axes if v in variables]
        marginal: Floats = table.sum(axis=rest).transpose([left.index(v) for v in variables])
        return marginal


def _cliques(scopes: Sequence[Collection[int]], order: Sequence[int]) -> tuple[list[tuple[int, ...]], list[int]]:
    """Return the maximal cliques of elimination, each before the next towards its root, and which that is.

    What a clique shares with the next comes first in it.
    """
    near: dict[int, set[int]] = {v: set() for v in order}
    for scope in scopes:
        for v in scope:
            near[v].update(scope)
    at = {v: i for i, v in enumerate(order)}
    members: dict[int, set[int]] = {}
    after: dict[int, int] = {}
    for v in order:
        near[v].discard(v)
        around = near.pop(v)
        members[v] = {v, *around}
        after[v] = min(around, key=at.__getitem__, default=-1)
        for u in around:
            near[u] |= around
            near[u].discard(v)
    for v in order:  # a clique that lies in the one before it is no clique of its own
        u = after[v]
        if u >= 0 and members[u] <= members[v]:
            members[u], after[v] = members.pop(v), -2 - u
    kept = {v: _kept(v, after) for v in order}
    below: dict[int, list[int]] = {-1: []}
    for v in order:
        if kept[v] == v:
            u = after[v]
            below.setdefault(-1 if u < 0 else kept[u], []).append(v)
    outwards, stack = [], below[-1][::-1]
    while stack:
        v = stack.pop()
        outwards.append(v)
        stack += below.get(v, [])[::-1]
    outwards.reverse()
    number = {v: i for i, v in enumerate(outwards)}
    cliques, parents = [], []
    for v in outwards:
        u = -1 if after[v] < 0 else kept[after[v]]
        shared = members[v] & members[u] if u >= 0 else set()
        cliques.append((*sorted(shared), *sorted(members[v] - shared)))
        parents.append(-1 if u < 0 else number[u])
    return cliques, parents


def _kept(v: int, after: Mapping[int, int]) -> int:
    """Return the clique that took in the one of a variable."""
    while after[v] <= -2:
        v = -2 - after[v]
    return v


def _aligned(factor: Factor, clique: Sequence[int]) -> Floats:
    """Return a factor's table with an axis for each variable of a clique."""
    order = sorted(range(len(factor.axes)), key=lambda i: clique.index(factor.axes[i]))
    sizes = dict(zip(factor.axes, factor.table.shape, strict=True))
    return factor.table.transpose(order).reshape([sizes.get(v, 1) for v in clique])


def _strides(sizes: Sequence[int]) -> list[int]:
    return [prod(sizes[i + 1 :]) for i in range(len(sizes))]


def _starts(sizes: Sequence[int]) -> Ints:
    return np.array([0, *accumulate(sizes)], np.int64)


def _log(value: float) -> float:
    return float(np.log(value)) if value > 0.0 else -np.inf
