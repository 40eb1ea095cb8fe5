"""The forest with the highest score: Chow and Liu's tree with the score in place of mutual information."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from bnml._watch import Watch
from bnml.errors import SearchError
from bnml.graph import Constraints
from bnml.scores import Score
from bnml.scores.priors import StructurePrior
from bnml.search.search_result import SearchResult
from bnml.search.trees import best_tree, check_tree, gains_of, in_time, opened, result_of, rules_for

__all__ = ["forest"]


def forest(
    data: Any,
    score: Score | str = "qnml",
    *,
    constraints: Constraints | None = None,
    max_parents: int | None = None,
    prior: StructurePrior | None = None,
    threads: int | None = None,
    time_limit: float | None = None,
    progress: Callable[[str, float], None] | None = None,
) -> SearchResult:
    """Return the structure with the highest score of all in which each variable has one parent at most.

    Parameters
    ----------
    data
        A `Data`, or anything that `bnml.read` takes.
    score, constraints, max_parents, prior, threads, progress
        As for `bnml.learn`.
    time_limit
        Seconds after which the search is given up, with an error: there is no result before the end.

    Returns
    -------
    SearchResult
        ``info["optimal_among"]`` says among what it has the highest score: ``"forests"``, or ``"branchings"`` where a
        score, or a prior, tells the directions apart. ``optimal`` is about all structures, and false.

    Raises
    ------
    BnmlError
        If an argument is wrong, or no forest meets the constraints; before any work.

    Notes
    -----
    The score of a forest is that of the structure without arcs, plus the gains of its arcs. Under a score-equivalent
    score the direction makes no difference, and the best forest is the maximum spanning forest of the positive gains;
    of its orientations that with the smallest names first is returned. Under other scores it is a maximum branching
    (Edmonds 1967).

    Examples
    --------
    >>> import bnml
    >>> result = bnml.search.forest(bnml.example(), "bic")
    >>> print(result.dag)
    [asia][bronc][smoke|bronc][dysp|bronc][either|dysp][tub|either][lung|either][xray|either]
    >>> result.info["optimal_among"]
    'forests'
    """
    watch = Watch(progress, time_limit)
    local = opened(
        "forest", data, score=score, constraints=constraints, max_parents=max_parents, prior=prior, threads=threads,
        time_limit=time_limit, progress=progress,
    )  # fmt: skip
    rules = rules_for(local.data.names, constraints, max_parents)
    check_tree(rules, "a forest")
    gains = gains_of(local, rules.columns, (), threads, in_time(watch, "forest", "gains of arcs"))
    parents = best_tree(gains, rules, spanning=False)
    n, alike = len(parents), local.score_function.equivalent and prior is None
    among = ("forests" if alike else "branchings") + ("" if constraints is None else " that the constraints allow")
    if max_parents == 0:
        among += " with no parents"
    info = {"families": n + n * (n - 1) // (2 if alike else 1), "optimal_among": among}
    result = result_of("forest", local, rules, parents, constraints, watch, info, max_parents, threads)
    if result.score == -math.inf:
        raise SearchError("no forest meets the constraints and the prior with a score above minus infinity; drop some")
    return result
