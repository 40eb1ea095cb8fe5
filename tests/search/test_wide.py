"""Hundreds of columns: nothing is quadratic in the number of pairs, and a time limit holds from the start."""

from __future__ import annotations

import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bnml
from bnml import Constraints
from bnml._watch import Watch
from bnml.errors import BnmlError
from bnml.scores import FamilyScores, LocalScores
from bnml.search import forest, hill_climb, learn
from bnml.search.climb import result_of_climb
from bnml.search.local_optimum import verify_local_optimum
from bnml.search.moves import Structure
from bnml.search.problem import Problem
from bnml.search.searches import SEARCHES
from tests.search.strategies import constraints, is_possible, tables

pytestmark = pytest.mark.usefixtures("uniform_prior")

NAMES = ("climb", "tabu", "order")
each_search = pytest.mark.parametrize("search", NAMES)


def pairs(columns: int, rows: int, seed: int = 0) -> bnml.Data:
    """Each column is a noisy copy of one of the last few before it."""
    rng = np.random.default_rng(seed)
    table = rng.integers(0, 2, (rows, columns))
    for i in range(1, columns):
        copied = rng.random(rows) < 0.8
        table[copied, i] = table[copied, int(rng.integers(max(0, i - 5), i))]
    return bnml.read(table, states={f"X{i}": [0, 1] for i in range(columns)})


class Looks(Watch):
    """A watch whose time is over once it has been looked at so many times."""

    def __init__(self, looks: int) -> None:
        super().__init__(None, 1e9)
        self.looks = looks

    @property
    def over(self) -> bool:
        self.looks -= 1
        return self.looks < 0


@pytest.mark.parametrize("score", ["bic", "fnml", "bds"])
def test_terms_of_wide_tables_are_found_again(score):
    """No two keys of a cache share a hash but by chance: else a look-up goes through all of them."""
    data = pairs(150, 8)
    local = LocalScores(data, score)
    some = [(a, b) for a in range(1, 100) for b in range(a)]
    for start in range(0, len(some), 1000):
        local.families(149, some[start : start + 1000])
    local.additions(0, [1], range(2, 150))
    caches = (
        [local.known.one_by_one._known]
        if local.terms is None
        else [terms._others for terms in (local.known.cache._joint, *local.known.cache._margin.values())]
    )
    assert any(len(cache) > 1000 for cache in caches)
    assert all(len(set(map(hash, cache))) > 0.99 * len(cache) for cache in caches)


def test_scores_from_elsewhere_of_many_variables():
    n = 130
    masks = [1 << a | 1 << b for a in range(2, n) for b in range(1, a)]
    scores = FamilyScores(
        [f"v{i}" for i in range(n)],
        [masks, *([0] for _ in range(n - 1))],
        [np.arange(len(masks)), *([0.0] for _ in range(n - 1))],
    )
    assert scores.family(0, [n - 1, n - 2]) == len(masks) - 1
    assert len({hash(key) for key in scores._score_of[0]}) > 0.99 * len(masks)
    with pytest.raises(BnmlError, match="twice"):
        FamilyScores(
            ["a"] + [f"v{i}" for i in range(n - 1)],
            [[*masks, masks[5]], *([0] for _ in range(n - 1))],
            [np.arange(len(masks) + 1), *([0.0] for _ in range(n - 1))],
        )


@each_search
def test_too_little_time_to_climb(search):
    """All single arcs are scored, and then time is over: the best forest."""
    data = pairs(80, 100)
    problem = Problem.of(LocalScores(data, "bic"), watch=Looks(81), search="climb")
    result = SEARCHES[search].run(problem)
    assert result.score == pytest.approx(forest(data, "bic").score, abs=1e-9)
    assert result.score == pytest.approx(bnml.score(result.dag, data, "bic"), abs=1e-9)
    assert result.info["fallback"] == "forest"
    assert not result.info["local_optimum"]


@each_search
@pytest.mark.parametrize("score", ["bic", "fnml"])
def test_too_little_time_to_score_all_arcs(search, score):
    data = pairs(80, 100)
    scores = [
        SEARCHES[search].run(Problem.of(LocalScores(data, score), watch=Looks(looks))).score for looks in (0, 20, 60)
    ]
    assert scores[0] == pytest.approx(bnml.score(bnml.DAG(data.names), data, score))
    assert scores[0] < scores[1] < scores[2] <= forest(data, score).score + 1e-9


