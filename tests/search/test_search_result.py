"""What a search found: its parts, its report and its picture."""

from __future__ import annotations

import math
import pickle
import re
from dataclasses import FrozenInstanceError, replace

import numpy as np
import pandas as pd
import pytest

import bnml
from bnml._text import WIDTH
from bnml.graph import DAG, PDAG, Constraints
from bnml.scores import BDe, BDeu, BDq, LocalScores, parse_score
from bnml.scores.lattice import undominated_families
from bnml.scores.registry import score_text
from bnml.search.problem import Problem
from bnml.search.search_result import SearchResult

CHAIN = DAG.parse("[A][B|A][C|B]")


def rows(names=("A", "B", "C")):
    rng = np.random.default_rng(3)
    a = rng.integers(0, 2, 200)
    b = np.where(rng.random(200) < 0.8, a, rng.integers(0, 3, 200))
    c = np.where(rng.random(200) < 0.8, b, rng.integers(0, 3, 200))
    return bnml.read(pd.DataFrame(dict(zip(names, (a, b, c), strict=True))))


def found(dag=CHAIN, score="qnml", prior=None, constraints=None, **arguments):
    data = rows(dag.names)
    local = LocalScores(data, score, prior)
    total = bnml.score(dag, data, score, prior)
    problem = Problem.of(local, constraints)
    return SearchResult(dag, total, True, "exact", 0.25, {"within": 0.0, "subsets": 8}, problem, **arguments)


def test_parts():
    result = found()
    assert result.cpdag == CHAIN.cpdag()
    assert result.network == bnml.fit(CHAIN, result.data)
    assert result.network is result.network
    assert result.n_parameters == result.network.n_parameters == 1 + 2 * 2 + 3 * 2
    assert result.score_name == "qnml"
    assert [family.variable for family in result.families] == ["A", "B", "C"]
    assert math.fsum(family.score for family in result.families) == pytest.approx(result.score)
    for family in result.families:
        assert family.fit - family.penalty == pytest.approx(family.score)
        assert family.parents == CHAIN.parents(family.variable)


def test_nothing_can_be_changed():
    result = found()
    with pytest.raises(FrozenInstanceError):
        result.score = 0.0
    with pytest.raises(TypeError):
        result.info["within"] = 1.0


def test_columns_in_another_order_than_the_variables():
    result = found()
    turned = replace(result, dag=CHAIN.reordered(["C", "A", "B"]))
    assert {family.variable: family for family in turned.families} == {f.variable: f for f in result.families}
    assert turned == result


def test_without_data():
    bare = SearchResult(CHAIN, -12.5, False, "exact", 0.1)
    assert bare.network is None
    assert bare.n_parameters is None
    assert bare.within is None
    assert bare.families == ()
    assert bare.score_name is None
    assert "local scores" in str(bare)
    assert "other networks may have a higher score" in str(bare)
    assert "data" not in str(bare)
    assert bare._repr_html_().count("<table") == 1


def test_pickle():
    result = found(constraints=Constraints(required=[("A", "B")]))
    _ = result.network
    back = pickle.loads(pickle.dumps(result))
    assert back == result
    assert hash(back) == hash(result)
    assert dict(back.info) == dict(result.info)
    assert back.constraints == result.constraints
    assert str(back) == str(result)
    assert back.network == result.network


def test_representation_is_short():
    assert repr(found()) == "<SearchResult by exact: 3 variables, 2 arcs, score -337.09, proven optimal>"


# --- directions ---


def test_constraints_direct_links():
    assert found().directions == CHAIN.cpdag()
    assert found().directions.undirected == (("A", "B"), ("B", "C"))
    known = found(constraints=Constraints(required=[("A", "B")])).directions
    assert known == PDAG(CHAIN.names, [("A", "B"), ("B", "C")]), "the second follows: C -> B would be a v-structure"
    known = found(constraints=Constraints(tiers=[["B"], ["C"]])).directions
    assert known == PDAG(CHAIN.names, [("B", "C")], [("A", "B")])
    known = found(constraints=Constraints(forbidden=[("A", "C")])).directions
    assert known == CHAIN.cpdag()


