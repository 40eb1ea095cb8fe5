"""The door to all searches: check everything, choose a search, run it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from bnml.data import Data, as_data
from bnml.graph import DAG, Constraints
from bnml.graph.rules import ROWS_PER_CELL
from bnml.scores import FamilyScores, Score
from bnml.scores.candidates_by_bounds import Candidates
from bnml.scores.priors import DEFAULT_PRIOR, StructurePrior
from bnml.search.by_cuts import exact_by_cuts
from bnml.search.forecast import AFFORDABLE, CORES, Forecast, forecast_of, listing_seconds
from bnml.search.order import list_for_order_search, order_with_lists
from bnml.search.search_result import SearchResult, uninterrupted_result
from bnml.search.searches import SEARCHES, request_for
from bnml.search.task import MemoryOverError, Request, Task, TimeOverError

__all__ = ["check_learn_request", "learn", "learn_as_asked", "learn_request", "learn_structure", "learn_task"]

EXACT_SHARE = 2 / 3  # of the time limit; the rest is kept for another search, should exact search not end
SURE_SHARE = 0.25  # of the time limit: exact search that is forecast to take less needs no other search before it
HEURISTIC_PROGRESS = 0.2  # of the work, for progress, of the other search
MOST_NODES = 200  # branches that `auto` looks at
IN_ENGINE = "tabu"  # of rows that stay in an engine, where every step is a scan
HEURISTIC = "order"  # what `auto` stands for beyond exact search; see benchmarks/RESULTS.md


def learn(
    data: Any,
    score: Score | str = "qnml",
    search: str = "auto",
    *,
    constraints: Constraints | None = None,
    max_parents: int | None = None,
    rows_per_cell: float = ROWS_PER_CELL,
    prior: StructurePrior | str | None = DEFAULT_PRIOR,
    seed: int = 0,
    threads: int | None = None,
    memory_limit: int | str | None = None,
    time_limit: float | None = None,
    progress: Callable[[str, float], None] | None = None,
    **options: Any,
) -> SearchResult:
    """Learn the structure of a Bayesian network from data.

    Parameters
    ----------
    data
        A `Data`, or anything that `bnml.read` takes; or a `bnml.scores.FamilyScores`, local scores without a table, of
        which ``score`` and ``prior`` are then a part already. With gaps (``missing="em"``) it is learned by structural
        EM, around the search that is asked for (`bnml.search.structural_em`).
    score
        What is to be maximised: a name or an object of `bnml.scores`.
    search
        ``"exact"`` finds the best structure there is and proves it. ``"auto"`` is exact where a forecast says that this
        is a matter of a minute and fits into memory and into the time limit, or where the families that can be in an
        optimal structure are listed in about as long; it is ``"order"`` beyond. The choice depends on the data and the
        limits alone. Should the forecast be wrong, and exact search not end in time or run out of memory, what is left
        of the time is for the next of these. Others: ``"climb"``, ``"tabu"``, ``"ges"``, ``"k2"``,
        ``"chow-liu"``, ``"forest"``, ``"nml-forest"``, ``"tan"``, ``"naive"``, ``"polytree"``; ``"pc"`` and ``"npc"``
        go by tests of independence.
    constraints
        What is known of the structure.
    max_parents
        The most parents that a variable may have; None for any number.
    rows_per_cell
        A variable may have parents only if the table of its family has on average so many rows for each of its cells:
        scores cannot judge families with more cells than that. It binds searches by score, not ``"chow-liu"``,
        ``"nml-forest"``, ``"tan"``, ``"naive"``, ``"polytree"``, ``"pc"`` and ``"npc"``; 0 lifts the rule.
    prior
        The structure prior, whose logarithm is added to the score: ``"uniform"``, or None; ``"sparse"``, one expected
        parent per variable (see `bnml.priors.Sparse`), which keeps chance from making arcs in wide tables; or a prior
        of `bnml.priors`. The name ``"sparse"`` does not apply to ``"chow-liu"``, ``"nml-forest"``, ``"tan"``,
        ``"naive"``, ``"polytree"``, ``"pc"`` and ``"npc"``, to local scores without a table, nor to ``"mdl+parents"``,
        which charges for parents itself.
    seed
        Where a search is random, the same seed gives the same result.
    threads
        How many threads may be used; all cores by default. The result does not depend on it.
    memory_limit
        The most memory that may be used, in bytes or as a text such as ``"8GB"``; by default most that there is.
    time_limit
        Seconds after which the search is to end.
    progress
        Called as ``progress(stage, fraction)`` now and then; the fraction of the work that is done grows from 0 to 1.
    **options
        Options of the search that is named.

    Returns
    -------
    SearchResult
        The structure, its class and its score, whether it is proven optimal, and the fitted network.

    Raises
    ------
    BnmlError
        If an argument is wrong, no structure meets the constraints, or the search would not fit into memory. Nothing
        has been computed then.

    Examples
    --------
    >>> import bnml
    >>> result = bnml.learn(bnml.example())
    >>> result.search, result.optimal, round(result.score, 1)
    ('exact', True, -11284.4)
    >>> known = bnml.Constraints(required=[("asia", "tub")])
    >>> ("asia", "tub") in bnml.learn(bnml.example(), "bic", constraints=known).dag.arcs
    True
    """
    asked = request_for(
        search, options, score=score, constraints=constraints, max_parents=max_parents, rows_per_cell=rows_per_cell,
        prior=prior, seed=seed, threads=threads, memory_limit=memory_limit, time_limit=time_limit, progress=progress,
    )  # fmt: skip
    return learn_request(asked, data, memory_limit)


def learn_request(asked: Request, data: Any, memory_limit: int | str | None = None) -> SearchResult:
    """Learn from data, which are read within a memory limit; by structural EM if values are missing."""
    table = data if isinstance(data, FamilyScores) else as_data(data, memory_limit)
    if isinstance(table, Data) and table.has_gaps:
        from bnml.search.structural_em import learn_with_gaps

        return learn_with_gaps(asked, table, learn_task, SEARCHES)
    return learn_task(asked, asked.open(table))


def check_learn_request(asked: Request, data: Data) -> None:
    """Refuse what cannot be learned from a table as a request asks, before any work.

    Raises
    ------
    BnmlError
        If the request does not go with it.
    """
    if data.has_gaps:
        from bnml.search.structural_em import check_with_gaps

        check_with_gaps(asked, data)
    else:
        asked.open(data)


def learn_as_asked(asked: Request, data: Any) -> SearchResult:
    """Learn from data as a search's request asks, for something that goes on from there: an interrupt ends both."""
    return uninterrupted_result(learn_request(asked, data))


