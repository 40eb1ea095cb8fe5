"""BDeu: Suzuki's case, and equivalent sample sizes beyond what floats hold."""

from __future__ import annotations

import math

import mpmath
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bnml
from bnml.scores import BDeu, LocalScores
from tests import naive
from tests.counts.strategies import data_of, families, random_table

# X and Y are functions of Z
SUZUKI = naive.table_of([(0, 0, 0), (1, 1, 0), (0, 2, 1), (1, 3, 1)] * 5, [2, 4, 2])


@pytest.mark.parametrize("ess", [0.1, 1, 10])
def test_a_useless_parent_helps(ess):
    """BDeu is not regular: it prefers Z and Y to Z alone as parents of X  (qNML paper, section 2.3)."""
    data = data_of(SUZUKI)
    score = f"bdeu:{ess}"
    assert bnml.information.conditional_entropy(data, "X0", "X1") == pytest.approx(0.0, abs=1e-12)
    assert bnml.information.conditional_entropy(data, "X2", "X1") == pytest.approx(0.0, abs=1e-12)
    gain = bnml.family_score("X0", ["X1", "X2"], data, score) - bnml.family_score("X0", ["X1"], data, score)
    assert gain > 0.01
    assert gain == pytest.approx(naive.bdeu(SUZUKI, 0, [1, 2], ess) - naive.bdeu(SUZUKI, 0, [1], ess), abs=1e-12)
    for regular in ("fnml", "qnml"):
        one, two = (bnml.family_score("X0", pa, data, regular) for pa in (["X1"], ["X1", "X2"]))
        assert one >= two - 1e-12


def by_mpmath(table, child, parents, ess):
    """Return BDeu with as many digits as it takes."""
    with mpmath.workdps(500):
        total = mpmath.mpf(0)
        for variables, sign in (([*parents, child], 1), (parents, -1)):
            a = mpmath.mpf(ess) / math.prod(table.arities[v] for v in variables)
            for n in naive.observed(table, variables).values():
                total += sign * (mpmath.loggamma(a + n) - mpmath.loggamma(a))
        return float(total)


@settings(max_examples=40, deadline=None)
@given(families(columns=3), st.sampled_from([5e-324, 1e-320, 1e-300, 1e-17, 1e-3, 31.9, 1e3, 1e8, 1e13]))
def test_extreme_sample_sizes(family, ess):
    table, child, parents = family
    value = LocalScores(data_of(table), BDeu(ess)).family(child, parents)
    assert value == pytest.approx(by_mpmath(table, child, parents, ess), rel=1e-12, abs=1e-10)


def test_more_configurations_than_a_float_counts():
    """4^701 configurations: a = ess / q is too small for a float, its logarithm is not."""
    table = random_table(1, 12, [4] * 701)
    parents = list(range(1, 701))
    scored = LocalScores(data_of(table), BDeu())
    value = scored.family(0, parents)
    assert value == pytest.approx(by_mpmath(table, 0, parents, 1), rel=1e-12)
    assert scored.families(0, [parents]).tolist() == scored.additions(0, parents[:-1], parents[-1:]).tolist() == [value]
