"""The doors: the score of a structure, the score of a family."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, Literal, overload

from bnml._checks import refuse
from bnml.data import Data, as_data
from bnml.errors import ArgumentError
from bnml.graph import DAG
from bnml.scores.base import Score
from bnml.scores.local import local_scores
from bnml.scores.loglik import LogLikelihood
from bnml.scores.nml import NML, forest_complexity
from bnml.scores.parent_sets import check_dag, parent_sets
from bnml.scores.priors import StructurePrior, check_prior
from bnml.scores.registry import parse_score

__all__ = ["family_score", "score"]


def score(dag: DAG, data: Any, score: Score | str = "qnml", prior: StructurePrior | None = None) -> float:
    """Return the score of a structure: natural logarithm, higher is better.

    Parameters
    ----------
    dag
        The structure, over the same variables as the data, in any order.
    data
        A `Data`, or anything that `bnml.read` takes.
    score
        A name, ``"qnml"``, ``"bdeu:10"``; or an object of `bnml.scores`. ``"nml"`` is for structures in which each
        variable has one parent at most.
    prior
        A structure prior of `bnml.priors`, whose logarithm is added.

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
    check_prior(prior)
    check_dag(dag)
    table = as_data(data)
    sets = parent_sets(dag, table.names)
    if isinstance(chosen, NML):
        return _whole(table, sets, prior)
    local = local_scores(table, chosen, prior)
    return math.fsum(local.families(range(len(sets)), sets).tolist())


def _whole(data: Data, sets: list[tuple[int, ...]], prior: StructurePrior | None) -> float:
    """Return the exact NML of a forest, with the logarithm of its prior."""
    if prior is not None:
        prior.check(data.names)
    complexity = forest_complexity(data, sets)  # what cannot be done is refused here
    fits = local_scores(data, LogLikelihood()).families(range(len(sets)), sets).tolist()
    terms = [] if prior is None else [prior.family(data.names, x, above) for x, above in enumerate(sets)]
    return math.fsum([*fits, -complexity, *terms])


@overload
def family_score(
    child: str, parents: Iterable[str], data: Any, score: Score | str = ..., *, parts: Literal[False] = ...
) -> float: ...


@overload
def family_score(
    child: str, parents: Iterable[str], data: Any, score: Score | str = ..., *, parts: Literal[True]
) -> tuple[float, float]: ...


def family_score(
    child: str, parents: Iterable[str], data: Any, score: Score | str = "qnml", *, parts: bool = False
) -> float | tuple[float, float]:
    """Return the score of one family: a variable and its parents.

    Parameters
    ----------
    child, parents
        The variable and its parents.
    data
        A `Data`, or anything that `bnml.read` takes.
    score
        A name or an object of `bnml.scores`.
    parts
        Return the maximised log-likelihood and the penalty apart; the score is their difference (fNML paper, eq. 4).

    Raises
    ------
    BnmlError
        If a name is unknown, a variable is its own parent, or the score is not usable.

    Examples
    --------
    >>> import bnml, numpy
    >>> table = numpy.array([[0, 0], [0, 0], [1, 1], [1, 1], [1, 0]])
    >>> fit, penalty = bnml.family_score("X1", ["X0"], table, "bic", parts=True)
    >>> round(fit, 4), round(penalty, 4)
    (-1.9095, 1.6094)
    """
    chosen = parse_score(score)
    if not isinstance(parents, Iterable):
        raise refuse("parents", parents, "expected the names of variables")
    table = as_data(data)
    x = table.index(child)
    above = table.indices(parents)
    if x in above:
        raise ArgumentError(f"{child!r} cannot be its own parent")
    local = local_scores(table, chosen)
    return local.parts(x, above) if parts else local.family(x, above)
