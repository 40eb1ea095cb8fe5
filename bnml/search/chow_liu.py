"""Chow and Liu's tree: of all trees the one that comes nearest to the data."""

from __future__ import annotations

from bnml.counts.pair_information import pair_information
from bnml.search.best_tree import best_tree, check_tree, tree_rules, whole_tree_gains
from bnml.search.local_optimum import verified_result
from bnml.search.problem import Problem
from bnml.search.search_result import SearchResult


def chow_liu(problem: Problem, *, root: str | None = None) -> SearchResult:
    """Return the tree with the largest sum of mutual information over its links."""
    rules, counts = tree_rules(problem.with_prior), problem.table.counts
    place = check_tree(rules, "a tree", root)
    gains = pair_information(counts, problem.columns, (), problem.threads, problem.part("mutual information"))
    parents = best_tree(whole_tree_gains(gains, counts.n_rows), rules, spanning=True, root=place)
    n = len(parents)
    info = {
        "pairs": n * (n - 1) // 2,
        "families": 0,
        "mutual_information": sum(float(gains[p, x]) for x, above in enumerate(parents) for p in above) / counts.n_rows,
        "roots": tuple(rules.names[x] for x, above in enumerate(parents) if not above),
    }
    return verified_result(problem, parents, info)
