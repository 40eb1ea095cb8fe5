"""Evidence of tiny probability is possible evidence: answers against exact rational arithmetic."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pandas as pd
import pytest

import bnml
from bnml.errors import NetworkError
from bnml.network import inference
from bnml.network.completions import completed_table
from bnml.network.em import expected_counts
from bnml.network.inference import log_mass
from tests.network.strategies import random_network

pytestmark = pytest.mark.filterwarnings("ignore::bnml.errors.DataWarning")  # constant columns

TINY = (0.0, 1e-300, 1e-200, 1e-100)
SMALL = (0.0, 1e-120, 1e-90, 1e-60)  # in most cases only products of more than one table are too small for floats
LIKELIHOODS = (*TINY, 0.3, 1.0, 1e300)
FIVE = {f"X{i}": "a" for i in range(5)}


def tiny_network(seed, n=None, entries=None):
    """Return a random network, most of whose entries are zero or far smaller than others."""
    rng = np.random.default_rng(seed)
    network = random_network(seed, int(rng.integers(1, 7)) if n is None else n)
    tables = {}
    for x in network.names:
        table = network.probabilities(x).copy()
        tiny = rng.random(table.shape) < 0.7
        tiny[(*np.indices(table.shape[:-1]), rng.integers(table.shape[-1], size=table.shape[:-1]))] = False
        table[tiny] = rng.choice(entries or (TINY, SMALL)[seed % 2], size=int(tiny.sum()))
        tables[x] = table / table.sum(axis=-1, keepdims=True)
    return bnml.BayesianNetwork(network.dag, network.states, tables)


def exact_rows(network, evidence, do=()):
    """Return the codes of all rows that the evidence allows, each with P(row | do) times its likelihood."""
    place = {x: i for i, x in enumerate(network.names)}
    rows = {}
    for codes in product(*(range(len(network.states[x])) for x in network.names)):
        p = Fraction(1)
        for x in network.names:
            label, known = network.states[x][codes[place[x]]], evidence.get(x)
            if x in do:
                p *= label == do[x]
            else:
                p *= Fraction(
                    float(network.probabilities(x)[tuple(codes[place[v]] for v in (*network.dag.parents(x), x))])
                )
            if known is not None:
                p *= Fraction(known.get(label, 0)) if isinstance(known, dict) else label == known
            if not p:
                break
        if p:
            rows[codes] = p
    return rows


def log(p):
    """Return the logarithm of a rational number that may be too small for a float."""
    return math.log(p.numerator) - math.log(p.denominator) if p else -math.inf


def exact_table(network, rows, names):
    """Return P(names | evidence), flat."""
    places, total = [network.names.index(x) for x in names], sum(rows.values())
    sums = dict.fromkeys(product(*(range(len(network.states[x])) for x in names)), Fraction(0))
    for codes, p in rows.items():
        sums[tuple(codes[i] for i in places)] += p
    return [float(p / total) for p in sums.values()]


def close(want):
    return pytest.approx(want, rel=1e-9, abs=1e-300)


def draw_evidence(network, rng):
    evidence, do, free = {}, {}, []
    for x in network.names:
        labels, kind = network.states[x], rng.random()
        label = labels[rng.integers(len(labels))]
        if kind < 0.4:
            evidence[x] = label
        elif kind < 0.5:
            do[x] = label
        else:
            free.append(x)
            soft = {s: float(rng.choice(LIKELIHOODS)) for s in labels}
            if kind < 0.6 and any(soft.values()):
                evidence[x] = soft
    return evidence, do, [free[i] for i in rng.permutation(len(free))]


@pytest.mark.parametrize("largest_tree", [inference.LARGEST_TREE, 0.0], ids=["tree", "elimination"])
@pytest.mark.parametrize("seed", range(100))
def test_any_question(seed, largest_tree, monkeypatch):
    monkeypatch.setattr(inference, "LARGEST_TREE", largest_tree)
    network, rng = tiny_network(seed), np.random.default_rng(seed)
    for _ in range(4):
        evidence, do, free = draw_evidence(network, rng)
        rows = exact_rows(network, evidence, do)
        if not rows:
            assert network.probability(evidence, do) == 0.0
            for question in (network.marginals, network.most_probable):
                with pytest.raises(NetworkError, match="probability zero"):
                    question(evidence, do)
            continue
        total = sum(rows.values())
        known = {x: np.array([float(s == e) if isinstance(e, str) else e[s] for s in network.states[x]])
                 for x, e in (evidence | do).items()}  # fmt: skip
        assert log_mass(network, known, do) == pytest.approx(log(total), rel=1e-12, abs=1e-9)
        if log(total) < 700.0:
            assert network.probability(evidence, do) == close(float(total))
        for x, table in network.marginals(evidence, do).items():
            assert table.to_numpy() == close(exact_table(network, rows, [x]))
        for names in (free[:1], free[:3]):
            if names:
                assert network.query(names, evidence, do).to_numpy() == close(exact_table(network, rows, names))
        states, value = network.most_probable(evidence, do)
        best = log(max(rows.values()))
        assert value == pytest.approx(best, rel=1e-12, abs=1e-9)
        row = tuple(network.states[x].index(states[x]) for x in network.names)
        assert log(rows[row]) == pytest.approx(best, rel=1e-12, abs=1e-9)


def test_impossible_stays_impossible_beside_tiny_probabilities():
    kinds = {bool(exact_rows(network, evidence, do)) for network, evidence, do in questions()}
    assert kinds == {True, False}
    lost = sum(inference.inference_tree(network, 1)._floats is None for network, _, _ in questions())
    assert 0 < lost < 100, "some trees have tables that floats can hold, and some have not"


def questions():
    for seed in range(100):
        network = tiny_network(seed)
        yield network, *draw_evidence(network, np.random.default_rng(seed))[:2]


@pytest.mark.parametrize("seed", range(30))
def test_influence(seed):
    network, rng = tiny_network(seed, 3, (0.0, 1e-300)), np.random.default_rng(seed)
    evidence = {"V1": network.states["V1"][rng.integers(len(network.states["V1"]))]}
    if not exact_rows(network, evidence):
        with pytest.raises(NetworkError, match="probability zero"):
            network.influence("V0", evidence)
        return
    for _, row in network.influence("V0", evidence).iterrows():
        rows = exact_rows(network, evidence | {row["variable"]: row["value"]})
        shares = exact_table(network, rows, ["V0"]) if rows else [math.nan] * len(network.states["V0"])
        assert row[list(network.states["V0"])].to_numpy(float) == pytest.approx(shares, rel=1e-9, nan_ok=True)


def rows_with_gaps(network, seed, share=0.5):
    """Return possible rows with values taken out, and what each can be completed to."""
    rng, rows, completions = np.random.default_rng(seed), [], []
    for codes in product(*(range(len(network.states[x])) for x in network.names)):
        row = {
            x: None if rng.random() < share else network.states[x][k] for x, k in zip(network.names, codes, strict=True)
        }
        fitting = exact_rows(network, {x: v for x, v in row.items() if v is not None})
        if fitting:
            rows.append(row)
            completions.append(fitting)
    return pd.DataFrame(rows, columns=network.names, dtype=object), completions


def values_of(network, frame):
    return [tuple(network.code(x, row[x]) for x in network.names) for row in frame.to_dict("records")]


@pytest.mark.parametrize("seed", range(60))
def test_rows_with_gaps(seed, monkeypatch):
    if seed % 4 == 0:
        monkeypatch.setattr("bnml.network.junction_tree.WORTH_A_PART", 10)  # many parts
    network = tiny_network(seed, 1 + seed % 4)
    frame, completions = rows_with_gaps(network, seed)
    totals = [log(sum(fitting.values())) for fitting in completions]
    assert network.log_prob(frame) == pytest.approx(totals, rel=1e-12, abs=1e-9)
    name = network.names[0]
    table = network.predict_proba(frame, name)
    for i, row in enumerate(frame.to_dict("records")):
        fitting = exact_rows(network, {x: v for x, v in row.items() if v is not None and x != name})
        assert table.iloc[i].to_numpy() == close(exact_table(network, fitting, [name]))
    for whole, fitting in zip(values_of(network, network.impute(frame)), completions, strict=True):
        assert log(fitting[whole]) == pytest.approx(log(max(fitting.values())), rel=1e-12, abs=1e-9)
    for drawn in network.impute(frame, draws=3, seed=seed):
        for whole, fitting in zip(values_of(network, drawn), completions, strict=True):
            assert fitting[whole] / sum(fitting.values()) > 1e-12
    frame = frame.dropna(axis=1, how="all")
    if list(frame.columns) != network.names:
        return
    data = bnml.read(frame, states={x: list(s) for x, s in network.states.items()}, missing="em")
    counts, value = expected_counts(network, data)
    assert value == pytest.approx(sum(totals), rel=1e-12, abs=1e-9)
    for x in network.names:
        family = [*network.dag.parents(x), x]
        if len(network.states[x]) > 1:
            want = np.sum([exact_table(network, fitting, family) for fitting in completions], axis=0)
            assert counts[x].ravel() == pytest.approx(want, rel=1e-9, abs=1e-290)
    assert completed_table(network, data, 4).weights.sum() == 4 * len(frame)


def test_impossible_rows_among_tiny_ones():
    tables = {"A": [1e-200, 1.0], "B": [1e-200, 1.0], "D": [[[0.3, 0.7], [0.0, 1.0]], [[0.0, 1.0], [0.0, 1.0]]]}
    network = bnml.BayesianNetwork(bnml.DAG.parse("[A][B][D|A:B]"), {x: ["y", "n"] for x in "ABD"}, tables)
    frame = pd.DataFrame({"A": ["n", None, None], "B": [None, None, "y"], "D": ["y", "y", "n"]})
    assert network.log_prob(frame) == pytest.approx([-math.inf, 2 * math.log(1e-200) + math.log(0.3), math.log(1e-200)])
    with pytest.raises(NetworkError, match="'A=n', 'D=y' has probability zero"):
        network.impute(frame)
    assert network.impute(frame[1:]).to_numpy().tolist() == [["y", "y", "y"], ["n", "y", "n"]]
    assert network.query("A", {"D": "y"}).tolist() == [1.0, 0.0]
    with pytest.raises(NetworkError, match="probability zero"):
        network.query("B", {"A": "n", "D": "y"})


@pytest.mark.parametrize("fit", [1e-200, 1e-300])
def test_five_features_against_one(fit):
    """Five observations that one class makes unlikely, and the last one rules the other class out."""
    names = ["C", *FIVE, "Y"]
    tables = {"C": [0.5, 0.5], **{x: [[fit, 1.0], [0.9, 0.1]] for x in FIVE}, "Y": [[0.5, 0.5], [0.0, 1.0]]}
    network = bnml.BayesianNetwork(
        bnml.DAG(names, [("C", x) for x in names[1:]]), {x: ["a", "b"] for x in names}, tables
    )
    evidence = FIVE | {"Y": "a"}
    assert network.query("C", evidence).tolist() == [1.0, 0.0]
    soft = network.query(["C", "X0"], evidence | {"X0": {"a": 1e-300, "b": 1e-100}})
    assert soft[("a", "b")] == 1.0
    assert network.most_probable(evidence) == (evidence | {"C": "a"}, pytest.approx(5 * math.log(fit) + math.log(0.25)))
    frame = pd.DataFrame([evidence | {"C": None, "X4": None}])
    assert network.log_prob(frame) == pytest.approx([4 * math.log(fit) + math.log(0.25)])
