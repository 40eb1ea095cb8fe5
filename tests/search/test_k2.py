"""K2 against a slow twin, its trace against the lecture's demonstration; orders, constraints, limits."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bnml
from bnml.errors import BnmlError
from bnml.graph import Constraints
from bnml.search import k2
from bnml.search.k2 import Trial
from tests.search.strategies import constraints, structures, tables

pytestmark = pytest.mark.usefixtures("uniform_prior")

ORDER = ["asia", "smoke", "tub", "lung", "bronc", "either", "xray", "dysp"]


def greedy(data, label, order, known=None, most=None):
    """Return the parents of each variable, straight from the description."""
    rules = known or Constraints()
    links = {frozenset(link) for link in rules.required_links}

    def score(child, parents):
        return bnml.family_score(child, parents, data, label)

    found = {}
    for k, child in enumerate(order):
        allowed = rules.compiled(order).may[k]
        before = [x for i, x in enumerate(order[:k]) if allowed >> i & 1]
        parents = [x for x in before if (x, child) in rules.required or frozenset((x, child)) in links]
        while most is None or len(parents) < most:
            own = score(child, parents)
            gains = {x: score(child, [*parents, x]) - own for x in sorted(set(before) - set(parents))}
            if not gains or max(gains.values()) <= 1e-9:
                break
            parents.append(next(x for x, gain in gains.items() if gain >= max(gains.values()) - 1e-9))
        found[child] = set(parents)
    return found


def parents_in(dag):
    return {x: set(dag.parents(x)) for x in dag.names}


@settings(max_examples=60, deadline=None)
@given(data=tables(columns=5), label=st.sampled_from(["k2", "bic", "qnml", "loglik", "bds"]), drawn=st.data())
def test_as_described(data, label, drawn):
    order = drawn.draw(st.permutations(data.names))
    most = drawn.draw(st.none() | st.integers(0, 3))
    result = k2(data, label, order=order, max_parents=most)
    assert parents_in(result.dag) == greedy(data, label, order, most=most)
    assert result.score == pytest.approx(bnml.score(result.dag, data, label), abs=1e-8)
    assert result.info["order"] == tuple(order)
    assert (result.search, result.optimal, result.info["orders"]) == ("k2", False, 1)
    shuffled = data.select(drawn.draw(st.permutations(data.names)))
    assert k2(shuffled, label, order=order, max_parents=most, threads=2).dag == result.dag


@settings(max_examples=80, deadline=None)
@given(data=tables(columns=4), drawn=st.data())
def test_constraints_with_an_order(data, drawn):
    known = drawn.draw(constraints(data.names))
    order = drawn.draw(st.permutations(data.names))
    most = drawn.draw(st.none() | st.integers(0, 3))
    at = {name: k for k, name in enumerate(order)}
    possible = any(
        known.allows(dag)
        and all(at[a] < at[b] for a, b in dag.arcs)
        and (most is None or max(map(len, dag.parent_sets)) <= most)
        for dag in structures(data.names)
    )
    if not possible:
        with pytest.raises(BnmlError):
            k2(data, "bic", order=order, constraints=known, max_parents=most)
        return
    result = k2(data, "bic", order=order, constraints=known, max_parents=most)
    assert known.allows(result.dag)
    assert parents_in(result.dag) == greedy(data, "bic", order, known, most)


@settings(max_examples=80, deadline=None)
@given(data=tables(columns=4), drawn=st.data())
def test_constraints_without_an_order(data, drawn):
    """If there is any structure that meets them, there is an order for it."""
    known = drawn.draw(constraints(data.names))
    most = drawn.draw(st.none() | st.integers(0, 3))

    def allowed(dag):
        return known.allows(dag) and (most is None or max(map(len, dag.parent_sets)) <= most)

    if not any(map(allowed, structures(data.names))):
        with pytest.raises(BnmlError):
            k2(data, "bic", constraints=known, max_parents=most, orders=3)
        return
    result = k2(data, "bic", constraints=known, max_parents=most, orders=3)
    assert allowed(result.dag)
    assert parents_in(result.dag) == greedy(data, "bic", result.info["order"], known, most)


# --- the trace ---


def test_the_demonstration_of_the_lecture():
    """Four variables in the order L, KA, M, KV: which parents are tried, which are kept, and when."""
    rng = np.random.default_rng(1)
    n = 3000
    first = rng.integers(0, 2, n)
    ka, m = (np.where(rng.random(n) < 0.75, first, 1 - first) for _ in range(2))
    kv = 2 * first + np.where(rng.random(n) < 0.8, ka, 1 - ka)
    data = bnml.read(pd.DataFrame({"KA": ka, "KV": kv, "L": first, "M": m}))
    result = k2(data, order=["L", "KA", "M", "KV"])
    steps = [(t.child, t.parents, t.candidate, t.taken) for t in result.info["trace"]]
    assert steps == [
        ("KV", (), "M", False),
        ("KV", (), "KA", False),
        ("KV", (), "L", True),
        ("KV", ("L",), "M", False),
        ("KV", ("L",), "KA", True),
        ("KV", ("L", "KA"), "M", False),
        ("M", (), "KA", False),
        ("M", (), "L", True),
        ("M", ("L",), "KA", False),
        ("KA", (), "L", True),
    ]
    assert str(result.dag) == "[L][KA|L][KV|KA:L][M|L]"
    assert result.info["families"] == len(steps) + 4 + 4 * 4, "those tried, those at the start, and to check the end"
    assert result.info["moves"] == 4


def test_moves_are_those_of_all_orders():
    data = bnml.example()
    one = k2(data, orders=1, seed=3)
    assert one.info["moves"] == len(one.dag.arcs)
    assert k2(data, orders=5, seed=3).info["moves"] > one.info["moves"]
    known = Constraints(required=[one.dag.arcs[0]])
    assert k2(data, order=one.info["order"], constraints=known).info["moves"] <= len(one.dag.arcs) - 1


def test_the_gains_of_the_trace():
    data = bnml.example()
    result = k2(data, "bic", order=ORDER)
    for t in result.info["trace"]:
        want = bnml.family_score(t.child, [*t.parents, t.candidate], data, "bic")
        want -= bnml.family_score(t.child, t.parents, data, "bic")
        assert t.gain == pytest.approx(want, abs=1e-8)
    taken = [(t.candidate, t.child) for t in result.info["trace"] if t.taken]
    assert set(taken) == set(result.dag.arcs)
    empty = sum(bnml.family_score(x, (), data, "bic") for x in data.names)
    gains = sum(t.gain for t in result.info["trace"] if t.taken)
    assert result.score == pytest.approx(empty + gains)
    assert isinstance(result.info["trace"][0], Trial)
    json.dumps(result.info["trace"])


def test_ties_go_by_name():
    copies = np.repeat(np.arange(8)[:, None] % 2, 4, axis=1)
    data = bnml.read(copies)
    result = k2(data, order=["X2", "X1", "X0", "X3"])
    assert [(t.candidate, t.taken) for t in result.info["trace"][:3]] == [("X0", True), ("X1", False), ("X2", False)]
    assert result.dag.parents("X0") == ("X1",)


# --- orders ---


def test_random_orders():
    data = bnml.example()
    result = k2(data, seed=3, orders=20)
    assert sorted(result.info["order"]) == sorted(data.names)
    assert result.info["orders"] == 20
    assert result.score == pytest.approx(k2(data, order=result.info["order"]).score, abs=1e-8)
    assert result.dag == k2(data, order=result.info["order"]).dag
    again = k2(data.select(data.names[::-1]), seed=3, orders=20)
    assert (again.dag, again.info["order"]) == (result.dag, result.info["order"])
    scores = {seed: k2(data, seed=seed, orders=1).score for seed in range(8)}
    assert len({round(score, 6) for score in scores.values()}) > 1
    assert k2(data, orders=1, seed=3).score <= result.score + 1e-9
    assert k2(data).info["orders"] == 10


def test_through_learn():
    data = bnml.example()
    result = bnml.learn(data, search="k2", order=ORDER)
    assert result.score_name == "qnml"
    assert result == k2(data, "qnml", order=ORDER)
    assert k2(data, order=ORDER).score_name == "k2"
    assert bnml.learn(data, "k2", search="k2", seed=5, orders=2) == k2(data, seed=5, orders=2)
    assert bnml.learn(data, search="k2", order=pd.Index(ORDER)) == result


def test_priors():
    data = bnml.example()
    prior = bnml.priors.ArcProbabilities(0.5, {("either", "xray"): 0.0, ("smoke", "asia"): 1.0})
    result = k2(data, "bic", order=["smoke", *(x for x in ORDER if x != "smoke")], prior=prior)
    assert ("smoke", "asia") in result.dag.arcs
    assert ("either", "xray") not in result.dag.arcs
    assert result.score == pytest.approx(bnml.score(result.dag, data, "bic", prior))


@pytest.mark.parametrize(
    ("order", "message"),
    [
        (ORDER[:-1], "order: it must name each variable once; 'dysp' are missing"),
        ([*ORDER, "asia"], "'asia' stand twice"),
        ([*ORDER[1:], "smoke"], "'smoke' stand twice and 'asia' are missing"),
        ([*ORDER[1:], "Asia"], "no variable 'Asia'. Did you mean 'asia'"),
        ([*ORDER[1:], 3], "no variable 3"),
        ("asia", "order='asia': expected a list"),
        (5, "order=5: expected a list"),
        ([], "are missing"),
    ],
)
def test_orders_that_are_none(order, message):
    with pytest.raises(BnmlError, match=message):
        bnml.learn(bnml.example(), search="k2", order=order)


def test_wrong_arguments():
    data = bnml.example()
    back = Constraints(required=[("dysp", "asia")])
    two = Constraints(required=[("asia", "tub"), ("smoke", "tub")])
    ring = Constraints(required_links=[("asia", "tub"), ("tub", "smoke"), ("smoke", "asia")])
    for arguments, message in (
        ({"orders": 0}, "orders=0"),
        ({"orders": True}, "orders=True"),
        ({"orders": 2.5}, "orders=2.5"),
        ({"seed": -1}, "seed=-1"),
        ({"order": ORDER, "constraints": back}, "dysp -> asia must be there, but 'asia' comes before 'dysp'"),
        ({"order": ORDER, "constraints": two, "max_parents": 1}, "2 parents of 'tub' are required, but max_parents=1"),
        ({"constraints": two, "max_parents": 1}, "but max_parents=1 allows fewer"),
        ({"constraints": ring, "max_parents": 1}, "'asia', 'smoke', 'tub' with max_parents=1: .*"),
        ({"constraints": ring, "max_parents": 0}, "max_parents=0"),
        ({"max_parents": 1.5}, "max_parents=1.5"),
        ({"threads": 0}, "threads=0"),
    ):
        with pytest.raises(BnmlError, match=message):
            k2(data, **arguments)


# --- time ---


def test_a_time_limit_gives_what_there_is():
    data = bnml.example()
    known = Constraints(required=[("asia", "dysp")])
    result = k2(data, time_limit=1e-9, constraints=known)
    assert result.info["orders"] == 1
    assert result.info["complete"] is False
    assert result.dag.arcs == (("asia", "dysp"),)
    assert result.score == pytest.approx(bnml.score(result.dag, data, "k2"))
    assert k2(data, time_limit=1e6).info["complete"] is True


def test_progress():
    seen = []
    k2(bnml.example(), orders=3, progress=lambda stage, share: seen.append((stage, share)))
    assert [share for _, share in seen] == sorted(share for _, share in seen)
    assert seen[-1][1] == 1.0
    assert any(stage == "order 2 of 3" for stage, _ in seen)


def test_one_variable():
    result = k2(np.array([[0], [1], [1]]))
    assert result.dag.arcs == ()
    assert result.info["trace"] == []
