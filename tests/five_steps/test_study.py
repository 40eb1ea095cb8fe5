"""A study: its parts, its summary, what it leaves out and what it refuses."""

from __future__ import annotations

import importlib
import pickle
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import bnml
from bnml._text import names_in_words, p_value_text, percent, shortened_in_the_middle
from bnml.errors import BnmlError
from bnml.five_steps.parts import _max_condition
from bnml.report.study_text import findings_of, knowledge_sentences
from bnml.uncertainty import SampledPosterior


@pytest.fixture(scope="module")
def clinic():
    return bnml.study(bnml.example(), "lung", repetitions=6, prior="uniform")


@pytest.fixture(scope="module")
def odd():
    """Return a study of a table with a constant column, two copies, a long name and many variables."""
    rng = np.random.default_rng(0)
    a = rng.integers(0, 2, 200)
    columns = {"a": a, "copy of a": a, "x" * 90: np.where(rng.random(200) < 0.9, a, 1 - a)}
    columns |= {f"v{i}": rng.integers(0, 3, 200) for i in range(13)} | {"flat": np.zeros(200, int)}
    with pytest.warns(UserWarning, match="flat"):
        data = bnml.read(pd.DataFrame(columns))
    return bnml.study(data, repetitions=0, score="bic")


def test_the_parts_are_those_of_the_steps(clinic):
    data = bnml.example()
    assert clinic.features.selected == tuple(bnml.select_features(data, "lung"))
    assert clinic.pc.pdag == bnml.pc(data).pdag
    assert clinic.npc.pdag == bnml.npc(data).pdag
    assert clinic.learned.dag == bnml.learn(data, prior="uniform").dag
    assert clinic.bootstrap.support == pytest.approx(
        bnml.bootstrap(data, search="exact", prior="uniform", repetitions=6).support
    )
    pd.testing.assert_frame_equal(
        clinic.posterior.arc_probabilities,
        bnml.posterior(data, "qnml", structure_prior="uniform").arc_probabilities,
        atol=1e-12,
    )
    pd.testing.assert_frame_equal(clinic.strength, bnml.strength(clinic.learned.dag, data, prior="uniform"))
    assert clinic.left_out == ()


def test_features(clinic):
    pairs = clinic.features.pairs
    assert len(pairs) == 28
    assert pairs["log_p"].is_monotonic_increasing
    beyond = (pairs["mutual_information"] - pairs["degrees_of_freedom"] / (2 * clinic.data.n_rows)).clip(0)
    assert pairs["strength"].to_numpy() == pytest.approx(np.sqrt(1 - np.exp(-2 * beyond)))
    told = clinic.features.of_target
    assert set(told["variable"]) == set(bnml.example().names) - {"lung"}
    assert tuple(told["variable"][told["adjusted_p_value"] <= 0.05]) == clinic.features.selected


def test_links(clinic):
    inside = [link for link in clinic.links if link.in_network]
    assert {(link.a, link.b) for link in inside} == set(clinic.learned.dag.arcs)
    directed = {(link.a, link.b) for link in inside if link.directed}
    assert directed == set(clinic.directions.directed) < set(clinic.learned.cpdag.directed)
    for link in clinic.links:
        chance = clinic.posterior.link_probabilities.loc[link.a, link.b]
        assert link.probability == pytest.approx(chance)
        assert link.certainty == min(link.support, link.probability)
    assert {link.verdict for link in inside} <= {"firm", "likely", "unsure"}


def test_odd_columns(odd):
    assert odd.features.constant == ("flat",)
    assert [pair[:2] for pair in odd.features.twins] == [("a", "copy of a")]
    text = " ".join(str(odd).split())
    assert "flat has the same value in every row" in text
    assert "all but copies of each other" in text


def test_what_is_left_out_is_told(odd):
    assert dict(odd.left_out).keys() == {"posterior", "bootstrap"}
    assert odd.bootstrap is None
    assert "17" not in dict(odd.left_out)["posterior"]
    assert "What was left out" in str(odd)
    assert "Support is not known" in odd.html()
    assert "Probabilities are not known" in odd.html()
    few = bnml.study(bnml.example().select(["smoke", "lung"]), score="bic", repetitions=1)
    assert "bic cannot be read as a probability" in dict(few.left_out)["posterior"]


