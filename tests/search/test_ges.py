"""Greedy equivalence search: its steps against all networks one by one, where it ends, what it refuses."""

from __future__ import annotations

import math
import os
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bnml
from bnml import DAG, Constraints, LocalScores, priors
from bnml.errors import ArgumentError, BnmlError, ScoreError, SearchError
from bnml.graph import Rules, canonical_extension
from bnml.scores import BDe, FamilyScores
from bnml.search import ges
from bnml.search.ges import gains as operators
from bnml.search.ges.gains import Deletes, Gains, Inserts, Turns
from bnml.search.ges.steps import DELETE, INSERT, TURN, ClassGraph, step_taken
from bnml.search.problem import Problem
from tests.scores.strategies import prior_network
from tests.search.strategies import structures, tables

pytestmark = pytest.mark.usefixtures("uniform_prior")

SOME = settings(max_examples=25, deadline=None)
EQUIVALENT = ["loglik", "aic", "bic", "hqc", "mdl+parents", "bdeu", "bdeu:10", "bdq", "qnml"]


def random_table(n, seed=0, n_rows=60):
    """Return columns that depend on each other somehow."""
    rng = np.random.default_rng(seed)
    columns = [rng.integers(0, 2, n_rows)]
    for _ in range(n - 1):
        other = columns[rng.integers(len(columns))] ^ columns[rng.integers(len(columns))]
        columns.append(np.where(rng.random(n_rows) < 0.6, other, rng.integers(0, 3, n_rows)))
    return bnml.read(np.stack(columns, axis=1))


def changed(dag, kind):
    """Return all networks with one arc more, one less, or one turned round."""
    pairs = [(a, b) for a in dag.names for b in dag.names if a != b]
    change = {INSERT: lambda arc: dag.with_arcs([arc]), DELETE: lambda arc: dag.without_arcs([arc]), TURN: dag.reverse}
    found = []
    for arc in pairs:
        if (arc in dag.arcs or arc[::-1] in dag.arcs) if kind == INSERT else arc not in dag.arcs:
            continue
        try:
            found.append(change[kind](arc))
        except BnmlError:  # a cycle
            continue
    return found


def members(dag):
    """Return all networks of a class."""
    cpdag = dag.cpdag()
    return [other for other in structures(dag.names) if other.cpdag() == cpdag]


def lists(gains, kinds=(INSERT, DELETE, TURN), most=None, partners=None):
    """Return the lists of steps, those included that make the score worse."""
    gains.equal = -math.inf
    n = len(gains.names)
    most = n if most is None else most
    partners = [(1 << n) - 1 & ~(1 << y) for y in range(n)] if partners is None else partners
    rules = replace(Rules.none(gains.names), most=most, may=tuple(partners))
    made = {
        INSERT: lambda: Inserts(gains, rules),
        DELETE: lambda: Deletes(gains),
        TURN: lambda: Turns(gains, rules),
    }
    return {kind: made[kind]() for kind in kinds}


def all_steps(those, graph):
    list(those.update(graph))
    return list(those.steps(-math.inf))


# --- the steps ---


@pytest.mark.parametrize("kind", [INSERT, DELETE, TURN])
@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_steps_lead_to_all_networks_one_arc_away(n, kind):
    data = random_table(n)
    local = LocalScores(data, "bdeu")
    near = {}
    for dag in structures(data.names):
        near.setdefault(dag.cpdag(), set()).update(other.cpdag() for other in changed(dag, kind))
    for cpdag, wanted in near.items():
        graph = ClassGraph.of(cpdag.to_dag())
        assert graph.pdag == cpdag
        before = bnml.score(cpdag.to_dag(), data, "bdeu")
        found = set()
        for step in all_steps(lists(Gains(Problem.of(local)), [kind])[kind], graph):
            after = step_taken(graph, step).pdag
            assert bnml.score(after.to_dag(), data, "bdeu") - before == pytest.approx(step.gain, abs=1e-8)
            found.add(after)
        assert found == wanted - {cpdag}  # an arc turned round within the class is no step


@pytest.mark.parametrize("most", [0, 1, 2])
@pytest.mark.parametrize("kind", [INSERT, TURN])
def test_steps_keep_the_number_of_parents(kind, most):
    """All members of a class have the same largest number of parents, and steps reach exactly the classes within it."""
    data = random_table(4)
    near = {}
    for dag in structures(data.names):
        if max(map(len, dag.parent_sets)) <= most:
            fitting = [other for other in changed(dag, kind) if max(map(len, other.parent_sets)) <= most]
            near.setdefault(dag.cpdag(), set()).update(other.cpdag() for other in fitting)
    for cpdag, wanted in near.items():
        graph = ClassGraph.of(cpdag.to_dag())
        steps = all_steps(lists(Gains(Problem.of(LocalScores(data, "bic"))), [kind], most)[kind], graph)
        assert {step_taken(graph, step).pdag for step in steps} == wanted - {cpdag}


