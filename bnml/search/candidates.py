"""The families that can be in an optimal structure, for users and for exact search beyond all subsets."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from bnml._bits import bits, members
from bnml._text import number_of
from bnml._watch import Watch
from bnml.data import as_data
from bnml.errors import SearchError, argument
from bnml.graph import Constraints, Rules
from bnml.graph.rules import ROWS_PER_CELL
from bnml.scores import FamilyScores, LocalScores, Score
from bnml.scores.candidates_by_bounds import Candidates, list_by_bounds
from bnml.scores.lattice import allowed_sets, listable_by_bounds
from bnml.scores.priors import DEFAULT_PRIOR, StructurePrior
from bnml.search.options import SearchOptions
from bnml.search.problem import Problem, TimeOverError, bind


def candidates(
    data: Any,
    score: Score | str = "qnml",
    *,
    constraints: Constraints | None = None,
    max_parents: int | None = None,
    rows_per_cell: float = ROWS_PER_CELL,
    prior: StructurePrior | str | None = DEFAULT_PRIOR,
    threads: int | None = None,
    memory_limit: int | str | None = None,
    time_limit: float | None = None,
    progress: Callable[[str, float], None] | None = None,
) -> FamilyScores:
    """List the families that can be in an optimal structure.

    There is no bound on the number of parents but ``max_parents`` and what ``rows_per_cell`` allows: bounds on the
    score say which larger sets need not be looked at (`bnml.scores.candidates_by_bounds`).

    Parameters
    ----------
    data, score, constraints, max_parents, rows_per_cell, prior, threads, memory_limit, progress
        As for `bnml.learn`.
    time_limit
        Seconds after which the sets of the sizes that are done are returned.

    Returns
    -------
    FamilyScores
        What `bnml.learn` and other programs take. ``complete_to`` is the number of parents up to which none is missing:
        with enough time the most that a variable may have.

    Examples
    --------
    >>> import bnml
    >>> families = bnml.search.candidates(bnml.example(), "bic")
    >>> families, families.complete_to
    (FamilyScores(8 variables, 105 parent sets), 7)
    >>> bnml.learn(families, search="exact").optimal
    True
    """
    options = SearchOptions.checked(
        None, score=score, constraints=constraints, max_parents=max_parents, rows_per_cell=rows_per_cell,
        prior=prior, threads=threads, memory_limit=memory_limit, time_limit=time_limit, progress=progress,
    )  # fmt: skip
    problem = bind(options, data if isinstance(data, FamilyScores) else as_data(data, memory_limit))
    return candidates_of(problem, problem.watch).families


def candidates_of(problem: Problem, watch: Watch, share: float = 1.0, most_sets: float = math.inf) -> Candidates:
    """List the candidates of a problem; ``share`` is that of the work, for progress, and ``watch`` ends it."""
    found = candidates_to_size(problem, watch, 0, share, most_sets)
    assert found is not None, "a list of any size will do"
    return found


def candidates_to_size(
    problem: Problem, watch: Watch, least: int, share: float = 1.0, most_sets: float = math.inf
) -> Candidates | None:
    """List the candidates of a problem; None if the time is over before those with ``least`` parents are listed."""
    rules, local = problem.hard_rules, problem.local
    if isinstance(local, FamilyScores):
        return Candidates(_allowed(local, rules), (-math.inf,) * rules.n, 0)
    if not listable_by_bounds(local, rules):
        return _one_by_one(problem, local, rules, watch)

    def done(size: int, visited: int, listed: int) -> None:
        parents = number_of(size, "parent")
        watch(f"candidate families: {listed:,} with up to {parents}", share * size / (size + 1))

    # a share of the memory for the sets that are open
    return list_by_bounds(
        local, rules, problem.threads, lambda: watch.over, done, 0.3 * problem.memory, most_sets, least
    )  # fmt: skip


def _allowed(families: FamilyScores, rules: Rules) -> FamilyScores:
    """Return the listed families that the rules allow."""
    sets = []
    for i, (masks, scores) in enumerate(zip(families.parents, families.scores, strict=True)):
        keep = [
            k for k, mask in enumerate(masks)
            if not mask & ~rules.may[i] and not rules.must[i] & ~mask and rules.fits(i, mask)
        ]  # fmt: skip
        if not keep:
            raise SearchError(f"no parent set of {families.names[i]!r} is listed and allowed")
        sets.append(([masks[k] for k in keep], scores[keep]))
    allowed = FamilyScores._of(families.names, sets, families.complete_to, families.prior)
    return allowed if any(rules.links) else allowed.undominated()


def _one_by_one(problem: Problem, local: LocalScores, rules: Rules, watch: Watch) -> Candidates:
    """Score every family that is allowed, for a score that has no bounds."""
    free = [(may & ~must).bit_count() for may, must in zip(rules.may, rules.must, strict=True)]
    number = sum(
        2.0**k if rules.most >= rules.n - 1 else sum(math.comb(k, s) for s in range(rules.most + 1)) for k in free
    )
    if number > 2_000_000:  # families that are scored on their own
        raise SearchError(
            "the families that matter cannot be told from bounds (which need a score of tables, a prior over "
            f"arcs, a million rows at most and few required links), and to score all {number:,.0f} takes too long",
            hint="allow fewer with " + argument("max_parents") + ", take fewer columns, or another score",
        )
    sets = []
    for i in range(rules.n):
        if watch.over:
            raise TimeOverError(
                "the time was over before all families were scored",
                hint="allow more with " + argument("time_limit") + ", or take fewer columns",
            )
        masks = [int(mask) for mask in allowed_sets(rules, i)]
        scores = local.families(i, [members(mask) for mask in masks], problem.threads)
        sets.append((masks, np.asarray(scores)))
    families = FamilyScores(local.names, tuple(tuple(m) for m, _ in sets), tuple(s for _, s in sets), prior=local.prior)
    return Candidates(families, (-math.inf,) * rules.n, int(number))


def candidates_with_structure(
    families: FamilyScores, local: LocalScores | FamilyScores, parents: list[int]
) -> FamilyScores:
    """Return candidate families with those of a structure among them."""
    sets = []
    for i, (masks, scores) in enumerate(zip(families.parents, families.scores, strict=True)):
        if parents[i] in masks:
            sets.append((list(masks), scores))
        else:
            own = local.family(i, list(bits(parents[i])))
            sets.append(([*masks, parents[i]], np.append(scores, own)))
    return FamilyScores._of(families.names, sets, families.complete_to, families.prior)
