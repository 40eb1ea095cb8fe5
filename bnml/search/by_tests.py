"""PC and NPC among the searches: tests of independence find the links, a score is only reported.

`bnml.independence` has the algorithms. Their answer is a partially directed graph; a network is one of the DAGs that
fit it, if there is one.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from bnml.independence.npc import find_npc
from bnml.independence.pc import find_pc
from bnml.independence.request import Asked, independence_request
from bnml.search.local_optimum import verify_local_optimum
from bnml.search.problem import Problem
from bnml.search.search_result import SearchResult

if TYPE_CHECKING:
    from bnml.independence import Criterion, IndependenceResult


def pc_search(
    problem: Problem,
    *,
    alpha: float = 0.05,
    test: str | Criterion = "g2",
    stable: bool = True,
    max_condition: int | None = None,
    colliders: str = "sepset",
) -> SearchResult:
    """Return a network that fits the answer of `bnml.pc`; the score is only reported."""
    asked = {"alpha": alpha, "test": test, "stable": stable, "max_condition": max_condition, "colliders": colliders}
    found = find_pc(tests_of(problem, asked))
    return _result(problem, found, found)


def npc_search(
    problem: Problem,
    *,
    alpha: float = 0.05,
    test: str | Criterion = "g2",
    max_condition: int | None = None,
    colliders: str = "sepset",
    keep: Iterable[Collection[str]] = (),
    drop: Iterable[Collection[str]] = (),
) -> SearchResult:
    """Return a network that fits the answer of `bnml.npc`; the score is only reported."""
    asked = {"alpha": alpha, "test": test, "max_condition": max_condition, "colliders": colliders}
    return network_of_npc(problem, find_npc(tests_of(problem, asked)).resolve(keep=keep, drop=drop))


def tests_of(problem: Problem, options: Mapping[str, Any]) -> Asked:
    """Return the request for the tests of a problem; ``options`` are those of the search, without choices by hand."""
    return independence_request(
        problem.observed or problem.table.data,
        rules=problem.hard_rules,
        threads=problem.threads,
        watch=problem.watch,
        **options,
    )


def network_of_npc(problem: Problem, chosen: IndependenceResult) -> SearchResult:
    """Return a network that fits what NPC found, with the choices made so far; strength decides what is still open."""
    open_links = chosen.undecided.union(*chosen.ambiguous_regions)
    return _result(problem, chosen.reopened(), chosen.resolve(), open_links)


def _result(
    problem: Problem, first: IndependenceResult, found: IndependenceResult, by_strength: Iterable[frozenset[str]] = ()
) -> SearchResult:
    """Return a network that fits what was found, what was left open at ``first``, and what strength has decided."""
    dag = found.dag
    total, judged = math.nan, {"families": 0, "local_optimum": False}
    if dag is not None:
        total = problem.local.score(dag)
        judged = verify_local_optimum(problem, dag, total)
    info: dict[str, Any] = {
        "moves": 0 if dag is None else len(dag.arcs),
        **judged,
        "tests": found.n_tests,
        "test": found.test,
        "alpha": found.alpha,
        "conflicts": [f"{a} -> {child} <- {b}" for (a, b), child, _ in found.conflicts],
        "ambiguous_regions": [
            sorted(" - ".join(sorted(link)) for link in region) for region in first.ambiguous_regions
        ],
    }
    if by_strength:
        info["decided_by_strength"] = sorted(" - ".join(sorted(link)) for link in by_strength)
    return problem.result(dag, total, info, tested=found, regions=first.ambiguous_regions)
