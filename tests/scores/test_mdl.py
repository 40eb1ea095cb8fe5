"""Minimum description length."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings

import bnml
from bnml.scores import MDL, parse_score
from tests.counts.strategies import data_of
from tests.scores.strategies import dag_of, structures

PROPERTIES = settings(max_examples=40, deadline=None)


@PROPERTIES
@given(structures())
def test_it_is_bic_and_the_cost_of_the_arcs(drawn):
    """Without the structure MDL is BIC; with it, each arc costs log n more."""
    table, arcs = drawn
    n = len(table.arities)
    data, dag = data_of(table), dag_of(arcs, n)
    bic = bnml.score(dag, data, "bic")
    assert bnml.score(dag, data, "mdl") == pytest.approx(bic, rel=1e-12, abs=1e-12)
    wanted = bic - len(arcs) * math.log(n)
    assert bnml.score(dag, data, "mdl+parents") == pytest.approx(wanted, rel=1e-12, abs=1e-12)


def test_names():
    assert parse_score("mdl") == MDL() == MDL(parent_cost=False)
    assert parse_score("mdl+parents") == MDL(parent_cost=True)
