"""Naive Bayes: a class that all attributes depend on, and nothing else."""

from __future__ import annotations

from bnml._checks import a_variable
from bnml._text import quoted
from bnml.data.targets import variables_set
from bnml.errors import SearchError, argument
from bnml.search.local_optimum import verified_result
from bnml.search.problem import Problem
from bnml.search.search_result import SearchResult


def naive_bayes(problem: Problem, *, class_variable: str) -> SearchResult:
    """Return the structure with an arc from the class to each attribute; there is nothing to search for."""
    names = problem.by_name.names
    target = a_variable(class_variable, "class_variable", names)
    always = [x for x in variables_set(problem.table.data, in_every_row=True) if x in names and x != class_variable]
    if always:
        raise SearchError(
            argument("search", "naive")
            + f" makes the class a parent of {quoted(always)}, set in every row, so that none tells what it depends "
            "on",
            hint="take that as the class, or another search",
        )
    parents = [[] if x == target else [target] for x in range(len(names))]
    if problem.constraints is not None and (wrong := problem.constraints.violations(problem.structure(parents))):
        raise SearchError(
            argument("search", "naive") + f" has no choice, and does not meet the constraints: {wrong[0]}"
        )
    if problem.options.max_parents == 0 and len(parents) > 1:
        raise SearchError(
            "in naive Bayes each attribute has the class as its parent", argument="max_parents", value=0, hint="allow 1"
        )
    return verified_result(problem, parents, {"families": 0, "class_variable": class_variable})
