"""The score of one family."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal, overload

from bnml._checks import refuse
from bnml.data import as_data
from bnml.data.data import refuse_gaps
from bnml.errors import ArgumentError, function
from bnml.scores.base import Score
from bnml.scores.local import local_scores
from bnml.scores.registry import parse_score


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
    refuse_gaps(table, function("bnml.family_score"))
    x = table.index(child)
    above = table.indices(parents)
    if x in above:
        raise ArgumentError(f"{child!r} cannot be its own parent")
    local = local_scores(table, chosen)
    return local.parts(x, above) if parts else local.family(x, above)
