"""Greedy equivalence search: from class to class of equivalent networks.

Hill climbing changes an arc of one network. But a score that equivalent networks share cannot say which member of a
class to stand on, and on that it depends which changes are near. Greedy equivalence search (Chickering 2002) stands on
the whole class: it sees all that is one arc away from any of its members. It goes in phases, always where the score
gains most:

1. **forward**: an arc comes in, until that helps no more,
2. **backward**: an arc goes, until that helps no more. Given enough rows from a distribution to which some network is
   faithful, these two have found its class.
3. **turning**: an arc is turned round (Hauser & Bühlmann 2012).

With the rows that there are, one phase may open a way for another, so they are repeated until none finds anything.

`bnml.search.ges.steps` has the steps, `bnml.search.ges.gains` keeps their gains up to date.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import Any

from bnml._checks import flag
from bnml._text import quoted
from bnml.errors import ArgumentError, SearchError, argument
from bnml.graph import DAG, canonical_extension
from bnml.scores.priors import StructurePrior
from bnml.search.ges.gains import Deletes, Gains, Inserts, Operators, Turns
from bnml.search.ges.steps import DELETE, INSERT, TURN, ClassGraph, step_taken
from bnml.search.problem import Problem
from bnml.search.search_result import SearchResult

FIRST_SHARE, FORWARD_SHARE = 0.1, 0.9  # of the work until the first step is known, and to the end of the inserts


def ges(problem: Problem, *, start: DAG | None = None, turning: bool = True) -> SearchResult:
    """Go from class to class of equivalent networks, until nothing that is one arc away is better."""
    flag(turning, "turning")
    local, rules = problem.table, problem.by_name
    _check_equivalence(problem)
    walk = _Walk(_first(problem, start), problem)
    phases: dict[str, Operators] = {
        "forward": Inserts(walk.gains, rules),
        "backward": Deletes(walk.gains),
    }
    if turning:
        phases["turning"] = Turns(walk.gains, rules)
    ended = walk.through(phases)
    dag = canonical_extension(walk.graph.pdag.reordered(problem.names))
    total = local.score(dag)
    problem.watch(f"done, score {total:,.1f}", 1.0)
    info = {
        "inserts": walk.steps[INSERT],
        "deletes": walk.steps[DELETE],
        "turns": walk.steps[TURN],
        "families": walk.gains.families,
        "moves": sum(walk.steps[kind] for kind in (INSERT, DELETE, TURN)),
        "local_optimum": ended and turning and not any(operators.cut for operators in phases.values()),
    }
    return problem.result(dag, total, info)


class _Walk:
    """Where the search stands, and how it goes on."""

    def __init__(self, start: ClassGraph, problem: Problem) -> None:
        self.graph, self.gains, self.watch = start, Gains(problem), problem.watch
        self.score = problem.local.score(start.pdag.to_dag())
        self.steps: Counter[str] = Counter()
        self._largest = 0.0
        if not math.isfinite(self.score):
            raise SearchError("the structure to start from has a score of minus infinity; start from another one")

    def through(self, phases: dict[str, Operators]) -> bool:
        """Repeat all phases until none finds a step; return whether there was time for that."""
        while True:
            before = self.graph
            if not all(self._phase(name, operators) for name, operators in phases.items()):
                return False
            if self.graph == before:
                return True

    def _phase(self, name: str, operators: Operators) -> bool:
        """Take the best step of one kind until none helps; return whether there was time for that."""
        while True:
            for y in operators.update(self.graph):
                if self.watch.over:
                    return False
                if not self.steps:
                    self._tell(name, FIRST_SHARE * y / len(self.graph.names))
            step = operators.best()
            if step is None:
                return True
            self.graph = step_taken(self.graph, step)
            self.score += step.gain
            self.steps[step.kind] += 1
            self._tell(name, self._share(step.gain) if step.kind == INSERT else FORWARD_SHARE)

    def _share(self, gain: float) -> float:
        """Return how far the inserts are: their gains fall from tens of thousands to nothing."""
        self._largest = max(self._largest, gain)
        fallen = 1.0 - math.log1p(gain) / math.log1p(self._largest)
        return FIRST_SHARE + (FORWARD_SHARE - FIRST_SHARE) * fallen

    def _tell(self, name: str, share: float) -> None:
        self.watch(f"{name}, score {self.score:,.1f}", share)


# --- what is refused ---


def _check_equivalence(problem: Problem) -> None:
    """Refuse a prior and rules that tell the members of a class apart."""
    prior, rules = problem.table.prior, problem.by_name
    if prior is not None:
        _check_prior(prior, problem.names)
    if not rules.undirected or any(rules.links):
        kinds = ("required", "forbidden", "required_links", "tiers")
        there = [kind for kind in kinds if getattr(problem.constraints, kind, ())]
        raise SearchError(
            f"constraints: {' and '.join(there)}: ges searches classes of equivalent networks, and can keep only "
            "forbidden_links, which all members of a class meet or none",
            hint="drop the others, or take " + argument("search", "climb") + " or " + argument("search", "exact"),
        )


def _check_prior(prior: StructurePrior, names: Sequence[str]) -> None:
    """Refuse a prior unless it is a sum over links, in whichever direction."""
    if prior.equivalent(names):
        return
    raise ArgumentError(
        f"ges searches classes of equivalent networks, and {type(prior).__name__} gives the members of a "
        "class different probabilities",
        argument="prior",
        hint="take one that gives an arc and its reverse the same, or another search",
    )


def _first(problem: Problem, start: Any) -> ClassGraph:
    """Return the class to start from."""
    names = problem.by_name.names
    if start is None:
        return ClassGraph(names, (0,) * len(names), (0,) * len(names))
    if not isinstance(start, DAG):
        raise ArgumentError(
            "expected a DAG over the variables of the data, or None for no arcs", argument="start", value=start
        )
    if differing := sorted(set(start.names) ^ set(names)):
        raise ArgumentError(
            f"it and the data must have the same variables; only one has {quoted(differing)}", argument="start"
        )
    if problem.constraints is not None and (wrong := problem.constraints.violations(start)):
        raise SearchError(wrong[0], argument="start", hint="start from another structure, or drop the constraint")
    parents = max(map(len, start.parent_sets))
    if parents > problem.rules.most:
        raise SearchError(
            f"a variable has {parents} parents, but " + argument("max_parents", problem.rules.most) + " allows fewer",
            argument="start",
            hint="raise it",
        )
    for child, mask in enumerate(start.reordered(problem.names).parent_masks):
        if not problem.rules.fits(child, mask):
            raise SearchError(
                f"the family of {problem.names[child]!r} has more cells than " + argument("rows_per_cell") + " allows",
                argument="start",
                hint="start from another structure, or lower it",
            )
    return ClassGraph.of(start)
