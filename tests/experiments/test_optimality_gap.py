"""Gaps of heuristics: what they are, and the experiment from end to end on small networks."""

from __future__ import annotations

import pytest

import bnml
from bnml.errors import SearchError
from bnml.experiments import optimality_gap as experiment
from bnml.experiments import reproduce
from bnml.experiments.optimality_gap import gap_of
from bnml.uncertainty.all_structures import all_structures

pytestmark = pytest.mark.usefixtures("uniform_prior")


def test_the_gap_is_that_to_the_best_of_all_structures():
    data = bnml.example().select(["smoke", "bronc", "either", "dysp"])
    sets = [[[j for j in range(4) if mask >> j & 1] for mask in masks] for masks in all_structures(4).parents.tolist()]
    every = [bnml.DAG.from_parent_sets(data.names, parents) for parents in sets]
    scores = {dag: bnml.score(dag, data, "bic") for dag in every}
    best, tree = bnml.learn(data, "bic", "exact"), bnml.learn(data, "bic", "forest")
    gap = gap_of(tree, best)
    assert gap["gap"] == pytest.approx(max(scores.values()) - scores[tree.dag])
    nothing = scores[bnml.DAG(data.names)]
    assert gap["lost"] == pytest.approx(gap["gap"] / (max(scores.values()) - nothing))
    assert gap["distance"] == bnml.shd(tree.dag, best.dag)
    assert gap_of(best, best) == {"gap": 0.0, "lost": 0.0, "distance": 0}


def test_what_is_better_than_the_best_is_a_fault():
    best, tree = bnml.learn(bnml.example(), "bic", "exact"), bnml.learn(bnml.example(), "bic", "forest")
    with pytest.raises(SearchError, match="better than the proven optimum"):
        gap_of(best, tree)


@pytest.fixture
def small(small_truths):
    return small_truths(experiment, {"five": 5}, RANDOM=(6,), SIZES=(60, 200))


@pytest.mark.usefixtures("coarse_pictures")
def test_from_end_to_end(small):
    done = reproduce("optimality-gap", small, out=small / "out", repetitions=2, threads=1)
    tables = done.outcome.tables
    assert set(tables["results"]["search"]) == set(experiment.SEARCHES)
    assert tables["results"]["proven"].all()
    assert (tables["results"]["gap"] >= 0).all()
    searches = tables["searches"].set_index("search")
    assert searches.loc["order", "reached"] >= searches.loc["K2, one order", "reached"]
    assert searches.loc["GES", "tables"] == 24
    assert searches.loc["climb", "tables"] == 32
    assert any(line.startswith("order: the optimum in") for line in done.outcome.findings)


def test_a_table_without_proof_says_so(small, monkeypatch):
    proven = experiment.EXPERIMENT.work(small, ("five", 200, 0), 0)
    assert proven == experiment.EXPERIMENT.work(small, ("five", 200, 0), 0)
    monkeypatch.setattr(experiment, "proven_best", lambda data, score: None)
    rows = experiment.EXPERIMENT.work(small, ("five", 60, 0), 0)
    assert [(row["search"], row["proven"], row["gap"]) for row in rows] == [("", False, None)] * 4
    found = experiment.EXPERIMENT.outcome(small, rows + proven, 1)
    assert "proven for 4 of 8" in found.findings[0]
    assert any("five, 60 rows, qNML: proven for 0 of 1" in line for line in found.findings)
