"""Chow and Liu's tree: of all trees the one that comes nearest to the data."""

from __future__ import annotations

from bnml.counts.pair_information import pair_information
from bnml.search.best_tree import best_tree, check_tree, tree_rules, whole_tree_gains
from bnml.search.local_optimum import verified_result
from bnml.search.search_result import SearchResult
from bnml.search.task import Task, as_search

__all__ = ["chow_liu"]


@as_search("chow-liu", by_score=False, needs_table=True, pools_rows=True)
def chow_liu(task: Task, *, root: str | None = None) -> SearchResult:
    """Return the tree with the largest sum of mutual information over its links.

    The score, with a prior, is that of the report; it does not decide which tree it is. All constraints are kept: the
    tree is then the best of those that they allow, and falls apart into several where they forbid to join them.

    Parameters
    ----------
    root
        The variable that all arcs lead away from; by default the first by name.

    Returns
    -------
    SearchResult
        A tree that joins all variables, also where the data give no reason to. ``info["mutual_information"]`` is the
        sum over its links, in nats, ``info["pairs"]`` of how many pairs it was found, and ``info["roots"]`` are the
        variables without a parent. There is no result before the end: when the time is over, the search is given up
        with an error.

    Notes
    -----
    The maximised log-likelihood of a tree is N (Σ I(X; parent of X) - Σ H(X)), and the second sum is the same for all
    trees. So the maximum spanning tree of the mutual information has the highest likelihood of all trees, and its
    distribution the smallest Kullback-Leibler divergence from that of the data. Which variable is the root makes no
    difference. Of equal links the first by name is taken.

    Chow, C. K. & Liu, C. N. (1968), Approximating discrete probability distributions with dependence trees.

    Examples
    --------
    >>> import bnml
    >>> result = bnml.search.chow_liu(bnml.example(), root="smoke")
    >>> print(result.dag)
    [smoke][bronc|smoke][dysp|bronc][either|dysp][tub|either][asia|tub][lung|either][xray|either]
    """
    rules, counts = tree_rules(task.with_prior), task.table.counts
    place = check_tree(rules, "a tree", root)
    gains = pair_information(counts, task.columns, (), task.threads, task.part("mutual information"))
    parents = best_tree(whole_tree_gains(gains, counts.n_rows), rules, spanning=True, root=place)
    n = len(parents)
    info = {
        "pairs": n * (n - 1) // 2,
        "families": 0,
        "mutual_information": sum(float(gains[p, x]) for x, above in enumerate(parents) for p in above) / counts.n_rows,
        "roots": tuple(rules.names[x] for x, above in enumerate(parents) if not above),
    }
    return verified_result(task, parents, info)
