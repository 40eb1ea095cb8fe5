"""Scores by name: ``"qnml"``, ``"bdeu:10"``, ``"mdl+parents"``."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import Any

from bnml._text import did_you_mean
from bnml.errors import ScoreError
from bnml.scores.aic import AIC
from bnml.scores.base import Score
from bnml.scores.bd import BD, BDJ, K2
from bnml.scores.bdeu import BDeu
from bnml.scores.bdq import BDq
from bnml.scores.bds import BDs
from bnml.scores.bic import BIC
from bnml.scores.fnml import FNML
from bnml.scores.forest_nml import NML
from bnml.scores.hqc import HQC
from bnml.scores.loglik import LogLikelihood
from bnml.scores.mdl import MDL
from bnml.scores.qnml import QNML

SCORES: dict[str, type[Score]] = {
    score.name: score for score in (LogLikelihood, AIC, BIC, HQC, MDL, K2, BD, BDJ, BDeu, BDs, BDq, FNML, QNML)
}
"""Every score that is a sum over families, by its name. NML is not: it is for whole forests."""


def parse_score(score: Score | str) -> Score:
    """Return a score by its name, with its parameter after a colon; a score object as it is.

    Raises
    ------
    ScoreError
        If there is no such score or its parameter is not allowed.

    Examples
    --------
    >>> parse_score("bdeu:10")
    BDeu(ess=10.0)
    """
    if isinstance(score, Score):
        return score
    if not isinstance(score, str):
        raise ScoreError(
            "expected a name such as 'qnml' or 'bdeu:10', or an object of bnml.scores", argument="score", value=score
        )
    if score == "mdl+parents":
        return MDL(parent_cost=True)
    name, colon, parameter = score.partition(":")
    if name == "bde":
        raise ScoreError(
            "BDe needs a prior network",
            argument="score",
            value="bde",
            hint="pass score=bnml.scores.BDe(network, ess=1)",
        )
    kind = NML if name == NML.name else SCORES.get(name)
    if kind is None:
        names = (*SCORES, NML.name)
        raise ScoreError(
            f"there is no score {score!r}; the scores are {', '.join(names)}.{did_you_mean(name.lower(), names)}"
        )
    if colon and not parameter:
        raise ScoreError("nothing follows the colon", argument="score", value=score)
    return kind.from_text(parameter) if parameter else kind()


def score_text(score: Score) -> str:
    """Return the name of a score, with its parameter unless that is the usual one: ``bdeu:10``."""
    if isinstance(score, MDL):
        return "mdl+parents" if score.parent_cost else "mdl"
    own: dict[str, Any] = {f.name: f.default for f in fields(score)} if is_dataclass(score) else {}
    values = [(getattr(score, name), usual) for name, usual in own.items()]
    special = [value for value, usual in values if isinstance(value, float | int | str) and value != usual]
    return ":".join([score.name, *(value if isinstance(value, str) else f"{value:g}" for value in special)])
