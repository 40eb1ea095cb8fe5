"""Regrets through the public door: values, properties, bad arguments."""

from __future__ import annotations

import csv
import math
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bnml.errors import ArgumentError
from bnml.nml import regret, regrets
from bnml.nml.regret import METHODS
from tests.nml import naive

ROOT = Path(__file__).parents[2]
PUBLISHED = ROOT.parent / "shared" / "data" / "published" / "multinomial_nml_regret.csv"

PROPERTIES = settings(max_examples=60, deadline=None)
SIZES = st.one_of(st.integers(1, 50), st.integers(1, 10**4), st.integers(1, 10**9))
VALUES = st.one_of(st.integers(1, 50), st.integers(1, 10**4), st.integers(1, 10**6), st.integers(1, 10**15))
SLACK = 1 + 1e-12  # rounding

TABLE_1 = [  # the qNML paper's Table 1: n, r, eq. 6, eq. 7, exact
    (50, 10, 13.24, 13.26, 13.24),
    (50, 100, 62.00, 60.01, 60.00),
    (50, 1000, 491.63, 153.28, 153.28),
    (50, 10000, 25635.1336, 265.28, 265.28),  # printed 25635.15, which is the paper's round-off
    (500, 10, 22.67, 22.69, 22.67),
    (500, 100, 144.10, 144.03, 144.03),
    (500, 1000, 624.35, 603.93, 603.93),
    (500, 10000, 4927.24, 1533.38, 1533.38),
    (5000, 10, 32.74, 32.76, 32.74),
    (5000, 100, 247.97, 247.97, 247.97),
    (5000, 1000, 1452.51, 1451.78, 1451.78),
    (5000, 10000, 6247.83, 6043.16, 6043.16),
]


@pytest.mark.parametrize(("n", "r", "eq_6", "eq_7", "exact"), TABLE_1)
def test_table_1(n, r, eq_6, eq_7, exact):
    assert regret(n, r) == pytest.approx(exact, abs=0.0051)
    assert regret(n, r, "szpankowski") == pytest.approx(eq_6, abs=0.0051)
    assert regret(n, r, "szpankowski-weinberger") == pytest.approx(eq_7, abs=0.0051)


PYNML = [  # n, r and C(n, r) to the digits that the authors' program PyNML prints
    (5, 1, 1.0),
    (4, 2, 3.21875),
    (200, 2, 18.3984438554),
    (3, 3, 5.88888888889),
    (100, 3, 113.20996063),
    (2, 4, 7.0),
    (50, 4, 298.121303023),
    (20, 5, 264.519994353),
    (10, 6, 181.73191488),
    (1000, 6, 5665937.06635),
    (5, 8, 128.7808),
    (500, 8, 98862472.414),
    (4, 10, 152.03125),
    (200, 10, 146390871.589),
    (3, 16, 247.111111111),
    (100, 16, 14566460145.8),
    (50, 25, 212621543513.0),
    (20, 50, 387094985715.0),
    (10, 100, 34169199432.9),
    (1000, 100, 3.9179130184e75),
]


@pytest.mark.parametrize(("n", "r", "normaliser"), PYNML)
def test_values_of_pynml(n, r, normaliser):
    assert math.exp(regret(n, r)) == pytest.approx(normaliser, rel=2e-11)


@pytest.mark.skipif(not PUBLISHED.exists(), reason=f"no published values beside the repository ({PUBLISHED.name})")
def test_published_values():
    with PUBLISHED.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 162
    for row in rows:
        n, r = int(row["N"]), int(row["K"])
        assert regret(n, r) == pytest.approx(float(row["log_normalizer"]), rel=1e-9, abs=1e-12), (n, r)
        if row["normalizer_C"]:
            assert math.exp(regret(n, r)) == pytest.approx(float(row["normalizer_C"]), rel=1e-9), (n, r)


@pytest.mark.parametrize("n", [1, 2, 3, 5, 8])
def test_enumeration(n):
    for r in range(1, 7):
        assert regret(n, r) == pytest.approx(math.log(naive.normaliser(n, r)), rel=1e-13, abs=1e-15)


def test_small_cases():
    assert regret(100, 10**9) == pytest.approx(1611.80957994583, rel=1e-14)
    for method in METHODS:
        assert regret(1000, 1, method) == 0.0
        assert regret(0, 7, method) == 0.0
        assert regret(0, 10**400, method) == 0.0
        assert regret(0, 1, method) == 0.0
    for r in (1, 2, 5, 31, 32, 33, 10**6, 10**300, 10**400):
        assert regret(1, r) == pytest.approx(math.log(r), rel=1e-15)
        if r < 10**300:
            assert regret(2, r) == pytest.approx(math.log(r) + math.log((r + 3) / 4), rel=1e-14)  # r (r+3) / 4


def test_kinds_of_numbers():
    assert isinstance(regret(np.int32(20), np.uint8(3)), float)
    assert regret(20.0, np.float64(3.0)) == regret(20, 3)


