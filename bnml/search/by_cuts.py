"""Exact search by candidate families and branch and cut, and the bound that it gives for the result of any search.

Where all subsets of the variables are too many, the families that can be in an optimal structure are listed first
(`bnml.scores.candidates_by_bounds`), and the best structure of these is sought with a bound on all others
(`bnml.search.cuts`). When the time is over, or on Ctrl-C once there is a structure, they give what they have: parent
sets that were not looked at count with a bound of their own.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from bnml._bits import bits, mask_of
from bnml._watch import Watch
from bnml.data.data import refuse_gaps
from bnml.errors import SearchError
from bnml.graph import DAG, canonical_extension
from bnml.scores import FamilyScores
from bnml.scores.base import score_rounding
from bnml.scores.candidates_by_bounds import Candidates
from bnml.search.candidates import candidates_of, candidates_with_structure
from bnml.search.cuts import CutsResult, solve_by_cuts
from bnml.search.cuts.cutting import CLOSE
from bnml.search.options import SearchOptions
from bnml.search.problem import Problem
from bnml.search.read_back_tied import read_back_tied
from bnml.search.search_result import SearchResult

LISTING_SHARE = 0.75  # of the time: a list that is not whole makes for a poor bound
LISTING_PROGRESS = 0.5
LISTED_SHARE = 0.9  # of the time, until the bound for listed families alone is left as it is
FEW_VARIABLES = 18  # of which it is always found out which of several best structures is meant
FEW_TIED = 20  # families for each variable: with more, left by a proof that took branches, that would take too long


def exact_by_cuts(
    problem: Problem, start: DAG | None = None, listed: Candidates | None = None, most_nodes: float = math.inf
) -> SearchResult:
    """Return the best structure, or the best so far with a bound when the time is over or the user interrupts.

    Parameters
    ----------
    problem
        What is asked.
    start
        A structure that is known.
    listed
        The candidate families, if they are listed already.
    most_nodes
        How many branches are looked at.
    """
    watch = problem.watch
    found = listed or candidates_of(problem, watch.share(LISTING_SHARE), LISTING_PROGRESS)
    families, parents = found.families, None
    if start is not None:
        place = {name: i for i, name in enumerate(problem.names)}
        parents = [mask_of(place[p] for p in start.parents(x)) for x in problem.names]
        families = candidates_with_structure(families, problem.local, parents)
    links = problem.hard_rules.links
    info: dict[str, Any] = {}
    if found.complete:
        solved = solve_by_cuts(families, links, parents, found.unlisted, watch, _told(watch), most_nodes)
    else:
        none = (-math.inf,) * len(problem.names)
        first = solve_by_cuts(families, links, parents, none, watch.share(LISTED_SHARE), _told(watch), most_nodes)
        info["listed_bound"] = first.bound
        if first.interrupted:  # the plain bound is all that is left to be known
            solved = replace(
                solve_by_cuts(families, links, first.parents, found.unlisted, Watch(time_limit=0.0)), interrupted=True
            )
        else:
            most = min(most_nodes, 100)  # the bound of what is not listed falls no further after a few branches
            solved = solve_by_cuts(families, links, first.parents, found.unlisted, watch, _told(watch), most)
    if solved.interrupted:
        info["interrupted"] = True
    return _result(problem, found, families, solved, info)


def certify_by_cuts(result: SearchResult, limits: SearchOptions) -> SearchResult:
    """Return a result with a bound by cuts, within the threads, memory and time of some options."""
    dag, problem = result.structure, result.problem
    if problem is None or result.local is None:
        raise SearchError("certify: the local scores of this result were not kept; learn it again")
    if result.data is not None:
        refuse_gaps(result.data, "certify")
    if result.optimal:
        return result
    options = problem.options.within(limits.threads, limits.memory)
    watch = Watch(limits.progress, limits.time_limit)
    return exact_by_cuts(replace(problem, options=options, watch=watch, search=result.search, reason="certified"), dag)


def _told(watch: Watch) -> Callable[[str, float, float], None]:
    """Return what is to be told the score and the bound: progress is how much of the first gap is closed."""
    widest = 0.0

    def tell(stage: str, lower: float, upper: float) -> None:
        nonlocal widest
        gap = upper - lower
        if math.isfinite(gap):
            widest = max(widest, gap)
            closed = 1.0 - gap / widest if widest > 0.0 else 1.0
            watch(f"{stage}: score {lower:,.1f}, gap {gap:,.3g}", LISTING_PROGRESS + (1.0 - LISTING_PROGRESS) * closed)

    return tell


def _result(
    problem: Problem, found: Candidates, families: FamilyScores, solved: CutsResult, info: dict[str, Any]
) -> SearchResult:
    local, names = problem.local, problem.names
    parents: Sequence[int] = solved.parents
    few = len(names) <= FEW_VARIABLES or sum(map(len, solved.tied)) <= FEW_TIED * len(names)
    if solved.proven and found.complete and few:
        parents = _as_by_subsets(problem, families, solved)
    dag = DAG.from_parent_sets(names, [list(bits(mask)) for mask in parents])
    if problem.nothing_but_the_score:
        dag = canonical_extension(dag.cpdag())
    score = local.score(dag)
    bound = max(solved.bound, score)
    optimal = (solved.proven and found.complete) or bound - score <= CLOSE
    told = {
        "within": (0.0 if optimal else bound - score) + score_rounding(problem.n_rows),
        "method": "cuts",
        "proof": solved.proof,
        "candidates": sum(map(len, found.families.parents)),
        "complete_to": found.families.complete_to,
        "visited": found.visited,
        "families": found.visited,
        "nodes": solved.nodes,
        "inequalities": solved.clusters,
        "rounds": solved.rounds,
        "moves": 0,
        "local_optimum": optimal,
        **info,
    }
    return problem.result(dag, score, told, optimal=optimal)


def _as_by_subsets(problem: Problem, families: FamilyScores, solved: CutsResult) -> list[int]:
    """Return that of several best structures which the dynamic programming over all subsets returns."""
    names = problem.names
    by_name = sorted(range(len(names)), key=lambda i: names[i])
    place = {i: k for k, i in enumerate(by_name)}

    def renamed(mask: int) -> int:
        return mask_of(place[j] for j in bits(mask))

    tied = [
        [(renamed(families.parents[i][f]), float(families.scores[i][f])) for f in solved.tied[i]] for i in by_name
    ]  # fmt: skip
    links = [renamed(problem.hard_rules.links[i]) for i in by_name]
    best = [renamed(solved.parents[i]) for i in by_name]
    chosen = read_back_tied(tied, links, best, by_model_string=not problem.nothing_but_the_score, watch=problem.watch)
    return [mask_of(by_name[j] for j in bits(chosen[place[i]])) for i in range(len(names))]
