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
from bnml.search.search_result import SearchResult
from bnml.search.task import Task, as_search

if TYPE_CHECKING:
    from bnml.independence import Criterion, IndependenceResult

__all__ = ["network_of_npc", "npc_search", "pc_search", "tests_of"]


@as_search("pc", by_score=False, refuses=("max_parents", "time_limit"), needs_table=True, pools_rows=True)
def pc_search(
    task: Task,
    *,
    alpha: float = 0.05,
    test: str | Criterion = "g2",
    stable: bool = True,
    max_condition: int | None = None,
    colliders: str = "sepset",
) -> SearchResult:
    """Return a network that fits the answer of `bnml.pc`; the score is only reported.

    Parameters
    ----------
    alpha, test, stable, max_condition, colliders
        As for `bnml.pc`.

    Returns
    -------
    SearchResult
        Its ``tested`` is what `bnml.pc` found.

    Examples
    --------
    >>> import bnml
    >>> result = bnml.learn(bnml.example(), search="pc", alpha=0.01)
    >>> result.search, result.tested.n_tests
    ('pc', 107)
    """
    asked = {"alpha": alpha, "test": test, "stable": stable, "max_condition": max_condition, "colliders": colliders}
    found = find_pc(tests_of(task, asked))
    return _result(task, found, found)


@as_search("npc", by_score=False, refuses=("max_parents", "time_limit"), needs_table=True, pools_rows=True)
def npc_search(
    task: Task,
    *,
    alpha: float = 0.05,
    test: str | Criterion = "g2",
    max_condition: int | None = None,
    colliders: str = "sepset",
    keep: Iterable[Collection[str]] = (),
    drop: Iterable[Collection[str]] = (),
) -> SearchResult:
    """Return a network that fits the answer of `bnml.npc`; the score is only reported.

    Parameters
    ----------
    alpha, test, max_condition, colliders
        As for `bnml.npc`.
    keep, drop
        Links of ambiguous regions that stay and that go; what they leave open is decided by strength. See
        `bnml.independence.IndependenceResult.resolve`.

    Returns
    -------
    SearchResult
        Its ``tested`` is what `bnml.npc` found, and ``regions`` are the ambiguous regions before they were resolved;
        ``info["decided_by_strength"]`` has the links that neither the tests nor ``keep`` and ``drop`` decide.
    """
    asked = {"alpha": alpha, "test": test, "max_condition": max_condition, "colliders": colliders}
    return network_of_npc(task, find_npc(tests_of(task, asked)).resolve(keep=keep, drop=drop))


def tests_of(task: Task, options: Mapping[str, Any]) -> Asked:
    """Return what tests of independence are asked on a task; ``options`` are those of the search, without choices."""
    return independence_request(
        task.observed or task.table.data, rules=task.hard_rules, threads=task.threads, watch=task.watch, **options
    )


def network_of_npc(task: Task, chosen: IndependenceResult) -> SearchResult:
    """Return a network that fits what NPC found, with the choices made so far; strength decides what is still open."""
    open_links = chosen.undecided.union(*chosen.ambiguous_regions)
    return _result(task, chosen.reopened(), chosen.resolve(), open_links)


def _result(
    task: Task, first: IndependenceResult, found: IndependenceResult, by_strength: Iterable[frozenset[str]] = ()
) -> SearchResult:
    """Return a network that fits what was found, what was left open at ``first``, and what strength has decided."""
    dag = found.dag
    total, judged = math.nan, {"families": 0, "local_optimum": False}
    if dag is not None:
        total = task.local.score(dag)
        judged = verify_local_optimum(task, dag, total)
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
    return task.result(dag, total, info, tested=found, regions=first.ambiguous_regions)
