"""Estimators for scikit-learn: a classifier, and a learner of structures.

Thin doors to `bnml.search` and `bnml.network` that go into pipelines, cross-validation and grid searches. Numbers are cut
into bins by default, so that they take any table of numbers or labels; scikit-learn itself is an optional package.
"""

from __future__ import annotations

from bnml.errors import DependencyError

try:
    from sklearn.utils.validation import validate_data as _  # new in 1.6, the oldest version that will do
except ImportError as error:
    raise DependencyError(
        f"bnml.sklearn needs scikit-learn 1.6 or newer ({error}); install it with: pip install 'scikit-learn>=1.6'"
    ) from None

from bnml.sklearn.classifier import BayesianNetworkClassifier
from bnml.sklearn.learner import StructureLearner

__all__ = ["BayesianNetworkClassifier", "StructureLearner"]