# --- the report ---


def test_report():
    text = str(found())
    assert "Bayesian network of 3 variables, learned from 200 rows" in text
    assert "2 arcs, 11 parameters" in text
    assert "-337.090 (qnml)" in text
    assert "no network has a higher score, up to rounding" in text
    assert "Links that the data cannot direct, shown one way round (2):\n  A -> B\n  B -> C" in text
    assert "Arcs that the data direct" not in text
    lines = text.splitlines()
    head = next(i for i, line in enumerate(lines) if line.startswith("variable"))
    assert lines[head].split() == ["variable", "parents", "fit", "penalty", "qnml"]
    assert lines[head + 3].split()[:2] == ["B", "A"]
    assert lines[-1].split()[-1] == "-337.090"
    assert len(set(map(len, lines[head:]))) == 1, "numbers stand below each other"


def test_report_of_a_collider():
    text = str(replace(found(DAG.parse("[A][C][B|A:C]")), optimal=False))
    assert "Arcs that the data direct by qnml, in the network that was found (2):\n  A -> B\n  C -> B" in text
    assert "cannot direct" not in text


def test_report_with_constraints():
    text = str(found(constraints=Constraints(tiers=[["B"], ["C"]])))
    title = "Arcs that data and constraints direct by qnml, the same in every best network"
    assert f"{title} (1): B -> C" in " ".join(text.split())
    assert "Links that data and constraints do not direct, shown one way round (1):\n  A -> B" in text
    assert "no network that the constraints allow has a higher score" in " ".join(text.split())


@pytest.mark.parametrize("data", [None, rows()])
def test_report_of_local_scores_alone(data):
    """Nothing is known of the data behind them, nor whether they prefer a network to its equivalents."""
    families = undominated_families(LocalScores(rows(), "k2"))
    problem = replace(Problem.of(families), beside=data)
    result = replace(found(), problem=problem)
    text = str(result)
    assert "learned from local scores" in text
    assert "Arcs that equivalent networks may turn round, as they were found (2):\n  A -> B\n  B -> C" in text
    assert "the data" not in text
    constraints = Constraints(tiers=[["B"], ["C"]])
    known = replace(result, problem=replace(Problem.of(families, constraints), beside=data))
    assert "Arcs that all equivalent networks that the constraints allow share (1):\n  B -> C" in str(known)
    assert "Arcs that equivalent networks that the constraints allow may turn round" in str(known)


@pytest.mark.parametrize(
    ("score", "prior", "what"),
    [
        ("k2", None, "the score directs"),
        ("bdeu", bnml.priors.Distance(CHAIN), "the prior directs"),
        ("bdeu", bnml.priors.ArcProbabilities(0.1, {("A", "B"): 0.2}), "the prior directs"),
        ("k2", bnml.priors.Distance(CHAIN), "the score and the prior direct"),
        ("k2", bnml.priors.Uniform(), "the score directs"),
    ],
)
def test_report_of_what_tells_equivalent_networks_apart(score, prior, what):
    assert f"Arcs that only {what} (2):" in str(found(score=score, prior=prior))


@pytest.mark.parametrize(
    "prior",
    [
        bnml.priors.Uniform(),
        bnml.priors.ArcProbabilities(0.1),
        bnml.priors.ArcProbabilities(0.1, {("A", "C"): 0.0, ("C", "A"): 0.0}),
        bnml.priors.Distance(DAG(CHAIN.names)),
    ],
)
def test_report_of_priors_that_direct_nothing(prior):
    text = str(found(score="bdeu", prior=prior))
    assert "Links that the data cannot direct, shown one way round (2):" in text
    assert "only" not in text


