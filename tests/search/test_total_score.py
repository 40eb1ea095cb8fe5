"""The doors: structures and families by name, and what they refuse."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings

import bnml
from bnml import DAG, priors
from bnml.errors import ArgumentError, BnmlError
from tests import naive
from tests.counts.strategies import data_of, random_table
from tests.scores.strategies import dag_of, structures

FRAME = pd.DataFrame({"smoke": [0, 1, 1, 0, 1], "lung": [0, 1, 0, 0, 1], "cough": [1, 1, 0, 0, 1]})
MODEL = DAG.parse("[smoke][lung|smoke][cough|lung:smoke]")


@settings(max_examples=30, deadline=None)
@given(structures())
def test_graph_and_data_may_differ_in_order(drawn):
    table, arcs = drawn
    n = len(table.arities)
    data, dag = data_of(table), dag_of(arcs, n)
    wanted = naive.score(table, arcs, naive.bdj)
    for order in (dag.names, dag.names[::-1]):
        assert bnml.score(dag.reordered(order), data, "bdj") == pytest.approx(wanted, rel=1e-11, abs=1e-11)


def test_anything_that_can_be_read():
    as_array = bnml.score(DAG.parse("[X0][X1|X0]"), FRAME[["smoke", "lung"]].to_numpy(), "bic")
    assert bnml.score(DAG.parse("[smoke][lung|smoke]"), FRAME[["smoke", "lung"]], "bic") == as_array
    data = bnml.read(FRAME)
    assert bnml.score(MODEL, FRAME) == bnml.score(MODEL, data, "qnml") == bnml.score(MODEL, data, bnml.scores.QNML())


def test_one_parent_needs_no_list():
    assert bnml.family_score("lung", "smoke", FRAME) == bnml.family_score("lung", ["smoke"], FRAME)
    assert bnml.family_score("lung", iter(["smoke", "cough"]), FRAME) == bnml.family_score(
        "lung", ("cough", "smoke"), FRAME
    )


@pytest.mark.parametrize(
    ("child", "parents", "message"),
    [
        ("lung", ["lung"], "'lung' cannot be its own parent"),
        ("lung", ["smoke", "lung"], "'lung' cannot be its own parent"),
        ("lung", ["smoke", "smoke"], "'smoke' is named twice"),
        ("lungs", [], "no column 'lungs'.*Did you mean 'lung'"),
        ("lung", ["smoek"], "no column 'smoek'.*Did you mean 'smoke'"),
        ("lung", None, "parents=None"),
        ("lung", 3, "parents=3"),
        ("lung", [3], "no column 3"),
        (None, [], "no column None"),
        (["lung"], [], r"no column \['lung'\]"),
    ],
)
def test_bad_families(child, parents, message):
    with pytest.raises(ArgumentError, match=message):
        bnml.family_score(child, parents, FRAME)


@pytest.mark.parametrize(
    ("dag", "message"),
    [
        (DAG.parse("[smoke][lung]"), "only the data have 'cough'"),
        (DAG.parse("[smoke][lung][cough][age]"), "only the graph has 'age'"),
        (DAG.parse("[smoke][lung][coughs]"), "only the graph has 'coughs'; only the data have 'cough'"),
        ("[smoke][lung][cough]", "expected a DAG, got str"),
        (None, "expected a DAG, got NoneType"),
        (MODEL.cpdag(), "expected a DAG, got PDAG"),
    ],
)
def test_bad_graphs(dag, message):
    for door in (bnml.score, bnml.code_length, bnml.prequential):
        with pytest.raises(ArgumentError, match=message):
            door(dag, FRAME)


@pytest.mark.parametrize("prior", ["flat", 0.5, MODEL, priors.Uniform, {("smoke", "lung"): 0.5}])
def test_bad_priors(prior):
    with pytest.raises(ArgumentError, match=r"prior=.*expected 'sparse', 'uniform', a structure prior"):
        bnml.score(MODEL, FRAME, "bic", prior=prior)


def test_bad_scores_are_refused_before_the_data_are_read():
    for door in (lambda: bnml.score(MODEL, "no such file.csv", "bix"), lambda: bnml.family_score("a", [], None, "bix")):
        with pytest.raises(BnmlError, match="'bix'"):
            door()


def test_priors_count():
    value = bnml.score(MODEL, FRAME, "k2", prior=priors.Distance(DAG(MODEL.names), 0.1))
    assert value == pytest.approx(bnml.score(MODEL, FRAME, "k2") + 3 * math.log(0.1))
    assert bnml.score(MODEL, FRAME, "k2", prior=priors.Uniform()) == bnml.score(MODEL, FRAME, "k2")
    impossible = priors.ArcProbabilities(0.5, {("smoke", "lung"): 0.0})
    assert bnml.score(MODEL, FRAME, "k2", prior=impossible) == -math.inf


def test_scores_are_plain_floats():
    data = data_of(random_table(1, 20, [2, 3]))
    for name in bnml.scores.SCORES:
        assert type(bnml.score(DAG.parse("[X0][X1|X0]"), data, name)) is float
        assert type(bnml.family_score("X0", ["X1"], data, name)) is float
        assert [type(part) for part in bnml.family_score("X0", ["X1"], data, name, parts=True)] == [float, float]


def test_declared_states_count():
    x = np.array([[0, 0], [1, 1], [0, 1], [1, 0], [0, 0]])
    small, large = (bnml.read(x, states={"X0": range(r), "X1": range(r)}) for r in (2, 3))
    for name in ("aic", "bic", "hqc", "mdl", "k2", "bdj", "bdeu", "bdq", "fnml", "qnml"):
        assert bnml.family_score("X0", ["X1"], small, name) > bnml.family_score("X0", ["X1"], large, name)


@pytest.mark.parametrize("prior", ["sparse", "uniform"])
@pytest.mark.parametrize("score", ["bic", "qnml", "bdeu"])
def test_missing_values(score, prior):
    """With ``missing="em"`` the score is what `learn` reports, less its prior."""
    rng = np.random.default_rng(4)
    a = rng.integers(0, 2, 300)
    columns = {
        "z": a,
        "b": (a + (rng.random(300) < 0.2)) % 2,
        "c": rng.integers(0, 3, 300),
        "d": rng.integers(0, 2, 300),
    }
    frame = pd.DataFrame(columns).astype(object).mask(rng.random((300, 4)) < 0.1)
    data = bnml.read(frame, missing="em")
    result = bnml.learn(data, score, "tabu", prior=prior)
    total = bnml.score(result.dag, result.data, score)
    assert total == pytest.approx(result.score - result.log_prior, abs=1e-8)
    assert bnml.score(result.dag, data, score, prior) == pytest.approx(result.score, abs=1e-8)


@pytest.mark.parametrize("score", ["bds", "nml"])
def test_scores_without_expected_counts(score):
    data = bnml.read(pd.DataFrame({"a": ["x", None, "y"], "b": ["x", "y", None]}), missing="em")
    with pytest.raises(BnmlError):
        bnml.score(DAG.parse("[a][b|a]"), data, score)