def test_with_time_enough_the_climb_is_the_result():
    data = pairs(30, 100)
    whole = hill_climb(data, "bic")
    limited = hill_climb(data, "bic", time_limit=1000.0)
    assert limited.dag == whole.dag
    assert "fallback" not in limited.info
    start = bnml.DAG(data.names)
    stopped = SEARCHES["climb"].run(Problem.of(LocalScores(data, "bic"), watch=Looks(30)), start=start)
    assert stopped.dag == start, "what is given as a start is kept"


@settings(max_examples=60, deadline=None)
@given(
    data=tables(columns=5),
    label=st.sampled_from(["bic", "fnml"]),
    looks=st.integers(0, 12),
    drawn=st.data(),
    search=st.sampled_from(["climb", "tabu", "order"]),
)
def test_constraints_are_met_whenever_time_is_over(data, label, looks, drawn, search):
    known = drawn.draw(constraints(data.names))
    most = drawn.draw(st.none() | st.integers(0, 3))
    if not is_possible(data, known, most):
        return
    problem = Problem.of(LocalScores(data, label), known, most, watch=Looks(looks))
    result = SEARCHES[search].run(problem)
    assert known.allows(result.dag)
    assert most is None or max(map(len, result.dag.parent_sets)) <= most
    assert result.score == pytest.approx(bnml.score(result.dag, data, label), abs=1e-8)
    first = Structure(Problem.of(LocalScores(data, label), known, most))
    assert result.score >= first.score - 1e-8


def test_required_arcs_that_no_forest_has():
    data = pairs(20, 50)
    known = Constraints(required=[("X0", "X5"), ("X1", "X5")])
    result = SEARCHES["climb"].run(Problem.of(LocalScores(data, "bic"), known, watch=Looks(0)))
    assert set(result.dag.arcs) == {("X0", "X5"), ("X1", "X5")}
    known = Constraints(required=[("X9", "X5")], required_links=[("X1", "X8")])
    result = SEARCHES["climb"].run(Problem.of(LocalScores(data, "bic"), known, watch=Looks(21)))
    assert result.info["fallback"] == "forest"
    assert known.allows(result.dag)


def test_gains_that_are_not_known_prove_nothing():
    data = pairs(12, 50)
    best = hill_climb(data, "bic").dag
    problem = Problem.of(LocalScores(data, "bic"), watch=Looks(5))
    structure = Structure(problem, best)
    assert not structure.complete
    assert structure.score == pytest.approx(bnml.score(best, data, "bic"))
    assert result_of_climb(structure, local_optimum=False).dag == best
    assert not verify_local_optimum(Problem.of(LocalScores(data, "bic"), watch=Looks(5)), best, 0.0)["local_optimum"]
    assert verify_local_optimum(Problem.of(LocalScores(data, "bic")), best, 0.0)["local_optimum"]


def test_many_rows_are_counted_between_looks_at_the_clock(monkeypatch):
    data = pairs(12, 50)
    whole = Structure(Problem.of(LocalScores(data, "bic")))
    monkeypatch.setattr("bnml.search.moves.CODES_AT_ONCE", 150)
    parts = Structure(Problem.of(LocalScores(data, "bic")))
    assert (parts.up == whole.up).all()
    assert parts.families == whole.families
    assert parts.complete
    assert not Structure(Problem.of(LocalScores(data, "bic"), watch=Looks(35))).complete


@each_search
def test_a_time_limit_holds_with_many_columns(search):
    data = pairs(1200, 50)
    learn(data.select(data.names[:5]), "bic", search)  # machine code is loaded
    whole = forest(data, "bic")
    limit = max(1.5, 3.0 * whole.seconds)  # the machine may be busy
    started = time.perf_counter()
    result = learn(data, "bic", search, time_limit=limit)
    assert time.perf_counter() - started < 4.0 * limit
    assert result.score >= whole.score - 1e-6


def test_a_required_link_is_there_when_there_was_no_time_at_all():
    data = pairs(5, 20)
    known = bnml.Constraints(required=[(data.names[2], data.names[4])], required_links=[data.names[3:5]])
    for search in ("climb", "tabu", "order"):
        problem = Problem.of(LocalScores(data, "bic"), known, watch=Looks(0))
        assert known.allows(SEARCHES[search].run(problem).dag)
