"""The forest with the highest score: Chow and Liu's tree with the score in place of mutual information."""

from __future__ import annotations

from bnml.search.best_tree import best_tree, check_tree, tree_gains, tree_rules
from bnml.search.local_optimum import verified_result
from bnml.search.problem import Problem
from bnml.search.search_result import SearchResult


def forest(problem: Problem) -> SearchResult:
    """Return the structure with the highest score of all in which each variable has one parent at most."""
    rules = tree_rules(problem.with_prior)
    check_tree(rules, "a forest")
    gains = tree_gains(problem, problem.columns, (), problem.part("gains of arcs"))
    parents = best_tree(gains, rules, spanning=False)
    n = len(parents)
    among = "forests" if problem.equivalent else "branchings"
    among += "" if problem.constraints is None else " that the constraints allow"
    if problem.options.max_parents == 0:
        among += " with no parents"
    info = {"families": n + n * (n - 1) // (2 if problem.equivalent else 1), "optimal_among": among}
    return verified_result(problem, parents, info)
