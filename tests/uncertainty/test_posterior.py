"""`bnml.posterior` against every DAG with its naive score; what it may depend on, and what it refuses."""

from __future__ import annotations

import itertools
import math
import sys

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings

import bnml
from bnml.errors import ArgumentError, BnmlError, ScoreError
from bnml.graph import Constraints
from bnml.report.phrases import describe_prior
from bnml.scores import SCORES, BDe, LocalScores
from bnml.scores.priors import ArcProbabilities, Distance, StructurePrior
from bnml.uncertainty import posterior_cost
from bnml.uncertainty.posterior_cost import posterior_prior_for
from tests.counts.strategies import data_of, random_table
from tests.scores.strategies import prior_of, score_and_twin
from tests.uncertainty import naive
from tests.uncertainty.strategies import awkward_tables, dependent_table

pytestmark = pytest.mark.usefixtures("uniform_prior")

FEW = settings(max_examples=12, deadline=None)
LABELS = ("bdeu", "bdeu:7.5", "bds", "k2", "bd:0.3", "bdj", "bdq", "bdq:1/3", "fnml", "qnml", "bde", "bde:5")
PRIORS = ("uniform", "order")


def free(child, parents):
    return 0.0


def check(found, n, weight, prior, before=free, tolerance=1e-9):
    """Compare with the sums over all DAGs."""
    assert found.prior == prior
    want = np.array(naive.arc_probabilities(n, weight, prior))
    assert found.arc_probabilities.to_numpy() == pytest.approx(want, abs=tolerance)
    evidence = naive.log_evidence(n, weight, before, prior)
    assert found.log_evidence == pytest.approx(evidence, abs=tolerance, rel=1e-12)


# --- the definition ---


@pytest.mark.parametrize("prior", PRIORS)
@pytest.mark.parametrize("label", LABELS)
@FEW
@given(table=awkward_tables())
def test_it_is_a_sum_over_all_dags(label, prior, table):
    score, twin = score_and_twin(label, table)
    found = bnml.posterior(data_of(table), score, prior=prior, threads=1)
    check(found, len(table.arities), lambda i, p: twin(table, i, p), prior)


@pytest.mark.parametrize("prior", PRIORS)
@pytest.mark.parametrize("label", LABELS)
def test_five_variables(label, prior):
    table = random_table(3, 60, [2, 3, 2, 1, 2], 2)
    score, twin = score_and_twin(label, table)
    found = bnml.posterior(data_of(table), score, prior=prior)
    check(found, 5, lambda i, p: twin(table, i, p), prior)


@pytest.mark.parametrize("prior", PRIORS)
@pytest.mark.parametrize("label", ["bdeu", "bdj", "bds", "bdq", "fnml", "qnml"])
@pytest.mark.parametrize("noise", [0.0, 0.01, 0.3])
def test_strong_dependence(label, prior, noise):
    """With 5000 rows the weights of structures differ by thousands of nats."""
    table = dependent_table(1, 5000, [3, 3, 2, 3], noise)
    local = LocalScores(data_of(table), label)
    weight = {(i, p): local.family(i, p) for i in range(4) for p in naive.parent_sets(4, i)}
    structures = naive.log_weights(4, lambda i, p: weight[i, p], prior).values()
    assert max(structures) - min(structures) > 2000
    found = bnml.posterior(data_of(table), label, prior=prior)
    check(found, 4, lambda i, p: weight[i, p], prior)


@pytest.mark.parametrize("prior", PRIORS)
def test_copies_of_a_column(prior):
    """Nothing tells copies apart."""
    x = np.random.default_rng(0).integers(0, 2, 1000)
    found = bnml.posterior(np.stack([x, x, x, x], axis=1), "bdeu", prior=prior)
    arcs = found.arc_probabilities.to_numpy()
    assert arcs[~np.eye(4, dtype=bool)] == pytest.approx(arcs[0, 1], abs=1e-12)


