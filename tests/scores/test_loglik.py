"""The maximised log-likelihood."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings

import bnml
from bnml import information
from tests.counts.strategies import data_of, families
from tests.scores.strategies import dag_of, structures

PROPERTIES = settings(max_examples=40, deadline=None)


@PROPERTIES
@given(structures())
def test_mutual_information_form(drawn):
    """The log-likelihood is N · Σ (I(X; Pa) - H(X))."""
    table, arcs = drawn
    data, dag = data_of(table), dag_of(arcs, len(table.arities))
    wanted = 0.0
    for x in dag.names:
        wanted += information.mutual_information(data, x, dag.parents(x)) - information.entropy(data, x)
    assert bnml.score(dag, data, "loglik") == pytest.approx(table.n * wanted, rel=1e-11, abs=1e-11)


@PROPERTIES
@given(families())
def test_more_parents_never_fit_worse(family):
    table, child, parents = family
    data, names = data_of(table), [f"X{p}" for p in parents]
    fits = [bnml.family_score(f"X{child}", names[:k], data, "loglik") for k in range(len(names) + 1)]
    assert all(a <= b + 1e-11 for a, b in pairwise(fits))
    assert fits[-1] <= 1e-11
