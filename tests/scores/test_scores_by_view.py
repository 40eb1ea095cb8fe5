"""Families are scored on the rows in which their variable was not set."""

from __future__ import annotations

import math
import pickle
from itertools import combinations, islice

import numpy as np
import pytest

import bnml
from bnml.counts import batch_of, counts_of
from bnml.errors import ArgumentError, BnmlError, ScoreError
from bnml.graph import DAG, interventional_class
from bnml.nml import stochastic_complexity
from bnml.scores import LocalScores
from bnml.scores.local import local_scores
from bnml.scores.registry import parse_score

from .. import interventions

SCORES = (
    "loglik",
    "aic",
    "bic",
    "hqc",
    "mdl",
    "mdl+parents",
    "k2",
    "bd",
    "bdj",
    "bdeu:3",
    "bds",
    "bdq",
    "fnml",
    "qnml",
)


@pytest.mark.parametrize("score", SCORES)
def test_every_way_to_ask_gives_the_definition(score):
    frame = interventions.random_table(3)
    data = interventions.read(frame)
    local, names = LocalScores(data, score), data.names
    children, sets = [], []
    for child in range(4):
        others = [v for v in range(4) if v != child]
        for k in range(4):
            for parents in combinations(others, k):
                children.append(child)
                sets.append(list(parents))
    want = [
        interventions.family(frame, names[c], [names[p] for p in parents], score)
        for c, parents in zip(children, sets, strict=True)
    ]
    assert local.families(children, sets) == pytest.approx(want, abs=1e-9)
    assert [local.family(c, p) for c, p in zip(children, sets, strict=True)] == pytest.approx(want, abs=1e-9)
    assert local.batch(batch_of(children, sets)) == pytest.approx(want, abs=1e-9)
    for child in range(4):
        others = [v for v in range(4) if v != child]
        known = dict(zip(map(tuple, [[c, *p] for c, p in zip(children, sets, strict=True)]), want, strict=True))
        assert local.additions(child, [], others) == pytest.approx([known[child, v] for v in others], abs=1e-9)
        assert local.families(child, [[], others]) == pytest.approx(
            [known[(child,)], known[(child, *others)]], abs=1e-9
        )
        fit, penalty = local.parts(child, others)
        assert fit - penalty == pytest.approx(known[(child, *others)], abs=1e-9)
        assert fit == pytest.approx(interventions.family(frame, names[child], [names[v] for v in others], "loglik"))


def test_a_structure_is_the_sum_of_its_families():
    frame = interventions.random_table(5)
    dag = DAG.parse("[v1][v0|v1][v3|v0:v1][v2|v3]")
    for score in ("bic", "bdeu", "qnml", "fnml"):
        want = math.fsum(interventions.family(frame, x, list(dag.parents(x)), score) for x in dag.names)
        assert bnml.score(dag, interventions.read(frame), score) == pytest.approx(want, abs=1e-9)


def test_structures_of_an_interventional_class_tie():
    """A thousand pairs of structures that no data with these targets can tell apart have equal scores."""
    rng, pairs, seed, apart = np.random.default_rng(0), 0, 0, 0
    while pairs < 1000:
        data = interventions.read(interventions.random_table(seed, n=5, n_rows=60, states=2 + seed % 2, most_sets=2))
        local = [LocalScores(data, name) for name in ("bic", "bdeu", "qnml")]
        sets = [[data.names[column] for column in own] for own in data.targets.sets]
        for _ in range(20):
            names = [data.names[k] for k in rng.permutation(5)]
            dag = DAG(data.names, [arc for arc in combinations(names, 2) if rng.random() < 0.5])
            members = [member for member in interventional_class(dag, sets).members() if member != dag]
            for other in members[:10]:
                pairs += 1
                for scores in local:
                    assert scores.score(other) == pytest.approx(scores.score(dag), abs=1e-9)
            for other in islice((one for one in dag.cpdag().members() if one not in {*members, dag}), 5):
                apart += all(abs(scores.score(other) - scores.score(dag)) > 1e-6 for scores in local)
        seed += 1
    assert seed > 10
    assert apart > 500  # equivalent structures that targets tell apart do not tie: it is the targets that are asked


