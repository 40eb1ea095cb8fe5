"""Searches on tables in which variables were set."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import bnml
from bnml.errors import BnmlError
from bnml.experiments.sachs import arcs_against, read_sachs, reference_of_sachs
from bnml.graph import DAG, Constraints
from bnml.scores import LocalScores
from bnml.scores.lattice import score_all_families, undominated_families

from .. import interventions
from ..graph import naive

pytestmark = pytest.mark.usefixtures("uniform_prior")

SHARED = Path(__file__).parents[3] / "shared" / "data"
BY_FAMILIES = ("exact", "climb", "tabu", "order", "forest")


@pytest.fixture(autouse=True, scope="module")
def any_family():
    """Keep the rule on rows per cell, which speaks of the rows in which a variable was not set."""


@pytest.fixture(scope="module")
def table():
    return interventions.random_table(11, n=4, n_rows=150)


@pytest.mark.parametrize("score", ["bic", "qnml", "bdeu", "fnml", "bds", "aic"])
@pytest.mark.parametrize("rows_per_cell", [0, 3])
def test_exact_search_is_the_best_of_all_structures(table, score, rows_per_cell):
    data = interventions.read(table)
    cells = {
        x: interventions.rows_for(table, x).n_rows / rows_per_cell if rows_per_cell else np.inf for x in data.names
    }
    r = dict(zip(data.names, data.arities, strict=True))
    known = {}

    def family(x, parents):
        key = x, tuple(sorted(parents))
        if key not in known:
            large = parents and r[x] * np.prod([r[p] for p in parents]) > cells[x]
            known[key] = -np.inf if large else interventions.family(table, x, list(key[1]), score)
        return known[key]

    best = -np.inf
    for arcs in naive.all_dags(list(data.names)):
        best = max(best, sum(family(x, [a for a, b in arcs if b == x]) for x in data.names))
    for method in ("lattice", "cuts"):
        result = bnml.search.exact(data, score, method=method, rows_per_cell=rows_per_cell)
        assert result.optimal
        assert result.score == pytest.approx(best, abs=1e-8)
        assert sum(family(x, result.dag.parents(x)) for x in data.names) == pytest.approx(best, abs=1e-8)


def test_both_ways_return_the_same_of_several_best(table):
    for seed in range(12):
        data = interventions.read(interventions.random_table(seed, n=5, n_rows=40, states=2))
        one, other = (bnml.search.exact(data, "bic", method=method) for method in ("lattice", "cuts"))
        assert one.dag == other.dag


def test_the_order_of_columns_and_rows_makes_no_difference(table):
    want = bnml.learn(interventions.read(table), "qnml")
    mixed = table.sample(frac=1.0, random_state=1)[["set", "v3", "v1", "v0", "v2"]]
    found = bnml.learn(interventions.read(mixed), "qnml")
    assert found.dag == want.dag
    assert found.score == pytest.approx(want.score, abs=1e-9)


def test_memory_may_be_scarce(table):
    from bnml.scores.lattice import lattice_of
    from bnml.search.best_networks import Subsets

    data = interventions.read(table)
    local = LocalScores(data, "qnml")
    rules = bnml.graph.Rules.none(data.names)
    exact = bnml.search.exact(data, "qnml", rows_per_cell=0).score
    for integers in (False, True):
        families = lattice_of(local, rules, integers=integers)
        total = Subsets(families, 4, 1).total[-1, -1] * families.unit + sum(families.base)
        assert total == pytest.approx(exact, abs=1e-9 if not integers else 1e-2)
        assert abs(total - exact) <= families.within + 1e-9


@pytest.mark.parametrize("score", ["qnml", "bdeu", "fnml"])
def test_the_scores_of_all_families(table, score):
    data = interventions.read(table)
    local = LocalScores(data, score)
    found = score_all_families(local)
    for child, mask in product(range(4), range(8)):
        others = [v for v in range(4) if v != child]
        parents = [v for k, v in enumerate(others) if mask >> k & 1]
        assert found[child, mask] == pytest.approx(local.family(child, parents), abs=1e-6)
    listed = undominated_families(local)
    assert bnml.learn(listed, search="exact").score == pytest.approx(bnml.learn(data, score, rows_per_cell=0).score)


@pytest.mark.parametrize("search", BY_FAMILIES)
def test_every_search_by_families_takes_targets(table, search):
    data = interventions.read(table)
    result = bnml.learn(data, "bic", search=search)
    assert result.score == pytest.approx(bnml.score(result.dag, data, "bic"))
    assert result.score <= bnml.learn(data, "bic", search="exact").score + 1e-9
    if search != "forest":
        assert result.score == pytest.approx(bnml.learn(data, "bic", search="exact").score)


def test_searches_with_an_order_or_a_class(table):
    data = interventions.read(table)
    for search, options in (("k2", {"order": list(data.names)}), ("naive", {"class_variable": "v0"})):
        result = bnml.learn(data, "bic", search=search, **options)
        assert result.score == pytest.approx(bnml.score(result.dag, data, "bic"))


def test_families_are_counted_once(table):
    result = bnml.search.exact(interventions.read(table), "bic", rows_per_cell=0)
    assert result.info["families"] == 4 * 2**3
    assert result.info["visited"] == 2**4


def test_forest_is_the_best_branching(table):
    data = interventions.read(table)
    best = max(
        bnml.score(DAG(data.names, arcs), data, "bic")
        for arcs in naive.all_dags(list(data.names))
        if max([0, *(sum(b == x for _, b in arcs) for x in data.names)]) < 2
    )
    result = bnml.learn(data, "bic", search="forest", rows_per_cell=0)
    assert result.score == pytest.approx(best)
    assert result.info["optimal_among"] == "branchings"


@pytest.mark.parametrize("search", ["ges", "chow-liu", "tan", "polytree", "nml-forest", "pc", "npc"])
def test_searches_that_count_all_rows_together_refuse(table, search):
    options = {"class_variable": "v0"} if search == "tan" else {}
    with pytest.raises(BnmlError, match=f"{search}.*set in some of them.*exact"):
        bnml.learn(interventions.read(table), "nml" if search == "nml-forest" else "bic", search=search, **options)


def test_tests_of_independence_refuse_or_take_rows_in_which_nothing_was_set(table):
    data = interventions.read(table)
    for function in (bnml.pc, bnml.npc):
        with pytest.raises(BnmlError, match="counts all rows together"):
            function(data)
    free = bnml.read(table[table["set"] == ""].drop(columns="set"), states=interventions.states_of(table))
    pd.testing.assert_frame_equal(bnml.dependences(data), bnml.dependences(free))
    assert bnml.select_features(data, "v3", 0.5) == bnml.select_features(free, "v3", 0.5)
    everywhere = interventions.read(table.assign(set=["v1", "v2"] * (len(table) // 2) + ["v1"] * (len(table) % 2)))
    with pytest.raises(BnmlError, match="in every row"):
        bnml.dependences(everywhere)


def test_a_variable_that_was_set_in_every_row_has_no_parents(table):
    data = interventions.read(table.assign(set="v1"))
    for rows_per_cell in (0, 5):
        for search in ("exact", "climb", "order"):
            result = bnml.learn(data, "bic", search=search, rows_per_cell=rows_per_cell)
            assert not result.dag.parents("v1")
            assert all(a == "v1" for a, b in result.directions.directed if "v1" in (a, b))
        cuts = bnml.search.exact(data, "bic", method="cuts", rows_per_cell=rows_per_cell)
        assert cuts.dag == bnml.search.exact(data, "bic", method="lattice", rows_per_cell=rows_per_cell).dag
    with pytest.raises(BnmlError, match="v0 -> v1: 'v1' was set in every row"):
        bnml.learn(data, "bic", constraints=Constraints(required=[("v0", "v1")]))
    with pytest.raises(BnmlError, match="parent of 'v1', set in every row"):
        bnml.learn(data, "bic", search="naive", class_variable="v0")
    assert bnml.learn(data, "bic", search="naive", class_variable="v1").dag.parents("v0") == ("v1",)


def test_directions_are_those_of_the_interventional_class():
    rng = np.random.default_rng(5)
    a = rng.integers(0, 2, 600)
    b = np.where(rng.random(600) < 0.85, a, 1 - a)
    c = np.where(rng.random(600) < 0.85, b, 1 - b)
    frame = pd.DataFrame({"a": a, "b": b, "c": c, "set": ""})
    frame.loc[300:, "set"] = "c"
    frame.loc[300:, "c"] = rng.integers(0, 2, 300)
    result = bnml.learn(interventions.read(frame), "bic")
    assert result.directions.directed == (("b", "c"),)
    assert result.directions.undirected == (("a", "b"),)
    assert result.cpdag.directed == ()
    with_tiers = bnml.learn(interventions.read(frame), "bic", constraints=Constraints(tiers=[["a"], ["b", "c"]]))
    assert set(with_tiers.directions.directed) == {("a", "b"), ("b", "c")}


def test_the_report_says_what_was_set(table):
    result = bnml.learn(interventions.read(table), "bic")
    text = " ".join(str(result).split())
    set_rows = int((table["set"] != "").sum())
    assert f"{set_rows} of 150 rows" in text
    assert "interventional class" in text
    told = json.loads(json.dumps(result.to_dict()))["interventions"]
    assert told["rows_set"] == set_rows
    assert told["rows"] == {x: n for x in ("v0", "v1", "v2", "v3") if (n := int(table["set"].str.contains(x).sum()))}
    assert told["directed"] == [list(arc) for arc in result.directions.directed]
    plain = bnml.learn(table.drop(columns="set"), "bic")
    assert plain.to_dict()["interventions"] is None
    assert "interventional" not in str(plain)


def test_candidates_and_certify(table):
    data = interventions.read(table)
    best = bnml.learn(data, "qnml").score
    assert bnml.learn(bnml.search.candidates(data, "qnml"), search="exact").score == pytest.approx(best)
    climbed = bnml.learn(data, "qnml", search="climb").certify()
    assert climbed.optimal
    assert climbed.score == pytest.approx(best)


def test_sachs():
    if not (SHARED / "samples" / "sachs_interventional.csv").exists():
        pytest.skip("the table of Sachs et al. is not there")
    reference = reference_of_sachs(SHARED)
    result = bnml.learn(read_sachs(SHARED, targets=True), "qnml")
    assert result.optimal
    assert arcs_against(result.dag, reference) == {"right": 17, "reversed": 0, "extra": 7, "missing": 0}
    assert not result.directions.undirected
    ignored = bnml.learn(read_sachs(SHARED, targets=False), "qnml")
    assert arcs_against(ignored.dag, reference)["reversed"] >= 5
