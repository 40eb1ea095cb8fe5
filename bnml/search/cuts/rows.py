"""Linear inequalities that every structure meets: one variable per family, 1 if the structure has it.

Each is kept as whole numbers, ``sum of coefficients · families <= most``. A *cluster* is a set C of variables. Some
member of it comes first in an order, and so has no parent in it: the families of members of C that have no parent in C
sum to at least 1, and those that have one to at most |C| - 1. The two say the same, as each variable has one family;
the shorter is kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bnml.search.cuts.family_arrays import Bools, FamilyArrays, Ints


@dataclass(frozen=True, eq=False)
class Row:
    """An inequality: the families that it has, their coefficients, and what they sum to at most.

    Attributes
    ----------
    key
        What it says, for comparisons; the members of a cluster, or the bytes of a sum.
    families, coefficients, most
        The inequality.
    lasting
        Whether it must stay: of clusters that are dropped those that matter are found again, of required links not.
    """

    key: bytes
    families: Ints
    coefficients: Ints
    most: int
    lasting: bool = False

    def renumbered(self, place: Ints) -> Row:
        """Return the same for families that have other numbers; those with a negative one are gone."""
        where = place[self.families]
        kept = where >= 0
        return Row(self.key, where[kept], self.coefficients[kept], self.most, self.lasting)


def cluster_row(problem: FamilyArrays, members: Bools) -> Row:
    """Return that some member of a cluster has no parent in it."""
    first, own = problem.first, np.flatnonzero(members)
    meeting, apart = [], []
    for x in own.tolist():
        meets = problem.contains[first[x] : first[x + 1], own].any(axis=1)
        meeting.append(first[x] + np.flatnonzero(meets))
        apart.append(first[x] + np.flatnonzero(~meets))
    inside, outside = np.concatenate(meeting), np.concatenate(apart)
    key = np.packbits(members).tobytes()
    if outside.size <= inside.size:
        return Row(key, outside, np.full(outside.size, -1), -1)
    return Row(key, inside, np.ones(inside.size, np.int64), own.size - 1)


def link_row(problem: FamilyArrays, i: int, j: int) -> Row:
    """Return that one of two variables is a parent of the other."""
    found = []
    for child, parent in ((i, j), (j, i)):
        span = slice(problem.first[child], problem.first[child + 1])
        meets = problem.contains[span, parent] | ~problem.listed[span]
        found.append(problem.first[child] + np.flatnonzero(meets))
    families = np.concatenate(found)
    return Row(b"link %d %d" % (i, j), families, np.full(families.size, -1), -1, lasting=True)


def pair_rows(problem: FamilyArrays) -> Sequence[Row]:
    """Return the rows for the clusters of two variables that can be each other's parents."""
    both = problem.possible & problem.possible.T
    found = []
    for i, j in np.argwhere(np.triu(both)).tolist():
        members = np.zeros(problem.n, bool)
        members[[i, j]] = True
        found.append(cluster_row(problem, members))
    return found
