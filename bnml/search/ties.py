"""Several best networks, and the arcs on which they disagree.

Different classes of networks can share the highest score: two columns that are copies of each other, three of which
each is decided by the other two. Exact search returns one of the best, and a report that calls an arc of it directed by
the data says too much if another best network turns the arc round, or does without.

All best networks are there in the sums of exact search. An order of the variables is optimal if each variable i comes
after a set S with R(S) + best_i(S) = R(S ∪ {i}), from the empty set to all of them; in some best network i has the
parents P if its score with P is best_i(S) for such a set S ⊇ P. So

- some best network has j → i if i can have parents P with j among them,
- some best network does not link i and j if one of them, say i, can have parents P without j, after a set S with j.

For each P the least best_i(S) over the supersets S is enough, and that is a minimum over supersets in place.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from bnml._arrays import Numbers
from bnml.counts.lattice import WalkOrder
from bnml.graph import PDAG
from bnml.scores import LocalScores
from bnml.scores.equal_scores import LEAST
from bnml.scores.lattice import has_lattice, lattice_of
from bnml.search.best_networks import Subsets

if TYPE_CHECKING:
    from bnml.search.problem import Problem
    from bnml.search.search_result import SearchResult


Arc = tuple[str, str]
Flags = npt.NDArray[np.bool_]


def disputed_arcs(result: SearchResult) -> tuple[Arc, ...] | None:
    """Return the arcs with a known direction in a tie: another best network turns them round or does without.

    None if that is not known: only what is proven to be the best is asked, and only of a table that an exact search
    goes through in a moment.
    """
    problem = _affordable_problem(result)
    if problem is None or not result.directions.directed:
        return None if problem is None else ()
    best = _best_networks(problem)
    at = {name: place for place, name in enumerate(best.names)}
    if not all(best.some[at[a], at[b]] for a, b in result.structure.arcs):
        return None  # another score, or other rules, than those it was found by
    return tuple((a, b) for a, b in result.directions.directed if best.disagree(at[a], at[b]))


def ties_opened(graph: PDAG, arcs: tuple[Arc, ...]) -> PDAG:
    """Return a graph in which the arcs that ties dispute have no direction.

    Examples
    --------
    >>> print(ties_opened(PDAG(["A", "B", "C"], [("A", "B"), ("C", "B")]), (("A", "B"),)))
    C -> B, A - B
    """
    if not arcs:
        return graph
    kept = [arc for arc in graph.directed if arc not in arcs]
    return PDAG(graph.names, kept, (*graph.undirected, *arcs))


def _affordable_problem(result: SearchResult) -> Problem | None:
    """Return the problem of a result that is proven to be the best, if another exact search takes but a moment."""
    problem = result.problem
    if not result.optimal or problem is None or len(problem.names) > 14:
        return None
    if not isinstance(problem.local, LocalScores) or any(problem.rules.links) or not has_lattice(problem.local):
        return None
    return problem if problem.cost.seconds <= 1.0 else None


@dataclass(frozen=True)
class _BestNetworks:
    """What the best networks have between them: ``some[j, i]`` says that one has j → i, ``none[j, i]`` no link."""

    names: tuple[str, ...]
    some: Flags
    none: Flags

    def disagree(self, a: int, b: int) -> bool:
        """Whether some best network does not have a → b."""
        return bool(self.some[b, a] or self.none[a, b])


def _best_networks(problem: Problem) -> _BestNetworks:
    local = problem.table
    columns = WalkOrder(local.counts).columns
    families = lattice_of(local, problem.rules.among(columns), prune=False, whole=True)
    n, slack = families.n, LEAST / families.unit / families.n
    subsets = Subsets(families, n, 1)
    total = _by_axes(subsets.total[0], n)
    best = [_by_axes(subsets.best_low(0)[i], n - 1) for i in range(n)]
    with_i = [total.take(1, i) for i in range(n)]
    next_best = [total.take(0, i) + best[i] >= with_i[i] - slack for i in range(n)]
    passed = _passed(next_best, n)
    some, none = np.zeros((n, n), bool), np.zeros((n, n), bool)
    for i in range(n):
        least = np.where(next_best[i] & passed.take(1, i), best[i], np.inf)
        for axis in range(n - 1):
            without, joined = _halves(least, axis)
            np.minimum(without, joined, out=without)
        gains = np.full(1 << (n - 1), families.never[0])
        families.fill(i, n, 0, 0, gains)
        own = _by_axes(gains, n - 1)
        taken = own >= least - slack
        for axis, j in enumerate(j for j in range(n) if j != i):
            some[j, i] = taken.take(1, axis).any()
            none[j, i] = (own.take(0, axis) >= least.take(1, axis) - slack).any()
    return _BestNetworks(tuple(local.names[column] for column in columns), some, none | none.T)


def _passed(next_best: list[Flags], n: int) -> Flags:
    """Return the sets that an optimal order of all variables passes through."""
    passed = np.zeros((2,) * n, bool)
    passed[(1,) * n] = True
    for _ in range(n):
        for i in range(n):
            without, joined = _halves(passed, i)
            without |= joined & next_best[i]
    return passed


def _by_axes(values: Numbers, n: int) -> Numbers:
    """Return numbers of all sets of n variables with an axis for each, the first for the lowest bit."""
    return values.reshape((2,) * n).transpose(range(n - 1, -1, -1))


def _halves(values: Numbers, axis: int) -> tuple[Numbers, Numbers]:
    """Return views of the sets without and with a variable."""
    first = np.moveaxis(values, axis, 0)
    return first[:1], first[1:]
