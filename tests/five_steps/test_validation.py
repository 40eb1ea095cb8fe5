"""Cross-validation: measures against scikit-learn and plain loops, folds, and what is left out."""

from __future__ import annotations

import math
import sys
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bnml
from bnml.data.resampling import stratified_folds
from bnml.errors import ArgumentError
from bnml.five_steps.predictive_measures import Predictions, roc_curve
from bnml.five_steps.validation import Validation


def noisy_table(rows: int = 300) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    a, b = rng.integers(0, 2, rows), rng.integers(0, 3, rows)
    sick = (rng.random(rows) < 0.1 + 0.5 * a + 0.15 * b).astype(int)
    return pd.DataFrame({"a": a, "b": b, "noise": rng.integers(0, 2, rows), "sick": sick})


@pytest.fixture(scope="module")
def sick():
    return bnml.study(noisy_table(), "sick", event=1, repetitions=0).validation


@st.composite
def predictions(draw, most=4):
    r, n = draw(st.integers(2, most)), draw(st.integers(1, 12))
    raw = np.array(draw(st.lists(st.lists(st.integers(1, 5), min_size=r, max_size=r), min_size=n, max_size=n)), float)
    there = np.array(draw(st.lists(st.integers(0, r - 1), min_size=n, max_size=n)))
    rows = np.array(draw(st.lists(st.integers(1, 4), min_size=n, max_size=n)))
    return Predictions(raw / raw.sum(axis=1, keepdims=True), there, rows)


def one_by_one(found: Predictions) -> list[tuple[list[float], int]]:
    return [
        (p.tolist(), int(y))
        for p, y, n in zip(found.probabilities, found.there, found.rows, strict=True)
        for _ in range(n)
    ]


@settings(deadline=None)
@given(predictions())
def test_measures_row_by_row(found):
    rows = one_by_one(found)
    n, r = len(rows), found.probabilities.shape[1]
    assert found.n_rows == n
    assert found.accuracy == pytest.approx(sum(p.index(max(p)) == y for p, y in rows) / n)
    assert found.log_loss == pytest.approx(-sum(math.log(p[y]) for p, y in rows) / n)
    squares = sum((q - (k == y)) ** 2 for p, y in rows for k, q in enumerate(p)) / n
    assert found.brier == pytest.approx(squares / 2 if r == 2 else squares)
    assert sum(one.rows for one in found.reliability) == n
    assert 0.0 <= found.calibration_error <= 1.0


def area_by_pairs(rows: list[tuple[float, bool]]) -> float:
    """Return the share of pairs of a hit and a miss in which the hit is the more probable; ties count half."""
    hits, misses = ([p for p, hit in rows if hit == which] for which in (True, False))
    if not hits or not misses:
        return math.nan
    better = sum((h > m + 1e-12) + 0.5 * (abs(h - m) <= 1e-12) for h in hits for m in misses)
    return better / len(hits) / len(misses)


@settings(deadline=None)
@given(predictions())
def test_the_area_is_the_share_of_pairs_in_order(found):
    rows, r = one_by_one(found), found.probabilities.shape[1]
    areas = [area_by_pairs([(p[k], y == k) for p, y in rows]) for k in ([1] if r == 2 else range(r))]
    known = [area for area in areas if not math.isnan(area)]
    assert found.auc == pytest.approx(np.mean(known) if known else math.nan, nan_ok=True)
    curve = found.roc
    if known:
        assert curve[0] == (0.0, 0.0)
        assert curve[-1] == pytest.approx((1.0, 1.0))
        assert all(a[0] <= b[0] + 1e-12 and a[1] <= b[1] + 1e-12 for a, b in pairwise(curve))
    else:
        assert curve == ()


@settings(max_examples=20, deadline=None)
@given(predictions(2))
def test_measures_as_scikit_learn_has_them(found):
    metrics = pytest.importorskip("sklearn.metrics")
    p, y, w = found.probabilities[:, 1], found.there, found.rows
    assert found.brier == pytest.approx(metrics.brier_score_loss(y, p, sample_weight=w, pos_label=1))
    assert found.log_loss == pytest.approx(metrics.log_loss(y, p, sample_weight=w, labels=[0, 1]))
    if 0 < y.sum() < y.size:
        assert found.auc == pytest.approx(metrics.roc_auc_score(y, np.round(p, 12), sample_weight=w))