def learn_structure(asked: Request, data: Any) -> SearchResult:
    """Learn one of many structures, of which only the class counts: from a table with gaps that takes less."""
    table = data if isinstance(data, FamilyScores) else as_data(data)
    if isinstance(table, Data) and table.has_gaps:
        from bnml.search.structural_em import structure_with_gaps

        return uninterrupted_result(structure_with_gaps(asked, table, learn_task, SEARCHES))
    return learn_as_asked(asked, table)


def learn_task(asked: Request, task: Task) -> SearchResult:
    """Run a request on a task that was opened for it; choose a search if that is left open."""
    if asked.search is not None:
        return asked.search.run(task, **asked.options)
    if task.in_engine:
        return SEARCHES[IN_ENGINE].run(task.named(IN_ENGINE, "chosen by auto, as the rows stay in an engine"))
    cost, limit = forecast_of(task), task.watch.limit
    against = _against_exact(cost, limit)
    if against:
        return _beyond_exact(task, against)
    if limit is None or cost.seconds <= SURE_SHARE * limit:
        found = _exact_or_why_not(task)
        return found if isinstance(found, SearchResult) else _beyond_exact(task, found)
    first = _beyond_exact(replace(task, watch=task.watch.share(1.0, HEURISTIC_PROGRESS)), "may not end in time")
    return first if task.watch.over or "interrupted" in first.info else _exact_or(task, first)


