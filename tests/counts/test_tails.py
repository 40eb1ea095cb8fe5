"""Lookup tables that go on as polynomials: as exact as floats are, and refused where a table is not smooth."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest
from scipy.special import xlogy

import bnml
from bnml.counts import Lookups, batch_of, counts_of
from bnml.counts import batches as tails
from bnml.nml import log_rising, regret
from bnml.scores import Score, Terms
from tests.counts.strategies import data_of
from tests.naive import table_of

N = 10**12
LARGE = np.unique((2.0 ** np.random.default_rng(0).uniform(18, np.log2(N), 60)).astype(np.int64))


def tables_at(counts):
    return [
        xlogy(counts, counts),
        log_rising(0.5, counts),
        log_rising(7.0, counts),
        xlogy(counts, counts) + np.array([regret(int(n), 3) for n in counts]),
    ]


def test_no_tail_is_needed_for_few_rows():
    assert tails.tail_counts(tails.DIRECT - 1).size == 0
    assert tails.counts_before_tail(10).tolist() == list(range(11))
    assert tails.fit_tails(tails.tail_counts(10), [np.zeros(0)]).shape[:2] == (1, 0)


def test_values_are_right_to_the_last_digits():
    counts = tails.tail_counts(N)
    assert (np.diff(counts) > 0).all()
    found = tails.fit_tails(counts, tables_at(counts))
    empty = np.zeros(tails.DIRECT)
    with mpmath.workdps(40):
        exact = [
            lambda n: n * mpmath.log(n),
            lambda n: mpmath.loggamma(n + 0.5) - mpmath.loggamma(0.5),
            lambda n: mpmath.loggamma(n + 7) - mpmath.loggamma(7),
        ]
        for tail, right in zip(found[:3], exact, strict=True):
            for n, value in zip(LARGE.tolist(), tails.tail_entries(empty, tail, LARGE), strict=True):
                assert abs(value / right(mpmath.mpf(n)) - 1) < 1e-15
    assert tails.tail_entries(empty, found[3], LARGE) == pytest.approx(tables_at(LARGE)[3], rel=1e-15)
    assert not found[0, :, tails.SERIES :].any(), "n log n needs no series"


def test_kernels_and_python_agree():
    weights = [3 * 10**11, 5 * 10**8, 2**40, 77]
    table = table_of([(0, 0), (0, 1), (1, 1), (1, 0)], [2, 2], weights)
    counts = tails.tail_counts(table.n)
    fitted = tails.fit_tails(counts, tables_at(counts))
    small = np.stack(tables_at(np.arange(200)))
    small = np.concatenate([small, np.zeros((4, tails.DIRECT - 200))], axis=1)
    for table_row, tail in zip(small, fitted, strict=True):
        lookups = Lookups(table_row[None], {}, tails=tail[None])
        found = counts_of(data_of(table)).family_sums(batch_of([-1], [[0, 1]]), lookups)[0, 0]
        assert found == pytest.approx(tails.tail_entries(table_row, tail, np.array(weights)).sum(), rel=1e-15)


def test_tails_in_units_are_whole():
    counts = tails.tail_counts(N)
    tail = tails.scaled_tails(tails.fit_tails(counts, [xlogy(counts, counts)]), 2.0**-6)
    values = tails.tail_entries(np.zeros(tails.DIRECT), tail[0], LARGE)
    assert (values == np.rint(xlogy(LARGE, LARGE) * 64)).all()


def test_a_table_that_is_not_smooth_has_no_tail():
    counts = tails.tail_counts(N)
    assert tails.fit_tails(counts, [counts * np.sin(counts / 1e6)]) is None


class Rough(Score):
    """What no polynomial follows."""

    name = "rough"

    def terms(self, shape):
        return Terms(joint=np.where(shape.counts % 2, -1.0 * shape.counts, 0.0))


def test_a_score_that_is_not_smooth(monkeypatch):
    monkeypatch.setattr(tails, "DIRECT", 1 << 12)
    rough = table_of([(0,), (1,)], [2], [5001, 8000])
    assert bnml.family_score("X0", [], data_of(rough), Rough()) == -5001.0 - (-13001.0)
    with pytest.raises(bnml.errors.ScoreError, match="not smooth"):
        bnml.family_score("X0", [], data_of(table_of([(0,), (1,)], [2], [10**9, 8000])), Rough())
