"""The checks that scikit-learn has for every estimator."""

from __future__ import annotations

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

import bnml
from bnml.sklearn import BayesianNetworkClassifier, StructureLearner

# in the checks' tables, which are small and often random, a single bin is what describes many columns best: "mdl" of
# the learner finds it
pytestmark = pytest.mark.filterwarnings("ignore:column.* only one state:UserWarning")

ESTIMATORS = [
    BayesianNetworkClassifier(),
    BayesianNetworkClassifier("tan", score="bic", bins="quantile:4"),
    BayesianNetworkClassifier("naive", missing="state"),
    BayesianNetworkClassifier("learned", missing="drop", handle_unknown="error"),
    StructureLearner(),
    StructureLearner(bnml.scores.BDeu(2.0)),
    StructureLearner(missing="drop"),
    StructureLearner(missing="state"),
]


@parametrize_with_checks(ESTIMATORS)
def test_the_checks_of_scikit_learn(estimator, check):
    check(estimator)
