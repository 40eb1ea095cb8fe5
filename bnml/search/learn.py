"""Entry point for structure learning: bind the options to the data, choose a search, run it."""

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
from bnml.search.forecast import AFFORDABLE, CORES, Forecast, listing_seconds
from bnml.search.options import SearchOptions, search_options
from bnml.search.order import list_for_order_search, order_with_lists
from bnml.search.problem import MemoryOverError, Problem, TimeOverError, bind
from bnml.search.search_result import SearchResult, uninterrupted_result
from bnml.search.searches import SEARCHES

EXACT_SHARE = 2 / 3  # of the time limit; the rest is kept for another search, should exact search not end
SURE_SHARE = 0.25  # of the time limit: exact search that is forecast to take less needs no other search before it
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
    checked = search_options(
        search, score=score, constraints=constraints, max_parents=max_parents, rows_per_cell=rows_per_cell, prior=prior,
        seed=seed, threads=threads, memory_limit=memory_limit, time_limit=time_limit, progress=progress, **options,
    )  # fmt: skip
    return learn_with(checked, data if isinstance(data, FamilyScores) else as_data(data, memory_limit))


def learn_with(options: SearchOptions, data: Data | FamilyScores, beside: Data | None = None) -> SearchResult:
    """Learn with checked options; by structural EM if values are missing.

    Parameters
    ----------
    options
        The options.
    data
        A table, or local scores without one.
    beside
        A table for the parameters of the network, where there are local scores alone.
    """
    if isinstance(data, Data) and data.has_gaps:
        from bnml.search.structural_em import learn_with_gaps

        return learn_with_gaps(options, data, solve, SEARCHES)
    problem = bind(options, data)
    return solve(problem if beside is None else replace(problem, beside=beside))


def bind_or_check(options: SearchOptions, data: Data) -> Problem | None:
    """Return the problem of learning from a table; None for one with missing values, once the options are checked.

    Raises
    ------
    BnmlError
        If the options do not go with the table.
    """
    if not data.has_gaps:
        return bind(options, data)
    from bnml.search.structural_em import check_with_gaps

    check_with_gaps(options, data)
    return None


def learn_or_raise(options: SearchOptions, data: Data) -> SearchResult:
    """Learn from data for something that follows: an interrupt ends both."""
    return uninterrupted_result(learn_with(options, data))


def learn_class(options: SearchOptions, data: Data) -> SearchResult:
    """Learn a structure for resampling: only its equivalence class is used, so EM stops early."""
    if data.has_gaps:
        from bnml.search.structural_em import structure_with_gaps

        return uninterrupted_result(structure_with_gaps(options, data, solve, SEARCHES))
    return learn_or_raise(options, data)


def solve(problem: Problem) -> SearchResult:
    """Run the search of a problem; choose one if that is left open."""
    search = problem.options.search
    if search is not None:
        return search.run(problem, **problem.options.options)
    if problem.in_engine:
        return SEARCHES[IN_ENGINE].run(problem.named(IN_ENGINE, "chosen by auto, as the rows stay in an engine"))
    cost, limit = problem.cost, problem.watch.limit
    against = _against_exact(cost, limit)
    if against:
        return _beyond_exact(problem, against)
    if limit is None or cost.seconds <= SURE_SHARE * limit:
        found = _exact_or_why_not(problem)
        return found if isinstance(found, SearchResult) else _beyond_exact(problem, found)
    # the other search is a fifth of the work, for progress
    first = _beyond_exact(problem.watched(problem.watch.share(1.0, 0.2)), "may not end in time")
    return first if problem.watch.over or "interrupted" in first.info else _exact_or(problem, first)


def _beyond_exact(problem: Problem, against: str) -> SearchResult:
    """Return what order search finds, and branch and cut where all families that matter are listed in a minute.

    Under a time limit order search comes first, and what it finds is kept: more time does not give a lower score.
    """
    heuristic = problem.named(HEURISTIC, f"chosen by auto, as exact search {against}")
    if problem.watch.limit is None:
        listed = _list_in_a_minute(problem)
        if listed is None or not listed.complete:
            return order_with_lists(heuristic, lists=lambda: listed)
        found = _by_cuts(problem, listed, against)
        if found.optimal or "interrupted" in found.info:
            return found
        return _better(found, order_with_lists(heuristic, lists=lambda: listed))
    whole: list[Candidates] = []

    def lists() -> Candidates | None:
        listed = _list_in_a_minute(problem)
        if listed is None or not listed.complete:
            return listed
        whole.append(listed)
        return None

    found = order_with_lists(heuristic, lists=lists)
    if not whole or problem.watch.over or "interrupted" in found.info:
        return found
    return _better(_by_cuts(problem, whole[0], against, found.dag), found)


def _better(bounded: SearchResult, other: SearchResult) -> SearchResult:
    """Return the result with the higher score, the first of equal ones, with the bound that the first has."""
    return bounded if bounded.optimal or bounded.score >= other.score else _with_bound(other, bounded.bound)


def _with_bound(result: SearchResult, bound: float | None) -> SearchResult:
    """Return a result with a bound on all structures that another search has found."""
    if bound is None:
        return result
    return replace(result, info={**result.info, "within": max(0.0, bound - result.score)})


def _list_in_a_minute(problem: Problem) -> Candidates | None:
    """Return the families that can be in an optimal structure, as far as a minute's work on two cores goes.

    None if that is not far, or if there are no bounds for such a list.
    """
    most = AFFORDABLE * CORES / listing_seconds(problem)
    return list_for_order_search(problem, most)


def _by_cuts(problem: Problem, listed: Candidates, against: str, start: DAG | None = None) -> SearchResult:
    """Return the best structure of a whole list, proven if that does not take many branches."""
    proven = "chosen by auto, as all families that matter could be listed"
    found = exact_by_cuts(problem.named("exact", proven), start, listed, 200)  # branches that `auto` looks at
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


def _exact_or_why_not(problem: Problem) -> SearchResult | str:
    """Return what exact search finds, or why it was given up: a forecast may be wrong, and so some time is left."""
    try:
        found = _exact(problem.watched(problem.watch.share(EXACT_SHARE)))
        return found if found.optimal or "interrupted" in found.info else _gone_on_from(problem, found)
    except TimeOverError:
        return "did not end within two thirds of the time limit"
    except MemoryOverError:
        return "ran out of memory"


def _exact_or(problem: Problem, known: SearchResult) -> SearchResult:
    """Return the optimum if exact search ends in time, or else a result that is known."""
    try:
        return _better(_exact(problem), known)
    except (TimeOverError, MemoryOverError):
        return known


def _exact(problem: Problem) -> SearchResult:
    return SEARCHES["exact"].run(
        problem.named("exact", "chosen by auto, as it fits into memory and takes a minute at most")
    )


def _gone_on_from(problem: Problem, found: SearchResult) -> SearchResult:
    """Return what order search makes of a structure in what is left of the time, with the bound that is known."""
    reason = "chosen by auto, as exact search did not end within two thirds of the time limit"
    return _with_bound(order_with_lists(problem.named(HEURISTIC, reason), found.dag), found.bound)