@pytest.mark.parametrize("n", [1, 3, 100, 10**6, 10**9, 2**53])
def test_enormous_r(n):
    at_last_float = regret(n, 10**308)
    assert at_last_float == pytest.approx(n * (math.log(10**308) - math.log(n)), rel=1e-14)
    assert regret(n, 10**400) == pytest.approx(n * (math.log(10**400) - math.log(n)), rel=1e-14)
    assert regret(n, 10**400, "szpankowski-weinberger") == pytest.approx(regret(n, 10**400), rel=1e-14)
    assert regret(n, 10**400, "szpankowski") == math.inf


@PROPERTIES
@given(SIZES, VALUES)
def test_monotone_and_positive(n, r):
    value = regret(n, r)
    assert (value == 0) == (r == 1)
    assert 0 <= value <= regret(n + 1, r) * SLACK
    assert value <= regret(n, r + 1) * SLACK
    assert value <= n * math.log(r) * SLACK  # no probability exceeds 1, and there are r^n data sets


@PROPERTIES
@given(SIZES, SIZES, VALUES)
def test_subadditive(n1, n2, r):
    assert regret(n1 + n2, r) <= (regret(n1, r) + regret(n2, r)) * SLACK


@PROPERTIES
@given(SIZES, st.integers(2, 20), VALUES, st.integers(1, 100))
def test_quotient_increases(n, r, k, more):
    """C(n, r k) / C(n, k) grows with k (qNML paper, appendix B, Lemma 7)."""
    here, there = (regret(n, r * j) - regret(n, j) for j in (k, k + more))
    assert here <= there + 1e-12 * regret(n, r * (k + more)) + 4e-7 * (n > 10**6)  # eq. 7 beyond a million


@PROPERTIES
@given(st.integers(0, 10**5), st.lists(VALUES, max_size=30), st.sampled_from(METHODS))
def test_regrets_equal_regret(n, rs, method):
    values = regrets(n, np.array(rs, dtype=np.float64), method=method)
    assert values == pytest.approx([regret(n, r, method) for r in rs], rel=1e-12)


def test_regrets_shapes_and_infinity():
    rs = np.array([[2.0, np.inf], [1e20, 2.0]])
    log_rs = np.array([[0.0, 1000.0], [0.0, 0.0]])
    values = regrets(50, rs, log_rs=log_rs)
    assert values.shape == rs.shape
    assert values[0, 0] == values[1, 1] == pytest.approx(regret(50, 2), rel=1e-13)
    assert values[0, 1] == pytest.approx(50 * (1000 - math.log(50)))
    assert values[1, 0] == pytest.approx(regret(50, 10**20), rel=1e-13)
    assert regrets(0, rs, log_rs=log_rs).tolist() == [[0, 0], [0, 0]]
    assert regrets(50, rs, log_rs=log_rs, method="szpankowski")[0, 1] == np.inf
    assert regrets(50, []).shape == (0,)
    assert regrets(50, [2, 10**20])[1] == values[1, 0]


@pytest.mark.parametrize(
    ("n", "r", "words"),
    [
        (-1, 2, "n must be a whole number from 0"),
        (2.5, 2, "got 2.5"),
        (math.nan, 2, "n must be"),
        (math.inf, 2, "n must be"),
        (2**54, 2, "n must be"),
        (True, 2, "got True"),
        (np.True_, 2, "n must be"),
        ("5", 2, "got '5'"),
        (None, 2, "got None"),
        (5, 0, "r must be a whole number of at least 1, got 0"),
        (5, -3, "got -3"),
        (5, 1.5, "got 1.5"),
        (5, math.inf, "got inf"),
        (5, False, "got False"),
    ],
)
def test_bad_numbers(n, r, words):
    with pytest.raises(ArgumentError, match=words):
        regret(n, r)


def test_bad_method():
    with pytest.raises(ArgumentError, match=r"'exact', 'szpankowski', .* Did you mean 'szpankowski'\?"):
        regret(5, 2, method="szpankovski")
    with pytest.raises(ArgumentError, match="method"):
        regrets(5, [2], method="none")


@pytest.mark.parametrize(
    "rs", [[0], [2, 1.5], [math.nan], [-math.inf], [True], ["3"], [None], [2 + 0j], [10**400], [[1, 2], [0, 3]]]
)
def test_bad_rs(rs):
    with pytest.raises(ArgumentError, match="rs"):
        regrets(5, rs)


def test_bad_log_rs():
    with pytest.raises(ArgumentError, match="log_rs is needed"):
        regrets(5, [2, math.inf])
    with pytest.raises(ArgumentError, match="shape"):
        regrets(5, [2, math.inf], log_rs=[1.0])
    with pytest.raises(ArgumentError, match="log_rs"):
        regrets(5, [math.inf], log_rs=["a"])
    with pytest.raises(ArgumentError, match="finite"):
        regrets(5, [math.inf], log_rs=[math.inf])


def test_import_is_cheap():
    code = "import sys, bnml.nml; print([m for m in ('numba', 'scipy') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
