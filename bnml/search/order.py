"""Order search: a good order of the variables, in which each one takes its parents from those before it.

Given an order the best structure is easy: no cycle can arise, so each variable takes its best parents among its
predecessors. Orders are also a smoother landscape than structures: to move one variable to another place changes many
arcs at once. So the search moves one variable after the other to its best place, until none can be moved to the better
(as in BOSS, Andrews et al. 2023); then it climbs by single arcs from the structure it has found. It starts again, in
turns, from the best structure with some arcs changed at random, from which it goes like tabu search, and from the best
order with some variables moved: what the one does not leave, the other often does. With few variables all small parent
sets are listed first, and only orders are changed.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from bnml._bits import bits, mask_of
from bnml._checks import whole_number
from bnml._watch import Watch
from bnml.graph import DAG
from bnml.scores import LocalScores
from bnml.scores.lattice import allowed_sets, has_lattice, undominated_families
from bnml.search.climb import climb_up, climb_with_reinsertions, result_of_climb, shaken
from bnml.search.forecast import ROW, SUBSET
from bnml.search.insertions import Listed, Orders, insertion_neighbours, order_for_insertions
from bnml.search.moves import Structure
from bnml.search.search_result import SearchResult
from bnml.search.tabu import PATIENCE, TENURE, wander
from bnml.search.task import Task, as_search

__all__ = ["order"]

MOST_LISTED = 22  # variables of which all small parent sets may be scored
LEAST_LISTED = 4  # parents; shorter lists would miss more than growing does
LISTING_SECONDS = 0.4  # of one thread, by the model of `bnml.search.forecast`
MOST_FOR_ALL = 100  # variables; with more, parents are sought within two steps of the structure that climbing finds


@as_search("order")
def order(task: Task, *, start: DAG | None = None, restarts: int | None = None) -> SearchResult:
    """Search for the order of the variables that gives the best structure.

    Parameters
    ----------
    start
        The structure whose order to start from; by default that which hill climbing finds.
    restarts
        How often to start again from a shaken order or structure; by default the more often, the fewer variables there
        are.

    Returns
    -------
    SearchResult
        As of `hill_climb`.

    Examples
    --------
    >>> import bnml
    >>> result = bnml.search.order(bnml.example(), "bic")
    >>> round(bnml.search.exact(bnml.example(), "bic").score - result.score, 6)
    0.0
    """
    asked = None if restarts is None else whole_number(restarts, "restarts")
    structure, watch, rng = Structure(task, start), task.watch, np.random.default_rng(task.seed)
    moves, verified = climb_with_reinsertions(structure, watch, 0.0, 0.0)
    near = None if structure.n <= MOST_FOR_ALL else insertion_neighbours(structure.arcs)
    listed, scored = (None, 0) if watch.over else _listed(structure)
    orders = Orders(structure, near, listed)
    rounds = _rounds(structure.n, listed is not None) if asked is None else asked
    every = 2 if listed is None else 1  # where parents are listed, changes of single arcs tell nothing new
    best, top = structure.arcs.copy(), structure.score
    done = 0
    for k in range(rounds + 1):
        if watch.over:
            break
        done = k
        if k % every:
            structure.reset(best)
            moves += shaken(structure, rng, max(3, structure.n // 4))
            moves += climb_up(structure, watch, 0.0, 0.0)[0]
            moves += wander(structure, TENURE, PATIENCE, watch, 0.0, 0.0)
            if structure.score > top + structure.equal:
                best, top, verified = structure.arcs.copy(), structure.score, False
            first = order_for_insertions(structure.arcs)
        elif k:
            first = order_for_insertions(structure.fixed, _shaken(order_for_insertions(best), rng, k // every))
        else:
            first = order_for_insertions(best)
        more, found = _settle(orders, structure, first, watch)
        moves += more
        if structure.score > top + structure.equal:
            best, top, verified = structure.arcs.copy(), structure.score, found
        watch(f"score {top:,.1f}", (k + 1) / (rounds + 1))
    structure.reset(best)
    if not verified:
        more, verified = climb_up(structure, watch, 1.0, 1.0)
        moves += more
    structure.families += scored + orders.families
    return result_of_climb(structure, moves=moves, restarts=done, local_optimum=verified)


def _listed(structure: Structure) -> tuple[Listed | None, int]:
    """Return the parent sets that are better than all their subsets, up to a size that is quickly done; else None.

    Growing by one parent at a time does not see parents that tell something only together. Where all sets of four and
    more can be scored in a moment, none is missed. With them comes the number of families that they were chosen from:
    all that are allowed up to that size. (A bound may rule out some of these unseen; they count as well.)
    """
    local, n = structure.local, structure.n
    if not isinstance(local, LocalScores) or n > MOST_LISTED or not has_lattice(local) or structure.tied.any():
        return None, 0
    assert local.terms is not None
    per_subset = SUBSET + ROW * structure.task.n_distinct * (1 + len(local.terms.margin))
    most, subsets = 0, 1.0
    while most < min(structure.most, n - 1):
        subsets += math.comb(n, most + 1)
        if most > 1 and (subsets + math.comb(n, most + 2)) * per_subset > LISTING_SECONDS:
            break
        most += 1
    if most < min(LEAST_LISTED, structure.most, n - 1):
        return None, 0
    rules = replace(structure.task.rules, most=most)
    found = undominated_families(local, rules, structure.threads)
    place = {column: i for i, column in enumerate(structure.columns)}

    def moved(mask: int) -> int:
        return mask_of(place[column] for column in bits(mask))

    listed = [
        [(score, moved(mask)) for score, mask in zip(found.scores[c].tolist(), found.parents[c], strict=True)]
        for c in structure.columns
    ]
    must = structure.fixed.sum(axis=0).tolist()
    free = (structure.may & ~structure.fixed).sum(axis=0).tolist()
    if rules.sparse:
        return listed, sum(len(allowed_sets(rules, i)) for i in range(n))
    return listed, sum(
        math.comb(more, k) for least, more in zip(must, free, strict=True) for k in range(most - least + 1)
    )


def _settle(orders: Orders, structure: Structure, first: list[int], watch: Watch) -> tuple[int, bool]:
    """Improve an order, and the structure it gives by single arcs, in turns, until neither helps."""
    moves, top = 0, -np.inf
    while True:
        first, score, more = orders.improve(first, watch)
        if score == -np.inf:  # links that are required need more parents than are allowed in this order
            return moves + more, False
        structure.reset(orders.arcs(first))
        climbed, found = climb_up(structure, watch, 0.0, 0.0)
        moves += more + climbed
        if structure.score <= top + structure.equal or watch.over:
            return moves, found
        top = structure.score
        first = order_for_insertions(structure.arcs)


def _rounds(n: int, listed: bool) -> int:
    """Return how many restarts do not take long; they take less where parents are listed."""
    return min(200 if listed else 100, max(2, 900 // n, 40_000 // n**2))


def _shaken(order: list[int], rng: np.random.Generator, k: int) -> list[int]:
    """Move some variables to other places: a few, then more, then all of them, and a few again."""
    order = list(order)
    for _ in range(max(2, len(order) * (k % 5) // 4)):
        order.insert(int(rng.integers(len(order))), order.pop(int(rng.integers(len(order)))))
    return order
