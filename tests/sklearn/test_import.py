"""Without scikit-learn the door stays shut, and says what opens it."""

from __future__ import annotations

import subprocess
import sys

import pytest

PROGRAM = """
import sys
{before}
import bnml
try:
    bnml.sklearn
except bnml.BnmlError as error:
    print(type(error).__name__, error)
"""


@pytest.mark.parametrize(
    "before",
    [
        "sys.modules['sklearn'] = None",
        "import sklearn.utils.validation as old; del old.validate_data",
    ],
    ids=["absent", "old"],
)
def test_scikit_learn_is_named_where_it_is_needed(before):
    program = PROGRAM.format(before=before)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("DependencyError bnml.sklearn needs scikit-learn>=1.6 (")
    assert "pip install 'scikit-learn>=1.6'" in done.stdout


def test_the_estimators_are_reached_from_bnml():
    program = "import bnml; print(bnml.sklearn.BayesianNetworkClassifier(), bnml.sklearn.StructureLearner('bic'))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["BayesianNetworkClassifier()", "StructureLearner(score='bic')"]
