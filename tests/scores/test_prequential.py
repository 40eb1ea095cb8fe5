"""Prequential analysis: row by row against the formula, and in sum against the score."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bnml
from bnml import DAG
from bnml.errors import ArgumentError, ScoreError
from bnml.scores import BDe
from tests import naive
from tests.counts.strategies import data_of, random_table
from tests.scores.strategies import dag_of, prior_network, prior_of, structures

PROPERTIES = settings(max_examples=30, deadline=None)


def hyperparameters(label, arities):
    """Return a score and α_ijk as a function of the family and its cell."""

    def share(i, parents):
        return 1 / math.prod(arities[v] for v in (i, *parents))

    name, _, number = label.partition(":")
    if name == "bde":
        network, joint = prior_network(arities)

        def alpha(i, parents, j, k):
            wanted = dict(zip((*parents, i), (*j, k), strict=True))
            return float(number) * sum(p for row, p in joint.items() if all(row[v] == c for v, c in wanted.items()))

        return BDe(network, float(number)), alpha
    fixed = {"k2": 1.0, "bdj": 0.5}.get(name)
    if name == "bdeu":
        return label, lambda i, parents, j, k: float(number) * share(i, parents)
    return label, lambda i, parents, j, k: float(number) if fixed is None else fixed


@PROPERTIES
@given(structures(rows=8, weight=1), st.sampled_from(["k2", "bdj", "bd:2", "bdeu:1", "bdeu:10", "bde:1", "bde:4"]))
def test_each_row_and_the_sum(drawn, label):
    table, arcs = drawn
    score, alpha = hyperparameters(label, table.arities)
    dag = dag_of(arcs, len(table.arities))
    data = data_of(table)
    found = bnml.prequential(dag, data, score)
    wanted = naive.prequential(table.rows, table.arities, arcs, alpha)
    assert found.tolist() == pytest.approx(wanted, rel=1e-11, abs=1e-12)
    assert found.sum() == pytest.approx(bnml.score(dag, data, score), rel=1e-11, abs=1e-11)


def test_the_order_of_the_rows_matters_and_their_sum_does_not():
    rows = np.array([[0, 0], [1, 1], [0, 0], [1, 1], [0, 1]])
    dag = DAG.parse("[X0][X1|X0]")
    there, back = bnml.prequential(dag, rows, "k2"), bnml.prequential(dag, rows[::-1], "k2")
    assert there.tolist() != back[::-1].tolist()
    assert there.sum() == pytest.approx(back.sum())
    assert there[0] == pytest.approx(2 * math.log(1 / 2))


@pytest.mark.parametrize("score", ["loglik", "bic", "mdl", "bds", "bdq", "fnml", "qnml"])
def test_scores_that_do_not_predict(score):
    with pytest.raises(ScoreError, match=f"prequential: {score} does not predict row by row; take k2"):
        bnml.prequential(DAG.parse("[X0][X1]"), np.array([[0, 1], [1, 0]]), score)


def test_frequencies_have_no_order():
    frame = pd.DataFrame({"a": [0, 1], "b": [0, 1], "times": [3, 2]})
    with pytest.raises(ScoreError, match="needs the rows one by one"):
        bnml.prequential(DAG(["a", "b"]), bnml.read(frame, weights="times"), "k2")


def test_other_variables():
    with pytest.raises(ArgumentError, match="'Y'"):
        bnml.prequential(DAG(["X0", "Y"]), np.array([[0, 1], [1, 0]]), "k2")
    prior = prior_of(DAG(["X0"]), {"X0": [0, 1]})
    with pytest.raises(ScoreError, match="'X0', 'X1'"):
        bnml.prequential(DAG(["X0", "X1"]), np.array([[0, 1], [1, 0]]), BDe(prior))


def test_what_the_prior_network_rules_out():
    """Minus infinity for these rows, as for the sum, and no warning."""
    dag, every = DAG.parse("[X0][X1|X0]"), {"X0": [0, 1], "X1": [0, 1]}
    prior = prior_of(dag, every, {"X0": [1.0, 0.0], "X1": [[1.0, 0.0], [0.5, 0.5]]})
    data = bnml.read(np.array([[0, 0], [0, 1], [1, 1], [0, 1], [0, 0]]), states=every)
    found = bnml.prequential(dag, data, BDe(prior))
    assert np.isneginf(found).tolist() == [False, True, True, True, False]
    assert not np.isnan(found).any()
    assert bnml.score(dag, data, BDe(prior)) == found.sum() == -math.inf


def test_more_configurations_than_a_float_counts():
    table = random_table(1, 6, [4] * 701)
    names = [f"X{i}" for i in range(701)]
    dag = DAG(names, [(name, "X0") for name in names[1:]])
    data = data_of(table)
    found = bnml.prequential(dag, data, "bdeu")
    assert np.isfinite(found).all()
    assert found.sum() == pytest.approx(bnml.score(dag, data, "bdeu"), rel=1e-12)
