"""Names of tests, and what is refused."""

from __future__ import annotations

import pytest

import bnml
from bnml.errors import BnmlError
from bnml.independence import G2, X2, Gain, Permutation, Scored
from bnml.independence.tests import parse_test


def test_names():
    assert parse_test("g2") == G2()
    assert parse_test(X2()) == X2()
    assert parse_test("x2-permutation") == Permutation("x2")
    assert parse_test("gain:0.5") == Gain(0.5)
    assert parse_test("qnml") == Scored("qnml")
    assert str(parse_test(bnml.scores.BIC())) == "bic"
    assert [str(parse_test(name)) for name in ("g2", "g2-permutation", "gain", "bdeu:3")] == [
        "g2", "g2-permutation", "gain:0.01", "bdeu:3",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ("chi-by-eye", "no such test"),
        ("g2-permutatio", "Did you mean 'g2-permutation'"),
        ("gain:", "number of bits"),
        ("gain:-1", "number of bits"),
        ("gain:nan", "number of bits"),
        ("k2", "equivalent"),
        ("bdeu:x", "bdeu"),
        (5, "test=5"),
        (None, "test=None"),
    ],
)
def test_refused(wrong, message):
    with pytest.raises(BnmlError, match=message):
        parse_test(wrong)


@pytest.mark.parametrize("wrong", [{"statistic": "z"}, {"permutations": 0}, {"permutations": 1.5}, {"seed": -1}])
def test_permutations_refused(wrong):
    with pytest.raises(BnmlError, match=next(iter(wrong))):
        Permutation(**wrong)
