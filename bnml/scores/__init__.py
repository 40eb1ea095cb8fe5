"""Scores: how well a structure explains a table. Natural logarithms, higher is better.

`bnml.scores.base` says what a score is; each score is one short file; `bnml.scores.registry` names them;
`bnml.scores.local` computes family scores for all searches; `bnml.scores.priors` holds structure priors.
"""

from __future__ import annotations

from bnml.scores.aic import AIC
from bnml.scores.base import Score, Shape, Terms
from bnml.scores.bd import BD, BDJ, K2
from bnml.scores.bde import BDe
from bnml.scores.bdeu import BDeu
from bnml.scores.bdq import BDq
from bnml.scores.bds import BDs
from bnml.scores.bic import BIC
from bnml.scores.code_length import CodeLength, code_length
from bnml.scores.family_score import family_score
from bnml.scores.family_scorer import FamilyScorer
from bnml.scores.family_scores import FamilyScores
from bnml.scores.fnml import FNML
from bnml.scores.forest_nml import NML
from bnml.scores.hqc import HQC
from bnml.scores.local import LocalScores, local_scores
from bnml.scores.loglik import LogLikelihood
from bnml.scores.mdl import MDL
from bnml.scores.prequential import prequential
from bnml.scores.qnml import QNML
from bnml.scores.registry import SCORES, parse_score

__all__ = [
    "AIC",
    "BD",
    "BDJ",
    "BIC",
    "FNML",
    "HQC",
    "K2",
    "MDL",
    "NML",
    "QNML",
    "SCORES",
    "BDe",
    "BDeu",
    "BDq",
    "BDs",
    "CodeLength",
    "FamilyScorer",
    "FamilyScores",
    "LocalScores",
    "LogLikelihood",
    "Score",
    "Shape",
    "Terms",
    "code_length",
    "family_score",
    "local_scores",
    "parse_score",
    "prequential",
]