def test_a_perfect_prediction():
    x, y = roc_curve(np.array([0.1, 0.9]), np.array([False, True]), np.array([5, 2]))
    assert x.tolist() == [0.0, 0.0, 1.0]
    assert y.tolist() == [0.0, 1.0, 1.0]
    sure = Predictions(np.array([[1.0, 1e-15], [1e-15, 1.0]]), np.array([0, 1]), np.array([3, 1]))
    assert (sure.accuracy, sure.auc) == (1.0, 1.0)
    assert sure.calibration_error == pytest.approx(0.0, abs=1e-12)


# --- the validation of a study ---


def test_it_is_what_folds_give_one_by_one(sick):
    """The network's log-loss, with a loop over folds and a plain call of learn in each."""
    data = bnml.read(noisy_table(), bins="auto")
    losses, bases = [], []
    for training, test in stratified_folds(data, "sick", 10, np.random.default_rng(0)):
        network = bnml.fit(bnml.learn(training, search="exact").dag, training)
        there = [str(data.states[3][code]) for code in test.codes[:, 3]]
        chances = network.predict_proba(test, "sick")
        chances.columns = chances.columns.astype(str)
        own = [chances[label].iloc[i] for i, label in enumerate(there)]
        losses.append(-np.log(own) @ test.weights / test.n_rows)
        counts = np.array([training.weights[training.codes[:, 3] == k].sum() for k in (0, 1)], float)
        weights = (1 + 1 / counts) ** counts * (counts + 1)
        bases.append(-np.log((weights / weights.sum())[test.codes[:, 3]]) @ test.weights / test.n_rows)
    assert sick.folds == 10
    assert sick.method("network").log_loss.mean == pytest.approx(np.mean(losses))
    assert sick.method("network").log_loss.error == pytest.approx(np.std(losses, ddof=1) / np.sqrt(10))
    assert sick.method("base rate").log_loss.mean == pytest.approx(np.mean(bases))
    assert sick.method("base rate").log_loss_over_network.mean == pytest.approx(np.mean(np.subtract(bases, losses)))


def test_all_methods_take_part(sick):
    assert [one.name for one in sick.methods] == ["network", "base rate", "naive Bayes", "logistic regression"]
    by_name = {one.name: one for one in sick.methods}
    for name in ("network", "naive Bayes", "logistic regression"):
        assert by_name[name].log_loss.mean < by_name["base rate"].log_loss.mean
        assert by_name[name].auc.mean > 0.65
        assert len(by_name[name].roc) > 2
    assert by_name["base rate"].auc.mean == pytest.approx(0.5, abs=0.02)
    assert by_name["logistic regression"].accuracy.mean == pytest.approx(by_name["network"].accuracy.mean, abs=0.08)
    assert sum(one.rows for one in by_name["network"].reliability) == sick.rows == 300


def test_logistic_regression_is_that_of_scikit_learn(sick):
    linear = pytest.importorskip("sklearn.linear_model")
    data = bnml.read(noisy_table(), bins="auto")
    losses = []
    for training, test in stratified_folds(data, "sick", 10, np.random.default_rng(0)):
        columns = [
            np.hstack([np.eye(r)[part.codes[:, i]] for i, r in enumerate((2, 3, 2))]) for part in (training, test)
        ]
        model = linear.LogisticRegression(max_iter=300).fit(columns[0], training.codes[:, 3], training.weights)
        own = model.predict_proba(columns[1])[np.arange(test.n_distinct), test.codes[:, 3]]
        losses.append(-np.log(own) @ test.weights / test.n_rows)
    assert sick.method("logistic regression").log_loss.mean == pytest.approx(np.mean(losses), rel=1e-3)


def test_without_scikit_learn(monkeypatch):
    monkeypatch.setitem(sys.modules, "sklearn", None)
    monkeypatch.setitem(sys.modules, "sklearn.linear_model", None)
    found = bnml.study(noisy_table(), "sick", repetitions=0, folds=2)
    assert [one.name for one in found.validation.methods] == ["network", "base rate", "naive Bayes"]
    assert "scikit-learn" in dict(found.left_out)["logistic regression"]
    assert "logistic regression" in found.html()


