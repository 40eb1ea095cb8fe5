"""The classifier: what it predicts, what it takes, what it refuses."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.exceptions import NotFittedError
from sklearn.impute import SimpleImputer
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline

import bnml
from bnml.errors import ArgumentError, BnmlError, DataError, MissingError
from bnml.sklearn import BayesianNetworkClassifier
from tests.network import naive


@pytest.fixture(scope="module")
def table():
    """Return features of several kinds, and the class that they depend on."""
    rng = np.random.default_rng(3)
    n = 300
    y = rng.integers(0, 3, n)
    colour = np.where(rng.random(n) < 0.7, y, rng.integers(0, 3, n))
    flag = rng.random(n) < 0.2 + 0.3 * y
    size = np.where(flag & (rng.random(n) < 0.6), 2, rng.integers(0, 3, n))
    weight = rng.normal(50.0 + 15.0 * y, 10.0)
    frame = pd.DataFrame({"colour": np.array(["red", "green", "blue"])[colour], "flag": flag, "size": size})
    return frame.assign(weight=weight.round(1)), np.array(["low", "mid", "top"])[y]


def classifier(structure="tan", **parameters):
    return BayesianNetworkClassifier(structure, **{"bins": "quantile:3", **parameters})


# --- how well ---


@pytest.mark.parametrize("structure", ["naive", "tan", "learned"])
def test_iris(structure):
    X, y = load_iris(return_X_y=True)
    assert cross_val_score(BayesianNetworkClassifier(structure), X, y).mean() > 0.92


def test_a_tree_is_better_where_features_depend_on_each_other():
    X, y = load_breast_cancer(return_X_y=True)
    means = {s: cross_val_score(classifier(s, bins="quantile:4"), X[:, :10], y).mean() for s in ("naive", "tan")}
    assert means["tan"] >= means["naive"] > 0.9


def test_exclusive_or_takes_a_tree():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (400, 2))
    y = X[:, 0] ^ X[:, 1]
    assert classifier("tan").fit(X, y).score(X, y) == 1.0
    assert classifier("learned").fit(X, y).score(X, y) == 1.0
    assert classifier("naive").fit(X, y).score(X, y) < 0.7


# --- structures ---


def test_structures(table):
    X, y = table
    bayes = classifier("naive").fit(X, y)
    assert bayes.dag_ == bnml.DAG([*X, "class"], [("class", x) for x in X])
    tree = classifier("tan").fit(X, y)
    assert all("class" in tree.dag_.parents(x) for x in X)
    assert tree.dag_.parents("class") == ()
    assert sorted(len(tree.dag_.parents(x)) for x in X) == [1, 2, 2, 2]
    frame = X.assign(grade=y)
    data = bnml.read(frame, bins="quantile:3")
    learned = classifier("learned", class_variable="grade").fit(X, y)
    assert learned.dag_ == bnml.learn(data).dag
    assert learned.network_ == bnml.fit(learned.dag_, data)


def test_what_is_known_of_a_learned_structure(table):
    X, y = table
    known = bnml.Constraints(required=[("class", "size")], forbidden_links=[("class", "colour")])
    fitted = classifier("learned", constraints=known, max_parents=1, score="bic", options={"seed": 3}).fit(X, y)
    assert known.allows(fitted.dag_)
    assert max(len(fitted.dag_.parents(x)) for x in fitted.dag_.names) == 1
    assert fitted.dag_ == classifier("learned", constraints=known, max_parents=1, score="bic").fit(X, y).dag_


def test_parameters_are_estimated_as_asked(table):
    X, y = table
    data = bnml.read(X.assign(**{"class": y}), bins="quantile:3")
    for estimator, ess in (("snml", 1.0), ("bpp", 7.0), ("mle", 1.0)):
        fitted = classifier("naive", estimator=estimator, ess=ess).fit(X, y)
        assert fitted.network_ == bnml.fit(fitted.dag_, data, estimator, ess)


# --- predictions ---


@pytest.mark.parametrize("structure", ["naive", "tan", "learned"])
def test_probabilities_are_exact(table, structure):
    X, y = table
    fitted = classifier(structure).fit(X, y)
    probabilities = fitted.predict_proba(X)
    assert probabilities.shape == (len(X), 3)
    assert probabilities.sum(axis=1) == pytest.approx(np.ones(len(X)))
    assert np.array_equal(probabilities, fitted.network_.predict_proba(X, "class").to_numpy())
    assert np.array_equal(fitted.predict(X), fitted.classes_[probabilities.argmax(axis=1)])
    assert np.exp(fitted.predict_log_proba(X)) == pytest.approx(probabilities)
    states = fitted.network_.states
    for i in range(10):
        evidence = {x: states[x][fitted.network_.code(x, X.loc[i, x])] for x in X}
        want = naive.posterior(fitted.network_, "class", evidence)
        assert probabilities[i] == pytest.approx([want[label] for label in fitted.classes_])


@pytest.mark.parametrize("labels", [[0, 1], [-1, 1], [False, True], ["?", ""], [1.0, 2.0], ["b", "a"]], ids=str)
def test_classes_come_back_as_they_are(labels):
    X = np.array([[0], [1]] * 20)
    y = np.array(labels)[X[:, 0]]
    fitted = classifier().fit(X, y)
    assert fitted.predict(X).dtype == y.dtype
    assert np.array_equal(fitted.predict(X), y)
    assert fitted.classes_.tolist() == sorted(labels)


def test_an_impossible_row_is_refused_under_maximum_likelihood():
    X, y = np.array([[0, 0], [1, 1], [0, 0], [1, 1]]), np.array([0, 1, 0, 1])
    fitted = classifier("naive", estimator="mle").fit(X, y)
    with pytest.raises(BnmlError, match="probability zero"):
        fitted.predict([[0, 1]])


# --- frames and arrays ---


def test_every_kind_of_table_gives_the_same(table):
    X, y = table
    want = classifier().fit(X, y)
    for frame, classes in ((pl.from_pandas(X), pl.Series(y)), (pa.Table.from_pandas(X), y), (X, pd.Series(y))):
        fitted = classifier().fit(frame, classes)
        assert fitted.network_ == want.network_
        assert fitted.feature_names_in_.tolist() == list(X)
        assert np.array_equal(fitted.predict_proba(frame), want.predict_proba(X))
    array = classifier().fit(X.to_numpy(), y)
    assert array.variables_ == ("X0", "X1", "X2", "X3")
    assert not hasattr(array, "feature_names_in_")
    assert np.array_equal(array.predict_proba(X.to_numpy()), want.predict_proba(X))


def test_columns_go_by_name(table):
    X, y = table
    fitted = classifier().fit(X, y)
    with pytest.raises(ValueError, match="same order"):
        fitted.predict(X[["weight", "size", "flag", "colour"]])
    with pytest.raises(ValueError, match="feature names should match"):
        fitted.predict(X[["colour", "flag", "size"]])
    with pytest.warns(UserWarning, match="valid feature names"):
        assert np.array_equal(fitted.predict(X.to_numpy()), fitted.predict(X))


def test_categories_of_a_frame_are_states(table):
    X, y = table
    colours = ["red", "green", "blue", "black"]
    fitted = classifier(handle_unknown="error").fit(X.assign(colour=pd.Categorical(X["colour"], colours)), y)
    assert fitted.network_.states["colour"] == tuple(colours)
    black = X.assign(colour="black")
    assert fitted.predict(black).shape == (len(X),)
    declared = classifier(handle_unknown="error", states={"colour": colours}).fit(X, y)
    assert declared.network_ == fitted.network_
    more = X.assign(colour=pd.Categorical(X["colour"], [*colours, "never seen, never used"]))
    assert np.array_equal(fitted.predict(more), fitted.predict(X))


# --- what was not there in training ---


def test_numbers_out_of_range_fall_into_the_end_bins(table):
    X, y = table
    fitted = classifier(handle_unknown="error").fit(X, y)
    far = fitted.predict_proba(X.assign(weight=1e9))
    assert np.array_equal(far, fitted.predict_proba(X.assign(weight=X["weight"].max())))
    low = fitted.predict_proba(X.assign(weight=-1e9))
    assert np.array_equal(low, fitted.predict_proba(X.assign(weight=X["weight"].min())))


def test_an_unknown_label_is_summed_out(table):
    X, y = table
    fitted = classifier().fit(X, y)
    got = fitted.predict_proba(X.assign(colour="pink", size=17))
    want = fitted.network_.predict_proba(X[["flag", "weight"]], "class").to_numpy()
    assert got == pytest.approx(want)
    with pytest.raises(DataError, match=r"feature 'colour' holds 'pink'.*'green'"):
        classifier(handle_unknown="error").fit(X, y).predict(X.assign(colour="pink"))
    with pytest.raises(DataError, match="feature 'weight' holds 'much'"):
        fitted.predict(X.assign(weight="much"))


def test_missing_values(table):
    X, y = table
    holes = X.astype({"flag": object})
    holes.loc[:20, "colour"] = None
    holes.loc[10:40, "weight"] = np.nan
    with pytest.raises(
        MissingError, match=r"'colour': 21, 'weight': 31.*missing='em'.*missing='drop'.*missing='state'"
    ):
        classifier().fit(holes, y)
    with pytest.raises(MissingError, match="'colour': 21"):
        classifier().fit(X, y).predict(holes)

    dropped = classifier(missing="drop").fit(holes, y)
    assert dropped.network_ == classifier().fit(X[41:], y[41:]).network_
    got = dropped.predict_proba(holes)
    assert got[:10] == pytest.approx(
        dropped.network_.predict_proba(X.loc[:9].drop(columns="colour"), "class").to_numpy()
    )
    assert np.array_equal(got[41:], dropped.predict_proba(X)[41:])

    stated = classifier(missing="state").fit(holes, y)
    assert stated.network_.states["colour"][-1] == stated.network_.states["weight"][-1] == "?"
    assert np.array_equal(stated.predict_proba(holes), stated.network_.predict_proba(holes, "class").to_numpy())
    assert stated.predict(X.assign(size=np.nan)).shape == (len(X),)  # summed out: no size was missing in training


@pytest.mark.parametrize("structure", ["tan", "naive", "learned"])
def test_learning_from_what_is_there(table, structure):
    X, y = table
    holes = X.astype(object).mask(np.random.default_rng(0).random(X.shape) < 0.2)
    found = classifier(structure=structure, missing="em").fit(holes, y)
    assert found.network_.dag == found.dag_
    assert set(found.network_.names) == {*X.columns, "class"}
    assert "?" not in {str(state) for own in found.network_.states.values() for state in own}
    assert found.score(holes, y) > classifier(structure=structure, missing="drop").fit(X, y).score(X, y) - 0.2
    assert np.isfinite(found.predict_log_proba(X)).all()
    whole = [classifier(structure=structure, missing=missing).fit(X, y).predict_proba(X) for missing in ("em", "error")]
    assert np.array_equal(*whole)


def test_missing_values_in_arrays():
    X = np.array([[0.0, 1.5], [1.0, np.nan], [0.0, 1.5], [1.0, 2.5]] * 5)
    y = np.array([0, 1, 0, 1] * 5)
    with pytest.raises(MissingError, match="'X1': 5"):
        classifier().fit(X, y)
    assert classifier(missing="drop").fit(X, y).score(X, y) == 1.0
    X[0, 0] = np.inf
    with pytest.raises(ValueError, match="infinity"):
        classifier(missing="drop").fit(X, y)
    frame = pd.DataFrame(X, columns=["a", "b"])
    with pytest.raises(DataError, match="'a' holds infinite numbers"):
        classifier(missing="drop").fit(frame, y)


# --- errors ---


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"structure": "tree"}, "structure='tree': expected one of 'tan', 'naive', 'learned'"),
        ({"structure": "naiv"}, "Did you mean 'naive'"),
        ({"structure": None}, "structure=None"),
        ({"score": "bicc"}, "bicc"),
        ({"bins": "some"}, "bins='some'"),
        ({"estimator": "ml"}, "estimator='ml'.*Did you mean 'mle'"),
        ({"estimator": "bpp", "ess": -1}, "ess=-1"),
        ({"missing": "guess"}, "missing='guess'"),
        ({"missing": "gone"}, "'error', 'drop', 'state', 'em'"),
        ({"handle_unknown": "guess"}, "handle_unknown='guess'"),
        ({"class_variable": ""}, "class_variable=''"),
        ({"class_variable": 3}, "class_variable=3"),
        ({"class_variable": "size"}, "class_variable='size': a feature has that name"),
        ({"states": {"nobody": ["a"]}}, "nobody"),
        ({"max_parents": 0}, "max_parents=0"),
        ({"structure": "naive", "constraints": bnml.Constraints(required=[("flag", "size")])}, "flag -> size"),
        ({"structure": "learned", "search": "magic"}, "search='magic'"),
        ({"structure": "learned", "options": {"magic": 1}}, "magic=1"),
        ({"structure": "learned", "options": [1]}, r"options=\[1\]: expected a mapping"),
        ({"structure": "learned", "constraints": bnml.Constraints(required=[("size", "nobody")])}, "nobody"),
    ],
)
def test_wrong_parameters(table, parameters, message):
    with pytest.raises(BnmlError, match=message):
        classifier(**parameters).fit(*table)


def test_wrong_data(table):
    X, y = table
    with pytest.raises(DataError, match="y has one class only, 'low'"):
        classifier().fit(X, ["low"] * len(X))
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        classifier().fit(X, y[1:])
    with pytest.raises(ValueError, match="requires y"):
        classifier().fit(X, None)
    with pytest.raises(ValueError, match="continuous"):
        classifier().fit(X, X["weight"])
    with pytest.raises(DataError, match="'weight' holds fractions"):
        classifier(bins=None).fit(X, y)
    with pytest.raises(DataError, match="no rows"):
        classifier().fit(X[:0], y[:0])
    with pytest.raises(ValueError, match="2-dimensional container"):
        classifier().fit(X["size"], y)
    with pytest.raises(NotFittedError):
        classifier().predict(X)


def test_a_parameter_is_wrong_before_anything_is_read():
    with pytest.raises(ArgumentError, match="structure='tree'"):
        classifier("tree").fit("no table", "no classes")


# --- with the tools of scikit-learn ---


def test_copies(table):
    X, y = table
    fitted = classifier("learned", constraints=bnml.Constraints(forbidden=[("size", "class")])).fit(X, y)
    again = pickle.loads(pickle.dumps(fitted))
    assert np.array_equal(again.predict_proba(X), fitted.predict_proba(X))
    fresh = clone(fitted)
    assert not hasattr(fresh, "network_")
    assert fresh.get_params() == fitted.get_params()
    assert fresh.set_params(structure="naive", constraints=None).fit(X, y).dag_ != fitted.dag_


def test_pipeline_and_grid(table):
    X, y = table
    numbers = X[["size", "weight"]].astype(float)
    numbers.loc[::7, "weight"] = np.nan
    pipeline = make_pipeline(SimpleImputer(), classifier()).set_output(transform="pandas")
    grid = {
        "bayesiannetworkclassifier__structure": ["naive", "tan", "learned"],
        "bayesiannetworkclassifier__bins": ["quantile:3", "width:4"],
        "bayesiannetworkclassifier__score": ["qnml", "bic"],
    }
    search = GridSearchCV(pipeline, grid, cv=3, error_score="raise").fit(numbers, y)
    assert search.best_score_ > 0.5
    best = search.best_estimator_[-1]
    assert best.feature_names_in_.tolist() == ["size", "weight"]
    assert best.network_.names == ("size", "weight", "class")
    assert cross_val_score(pipeline, numbers, y, scoring="neg_log_loss", error_score="raise").mean() > -1.2
