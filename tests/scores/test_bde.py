"""BDe and its prior network."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bnml
from bnml import DAG
from bnml.errors import BnmlError, ScoreError
from bnml.scores import BDe, BDeu, LocalScores, bde
from tests.counts.strategies import data_of, families, random_table, tables
from tests.scores.strategies import prior_network, prior_of

PROPERTIES = settings(max_examples=40, deadline=None)
STATES = {"A": ["no", "yes"], "B": ["low", "mid", "high"]}
MODEL = DAG.parse("[A][B|A]")


@PROPERTIES
@given(families(columns=3), st.sampled_from([0.5, 1.0, 20.0]))
def test_a_uniform_prior_network_makes_it_bdeu(family, ess):
    """α_ijk = ess / (q r), whatever the graph of the prior network."""
    table, child, parents = family
    data = data_of(table)
    states = {name: list(labels) for name, labels in zip(data.names, data.states, strict=True)}
    wanted = LocalScores(data, BDeu(ess)).family(child, parents)
    chain = DAG(data.names, list(zip(data.names, data.names[1:], strict=False)))
    for dag in (DAG(data.names), chain):
        value = LocalScores(data, BDe(prior_of(dag, states), ess)).family(child, parents)
        assert value == pytest.approx(wanted, rel=1e-11, abs=1e-11)


@PROPERTIES
@given(tables(columns=4, arity=3), st.integers(0, 5), st.data())
def test_marginals(table, seed, drawn):
    """Eliminating variables gives what summing the joint distribution gives, in any order of the names."""
    network, joint = prior_network(table.arities, seed)
    order = drawn.draw(st.permutations(range(len(table.arities))))
    chosen = order[: drawn.draw(st.integers(0, len(order)))]
    wanted = np.zeros([table.arities[v] for v in chosen])
    for row, p in joint.items():
        wanted[tuple(row[v] for v in chosen)] += p
    found = bde.prior_marginal(network, [f"X{v}" for v in chosen])
    assert found.shape == wanted.shape
    assert np.allclose(found, wanted, rtol=1e-12, atol=1e-15)


def test_what_the_prior_network_rules_out():
    """Impossible states, impossible parents: minus infinity once they occur, and no warning."""
    prior = prior_of(MODEL, STATES, {"A": [1.0, 0.0], "B": [[0.5, 0.5, 0.0], [0.0, 0.0, 1.0]]})
    data = bnml.read(np.array([[0, 0], [0, 1], [0, 1]]), states={"X0": ["0", "1"], "X1": ["0", "1", "2"]})
    named = prior_of(
        DAG.parse("[X0][X1|X0]"),
        {"X0": [0, 1], "X1": [0, 1, 2]},
        {f"X{i}": prior.probabilities(x) for i, x in enumerate("AB")},
    )
    assert all(math.isfinite(bnml.family_score("X1", pa, data, BDe(named))) for pa in ([], ["X0"]))
    assert math.isfinite(bnml.family_score("X0", ["X1"], data, BDe(named)))
    for row in ([0, 2], [1, 2], [1, 0]):
        ruled_out = bnml.read(np.array([[0, 0], row]), states={"X0": [0, 1], "X1": [0, 1, 2]})
        assert bnml.family_score("X1", ["X0"], ruled_out, BDe(named)) == -math.inf
        assert bnml.score(DAG.parse("[X0][X1|X0]"), ruled_out, BDe(named)) == -math.inf


def test_it_is_looked_at_before_any_work():
    """A prior network that does not fit is refused when the local scores are made, not at the first family."""
    data = data_of(random_table(1, 10, [2, 3]))
    for dag, states, message in (
        ("[X0][Y]", {"X0": [0, 1], "Y": [0, 1, 2]}, r"over 'X0', 'Y', the data over 'X0', 'X1'"),
        ("[X0][X1]", {"X0": [0, 1], "X1": [0, 1]}, r"'X1' has the states 0, 1 in the prior network and 0, 1, 2"),
        ("[X0][X1]", {"X0": [1, 2], "X1": [0, 1, 2]}, r"'X0' has the states 1, 2 .* read the data with states="),
        ("[X0][X1]", {"X0": ["no", "yes"], "X1": [0, 1, 2]}, r"'X0' has the states 'no', 'yes'"),
    ):
        with pytest.raises(ScoreError, match=message):
            LocalScores(data, BDe(prior_of(DAG.parse(dag), states)))


def test_labels_match_by_text():
    data = data_of(random_table(1, 10, [2, 3]))
    prior = prior_of(DAG.parse("[X0][X1]"), {"X0": ["0", "1"], "X1": [0.0, 1.0, 2.0]})
    assert math.isfinite(bnml.family_score("X0", ["X1"], data, BDe(prior)))


@pytest.mark.parametrize("network", [None, "net.bif", MODEL, {"A": [0.5, 0.5]}])
def test_no_network_at_all(network):
    with pytest.raises(ScoreError, match=f"BDe: expected a network as prior, got {type(network).__name__}"):
        BDe(network)


def test_bad_sample_size():
    with pytest.raises(ScoreError, match="BDe: ess=0"):
        BDe(prior_of(MODEL, STATES), 0)


def test_too_many_prior_probabilities():
    n = 30
    names = [f"X{i}" for i in range(n)]
    data = data_of(random_table(1, 5, [2] * n))
    score = BDe(prior_of(DAG(names), {name: [0, 1] for name in names}))
    with pytest.raises(BnmlError, match=r"BDe: .*1\.07e\+09 probabilities for .*: too many"):
        bnml.family_score("X0", names[1:], data, score)
    assert math.isfinite(bnml.family_score("X0", names[1:10], data, score))


def test_states_in_another_order():
    """The prior network speaks of labels; the order in which the table has them makes no difference."""
    dag = DAG.parse("[A][B|A]")
    labels = {"A": ["no", "yes"], "B": ["low", "mid", "high"]}
    tables = {"A": [0.2, 0.8], "B": [[0.1, 0.3, 0.6], [0.5, 0.25, 0.25]]}
    prior = bnml.BayesianNetwork(dag, labels, tables)
    frame = prior.sample(200, seed=1)
    same, other = (bnml.read(frame, states=dict(zip("AB", some, strict=True))) for some in (
        (labels["A"], labels["B"]), (["yes", "no"], ["mid", "high", "low"]),
    ))  # fmt: skip
    score = bnml.scores.BDe(prior, 3.0)
    assert bnml.score(dag, other, score) == pytest.approx(bnml.score(dag, same, score), rel=1e-13)
    assert bnml.learn(other, score).cpdag == bnml.learn(same, score).cpdag
    assert bnml.prequential(dag, other, score) == pytest.approx(bnml.prequential(dag, same, score), rel=1e-13)
    with pytest.raises(bnml.errors.ScoreError, match="'B' has the states"):
        bnml.score(dag, bnml.read(frame, states={"B": ["low", "mid", "high", "none"]}), score)


@PROPERTIES
@given(families(columns=3), st.integers(0, 5), st.data())
def test_states_in_any_order(family, seed, drawn):
    """They are matched by their labels."""
    table, child, parents = family
    network, _ = prior_network(table.arities, seed)
    data, dag = data_of(table), network.dag
    orders = {x: drawn.draw(st.permutations(range(len(network.states[x])))) for x in dag.names}
    tables = {}
    for x in dag.names:
        own = np.asarray(network.probabilities(x))
        tables[x] = own[np.ix_(*(orders[y] for y in (*dag.parents(x), x)))]
    other = prior_of(dag, {x: [network.states[x][k] for k in orders[x]] for x in dag.names}, tables)
    found, wanted = (LocalScores(data, BDe(prior, 2.0)) for prior in (other, network))
    assert found.family(child, parents) == pytest.approx(wanted.family(child, parents), rel=1e-12)


def test_predictions_with_states_in_another_order():
    data = bnml.read(np.array([[0, 0], [0, 1], [1, 1], [1, 0], [0, 1]]))
    dag, tables = DAG.parse("[X0][X1|X0]"), {"X0": [0.7, 0.3], "X1": [[0.2, 0.8], [0.6, 0.4]]}
    first = prior_of(dag, {"X0": [0, 1], "X1": [0, 1]}, tables)
    turned = {"X0": [0.3, 0.7], "X1": [[0.6, 0.4], [0.2, 0.8]]}
    second = prior_of(dag, {"X0": [1, 0], "X1": [0, 1]}, turned)
    rows = [bnml.prequential(dag, data, BDe(prior, 2.0)) for prior in (first, second)]
    assert np.allclose(*rows, rtol=1e-12)
    assert rows[1].sum() == pytest.approx(bnml.score(dag, data, BDe(second, 2.0)))


@pytest.mark.parametrize("search", ["climb", "tabu", "order", "exact", "forest"])
def test_nothing_but_an_error_where_the_prior_rules_out_the_data(search):
    """No structure has a finite score; NumPy does not warn of it."""
    named = prior_of(DAG.parse("[X0][X1]"), {"X0": [0, 1], "X1": [0, 1]}, {"X0": [1.0, 0.0], "X1": [0.5, 0.5]})
    data = bnml.read(np.array([[0, 0], [1, 1], [0, 1]]))
    with pytest.raises(BnmlError):
        bnml.learn(data, BDe(named), search=search)
