"""The sparse structure prior: one expected parent per variable, wherever structures are searched by score."""

from __future__ import annotations

import inspect
import math
import warnings

import numpy as np
import pandas as pd
import pytest

import bnml
from bnml import DAG, priors
from tests.graph.naive import all_dags

BY_SCORE = ("exact", "climb", "tabu", "order", "ges", "k2", "forest")
OTHERS = ("chow-liu", "tan", "naive", "polytree", "nml-forest")


@pytest.fixture(autouse=True, scope="module")
def any_family():
    """Leave the rule on rows per cell as it is."""


def options_of(search, names):
    if search == "k2":
        return {"order": list(names)}
    return {"class_variable": names[0]} if search in ("tan", "naive") else {}


def dependent(n=7, rows=150, seed=0):
    """Return a table of a chain and columns of noise."""
    rng = np.random.default_rng(seed)
    table = rng.integers(0, 2, (rows, n))
    for i in range(1, n // 2 + 1):
        table[:, i] = np.where(rng.random(rows) < 0.85, table[:, i - 1], table[:, i])
    return bnml.read(table)


def noise(rows, columns, states, seed):
    return bnml.read(np.random.default_rng(seed).integers(0, states, (rows, columns)))


@pytest.mark.parametrize("search", BY_SCORE)
@pytest.mark.parametrize("score", ["bic", "qnml", "bdeu"])
def test_the_score_is_that_of_the_structure_and_its_prior(search, score):
    data = dependent()
    result = bnml.learn(data, score, search, prior="sparse", **options_of(search, data.names))
    assert result.log_prior == pytest.approx(-len(result.structure.arcs) * math.log(5.0))
    assert result.score - result.log_prior == pytest.approx(bnml.score(result.structure, data, score))
    assert result.to_dict()["log_prior"] == result.log_prior
    assert "an arc costs 1.61" in str(result)
    uniform = bnml.learn(data, score, search, prior="uniform", **options_of(search, data.names))
    assert uniform.log_prior == 0.0
    assert "prior" not in str(uniform)
    assert uniform.score == bnml.learn(data, score, search, prior=None, **options_of(search, data.names)).score


@pytest.mark.parametrize("search", OTHERS)
def test_other_searches_have_no_prior(search):
    data = dependent()
    options = options_of(search, data.names)
    found = [bnml.learn(data, search=search, prior=prior, **options) for prior in ("sparse", "uniform")]
    assert [one.log_prior for one in found] == [0.0, 0.0]
    assert found[0].score == found[1].score


@pytest.mark.parametrize("score", ["bic", "qnml", "fnml", "bdeu", "k2"])
@pytest.mark.parametrize("method", ["lattice", "cuts"])
def test_exact_search_against_all_structures(score, method):
    data = dependent(5, 60, 3)
    cost = math.log(3.0)
    best = max(bnml.score(DAG(data.names, arcs), data, score) - cost * len(arcs) for arcs in all_dags(data.names))
    found = bnml.search.exact(data, score, method=method, rows_per_cell=0, prior="sparse")
    assert found.optimal
    assert found.score == pytest.approx(best)


def test_both_ways_find_the_same_canonical_network():
    for seed in range(12):
        data = dependent(8, 200, seed)
        lattice, cuts = (
            bnml.search.exact(data, "bic", method=method, prior="sparse") for method in ("lattice", "cuts")
        )
        assert lattice.dag == cuts.dag
        turned = data.select(tuple(reversed(data.names)))
        assert bnml.search.exact(turned, "bic", prior="sparse").dag == lattice.dag


def test_ges_takes_a_prior_that_classes_share():
    data = dependent(9, 400, 1)
    for prior in ("sparse", priors.LinkProbabilities({("X0", "X1"): 0.9}), priors.Distance(DAG(data.names).cpdag())):
        found = bnml.search.ges(data, "bic", prior=prior)
        assert found.score <= bnml.search.exact(data, "bic", prior=prior).score + 1e-9
    directed = priors.Distance(DAG(data.names, [("X0", "X1")]))
    with pytest.raises(bnml.BnmlError, match="different probabilities"):
        bnml.search.ges(data, "bic", prior=directed)


@pytest.mark.parametrize("score", ["qnml", "fnml", "bdeu", "bic"])
def test_noise_stays_noise(score):
    arcs = [len(bnml.learn(noise(500, 60, 2, seed), score, "tabu", prior="sparse").structure.arcs) for seed in range(3)]
    assert np.mean(arcs) <= 2.0


def test_what_charges_for_parents_is_not_charged_twice():
    data = dependent()
    assert bnml.learn(data, "mdl+parents", prior="sparse").log_prior == 0.0
    assert bnml.learn(data, "mdl", prior="sparse").log_prior < 0.0
    assert bnml.learn(data, "mdl+parents", prior=priors.Sparse()).log_prior < 0.0


def test_candidates_record_their_prior(tmp_path):
    data = dependent()
    families = bnml.search.candidates(data, "bic", prior="sparse")
    assert families.prior == priors.Sparse(variables=7)
    found, direct = bnml.learn(families, search="exact"), bnml.search.exact(data, "bic", prior="sparse")
    assert found.score == pytest.approx(direct.score)
    assert found.log_prior == pytest.approx(direct.log_prior)
    families.save(tmp_path / "f.jkl")
    assert bnml.learn(bnml.scores.FamilyScores.load(tmp_path / "f.jkl")).log_prior == 0.0
    with pytest.raises(bnml.BnmlError, match="have theirs already"):
        bnml.learn(families, prior=priors.Sparse())
    assert bnml.learn(families, prior="sparse").score == pytest.approx(direct.score)


def test_constraints_do_not_change_the_cost():
    data = dependent()
    known = bnml.Constraints(forbidden=[("X0", "X1")], tiers=[["X0", "X1", "X2"], ["X3", "X4"]])
    result = bnml.learn(data, "bic", constraints=known, prior="sparse")
    assert result.log_prior == pytest.approx(-len(result.structure.arcs) * math.log(5.0))


def test_halves_have_the_prior_of_the_whole_table():
    """A column that is constant in a half does not make arcs cheaper there."""
    rng = np.random.default_rng(1)
    table = rng.integers(0, 2, (60, 8))
    table[:, 4:] = 0
    table[:2, 4:] = 1  # in many halves these columns have one value
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        data = bnml.read(table)
        found = bnml.bootstrap(data, "bic", "exact", repetitions=20, seed=3, prior="sparse")
    again = bnml.bootstrap(data, "bic", "exact", repetitions=20, seed=3, prior=priors.Sparse(variables=8))
    assert np.array_equal(found.support, again.support)


def test_variables_are_counted_before_selection():
    rng = np.random.default_rng(5)
    frame = pd.DataFrame(rng.integers(0, 2, (200, 40)), columns=[f"v{i}" for i in range(40)])
    frame["v1"] = np.where(rng.random(200) < 0.9, frame["v0"], frame["v1"])
    study = bnml.study(frame, "v0", select=["v0", "v1", "v2", "v3"], repetitions=4, folds=0, prior="sparse")
    assert study.learned.structure_prior == priors.Sparse(variables=40)
    assert study.learned.log_prior == pytest.approx(-len(study.learned.dag.arcs) * math.log(38.0))
    assert study.posterior._allowed.prior == priors.Sparse(variables=40)
    row = study.strength.iloc[0]
    assert row["score_gain"] - row["net_gain"] == pytest.approx(math.log(38.0))


@pytest.mark.parametrize("select", [["v0", "v1", "v2"], "blanket"])
def test_other_priors_hold_among_the_selected_variables(select, tmp_path):
    """What a prior says of variables that are left out is left out with them, as constraints are."""
    rng = np.random.default_rng(5)
    frame = pd.DataFrame(rng.integers(0, 2, (200, 8)), columns=[f"v{i}" for i in range(8)])
    frame["v1"] = np.where(rng.random(200) < 0.9, frame["v0"], frame["v1"])
    graph = DAG(list(frame.columns), [("v0", "v1"), ("v2", "v7")])
    given = [
        priors.LinkProbabilities({("v0", "v1"): 0.9, ("v0", "v7"): 0.01}),
        priors.ArcProbabilities(0.1, {("v0", "v1"): 0.5, ("v7", "v0"): 0.01}),
        priors.Distance(graph),
        priors.Distance(graph.cpdag()),
    ]
    for k, prior in enumerate(given):
        file = tmp_path / f"{k}.json"
        study = bnml.study(frame, "v0", select=select, repetitions=4, folds=2, prior=prior, save=file)
        assert "v7" not in study.data.names
        learned = study.learned
        assert learned.structure_prior == prior.bind(bnml.read(frame)).among(study.data.names)
        assert learned.score - learned.log_prior == pytest.approx(bnml.score(learned.dag, study.data, "qnml"))
        assert bnml.load_study(file, frame).learned.structure_prior == learned.structure_prior
    unknown = priors.LinkProbabilities({("v0", "nothing"): 0.5})
    with pytest.raises(bnml.BnmlError, match="there is no variable 'nothing'"):
        bnml.study(frame, "v0", select=select, prior=unknown)


def test_directions_are_compared_under_the_prior_of_each_score(monkeypatch):
    """MDL charges for naming parents itself; qNML, BIC, BDeu and fNML, which it is compared with, do not."""
    from bnml.five_steps import other_scores

    found, solve = [], other_scores.solve
    monkeypatch.setattr(other_scores, "solve", lambda problem: found.append(solve(problem)) or found[-1])
    study = bnml.study(dependent(), score="mdl+parents", repetitions=0, folds=0)
    assert study.learned.log_prior == 0.0
    assert [one.structure_prior for one in found] == [priors.Sparse(variables=7)] * 4


@pytest.mark.parametrize("prior", ["sparse", "uniform", priors.Sparse(2)])
def test_a_study_says_which_prior_it_has_and_what_that_adds(prior, tmp_path):
    study = bnml.study(dependent(), prior=prior, repetitions=0, folds=0)
    values, learned = study.to_dict(), study.learned
    total = values["learning"]["score"] - values["learning"]["log_prior"]
    assert total == pytest.approx(bnml.score(learned.dag, study.data, "qnml"))
    assert values["settings"]["prior"] == (prior if isinstance(prior, str) else "Sparse(parents=2, variables=None)")
    study.save(tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert (f"{learned.log_prior:,.3f} of the score" in page) == (prior != "uniform")
    assert ("structure prior: an arc costs" in " ".join(str(study).split())) == (prior != "uniform")


def test_very_few_expected_parents():
    found = bnml.learn(dependent(), "bic", prior=priors.Sparse(1e-320))
    assert found.score <= 0.0, "a number"
    assert priors.Sparse(1e-320, variables=7).arc_cost("abcdefg") == pytest.approx(math.log(6.0) - math.log(1e-320))


@pytest.mark.parametrize("line", ["v0,v1,1", "v0,v1,nan", "v0,v1,-0.1", "v0,v0,0.5", "v1,v2,0.3"])
def test_a_wrong_line_of_a_file_of_links_is_named(tmp_path, line):
    file = tmp_path / "links.csv"
    file.write_text(f"a,b,probability\nv2,v1,0.2\n{line}\n")
    with pytest.raises(bnml.BnmlError, match="line 3"):
        priors.LinkProbabilities.read(file)


def test_an_empty_file_of_links_is_refused(tmp_path):
    file = tmp_path / "links.csv"
    file.write_text("a,b,probability\n")
    with pytest.raises(bnml.BnmlError, match="names no link"):
        priors.LinkProbabilities.read(file)


@pytest.mark.parametrize("prior", [pd.DataFrame({"a": [1, 2]}), np.array([1, 2]), 3, "sparce"])
def test_what_is_no_prior_is_refused(prior):
    table = pd.DataFrame({"a": ["x", "y"] * 5, "b": ["u", "v"] * 5})
    for call in (bnml.learn, bnml.discretise, bnml.search.candidates):
        with pytest.raises(bnml.BnmlError, match="prior="):
            call(table, prior=prior)
    with pytest.raises(bnml.BnmlError, match="prior="):
        bnml.strength(DAG.parse("[a][b|a]"), table, prior=prior)
    families = bnml.search.candidates(table, "bic")
    with pytest.raises(bnml.BnmlError, match="prior"):
        bnml.scores.FamilyScores(families.names, families.parents, families.scores, prior=prior)


@pytest.mark.parametrize("path", [3, None, b"links.csv"])
def test_what_is_no_file_of_links_is_refused(path):
    with pytest.raises(bnml.BnmlError, match="path"):
        priors.LinkProbabilities.read(path)


def test_local_scores_with_another_prior_are_others():
    families = bnml.search.candidates(dependent(), "bic")
    without = bnml.scores.FamilyScores(families.names, families.parents, families.scores)
    assert families != without
    assert families == bnml.search.candidates(dependent(), "bic")


def test_strength_where_a_prior_rules_out_a_structure_with_an_arc_and_without():
    prior = priors.ArcProbabilities(0.3, {("X2", "X1"): 1.0})
    table = bnml.strength(DAG.parse("[X0][X1|X0][X2][X3][X4][X5][X6]"), dependent(), "bic", prior=prior)
    assert np.isfinite(table["net_gain"]).all()


def test_local_scores_with_a_prior_are_not_learned_from_without():
    families = bnml.search.candidates(dependent(), "bic")
    assert bnml.learn(families).log_prior < 0.0
    with pytest.raises(bnml.BnmlError, match="include the prior"):
        bnml.learn(families, prior="uniform")
    assert bnml.learn(bnml.search.candidates(dependent(), "bic", prior=None), prior="uniform").log_prior == 0.0


@pytest.mark.parametrize(
    ("prior", "words"),
    [
        (priors.ArcProbabilities(0.1, {("X0", "X1"): 0.5}), "an arc has probability 0.1, except for 1 arc"),
        (priors.LinkProbabilities({("X0", "X1"): 0.5}, 0.2), "a link has probability 0.2, except for 1 link"),
        (priors.Distance(DAG.parse("[X0][X1|X0][X2][X3][X4][X5][X6]")), "each arc that differs from the prior graph"),
        (priors.Distance(DAG.parse("[X0][X1|X0][X2][X3][X4][X5][X6]").cpdag(), 0.1), "10 times less probable"),
        (priors.Sparse(2.0), "as 2 of 6 other variables are expected to be parents"),
    ],
)
def test_reports_describe_priors_in_words(prior, words):
    assert words in " ".join(str(bnml.learn(dependent(), "bic", prior=prior)).split())
    posterior = bnml.posterior(dependent(), "bdeu", structure_prior=prior, max_parents=2)
    assert words in " ".join(str(posterior).split()) or isinstance(prior, priors.Sparse)


def test_strength_before_and_after_the_cost_of_an_arc():
    data = dependent()
    dag = bnml.learn(data, "bic", prior="sparse").structure
    table = bnml.strength(dag, data, "bic", prior="sparse")
    assert (table["score_gain"] - table["net_gain"]).to_numpy() == pytest.approx(math.log(5.0))
    assert (table["net_gain"] > 0).all(), "the network is optimal"
    assert bnml.strength(dag, data, "bic", prior="uniform")["net_gain"].equals(table["score_gain"])


def test_with_missing_values():
    rng = np.random.default_rng(2)
    frame = dependent(6, 300, 2)
    table = pd.DataFrame(frame.codes[frame.row_index], columns=frame.names).astype(object)
    table = table.mask(rng.random(table.shape) < 0.1)
    data = bnml.read(table, missing="em")
    result = bnml.learn(data, "bic", search="tabu", prior="sparse")
    assert result.structure_prior == priors.Sparse(variables=6)
    assert result.log_prior == pytest.approx(-len(result.structure.arcs) * math.log(4.0))
    penalty = sum(one.penalty for one in result.families)
    assert result.score == pytest.approx(sum(one.fit for one in result.families) - penalty)


def test_with_interventions():
    rng = np.random.default_rng(4)
    table = pd.DataFrame(rng.integers(0, 2, (200, 6)), columns=list("abcdef"))
    table["set"] = np.where(np.arange(200) < 80, "a", "")
    table.loc[:79, "a"] = 1
    data = bnml.read(table, interventions="set")
    assert bnml.learn(data, "bic", prior="sparse").structure_prior == priors.Sparse(variables=6)


def test_posterior_by_enumeration():
    data = dependent(4, 80, 6)
    cost = math.log(2.0)
    total, arcs = 0.0, np.zeros((4, 4))
    weights = []
    for own in all_dags(data.names):
        weight = math.exp(bnml.score(DAG(data.names, own), data, "bdeu") - cost * len(own) + 150.0)
        weights.append(math.exp(-cost * len(own)))
        total += weight
        for a, b in own:
            arcs[data.index(a), data.index(b)] += weight
    for rows in (0, 5):
        found = bnml.posterior(data, "bdeu", method="exact", structure_prior="sparse", rows_per_cell=rows)
        if rows == 0:
            assert found.arc_probabilities.to_numpy() == pytest.approx(arcs / total)
            assert found.log_evidence == pytest.approx(math.log(total) - 150.0 - math.log(sum(weights)))
    order = [bnml.posterior(data, "bdeu", prior="order", structure_prior=p, rows_per_cell=0)
             for p in ("sparse", priors.ArcProbabilities(1 / 3))]  # fmt: skip
    assert order[0].log_evidence == pytest.approx(order[1].log_evidence)


DEFAULTS = {
    "prior": (
        bnml.learn, bnml.study, bnml.discretise, bnml.strength, bnml.search.candidates,
        bnml.search.forecast, bnml.search.exact, bnml.search.hill_climb, bnml.search.tabu, bnml.search.order,
        bnml.search.ges, bnml.search.k2, bnml.search.forest,
    ),
    "structure_prior": (bnml.posterior,),
}  # fmt: skip


@pytest.mark.parametrize(("name", "function"), [(n, function) for n, own in DEFAULTS.items() for function in own])
def test_it_is_the_default(name, function):
    assert inspect.signature(function).parameters[name].default == "sparse"


def test_scores_of_given_structures_have_no_prior_by_default():
    data = dependent()
    dag = DAG(data.names, [(data.names[0], data.names[1])])
    assert bnml.score(dag, data, "bic") == bnml.score(dag, data, "bic", prior="uniform")
    assert bnml.score(dag, data, "bic") == pytest.approx(bnml.LocalScores(data, "bic").score(dag))


def test_the_bootstrap_has_it_by_default():
    data = noise(200, 30, 2, 1)
    found, uniform = (bnml.bootstrap(data, "bic", "tabu", repetitions=4, **own) for own in ({}, {"prior": "uniform"}))
    assert found.links.sum() < uniform.links.sum()


def test_learners_for_scikit_learn_have_it():
    from bnml.sklearn import StructureLearner

    data = dependent()
    frame = pd.DataFrame(data.codes[data.row_index], columns=list(data.names))
    assert StructureLearner(score="bic").fit(frame).result_.log_prior < 0.0
    assert StructureLearner(score="bic", options={"prior": "uniform"}).fit(frame).result_.log_prior == 0.0