@pytest.mark.parametrize("seed", range(6))
def test_what_is_kept_is_what_would_be_found_anew(seed):
    """Take steps at random: the lists that are brought up to date equal lists that are made from nothing."""
    rng = np.random.default_rng(seed)
    data = random_table(8, seed)
    local = LocalScores(data, "qnml")
    kept = lists(Gains(Problem.of(local)))
    graph = ClassGraph.of(DAG(data.names))
    for _ in range(40):
        found = {kind: all_steps(those, graph) for kind, those in kept.items()}
        for kind, those in lists(Gains(Problem.of(local))).items():
            assert sorted(found[kind]) == sorted(all_steps(those, graph))
        full = len(found[DELETE]) > 60
        steps = found[rng.choice([kind for kind in found if found[kind] and not (full and kind == INSERT)])]
        step = steps[rng.integers(len(steps))]
        after = step_taken(graph, step)
        difference = bnml.score(after.pdag.to_dag(), data) - bnml.score(graph.pdag.to_dag(), data)
        assert difference == pytest.approx(step.gain, abs=1e-8)
        graph = after


# --- where it ends ---


def improvements(dag, data, score, kinds, allowed=lambda _: True, prior=None):
    """Return by how much any network one arc away from any member of the class is better."""
    before = bnml.score(dag, data, score, prior)
    near = {other for member in members(dag) for kind in kinds for other in changed(member, kind) if allowed(other)}
    return [gain for other in near if (gain := bnml.score(other, data, score, prior) - before) > 1e-7]


@SOME
@given(data=tables(columns=4), label=st.sampled_from(EQUIVALENT), turning=st.booleans())
def test_nothing_near_is_better(data, label, turning):
    result = ges(data, label, turning=turning)
    assert result.info["local_optimum"] is turning  # without turning, an arc turned round may be better
    assert not improvements(result.dag, data, label, [INSERT, DELETE, TURN][: 2 + turning])
    assert result.dag == canonical_extension(result.dag.cpdag())
    assert result.score == pytest.approx(bnml.score(result.dag, data, label), abs=1e-9)
    assert result.optimal is False
    assert result.search == "ges"
    assert result.data is data
    assert turning or result.info["turns"] == 0


@SOME
@given(data=tables(columns=4), label=st.sampled_from(EQUIVALENT), most=st.integers(0, 3), drawn=st.data())
def test_what_it_keeps(data, label, most, drawn):
    pairs = [(a, b) for a in data.names for b in data.names if a < b]
    known = Constraints(forbidden_links=drawn.draw(st.lists(st.sampled_from(pairs))) if pairs else ())

    def allowed(dag):
        return known.allows(dag) and max(map(len, dag.parent_sets)) <= most

    start = drawn.draw(st.none() | st.sampled_from([dag for dag in structures(data.names) if allowed(dag)]))
    result = ges(data, label, start=start, constraints=known, max_parents=most)
    assert allowed(result.dag)
    assert not improvements(result.dag, data, label, [INSERT, DELETE, TURN], allowed)
    assert result.constraints == known
    assert result.info["max_parents"] == most
    if start is not None:
        assert result.score >= bnml.score(start, data, label) - 1e-7


TRUTH = DAG.parse("[smoke][tub][bronc|smoke][either|smoke:tub][dysp|either:bronc]")


def rows_of_the_truth(seed, n_rows):
    """Return rows of a network with colliders and a link that no data direct, with probabilities at random."""
    rng = np.random.default_rng(seed)
    columns = {}
    for x in TRUTH.topological_order():
        above = sum((3**k * columns[p] for k, p in enumerate(TRUTH.parents(x))), np.zeros(n_rows, int))
        chances = rng.dirichlet([1.0] * 3, 3 ** len(TRUTH.parents(x))).cumsum(axis=1)
        columns[x] = (rng.random((n_rows, 1)) > chances[above]).sum(axis=1).clip(0, 2)
    return bnml.read(pd.DataFrame(columns)[["dysp", "smoke", "either", "tub", "bronc"]])


@pytest.mark.parametrize("seed", [0, 5, 9])
@pytest.mark.parametrize("turning", [True, False])
@pytest.mark.parametrize("label", ["bic", "bdeu", "qnml"])
def test_it_finds_the_network_that_made_the_rows(label, turning, seed):
    data = rows_of_the_truth(seed, 50_000)
    result = ges(data, label, turning=turning)
    assert result.cpdag == TRUTH.cpdag()
    assert result.score == pytest.approx(bnml.learn(data, label, "exact").score, abs=1e-6)
    complete = DAG(TRUTH.names, [(a, b) for a in TRUTH.names for b in TRUTH.names if a < b])
    from_above = ges(data, label, start=complete, turning=turning)
    assert from_above.cpdag == TRUTH.cpdag()
    assert from_above.info["deletes"] >= 5


