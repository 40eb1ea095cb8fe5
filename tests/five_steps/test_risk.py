"""What the target depends on: shares, intervals and what-if figures, against their definitions."""

from __future__ import annotations

from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import bnml
from bnml.errors import ArgumentError
from bnml.five_steps.risk import jeffreys_interval, outcomes_of
from bnml.graph.possible_paths import open_first_links


@pytest.fixture(scope="module")
def clinic():
    return bnml.study(bnml.example(), "lung", repetitions=0, folds=0)


def frame_of(data: bnml.Data) -> pd.DataFrame:
    columns = {
        name: np.array(own)[codes] for name, own, codes in zip(data.names, data.states, data.codes.T, strict=True)
    }
    return pd.DataFrame(columns).loc[np.repeat(np.arange(data.n_distinct), data.weights)]


def test_shares_are_those_of_the_rows(clinic):
    rows, risk = frame_of(clinic.data), clinic.risk
    assert risk.outcomes.texts == ("yes",)
    assert risk.overall.shares == pytest.approx([(rows["lung"] == "yes").mean()])
    assert [given.variables for given in risk.direct] == [("either",), ("smoke",)]
    for given_ in (*risk.direct, risk.pair):
        labels = [clinic.data.states[clinic.data.index(name)] for name in given_.variables]
        assert [rate.given for rate in given_.rates] == list(product(*labels))
        for rate in given_.rates:
            chosen = rows[(rows[list(given_.variables)] == list(rate.given)).all(axis=1)]
            assert rate.rows == len(chosen)
            assert rate.shares == pytest.approx([(chosen["lung"] == "yes").mean()], nan_ok=True)
            evidence = dict(zip(given_.variables, rate.given, strict=True))
            assert rate.network == pytest.approx([clinic.learned.network.query("lung", evidence)["yes"]])


def test_the_strongest_comes_first(clinic):
    strengths = [given_.strength for given_ in clinic.risk.direct]
    assert strengths == sorted(strengths, reverse=True)
    assert {x for given_ in clinic.risk.direct for x in given_.variables} == {
        x for arc in clinic.learned.dag.arcs if "lung" in arc for x in arc if x != "lung"
    }


@settings(deadline=None)
@given(st.integers(0, 400), st.integers(0, 400))
def test_intervals_are_quantiles_of_the_posterior(hits, misses):
    low, high = map(float, jeffreys_interval(hits, hits + misses))
    posterior = stats.beta(hits + 0.5, misses + 0.5)
    assert low == (0.0 if hits == 0 else pytest.approx(posterior.ppf(0.025), rel=1e-6))
    assert high == (1.0 if misses == 0 else pytest.approx(posterior.ppf(0.975), rel=1e-6))
    if hits + misses:
        assert low <= hits / (hits + misses) <= high


def test_an_event_of_several_values():
    rng = np.random.default_rng(0)
    grade, dose = rng.integers(0, 4, 200), rng.integers(0, 2, 200)
    data = bnml.read(pd.DataFrame({"grade": np.minimum(grade + dose, 4), "dose": dose}))
    each, some = outcomes_of(data, "grade"), outcomes_of(data, "grade", ["3", 4])
    assert (each.texts, each.event) == (("0", "1", "2", "3", "4"), ())
    assert (some.texts, some.event) == (("3 or 4",), (3, 4))
    found = bnml.study(data, "grade", event=[3, 4], repetitions=0, folds=2)
    rows = frame_of(data)
    assert found.risk.overall.shares == pytest.approx([rows["grade"].isin([3, 4]).mean()])
    assert found.validation.outcomes == ("not 3 or 4", "3 or 4")
    whole = bnml.study(data, "grade", repetitions=0, folds=2).risk.direct[0]
    for rate in whole.rates:
        assert sum(rate.shares) == pytest.approx(1.0)
        assert sum(rate.network) == pytest.approx(1.0)


def test_the_rarer_of_two_values_is_the_risk():
    for values, rarer in ((["a"] * 3 + ["b"] * 5, "a"), (["a"] * 5 + ["b"] * 3, "b"), (["a"] * 4 + ["b"] * 4, "b")):
        assert outcomes_of(bnml.read(pd.DataFrame({"x": values})), "x").event == (rarer,)


@pytest.mark.parametrize("event", ["maybe", ["yes", "no"], [], ["yes", "maybe"], 3])
def test_wrong_events(event):
    with pytest.raises(ArgumentError, match="event="):
        bnml.study(bnml.example(), "lung", event=event)


def test_an_event_needs_a_target():
    with pytest.raises(ArgumentError, match="target"):
        bnml.study(bnml.example(), event="yes")


def test_no_target_no_risk():
    found = bnml.study(bnml.example().select(["smoke", "lung"]), repetitions=0)
    assert found.risk is None
    assert found.validation is None
    assert found.to_dict()["risk"] is None
    assert "validation" not in dict(found.left_out)


def test_a_target_without_links():
    rng = np.random.default_rng(1)
    found = bnml.study(pd.DataFrame(rng.integers(0, 2, (300, 3)).astype(str), columns=list("ABC")), "A", repetitions=0)
    assert found.risk.direct == ()
    assert found.risk.pair is None
    assert found.risk.what_if == ()