class FewParents(bnml.priors.StructurePrior):
    """A prior that is no sum over arcs."""

    def family(self, names, child, parents):
        return -float(len(parents) ** 2)

    def check(self, names):
        pass


def test_report_of_a_prior():
    """Its terms are in the penalties."""
    without, result = found(score="bdeu"), found(score="bdeu", prior=FewParents())
    for words in (str(result), result._repr_html_()):
        assert "(bdeu, the log-prior included)" in words
    assert "log-prior" not in str(without)
    penalties = [[family.penalty for family in each.families] for each in (without, result)]
    assert np.subtract(*reversed(penalties)).tolist() == pytest.approx([0.0, 1.0, 1.0])
    assert "only the prior directs" in str(result), "nothing is known of it"


def test_report_without_arcs():
    assert "No arcs: by qnml the variables are independent of each other." in str(found(DAG(CHAIN.names)))
    alone = SearchResult(DAG(["A"]), -1.0, True, "exact", 0.1)
    assert "No arcs: there is only one variable." in str(alone)
    assert "independent" not in str(alone)


@pytest.mark.parametrize(
    ("within", "optimal", "want"),
    [
        (0.0, True, "optimal: no network has a higher score, up to rounding"),
        (2.5e-6, True, "optimal: no network has a score higher by more than 2.5e-06"),
        (1.5, False, "not proven optimal, but no network has a score higher by more than 1.5"),
        (None, False, "not proven optimal: other networks may have a higher score"),
        (math.inf, False, "not proven optimal: other networks may have a higher score"),
    ],
)
def test_what_is_proven(within, optimal, want):
    result = replace(found(), optimal=optimal, info={"within": within})
    assert f"  proof   {want}\n" in str(result)


@pytest.mark.parametrize(
    ("info", "want"),
    [
        ({"local_optimum": True}, "a higher score; it is a local optimum: no change of one arc raises it"),
        ({"local_optimum": False}, "a higher score; whether it is a local optimum was not verified"),
        (
            {"local_optimum": False, "arc_gain": 1234.56},
            "a higher score; it is no local optimum: a change of one arc raises it by 1,235",
        ),
        ({"local_optimum": False, "arc_gain": 1.234}, "it is no local optimum: a change of one arc raises it by 1.2"),
        ({"optimal_among": "forests"}, "the best of all forests, but other networks may have a higher score"),
    ],
)
def test_what_is_known_without_a_proof(info, want):
    text = str(replace(found(), optimal=False, info=info))
    assert "  proof   not proven optimal: " in text
    assert want in " ".join(text.split())
    assert max(map(len, text.splitlines())) <= WIDTH


@pytest.mark.parametrize(
    ("info", "want"),
    [
        ({"visited": 1234, "subsets": 4096}, "exact, 1,234 of 4,096 subsets visited, 0.25 s"),
        ({"visited": 8, "subsets": 8}, "exact, all 8 subsets visited, 0.25 s"),
        ({"moves": 1, "restarts": 5, "families": 2000}, "exact, 1 move, 2,000 families scored, 0.25 s"),
        (
            {"inserts": 8, "deletes": 1, "turns": 0, "families": 1},
            "exact, 8 inserts, 1 delete, 0 turns, 1 family scored",
        ),
        ({"orders": 10, "families": 0}, "exact, 10 orders, 0 families scored, 0.25 s"),
        ({"moves": 7, "pairs": 28, "families": 8}, "exact, 7 moves, 28 pairs, 8 families scored, 0.25 s"),
        ({"moves": 0, "tests": 107, "families": 0}, "exact, 0 moves, 107 tests, 0 families scored, 0.25 s"),
        (
            {"visited": 8, "subsets": 8, "moves": 0, "families": 12},
            "exact, all 8 subsets visited, 12 families scored, 0.25 s",
        ),
        ({}, "exact, 0.25 s"),
    ],
)
def test_what_a_search_did(info, want):
    assert f"  search  {want}" in str(replace(found(), info={"within": 0.0, **info}))


