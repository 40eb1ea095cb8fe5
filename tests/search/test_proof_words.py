"""What reports say of results by cuts: what is proven, what it rests on, and how far from the best a network can be."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import bnml
from bnml._text import WIDTH
from bnml.five_steps import parts
from bnml.graph import Constraints
from bnml.report.phrases import by_tests, direction_words, gap_sentence, how_found, network_words, proof_words
from bnml.scores.lattice import undominated_families


@pytest.fixture(scope="module")
def proven():
    return bnml.learn(bnml.example(), "bic", "exact", method="cuts")


def told(result, *, optimal=False, **info):
    return replace(result, optimal=optimal, info={**result.info, **info})


def words(text):
    return " ".join(text.split())


def test_a_proof_by_inequalities(proven):
    want = (
        "optimal: no network has a higher score, up to rounding (proven by cluster inequalities, checked in whole "
        "numbers)"
    )
    assert proof_words(proven) == want
    assert want in words(str(proven))
    assert want in proven._repr_html_()
    assert gap_sentence(proven) == ""
    assert max(map(len, str(proven).splitlines())) <= WIDTH


def test_a_proof_by_branching(proven):
    text = proof_words(told(proven, optimal=True, proof="tree"))
    assert text.endswith("(proven by cluster inequalities and branching, checked in whole numbers)")


@pytest.mark.parametrize(
    ("within", "by"), [(9413.2, "9,414"), (12.0, "12"), (1.53, "1.6"), (1.5, "1.5"), (0.0301, "0.031"), (2e-5, "2e-05")]
)
def test_a_gap(proven, within, by):
    """The number is rounded up, so that what is said is true."""
    result = told(proven, within=within)
    text = proof_words(result)
    assert text.startswith(f"not proven optimal, but no network scores more than {by} nats higher (bound -")
    assert float(text.split("bound ")[1].rstrip(")").replace(",", "")) >= result.bound
    assert gap_sentence(result).startswith(f"No network scores more than {by} nats higher (bound -")
    assert text in words(str(result))
    assert text in result._repr_html_()


def test_which_networks_are_meant(proven):
    result = told(proven, within=3.0, max_parents=2, rows_per_cell=5, links_too_large=0)
    options = replace(result.problem.options, constraints=Constraints())
    result = replace(result, problem=replace(result.problem, options=options))
    assert (
        "but no network with at most 2 parents each that the constraints allow with 5 rows per cell scores more than "
        "3 nats higher"
    ) in proof_words(result)


def test_a_list_that_is_not_complete(proven):
    score = proven.score
    best = told(proven, within=50.0, complete_to=3, listed_bound=score)
    assert proof_words(best).endswith("; among networks with at most 3 parents each none has a higher score")
    near = told(proven, within=50.0, complete_to=1, listed_bound=score + 2.25)
    assert proof_words(near).endswith("; among networks with at most 1 parent each none scores more than 2.3 higher")
    assert proof_words(near) in words(str(near))


def test_local_scores_have_no_unit():
    families = undominated_families(bnml.LocalScores(bnml.example(), "bic"))
    result = bnml.learn(families, search="exact", method="cuts")
    assert "scores more than 3 higher (bound" in proof_words(told(result, within=3.0))
    assert "checked in whole numbers" in words(str(result))


def test_what_branch_and_cut_did(proven):
    info = proven.info
    line = words(str(proven)).split(" search ")[1]
    assert line.startswith(
        f"exact, by cuts, {info['visited']:,} parent sets counted, {info['candidates']:,} families listed, "
        f"{info['inequalities']:,} inequalities, 0 branches, "
    )
    families = undominated_families(bnml.LocalScores(bnml.example(), "bic"))
    assert "exact, by cuts, 111 families listed," in words(str(bnml.learn(families, search="exact", method="cuts")))


def test_an_interrupt_is_told(proven):
    assert "; as asked; interrupted " in words(str(told(proven, interrupted=True)))
    auto = told(proven, interrupted=True, reason="chosen by auto, and branch and cut was interrupted")
    assert words(str(auto)).count("interrupted") == 1


def test_in_short(proven):
    assert repr(told(proven, within=3.25)).endswith("within 3.2>")
    assert repr(proven).endswith("proven optimal>")


@pytest.mark.parametrize("search", ["climb", "chow-liu", "polytree", "k2", "forest", "pc"])
def test_certified(search):
    """What was certified may be another network than the search found: it is not called a tree, or found by tests."""
    result = bnml.learn(bnml.example(), "bic", search).certify()
    assert result.optimal
    assert how_found(result) is None
    assert network_words(result) == "the best network"
    assert direction_words(result) == "the data"
    assert not by_tests(result)
    text = words(str(result))
    assert "optimal: no network has a higher score, up to rounding (proven by cluster inequalities" in text
    assert f" search {search}, then cuts, " in text
    assert "certified" in text
    assert "<div" in result._repr_html_()


def test_a_study_says_how_far_from_the_best(monkeypatch):
    found = told(bnml.learn(bnml.example(), "qnml", "exact", method="cuts"), within=4.2)
    monkeypatch.setattr(parts, "solve", lambda problem: found)
    study = bnml.study(bnml.example(), repetitions=0)
    sentence = "o network scores more than 4.2 nats higher (bound -"
    assert f"N{sentence}" in words(str(study))
    assert f"not proven the best, but n{sentence}" in study.html()
    assert study.to_dict()["learning"]["within"] == 4.2


def test_a_wide_table():
    rng = np.random.default_rng(0)
    data = bnml.read(rng.integers(0, 2, (100, 42)))
    result = bnml.learn(data, "bic", "exact", max_parents=1)
    assert result.info["method"] == "cuts"
    assert "no network with at most 1 parent each has a higher score" in words(str(result))
