"""How many tuples the join of some projections of a relation has, counted without listing them.

A factor holds tuples of some attributes, each with the number of ways to complete it by attributes that are done with.
Three steps shorten a list of factors until none has an attribute left:

1. An attribute that one factor alone has is summed out.
2. A factor whose attributes another one has, too, is joined into that one, which does not grow.
3. If neither applies, the factors of one attribute are joined, as few attributes as possible together.

Where the factors are the maximal cliques of a chordal graph the first two steps are enough (Graham 1979, Yu and
Ozsoyoglu 1979), and no factor ever has more tuples than the relation.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from bnml._machine import gigabytes, memory_limit_of
from bnml.errors import SearchError
from bnml.relational.relation import Codes, Relation, first_tuples, tuple_groups

SMALL = 1 << 26  # bytes that are always there

Counts = npt.NDArray[Any]  # of int64, or of Python's own numbers where these could overflow


@dataclass(frozen=True, eq=False)
class Projection:
    """Distinct tuples of some attributes, one row of codes for each attribute, and a count for each tuple."""

    scope: tuple[int, ...]
    columns: Codes
    counts: Counts

    @property
    def size(self) -> int:
        """Bytes of memory."""
        return self.columns.nbytes + self.counts.nbytes + 500


class Joins:
    """The joins of projections of one relation; what one needs is kept for the next, as far as there is ``room``.

    ``room`` is a number of bytes.
    """

    def __init__(self, relation: Relation, room: int = 0) -> None:
        self.relation = relation
        self.room = room
        self.kept: dict[Any, Projection] = {}

    def count(self, sets: Iterable[Sequence[int]]) -> int:
        """Return the number of tuples of the join of the projections to some sets of attributes.

        Raises
        ------
        SearchError
            If it takes a join that does not fit into memory.
        """
        factors = [self._once(self._project, tuple(sorted(one))) for one in sets]
        total = 1
        while factors:
            factors = self._absorbed(self._summed(factors))
            total *= math.prod(int(factor.counts[0]) for factor in factors if not factor.scope)
            factors = [factor for factor in factors if factor.scope]
            if factors and min(_times(factors).values()) > 1:
                factors = self._one_attribute_joined(factors)
        return total

    def _once(self, make: Callable[..., Projection], *arguments: Any) -> Projection:
        """Return what was made of the same arguments before, or make it."""
        key = make.__name__, *arguments
        if (made := self.kept.get(key)) is None:
            made = make(*arguments)
            if made.size <= self.room:
                self.room -= made.size
                self.kept[key] = made
        return made

    def _project(self, scope: tuple[int, ...]) -> Projection:
        columns = self.relation.columns[list(scope)][:, self.relation.first(scope)]
        return Projection(scope, columns, np.ones(columns.shape[1], self._kind()))

    def _kind(self) -> type[Any]:
        """Return the type of counts: no join has more tuples than there are combinations of values."""
        return np.int64 if math.prod(self.relation.arities) < 1 << 62 else object

    def _summed(self, factors: list[Projection]) -> list[Projection]:
        """Sum out all attributes that one factor alone has."""
        times, summed = _times(factors), []
        for factor in factors:
            left = tuple(i for i in factor.scope if times[i] > 1)
            summed.append(factor if left == factor.scope else self._once(self._sum, factor, left))
        return summed

    def _sum(self, factor: Projection, left: tuple[int, ...]) -> Projection:
        columns = factor.columns[[factor.scope.index(i) for i in left]]
        group = tuple_groups(columns, [self.relation.arities[i] for i in left])
        first = first_tuples(group)
        counts = np.zeros(np.count_nonzero(first), factor.counts.dtype)
        np.add.at(counts, group, factor.counts)
        return Projection(left, columns[:, first], counts[group[first]])

    def _absorbed(self, factors: list[Projection]) -> list[Projection]:
        """Join each factor whose attributes another one has into that one."""
        left: list[Projection] = []
        holders: dict[int, list[int]] = {}
        for factor in sorted(factors, key=lambda f: (-len(f.scope), sorted(f.scope))):
            own = set(factor.scope)
            places = min((holders.get(i, []) for i in factor.scope), key=len, default=[])
            place = next((k for k in places if own.issubset(left[k].scope)), None)
            if place is not None:
                left[place] = self._once(self._join, left[place], factor)
                continue
            for i in factor.scope:
                holders.setdefault(i, []).append(len(left))
            left.append(factor)
        return left

    def _one_attribute_joined(self, factors: list[Projection]) -> list[Projection]:
        """Join all factors of the attribute that has the fewest others in them, the smallest factors first."""
        scopes: dict[int, set[int]] = {}
        for factor in factors:
            for i in factor.scope:
                scopes.setdefault(i, set()).update(factor.scope)
        chosen = min(scopes, key=lambda i: (len(scopes[i]), i))
        own = sorted((f for f in factors if chosen in f.scope), key=lambda f: (f.counts.size, f.scope))
        product = own[0]
        for factor in own[1:]:
            product = self._once(self._join, product, factor)
        return [*(f for f in factors if chosen not in f.scope), product]

    def _join(self, left: Projection, right: Projection) -> Projection:
        shared = [i for i in left.scope if i in right.scope]
        added = [i for i in right.scope if i not in left.scope]
        keys = np.hstack([factor.columns[[factor.scope.index(i) for i in shared]] for factor in (left, right)])
        group = tuple_groups(keys, [self.relation.arities[i] for i in shared])
        n_left = left.counts.size
        here, there = group[:n_left], group[n_left:]
        order = np.argsort(there, kind="stable")
        partners = np.bincount(there, minlength=int(group.max()) + 1)
        times = partners[here]
        _check_size(int(times.sum()), len(left.scope) + len(added), left)
        rows = np.repeat(np.arange(n_left), times)
        place = np.arange(rows.size) - np.repeat(np.cumsum(times) - times, times)
        others = order[(np.cumsum(partners) - partners)[here[rows]] + place]
        columns = np.vstack([left.columns[:, rows], right.columns[[right.scope.index(i) for i in added]][:, others]])
        return Projection((*left.scope, *added), columns, left.counts[rows] * right.counts[others])


def _times(factors: Iterable[Projection]) -> Counter[int]:
    """Return how many factors each attribute is in."""
    return Counter(i for factor in factors for i in factor.scope)


def _check_size(n_tuples: int, n_attributes: int, left: Projection) -> None:
    size = n_tuples * (n_attributes * left.columns.itemsize + 48)
    if size > SMALL and size > memory_limit_of(None):
        raise SearchError(
            f"the graph has circles, and to count its extra tuples takes a join of {n_tuples:,} tuples, "
            f"{gigabytes(size)} of memory: add edges, for instance with networkx.complete_to_chordal_graph(graph)"
        )
