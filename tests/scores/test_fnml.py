"""fNML: its penalty."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings

import bnml
from bnml.errors import ArgumentError
from bnml.scores import FNML, LocalScores, Shape
from tests import naive
from tests.counts.strategies import data_of, families

SHARES = np.array([[3, 1, 2], [1, 1, 4], [5, 2, 3], [1, 6, 1]])  # X by its parents' configuration


def table_of_size(n):
    """Return a table of about n rows with the same frequencies whatever n; X has three states, its parents 2 × 2."""
    rows = [(x, j // 2, j % 2) for j in range(4) for x in range(3)]
    return naive.table_of(rows, [3, 2, 2], (SHARES * n // SHARES.sum()).ravel().tolist())


@settings(max_examples=40, deadline=None)
@given(families())
def test_penalty(family):
    """The sum of the regrets of the parts (fNML paper, theorem 1)."""
    table, child, parents = family
    _, penalty = bnml.family_score(f"X{child}", [f"X{p}" for p in parents], data_of(table), "fnml", parts=True)
    r = table.arities[child]
    wanted = math.fsum(bnml.regret(n, r) for n in naive.observed(table, parents).values())
    assert penalty == pytest.approx(wanted, rel=1e-10, abs=1e-10)


@pytest.mark.parametrize("score", ["fnml", "qnml"])
def test_the_penalty_grows_like_that_of_bic(score):
    """Less q (r - 1) / 2 · log N it is bounded, and settles (fNML paper, theorem 3; qNML paper, lemma 2)."""
    excess = []
    for n in (10**3, 10**4, 10**5, 10**6, 10**7, 10**8):
        table = table_of_size(n)
        _, penalty = bnml.family_score("X0", ["X1", "X2"], data_of(table), score, parts=True)
        excess.append(penalty - 4 * (3 - 1) / 2 * math.log(table.n))
    steps = np.abs(np.diff(excess))
    assert max(map(abs, excess)) < 10.0
    assert (steps[1:] < steps[:-1]).all()
    assert steps[-1] < 0.01


def test_tables_for_some_counts():
    """The same numbers as in the tables for all counts."""
    everything = FNML().terms(Shape(500, (2, 3, 7)))
    some = FNML().terms(Shape(500, (2, 3, 7), np.array([0, 1, 77, 500])))
    for r in (2, 3, 7):
        assert some.margin[r] == pytest.approx(everything.margin[r][[0, 1, 77, 500]], rel=1e-12)


@pytest.mark.parametrize("method", ["szpankowski", "szpankowski-weinberger"])
def test_approximations(method):
    data = data_of(table_of_size(2000))
    exact, approximate = (LocalScores(data, FNML(regret)).family(0, [1, 2]) for regret in ("exact", method))
    assert approximate == pytest.approx(exact, abs=0.5)
    assert approximate != exact


def test_bad_method():
    with pytest.raises(ArgumentError, match="'stirling'"):
        FNML(regret="stirling")
