"""The best networks by other scores, and the directions on which they do not agree.

A score weighs how well a network fits against how complex it is, and scores do so in different ways. A direction that
one of them finds and another does not, because it turns the arc round, leaves it open or has no such link, comes from
the score as much as from the data. Where exact searches by the usual scores are affordable, a study makes them all, and
shows a direction only where they agree.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from bnml.graph import PDAG
from bnml.scores import SCORES
from bnml.scores.priors import StructurePrior
from bnml.search.learn import solve
from bnml.search.problem import Problem
from bnml.search.search_result import SearchResult, uninterrupted_result
from bnml.search.searches import SEARCHES

COMPARED = {name: SCORES[name]() for name in ("qnml", "bic", "bdeu", "fnml")}
MOST_SECONDS = 5.0  # of exact searches by the other scores

Classes = tuple[tuple[str, PDAG], ...]


def classes_by_score(
    learned: SearchResult,
    problem: Problem,
    prior: StructurePrior | None,
    progress: Callable[[str, float], None],
    left_out: dict[str, str],
) -> Classes:
    """Return the classes of the best networks by the other scores, each with the score's name.

    None where that would take long, which is said in ``left_out``. ``problem`` is the one that was learned from.
    """
    others = [name for name in COMPARED if name != learned.score_name]
    options = replace(problem.options, search=SEARCHES["exact"], options={}, prior=prior, progress=None)
    problems = [problem.scored(replace(options, score=COMPARED[name])) for name in others]
    costs = [problem.cost for problem in problems]
    if not all(cost.fits for cost in costs) or sum(cost.seconds for cost in costs) > MOST_SECONDS:
        left_out["other scores"] = (
            f"exact searches by {', '.join(others)} would take long here, so that all directions rest on "
            f"{learned.score_name} alone"
        )
        return ()
    found = []
    for number, (name, problem) in enumerate(zip(others, problems, strict=True)):
        progress(name, number / len(others))
        found.append((name, uninterrupted_result(solve(problem)).shared_directions))
    return tuple(found)


def disputing_scores(arc: tuple[str, str], classes: Classes) -> tuple[str, ...]:
    """Return the scores whose best networks do not direct an arc so: turned round, left open, or without the link.

    Examples
    --------
    >>> classes = (("bic", PDAG(["A", "B"], [("A", "B")])), ("fnml", PDAG(["A", "B"], (), [("A", "B")])))
    >>> disputing_scores(("A", "B"), classes), disputing_scores(("B", "A"), classes)
    (('fnml',), ('bic', 'fnml'))
    """
    return tuple(name for name, graph in classes if arc not in graph.directed)
