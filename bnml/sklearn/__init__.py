"""Estimators for scikit-learn: a classifier, and a learner of structures.

Thin doors to `bnml.search` and `bnml.network` that go into pipelines, cross-validation and grid searches. Numbers are
cut into bins by default, so that any table of numbers or labels will do. scikit-learn is an optional package.
"""

from __future__ import annotations

from bnml.errors import DependencyError

try:
    from bnml.sklearn.classifier import BayesianNetworkClassifier
    from bnml.sklearn.learner import StructureLearner
except ImportError as error:
    if (error.name or "").partition(".")[0] != "sklearn":
        raise
    raise DependencyError(
        f"bnml.sklearn needs scikit-learn 1.6 or newer ({error}); install it with: pip install 'scikit-learn>=1.6'"
    ) from None

__all__ = ["BayesianNetworkClassifier", "StructureLearner"]
