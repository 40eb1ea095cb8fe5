"""The door to all searches: check everything, choose a search, run it."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from bnml.data import Data, as_data
from bnml.errors import ArgumentError, SearchError, did_you_mean
from bnml.graph import Constraints
from bnml.scores import FamilyScores, Score
from bnml.scores.priors import StructurePrior
from bnml.search.arguments import check_arguments
from bnml.search.by_tests import npc_search, pc_search
from bnml.search.chow_liu import chow_liu
from bnml.search.climb import hill_climb
from bnml.search.exact import exact
from bnml.search.forecast import Forecast, forecast
from bnml.search.forest import forest
from bnml.search.ges.greedy import ges
from bnml.search.k2 import k2
from bnml.search.naive_bayes import naive_bayes
from bnml.search.nml_forest import nml_forest
from bnml.search.order import order
from bnml.search.polytree import polytree
from bnml.search.search_result import SearchResult
from bnml.search.tabu import tabu
from bnml.search.tan import tan

__all__ = ["SEARCHES", "check", "learn"]

SEARCHES: dict[str, Callable[..., SearchResult]] = {
    "exact": exact,
    "climb": hill_climb,
    "tabu": tabu,
    "order": order,
    "ges": ges,
    "k2": k2,
    "chow-liu": chow_liu,
    "forest": forest,
    "nml-forest": nml_forest,
    "tan": tan,
    "naive": naive_bayes,
    "polytree": polytree,
    "pc": pc_search,
    "npc": npc_search,
}
"""Every search by its name. Its arguments say what it takes: those of `learn`, and options of its own."""

HEURISTIC = "order"  # what `auto` stands for beyond exact search; see benchmarks/RESULTS.md

COMMON = ("score", "constraints", "max_parents", "prior", "seed", "threads", "memory_limit", "time_limit", "progress")
HARMLESS = ("score", "seed", "threads", "memory_limit", "progress")  # a search that has no use for these ignores them


def learn(
    data: Any,
    score: Score | str = "qnml",
    search: str = "auto",
    *,
    constraints: Constraints | None = None,
    max_parents: int | None = None,
    prior: StructurePrior | None = None,
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
        which ``score`` and ``prior`` are then a part already.
    score
        What is to be maximised: a name or an object of `bnml.scores`.
    search
        ``"exact"`` finds the best structure there is and proves it. ``"auto"`` is exact where a forecast says that this
        is a matter of a minute and fits into memory, and ``"order"`` beyond; the forecast depends on the data and the
        limits alone. Others: ``"climb"``, ``"tabu"``, ``"ges"``, ``"k2"``, ``"chow-liu"``, ``"forest"``,
        ``"nml-forest"``, ``"tan"``, ``"naive"``, ``"polytree"``; ``"pc"`` and ``"npc"`` go by tests of independence.
    constraints
        What is known of the structure.
    max_parents
        The most parents that a variable may have; None for any number.
    prior
        A structure prior of `bnml.priors`, whose logarithm is added to the score.
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
    ('exact', True, -11271.5)
    >>> known = bnml.Constraints(required=[("asia", "tub")])
    >>> ("asia", "tub") in bnml.learn(bnml.example(), "bic", constraints=known).dag.arcs
    True
    """
    given: dict[str, Any] = {
        "score": score,
        "constraints": constraints,
        "max_parents": max_parents,
        "prior": prior,
        "seed": seed,
        "threads": threads,
        "memory_limit": memory_limit,
        "time_limit": time_limit,
        "progress": progress,
    }
    check(search, options, given)
    source = data if isinstance(data, FamilyScores) else as_data(data)
    if constraints is not None:
        constraints.check(source.names)
    reason = "as asked"
    if search == "auto":
        costs = {name: given[name] for name in inspect.signature(forecast).parameters if name in given}
        search, reason = _choice(forecast(source, **costs), source)
    run = SEARCHES[search]
    taken = {name: value for name, value in given.items() if name in inspect.signature(run).parameters}
    result = run(source, **taken, **options)
    return replace(result, info={**result.info, "reason": reason})


def _choice(cost: Forecast, source: Data | FamilyScores) -> tuple[str, str]:
    """Return the search that `auto` stands for, and why; the same words on every machine."""
    if cost.fits and cost.affordable:
        return "exact", "chosen by auto, as it fits into memory and takes a minute at most"
    if isinstance(source, FamilyScores):
        other = "ask for it with search='exact'" if cost.fits else "allow more memory with memory_limit="
        raise SearchError(
            f"search='auto': exact search is too much here: {cost}. Other searches need a table; {other}, or list "
            "fewer variables."
        )
    too_much = "would take more than a minute" if cost.fits else "does not fit into memory"
    return HEURISTIC, f"chosen by auto, as exact search {too_much}"


def check(search: Any, options: Mapping[str, Any], given: Mapping[str, Any]) -> None:
    """Refuse arguments of `learn` that are wrong whatever the data are."""
    _check_search(search, options, given)
    check_arguments(**given)


def _check_search(search: Any, options: Mapping[str, Any], given: Mapping[str, Any]) -> None:
    """Refuse an unknown search, and what the search does not take."""
    names = ("auto", *SEARCHES)
    if not isinstance(search, str) or search not in names:
        hint = did_you_mean(search, names) if isinstance(search, str) else ""
        raise ArgumentError(f"search={search!r}: there is no such search; available: {', '.join(names)}.{hint}")
    takes = inspect.signature(SEARCHES[search]).parameters if search != "auto" else {}
    own = [name for name in takes if name != "data" and name not in COMMON]
    for name in options:
        if name not in own:
            what = f"the options {', '.join(own)}" if own else "no options of its own"
            raise ArgumentError(
                f"{name}={options[name]!r}: search={search!r} takes {what}.{did_you_mean(name, (*own, *COMMON))}"
            )
    for name in own:
        if name not in options and takes[name].default is inspect.Parameter.empty:
            raise ArgumentError(f"search={search!r} needs {name}=")
    for name, value in given.items():
        if takes and name not in takes and name not in HARMLESS and value is not None:
            raise ArgumentError(f"{name}={value!r}: search={search!r} cannot take {name} into account; leave it out")