def test_many_variables_agree_with_few():
    """A variable that must be alone changes nothing but the number of its places in an order."""
    table = random_table(0, 200, [2] * 7)
    rest = data_of(table).select([f"X{i}" for i in range(5)])
    alone = Constraints(forbidden_links=[(f"X{a}", f"X{b}") for a, b in itertools.combinations(range(7), 2) if b > 4])
    for prior in PRIORS:
        many = bnml.posterior(data_of(table), prior=prior, constraints=alone).arc_probabilities
        few = bnml.posterior(rest, prior=prior).arc_probabilities
        assert many.loc[rest.names, rest.names].to_numpy() == pytest.approx(few.to_numpy(), abs=1e-12)
        assert many[["X5", "X6"]].to_numpy().max() == 0.0


# --- what is allowed ---

KNOWN = Constraints(required=[("X0", "X2")], forbidden=[("X1", "X0")], tiers=[["X3"], ["X1"]])


@pytest.mark.parametrize("prior", PRIORS)
@pytest.mark.parametrize("max_parents", [1, 2, 3])
def test_constraints_and_most_parents(prior, max_parents):
    table = random_table(1, 50, [2, 2, 3, 2])
    _, twin = score_and_twin("k2", table)

    def before(i, p):
        allowed = len(p) <= max_parents and (i != 2 or 0 in p) and (i, 1) not in [(0, q) for q in p]
        return 0.0 if allowed and not (i == 3 and 1 in p) else -math.inf

    found = bnml.posterior(data_of(table), "k2", prior=prior, constraints=KNOWN, max_parents=max_parents)
    check(found, 4, lambda i, p: twin(table, i, p) + before(i, p), prior, before)
    assert "that the constraints allow" in found.prior_text
    assert ("at most" in found.prior_text) == (max_parents < 3)


class Sparse(StructurePrior):
    """A prior that is no sum over arcs."""

    def family(self, names, child, parents):
        return -1.5 * len(parents) ** 2

    def check(self, names):
        pass


@pytest.mark.parametrize("prior", PRIORS)
@pytest.mark.parametrize(
    "given_prior",
    [
        Sparse(),
        ArcProbabilities(0.2, {("X0", "X1"): 0.9, ("X2", "X1"): 0.0, ("X3", "X0"): 1.0}),
        Distance(bnml.DAG.parse("[X0][X1|X0][X2|X1][X3]"), 0.3),
    ],
    ids=lambda given: type(given).__name__,
)
def test_structure_priors(prior, given_prior):
    table = random_table(2, 40, [2, 3, 2, 2])
    names = [f"X{i}" for i in range(4)]
    _, twin = score_and_twin("bdeu", table)

    def before(i, p):
        return given_prior.family(names, i, p)

    found = bnml.posterior(data_of(table), prior=prior, structure_prior=given_prior)
    check(found, 4, lambda i, p: twin(table, i, p) + before(i, p), prior, before)
    assert describe_prior(given_prior, found.names) in found.prior_text


def test_a_single_variable():
    found = bnml.posterior(np.array([[0], [1], [1]]), "k2")
    assert found.arc_probabilities.shape == (1, 1)
    assert found.log_evidence == pytest.approx(bnml.score(bnml.DAG(["X0"]), np.array([[0], [1], [1]]), "k2"))


# --- what it does not depend on ---


@pytest.mark.parametrize("prior", PRIORS)
@pytest.mark.parametrize("label", ["bdeu", "k2", "fnml", "qnml"])
def test_the_order_of_columns(prior, label):
    data = data_of(dependent_table(4, 300, [2, 3, 2, 2, 3, 2]))
    first = bnml.posterior(data, label, prior=prior)
    other = bnml.posterior(data.select([f"X{i}" for i in (3, 0, 5, 1, 4, 2)]), label, prior=prior)
    turned = other.arc_probabilities.loc[list(first.names), list(first.names)]
    assert turned.to_numpy() == pytest.approx(first.arc_probabilities.to_numpy(), abs=1e-11)
    assert other.log_evidence == pytest.approx(first.log_evidence, rel=1e-13)


@pytest.mark.parametrize("prior", PRIORS)
def test_the_number_of_threads(prior):
    data = data_of(random_table(5, 300, [2] * 10))
    results = [bnml.posterior(data, prior=prior, threads=threads) for threads in (1, 2, 5)]
    assert len({result.arc_probabilities.to_numpy().tobytes() for result in results}) == 1
    assert len({result.log_evidence for result in results}) == 1