def test_constraints_hold_everywhere_and_are_told():
    known = bnml.Constraints(
        required=[("asia", "xray")], forbidden=[("smoke", "lung")], forbidden_links=[("bronc", "dysp")],
        required_links=[("tub", "smoke")], tiers=[["asia"], ["lung", "xray"]],
    )  # fmt: skip
    found = bnml.study(bnml.example(), constraints=known, repetitions=2)
    assert known.allows(found.learned.dag)
    assert found.bootstrap.support[0, bnml.example().index("xray")] > 0
    assert {frozenset(("bronc", "dysp"))}.isdisjoint(frozenset(arc) for arc in found.pc.pdag.directed)
    words = knowledge_sentences(known)
    assert list(words) == [
        "asia → xray must be in the network.",
        "smoke → lung must not be in the network.",
        "smoke and tub must be linked, in either direction.",
        "bronc and dysp must not be linked.",
        "No arrow leads back in this order: asia; then lung and xray.",
    ]
    assert all(sentence in found.html() for sentence in words)
    assert isinstance(found.posterior, SampledPosterior)  # sums cannot take a link that may have either direction
    assert found.posterior.link_probabilities.loc["tub", "smoke"] == 1.0
    assert "sampled networks, with a standard error of at most" in " ".join(found.html().split())


@pytest.mark.parametrize("name", ["clinic", "odd"])
def test_summary(name, request):
    study = request.getfixturevalue(name)
    lines = str(study).splitlines()
    assert max(map(len, lines)) <= 80
    assert "What is uncertain" in lines
    assert repr(study).startswith("<Study of ")
    assert "not a proof of cause" in study._repr_html_()


def test_findings(clinic):
    found = findings_of(clinic)
    assert found.main[0] == "The table has 5,000 rows and 8 variables."
    assert any("directly linked with smoke and either" in one for one in found.main)
    assert "No other network has a higher score (qnml)" in found.proven[0]
    assert "not a proof of cause" in found.uncertain[-1]


def test_one_and_two_variables():
    for names in (["smoke"], ["smoke", "asia"]):
        found = bnml.study(bnml.example().select(names), names[0], repetitions=2)
        assert "linked with no other variable" in " ".join(str(found).split())
        assert found.html().count("</section>") == 6


def test_the_same_again(clinic):
    again = bnml.study(bnml.example(), "lung", repetitions=6, threads=1, prior="uniform")
    assert again.html() == clinic.html()
    assert str(again) == str(clinic)
    assert pickle.loads(pickle.dumps(clinic)).html() == clinic.html()


def test_progress():
    told = []
    bnml.study(bnml.example(), repetitions=2, threads=1, progress=lambda stage, share: told.append(share))
    assert told == sorted(told)
    assert told[-1] == pytest.approx(1.0)


@pytest.mark.parametrize(
    "wrong",
    [
        {"target": "lungs"}, {"alpha": 2}, {"score": "x"}, {"search": "x"}, {"repetitions": -1}, {"repetitions": 1.5},
        {"seed": -1}, {"threads": 0}, {"constraints": 1}, {"constraints": bnml.Constraints(required=[("a", "b")])},
        {"order": ["a"]}, {"progress": 1}, {"time_limit": 5},
    ],
)  # fmt: skip
def test_wrong_arguments_are_refused_before_any_work(wrong, monkeypatch):
    monkeypatch.setattr("bnml.five_steps.parts.features_of", lambda *_: pytest.fail("it has begun"))
    with pytest.raises(BnmlError):
        bnml.study(bnml.example(), **wrong)


def test_tests_are_bounded():
    def all_linked(n):
        pairs = [(f"v{i}", f"v{j}", 0.0) for i in range(n) for j in range(i)]
        return pd.DataFrame(pairs, columns=["a", "b", "p_value"])

    assert [_max_condition(all_linked(n), 0.05) for n in (1, 2, 9, 20, 40, 100)] == [None, None, None, 2, 1, 1]
    assert _max_condition(all_linked(100).assign(p_value=0.5), 0.05) is None


@pytest.mark.parametrize(
    ("p", "text"),
    [(0.0, "<0.0001"), (0.0001, "0.0001"), (0.00096, "0.001"), (0.0996, "0.10"), (1, "1.00"), (float("nan"), "–")],
)
def test_p_values_as_people_read_them(p, text):
    assert p_value_text(p) == text


