"""The forest with the highest score: Chow and Liu's tree with the score in place of mutual information."""

from __future__ import annotations

from bnml.search.best_tree import best_tree, check_tree, tree_gains, tree_rules
from bnml.search.local_optimum import verified_result
from bnml.search.search_result import SearchResult
from bnml.search.task import Task, as_search

__all__ = ["forest"]


@as_search("forest")
def forest(task: Task) -> SearchResult:
    """Return the structure with the highest score of all in which each variable has one parent at most.

    Returns
    -------
    SearchResult
        ``info["optimal_among"]`` says among what it has the highest score: ``"forests"``, or ``"branchings"`` where a
        score, or a prior, tells the directions apart. ``optimal`` is about all structures, and false.
        There is no result before the end: when the time is over, the search is given up with an error.

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
    rules = tree_rules(task.with_prior)
    check_tree(rules, "a forest")
    gains = tree_gains(task, task.columns, (), task.part("gains of arcs"))
    parents = best_tree(gains, rules, spanning=False)
    n = len(parents)
    among = "forests" if task.equivalent else "branchings"
    among += "" if task.constraints is None else " that the constraints allow"
    if task.max_parents == 0:
        among += " with no parents"
    info = {"families": n + n * (n - 1) // (2 if task.equivalent else 1), "optimal_among": among}
    return verified_result(task, parents, info)
