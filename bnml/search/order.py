"""Order search: a good order of the variables, in which each one takes its parents from those before it.

Given an order the best structure is easy: no cycle can arise, so each variable takes its best parents among its
predecessors. Orders are also a smoother landscape than structures: to move one variable to another place changes many
arcs at once. So the search moves one variable after the other to its best place, until none can be moved to the better
(as in BOSS, Andrews et al. 2023); then it climbs by single arcs from the structure it has found. It starts again, in
turns, from the best structure with some arcs changed at random, from which it goes like tabu search, and from the best
order with some variables moved: what the one does not leave, the other often does.

Parents that are grown one at a time miss what pays only together. So the families that can be in an optimal structure
are listed, as far as that is done in seconds, and orders are searched with these as well; where the list is whole, with
these alone.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from bnml._arrays import Bools
from bnml._bits import bits, mask_of
from bnml._checks import whole_number
from bnml._costs import SECONDS
from bnml._executor import checked_executor
from bnml._watch import Watch
from bnml.graph import DAG
from bnml.scores import FamilyScores, LocalScores
from bnml.scores.candidates_by_bounds import Candidates
from bnml.scores.lattice import allowed_sets, has_lattice, listable_by_bounds, undominated_families
from bnml.search.candidates import candidates_to_size, candidates_with_structure
from bnml.search.climb import climb_in_turns, climb_up, result_of_climb
from bnml.search.cuts import arrays_of_families, search_orders
from bnml.search.forecast import listing_seconds
from bnml.search.insertions import Orders, insertion_neighbours, order_for_insertions
from bnml.search.moves import Structure
from bnml.search.problem import Problem
from bnml.search.restarts import BestSoFar, Restarted, Restarts, run_restarts, shake_structure
from bnml.search.search_result import SearchResult
from bnml.search.tabu import PATIENCE, TENURE, tabu_walk

if TYPE_CHECKING:
    from concurrent.futures import Executor

FEW_VARIABLES = 22  # of which one subset serves many families
LEAST_OF_FEW = 4  # parents that lists of few variables have; shorter ones would miss more than growing does
LEAST_LISTED = 2  # parents; shorter lists tell nothing new
LISTING_SECONDS = 6.0  # of one thread, by the model of `bnml.search.forecast`
FEW_SECONDS = 0.4  # likewise, where families are listed from the subsets of few variables
LISTING_SHARE = 0.5  # of the time that is left


def order(
    problem: Problem, *, start: DAG | None = None, restarts: int | None = None, executor: Executor | None = None
) -> SearchResult:
    """Search for the order of the variables that gives the best structure."""
    asked = None if restarts is None else whole_number(restarts, "restarts")
    return order_with_lists(problem, start, asked, executor=checked_executor(executor))


def order_with_lists(
    problem: Problem,
    start: DAG | None = None,
    asked: int | None = None,
    lists: Callable[[], Candidates | None] | None = None,
    executor: Executor | None = None,
) -> SearchResult:
    """Search orders from a start, with so many restarts, and with families that ``lists`` returns, if there are any.

    Under a time limit families are listed after the restarts: the limit then decides how far the search gets, but not
    what it does first, so that more time does not give a lower score.
    """
    structure, watch, rng = Structure(problem, start), problem.watch, np.random.default_rng(problem.seed)
    moves, verified = climb_in_turns(structure, watch, 0.0, 0.0)
    best = BestSoFar(structure, 0, structure.arcs.copy(), structure.score, verified, moves)
    lists = lists or (lambda: list_for_order_search(problem, LISTING_SECONDS / listing_seconds(problem)))
    lists_first = watch.limit is None or structure.n <= FEW_VARIABLES
    listed = lists() if lists_first else None
    if listed is None or not (listed.complete or structure.n <= FEW_VARIABLES):
        # with more, parents are sought within two steps of the structure that climbing finds
        near = None if structure.n <= 100 else insertion_neighbours(structure.arcs)
        best.rounds = _rounds(structure.n) if asked is None else asked

        def begin(k: int) -> _OrderBeginning:
            if k % 2:
                structure.reset(best.arcs)
                changed = shake_structure(structure, rng, max(3, structure.n // 4))
                return _OrderBeginning(structure.arcs.copy(), None, changed)
            first = order_for_insertions(best.arcs)
            if k:
                first = order_for_insertions(structure.fixed, _shaken(first, rng, k // 2))
            return _OrderBeginning(None, first)

        shared = Restarts(structure, start, _SettleAgain(near))
        run_restarts(shared, range(best.rounds + 1), begin, best.take, rng, executor)
    moves, verified, done = best.moves, best.verified, best.done
    structure.reset(best.arcs)
    if not lists_first and not watch.over:
        listed = lists()
    if listed is not None and not watch.over:
        rounds = _rounds_on_lists(listed.families) if asked is None else asked
        better = _best_of_lists(structure, listed, rounds, watch)
        structure.families += listed.visited
        done = max(done, rounds)
        if better is not None:
            moves, verified = moves + 1, False
        structure.reset(best.arcs if better is None else better)
    if not verified:
        more, verified = climb_up(structure, watch, 1.0, 1.0)
        moves += more
    limited = watch.limit is not None  # with less time the result may be a forest, and more must not be worse
    return result_of_climb(structure, compare_forest=limited, moves=moves, restarts=done, local_optimum=verified)


@dataclass(frozen=True)
class _OrderBeginning:
    """Where a restart begins: a structure, for which so many changes were made, or an order."""

    arcs: Bools | None
    order: list[int] | None
    changed: int = 0


@dataclass(frozen=True)
class _SettleAgain:
    """How order search goes on from where a restart begins; ``near`` are the parents that are thought of."""

    near: Bools | None

    def on(self, structure: Structure) -> Callable[[_OrderBeginning, Watch], Restarted]:
        """Return what wanders from a structure, as tabu search does, and improves orders."""
        orders = Orders(structure, self.near)

        def go_on(at: _OrderBeginning, watch: Watch) -> Restarted:
            scored, counted, moves, first = structure.families, orders.families, at.changed, at.order
            found = []
            if first is None:
                assert at.arcs is not None
                structure.reset(at.arcs)
                moves += climb_up(structure, watch, 0.0, 0.0)[0]
                moves += tabu_walk(structure, TENURE, PATIENCE, watch, 0.0, 0.0)
                found.append((structure.arcs.copy(), structure.score, False))
                first = order_for_insertions(structure.arcs)
            more, settled = _settle(orders, structure, first, watch)
            if settled is not None:
                found.append((structure.arcs.copy(), structure.score, settled))
            counted = orders.families - counted
            structure.families += counted
            return Restarted(tuple(found), moves + more, structure.families - scored)

        return go_on


def list_for_order_search(problem: Problem, most: float) -> Candidates | None:
    """Return the candidate families of order search, up to a size that is done with so many parent sets.

    Growing by one parent at a time does not see parents that tell something only together. In a list none is missed.
    None if it would hold few, if there are no bounds for it, or if half of the remaining time is not enough.
    """
    local, watch = problem.local, problem.watch
    if isinstance(local, LocalScores) and len(problem.names) <= FEW_VARIABLES:
        return _list_by_lattice(problem, local)
    if isinstance(local, LocalScores) and not listable_by_bounds(local, problem.hard_rules):
        return None
    members = 1 + min(LEAST_LISTED, problem.rules.most)
    if isinstance(local, LocalScores) and math.comb(len(problem.names), members) > most:
        return None
    used = 0.0 if watch.limit is None else watch.seconds / watch.limit
    early = watch.share(used + LISTING_SHARE * (1.0 - used))
    found = candidates_to_size(problem, early, LEAST_LISTED, 0.0, most)
    if found is None or found.complete:
        return found
    whole = found.families.complete_to
    return found if whole is not None and whole >= LEAST_LISTED and not early.over else None


def _list_by_lattice(problem: Problem, local: LocalScores) -> Candidates | None:
    """Return families of few variables that are better than all their subsets, up to a size that is quickly done."""
    rules, n = problem.hard_rules, len(problem.names)
    if not has_lattice(local) or any(rules.links):
        return None
    assert local.terms is not None
    per_subset = len(local.views) * (SECONDS.subset + SECONDS.row * problem.n_distinct * (1 + len(local.terms.margin)))
    most, subsets, largest = 0, 1.0, min(rules.most, n - 1)
    while most < largest:
        subsets += math.comb(n, most + 1)
        if most > 1 and (subsets + math.comb(n, most + 2)) * per_subset > FEW_SECONDS:
            break
        most += 1
    if most < min(LEAST_OF_FEW, largest):
        return None
    families = undominated_families(local, replace(rules, most=most), problem.threads)
    unlisted = -math.inf if most == largest else math.inf
    return Candidates(families, (unlisted,) * n, sum(len(allowed_sets(replace(rules, most=most), i)) for i in range(n)))


def _best_of_lists(structure: Structure, listed: Candidates, rounds: int, watch: Watch) -> Bools | None:
    """Return the best structure that orders give with listed families, if it is better than the one that is known."""
    columns = structure.columns
    place = {column: i for i, column in enumerate(columns)}
    known = [0] * structure.n
    for i, column in enumerate(columns):
        known[column] = mask_of(columns[j] for j in np.flatnonzero(structure.arcs[:, i]).tolist())
    families = candidates_with_structure(listed.families, structure.local, known)

    def moved(mask: int) -> int:
        return mask_of(place[column] for column in bits(mask))

    sets = [[moved(mask) for mask in families.parents[column]] for column in columns]
    scores = [families.scores[column] for column in columns]
    arrays = arrays_of_families(sets, scores, structure.rules.links, [-math.inf] * structure.n)
    order = order_for_insertions(structure.arcs)
    score, chosen = search_orders(arrays, order, rounds, structure.problem.seed, watch)
    if score <= structure.score + structure.equal:
        return None
    return np.ascontiguousarray(arrays.contains[chosen].T)


def _settle(orders: Orders, structure: Structure, first: list[int], watch: Watch) -> tuple[int, bool | None]:
    """Improve an order, and the structure it gives by single arcs, in turns, until neither helps.

    Returns the moves, and whether the structure is a local optimum; None if no structure goes with the order.
    """
    moves, top = 0, -np.inf
    while True:
        first, score, more = orders.improve(first, watch)
        if score == -np.inf:  # links that are required need more parents than are allowed in this order
            return moves + more, None
        structure.reset(orders.arcs(first))
        climbed, found = climb_up(structure, watch, 0.0, 0.0)
        moves += more + climbed
        if structure.score <= top + structure.equal or watch.over:
            return moves, found
        top = structure.score
        first = order_for_insertions(structure.arcs)


def _rounds(n: int) -> int:
    """Return how many restarts do not take long."""
    return min(100, max(2, 900 // n, 40_000 // n**2))


def _rounds_on_lists(families: FamilyScores) -> int:
    """Return how many restarts on listed families do not take long."""
    n = len(families.names)
    # looks at families while orders are climbed: a few seconds
    return min(10_000, max(50, round(1e9 / (n * sum(map(len, families.parents))))))


def _shaken(order: list[int], rng: np.random.Generator, k: int) -> list[int]:
    """Move some variables to other places: a few, then more, then all of them, and a few again."""
    order = list(order)
    for _ in range(max(2, len(order) * (k % 5) // 4)):
        order.insert(int(rng.integers(len(order))), order.pop(int(rng.integers(len(order)))))
    return order
