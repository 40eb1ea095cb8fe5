"""The score of a whole structure."""

from __future__ import annotations

import math
from typing import Any

from bnml.data import Data, as_data
from bnml.data.data import refuse_gaps
from bnml.data.targets import refuse_targets
from bnml.errors import argument, function
from bnml.graph import DAG
from bnml.scores.base import Score, check_dag, parent_sets
from bnml.scores.forest_nml import NML, forest_score_complexity
from bnml.scores.fractional import Fractional
from bnml.scores.local import local_scores
from bnml.scores.loglik import LogLikelihood
from bnml.scores.priors import StructurePrior, parse_prior
from bnml.scores.registry import parse_score
from bnml.search.structural_em import scores_by_em


def score(dag: DAG, data: Any, score: Score | str = "qnml", prior: StructurePrior | str | None = None) -> float:
    """Return the score of a structure: natural logarithm, higher is better.

    Parameters
    ----------
    dag
        The structure, over the same variables as the data, in any order.
    data
        A `Data`, or anything that `bnml.read` takes. With missing values (``missing="em"``) the score is that at the
        counts that the structure, fitted by EM, expects.
    score
        A name, ``"qnml"``, ``"bdeu:10"``; or an object of `bnml.scores`. ``"nml"`` is for structures whose
        connected components are trees or complete.
    prior
        A structure prior of `bnml.priors`, whose logarithm is added, or ``"sparse"``; None, or ``"uniform"``, adds
        nothing.

    Raises
    ------
    BnmlError
        If the variables differ, or the score or the data are not usable.

    Examples
    --------
    >>> import bnml, numpy
    >>> table = numpy.array([[0, 0], [0, 0], [1, 1], [1, 1], [1, 0]])
    >>> round(bnml.score(bnml.DAG.parse("[X0][X1|X0]"), table, "bic"), 4)
    -7.6888
    """
    chosen = parse_score(score)
    given = parse_prior(prior)
    check_dag(dag)
    table = as_data(data)
    sets = parent_sets(dag, table.names)
    if isinstance(chosen, NML):
        refuse_gaps(table, function("bnml.score"))
        return _whole(table, sets, given)
    if table.has_gaps:
        Fractional(chosen, 1)  # refuses scores that have no meaning for expected counts
        bound = None if given is None else given.bind(table)
        return scores_by_em(dag, table, chosen, bound).score(dag)
    local = local_scores(table, chosen, given)
    return math.fsum(local.families(range(len(sets)), sets).tolist())


def _whole(data: Data, sets: list[tuple[int, ...]], prior: StructurePrior | None) -> float:
    """Return the exact NML of a forest, with the logarithm of its prior."""
    refuse_targets(data, argument("score", "nml"))
    if prior is not None:
        prior.check(data.names)
        prior = prior.bind(data)
    complexity = forest_score_complexity(data, sets)  # what cannot be done is refused here
    fits = local_scores(data, LogLikelihood()).families(range(len(sets)), sets).tolist()
    terms = [] if prior is None else [prior.family(data.names, x, above) for x, above in enumerate(sets)]
    return math.fsum([*fits, -complexity, *terms])
