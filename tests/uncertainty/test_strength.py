"""What arcs are worth, against the definitions."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bnml
from bnml import DAG, information
from bnml.errors import BnmlError
from bnml.independence import independence_test
from tests.counts.strategies import data_of
from tests.scores.strategies import dag_of, structures


@settings(max_examples=25, deadline=None)
@given(drawn=structures(columns=4), label=st.sampled_from(["bic", "qnml", "fnml", "bdeu"]))
def test_the_definitions(drawn, label):
    table, arcs = drawn
    data, dag = data_of(table), dag_of(arcs, len(table.arities))
    frame = bnml.strength(dag, data, label)
    varying = sum(len(set(column)) > 1 for column in data.codes.T)
    cost = math.log(varying - 2) if varying > 3 else 0.0
    assert {(a, b) for a, b in zip(frame["from"], frame["to"], strict=True)} == set(dag.arcs)
    assert list(frame["score_gain"]) == sorted(frame["score_gain"], reverse=True)
    for a, b, gain, net, mutual, p, freedom, sparse in frame.itertuples(index=False):
        without = DAG(dag.names, [arc for arc in dag.arcs if arc != (a, b)])
        assert gain == pytest.approx(bnml.score(dag, data, label) - bnml.score(without, data, label), abs=1e-8)
        assert net == gain - cost
        others = [name for name in dag.parents(b) if name != a]
        assert mutual == pytest.approx(information.mutual_information(data, a, b, others), abs=1e-9)
        assert 0.0 <= p <= 1.0
        found = independence_test(data, a, b, others)
        assert (found.degrees_of_freedom, found.sparse) == (freedom, sparse)
        assert p == pytest.approx(found.p_value, rel=1e-9)


def test_a_class_and_scipy():
    from scipy.stats import chi2_contingency

    data = bnml.example()
    dag = bnml.learn(data, "bic").dag
    of_class, own = bnml.strength(dag.cpdag(), data, "bic"), bnml.strength(dag, data, "bic")
    assert sorted(of_class["score_gain"].round(6)) == sorted(own["score_gain"].round(6))
    row = bnml.strength(DAG(data.names, [("smoke", "bronc")]), data, "bic").iloc[0]
    i, j = data.index("smoke"), data.index("bronc")
    table = np.zeros((2, 2))
    np.add.at(table, (data.codes[:, i], data.codes[:, j]), data.weights)
    g2, p, _, _ = chi2_contingency(table, correction=False, lambda_="log-likelihood")
    assert row["p_value"] == pytest.approx(p)
    assert row["mutual_information"] == pytest.approx(g2 / 2 / data.n_rows)


def test_no_arcs():
    frame = bnml.strength(DAG(bnml.example().names), bnml.example())
    assert list(frame.columns) == [
        "from", "to", "score_gain", "net_gain", "mutual_information", "p_value", "degrees_of_freedom", "sparse",
    ]  # fmt: skip
    assert frame.empty


@pytest.mark.parametrize("wrong", ["[asia]", DAG(["A"]), None])
def test_errors(wrong):
    with pytest.raises(BnmlError):
        bnml.strength(wrong, bnml.example())
