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

`bnml.search.ges.steps` has the steps, `bnml.search.ges.operators` keeps their gains up to date.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from numbers import Integral
from typing import Any

import numpy as np

from bnml._bits import transposed
from bnml._threads import cores
from bnml._watch import Watch
from bnml.data import as_data
from bnml.errors import ArgumentError, ScoreError, SearchError, quoted
from bnml.graph import DAG, Constraints, canonical_extension
from bnml.scores import FamilyScores, LocalScores, Score, parse_score
from bnml.scores.local import local_scores
from bnml.scores.priors import StructurePrior, check_prior
from bnml.search.arguments import check_arguments
from bnml.search.ges.operators import Deletes, Gains, Inserts, Operators, Turns
from bnml.search.ges.steps import DELETE, INSERT, TURN, ClassGraph, taken
from bnml.search.search_result import SearchResult

__all__ = ["ges"]

FIRST_SHARE, FORWARD_SHARE = 0.1, 0.9  # of the work until the first step is known, and to the end of the inserts


def ges(
    data: Any,
    score: Score | str = "qnml",
    *,
    start: DAG | None = None,
    turning: bool = True,
    constraints: Constraints | None = None,
    max_parents: int | None = None,
    prior: StructurePrior | None = None,
    threads: int | None = None,
    time_limit: float | None = None,
    progress: Callable[[str, float], None] | None = None,
) -> SearchResult:
    """Go from class to class of equivalent networks, until nothing that is one arc away is better.

    Parameters
    ----------
    data, threads, progress
        As for `bnml.learn`.
    score
        A score that equivalent networks share, such as BIC, BDeu or qNML.
    start
        A network of the class to start from; by default one without arcs.
    turning
        Whether to turn arcs round as well. Without it this is the search that Chickering described.
    constraints
        Forbidden links. All other kinds rule out some members of a class and not others, and are refused.
    max_parents
        The most parents that a variable may have; None for any number.
    prior
        A structure prior that equivalent networks share: one in which an arc and its reverse are equally probable.
    time_limit
        Seconds after which the best class so far is returned.

    Returns
    -------
    SearchResult
        The canonical network of the class that was found. Its ``info`` has the numbers of ``inserts``, ``deletes`` and
        ``turns``, and of ``families`` that were scored, and ``local_optimum``: whether it was verified that no further
        step of these kinds is an improvement.

    Raises
    ------
    BnmlError
        If an argument is wrong, or score, prior or constraints tell equivalent networks apart; before any work.

    Examples
    --------
    >>> import bnml
    >>> result = bnml.search.ges(bnml.example(), "bic")
    >>> print(result.dag)
    [asia][tub][bronc][smoke|bronc][lung|smoke][either|tub:lung][xray|either][dysp|bronc:either]
    >>> result.info["inserts"], result.info["deletes"], result.info["turns"], result.info["local_optimum"]
    (7, 0, 0, True)
    """
    check_arguments(
        score=score, constraints=constraints, max_parents=max_parents, prior=prior, threads=threads,
        time_limit=time_limit, progress=progress,
    )  # fmt: skip
    watch = Watch(progress, time_limit)
    most = _checked(score, prior, threads, max_parents, turning)
    local = _local(data, score, prior)
    names = tuple(sorted(local.data.names))
    partners = _partners(names, constraints)
    walk = _Walk(_first(names, start, constraints, most), local, threads, watch)
    bound = len(names) if most is None else most
    phases: dict[str, Operators] = {"forward": Inserts(walk.gains, partners, bound), "backward": Deletes(walk.gains)}
    if turning:
        phases["turning"] = Turns(walk.gains, bound)
    ended = walk.through(phases)
    dag = canonical_extension(walk.graph.pdag.reordered(local.data.names))
    total = _score(local, dag)
    watch(f"done, score {total:,.1f}", 1.0)
    info = {
        "inserts": walk.steps[INSERT],
        "deletes": walk.steps[DELETE],
        "turns": walk.steps[TURN],
        "families": walk.gains.families,
        "moves": sum(walk.steps[kind] for kind in (INSERT, DELETE, TURN)),
        "local_optimum": ended and turning and not any(operators.cut for operators in phases.values()),
    } | ({} if most is None else {"max_parents": most})
    return SearchResult(dag, total, False, "ges", watch.seconds, info, local.data, local, constraints)


