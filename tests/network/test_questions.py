"""Questions to a network: against sums over all rows, and against pyAgrum."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bnml
from bnml.errors import ArgumentError, BnmlError, NetworkError
from bnml.graph import DAG
from bnml.network import inference
from bnml.network.network import BayesianNetwork
from tests.network import naive
from tests.network.strategies import networks, random_network

NETWORKS = Path(__file__).parents[3] / "shared" / "data" / "networks"
needs_networks = pytest.mark.skipif(not NETWORKS.exists(), reason="the networks of the repository are not there")


@pytest.fixture(params=["tree", "elimination"])
def way(request, monkeypatch):
    """Answer by a junction tree, or as for a network that is too large for one."""
    if request.param == "elimination":
        monkeypatch.setattr(inference, "LARGEST_TREE", 0.0)
    return request.param


def draw_question(network, seed, *, soft=True, set_some=True):
    """Return evidence, what is set, and the variables of which nothing is known."""
    rng = np.random.default_rng(seed)
    evidence, do, free = {}, {}, []
    for x in network.names:
        label = network.states[x][rng.integers(len(network.states[x]))]
        kind = rng.random()
        if kind < 0.2:
            evidence[x] = label
        elif kind < 0.35 and soft:
            evidence[x] = {
                s: float(w) for s, w in zip(network.states[x], rng.random(len(network.states[x])), strict=True)
            }
            free.append(x)
        elif kind < 0.55 and set_some:
            do[x] = label
        else:
            free.append(x)
    return evidence, do, [free[i] for i in rng.permutation(len(free))]


@pytest.mark.parametrize("seed", range(200))
def test_any_question_is_a_sum_over_all_rows(seed):
    network = random_network(seed, 1 + seed % 6, zeros=seed % 3 == 0)
    evidence, do, free = draw_question(network, seed)
    names = free[:3]
    for tree in (inference.LARGEST_TREE, 0.0):
        network.__dict__.pop("_trees", None)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(inference, "LARGEST_TREE", tree)
            _, total = naive.answer(network, [], evidence, do)
            assert network.probability(evidence, do) == pytest.approx(total, rel=1e-12)
            if total == 0:
                for question in (network.marginals, network.most_probable):
                    with pytest.raises(NetworkError, match="probability zero"):
                        question(evidence, do)
                continue
            if names:
                want, _ = naive.answer(network, names, evidence, do)
                got = network.query(names, evidence, do)
                assert list(got.index.names) == names
                assert got.to_numpy() == pytest.approx(want, abs=1e-12)
            for x, table in network.marginals(evidence, do).items():
                want, _ = naive.answer(network, [x], evidence, do)
                assert table.to_numpy() == pytest.approx(want, abs=1e-12)
            row, log_p = network.most_probable(evidence, do)
            ps = {
                tuple(row.values()): naive.truncated_probability(network, row, do) * naive.weight(row, evidence)
                for row in naive.rows(network)
            }
            assert log_p == pytest.approx(math.log(max(ps.values())))
            assert ps[tuple(row.values())] == pytest.approx(max(ps.values()))


def test_one_name_and_several(way):
    network = random_network(5, 5)
    one = network.query("V1", {"V2": network.states["V2"][0]})
    assert one.index.name == "V1"
    listed = network.query(["V1"], {"V2": network.states["V2"][0]})
    assert listed.index.nlevels == 1
    assert list(listed.index.names) == ["V1"]
    assert one.to_numpy() == pytest.approx(listed.to_numpy())


@pytest.mark.parametrize("seed", range(40))
def test_influence_is_bayes_rule(seed, way):
    network = random_network(seed, 1 + seed % 5, zeros=seed % 4 == 0)
    evidence, _, free = draw_question(network, seed, set_some=False)
    if not free:
        evidence, free = {}, [network.names[0]]
    name = free[0]
    if naive.answer(network, [], evidence, {})[1] == 0:
        with pytest.raises(NetworkError, match="probability zero"):
            network.influence(name, evidence)
        return
    table = network.influence(name, evidence)
    hard = {x for x, said in evidence.items() if not isinstance(said, dict)}
    assert set(table["variable"]) == set(network.names) - hard - {name}
    for _, row in table.iterrows():
        x, label = row["variable"], row["value"]
        own = evidence.get(x, {})
        share, mass = naive.answer(network, [x], evidence, {})
        k = list(network.states[x]).index(label)
        assert row["probability"] == pytest.approx(share[k], abs=1e-12)
        observed = {**evidence, x: {label: own.get(label, 1.0) if own else 1.0}}
        want, mass = naive.answer(network, [name], observed, {})
        got = row[list(network.states[name])].to_numpy(float)
        if mass > 0:
            assert got == pytest.approx(want, abs=1e-12)
        else:
            assert np.isnan(got).all()


def test_columns_of_influence_do_not_collide():
    states = {"A": ["value", "no"], "B": ["u", "v"]}
    network = BayesianNetwork(DAG.parse("[A][B|A]"), states, {"A": [0.3, 0.7], "B": [[0.9, 0.1], [0.2, 0.8]]})
    table = network.influence("A")
    assert list(table.columns) == ["variable", "value", "probability", "value (A)", "no"]
    assert table.loc[0, "value (A)"] == pytest.approx(0.27 / 0.41)


@settings(max_examples=40, deadline=None)
@given(networks(largest=4, zeros=True), st.integers(0, 1000))
def test_log_prob_sums_gaps_out(network, seed):
    rng = np.random.default_rng(seed)
    frame = network.sample(10, seed=seed).astype(object)
    frame = frame.mask(rng.random(frame.shape) < 0.4, None)
    for tree in (inference.LARGEST_TREE, 0.0):
        network.__dict__.pop("_trees", None)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(inference, "LARGEST_TREE", tree)
            got = network.log_prob(frame)
        for value, (_, row) in zip(got, frame.iterrows(), strict=True):
            _, want = naive.answer(network, [], {x: s for x, s in row.items() if not pd.isna(s)}, {})
            assert value == pytest.approx(math.log(want))


def test_evidence_that_contradicts_itself_a_thousand_times(way):
    """Products of a thousand probabilities are too small for a float, whatever C is."""
    names = ["C", *(f"X{i}" for i in range(1000))]
    dag = DAG(names, [("C", x) for x in names[1:]])
    likely, unlikely = [0.999, 0.001], [0.001, 0.999]
    tables = {x: [likely, unlikely] if i % 2 else [unlikely, likely] for i, x in enumerate(names)}
    network = BayesianNetwork(dag, {x: ["a", "b"] for x in names}, {**tables, "C": [0.25, 0.75]})
    evidence = dict.fromkeys(names[1:], "b")
    assert network.query("C", evidence)["a"] == pytest.approx(0.25)
    assert network.query("C", {x: {"b": 1e-200} for x in names[1:]})["a"] == pytest.approx(0.25)
    row, log_p = network.most_probable(evidence)
    assert row["C"] == "b"
    assert log_p == pytest.approx(500 * math.log(0.999 * 0.001) + math.log(0.75))
    assert network.log_prob(pd.DataFrame([evidence | {"C": None}]))[0] == pytest.approx(log_p - math.log(0.75))


def test_variables_of_one_state_take_no_room():
    names = [f"X{i}" for i in range(200)]
    dag = DAG(["Y", *names], [(x, "Y") for x in names[:20]] + [("Y", x) for x in names[20:]])
    states = {"Y": ["a", "b"], **{x: ["only"] for x in names}}
    tables = {x: np.ones([len(states[p]) for p in dag.parents(x)] + [1]) for x in names}
    tables["Y"] = np.full([1] * 20 + [2], [0.25, 0.75])
    network = BayesianNetwork(dag, states, tables)
    assert network.query("Y", {"X0": "only", "X150": "only"})["b"] == pytest.approx(0.75)
    assert network.most_probable()[0]["Y"] == "b"
    assert network.query(["X3", "Y"]).to_numpy() == pytest.approx([0.25, 0.75])


def test_interventions_know_no_parents():
    tables = {"rain": [0.8, 0.2], "wet": [[0.9, 0.1], [0.2, 0.8]]}
    network = BayesianNetwork(DAG.parse("[rain][wet|rain]"), {x: ["no", "yes"] for x in tables}, tables)
    assert network.query("rain", do={"wet": "yes"})["yes"] == pytest.approx(0.2)
    assert network.query("rain", {"wet": "yes"})["yes"] == pytest.approx(2 / 3)
    assert network.probability({"rain": "yes"}, do={"wet": "no"}) == pytest.approx(0.2)
    assert network.probability(do={"wet": "no"}) == pytest.approx(1.0)
    row, log_p = network.most_probable(do={"wet": "yes"})
    assert row == {"rain": "no", "wet": "yes"}
    assert log_p == pytest.approx(math.log(0.8))


WRONG = [
    (lambda n: n.probability({x: dict.fromkeys(n.states[x], 1e308) for x in n.names}), "too large for a number"),
    (lambda n: n.query([]), "a list of names"),
    (lambda n: n.query(["V0", "V0"]), "twice"),
    (lambda n: n.query(["V0", "V9"]), "no variable 'V9'"),
    (lambda n: n.query(3), "a list of names"),
    (lambda n: n.query("V0", do={"V0": "V0s0"}), "both asked for and set"),
    (lambda n: n.query("V0", {"V1": "V1s0"}, {"V1": "V1s0"}), "both observed and set"),
    (lambda n: n.query("V0", do=["V1"]), "expected a mapping"),
    (lambda n: n.query("V0", do={"V1": {"V1s0": 1.0}}), "one of its states"),
    (lambda n: n.query("V0", {"V1": {"V1s0": -1.0}}), "a number from 0"),
    (lambda n: n.query("V0", {"V1": {"V1s0": math.nan}}), "a number from 0"),
    (lambda n: n.query("V0", {"V1": {"V1s0": 0.0}}), "rules out all"),
    (lambda n: n.query("V0", {"V1": {}}), "rules out all"),
    (lambda n: n.query("V0", {"V1": {"strange": 0.5}}), "no state 'strange'"),
    (lambda n: n.query("V0", {"V9": {"V1s0": 0.5}}), "no variable 'V9'"),
    (lambda n: n.influence("V9"), "no variable 'V9'"),
    (lambda n: n.influence("V1", {"V1": "V1s0"}), "both asked for and observed"),
    (lambda n: n.probability(["V0"]), "expected a mapping"),
    (lambda n: n.most_probable({"V9": "x"}), "no variable 'V9'"),
    (lambda n: n.marginals({"V1": "x"}), "no state 'x'"),
]


@pytest.mark.parametrize(("ask", "said"), WRONG)
def test_wrong_questions(ask, said):
    with pytest.raises(ArgumentError, match=said):
        ask(random_network(7, 3))


@needs_networks
@pytest.mark.parametrize("name", ["alarm", "insurance", "child", "hailfinder"])
def test_random_questions_agree_with_pyagrum(name):
    gum = pytest.importorskip("pyagrum")
    network = bnml.load(NETWORKS / f"{name}.bif")
    other = network.to_pyagrum()
    rng = np.random.default_rng(len(name))
    for _ in range(50):
        row = network.sample(1, seed=int(rng.integers(1 << 30))).iloc[0]
        order = [network.names[i] for i in rng.permutation(len(network.names))]
        n = int(rng.integers(0, 8))
        evidence = {x: row[x] for x in order[:n]}
        soft = {
            x: dict(zip(network.states[x], rng.random(len(network.states[x])), strict=True)) for x in order[n : n + 2]
        }
        asked = order[n + 2 : n + 2 + int(rng.integers(1, 4))]
        engine = gum.LazyPropagation(other)
        engine.setEvidence(
            {x: network.code(x, s) for x, s in evidence.items()} | {x: list(w.values()) for x, w in soft.items()}
        )
        engine.addJointTarget(set(asked))
        want = engine.jointPosterior(set(asked)).reorganize(asked[::-1]).toarray()
        got = network.query(asked, {**evidence, **soft}).to_numpy().reshape([len(network.states[x]) for x in asked])
        assert got == pytest.approx(want.reshape(got.shape), abs=1e-9)
        assert network.query(asked[0], {**evidence, **soft}).to_numpy() == pytest.approx(
            engine.posterior(asked[0]).toarray(), abs=1e-9
        )
        assert network.probability(evidence) == pytest.approx(math.exp(_log_evidence(gum, other, network, evidence)))


def _log_evidence(gum, other, network, evidence):
    engine = gum.LazyPropagation(other)
    engine.setEvidence({x: network.code(x, s) for x, s in evidence.items()})
    engine.makeInference()
    return math.log(engine.evidenceProbability()) if evidence else 0.0


@needs_networks
def test_a_network_too_large_for_a_tree_answers_easy_questions():
    network = bnml.load(NETWORKS / "munin1.bif.gz")
    root = network.dag.topological_order()[0]
    child = network.dag.children(root)[0]
    assert inference._kept_tree(network, ()) is None
    given_child = network.query(root, {child: network.states[child][0]})
    assert given_child.sum() == pytest.approx(1.0)
    assert network.query(child, do={root: network.states[root][0]}).sum() == pytest.approx(1.0)
    with pytest.raises(BnmlError, match="numbers"):
        network.most_probable()


def test_trees_are_kept_but_not_pickled():
    import pickle

    network = random_network(5, 5)
    network.query("V0")
    tree = inference._kept_tree(network, ())
    network.query("V1", {"V2": network.states["V2"][0]})
    assert inference._kept_tree(network, ()) is tree
    for x in network.names:
        for y in network.names:
            if x != y:
                network.query(x, do={y: network.states[y][0]})
    assert len(network.__dict__["_trees"]) <= inference.MOST_TREES
    assert "_trees" not in pickle.loads(pickle.dumps(network)).__dict__
    assert isinstance(network.query("V0"), pd.Series)