def test_plain_values(clinic):
    plain = clinic.risk.to_dict()
    assert plain["event"] == ["yes"]
    assert plain["direct"][0]["variables"] == ["either"]
    assert plain["direct"][0]["rates"][0].keys() == {"given", "rows", "shares", "low", "high", "network"}
    assert [one["variable"] for one in plain["what_if"]][:2] == ["either", "smoke"]


# --- what if ---


def by_truncated_factorisation(network: bnml.BayesianNetwork, x: str, value: str, target: str) -> dict[str, float]:
    """P(target | do(x = value)): the product of all tables but that of x, over all configurations with that value."""
    names, found = network.names, dict.fromkeys(network.states[target], 0.0)
    for labels in product(*(network.states[name] for name in names)):
        row = dict(zip(names, labels, strict=True))
        if row[x] != value:
            continue
        p = 1.0
        for name in names:
            if name != x:
                place = tuple(network.code(y, row[y]) for y in (*network.dag.parents(name), name))
                p *= network.probabilities(name)[place]
        found[row[target]] += p
    return found


def members_of(graph: bnml.PDAG) -> list[bnml.DAG]:
    """Return the DAGs of a class, by trying all directions."""
    free = graph.undirected
    found = []
    for turned in product([False, True], repeat=len(free)):
        arcs = [(b, a) if turn else (a, b) for (a, b), turn in zip(free, turned, strict=True)]
        try:
            dag = bnml.DAG(graph.names, [*graph.directed, *arcs])
        except bnml.BnmlError:
            continue
        if dag.cpdag() == graph:
            found.append(dag)
    return found


@pytest.mark.parametrize("seed", range(12))
def test_where_it_is_settled_all_members_of_the_class_give_the_same_answer(seed):
    """And where it is not, some differ, but for paths that only look possible."""
    rng = np.random.default_rng(seed)
    names = [f"X{i}" for i in range(5)]
    arcs = [(names[i], names[j]) for i in range(5) for j in range(i + 1, 5) if rng.random() < 0.45]
    truth = bnml.DAG(names, arcs)
    codes = np.zeros((3000, 5), int)
    for j in range(5):
        above = [names.index(p) for p in truth.parents(names[j])]
        chances = rng.random(2 ** len(above))
        codes[:, j] = rng.random(3000) < chances[codes[:, above] @ (2 ** np.arange(len(above)))]
    data = bnml.read(codes.astype(str))
    graph = truth.cpdag()
    networks = [bnml.fit(dag, data, "mle") for dag in members_of(graph)]
    for x, target in product(names, names):
        if x == target:
            continue
        answers = [network.query(target, do={x: "1"})["1"] for network in networks]
        if not open_first_links(graph, x, target):
            assert max(answers) - min(answers) < 1e-9


def test_open_directions_are_named(clinic):
    reasons = {one.variable: one.reason for one in clinic.risk.what_if}
    assert "lung" in reasons["smoke"]
    assert "is open" in reasons["smoke"]


def test_known_directions_give_answers():
    """With an order in time smoking comes first, and to set it is to see it."""
    order = bnml.Constraints(tiers=[["asia", "smoke"], ["tub", "lung", "bronc"], ["either"], ["xray", "dysp"]])
    found = bnml.study(bnml.example(), "dysp", constraints=order, repetitions=0, folds=0)
    told = {one.variable: one for one in found.risk.what_if}
    smoke, bronc = told["smoke"], told["bronc"]
    assert smoke.reason == bronc.reason == ""
    assert smoke.acts
    assert smoke.done == pytest.approx(np.array(smoke.seen))
    naive = by_truncated_factorisation(found.learned.network, "bronc", "yes", "dysp")["yes"]
    assert bronc.done[1] == pytest.approx([naive])
    assert (np.array(bronc.low) <= bronc.done).all()
    assert (np.array(bronc.high) >= bronc.done).all()
    assert bronc.done != pytest.approx(np.array(bronc.seen), abs=1e-4)
    child = bnml.study(bnml.example(), "bronc", constraints=order, repetitions=0, folds=0)
    dysp = next(one for one in child.risk.what_if if one.variable == "dysp")
    assert (dysp.reason, dysp.acts) == ("", False)
    assert dysp.done[0] == pytest.approx(dysp.done[1])


def test_directions_given_by_hand_hold_for_other_scores_as_well():
    """A chain that all scores find: once its directions are given, all of them say the same of what is set."""
    rng = np.random.default_rng(0)
    a = rng.integers(0, 2, 2000)
    b = np.where(rng.random(2000) < 0.1, 1 - a, a)
    c = np.where(rng.random(2000) < 0.15, 1 - b, b)
    e = np.where(rng.random(2000) < 0.2, 1 - c, c)
    frame = pd.DataFrame({"a": a, "b": b, "c": c, "e": e}).astype(str)
    found = bnml.study(frame, "c", event="1", repetitions=0, folds=0)
    assert {frozenset(map(frozenset, graph.undirected)) for _, graph in found.other_scores} == {
        frozenset({frozenset("ab"), frozenset("bc"), frozenset("ce")})
    }
    told = {one.variable: one for one in found.resolve(directed=[("e", "c")]).risk.what_if}["e"]
    assert told.acts
    assert np.ptp([told.low, told.high], axis=0).max() < 1e-9
    assert told.done == pytest.approx(np.array(told.low))
