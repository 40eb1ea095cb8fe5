"""Tree-augmented naive Bayes against all structures of its form, and naive Bayes."""

from __future__ import annotations

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import bnml
from bnml.errors import BnmlError
from bnml.graph import Constraints
from bnml.search import naive_bayes, tan
from tests.search.forests import branchings, dag_of
from tests.search.strategies import constraints, tables

CLOSE = {"rel": 0, "abs": 1e-8}


def structures(data, target, known=None):
    """Return all structures with arcs from the class and a branching of the attributes."""
    others = [name for name in data.names if name != target]
    arcs = [(target, name) for name in others]
    names = [*others, target]  # the class is the last, and without a parent of its own
    dags = [dag_of(names, (*parents, None), arcs) for parents in branchings(len(others))]
    return [dag for dag in dags if known is None or known.allows(dag)]


@st.composite
def tables_with_a_class(draw):
    data = draw(tables(columns=5))
    return data, draw(st.sampled_from(data.names))


@settings(max_examples=40, deadline=None)
@given(drawn=tables_with_a_class(), label=st.sampled_from(["bic", "qnml", "fnml", "k2", "bds"]))
def test_no_tree_of_attributes_is_better(drawn, label):
    data, target = drawn
    every = structures(data, target)
    most = max(len(dag.arcs) for dag in every)
    for weight, score in (("cmi", "loglik"), ("score", label)):
        result = tan(data, label, class_variable=target, weight=weight)
        assert result.dag in every
        assert len(result.dag.arcs) == most
        highest = max(bnml.score(dag, data, score) for dag in every if len(dag.arcs) == most)
        assert bnml.score(result.dag, data, score) == pytest.approx(highest, **CLOSE)
        assert ("optimal_among" in result.info) == (weight == "score")
        assert not result.optimal


@settings(max_examples=60, deadline=None)
@given(drawn=tables_with_a_class(), label=st.sampled_from(["bic", "fnml"]), more=st.data())
def test_constraints(drawn, label, more):
    data, target = drawn
    known = more.draw(constraints(data.names))
    most = more.draw(st.sampled_from([None, 0, 1, 2]))
    allowed = [
        dag
        for dag in structures(data, target, known)
        if most is None or max(len(above) for above in dag.parent_sets) <= most
    ]
    if not allowed:
        with pytest.raises(BnmlError):
            tan(data, label, class_variable=target, weight="score", constraints=known, max_parents=most)
        return
    result = tan(data, label, class_variable=target, weight="score", constraints=known, max_parents=most)
    assert result.dag in allowed
    arcs = max(len(dag.arcs) for dag in allowed)
    highest = max(bnml.score(dag, data, label) for dag in allowed if len(dag.arcs) == arcs)
    assert (len(result.dag.arcs), result.score) == (arcs, pytest.approx(highest, **CLOSE))


@settings(max_examples=30, deadline=None)
@given(drawn=tables_with_a_class(), random=st.randoms(use_true_random=False))
def test_neither_columns_nor_threads_decide(drawn, random):
    data, target = drawn
    shuffled = data.select(random.sample(data.names, len(data.names)))
    for weight, label in (("cmi", "bic"), ("score", "bic"), ("score", "fnml")):
        want = tan(data, label, class_variable=target, weight=weight, threads=1)
        assert tan(shuffled, label, class_variable=target, weight=weight, threads=2).dag == want.dag


@settings(max_examples=20, deadline=None)
@given(drawn=tables_with_a_class(), more=st.data())
def test_root(drawn, more):
    data, target = drawn
    assume(len(data.names) > 1)
    root = more.draw(st.sampled_from([name for name in data.names if name != target]))
    for weight, label in (("cmi", "bic"), ("score", "fnml")):
        result = tan(data, label, class_variable=target, weight=weight, root=root)
        assert result.dag.parents(root) == (target,)
        assert result.info["roots"] == (root,)


