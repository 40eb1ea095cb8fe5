"""All families at once: their scores as a table, and those that are worth telling another solver."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bnml._arrays import Floats, Ints
from bnml._bits import members
from bnml._machine import cores, run_all
from bnml._watch import Tell
from bnml.counts.lattice import WalkOrder
from bnml.errors import ArgumentError
from bnml.graph import Rules
from bnml.scores.family_scores import FamilyScores
from bnml.scores.lattice.allowed_sets import allowed_sets
from bnml.scores.lattice.by_view import LatticeByView
from bnml.scores.lattice.lattice import Lattice, has_lattice, lattice_of
from bnml.scores.lattice.memory import check_all_families
from bnml.scores.local import LocalScores


def score_all_families(local: LocalScores, threads: int | None = None, done: Tell | None = None) -> Floats:
    """Return the scores of all families: for each column, and each set of the others.

    ``result[i, p]`` is the score of column i with the parents p: a bit mask over the columns with bit i left out.
    """
    n, workers = len(local.data.names), cores(threads)
    result = np.empty((n, 1 << (n - 1)))
    if not has_lattice(local):
        for i in range(n):
            others = [j for j in range(n) if j != i]
            sets = [[j for b, j in enumerate(others) if p >> b & 1] for p in range(1 << (n - 1))]
            result[i] = local.families(i, sets, threads)
        return result
    rules = Rules.none(local.names).among(WalkOrder(local.data).columns)
    lattice = lattice_of(local, rules, whole=True, threads=workers, done=done)
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
    rules: Rules | None = None,
    threads: int | None = None,
    limit: int | str | None = None,
) -> FamilyScores:
    """Return those of all families in the lattice that are better than all with fewer of the same parents.

    No other family is in an optimal structure, whatever else holds: these are all that a solver needs. ``rules`` say
    what is allowed, by column. What does not fit into memory is refused before any work.

    Examples
    --------
    >>> import bnml
    >>> from bnml.scores import LocalScores
    >>> undominated_families(LocalScores(bnml.example(), "bic"))
    FamilyScores(8 variables, 111 parent sets)
    """
    n, workers = len(local.data.names), cores(threads)
    check_all_families(local, limit)
    rules = rules or Rules.none(local.names)
    if any(rules.links):
        raise ArgumentError("required links cannot be told to another solver by its scores; require an arc instead")
    if has_lattice(local):
        columns = WalkOrder(local.data).columns
        lattice = lattice_of(local, rules.among(columns), threads=workers)
        found = [_undominated(lattice, i) for i in range(n)]
    else:
        columns = tuple(range(n))
        found = [allowed_sets(rules, i) for i in range(n)]
    sets: list[list[int]] = [[] for _ in range(n)]
    for i, masks in enumerate(found):
        sets[columns[i]] = [sum(1 << columns[j] for j in range(n) if mask >> j & 1) for mask in masks.tolist()]
    scores = [local.families(i, [members(mask) for mask in sets[i]], threads) for i in range(n)]
    return FamilyScores(local.data.names, tuple(map(tuple, sets)), tuple(scores), prior=local.prior).undominated()


def _undominated(lattice: Lattice | LatticeByView, i: int) -> Ints:
    """Return the parent sets of a variable that are better than all their subsets."""
    n = lattice.n
    own = np.full(1 << (n - 1), -np.inf)
    lattice.fill(i, n, 0, 0, own)
    best, below = own.copy(), np.full(own.size, -np.inf)
    for b in range(n - 1):
        halves = best.reshape(-1, 2, 1 << b)
        np.maximum(halves[:, 1], halves[:, 0], out=halves[:, 1])
    for b in range(n - 1):
        larger = below.reshape(-1, 2, 1 << b)[:, 1]
        np.maximum(larger, best.reshape(-1, 2, 1 << b)[:, 0], out=larger)
    found = np.flatnonzero(own > below)
    return np.asarray((found & ((1 << i) - 1)) | (found >> i << (i + 1)), np.int64)
