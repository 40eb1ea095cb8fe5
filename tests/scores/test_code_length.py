"""The length of a description in bits."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings

import bnml
from bnml import DAG
from tests import naive
from tests.counts.strategies import data_of, random_table
from tests.scores.strategies import dag_of, structures


@settings(max_examples=40, deadline=None)
@given(structures(rows=10))
def test_its_parts(drawn):
    table, arcs = drawn
    n = len(table.arities)
    data, dag = data_of(table), dag_of(arcs, n)
    found = bnml.code_length(dag, data)
    wanted = naive.code_length(table, arcs)
    assert (found.structure, found.parameters, found.data) == pytest.approx(wanted, rel=1e-11, abs=1e-11)
    assert found.total == pytest.approx(sum(wanted), rel=1e-11, abs=1e-11)
    score = bnml.score(dag, data, "mdl+parents")
    assert found.total == pytest.approx(-score / math.log(2), rel=1e-11, abs=1e-11)


@pytest.mark.parametrize("n", [1, 5])
def test_more_parameters_than_a_float_counts(n):
    names = [f"X{i}" for i in range(701)]
    dag = DAG(names, [(name, "X0") for name in names[1:]])
    found = bnml.code_length(dag, data_of(random_table(1, n, [4] * 701)))
    assert found.parameters == (0.0 if n == 1 else math.inf)
    assert math.isfinite(found.structure)
    assert math.isfinite(found.data)


def test_text():
    length = bnml.scores.CodeLength(1.0, 2000.25, 30.0)
    assert str(length) == "2,031.2 bits: structure 1.0, parameters 2,000.2, data 30.0"
