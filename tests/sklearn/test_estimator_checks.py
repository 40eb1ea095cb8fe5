"""The checks of scikit-learn itself."""

from __future__ import annotations

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from bnml.sklearn import BayesianNetworkClassifier, StructureLearner

pytestmark = pytest.mark.filterwarnings("ignore:column.* only one state:UserWarning")

ESTIMATORS = [
    BayesianNetworkClassifier(),
    BayesianNetworkClassifier("naive"),
    BayesianNetworkClassifier("learned"),
    BayesianNetworkClassifier(missing="drop"),
    StructureLearner(),
    StructureLearner(missing="state"),
]


@parametrize_with_checks(ESTIMATORS)
def test_checks(estimator, check):
    check(estimator)
