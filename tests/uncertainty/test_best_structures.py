"""The best structures without listing all of them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

import bnml
from bnml.errors import ArgumentError
from bnml.uncertainty import best_structures
from bnml.uncertainty.all_structures import Listed
from tests.counts.strategies import data_of, random_table
from tests.uncertainty import naive
from tests.uncertainty.strategies import dependent_table, families, weight_of

pytestmark = pytest.mark.usefixtures("uniform_prior")

PRIORS = ("uniform", "order")


def found_best(weights, prior, k, classes):
    names = tuple(f"X{i}" for i in range(len(weights)))
    zero = np.where(np.isneginf(weights), -np.inf, 0.0)
    scores = np.where(np.isneginf(weights), -1.0, weights)
    return best_structures.best_structures(names, scores, zero, prior, k, classes, 1)


@pytest.mark.parametrize("prior", PRIORS)
@pytest.mark.parametrize("classes", [False, True])
@settings(max_examples=40, deadline=None)
@given(weights=families())
def test_any_weights(prior, classes, weights):
    n = len(weights)
    zero = np.where(np.isneginf(weights), -np.inf, 0.0)
    scores = np.where(np.isneginf(weights), -1.0, weights)
    every = Listed(tuple(f"X{i}" for i in range(n)), scores, zero, prior)
    for k in (1, 3, 50):
        some = found_best(weights, prior, k, classes)
        want, got = (one.top_classes(k) if classes else one.top(k) for one in (every, some))
        assert got["structure"].tolist() == want["structure"].tolist()
        assert got["probability"].tolist() == pytest.approx(want["probability"].tolist(), abs=1e-10)
        assert got["score"].tolist() == pytest.approx(want["score"].tolist(), rel=1e-12)
        if classes:
            assert got["dags"].tolist() == want["dags"].tolist()


@pytest.mark.parametrize("depth", [0.5, 5.0, 50.0])
def test_each_once(depth):
    """The list has what the definition has, and nothing twice."""
    weights = np.random.default_rng(1).normal(size=(4, 8)) * 4
    every = naive.log_weights(4, weight_of(weights), "uniform")
    least = max(every.values()) - depth
    got = best_structures._Search(weights).down_to(least).tolist()
    found = [tuple(tuple(v for v in range(4) if mask >> v & 1) for mask in row) for row in got]
    assert len(set(found)) == len(found)
    assert set(found) == {s for s, w in every.items() if w >= least}


def test_few_steps_at_a_time(monkeypatch):
    weights = np.random.default_rng(1).normal(size=(4, 8)) * 4
    search = best_structures._Search(weights)
    whole = search.at_least(100)
    monkeypatch.setattr(best_structures, "STEPS", 7)
    monkeypatch.setattr(best_structures, "MOST_CALLS", 10**6)
    assert np.array_equal(best_structures._Search(weights).at_least(100), whole)
    monkeypatch.setattr(best_structures, "MOST_CALLS", 3)
    with pytest.raises(ArgumentError, match="too many to rank"):
        best_structures._Search(weights).at_least(100)


@pytest.mark.parametrize("prior", PRIORS)
@pytest.mark.parametrize("classes", [False, True])
def test_six_variables_both_ways(prior, classes, monkeypatch):
    found = bnml.posterior(data_of(dependent_table(2, 200, [2, 3, 2, 2, 2, 2])), prior=prior)
    limits = ["MOST_LISTED", "MOST_CLASSES"]
    tables = []
    for most in (0, 6):
        for name in limits:
            monkeypatch.setattr(f"bnml.uncertainty.posterior_result.{name}", most)
        tables.append(found.top(12, classes=classes))
    first, other = tables
    assert first["structure"].tolist() == other["structure"].tolist()
    assert first["probability"].tolist() == pytest.approx(other["probability"].tolist(), abs=1e-10)


def test_eight_variables():
    data = bnml.example()
    found = bnml.posterior(data, "bdeu")
    top = found.top(20)
    assert top["probability"].is_monotonic_decreasing or (np.diff(top["probability"]) < 1e-9).all()
    best = bnml.learn(data, "bdeu", search="exact").score
    assert top["score"][0] == pytest.approx(best, abs=1e-9)
    classes = found.top(5, classes=True)
    assert classes["probability"][0] >= top["probability"][0]
    for row in classes.itertuples():
        members = [bnml.score(dag, data, "bdeu") for dag in row.cpdag.members()]
        assert len(members) == row.dags
        total = np.exp(np.array(members) - top["score"][0]).sum() * top["probability"][0]
        assert row.probability == pytest.approx(total, rel=1e-8)


def test_the_order_of_columns():
    data = data_of(dependent_table(3, 200, [2, 2, 3, 2, 2, 2, 2]))
    for prior in PRIORS:
        first = bnml.posterior(data, prior=prior).top(20)
        other = bnml.posterior(data.select(data.names[::-1]), prior=prior).top(20)
        pairs = zip(first.structure, other.structure, strict=True)
        assert all(bnml.DAG.parse(a) == bnml.DAG.parse(b) for a, b in pairs)


def test_fewer_than_asked_for():
    data = data_of(random_table(1, 30, [2] * 7))
    known = bnml.Constraints(forbidden_links=[(f"X{a}", f"X{b}") for a in range(7) for b in range(a + 1, 7) if b > 2])
    found = bnml.posterior(data, constraints=known)
    assert len(found.top(100)) == 25
    assert found.top(100)["probability"].sum() == pytest.approx(1.0, abs=1e-9)
    assert len(found.top(100, classes=True)) == 11
    assert found.top(100, classes=True)["probability"].sum() == pytest.approx(1.0, abs=1e-9)


def test_too_many_alike():
    """Constant columns tell nothing: all structures are as probable."""
    with pytest.warns(UserWarning, match="one state"):
        found = bnml.posterior(np.zeros((10, 8), int))
    with pytest.raises(ArgumentError, match=r"nearly as probable as the best.*method='sample'"):
        found.top(3)
