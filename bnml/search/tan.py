"""Tree-augmented naive Bayes: a class that all attributes depend on, and a tree over the attributes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from bnml._arrays import Floats
from bnml._checks import a_variable, one_of
from bnml.counts.pair_information import pair_information
from bnml.errors import SearchError
from bnml.graph import Rules
from bnml.search.best_tree import best_tree, check_tree, tree_gains, whole_tree_gains
from bnml.search.local_optimum import verified_result
from bnml.search.problem import Problem
from bnml.search.search_result import SearchResult

WEIGHTS = ("cmi", "score")


def tan(problem: Problem, *, class_variable: str, weight: str = "cmi", root: str | None = None) -> SearchResult:
    """Return the best tree over the attributes, with the class as one more parent of each."""
    one_of(weight, "weight", WEIGHTS)
    rules = problem.with_prior
    target = a_variable(class_variable, "class_variable", rules.names)
    others = [x for x in range(rules.n) if x != target]
    inner = _attribute_rules(rules, target, problem.options.max_parents)
    place = check_tree(inner, "the tree over the attributes", root)
    gains = _gains(problem, [problem.columns[x] for x in others], problem.columns[target], weight)
    tree = best_tree(gains, inner, spanning=True, root=place)
    parents: list[list[int]] = [[] for _ in rules.names]
    for x, above in zip(others, tree, strict=True):
        parents[x] = [target, *(others[k] for k in above)]
    n, alike = len(tree), weight == "cmi" or problem.equivalent
    pairs = n * (n - 1) // (2 if alike else 1)
    info: dict[str, Any] = {
        **({"pairs": pairs, "families": 0} if weight == "cmi" else {"families": n + pairs}),
        "class_variable": class_variable,
        "weight": weight,
        "roots": tuple(inner.names[k] for k, above in enumerate(tree) if not above),
    }
    if weight == "score" and problem.options.max_parents != 1:
        rooted = "" if root is None else f" with the root {root}"
        allowed = "" if problem.constraints is None else " that the constraints allow"
        info["optimal_among"] = f"tree-augmented naive Bayes structures{rooted}{allowed}"
    return verified_result(problem, parents, info)


def _attribute_rules(rules: Rules, target: int, max_parents: int | None) -> Rules:
    """Return the rules about the attributes, if those about the class allow its arcs to them."""
    name = rules.names[target]
    others = [x for x in range(rules.n) if x != target]
    for x in others:
        if not rules.may[x] >> target & 1:
            raise SearchError(
                f"the constraints do not allow {name} -> {rules.names[x]}, but the class is a parent of each "
                f"attribute; leave out {rules.names[x]!r}, or drop the constraint"
            )
    inner = rules.among(others)
    if others and max_parents == 0:
        raise SearchError(
            "each attribute has the class as its parent",
            argument="max_parents",
            value=0,
            hint="allow 1, or 2 for a tree",
        )
    if max_parents == 1:
        if any(inner.required):
            raise SearchError(
                "beside the arcs from the class, others are required", argument="max_parents", value=1, hint="allow 2"
            )
        inner = replace(inner, may=(0,) * inner.n)
    return inner


def _gains(problem: Problem, columns: list[int], target: int, weight: str) -> Floats:
    """Return what each arc between attributes gains, the class being known."""
    tell = problem.part("gains of arcs")
    if weight == "score":
        return tree_gains(problem, columns, (target,), tell)
    counts = problem.table.counts
    return whole_tree_gains(pair_information(counts, columns, (target,), problem.threads, tell), counts.n_rows)
