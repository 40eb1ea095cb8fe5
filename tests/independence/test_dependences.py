"""Every pair of variables, against scipy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import bnml
from bnml.errors import BnmlError
from bnml.independence import independence_test
from bnml.independence.p_values import log_adjusted_p_values
from tests.independence import naive


@pytest.fixture(scope="module")
def data():
    return bnml.example()


def test_columns_and_values(data):
    frame = bnml.dependences(data)
    assert list(frame.columns) == [
        "a", "b", "mutual_information", "g2", "degrees_of_freedom", "p_value", "log_p", "sparse",
    ]  # fmt: skip
    assert len(frame) == 28
    assert not frame["sparse"].any()
    rows = naive.rows_of(data)
    for row in frame.itertuples():
        a, b = data.index(row.a), data.index(row.b)
        statistic, freedom, p = naive.chi_square(rows, a, b)
        assert (row.g2, row.degrees_of_freedom) == pytest.approx((statistic, freedom))
        assert row.p_value == pytest.approx(p, rel=1e-9)
        assert row.mutual_information == pytest.approx(bnml.information.mutual_information(data, row.a, row.b))


def test_other_tests(data):
    frame = bnml.dependences(data, test="x2")
    row = frame.iloc[9]
    known = naive.chi_square(naive.rows_of(data), data.index(row["a"]), data.index(row["b"]), (), "x2")
    assert (row["x2"], row["p_value"]) == pytest.approx((known[0], known[2]))
    drawn = bnml.dependences(data, test="g2-permutation")
    assert drawn["p_value"].min() == pytest.approx(1 / 1001)


def test_strong_dependences_keep_their_order():
    x = np.repeat([0, 1], 5000)
    y = np.where(np.arange(10_000) % 100 < 1, 1 - x, x)
    frame = bnml.dependences(np.stack([x, x, y], axis=1))
    assert (frame["p_value"] == 0).all()
    assert frame["log_p"].is_monotonic_increasing
    assert frame["log_p"].max() < -4000


def test_benjamini_and_hochberg(data):
    rng = np.random.default_rng(0)
    ps = rng.random(50) ** 3
    assert np.exp(log_adjusted_p_values(np.log(ps))) == pytest.approx(stats.false_discovery_control(ps))
    assert log_adjusted_p_values(np.zeros(0)).size == 0
    frame = bnml.dependences(data, adjust="bh")
    assert frame["adjusted_p_value"].to_numpy() == pytest.approx(stats.false_discovery_control(frame["p_value"]))


def test_one_target(data):
    frame = bnml.dependences(data, target="lung", adjust="bh")
    assert len(frame) == 7
    assert ((frame["a"] == "lung") | (frame["b"] == "lung")).all()


def test_select_features(data):
    chosen = bnml.select_features(data, "lung", alpha=0.001)
    assert chosen[0] == "either"
    assert "asia" not in chosen
    assert "lung" not in chosen
    assert set(chosen) <= set(bnml.select_features(data, "lung", alpha=0.5, adjust=None))
    backwards = data.select(data.names[::-1])
    assert bnml.select_features(backwards, "lung", alpha=0.001) == chosen


def test_one_test_alone(data):
    found = independence_test(data, "tub", "smoke", test="x2")
    assert found.independent == (found.p_value > 0.05)
    turned = independence_test(data, "smoke", "tub", test="x2")
    assert turned == found
    assert independence_test(data, "xray", "smoke", ("lung", "tub")).independent


def test_one_column_and_one_state():
    assert len(bnml.dependences(np.array([[0], [1]]))) == 0
    with pytest.warns(UserWarning, match="one state"):
        frame = bnml.dependences(np.array([[0, 0], [1, 0]]))
    assert frame["p_value"].tolist() == [1.0]
    assert frame["degrees_of_freedom"].tolist() == [0]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"test": "bic"}, "no p-values"),
        ({"test": "gain"}, "no p-values"),
        ({"adjust": "bonferoni"}, "adjust="),
        ({"target": "nobody"}, "nobody"),
        ({"threads": 0}, "threads"),
    ],
)
def test_refused(data, wrong, message):
    with pytest.raises(BnmlError, match=message):
        bnml.dependences(data, **wrong)


def test_other_refusals(data):
    with pytest.raises(BnmlError, match="nobody"):
        bnml.select_features(data, "nobody")
    with pytest.raises(BnmlError, match="alpha"):
        bnml.select_features(data, "lung", alpha=0)
    with pytest.raises(BnmlError, match="must differ"):
        independence_test(data, "lung", "tub", "lung")
