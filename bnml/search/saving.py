"""Results of searches as values for a file, and back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from bnml._stored import by_fields
from bnml.data import Data
from bnml.graph import DAG
from bnml.independence.saving import independence_values, saved_independence_result
from bnml.search.by_tests import tests_of
from bnml.search.k2 import Trial
from bnml.search.options import SearchOptions
from bnml.search.problem import Problem
from bnml.search.search_result import SearchResult
from bnml.search.structural_em import problem_with_gaps, scores_by_em

CHOICES = ("keep", "drop")


def search_values(result: SearchResult) -> dict[str, Any]:
    """Return all of a result but the table and its scores, as `bnml._stored.to_stored` takes it."""
    values: dict[str, Any] = by_fields(result, "dag", "problem", "info", "tested")
    values["arcs"] = None if result.dag is None else result.dag.arcs
    values["info"] = {key: value for key, value in result.info.items() if key != "trace"}
    values["trace"] = list(result.info["trace"]) if "trace" in result.info else None
    values["tested"] = None if result.tested is None else independence_values(result.tested)
    return values


def saved_search_result(values: Mapping[str, Any], problem: Problem) -> SearchResult:
    """Return the search result that was saved as these values; the problem is the same one, bound anew."""
    values = dict(values)
    arcs, trace, tested = values.pop("arcs"), values.pop("trace"), values.pop("tested")
    if trace is not None:
        values["info"]["trace"] = [Trial(*one) for one in trace]
    if tested is not None:
        asked = {name: value for name, value in problem.options.options.items() if name not in CHOICES}
        tested = saved_independence_result(tested, tests_of(problem, asked))
    dag = None if arcs is None else DAG(problem.names, arcs)
    return SearchResult(dag, problem=problem, tested=tested, **values)


def saved_gap_result(values: Mapping[str, Any], options: SearchOptions, data: Data) -> SearchResult:
    """Return the result with these values that was learned from a table with gaps.

    Its families are scored anew, at the counts that its network expects.
    """
    ordered = data.select(sorted(data.names))
    problem = problem_with_gaps(options, ordered)
    found = saved_search_result(values, problem)
    dag, parts = found.dag or DAG(ordered.names), found.info["em"]["parts"]
    local = scores_by_em(dag, ordered, options.score, options.prior_for(data), parts)
    return replace(
        found,
        dag=None if found.dag is None else dag.reordered(data.names),
        problem=replace(problem, local=local, options=options, observed=data),
    )
