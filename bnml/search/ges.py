"""Greedy equivalence search: from class to class of equivalent networks.

Hill climbing changes one arc of one network; but a score that equivalent networks share cannot say which member of a class to
stand on, and which changes are near depends on it. Greedy equivalence search (Chickering 2002) stands on the whole class, and
sees every network that is one arc away from any member of it. The first phase inserts, always where the score gains most,
until nothing helps; the second deletes in the same way. With enough data from a network that a DAG describes faithfully, these
two alone find its class. With the data that there are, an insert may help again after a delete, so both phases are repeated
until neither finds anything.

The steps, and how they are kept, are in `bnml.search.operators`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from numbers import Integral
from typing import Any

import numpy as np

from bnml._threads import cores
from bnml.data import as_data
from bnml.errors import ArgumentError, ScoreError, SearchError, quoted
from bnml.graph import DAG, Constraints, canonical_extension
from bnml.scores import FamilyScores, LocalScores, Score, parse_score
from bnml.scores.local import local_scores
from bnml.scores.priors import StructurePrior, check_prior
from bnml.search.operators import INSERT, Deletes, Gains, Graph, Inserts, Step, taken
from bnml.search.result import SearchResult
from bnml.search.watch import Watch

__all__ = ["ges"]

FORWARD_SHARE = 0.9  # of the work, for progress


def ges(
    data: Any,
    score: Score | str = "qnml",
    *,
    start: DAG | None = None,
    constraints: Constraints | None = None,
    max_parents: int | None = None,
    prior: StructurePrior | None = None,
    threads: int | None = None,
    time_limit: float | None = None,
    progress: Callable[[str, float], None] | None = None,
) -> SearchResult:
    """Climb from class to class of equivalent networks, until no network one arc away from the class is better.

    Parameters
    ----------
    data, threads, progress
        As for `bnml.learn`.
    score
        A score that equivalent networks share, such as BIC, BDeu or qNML.
    start
        A network of the class to start from; by default one without arcs.
    constraints
        Forbidden links; all other kinds tell the members of a class apart, and are refused.
    max_parents
        The most parents that a variable may have; None for any number.
    prior
        A structure prior that gives equivalent networks the same probability: `Uniform`, or `ArcProbabilities` in which
        an arc and its reverse are equally probable.
    time_limit
        Seconds after which the best class so far is returned.

    Returns
    -------
    SearchResult
        The canonical DAG of the class that was found. ``info`` has the numbers of ``inserts`` and ``deletes``, of ``families``
        that were scored, and ``local_optimum``: whether it was verified that no insert or delete is an improvement.

    Raises
    ------
    BnmlError
        If an argument is wrong, or the score, the prior or a constraint tells equivalent networks apart; before any work.

    Examples
    --------
    >>> import bnml
    >>> result = bnml.search.ges(bnml.example(), "bic")
    >>> print(result.dag)
    [asia][tub|asia][bronc][smoke|bronc][lung|smoke][either|tub:lung][xray|either][dysp|bronc:either]
    >>> result.info["inserts"], result.info["deletes"], result.info["local_optimum"]
    """
    watch = Watch(progress, time_limit)
    cores(threads)
    local = _local(data, score, prior)
    names = tuple(sorted(local.data.names))
    partners = _partners(names, constraints)
    walk = _Walk(_first(names, start, constraints, _number(max_parents)), local, threads, watch)
    inserts, deletes = Inserts(walk.gains, partners, max_parents), Deletes(walk.gains)
    ended = walk.repeat(inserts, deletes)
    dag = canonical_extension(walk.graph.pdag.reordered(local.data.names))
    total = _score(local, dag)
    watch(f"done, score {total:,.1f}", 1.0)
    info = {
        "inserts": walk.inserts,
        "deletes": walk.deletes,
        "families": walk.gains.families,
        "local_optimum": ended and not (inserts.cut or deletes.cut),
    } | ({} if max_parents is None else {"max_parents": int(max_parents)})
    return SearchResult(dag, total, False, "ges", watch.seconds, info, local.data, local, constraints)


class _Walk:
    """Where the search stands."""

    def __init__(self, start: Graph, local: LocalScores, threads: int | None, watch: Watch) -> None:
        self.graph, self.watch, self.gains = start, watch, Gains(local, threads)
        self.score = _score(local, start.pdag.to_dag().reordered(local.data.names))
        self.inserts = self.deletes = 0
        self.first = 0.0
        if not math.isfinite(self.score):
            raise SearchError("the structure to start from has a score of minus infinity; no step away from it can help")

    def repeat(self, inserts: Inserts, deletes: Deletes) -> bool:
        """Take turns with both phases until neither finds a step; return whether there was time for that."""
        while True:
            before = self.graph
            if not self.phase("forward", inserts) or not self.phase("backward", deletes):
                return False
            if self.graph == before:
                return True

    def phase(self, name: str, operators: Inserts | Deletes) -> bool:
        """Take the best steps of one kind until none helps; return whether there was time for that."""
        while True:
            for y in operators.update(self.graph):
                if self.watch.over:
                    return False
                if not self.inserts:
                    self._tell(name, 0.1 * y / len(self.graph.names))
            step = _best(operators, self.gains.equal)
            if step is None:
                return True
            self.graph = taken(self.graph, step)
            self.score += step.gain
            if step.kind == INSERT:
                self.inserts += 1
                self.first = max(self.first, step.gain)
                self._tell(name, FORWARD_SHARE * (1.0 - math.log1p(step.gain) / math.log1p(self.first)))
            else:
                self.deletes += 1
                self._tell(name, FORWARD_SHARE)

    def _tell(self, name: str, fraction: float) -> None:
        self.watch(f"{name}, score {self.score:,.1f}", fraction)


def _best(operators: Inserts | Deletes, equal: float) -> Step | None:
    """Return the step that gains most, of several the first by names; None if none is an improvement."""
    highest = operators.highest
    if highest <= equal:
        return None
    return min(operators.steps(max(highest - equal, equal)), key=lambda step: step.rank)


def _score(local: LocalScores, dag: DAG) -> float:
    return math.fsum(local.families(range(len(dag.names)), dag.parent_sets).tolist())


# --- what is refused ---


def _local(data: Any, score: Score | str, prior: StructurePrior | None) -> LocalScores:
    """Return the local scores, unless equivalent networks would differ in them."""
    asked = parse_score(score)
    if not asked.equivalent:
        raise ScoreError(
            f"score={asked.name!r}: ges searches over classes of equivalent networks, and {asked.name} gives members of a "
            "class different scores; take a score that they share, such as bic, bdeu or qnml, or another search"
        )
    check_prior(prior)
    if isinstance(data, FamilyScores):
        raise ArgumentError(
            "ges needs a table: whether equivalent networks share the local scores of a file cannot be seen from it; "
            "take search='exact'"
        )
    table = as_data(data)
    if prior is not None:
        prior.check(table.names)
        _check_prior(prior, table.names)
    return local_scores(table, asked, prior)


def _check_prior(prior: StructurePrior, names: Sequence[str]) -> None:
    """Refuse a prior unless it depends on the links alone."""
    terms = prior.arc_terms(names)
    kind = type(prior).__name__
    if terms is not None:
        with np.errstate(invalid="ignore"):
            odds = terms[0] - terms[1]
        if np.allclose(odds, odds.T, rtol=1e-12, atol=1e-12) and (odds < np.inf).all():
            return
    raise ArgumentError(
        f"prior={kind}(…): ges searches over classes of equivalent networks, and this prior gives members of a class "
        "different probabilities; take one in which an arc and its reverse are equally probable, or another search"
    )


def _partners(names: Sequence[str], constraints: Constraints | None) -> list[int]:
    """Return for each variable those that it may be adjacent to, as masks."""
    if constraints is not None and not isinstance(constraints, Constraints):
        raise ArgumentError(f"constraints={constraints!r}: expected bnml.Constraints(…), or None")
    rules = (constraints or Constraints()).compiled(names)
    one_way = [
        (names[a], names[b])
        for b in range(len(names))
        for a in range(len(names))
        if rules.may[b] >> a & 1 and not rules.may[a] >> b & 1
    ]
    if rules.links or any(rules.must) or one_way:
        because = f"; here, {' -> '.join(one_way[0])} is allowed and its reverse is not" if one_way else ""
        raise SearchError(
            "constraints: ges searches over classes of equivalent networks, and can keep forbidden links only: whether an "
            f"arc is there, and tiers, tell members of a class apart, and a required link{because}; take another search"
        )
    return list(rules.may)


def _number(max_parents: Any) -> int | None:
    if max_parents is None:
        return None
    if isinstance(max_parents, bool) or not isinstance(max_parents, Integral) or max_parents < 0:
        raise ArgumentError(f"max_parents={max_parents!r}: expected a whole number from 0, or None")
    return int(max_parents)


def _first(names: tuple[str, ...], start: Any, constraints: Constraints | None, max_parents: int | None) -> Graph:
    """Return the class to start from."""
    if start is None:
        return Graph(names, (0,) * len(names), (0,) * len(names))
    if not isinstance(start, DAG):
        raise ArgumentError(f"start={start!r}: expected a DAG over the variables of the data, or None for no arcs")
    if differing := sorted(set(start.names) ^ set(names)):
        raise ArgumentError(f"start: it and the data must have the same variables; only one has {quoted(differing)}")
    if constraints is not None and (wrong := constraints.violations(start)):
        raise SearchError(f"start: {wrong[0]}; start from another structure, or drop the constraint")
    most = max(map(len, start.parent_sets), default=0)
    if max_parents is not None and most > max_parents:
        raise SearchError(f"start: a variable has {most} parents, but max_parents={max_parents} allows fewer; raise it")
    return Graph.of(start.cpdag())
