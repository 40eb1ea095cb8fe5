"""Scores by name."""

from __future__ import annotations

import pytest

from bnml.errors import BnmlError, ScoreError
from bnml.scores import BD, SCORES, BDeu, BDs, parse_score
from tests.scores.strategies import LABELS


def test_the_contract_asks_every_score():
    """All that `test_contract` asks is asked of every score that has a name, and of BDe."""
    assert {label.partition(":")[0].removesuffix("+parents") for label in LABELS} == {*SCORES, "bde"}


@pytest.mark.parametrize("name", SCORES)
def test_plain_names(name):
    score = parse_score(name)
    assert type(score) is SCORES[name]
    assert score == SCORES[name]()


@pytest.mark.parametrize(
    ("text", "score"), [("bdeu:10", BDeu(10)), ("bds:0.5", BDs(0.5)), ("bd:2", BD(2)), ("bdeu:1e-3", BDeu(0.001))]
)
def test_parameters(text, score):
    assert parse_score(text) == score


@pytest.mark.parametrize(
    ("score", "message"),
    [
        ("bdeu:-1", "BDeu: ess='-1'"),
        ("bdeu:0", "BDeu: ess='0'"),
        ("bdeu:x", "BDeu: ess='x'"),
        ("bdeu:nan", "BDeu: ess='nan'"),
        ("bdeu:", "'bdeu:': nothing follows the colon"),
        ("bds:-1", "BDs: ess='-1'"),
        ("bd:0", "BD: alpha='0'"),
        ("bdq:0", "BDq: alpha='0'"),
        ("bdq:x", "BDq: alpha='x'"),
        ("aic:3", "'aic:3': aic takes no parameter"),
        ("k2:1", "'k2:1': k2 takes no parameter"),
        ("qnml:exact", "'qnml:exact': qnml takes no parameter"),
        ("mdl:parents", "'mdl:parents': mdl takes no parameter"),
        ("mdl:+parents", "'mdl:.parents': mdl takes no parameter"),
        ("mdl+parents:1", "no score 'mdl.parents:1'"),
        ("bic+parents", "no score 'bic.parents'"),
        ("bde", "BDe needs a prior network"),
        ("bde:3", "BDe needs a prior network"),
        ("bdue", "no score 'bdue'.*Did you mean 'bdeu'"),
        ("BIC", "no score 'BIC'.*Did you mean 'bic'"),
        (" bic", "no score ' bic'"),
        ("", "no score ''"),
        (":", "no score ':'"),
        (3, "score=3: expected a name"),
        (None, "score=None: expected a name"),
        (BDeu, "score=<class .*BDeu.*: expected a name"),
        (["bic"], "score=.*'bic'.*: expected a name"),
    ],
)
def test_bad_names(score, message):
    with pytest.raises(ScoreError, match=message) as caught:
        parse_score(score)
    assert isinstance(caught.value, BnmlError)
    assert isinstance(caught.value, ValueError)
