"""The best structure of a table where it can be proven within a fixed amount of work.

A limit of time would let results depend on the machine. So the work is limited: the number of sets of variables that
are counted while families are listed, and the number of branches of the proof.
"""

from __future__ import annotations

import bnml
from bnml.data import as_data
from bnml.scores.priors import StructurePrior
from bnml.search.by_cuts import exact_by_cuts
from bnml.search.candidates import candidates_of
from bnml.search.options import SearchOptions
from bnml.search.problem import bind
from bnml.search.search_result import SearchResult, uninterrupted_result

MOST_SETS = 4_000_000
MOST_BRANCHES = 50


def proven_best(
    data: bnml.Data,
    score: str,
    most_sets: int = MOST_SETS,
    most_branches: int = MOST_BRANCHES,
    prior: StructurePrior | None = None,
) -> SearchResult | None:
    """Return the structure with the highest score of all, or None where that is not proven within the limits.

    Parameters
    ----------
    data, score
        The table and the score; families need five rows per cell, as by default everywhere.
    most_sets
        How many sets of variables are counted at most.
    most_branches
        How many branches the proof may take.
    prior
        The structure prior; None for the uniform one.

    Examples
    --------
    >>> found = proven_best(bnml.example(), "bic")
    >>> found.optimal, round(found.score, 1)
    (True, -11279.4)
    >>> print(proven_best(bnml.example(), "bic", most_sets=10))
    None
    """
    problem = bind(SearchOptions.checked(None, score=score, prior=prior, threads=1), as_data(data))
    listed = candidates_of(problem, problem.watch, most_sets=most_sets)
    if not listed.complete:
        return None
    found = uninterrupted_result(exact_by_cuts(problem, listed=listed, most_nodes=most_branches))
    return found if found.optimal else None