def test_equivalent_scores_cannot_direct_two_variables():
    x = np.random.default_rng(1).integers(0, 2, 100)
    for label in ("bdeu", "bdq", "qnml"):
        found = bnml.posterior(np.stack([x, x], axis=1), label).arc_probabilities
        assert found.loc["X0", "X1"] == pytest.approx(found.loc["X1", "X0"], abs=1e-12)


# --- which prior ---


def test_the_prior_without_being_asked():
    rows = np.random.default_rng(0).integers(0, 2, (60, 15))
    assert posterior_prior_for(14, None) == "uniform"
    assert bnml.posterior(rows[:, :8]).prior == "uniform"
    assert bnml.posterior(rows).prior == "order"


def test_few_rows_and_many_variables():
    """Fifteen variables: the scores come from elsewhere than those of fourteen, unless rows are few."""
    for n_rows in (5, 49, 50):
        data = data_of(random_table(n_rows, n_rows, [2, 3] * 7 + [2]))
        for label in ("bdq", "k2"):
            found = bnml.posterior(data, label, max_parents=1).arc_probabilities.to_numpy()
            turned = bnml.posterior(data.select(data.names[::-1]), label, max_parents=1).arc_probabilities.to_numpy()
            assert turned[::-1, ::-1] == pytest.approx(found, abs=1e-9)


# --- progress ---


@pytest.mark.parametrize("prior", PRIORS)
@pytest.mark.parametrize("label", ["bdeu", "bds", "k2"])
def test_progress(prior, label):
    told = []
    rows = np.random.default_rng(0).integers(0, 2, (60, 6))
    bnml.posterior(rows, label, prior=prior, progress=lambda stage, fraction: told.append((stage, fraction)))
    fractions = [fraction for _, fraction in told]
    assert fractions == sorted(fractions)
    assert (fractions[0], fractions[-1]) == (0.0, 1.0)
    assert list(dict.fromkeys(stage for stage, _ in told)) == [
        "family scores",
        "sums over parent sets",
        "sums over structures",
    ]


def test_an_interrupt_in_the_middle():
    def stop(stage, fraction):
        if stage == "sums over structures":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        bnml.posterior(np.random.default_rng(0).integers(0, 2, (60, 6)), progress=stop)


# --- what it refuses ---

ROWS = np.random.default_rng(0).integers(0, 2, (30, 4))


@pytest.mark.parametrize("label", ["loglik", "aic", "bic", "hqc", "mdl", "mdl+parents"])
def test_scores_that_are_no_probability(label):
    with pytest.raises(ScoreError, match="not the log-probability"):
        bnml.posterior(ROWS, label)


def test_nml_is_refused_because_it_does_not_decompose():
    with pytest.raises(ScoreError, match="does not decompose"):
        bnml.posterior(ROWS, "nml")


def test_every_score_is_admitted_or_refused():
    admitted = {score.name for score in (*SCORES.values(), BDe) if score.admits_posterior}
    assert admitted == {label.partition(":")[0] for label in LABELS}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"score": "bicc"}, "there is no score"),
        ({"score": 5}, "score=5"),
        ({"prior": "flat"}, "prior='flat': expected one of 'uniform', 'order', 'classes'"),
        ({"prior": "Uniform"}, "Did you mean 'uniform'"),
        ({"prior": 1}, "prior=1"),
        ({"prior": ArcProbabilities(0.1)}, "structure_prior="),
        ({"structure_prior": "flat"}, "expected 'sparse', 'uniform', a structure prior"),
        ({"structure_prior": ArcProbabilities(0.1, {("A", "X0"): 0.1})}, "no variable 'A'"),
        ({"max_parents": -1}, "max_parents=-1"),
        ({"max_parents": 1.5}, "max_parents=1.5"),
        ({"max_parents": True}, "max_parents=True"),
        ({"constraints": [("X0", "X1")]}, "expected bnml.Constraints"),
        ({"constraints": Constraints(required=[("A", "B")])}, "not a variable"),
        ({"constraints": Constraints(required_links=[("X0", "X1")]), "method": "exact"}, "X0 - X1"),
        ({"constraints": Constraints(required=[("X0", "X2"), ("X1", "X2")]), "max_parents": 1}, "2 parents of 'X2'"),
        ({"threads": 0}, "threads=0"),
        ({"memory_limit": "much"}, "memory_limit='much'"),
        ({"memory_limit": 100}, "raise memory_limit="),
        ({"memory_limit": 100, "method": "exact"}, "raise memory_limit="),
        ({"progress": 5}, "progress=5"),
        ({"data": "no-such-file.csv"}, "no-such-file"),
    ],
)
def test_wrong_arguments(arguments, message):
    with pytest.raises(BnmlError, match=message):
        bnml.posterior(**{"data": ROWS, **arguments})


