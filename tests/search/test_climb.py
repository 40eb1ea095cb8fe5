"""Hill climbing, tabu and order search: where they end, what they keep, what they refuse."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bnml
from bnml import DAG, Constraints, priors
from bnml.errors import BnmlError
from bnml.scores import FamilyScores
from bnml.search import exact, hill_climb, order, tabu
from bnml.search.moves import Structure
from bnml.search.problem import Problem
from tests.search.strategies import constraints, is_possible, tables
from tests.search.test_moves import moves

pytestmark = pytest.mark.usefixtures("uniform_prior")

SEARCHES = {"climb": hill_climb, "tabu": tabu, "order": order}
FEW = settings(max_examples=15, deadline=None)

each_search = pytest.mark.parametrize("search", SEARCHES.values(), ids=SEARCHES)


def chain(columns=12, rows=400, seed=0):
    rng = np.random.default_rng(seed)
    table = rng.integers(0, 3, (rows, columns))
    for i in range(1, columns):
        table[:, i] = np.where(rng.random(rows) < 0.7, (table[:, i - 1] + table[:, i // 2]) % 3, table[:, i])
    return bnml.read(table)


@each_search
@FEW
@given(data=tables(columns=5, rows=50), label=st.sampled_from(["bic", "qnml", "fnml", "bdeu", "k2"]), drawn=st.data())
def test_no_change_of_one_arc_is_an_improvement(search, data, label, drawn):
    known = drawn.draw(constraints(data.names))
    most = drawn.draw(st.none() | st.integers(1, 4))

    def allowed(dag):
        return known.allows(dag) and (most is None or max(map(len, dag.parent_sets)) <= most)

    if not is_possible(data, known, most):
        with pytest.raises(BnmlError):
            search(data, label, constraints=known, max_parents=most)
        return
    result = search(data, label, constraints=known, max_parents=most)
    assert allowed(result.dag)
    assert result.info["local_optimum"]
    assert result.score == pytest.approx(bnml.score(result.dag, data, label), abs=1e-8)
    for _, _, _, arcs in moves(Structure(Problem.of(result.local), result.dag)):
        try:
            dag = DAG(data.names, arcs)
        except BnmlError:
            continue
        if allowed(dag):
            assert bnml.score(dag, data, label) <= result.score + 1e-7


@each_search
@FEW
@given(data=tables(columns=5, rows=50), label=st.sampled_from(["bic", "qnml", "bdeu", "fnml"]))
def test_never_above_the_optimum_and_the_same_in_any_order_of_columns(search, data, label):
    result = search(data, label)
    assert result.score <= exact(data, label).score + 1e-7
    assert not result.optimal
    turned = search(data.select(data.names[::-1]), label)
    assert turned.score == pytest.approx(result.score, abs=1e-7)


@FEW
@given(data=tables(columns=5, rows=50), label=st.sampled_from(["bic", "qnml", "bdeu", "fnml", "aic"]))
def test_order_search_finds_the_optimum_of_few_variables(data, label):
    assert order(data, label).score == pytest.approx(exact(data, label).score, abs=1e-7)


@each_search
def test_same_seed_same_result_on_any_number_of_threads(search):
    data = chain()
    first = search(data, "bic", seed=3, restarts=3, threads=1)
    data.memo.clear()
    assert search(data, "bic", seed=3, restarts=3, threads=2).dag == first.dag
    assert first.info["restarts"] == 3
    assert first.info["moves"] > 0
    assert first.info["families"] > 0


def test_more_effort_is_never_worse():
    data = chain(14)
    plain = hill_climb(data, "bic", reinsert=False)
    further = hill_climb(data, "bic", reinsert=True)
    assert further.score >= plain.score == hill_climb(data, "bic").score
    assert hill_climb(data, "bic", reinsert=True, restarts=5).score >= further.score
    assert tabu(data, "bic", reinsert=False, patience=40).score >= plain.score
    assert order(data, "bic").score >= further.score


def test_order_search_sees_what_tells_only_together():
    """Parents whose parity decides: one at a time they tell nothing, and growing misses them."""
    rng = np.random.default_rng(3)
    bits_ = rng.integers(0, 2, (400, 12))
    parity = (bits_[:, :4].sum(axis=1) + (rng.random(400) < 0.02)) % 2
    data = bnml.read(np.column_stack([bits_, parity]))
    best = exact(data, "bic")
    assert best.score > hill_climb(data, "bic").score + 50.0
    assert order(data, "bic").score == pytest.approx(best.score, abs=1e-6)


def test_reinsertion_turns_what_single_arcs_cannot():
    """Noisy copies of a sum of two others: climbing by single arcs ends lower on some of these tables."""
    helped = 0
    for seed in range(8):
        data = chain(10, 600, seed)
        single, further = (hill_climb(data, "bic", reinsert=choice) for choice in (False, True))
        assert further.score >= single.score - 1e-9
        helped += further.score > single.score + 1e-6
    assert helped > 0


@each_search
def test_start(search):
    data = bnml.example()
    best = exact(data, "bic").dag
    assert search(data, "bic", start=best).score == pytest.approx(bnml.score(best, data, "bic"))


@each_search
def test_time_limit(search):
    result = search(chain(20, 3000), "bic", time_limit=1e-9, restarts=50)
    assert result.dag is not None
    assert result.info["restarts"] < 50
    assert not result.info["local_optimum"]


@each_search
def test_progress(search):
    told = []
    search(bnml.example(), "bic", progress=lambda stage, share: told.append((stage, share)))
    shares = [share for _, share in told]
    assert shares == sorted(shares)
    assert shares[-1] == 1.0
    assert all(stage.startswith(("score -", "candidate families")) for stage, _ in told)


@each_search
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"restarts": -1}, "restarts=-1"),
        ({"restarts": 1.5}, "restarts=1.5"),
        ({"max_parents": True}, "max_parents=True"),
        ({"threads": 0}, "threads=0"),
        ({"start": "[A]"}, "start"),
        ({"seed": -1}, "seed=-1"),
        ({"constraints": [("asia", "tub")]}, "constraints"),
        ({"time_limit": 0}, "time_limit=0"),
        ({"progress": 3}, "progress=3"),
        ({"constraints": Constraints(required=[("nobody", "asia")])}, "nobody"),
        ({"constraints": Constraints(required=[("asia", "dysp"), ("lung", "dysp")]), "max_parents": 1}, "dysp"),
    ],
)
def test_wrong_arguments(search, arguments, message):
    with pytest.raises(BnmlError, match=message):
        search(bnml.example(), "bic", **arguments)


@each_search
def test_local_scores_without_a_table(search):
    result = search(FamilyScores(["A", "B"], [[0, 2], [0]], [[-3.0, -1.0], [-1.0]]))
    assert (result.dag, result.score) == (DAG(["A", "B"], [("B", "A")]), -2.0)
    with pytest.raises(BnmlError, match="impossible by the local scores"):
        search(FamilyScores(["A", "B"], [[2], [0]], [[-1.0], [-1.0]]))


@each_search
def test_a_prior_that_requires_and_rules_out_arcs(search):
    prior = priors.ArcProbabilities(0.5, {("asia", "xray"): 1.0, ("either", "xray"): 0.0})
    result = search(bnml.example(), "bic", prior=prior)
    assert ("asia", "xray") in result.dag.arcs
    assert ("either", "xray") not in result.dag.arcs
    assert np.isfinite(result.score)
    known = Constraints(required=[("either", "xray")])
    with pytest.raises(BnmlError, match="'xray'"):
        search(bnml.example(), "bic", prior=prior, constraints=known)


@each_search
def test_required_links_with_few_parents(search):
    names = ["asia", "tub", "smoke", "lung"]
    known = Constraints(required_links=[(name, "lung") for name in names[:3]])
    result = search(bnml.example().select(names), "bic", constraints=known, max_parents=1)
    assert known.allows(result.dag)
    triangle = Constraints(required_links=[("asia", "tub"), ("tub", "smoke"), ("asia", "smoke")])
    with pytest.raises(BnmlError, match="no structure meets"):
        search(bnml.example(), "bic", constraints=triangle, max_parents=1)


@each_search
@pytest.mark.parametrize("label", ["bic", "qnml", "bdeu"])
def test_the_order_of_columns_does_not_matter(search, label):
    data = chain(14, 2000, seed=2)
    restarts = {"restarts": 2} if search is not hill_climb else {"reinsert": True}
    assert search(data, label, **restarts).dag == search(data.select(data.names[::-1]), label, **restarts).dag


def test_a_tenure_longer_than_any_search():
    result = bnml.learn(bnml.example(), search="tabu", tenure=2**70)
    assert result.dag == bnml.learn(bnml.example(), search="tabu", tenure=10**6).dag


@pytest.mark.parametrize("arguments", [{"tenure": -1}, {"patience": "x"}, {"perturbation": -2}])
def test_wrong_arguments_of_tabu(arguments):
    with pytest.raises(BnmlError, match=next(iter(arguments))):
        tabu(bnml.example(), "bic", **arguments)


def test_arcs_that_stay_for_ever():
    """A number of moves is any whole number."""
    data = bnml.example()
    assert tabu(data, "bic", tenure=2**70).dag == tabu(data, "bic", tenure=10**6).dag


def test_auto_beyond_exact_reach():
    rng = np.random.default_rng(1)
    data = bnml.read(rng.integers(0, 2, (100, 36)))
    result = bnml.learn(data, "bic")
    assert (result.search, result.optimal) == ("exact", True)  # all families that matter are listed
    wide = bnml.read(rng.integers(0, 2, (300, 400)))
    result = bnml.learn(wide, "bic", time_limit=1.0)
    assert result.search == "order"
    assert "exact search" in result.info["reason"]
    assert not result.optimal
