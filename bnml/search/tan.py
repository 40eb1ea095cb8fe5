"""Tree-augmented naive Bayes: a class that all attributes depend on, and a tree over the attributes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from bnml._watch import Watch
from bnml.counts.pairs import pair_information
from bnml.errors import ArgumentError, SearchError
from bnml.graph import Constraints
from bnml.scores import LocalScores, Score
from bnml.scores.priors import StructurePrior
from bnml.search.search_result import SearchResult
from bnml.search.trees import (
    Floats,
    Rules,
    best_tree,
    check_tree,
    gains_of,
    in_time,
    opened,
    place_of,
    result_of,
    rules_for,
    whole,
)

__all__ = ["tan"]

WEIGHTS = ("cmi", "score")


def tan(
    data: Any,
    score: Score | str = "qnml",
    *,
    class_variable: str,
    weight: str = "cmi",
    root: str | None = None,
    constraints: Constraints | None = None,
    max_parents: int | None = None,
    prior: StructurePrior | None = None,
    threads: int | None = None,
    time_limit: float | None = None,
    progress: Callable[[str, float], None] | None = None,
) -> SearchResult:
    """Return the best tree over the attributes, with the class as one more parent of each.

    Parameters
    ----------
    data
        A `Data`, or anything that `bnml.read` takes.
    score, prior
        What is maximised where ``weight="score"``; otherwise only reported.
    class_variable
        The class; all other variables are attributes.
    weight
        What makes a tree good: the sum of the conditional mutual information given the class over its links
        (``"cmi"``), or the score (``"score"``).
    root
        The attribute without another one as its parent; by default the first by name, or the best one where the score
        tells directions apart.
    constraints, max_parents, threads, progress
        As for `bnml.learn`. Constraints are kept, but must allow the arcs from the class to the attributes; with
        ``max_parents=1`` this is naive Bayes.
    time_limit
        Seconds after which the search is given up, with an error: there is no result before the end.

    Returns
    -------
    SearchResult
        Where ``weight="score"``, no other tree-augmented naive Bayes that the constraints and ``root`` allow has a
        higher score, and ``info["optimal_among"]`` says so; not with ``max_parents=1``, where there is no tree.

    Raises
    ------
    BnmlError
        If an argument is wrong, or no such structure meets the constraints; before any work.

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
    watch = Watch(progress, time_limit)
    options = {"class_variable": class_variable, "weight": weight, "root": root}
    local = opened(
        "tan", data, options, score=score, constraints=constraints, max_parents=max_parents, prior=prior,
        threads=threads, time_limit=time_limit, progress=progress,
    )  # fmt: skip
    if weight not in WEIGHTS:
        raise ArgumentError(f"weight={weight!r}: expected one of {', '.join(map(repr, WEIGHTS))}")
    rules = rules_for(local.data.names, constraints)
    target = place_of(rules.names, class_variable, "class_variable")
    inner = _attribute_rules(rules, target, max_parents)
    place = check_tree(inner, "the tree over the attributes", root)
    tell = in_time(watch, "tan", "gains of arcs")
    gains = _gains(local, inner, rules.columns[target], weight, threads, tell)
    tree = best_tree(gains, inner, spanning=True, root=place)
    others = [x for x in range(len(rules.names)) if x != target]
    parents: list[list[int]] = [[] for _ in rules.names]
    for x, above in zip(others, tree, strict=True):
        parents[x] = [target, *(others[k] for k in above)]
    n, alike = len(tree), weight == "cmi" or (local.score_function.equivalent and prior is None)
    pairs = n * (n - 1) // (2 if alike else 1)
    info: dict[str, Any] = {
        **({"pairs": pairs, "families": 0} if weight == "cmi" else {"families": n + pairs}),
        "class_variable": class_variable,
        "weight": weight,
        "roots": tuple(inner.names[k] for k, above in enumerate(tree) if not above),
    }
    if weight == "score" and max_parents != 1:
        rooted = "" if root is None else f" with the root {root}"
        allowed = "" if constraints is None else " that the constraints allow"
        info["optimal_among"] = f"tree-augmented naive Bayes structures{rooted}{allowed}"
    return result_of("tan", local, rules, parents, constraints, watch, info, max_parents, threads)


def _attribute_rules(rules: Rules, target: int, max_parents: int | None) -> Rules:
    """Return the rules about the attributes, if those about the class allow its arcs to them."""
    name = rules.names[target]
    others = [x for x in range(len(rules.names)) if x != target]
    for x in others:
        if not rules.may[target, x]:
            raise SearchError(
                f"the constraints do not allow {name} -> {rules.names[x]}, but the class is a parent of each "
                f"attribute; leave out {rules.names[x]!r}, or drop the constraint"
            )
    inner = rules.among(others)
    if others and max_parents == 0:
        raise SearchError("max_parents=0: each attribute has the class as its parent; allow 1, or 2 for a tree")
    if max_parents == 1:
        if inner.required.any():
            raise SearchError("max_parents=1: beside the arcs from the class, others are required; allow 2")
        inner = Rules(inner.names, inner.columns, np.zeros_like(inner.may), inner.must, inner.links)
    return inner


def _gains(
    local: LocalScores, rules: Rules, target: int, weight: str, threads: int | None, tell: Callable[[float], None]
) -> Floats:
    """Return what each arc between attributes gains, the class being known."""
    if weight == "score":
        return gains_of(local, rules.columns, (target,), threads, tell)
    return whole(pair_information(local.data, rules.columns, (target,), threads, tell), local.data.n_rows)