class _Walk:
    """Where the search stands, and how it goes on."""

    def __init__(self, start: ClassGraph, local: LocalScores, threads: int | None, watch: Watch) -> None:
        self.graph, self.gains, self.watch = start, Gains(local, threads), watch
        self.score = _score(local, start.pdag.to_dag().reordered(local.data.names))
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
            self.graph = taken(self.graph, step)
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


def _score(local: LocalScores, dag: DAG) -> float:
    return math.fsum(local.families(range(len(dag.names)), dag.parent_sets).tolist())


# --- what is refused ---


def _checked(score: Any, prior: Any, threads: Any, max_parents: Any, turning: Any) -> int | None:
    """Refuse arguments that are wrong whatever the data are; return the bound on the parents."""
    asked = parse_score(score)
    if not asked.equivalent:
        raise ScoreError(
            f"score={asked.name!r}: ges searches classes of equivalent networks, and {asked.name} gives the members "
            "of a class different scores; take one that they share, such as bic, bdeu or qnml, or another search"
        )
    check_prior(prior)
    cores(threads)
    if not isinstance(turning, bool):
        raise ArgumentError(f"turning={turning!r}: expected True or False")
    if max_parents is None:
        return None
    if isinstance(max_parents, bool) or not isinstance(max_parents, Integral) or max_parents < 0:
        raise ArgumentError(f"max_parents={max_parents!r}: expected a whole number from 0, or None")
    return int(max_parents)


def _local(data: Any, score: Score | str, prior: StructurePrior | None) -> LocalScores:
    """Return the local scores, unless equivalent networks may differ in them."""
    if isinstance(data, FamilyScores):
        raise ArgumentError(
            "ges needs a table: local scores alone do not tell whether equivalent networks share them; "
            "take search='exact'"
        )
    table = as_data(data)
    if prior is not None:
        prior.check(table.names)
        _check_prior(prior, table.names)
    return local_scores(table, parse_score(score), prior)


def _check_prior(prior: StructurePrior, names: Sequence[str]) -> None:
    """Refuse a prior unless it is a sum over links, in whichever direction."""
    terms = prior.arc_terms(names)
    if terms is not None:
        odds = terms[0] - terms[1]
        if np.allclose(odds, odds.T, rtol=1e-12, atol=1e-12) and (odds < np.inf).all():
            return
    raise ArgumentError(
        f"prior={type(prior).__name__}(…): ges searches classes of equivalent networks, and this prior gives the "
        "members of a class different probabilities; take one that gives an arc and its reverse the same, "
        "or another search"
    )


def _partners(names: Sequence[str], constraints: Constraints | None) -> tuple[int, ...]:
    """Return for each variable those that it may be adjacent to, as masks."""
    if constraints is None:
        constraints = Constraints()
    if not isinstance(constraints, Constraints):
        raise ArgumentError(f"constraints={constraints!r}: expected bnml.Constraints(…), or None")
    rules = constraints.compiled(names)
    both_ways = transposed(rules.may) == list(rules.may)
    if not both_ways or rules.links or any(rules.must):
        kinds = [kind for kind in ("required", "forbidden", "required_links", "tiers") if getattr(constraints, kind)]
        raise SearchError(
            f"constraints: {' and '.join(kinds)}: ges searches classes of equivalent networks, and can keep only "
            "forbidden_links, which all members of a class meet or none; drop the others, or take search='climb' "
            "or search='exact'"
        )
    return rules.may


def _first(names: tuple[str, ...], start: Any, constraints: Constraints | None, most: int | None) -> ClassGraph:
    """Return the class to start from."""
    if start is None:
        return ClassGraph(names, (0,) * len(names), (0,) * len(names))
    if not isinstance(start, DAG):
        raise ArgumentError(f"start={start!r}: expected a DAG over the variables of the data, or None for no arcs")
    if differing := sorted(set(start.names) ^ set(names)):
        raise ArgumentError(f"start: it and the data must have the same variables; only one has {quoted(differing)}")
    if constraints is not None and (wrong := constraints.violations(start)):
        raise SearchError(f"start: {wrong[0]}; start from another structure, or drop the constraint")
    parents = max(map(len, start.parent_sets))
    if most is not None and parents > most:
        raise SearchError(f"start: a variable has {parents} parents, but max_parents={most} allows fewer; raise it")
    return ClassGraph.of(start)