def test_values_that_no_training_row_has_are_not_impossible():
    """A value of the target and one of an attribute that only one row has."""
    rng = np.random.default_rng(3)
    target = np.array(["x", "y"])[rng.integers(0, 2, 60)]
    target[0], other = "once", np.where(rng.random(60) < 0.8, target == "x", rng.random(60) < 0.5).astype(str)
    other[1] = "odd"
    found = bnml.study(pd.DataFrame({"target": target, "other": other}), "target", repetitions=0).validation
    for method in found.methods:
        assert math.isfinite(method.log_loss.mean)
        assert method.log_loss.mean < 2.0


def test_a_value_that_one_row_has():
    frame = noisy_table(40).assign(sick=0)
    frame.loc[3, "sick"] = 1
    found = bnml.study(frame, "sick", repetitions=0).validation
    assert [one.name for one in found.methods][-1] == "logistic regression"
    for method in found.methods:
        assert 0.0 < method.log_loss.mean < 1.0
        assert math.isnan(method.auc.mean) or 0.0 <= method.auc.mean <= 1.0


def test_many_values():
    rng = np.random.default_rng(4)
    grade = rng.integers(0, 4, 400)
    sign = np.where(rng.random(400) < 0.7, grade, rng.integers(0, 4, 400))
    found = bnml.study(pd.DataFrame({"grade": grade, "sign": sign}), "grade", repetitions=0).validation
    assert found.outcomes == ("0", "1", "2", "3")
    assert not found.event
    network = found.method("network")
    assert network.accuracy.mean > 0.6
    assert network.auc.mean > 0.75
    assert network.roc[-1] == pytest.approx((1.0, 1.0))


def test_the_same_for_any_order_of_rows_and_number_of_threads(sick):
    shuffled = bnml.study(noisy_table().sample(frac=1, random_state=1), "sick", event=1, repetitions=0, threads=1)
    assert shuffled.validation.to_dict() == sick.to_dict()
    other = bnml.study(noisy_table(), "sick", event=1, repetitions=0, seed=1).validation
    assert other.to_dict() != sick.to_dict()


def test_there_and_back(sick):
    assert Validation.from_dict(sick.to_dict()).to_dict() == sick.to_dict()
    assert Validation.from_dict(sick.to_dict()) == sick


def test_what_is_left_out_is_told():
    few = bnml.study(noisy_table(15), "sick", repetitions=0)
    assert few.validation is None
    assert "20 rows" in dict(few.left_out)["validation"]
    none = bnml.study(noisy_table(), "sick", repetitions=0, folds=0)
    assert "no folds" in dict(none.left_out)["validation"]
    with pytest.warns(UserWarning, match="sick"):
        flat = bnml.read(noisy_table().assign(sick=1))
    assert "same value" in dict(bnml.study(flat, "sick", repetitions=0).left_out)["validation"]


def test_folds_are_searched_as_the_forecast_allows(monkeypatch):
    quick = bnml.study(noisy_table(), "sick", repetitions=0).validation
    assert (quick.search, quick.folds) == ("exact", 10)
    monkeypatch.setattr("bnml.five_steps.validation.SECONDS", 0.0)
    slow = bnml.study(noisy_table(), "sick", repetitions=0).validation
    assert (slow.search, slow.folds) == ("tabu", 10)
    named = bnml.study(noisy_table(), "sick", repetitions=0, search="chow-liu", rows_per_cell=0).validation
    assert named.search == "chow-liu"


@pytest.mark.parametrize("folds", [1, -1, 2.5, "ten"])
def test_wrong_folds(folds):
    with pytest.raises(ArgumentError, match="folds"):
        bnml.study(bnml.example(), "lung", folds=folds)


def test_tests_that_contradict_each_other_leave_it_out():
    u = np.random.default_rng(120).integers(0, 2, (150, 5))
    table = np.stack([u[:, k] | u[:, (k + 1) % 5] for k in range(5)], axis=1)
    found = bnml.study(table, "X0", search="pc", alpha=0.1, repetitions=0)
    assert found.validation is None or found.validation.search == "pc"
    assert found.validation is not None or "no network fits" in dict(found.left_out)["validation"]