def test_forbidden_both_ways_is_a_forbidden_link():
    data = rows_of_the_truth(0, 2000)
    known = Constraints(forbidden=[("smoke", "either"), ("either", "smoke")], tiers=[data.names])
    result = ges(data, constraints=known)
    assert known.allows(result.dag)
    assert result.dag == ges(data, constraints=Constraints(forbidden_links=[("either", "smoke")])).dag


@pytest.mark.parametrize(
    "prior",
    [
        priors.Uniform(),
        priors.ArcProbabilities(0.1),
        priors.ArcProbabilities(0.3, {("X0", "X1"): 0.01, ("X1", "X0"): 0.01, ("X1", "X2"): 0.9, ("X2", "X1"): 0.9}),
        priors.ArcProbabilities(0.5, {("X0", "X1"): 0.0, ("X1", "X0"): 0.0}),
        priors.Distance(DAG(["X0", "X1", "X2", "X3"]), 0.2),
    ],
)
def test_priors_that_equivalent_networks_share(prior):
    data = random_table(4, seed=5)
    result = ges(data, "bdeu", prior=prior)
    assert result.info["local_optimum"]
    assert not improvements(result.dag, data, "bdeu", [INSERT, DELETE, TURN], prior=prior)
    assert result.score == pytest.approx(bnml.score(result.dag, data, "bdeu", prior), abs=1e-9)


def test_a_score_without_tables():
    data = random_table(4, seed=1)
    network, _ = prior_network(data.arities)
    result = ges(data, BDe(network, 5.0))
    assert not improvements(result.dag, data, BDe(network, 5.0), [INSERT, DELETE, TURN])


def test_more_sets_than_are_tried(monkeypatch):
    data = random_table(6, seed=2, n_rows=30)
    assert ges(data, "loglik").info["local_optimum"]
    monkeypatch.setattr(operators, "MOST_SETS", 2)
    result = ges(data, "loglik")
    assert result.info["local_optimum"] is False
    assert result.info["inserts"] >= 5


def test_small_tables():
    assert ges(np.array([[0], [1], [1]])).dag.arcs == ()
    assert ges(np.array([[0, 1], [1, 0]])).info["local_optimum"]


# --- the same every time ---


@SOME
@given(data=tables(columns=5), label=st.sampled_from(["bic", "bdeu", "qnml"]), drawn=st.data())
def test_order_of_columns_and_threads_change_nothing(data, label, drawn):
    result = ges(data, label)
    for _ in range(3):
        other = data.select(drawn.draw(st.permutations(data.names)))
        assert ges(other, label, threads=drawn.draw(st.sampled_from([1, 2, None]))).dag == result.dag


def test_the_hash_seed_changes_nothing():
    program = """
import bnml, numpy
rng = numpy.random.default_rng(4)
columns = rng.integers(0, 2, (100, 1))
for k in range(9):
    other = columns[:, [rng.integers(columns.shape[1])]]
    columns = numpy.hstack([columns, numpy.where(rng.random((100, 1)) < 0.7, other, rng.integers(0, 3, (100, 1)))])
result = bnml.learn(bnml.read(columns), "bdeu", "ges")
print(result.dag, result.score.hex(), dict(result.info))
"""
    outputs = {
        subprocess.run(
            [sys.executable, "-c", program],
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "PYTHONHASHSEED": seed},
        ).stdout
        for seed in ("0", "1")
    }
    assert len(outputs) == 1


# --- time and progress ---


def test_progress_grows():
    data = rows_of_the_truth(0, 2000)
    seen = []
    result = ges(data, progress=lambda stage, fraction: seen.append((stage, fraction)))
    fractions = [fraction for _, fraction in seen]
    assert fractions == sorted(fractions)
    assert fractions[-1] == 1.0
    assert all(0.0 <= fraction <= 1.0 for fraction in fractions)
    assert len(set(fractions)) > 5
    assert seen[-1][0] == f"done, score {result.score:,.1f}"
    assert any(stage.startswith("forward, score -") for stage, _ in seen)
    scores = [float(stage.rpartition(" ")[2].replace(",", "")) for stage, _ in seen]
    assert scores == sorted(scores)


