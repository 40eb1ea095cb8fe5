"""Naive Bayes: a class that all attributes depend on, and nothing else."""

from __future__ import annotations

from typing import Any

from bnml._watch import Watch
from bnml.errors import SearchError
from bnml.graph import DAG, Constraints
from bnml.scores import Score
from bnml.scores.priors import StructurePrior
from bnml.search.search_result import SearchResult
from bnml.search.trees import opened, place_of, result_of, rules_for

__all__ = ["naive_bayes"]


def naive_bayes(
    data: Any,
    score: Score | str = "qnml",
    *,
    class_variable: str,
    constraints: Constraints | None = None,
    max_parents: int | None = None,
    prior: StructurePrior | None = None,
) -> SearchResult:
    """Return the structure with an arc from the class to each attribute; there is nothing to search for.

    Parameters
    ----------
    data
        A `Data`, or anything that `bnml.read` takes.
    score, prior
        Under what it is scored, for the report.
    class_variable
        The class; all other variables are attributes.
    constraints, max_parents
        As for `bnml.learn`; refused if the structure does not meet them.

    Returns
    -------
    SearchResult
        The structure, to compare others with, or to predict the class with: ``result.network.predict(data, "class")``.

    Raises
    ------
    BnmlError
        If an argument is wrong, or the constraints rule the structure out.

    Examples
    --------
    >>> import bnml
    >>> result = bnml.search.naive_bayes(bnml.example(), class_variable="lung")
    >>> result.dag.children("lung")
    ('asia', 'tub', 'smoke', 'bronc', 'either', 'xray', 'dysp')
    """
    watch = Watch()
    local = opened(
        "naive", data, {"class_variable": class_variable}, score=score, constraints=constraints,
        max_parents=max_parents, prior=prior,
    )  # fmt: skip
    rules = rules_for(local.data.names, None)
    target = place_of(rules.names, class_variable, "class_variable")
    parents = [[] if x == target else [target] for x in range(len(rules.names))]
    if constraints is not None:
        dag = DAG(rules.names, [(class_variable, name) for name in rules.names if name != class_variable])
        if wrong := constraints.violations(dag):
            raise SearchError(f"search='naive' has no choice, and does not meet the constraints: {wrong[0]}")
    if max_parents == 0 and len(parents) > 1:
        raise SearchError("max_parents=0: in naive Bayes each attribute has the class as its parent; allow 1")
    info = {"families": 0, "class_variable": class_variable}
    return result_of("naive", local, rules, parents, constraints, watch, info, max_parents)
