"""Chow and Liu's tree: of all trees the one that comes nearest to the data."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from bnml._watch import Watch
from bnml.counts.pairs import pair_information
from bnml.graph import Constraints
from bnml.scores import Score
from bnml.scores.priors import StructurePrior
from bnml.search.search_result import SearchResult
from bnml.search.trees import best_tree, check_tree, in_time, opened, result_of, rules_for, whole

__all__ = ["chow_liu"]


def chow_liu(
    data: Any,
    score: Score | str = "qnml",
    *,
    root: str | None = None,
    constraints: Constraints | None = None,
    max_parents: int | None = None,
    prior: StructurePrior | None = None,
    threads: int | None = None,
    time_limit: float | None = None,
    progress: Callable[[str, float], None] | None = None,
) -> SearchResult:
    """Return the tree with the largest sum of mutual information over its links.

    Parameters
    ----------
    data
        A `Data`, or anything that `bnml.read` takes.
    score, prior
        Under what the tree is scored, for the report; they do not decide which tree it is.
    root
        The variable that all arcs lead away from; by default the first by name.
    constraints, max_parents, threads, progress
        As for `bnml.learn`. All constraints are kept: the tree is then the best of those that they allow, and falls
        apart into several where they forbid to join them.
    time_limit
        Seconds after which the search is given up, with an error: there is no result before the end.

    Returns
    -------
    SearchResult
        A tree that joins all variables, also where the data give no reason to. ``info["mutual_information"]`` is the
        sum over its links, in nats, ``info["pairs"]`` of how many pairs it was found, and ``info["roots"]`` are the
        variables without a parent.

    Raises
    ------
    BnmlError
        If an argument is wrong, or no tree meets the constraints; before any work.

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
    watch = Watch(progress, time_limit)
    local = opened(
        "chow-liu", data, score=score, constraints=constraints, max_parents=max_parents, prior=prior, threads=threads,
        time_limit=time_limit, progress=progress,
    )  # fmt: skip
    rules = rules_for(local.data.names, constraints, max_parents)
    place = check_tree(rules, "a tree", root)
    tell = in_time(watch, "chow-liu", "mutual information")
    gains = pair_information(local.data, rules.columns, (), threads, tell)
    parents = best_tree(whole(gains, local.data.n_rows), rules, spanning=True, root=place)
    n = len(parents)
    info = {
        "pairs": n * (n - 1) // 2,
        "families": 0,
        "mutual_information": sum(float(gains[p, x]) for x, above in enumerate(parents) for p in above)
        / local.data.n_rows,
        "roots": tuple(rules.names[x] for x, above in enumerate(parents) if not above),
    }
    return result_of("chow-liu", local, rules, parents, constraints, watch, info, max_parents, threads)