def test_priors():
    data = bnml.example().select(["asia", "smoke", "lung", "bronc"])
    never = bnml.priors.ArcProbabilities(0.5, {("smoke", "lung"): 0.0, ("lung", "smoke"): 0.0})
    assert "smoke" in tan(data, "bic", class_variable="asia", weight="score").dag.parents("lung")
    result = tan(data, "bic", class_variable="asia", weight="score", prior=never)
    assert not {("smoke", "lung"), ("lung", "smoke")} & set(result.dag.arcs)


def test_what_the_result_says():
    data = bnml.example()
    result = bnml.learn(data, search="tan", class_variable="lung")
    assert result == tan(data, class_variable="lung")
    assert result.info["class_variable"] == "lung"
    assert result.info["weight"] == "cmi"
    assert result.info["roots"] == ("asia",)
    assert (result.info["moves"], result.info["pairs"], result.info["families"]) == (7 + 6, 21, 8 * 8)
    scored = tan(data, "fnml", class_variable="lung", weight="score").info
    assert (scored["families"], "pairs" in scored) == (7 + 42 + 8 * 8, False)
    assert result.search == "tan"
    assert set(result.network.predict(data, "lung")) == {"no", "yes"}


def test_what_it_is_the_best_of():
    """The best of all only where there is a tree; of those with a root where one is given."""
    data = bnml.example()

    def among(**given):
        return tan(data, "fnml", class_variable="lung", weight="score", **given).info.get("optimal_among")

    kind = "tree-augmented naive Bayes structures"
    assert among() == among(max_parents=2) == kind
    assert among(max_parents=1) is None
    assert among(root="smoke") == f"{kind} with the root smoke"
    known = Constraints(forbidden=[("asia", "tub")])
    assert among(root="smoke", constraints=known) == f"{kind} with the root smoke that the constraints allow"
    other = tan(data, "fnml", class_variable="lung", weight="score")
    assert tan(data, "fnml", class_variable="lung", weight="score", root="smoke").score < other.score


@pytest.mark.parametrize("search", ["tan", "naive"])
def test_wrong_arguments(search):
    data = bnml.example()
    cases = [
        ({}, "needs class_variable="),
        ({"class_variable": "lungs"}, "class_variable='lungs'.*Did you mean 'lung'"),
        ({"class_variable": None}, "class_variable=None"),
        ({"constraints": Constraints(forbidden=[("lung", "asia")])}, "lung -> asia"),
        ({"constraints": Constraints(required=[("asia", "lung")])}, "asia"),
        ({"constraints": Constraints(tiers=[["asia"], ["lung"]])}, "lung -> asia"),
        ({"max_parents": 0}, "max_parents=0"),
        ({"weights": 1}, "takes the options class_variable"),
    ]
    if search == "tan":
        cases += [
            ({"weight": "mi"}, "weight='mi': expected one of 'cmi', 'score'"),
            ({"root": "lung"}, "root='lung'"),
            ({"constraints": Constraints(required=[("asia", "tub"), ("xray", "tub")])}, "must have the parents"),
            ({"constraints": Constraints(required_links=[("asia", "tub")]), "max_parents": 1}, "max_parents=1"),
            ({"time_limit": 1e-9}, "time_limit"),
        ]
    else:
        cases += [({"constraints": Constraints(required_links=[("asia", "tub")])}, "link asia - tub is missing")]
    for arguments, message in cases:
        target = {} if not arguments else {"class_variable": "lung"}
        with pytest.raises(BnmlError, match=message):
            bnml.learn(data, search=search, **{**target, **arguments})


def test_naive_bayes():
    data = bnml.example()
    known = Constraints(required=[("lung", "asia")], forbidden_links=[("asia", "tub")])
    result = bnml.learn(data, "bic", search="naive", class_variable="lung", constraints=known, max_parents=1)
    assert set(result.dag.arcs) == {("lung", name) for name in data.names if name != "lung"}
    assert result.score == pytest.approx(bnml.score(result.dag, data, "bic"))
    assert (result.search, result.optimal, result.info["moves"]) == ("naive", False, 7)
    assert result.info["families"] == 8 + 7 + 6, "its own, those without the class, and those with a parent of it"
    assert result.dag == tan(data, "bic", class_variable="lung", max_parents=1).dag
    assert result == naive_bayes(data, "bic", class_variable="lung", constraints=known, max_parents=1)