def _beyond_exact(task: Task, against: str) -> SearchResult:
    """Return what order search finds, and branch and cut where all families that matter are listed in a minute.

    Under a time limit order search comes first, and what it finds is kept: more time does not give a lower score.
    """
    heuristic = task.named(HEURISTIC, f"chosen by auto, as exact search {against}")
    if task.watch.limit is None:
        listed = _list_in_a_minute(task)
        if listed is None or not listed.complete:
            return order_with_lists(heuristic, lists=lambda: listed)
        found = _by_cuts(task, listed, against)
        if found.optimal or "interrupted" in found.info:
            return found
        return _better(found, order_with_lists(heuristic, lists=lambda: listed))
    whole: list[Candidates] = []

    def lists() -> Candidates | None:
        listed = _list_in_a_minute(task)
        if listed is None or not listed.complete:
            return listed
        whole.append(listed)
        return None

    found = order_with_lists(heuristic, lists=lists)
    if not whole or task.watch.over or "interrupted" in found.info:
        return found
    return _better(_by_cuts(task, whole[0], against, found.dag), found)


def _better(bounded: SearchResult, other: SearchResult) -> SearchResult:
    """Return the result with the higher score, the first of equal ones, with the bound that the first has."""
    return bounded if bounded.optimal or bounded.score >= other.score else _with_bound(other, bounded.bound)


def _with_bound(result: SearchResult, bound: float | None) -> SearchResult:
    """Return a result with a bound on all structures that another search has found."""
    if bound is None:
        return result
    return replace(result, info={**result.info, "within": max(0.0, bound - result.score)})


def _list_in_a_minute(task: Task) -> Candidates | None:
    """Return the families that can be in an optimal structure, as far as a minute's work on two cores goes.

    None if that is not far, or if there are no bounds for such a list.
    """
    most = AFFORDABLE * CORES / listing_seconds(task)
    return list_for_order_search(task, most)


def _by_cuts(task: Task, listed: Candidates, against: str, start: DAG | None = None) -> SearchResult:
    """Return the best structure of a whole list, proven if that does not take many branches."""
    proven = "chosen by auto, as all families that matter could be listed"
    found = exact_by_cuts(task.named("exact", proven), start, listed, MOST_NODES)
    if found.optimal:
        return found
    end = "interrupted" if "interrupted" in found.info else "given up"
    reason = f"chosen by auto, as exact search {against}, and branch and cut was {end}"
    return replace(found, search=HEURISTIC, info={**found.info, "reason": reason})


def _against_exact(cost: Forecast, time_limit: float | None) -> str:
    """Return what is to be said against exact search before it begins, if anything; the same words on every machine."""
    if not cost.fits:
        return "does not fit into memory"
    if not cost.affordable:
        return "would take more than a minute"
    return "" if time_limit is None or cost.seconds <= time_limit else "would take longer than the time limit"


def _exact_or_why_not(task: Task) -> SearchResult | str:
    """Return what exact search finds, or why it was given up: a forecast may be wrong, and so some time is left."""
    try:
        found = _exact(replace(task, watch=task.watch.share(EXACT_SHARE)))
        return found if found.optimal or "interrupted" in found.info else _gone_on_from(task, found)
    except TimeOverError:
        return "did not end within two thirds of the time limit"
    except MemoryOverError:
        return "ran out of memory"


def _exact_or(task: Task, known: SearchResult) -> SearchResult:
    """Return the optimum if exact search ends in time, or else a result that is known."""
    try:
        return _better(_exact(task), known)
    except (TimeOverError, MemoryOverError):
        return known


def _exact(task: Task) -> SearchResult:
    return SEARCHES["exact"].run(
        task.named("exact", "chosen by auto, as it fits into memory and takes a minute at most")
    )


def _gone_on_from(task: Task, found: SearchResult) -> SearchResult:
    """Return what order search makes of a structure in what is left of the time, with the bound that is known."""
    reason = "chosen by auto, as exact search did not end within two thirds of the time limit"
    return _with_bound(order_with_lists(task.named(HEURISTIC, reason), found.dag), found.bound)