def test_other_members_of_the_markov_class_do_not_tie():
    frame = interventions.random_table(1, n=2, n_rows=300)
    frame["set"] = np.where(np.arange(300) < 150, "", "v1")
    data = interventions.read(frame)
    one, other = (bnml.score(DAG.parse(text), data, "bic") for text in ("[v0][v1|v0]", "[v1][v0|v1]"))
    assert abs(one - other) > 0.1
    assert not local_scores(data, parse_score("bic")).equivalent


def test_variables_that_were_set_in_the_same_rows_share_a_view():
    frame = interventions.random_table(2)
    frame["set"] = np.where(np.arange(len(frame)) < 40, "", "v0; v2")
    data = interventions.read(frame)
    local = LocalScores(data, "bic")
    assert [columns for _, columns in local.views] == [(0, 2), (1, 3)]
    assert local.for_child(0) is local.for_child(2)
    assert local.for_child(0).data.n_rows == 40
    assert local.for_child(1).data.n_rows == len(frame)
    assert counts_of(data).for_child(0) is local.for_child(0).counts


def test_a_table_in_which_nothing_was_set_is_an_ordinary_one():
    frame = interventions.random_table(2).assign(set="")
    data = interventions.read(frame)
    assert data.targets is None
    assert type(LocalScores(data, "bic")) is LocalScores
    assert counts_of(data).for_child(1) is counts_of(data)
    local = LocalScores(data, "bic")
    assert local.for_child(2) is local
    assert local.views == ((local, (0, 1, 2, 3)),)


@pytest.mark.parametrize("score", SCORES)
def test_a_variable_that_was_set_in_every_row(score):
    frame = interventions.random_table(2)
    frame["set"] = np.where(np.arange(len(frame)) < 40, "v1", "v1; v2")
    local = LocalScores(interventions.read(frame), score)
    assert local.family(1, []) <= 0.0
    if score != "aic":
        assert local.families(1, [[], [0], [0, 2]]) == pytest.approx(
            [local.family(1, [])] * 3 if score != "mdl+parents" else local.families(1, [[], [0], [0, 2]])
        )
    assert np.isfinite(local.families([0, 1, 2, 3], [[1], [], [], [0]])).all()


def test_they_are_pickled():
    data = interventions.read(interventions.random_table(4))
    local = LocalScores(data, "qnml")
    again = pickle.loads(pickle.dumps(local))
    assert again.family(0, [1, 2]) == local.family(0, [1, 2])


def test_what_is_wrong_is_refused():
    local = LocalScores(interventions.read(interventions.random_table(4)), "qnml")
    with pytest.raises(ArgumentError):
        local.families([0, 1], [[]])
    for wrong in (-1, 4):
        with pytest.raises(BnmlError):
            local.family(wrong, [])
        with pytest.raises(BnmlError):
            local.families([0, wrong], [[], []])
    with pytest.raises(ScoreError, match="view"):
        local.subsets([[0, 1]])


def test_nml_of_a_forest_is_refused():
    data = interventions.read(interventions.random_table(4))
    with pytest.raises(BnmlError, match="set in some of them"):
        bnml.score(DAG(data.names), data, "nml")


def test_nml_of_a_table_is_refused():
    data = interventions.read(interventions.random_table(4))
    with pytest.raises(ScoreError, match="take qnml"):
        stochastic_complexity(DAG(data.names), data)


def test_prequential_predictions_multiply_to_the_score():
    frame = interventions.random_table(6)
    data, dag = interventions.read(frame), DAG.parse("[v1][v0|v1][v3|v0:v1][v2|v3]")
    rows = bnml.prequential(dag, data, "bdeu")
    assert rows.shape == (len(frame),)
    assert rows.sum() == pytest.approx(bnml.score(dag, data, "bdeu"), abs=1e-9)


def test_code_length_is_mdl():
    frame = interventions.random_table(6)
    data, dag = interventions.read(frame), DAG.parse("[v1][v0|v1][v3|v0:v1][v2|v3]")
    bits = -bnml.score(dag, data, "mdl+parents") / math.log(2)
    assert bnml.code_length(dag, data).total == pytest.approx(bits)