def test_words():
    assert [percent(x) for x in (0.0, 0.001, 0.5, 0.999, 1.0)] == ["0%", "<1%", "50%", ">99%", "100%"]
    assert names_in_words(["a"]) == "a"
    assert names_in_words(["a", "b c"]) == "a and “b c”"
    assert names_in_words(["a"] * 8) == "a, a, a, a, a, a and 2 more"
    assert names_in_words(["a b → c"]) == "“a b” → c"
    assert shortened_in_the_middle("abcdefghij", 6) == "abc…ij"
    assert shortened_in_the_middle("a\nb", 6) == "a\\nb"


def test_no_network_fits_what_tests_found():
    """A ring of common causes: PC's directions contradict each other, and the study says so."""
    u = np.random.default_rng(120).integers(0, 2, (150, 5))
    table = np.stack([u[:, k] | u[:, (k + 1) % 5] for k in range(5)], axis=1)
    found = bnml.study(table, "X0", search="pc", alpha=0.1, repetitions=2)
    assert found.learned.dag is None
    assert found.learned.info["alpha"] == 0.1
    assert "No network fits what the tests of PC found" in " ".join(str(found).split())
    assert dict(found.left_out)["strength"] == "no network fits what the tests of PC found"
    assert found.to_dict()["learning"]["arcs"] is None
    assert len(found.arcs) == sum(link.in_network for link in found.links) == 6
    assert "no network fits" in found.html()


# --- directions and other scores ---


def plain(study) -> str:
    return " ".join(str(study).split())


def test_a_direction_is_told_where_the_best_networks_by_all_scores_have_it(clinic):
    """By fNML the X-ray may as well point to the finding; the others direct it."""
    classes = dict(clinic.other_scores)
    assert set(classes) == {"bic", "bdeu", "fnml"}
    for name, graph in classes.items():
        assert graph == bnml.learn(bnml.example(), name, search="exact", prior="uniform").shared_directions
    assert ("either", "xray") in clinic.learned.directions.directed
    assert ("either", "xray") not in classes["fnml"].directed
    shared = set(clinic.learned.directions.directed).intersection(*(graph.directed for graph in classes.values()))
    assert set(clinic.directions.directed) == shared == {("bronc", "dysp"), ("either", "dysp")}
    link = next(link for link in clinic.links if (link.a, link.b) == ("either", "xray"))
    assert (link.text, link.disputed_by, len(link.scores)) == ("either – xray", ("fnml",), 4)
    for text in (plain(clinic), clinic.html()):
        assert "The best networks by qnml, bic, bdeu and fnml agree on these" in text
        assert "do not agree on the direction of 3 links, which is left open here" in text
        assert "either → xray" not in text
    assert "open: fnml disagrees" in clinic.html()
    assert clinic.to_dict()["learning"]["told_directions"] == [["bronc", "dysp"], ["either", "dysp"]]


def test_the_score_is_named_where_others_are_not_compared(monkeypatch):
    monkeypatch.setattr("bnml.five_steps.other_scores.MOST_SECONDS", 0.0)
    found = bnml.study(bnml.example(), repetitions=0)
    assert found.other_scores == ()
    assert "all directions rest on qnml alone" in dict(found.left_out)["other scores"]
    assert "This rests on the score qnml alone; other scores were not compared." in plain(found)
    assert set(found.directions.directed) == set(found.learned.directions.directed)


def test_networks_with_the_same_score_disagree(monkeypatch):
    monkeypatch.setattr("bnml.five_steps.other_scores.MOST_SECONDS", 0.0)
    x, y = np.array([[0, 0, 1, 1], [0, 1, 0, 1]]).repeat(50, axis=1)
    found = bnml.study(pd.DataFrame({"x": x, "y": y, "z": x ^ y}), repetitions=0)
    assert found.directions.directed == ()
    assert "networks that share the highest score (qnml) do not agree on the direction of 2 links" in plain(found)
    assert "→" not in plain(found)


# --- strong, and found again ---


