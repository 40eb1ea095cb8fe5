"""Tree-augmented naive Bayes: a class that all attributes depend on, and a tree over the attributes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from bnml._arrays import Floats
from bnml._checks import a_variable, one_of
from bnml.counts.pair_information import pair_information
from bnml.errors import SearchError, argument
from bnml.graph import Rules
from bnml.search.best_tree import best_tree, check_tree, tree_gains, whole_tree_gains
from bnml.search.local_optimum import verified_result
from bnml.search.search_result import SearchResult
from bnml.search.task import Task, as_search

__all__ = ["tan"]

WEIGHTS = ("cmi", "score")


@as_search("tan", by_score=False, needs_table=True, pools_rows=True)
def tan(task: Task, *, class_variable: str, weight: str = "cmi", root: str | None = None) -> SearchResult:
    """Return the best tree over the attributes, with the class as one more parent of each.

    Constraints are kept, but must allow the arcs from the class to the attributes; with ``max_parents=1`` this is naive
    Bayes.

    Parameters
    ----------
    class_variable
        The class; all other variables are attributes.
    weight
        What makes a tree good: the sum of the conditional mutual information given the class over its links
        (``"cmi"``), or the score (``"score"``).
    root
        The attribute without another one as its parent; by default the first by name, or the best one where the score
        tells directions apart.

    Returns
    -------
    SearchResult
        Where ``weight="score"``, no other tree-augmented naive Bayes that the constraints and ``root`` allow has a
        higher score, and ``info["optimal_among"]`` says so; not with ``max_parents=1``, where there is no tree. There
        is no result before the end: when the time is over, the search is given up with an error.

    Notes
    -----
    Of all structures of this form, the one with the largest Σ I(X; parent of X | class) has the highest likelihood
    (Friedman, Geiger & Goldszmidt 1997, Bayesian network classifiers).

    Examples
    --------
    >>> import bnml
    >>> result = bnml.search.tan(bnml.example(), class_variable="lung")
    >>> result.dag.parents("smoke"), result.dag.parents("lung")
    (('lung', 'bronc'), ())
    """
    one_of(weight, "weight", WEIGHTS)
    rules = task.with_prior
    target = a_variable(class_variable, "class_variable", rules.names)
    others = [x for x in range(rules.n) if x != target]
    inner = _attribute_rules(rules, target, task.max_parents)
    place = check_tree(inner, "the tree over the attributes", root)
    gains = _gains(task, [task.columns[x] for x in others], task.columns[target], weight)
    tree = best_tree(gains, inner, spanning=True, root=place)
    parents: list[list[int]] = [[] for _ in rules.names]
    for x, above in zip(others, tree, strict=True):
        parents[x] = [target, *(others[k] for k in above)]
    n, alike = len(tree), weight == "cmi" or task.equivalent
    pairs = n * (n - 1) // (2 if alike else 1)
    info: dict[str, Any] = {
        **({"pairs": pairs, "families": 0} if weight == "cmi" else {"families": n + pairs}),
        "class_variable": class_variable,
        "weight": weight,
        "roots": tuple(inner.names[k] for k, above in enumerate(tree) if not above),
    }
    if weight == "score" and task.max_parents != 1:
        rooted = "" if root is None else f" with the root {root}"
        allowed = "" if task.constraints is None else " that the constraints allow"
        info["optimal_among"] = f"tree-augmented naive Bayes structures{rooted}{allowed}"
    return verified_result(task, parents, info)


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
            f"{argument('max_parents', 0)}: each attribute has the class as its parent; allow 1, or 2 for a tree"
        )
    if max_parents == 1:
        if any(inner.required):
            raise SearchError(
                f"{argument('max_parents', 1)}: beside the arcs from the class, others are required; allow 2"
            )
        inner = replace(inner, may=(0,) * inner.n)
    return inner


def _gains(task: Task, columns: list[int], target: int, weight: str) -> Floats:
    """Return what each arc between attributes gains, the class being known."""
    tell = task.part("gains of arcs")
    if weight == "score":
        return tree_gains(task, columns, (target,), tell)
    counts = task.table.counts
    return whole_tree_gains(pair_information(counts, columns, (target,), task.threads, tell), counts.n_rows)
