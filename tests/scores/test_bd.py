"""Dirichlet scores with one hyperparameter: BD, K2, BDJ."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bnml
from tests import naive
from tests.counts.strategies import data_of, families

PROPERTIES = settings(max_examples=40, deadline=None)


@PROPERTIES
@given(families())
def test_relatives(family):
    """BD with α = 1 is K2, with α = 1/2 it is BDJ."""
    table, child, parents = family
    data, names = data_of(table), [f"X{p}" for p in parents]

    def value(score):
        return bnml.family_score(f"X{child}", names, data, score)

    assert value("bd:1") == value("k2")
    assert value("bd:0.5") == value("bdj")
    assert value("bd") == value("bd:1")


def test_k2_by_hand():
    """Two rows of state 0 and one of state 1: (2 - 1)! / (3 + 2 - 1)! · 2! · 1! = 1/12."""
    data = data_of(naive.table_of([(0,), (0,), (1,)], [2]))
    assert bnml.family_score("X0", [], data, "k2") == pytest.approx(math.log(1 / 12), rel=1e-14)


@PROPERTIES
@given(
    families(arity=4).filter(lambda drawn: drawn[0].arities[drawn[1]] > 1),
    st.sampled_from(["k2", "bdj", "bd:0.01", "bd:100", "bdeu", "bdeu:0.01", "bdeu:100"]),
)
def test_the_penalty_is_positive(family, score):
    """The data are less probable on average over parameters than with the best ones (fNML paper, eq. 6)."""
    table, child, parents = family
    fit, penalty = bnml.family_score(f"X{child}", [f"X{p}" for p in parents], data_of(table), score, parts=True)
    assert penalty > 0.0
    assert fit <= 1e-11
