"""Estimators for scikit-learn: a classifier, and a learner of structures.

Thin doors to `bnml.search` and `bnml.network` that go into pipelines, cross-validation and grid searches. Numbers are
cut into bins by default, so that any table of numbers or labels will do. scikit-learn is an optional package.
"""

from __future__ import annotations

from bnml._optional import needs

with needs("bnml.sklearn", "sklearn"):
    from bnml.sklearn.classifier import BayesianNetworkClassifier
    from bnml.sklearn.learner import StructureLearner

__all__ = ["BayesianNetworkClassifier", "StructureLearner"]
