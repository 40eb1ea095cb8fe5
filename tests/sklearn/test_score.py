"""Two things are called score: the parameter that is set, and the method that scikit-learn calls."""

from __future__ import annotations

import copy
import inspect
import pickle

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.exceptions import UnsetMetadataPassedError
from sklearn.metrics import accuracy_score
from sklearn.model_selection import GridSearchCV, cross_val_score, cross_validate
from sklearn.pipeline import make_pipeline

import bnml
from bnml.sklearn import BayesianNetworkClassifier, StructureLearner

BOTH = pytest.mark.parametrize("kind", [BayesianNetworkClassifier, StructureLearner])


@pytest.fixture(scope="module")
def iris():
    return load_iris(return_X_y=True)


def held(estimator):
    return estimator.get_params()["score"]


# --- the parameter ---


@BOTH
def test_it_is_set_and_got(kind):
    assert held(kind()) == "qnml"
    estimator = kind(score="bic")
    assert held(estimator) == "bic"
    assert list(estimator.get_params()) == sorted(estimator.get_params())
    assert held(estimator.set_params(score="bdeu:2")) == "bdeu:2"
    estimator.score = "fnml"
    assert held(estimator) == "fnml"
    assert estimator.get_params(deep=False)["score"] == "fnml"
    assert callable(estimator.score)
    with pytest.raises(TypeError, match="criterion"):
        kind(criterion="bic")


def test_positions():
    first = BayesianNetworkClassifier("naive", score="bic")
    assert (first.structure, held(first)) == ("naive", "bic")
    assert held(StructureLearner("bic")) == "bic"


@BOTH
def test_representations(kind):
    assert repr(kind()) == f"{kind.__name__}()"
    assert repr(kind(score="bic")) == f"{kind.__name__}(score='bic')"
    assert "bic" in kind(score="bic")._repr_html_()


@BOTH
def test_copies(kind, iris):
    score = bnml.scores.BDeu(3.0)
    fitted = kind(score=score).fit(*iris)
    for again in (clone(fitted), copy.copy(fitted), copy.deepcopy(fitted), pickle.loads(pickle.dumps(fitted))):
        assert held(again) == score
        assert callable(again.score)
    assert again.score(*iris) == fitted.score(*iris)
    assert held(clone(fitted).set_params(score="bic")) == "bic"
    assert held(fitted) is score


def test_it_is_what_the_structure_maximises(iris):
    X, y = iris
    data = bnml.read(pd.DataFrame(X, columns=["X0", "X1", "X2", "X3"]).assign(**{"class": y}), bins="quantile:5")
    for score in ("qnml", "bic", "aic"):
        fitted = BayesianNetworkClassifier("learned", score=score).fit(X, y)
        assert fitted.dag_ == bnml.learn(data, score).dag
        learner = StructureLearner(score, bins="quantile:5").fit(X)
        assert learner.score_ == bnml.learn(bnml.read(X, bins="quantile:5"), score).score


# --- the method ---


def test_accuracy(iris):
    X, y = iris
    fitted = BayesianNetworkClassifier("naive", score="bic").fit(X, y)
    assert fitted.score(X, y) == accuracy_score(y, fitted.predict(X)) > 0.9
    weights = np.where(fitted.predict(X) == y, 1.0, 5.0)
    assert fitted.score(X, y, sample_weight=weights) == accuracy_score(y, fitted.predict(X), sample_weight=weights)
    assert fitted.score(X, y, weights) < fitted.score(X, y)
    assert BayesianNetworkClassifier.score(fitted, X, y) == fitted.score(X, y)


def test_log_likelihood(iris):
    X, _ = iris
    learner = StructureLearner("bic").fit(X)
    assert learner.score(X) == learner.score_samples(X).mean() == learner.score(X, None)
    assert StructureLearner.score(learner, X) == learner.score(X)


@BOTH
def test_the_method_documents_itself(kind):
    assert inspect.isfunction(kind.score)
    assert kind.score.__name__ == kind().score.__name__ == "score"
    assert kind.score.__doc__ == kind().score.__doc__
    assert kind.score.__doc__.startswith("Return the")
    assert list(inspect.signature(kind.score).parameters)[:3] == ["self", "X", "y"]
    assert list(inspect.signature(kind().score).parameters)[:2] == ["X", "y"]


def test_a_subclass_has_its_own_of_both(iris):
    class Halved(BayesianNetworkClassifier):
        def score(self, X, y):
            return super().score(X, y) / 2

    class Fixed(StructureLearner):
        def __init__(self, search="auto"):
            super().__init__("bic", search=search)

    X, y = iris
    halved = clone(Halved(score="bic")).fit(X, y)
    assert held(halved) == "bic"
    assert halved.score(X, y) == BayesianNetworkClassifier(score="bic").fit(X, y).score(X, y) / 2
    fixed = clone(Fixed("exact")).fit(X)
    assert fixed.get_params() == {"search": "exact"}
    assert fixed.score(X) == StructureLearner("bic").fit(X).score(X)


# --- both, in the tools of scikit-learn ---


def test_searches_over_scores(iris):
    X, y = iris
    scores = ["qnml", "bic", bnml.scores.BDeu(2.0)]
    found = GridSearchCV(BayesianNetworkClassifier("learned"), {"score": scores}, cv=3, error_score="raise").fit(X, y)
    assert found.best_params_["score"] in scores
    assert held(found.best_estimator_) == found.best_params_["score"]
    assert found.score(X, y) == found.best_estimator_.score(X, y)
    want = cross_val_score(BayesianNetworkClassifier("learned", score="bic"), X, y, cv=3, error_score="raise")
    assert found.cv_results_["mean_test_score"][1] == want.mean()

    learner = StructureLearner(bins="quantile:3")
    density = GridSearchCV(learner, {"score": ["qnml", "bic"]}, cv=3, error_score="raise").fit(X)
    assert held(density.best_estimator_) == density.best_params_["score"]
    assert density.score(X) == density.best_estimator_.score(X)


def test_pipelines(iris):
    pipeline = make_pipeline("passthrough", BayesianNetworkClassifier(score="bic"))
    assert pipeline.get_params()["bayesiannetworkclassifier__score"] == "bic"
    pipeline.set_params(bayesiannetworkclassifier__score="aic").fit(*iris)
    assert held(pipeline[-1]) == "aic"
    assert pipeline.score(*iris) == pipeline[-1].score(*iris)


def test_weights_are_routed_to_the_method(iris):
    X, y = iris
    weights = np.random.default_rng(0).integers(1, 9, len(y)).astype(float)
    classifier = BayesianNetworkClassifier("naive", score="bic")
    with pytest.raises(RuntimeError, match="metadata routing is enabled"):
        classifier.set_score_request(sample_weight=True)
    with sklearn.config_context(enable_metadata_routing=True):
        with pytest.raises(UnsetMetadataPassedError, match="sample_weight"):
            cross_validate(classifier, X, y, params={"sample_weight": weights}, error_score="raise")
        asking = clone(classifier.set_score_request(sample_weight=True))
        assert held(asking) == "bic"
        assert asking.get_metadata_routing().score.requests == {"sample_weight": True}
        found = cross_validate(
            asking, X, y, params={"sample_weight": weights}, return_estimator=True, return_indices=True
        )
        for fitted, test, got in zip(found["estimator"], found["indices"]["test"], found["test_score"], strict=True):
            assert got == fitted.score(X[test], y[test], weights[test])
        assert StructureLearner().get_metadata_routing().score.requests == {}