def test_a_slight_dependence_can_be_firm_and_a_strong_one_unsure():
    rng = np.random.default_rng(0)
    a = rng.integers(0, 2, 20_000)
    slight = np.where(rng.random(20_000) < 0.08, a, rng.integers(0, 2, 20_000))
    found = bnml.study(pd.DataFrame({"a": a, "slight": slight}), repetitions=10)
    (link,) = found.links
    assert link.verdict == "firm"
    assert link.strength < 0.15
    assert "a slight dependence can be firm" in found.html()
    b = np.arange(12) % 2
    few = bnml.study(pd.DataFrame({"a": b, "b": b ^ (np.arange(12) < 2)}), repetitions=20, rows_per_cell=0)
    (link,) = few.links
    assert link.verdict == "unsure"
    assert link.strength > 0.5
    for study in (found, few):
        assert "weak" not in plain(study)
        assert "strong" not in plain(study)
        head = next(line for line in str(study).splitlines() if line.startswith("link "))
        assert head.split() == ["link", "strength", "support", "probable", "judged", "net", "gain", "p"]
        assert "strength (0 to 1)" in study.html()
        assert "support (% of halves)" in study.html()
        assert "gain (nats)" in study.html()


def test_pictures_have_legends_with_units(clinic, monkeypatch):
    drawing = importlib.import_module("bnml.plot.draw")
    shown, draw = [], drawing.draw
    monkeypatch.setattr(drawing, "draw", lambda graph, **given: shown.append(draw(graph, **given)) or shown[-1])
    clinic.html()
    legends = [{text.get_text() for text in one.axes[0].texts} - set(clinic.data.names) for one in shown]
    assert len(legends) == 2
    assert {"direction from the data", "direction open"} <= legends[0]
    assert any(text.startswith("strength 0.") and text.endswith(" (0 to 1)") for text in legends[0])
    assert {"direction from the tests", "direction open"} <= legends[1]
    assert "strength, on a scale from 0 to 1" in clinic.html()


# --- raw tables ---

SHARED = Path(__file__).parents[3] / "shared" / "data" / "uci"


@pytest.mark.skipif(not SHARED.is_dir(), reason="the folder shared/data is not there")
@pytest.mark.parametrize("rows", [60, 150])
@pytest.mark.parametrize("name", ["heart_cleveland", "diabetes", "wine", "abalone", "thyroid"])
def test_no_more_parameters_than_rows(name, rows):
    frame = pd.read_csv(SHARED / f"{name}.csv", na_values=["?"]).sample(rows, random_state=0).iloc[:, -8:]
    data = bnml.read(frame, bins="auto", missing="state")
    assert bnml.learn(data).n_parameters <= rows


def test_more_parameters_than_rows_are_told():
    rng = np.random.default_rng(0)
    found = bnml.study(pd.DataFrame(rng.integers(0, 9, (12, 2)).astype(str)), repetitions=0)
    assert "more than the table has rows (12)" in plain(found)


def test_a_table_of_numbers_with_gaps():
    rng = np.random.default_rng(0)
    age = rng.integers(20, 90, 300).astype(float)
    sick = (rng.random(300) < 1 / (1 + np.exp(-(age - 60) / 8))).astype(int)
    age[:20] = np.nan
    found = bnml.study(bnml.read(pd.DataFrame({"age": age, "sick": sick}), bins="auto", missing="state"), repetitions=2)
    assert "1 column of numbers was cut into ranges" in plain(found)
    assert "Missing values of age count as a value of their own, “?”." in plain(found)
    assert "≤" in found.html()


def test_halves_that_are_too_small_are_told():
    rng = np.random.default_rng(0)
    a, b = rng.integers(0, 3, (2, 100))
    c = np.where(rng.random(100) < 0.95, (a + b) % 2, rng.integers(0, 2, 100))
    found = bnml.study(pd.DataFrame({"a": a, "b": b, "c": c}), repetitions=4)
    assert found.learned.dag.parents("c") == ("a", "b")
    assert "A half has 50 rows. That is too few for all that points to c" in " ".join(found.html().split())


def test_more_than_fourteen_variables_are_sampled():
    rng = np.random.default_rng(0)
    rows = rng.integers(0, 2, (200, 15))
    rows[:, 14] = rows[:, 0] ^ (rng.random(200) < 0.05)
    found = bnml.study(rows, repetitions=0, max_parents=1)
    assert isinstance(found.posterior, SampledPosterior)
    assert found.posterior.converged
    link = next(link for link in found.links if {link.a, link.b} == {"X0", "X14"})
    assert link.probability == pytest.approx(1.0, abs=1e-6)
    assert "sampled networks" in " ".join(found.html().split())
    assert found.to_dict()["uncertainty"]["posterior"]["method"] == "sample"
