"""Reports of tests, trees and forests say what these are, and promise no more."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import bnml
from bnml.report.phrases import direction_words, how_found, network_words
from bnml.search.searches import SEARCHES

OTHERS = {
    "pc": "by tests of independence (g2 at the level 0.05), with no regard to the score",
    "npc": "by tests of independence (g2 at the level 0.05), with no regard to the score",
    "chow-liu": "the best tree: no other has more mutual information",
    "forest": "the best of all forests",
    "nml-forest": "the forest with the highest exact NML of all",
    "polytree": "a polytree: the significant links of the best tree, directed by tests of independence (level 0.05)",
    "tan": "the best tree of the attributes, by information given the class, a parent of them all",
    "naive": "naive Bayes, as asked: there is nothing to search for",
}


def plain(result) -> str:
    return " ".join(str(result).split())


@pytest.fixture(scope="module")
def clinic():
    return bnml.example().select(["tub", "lung", "either", "xray", "smoke"])


@pytest.fixture(scope="module")
def twins():
    rng = np.random.default_rng(0)
    x = rng.integers(0, 2, 500)
    y = np.where(np.arange(500) < 4, 1 - x, x)
    t = np.where(rng.random(500) < 0.8, x, 1 - x)
    t[:4] = [x[0], y[1], x[2], y[3]]
    return bnml.read(pd.DataFrame({"x": x, "y": y, "t": t}))


@pytest.mark.parametrize("search", OTHERS)
def test_what_it_is_in_place_of_a_proof(clinic, search):
    options = {"class_variable": "lung"} if search in ("tan", "naive") else {}
    result = bnml.learn(clinic, search=search, **options)
    assert how_found(result) == OTHERS[search]
    assert network_words(result) != "the best network"
    assert not {"optimal:", "proof", "best network"} & set(plain(result).split())
    assert OTHERS[search] in plain(result)
    assert max(map(len, str(result).splitlines())) <= 80


def test_constraints_are_named(clinic):
    known = bnml.Constraints(forbidden_links=[("lung", "either")])
    found = bnml.learn(clinic, search="chow-liu", constraints=known)
    assert "no other that the constraints allow" in how_found(found)
    assert direction_words(bnml.learn(clinic, search="pc", constraints=known)) == "tests and constraints"


@pytest.mark.parametrize("search", ["exact", "tabu", "k2"])
def test_searches_by_score_speak_of_proof(clinic, search):
    assert how_found(bnml.learn(clinic, search=search)) is None


def test_ambiguous_regions_and_what_decided_them(twins):
    result = bnml.learn(twins, search="npc")
    assert [sorted(map(sorted, region)) for region in result.regions] == [[["t", "x"], ["t", "y"]]]
    assert sorted(result.info["decided_by_strength"]) == ["t - x", "t - y"]
    text = plain(result)
    assert "decided 2 of these by strength alone: t - x stays, marked *; t - y goes." in text
    assert "t -> x *" in text or "x -> t *" in text
    assert "Links that the tests do not direct" in text
    chosen = bnml.learn(twins, search="npc", keep=[("y", "t")])
    assert chosen.regions == result.regions
    assert not chosen.info.get("decided_by_strength")
    assert "*" not in plain(chosen)
    assert not bnml.learn(twins, search="pc").regions


def test_ambiguous_regions_where_no_network_fits():
    """The graph is all there is then, and what was decided is told below it."""
    for seed in range(200):
        rng = np.random.default_rng(seed)
        base = rng.integers(0, 2, 60)
        table = np.stack([np.where(rng.random(60) < 0.75, base, 1 - base) for _ in range(7)], axis=1)
        result = bnml.learn(table, search="npc", alpha=0.2)
        if result.dag is None and "decided_by_strength" in result.info:
            text = plain(result)
            assert "Structure of 7 variables, found by tests (NPC)" in text
            assert "by strength alone" in text
            assert "not all" in text
            return
    raise AssertionError("no such table")


def test_long_regions_are_cut():
    rng = np.random.default_rng(0)
    base = rng.integers(0, 2, 80)
    table = np.stack([np.where(rng.random(80) < 0.85, base, 1 - base) for _ in range(14)], axis=1)
    result = bnml.learn(table, search="npc")
    assert len(result.info["decided_by_strength"]) > 40
    assert " more: not all can be absent" in plain(result)


def test_links_that_could_not_be_tested():
    rng = np.random.default_rng(3)
    y = rng.integers(0, 12, 3000)
    x, z = ((y + rng.integers(0, 5, 3000)) % 12 for _ in range(2))
    result = bnml.learn(np.stack([x, y, z], axis=1), search="pc")
    assert len(result.tested.untested) == 3
    assert "might go with more rows" in plain(result)


OPTIONS = {"tan": {"class_variable": "lung"}, "naive": {"class_variable": "lung"}}
STUDIED = {
    "pc": "network that tests found (PC)",
    "npc": "network that tests found (NPC)",
    "chow-liu": "best tree",
    "forest": "best forest",
    "nml-forest": "forest that was found",
    "polytree": "polytree that was found",
    "tan": "tree-augmented naive Bayes network",
    "naive": "naive Bayes network",
}


def test_every_search_is_one_or_the_other():
    """A new search says here what it is: over all networks by score, or something else."""
    assert {*OTHERS} == {*STUDIED}
    assert {*SEARCHES} - {*OTHERS} == {"exact", "climb", "tabu", "order", "ges", "k2"}


@pytest.mark.parametrize("search", SEARCHES)
def test_what_no_report_promises(clinic, search):
    result = bnml.learn(clinic, search=search, **OPTIONS.get(search, {}))
    for text in (plain(result), result._repr_html_()):
        assert ("that the data direct by qnml" in text) <= (search not in OTHERS)
        assert ("every best network" in text) == (search == "exact")
        assert "score alone" not in text
    assert (" proof optimal:" in plain(result)) == (search == "exact")
    if search in ("pc", "npc", "polytree"):
        assert "Arcs that the tests direct" in plain(result)
        assert "the data direct" not in plain(result)


@pytest.mark.parametrize("search", STUDIED)
def test_a_study(clinic, search):
    table = clinic.select(["lung", "either", "xray"]) if search == "nml-forest" else clinic  # which takes long
    study = bnml.study(table, "lung", search=search, repetitions=0, **OPTIONS.get(search, {}))
    for text in (plain(study), study.html()):
        assert "best network" not in text
        assert "score alone" not in text
        assert "scores alone" not in text
        assert "best score" not in text
        assert "proven the best" not in text
    assert network_words(study.learned) == f"the {STUDIED[search]}"
    assert study.other_scores == ()


@pytest.mark.parametrize("search", ["tabu", "ges", "k2"])
def test_a_study_by_a_search_without_proof(clinic, search):
    study = bnml.study(clinic, "lung", search=search, repetitions=0)
    assert "In the network that was found" in plain(study)
    assert "with the best score" not in study.html()
    assert f"that {search} search came across" in study.html()
    assert "proven that no other" not in study.html()


def test_the_score_of_a_posterior(clinic):
    default = plain(bnml.posterior(clinic))
    assert "a marginal likelihood: the probability of the data given a structure; searches take qnml" in default
    assert "searches take" not in plain(bnml.posterior(clinic, "qnml"))
    assert "normalised maximum likelihood: the probability of the data" in plain(bnml.posterior(clinic, "fnml"))
    assert "read as the probability of the data" in plain(bnml.posterior(clinic, "bdq"))