def test_a_time_limit_gives_the_best_so_far():
    data = random_table(8, seed=3, n_rows=400)
    whole = ges(data)
    none = ges(data, time_limit=1e-9)
    assert none.dag.arcs == ()
    assert none.info["local_optimum"] is False
    start = DAG(data.names, [("X0", "X1")])
    assert ges(data, start=start, time_limit=1e-9).dag.is_equivalent(start)
    assert none.score <= whole.score
    assert whole.info["local_optimum"] is True
    assert ges(data, time_limit=1000.0).dag == whole.dag


# --- what is refused ---


@pytest.mark.parametrize("label", ["fnml", "k2", "bd", "bdj", "bds"])
def test_scores_that_tell_equivalent_networks_apart(label):
    with pytest.raises(ScoreError, match="gives the members of a class different scores; take one that they share"):
        ges("no-such-file.csv", label)


class NotASum(priors.StructurePrior):
    """A prior of which nothing is known."""

    def family(self, names, child, parents):
        return -1.5 * (len(parents) % 2)

    def check(self, names):
        pass


@pytest.mark.parametrize(
    "prior",
    [
        priors.ArcProbabilities(0.5, {("X0", "X1"): 0.9}),
        priors.ArcProbabilities(0.5, {("X0", "X1"): 1.0, ("X1", "X0"): 1.0}),
        priors.ArcProbabilities(0.5, {("X0", "X1"): 0.0}),
        priors.Distance(DAG(["X0", "X1", "X2", "X3"], [("X0", "X1")])),
        NotASum(),
    ],
)
def test_priors_that_tell_equivalent_networks_apart(prior):
    with pytest.raises(ArgumentError, match=r"different probabilities; take one .* or another search"):
        ges(random_table(4), prior=prior)


@pytest.mark.parametrize(
    ("known", "kind"),
    [
        (Constraints(required=[("X0", "X1")]), "required"),
        (Constraints(forbidden=[("X0", "X1")]), "forbidden"),
        (Constraints(required_links=[("X0", "X1")]), "required_links"),
        (Constraints(tiers=[["X0", "X1"], ["X2"]]), "tiers"),
        (Constraints(forbidden_links=[("X0", "X1")], tiers=[["X1"], ["X2"]]), "tiers"),
    ],
)
def test_constraints_that_tell_equivalent_networks_apart(known, kind):
    with pytest.raises(SearchError, match=f"constraints: {kind}: .* only forbidden_links.* drop the others, or take"):
        ges(random_table(4), constraints=known)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"score": "bicc"}, "bic"),
        ({"max_parents": -1}, "max_parents=-1"),
        ({"max_parents": 1.5}, r"max_parents=1\.5"),
        ({"max_parents": True}, "max_parents=True"),
        ({"threads": 0}, "threads=0"),
        ({"turning": "yes"}, "turning='yes'"),
        ({"prior": "flat"}, "prior='flat'"),
        ({"prior": priors.Distance(DAG(["A"]))}, "prior graph"),
        ({"constraints": [("X0", "X1")]}, "constraints="),
        ({"constraints": Constraints(forbidden_links=[("X0", "nobody")])}, "nobody"),
        ({"start": "[A]"}, "start='\\[A\\]': expected a DAG"),
        ({"start": DAG(["X0", "X1", "X2", "B"])}, "start: it and the data must have the same variables.*'B', 'X3'"),
        ({"start": DAG.parse("[X0][X1|X0][X2|X0:X1][X3]"), "max_parents": 1}, "start: a variable has 2 parents"),
        (
            {
                "start": DAG.parse("[X0][X1|X0][X2][X3]"),
                "constraints": Constraints(forbidden_links=[("X0", "X1")]),
            },
            "start: X0 -> X1 is there, but the link X0 - X1 is forbidden",
        ),
    ],
)
def test_wrong_arguments(arguments, message):
    with pytest.raises(BnmlError, match=message):
        ges(random_table(4), **arguments)


def test_local_scores_without_a_table():
    table = FamilyScores(["A", "B"], [[0, 2], [0, 1]], [[-1.0, -2.0], [-1.0, -0.5]])
    with pytest.raises(ArgumentError, match="search='ges' needs a table"):
        ges(table)


def test_a_start_that_cannot_be():
    data = random_table(4)
    prior = priors.ArcProbabilities(0.5, {("X0", "X1"): 0.0, ("X1", "X0"): 0.0})
    with pytest.raises(SearchError, match="minus infinity"):
        ges(data, prior=prior, start=DAG(data.names, [("X0", "X1")]))


def test_through_the_door():
    data = random_table(5)
    start = DAG(data.names, [("X0", "X1")])
    result = bnml.learn(data, "bic", "ges", start=start, turning=False)
    assert result == ges(data, "bic", start=start, turning=False)
    assert result.info["reason"] == "as asked"
