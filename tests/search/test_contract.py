"""The same questions to every search, with every score that it admits."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bnml
from bnml.errors import BnmlError
from bnml.scores import SCORES
from bnml.search.learn import SEARCHES
from tests.search.strategies import constraints, tables

OPTIONS = {"tan": {"class_variable": "X0"}, "naive": {"class_variable": "X0"}}
REFUSED = {("ges", name) for name in ("k2", "bd", "bdj", "bds", "fnml")}

each_search = pytest.mark.parametrize("search", SEARCHES)


def table(rows=120, seed=5):
    rng = np.random.default_rng(seed)
    a = rng.integers(0, 2, rows)
    b = np.where(rng.random(rows) < 0.8, a, rng.integers(0, 3, rows))
    c = (a + b + (rng.random(rows) < 0.1)) % 2
    d = np.where(rng.random(rows) < 0.7, c, rng.integers(0, 3, rows))
    return bnml.read(np.stack([a, b, c, d], axis=1))


@each_search
@pytest.mark.parametrize("score", SCORES)
def test_every_pair_of_search_and_score(search, score):
    """It gives a structure whose score is the one it says, or refuses with a reason."""
    data = table()
    options = OPTIONS.get(search, {})
    if (search, score) in REFUSED:
        with pytest.raises(BnmlError, match=score):
            bnml.learn(data, score, search=search, **options)
        return
    result = bnml.learn(data, score, search=search, **options)
    assert result.search == search
    assert result.score == pytest.approx(bnml.score(result.dag, data, score), abs=1e-8)
    assert result.score <= bnml.learn(data, score, search="exact").score + 1e-8
    assert result.optimal is (search == "exact")
    assert result.cpdag == result.dag.cpdag()
    assert result.network.dag == result.dag
    assert result.seconds >= 0
    assert str(result)
    assert bnml.learn(data, score, search=search, threads=1, **options).dag == result.dag


@each_search
@settings(max_examples=15, deadline=None)
@given(data=tables(columns=4), drawn=st.data())
def test_constraints_hold(search, data, drawn):
    """They are met, or refused before any work."""
    known = drawn.draw(constraints(data.names))
    most = drawn.draw(st.none() | st.integers(0, 3))
    try:
        result = bnml.learn(data, "bic", search=search, constraints=known, max_parents=most, **OPTIONS.get(search, {}))
    except BnmlError:
        return
    if result.dag is None:  # no network fits what the tests of pc and npc say
        assert search in ("pc", "npc")
        return
    assert known.allows(result.dag)
    assert most is None or max(map(len, result.dag.parent_sets)) <= most
