"""The learner of structures: what it finds, how probable new rows are, what it refuses."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score

import bnml
from bnml.errors import BnmlError, DataError, MissingError
from bnml.sklearn import StructureLearner


@pytest.fixture(scope="module")
def frame():
    network = bnml.fit(
        bnml.DAG.parse(
            "[asia][tub|asia][smoke][lung|smoke][bronc|smoke][either|tub:lung][xray|either][dysp|bronc:either]"
        ),
        bnml.example(),
    )
    return network.sample(600, seed=1)[["smoke", "lung", "bronc", "xray", "dysp"]].astype(str)


def test_it_is_what_learn_finds(frame):
    learner = StructureLearner().fit(frame)
    result = bnml.learn(bnml.read(frame))
    assert learner.result_ == result
    assert (learner.dag_, learner.cpdag_, learner.score_) == (result.dag, result.cpdag, result.score)
    assert learner.network_ == result.network
    assert learner.variables_ == tuple(frame)


def test_parameters_are_handed_on(frame):
    known = bnml.Constraints(required=[("lung", "smoke")])
    options = {"prior": bnml.priors.Distance(bnml.DAG(list(frame)), kappa=0.1), "threads": 1}
    learner = StructureLearner(
        "bdeu:10", search="exact", constraints=known, max_parents=2, options=options, estimator="bpp", ess=3.0
    ).fit(frame)
    result = bnml.learn(frame, "bdeu:10", "exact", constraints=known, max_parents=2, **options)
    assert learner.result_ == result
    assert learner.network_ == bnml.fit(result.dag, frame, "bpp", 3.0)


def test_log_likelihood(frame):
    learner = StructureLearner().fit(frame[:400])
    logs = learner.score_samples(frame[400:])
    assert np.array_equal(logs, learner.network_.log_prob(frame[400:]))
    assert learner.score(frame[400:]) == pytest.approx(logs.mean())
    array = StructureLearner().fit(frame[:400].to_numpy())
    assert array.dag_.names == ("X0", "X1", "X2", "X3", "X4")
    assert array.score_samples(frame[400:].to_numpy()) == pytest.approx(logs)
    assert StructureLearner().fit(pl.from_pandas(frame[:400])).score(pl.from_pandas(frame[400:])) == pytest.approx(
        learner.score(frame[400:])
    )


def test_numbers_are_binned():
    rng = np.random.default_rng(0)
    a = rng.normal(size=500)
    X = np.stack([a, np.where(rng.random(500) < 0.5, -5.0, 5.0) + a, rng.integers(0, 4, 500)], axis=1)
    learner = StructureLearner().fit(X)
    assert set(learner.network_.cuts) == {"X0", "X1"}
    assert learner.network_.states["X2"] == (0.0, 1.0, 2.0, 3.0)
    assert np.isfinite(learner.score([[1e6, -1e6, 2.0]]))
    with pytest.raises(DataError, match="fractions"):
        StructureLearner(bins=None).fit(X)


def test_what_is_there_of_a_row_with_gaps(frame):
    learner = StructureLearner(missing="drop").fit(frame)
    holes = frame.astype(object)
    holes.loc[::3, "lung"] = None
    holes.loc[::5, "dysp"] = np.nan
    logs = learner.score_samples(holes)
    for i in range(30):
        there = {x: label for x, label in holes.loc[i].items() if isinstance(label, str)}
        rows = pd.DataFrame([{**there, "lung": b, "dysp": d} for b in ("no", "yes") for d in ("no", "yes")])
        rows = rows.assign(**there).drop_duplicates()
        assert logs[i] == pytest.approx(np.logaddexp.reduce(learner.network_.log_prob(rows)))
    nothing = pd.DataFrame([[None] * 5], columns=list(frame), dtype=object)
    assert learner.score(nothing) == pytest.approx(0.0)


def test_missing_values(frame):
    holes = frame.astype(object)
    holes.loc[:9, "lung"] = None
    with pytest.raises(MissingError, match=r"'lung': 10.*missing='drop'"):
        StructureLearner().fit(holes)
    with pytest.raises(MissingError, match="'lung': 10"):
        StructureLearner().fit(frame).score(holes)
    assert StructureLearner(missing="drop").fit(holes).network_ == StructureLearner().fit(frame[10:]).network_
    stated = StructureLearner(missing="state").fit(holes)
    assert stated.network_.states["lung"] == ("no", "yes", "?")
    assert np.array_equal(stated.score_samples(holes), stated.network_.log_prob(holes))


def test_an_unknown_label_has_no_probability(frame):
    learner = StructureLearner().fit(frame)
    with pytest.raises(DataError, match="feature 'lung' holds 'maybe'"):
        learner.score(frame.assign(lung="maybe"))
    declared = StructureLearner(states={"lung": ["no", "maybe", "yes"]}).fit(frame)
    assert np.isfinite(declared.score(frame.assign(lung="maybe")))


def test_impossible_rows():
    learner = StructureLearner(estimator="mle", missing="drop", search="exact").fit(np.array([[0, 0], [1, 1]] * 30))
    assert learner.score_samples([[0, 1], [0, 0]]).tolist() == [-np.inf, pytest.approx(np.log(0.5))]


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"score": "bicc"}, "bicc"),
        ({"search": "magic"}, "search='magic'"),
        ({"max_parents": -1}, "max_parents=-1"),
        ({"options": {"magic": 1}}, "magic=1"),
        ({"options": "fast"}, "options='fast'"),
        ({"estimator": "snm"}, "Did you mean 'snml'"),
        ({"bins": "mdll"}, "bins='mdll'"),
        ({"missing": None}, "missing=None"),
        ({"constraints": bnml.Constraints(required=[("lung", "nobody")])}, "nobody"),
    ],
)
def test_wrong_parameters(frame, parameters, message):
    with pytest.raises(BnmlError, match=message):
        StructureLearner(**parameters).fit(frame)


def test_not_fitted(frame):
    with pytest.raises(NotFittedError):
        StructureLearner().score(frame)


def test_copies(frame):
    learner = StructureLearner("bic", constraints=bnml.Constraints(required=[("lung", "smoke")])).fit(frame)
    again = pickle.loads(pickle.dumps(learner))
    assert (again.result_, again.network_) == (learner.result_, learner.network_)
    assert clone(learner).get_params() == learner.get_params()


def test_cross_validation_compares_by_prediction(frame):
    full = bnml.Constraints(
        required=[(a, b) for i, a in enumerate(frame) for b in list(frame)[i + 1 :]]
    )  # every arc: overfitted
    assert (
        cross_val_score(StructureLearner(), frame).mean()
        > cross_val_score(StructureLearner(constraints=full), frame).mean()
    )
    search = GridSearchCV(StructureLearner(), {"score": ["qnml", "bdeu"], "max_parents": [0, 3]}, error_score="raise")
    assert search.fit(frame).best_params_["max_parents"] == 3