def test_reports_of_searches():
    text = str(bnml.learn(bnml.example(), search="exact"))
    assert "  search  exact, all 256 subsets visited, 1,024 families scored, " in text
    words = " ".join(str(bnml.learn(bnml.example(), search="climb")).split())
    assert "not proven optimal: other networks may have a higher score; it is a local optimum" in words
    assert re.search(r"search climb, [0-9]+ moves, [0-9]+ families scored, ", words)
    words = " ".join(str(bnml.learn(bnml.example(), "bdeu", search="ges")).split())
    assert re.search(r"search ges, 7 moves, 7 inserts, 0 deletes, 0 turns, [0-9]+ families scored, ", words)


def test_report_with_a_bound_on_parents():
    result = replace(found(), info={"within": 0.0, "max_parents": 1})
    assert "no network with at most 1 parent each has a higher score" in str(result)


def test_report_says_why_this_search():
    assert "exact, 0.25 s; it is cheap" in str(replace(found(), info={"reason": "it is cheap"}))


@pytest.mark.parametrize(
    "names",
    [
        ("a name of some length, with a comma", "another, which is even longer than the first one was", "x"),
        ("x" * 200, "y" * 200, "z"),
        ("two\nlines", "tab\there", "größe"),
        ("a", "b", "c"),
    ],
)
def test_reports_fit_80_columns(names):
    result = found(DAG(names, [(names[0], names[2]), (names[1], names[2])]))
    text = str(result)
    assert max(map(len, text.splitlines())) <= WIDTH
    assert "->" in text


def test_long_names_are_kept_whole_in_arcs():
    names = ("x" * 70, "y" * 70, "z")
    text = str(found(DAG(names, [(names[0], names[1])])))
    assert f"  {names[0]} ->\n      {names[1]}\n" in text


def test_report_of_large_numbers():
    result = found()
    huge = replace(result, score=-1.23456789e12, problem=None)
    assert "-1,234,567,890,000" in str(huge)
    assert max(map(len, str(huge).splitlines())) <= WIDTH


def test_report_of_impossible_structures():
    prior = bnml.priors.ArcProbabilities(arcs={("A", "B"): 0.0})
    assert "-inf" in str(found(score="bic", prior=prior))


@pytest.mark.parametrize(
    ("score", "name"),
    [
        ("qnml", "qnml"),
        ("bdeu", "bdeu"),
        ("bdeu:10", "bdeu:10"),
        ("bdq:0.33", "bdq:0.33"),
        ("mdl", "mdl"),
        ("mdl+parents", "mdl+parents"),
        ("bdj", "bdj"),
        (BDq("watanabe-roos"), "bdq:watanabe-roos"),
        (BDeu(0.5), "bdeu:0.5"),
    ],
)
def test_names_of_scores(score, name):
    assert score_text(parse_score(score)) == name
    assert parse_score(name) == parse_score(score)


def test_name_of_a_score_with_a_prior_network():
    network = bnml.fit(CHAIN, rows())
    assert score_text(BDe(network)) == "bde"
    assert score_text(BDe(network, 5)) == "bde:5"


# --- notebooks ---


def test_notebooks_show_a_picture():
    html = found(constraints=Constraints(tiers=[["B"], ["C"]]))._repr_html_()
    assert html.count("<svg") == 1
    assert "200 rows" in html
    assert "penalty" in html
    assert "<td style='text-align:left'>in all</td>" in html


def test_numbers_stand_to_the_right_in_notebooks():
    html = found()._repr_html_()
    assert "<td style='text-align:right'>-337.090</td>" in html
    for name in ("fit", "penalty", "qnml"):
        assert f"<th style='text-align:right'>{name}</th>" in html
    assert "<th style='text-align:left'>parents</th>" in html


def test_names_are_escaped():
    html = found(DAG(["<b>", "a&b", "c"], [("<b>", "c")]))._repr_html_()
    assert "<b>" not in html
    assert "&lt;b&gt;" in html
