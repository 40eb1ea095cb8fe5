"""BDq: its hyperparameters, and that it is not regular for all of them."""

from __future__ import annotations

import math

import mpmath
import pytest

import bnml
from bnml.errors import ScoreError
from bnml.scores import BDq, LocalScores, parse_score
from tests import naive
from tests.counts.strategies import data_of, random_table

UNIFORM = naive.table_of([(x, v) for x in range(2) for v in range(3)], [2, 3])


def gain(alpha):
    data = data_of(UNIFORM)
    return bnml.family_score("X0", ["X1"], data, BDq(alpha)) - bnml.family_score("X0", [], data, BDq(alpha))


def test_a_useless_parent_can_help():
    """X and V are independent in six rows; with α = 1 the parent V gains log of 35/33, with α ≤ 1/2 it loses."""
    assert gain(1.0) == pytest.approx(math.log(35 / 33), abs=1e-13)
    assert round(gain(1.0), 4) == 0.0588
    assert gain(1.0) == pytest.approx(naive.bdq(UNIFORM, 0, [1], 1.0) - naive.bdq(UNIFORM, 0, [], 1.0), abs=1e-13)
    assert all(gain(alpha) < 0 for alpha in (0.05, 0.1, 1 / 3, 0.5))


@pytest.mark.parametrize(
    ("text", "alpha"), [("bdq", 0.5), ("bdq:0.33", 0.33), ("bdq:1/3", 1 / 3), ("bdq:2", 2.0), ("bdq:3e-2", 0.03)]
)
def test_names(text, alpha):
    assert parse_score(text) == BDq(alpha)


def test_watanabe_and_roos():
    """α = 1/2 - log 2 / (2 log N)  (qNML paper, appendix D)."""
    table = random_table(1, 40, [3, 2, 2])
    alpha = 0.5 - math.log(2) / (2 * math.log(40))
    value = bnml.family_score("X0", ["X1"], data_of(table), "bdq:watanabe-roos")
    assert value == pytest.approx(naive.bdq(table, 0, [1], alpha), rel=1e-12)
    assert bnml.family_score("X0", [], data_of(random_table(1, 3, [3, 2])), "bdq:watanabe-roos") < 0
    with pytest.raises(ScoreError, match="at least 3 rows; there are 2"):
        LocalScores(data_of(random_table(1, 2, [3, 2])), BDq("watanabe-roos"))


@pytest.mark.parametrize("alpha", ["1/0", "1/x", "-1/3", "0/3", "1e400", "watanabe", "1/2/3"])
def test_bad_names(alpha):
    with pytest.raises(ScoreError, match="BDq: alpha="):
        parse_score(f"bdq:{alpha}")


@pytest.mark.parametrize("alpha", [1e-3, 0.5, 1e7])
@pytest.mark.parametrize("arity", [3, 4])
def test_more_configurations_than_a_float_counts(alpha, arity):
    """Finite: where q α overflows, the N factors of its rising factorial are all q α."""
    n = 646 if arity == 3 else 512  # 3^646 is the last that is a float, 4^512 the first that is not
    table = random_table(2, 12, [arity] * n)
    parents = list(range(1, n))
    value = LocalScores(data_of(table), BDq(alpha)).family(0, parents)
    with mpmath.workdps(800):
        wanted = mpmath.mpf(0)
        for variables, sign in (([*parents, 0], 1), (parents, -1)):
            a, q = mpmath.mpf(alpha), arity ** len(variables)
            wanted += sign * (mpmath.loggamma(q * a) - mpmath.loggamma(q * a + 12))
            wanted += sign * sum(mpmath.log(mpmath.rf(a, n)) for n in naive.observed(table, variables).values())
    assert value == pytest.approx(float(wanted), rel=1e-10)