@pytest.mark.parametrize(
    ("n", "prior", "message"),
    [
        (
            15,
            "uniform",
            "up to 14 variables, and there are 15; sample structures with method='sample', take prior='order'",
        ),
        (
            7,
            "classes",
            "up to 6 variables, and there are 7; sample structures with method='sample', take prior='uniform'",
        ),
        (23, None, "23 variables are too many: 22 are the most"),
        (23, "order", "23 variables are too many"),
        (30, "uniform", "30 variables are too many"),
    ],
)
def test_too_many_variables(n, prior, message):
    with pytest.raises(ArgumentError, match=message):
        bnml.posterior(np.zeros((5, n), int) + np.arange(5)[:, None] % 2, prior=prior, method="exact")


def test_memory_is_checked_before_anything_is_computed(monkeypatch):
    monkeypatch.setattr(sys.modules["bnml.uncertainty.posterior"], "posterior_families", None)
    rows = np.random.default_rng(0).integers(0, 2, (30, 20))
    local = LocalScores(rows, "bdeu")
    fits = next(n for n in range(19, 0, -1) if posterior_cost.posterior_memory(local, "order", 1, n) <= 250 * 10**6)
    with pytest.raises(ArgumentError, match=rf"need .* MB of memory, and the limit is 250 MB; .*{fits} would fit"):
        bnml.posterior(rows, memory_limit="250MB", threads=1, method="exact")
    with pytest.raises(ArgumentError, match=r"the limit is 10.0 MB; raise memory_limit= to that"):
        bnml.posterior(rows, memory_limit="10MB", threads=1, method="exact")


def test_data_that_the_prior_network_rules_out():
    dag = bnml.DAG.parse("[A][B|A]")
    states = {"A": ["n", "y"], "B": ["n", "y"]}
    network = prior_of(dag, states, {"B": [[0.5, 0.5], [1.0, 0.0]]})
    possible = pd.DataFrame({"A": list("nnyn"), "B": list("nynn")})
    impossible = pd.DataFrame({"A": list("nyyn"), "B": list("nyny")})
    assert bnml.posterior(possible, BDe(network)).link_probabilities.loc["A", "B"] > 0
    found = bnml.posterior(impossible, BDe(network))
    assert found.link_probabilities.loc["A", "B"] == 0.0, "only the structure without the arc allows these data"
    never = prior_of(dag, states, {"A": [1.0, 0.0]})
    with pytest.raises(ScoreError, match="no structure that is allowed"):
        bnml.posterior(impossible, BDe(never))


@pytest.mark.parametrize(
    ("score", "kind"),
    [
        (SCORES["fnml"](), "a normalised maximum likelihood"),
        ("fnml", "a normalised maximum likelihood"),
        (SCORES["bdq"](0.3), "a quotient of marginal likelihoods"),
        (SCORES["bdeu"](2.0), "a marginal likelihood"),
        (SCORES["qnml"](), None),
    ],
)
def test_the_report_says_what_a_score_is_however_it_was_given(score, kind):
    text = " ".join(str(bnml.posterior(bnml.example(), score)).split())
    assert kind is None or f"({kind}" in text
    assert ("searches take qnml unless they are told" in text) == (kind is not None)
