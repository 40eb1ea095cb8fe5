"""Whether a structure is a local optimum: no change of one arc that the rules allow raises its score."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from bnml._costs import SECONDS
from bnml.graph import DAG
from bnml.scores import LocalScores
from bnml.search.moves import Structure
from bnml.search.problem import Problem
from bnml.search.search_result import SearchResult


def verified_result(problem: Problem, parents: Sequence[Sequence[int]], info: Mapping[str, Any]) -> SearchResult:
    """Return a structure as the result of a search, verified to be a local optimum where that is quick.

    ``info`` has the ``families`` that were scored so far; those that are scored here are added, and what
    `verify_local_optimum` says. A search that does not count its moves has placed each arc by one.
    """
    dag = problem.structure(parents)
    value = problem.local.score(dag)
    found = verify_local_optimum(problem, dag, value)
    told = {"moves": len(dag.arcs), **info, **found, "families": info["families"] + found["families"]}
    problem.watch(problem.search, 1.0)
    return problem.result(dag, value, told)


def verify_local_optimum(problem: Problem, dag: DAG, value: float) -> dict[str, Any]:
    """Return whether it is verified that no change of one arc raises a structure's score, as ``local_optimum``.

    Where one does raise it, ``arc_gain`` is by how much the best does. ``families`` are those that were scored, the
    structure's own among them. To check takes a family for each pair of variables: with too many of these, or of rows,
    it is left, and so it is where time is over or the score is not finite.
    """
    n, local = len(dag.names), problem.local
    slow = isinstance(local, LocalScores) and local.terms is None
    seconds = n * n * ((SECONDS.family if slow else SECONDS.change) + SECONDS.row * problem.n_distinct)
    if problem.watch.over or seconds > 0.2 or not math.isfinite(value):  # 0.2 seconds by a model, not by a clock
        return {"families": n, "local_optimum": False}
    structure = Structure(problem, dag)
    move = structure.best_move()
    better = {} if move is None or move.gain <= structure.equal else {"arc_gain": move.gain}
    return {"families": structure.families, "local_optimum": not better and structure.complete, **better}
