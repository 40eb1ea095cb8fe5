"""The first step selects: which variables take part, what that leaves of constraints, and how it is told."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import bnml
from bnml.errors import BnmlError
from bnml.five_steps.selection import Selection
from bnml.report.study_text import selection_sentences

FEW = {"repetitions": 0, "threads": 1}


def study(select, target="lung", **given):
    return bnml.study(bnml.example(), target, select=select, **{**FEW, **given})


def test_all_take_part_by_default():
    found = bnml.study(bnml.example(), "lung", **FEW)
    assert found.data is found.table
    assert found.selection == Selection("all", bnml.example().names)
    assert found.to_dict() | {"seconds": 0} == study("all").to_dict() | {"seconds": 0}
    assert "take no further part" not in found.html()


def test_those_that_depend_on_the_target():
    found = study("target", alpha=0.01)
    chosen = {"lung", *bnml.select_features(bnml.example(), "lung", 0.01)}
    assert found.data.names == tuple(name for name in bnml.example().names if name in chosen)
    assert {name for name, _ in found.selection.reasons} == set(bnml.example().names) - chosen
    assert all("no dependence on “lung” beyond chance (adjusted p-value" in why for _, why in found.selection.reasons)
    assert set(found.learned.dag.names) == chosen
    assert found.learned.dag == bnml.learn(bnml.example().select(found.data.names)).dag
    assert set(found.features.pairs["a"]) | set(found.features.pairs["b"]) == set(bnml.example().names)


def test_the_markov_blanket():
    found = study("blanket")
    blanket = bnml.learn(bnml.example()).dag.markov_blanket("lung")
    assert set(found.data.names) == {"lung", *blanket}
    assert found.to_dict()["selection"]["how"] == "blanket"
    assert "not in the Markov blanket" in found.html()


def test_a_list():
    found = study(["smoke", "bronc"])
    assert found.data.names == ("smoke", "lung", "bronc")  # in the order of the table, with the target
    assert found.pc.pdag.names == found.posterior.names == found.data.names
    text = " ".join(str(found).split())
    assert "5 of 8 variables take no further part, as others were asked for: asia, tub, either, xray and dysp." in text
    assert "The table has 5,000 rows and 8 variables." in text
    page = found.html()
    shown = page[page.index("Variables that take no further part") :]
    for name, reason in found.selection.reasons:
        assert f'<th scope="row">{name}</th><td>{reason}</td>' in shown
        assert reason == "not among those that were asked for"


def test_nothing_depends_on_the_target():
    rng = np.random.default_rng(3)
    found = bnml.study(pd.DataFrame(rng.integers(0, 2, (60, 3)), columns=list("abc")), "a", select="target", **FEW)
    assert found.data.names == ("a",)
    assert "2 of 3 variables take no further part" in " ".join(str(found).split())


# --- what is known ---


def test_constraints_that_say_nothing_of_others_are_left_out_and_told():
    known = bnml.Constraints(
        forbidden=[("asia", "smoke"), ("lung", "smoke")], forbidden_links=[("asia", "lung")],
        tiers=[["smoke"], ["asia"], ["lung"]],
    )  # fmt: skip
    found = study(["smoke", "lung"], constraints=known)
    assert found.constraints == bnml.Constraints(forbidden=[("lung", "smoke")], tiers=[["smoke"], ["lung"]])
    assert found.notes == (
        "asia → smoke must not be in the network: asia does not take part.",
        "asia and lung must not be linked: asia does not take part.",
        "The place in the order of asia, as asia does not take part.",
    )
    for note in found.notes:
        assert note in " ".join(str(found).split())
        assert note in found.html()
    assert found.to_dict()["not_heeded"] == list(found.notes)
    assert found.learned.constraints == found.constraints


def test_nothing_is_left_of_constraints():
    found = study(["smoke", "lung"], constraints=bnml.Constraints(forbidden=[("asia", "tub")]))
    assert found.constraints is None
    assert found.learned.dag == study(["smoke", "lung"]).learned.dag


@pytest.mark.parametrize("kind", ["required", "required_links"])
def test_what_is_required_takes_part(kind):
    known = bnml.Constraints(**{kind: [("asia", "tub")]})
    found = study("target", constraints=known)
    assert {"asia", "tub"} <= set(found.data.names)
    assert "asia" not in found.features.selected
    assert dict(found.selection.added)["asia"] == "a link with “tub” is required"
    assert "“asia” takes part because a link with “tub” is required." in " ".join(str(found).split())
    assert "<p>“asia” takes part because a link with “tub” is required.</p>" in found.html()
    with pytest.raises(BnmlError, match=r"select: 'asia' is left out, yet a link with “tub” is required"):
        study(["tub", "smoke"], constraints=known)


def test_options_that_name_variables():
    order = list(bnml.example().names)[::-1]
    found = study(["smoke", "bronc"], search="k2", order=order)
    assert found.learned.info["order"] == ("bronc", "lung", "smoke")
    found = study("target", search="tan", class_variable="asia")
    assert dict(found.selection.added)["asia"] == "it is the class of tan"
    with pytest.raises(BnmlError, match=r"'asia' is left out, yet it is the class of naive"):
        study(["smoke"], search="naive", class_variable="asia")


# --- what is refused ---


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"select": "blankets"}, r"select='blankets': expected one of .*Did you mean 'blanket'"),
        ({"select": "target", "target": None}, r"select='target' needs target="),
        ({"select": "blanket", "target": None}, r"select='blanket' needs target="),
        ({"select": []}, "names of at least one variable"),
        ({"select": [1]}, "names of at least one variable"),
        ({"select": 1}, "or a list of variables"),
        ({"select": ["smok"]}, r"select='smok': there is no such variable .*Did you mean 'smoke'"),
    ],
)
def test_wrong_selections_are_refused_before_any_work(wrong, said, monkeypatch):
    monkeypatch.setattr("bnml.five_steps.parts.features_of", lambda *_: pytest.fail("it has begun"))
    with pytest.raises(BnmlError, match=said):
        study(**wrong)


def test_a_prior_network_has_all_variables():
    network = bnml.fit(bnml.DAG(bnml.example().names), bnml.example())
    with pytest.raises(BnmlError, match="the prior network of bde has all variables"):
        study("target", score=bnml.scores.BDe(network))


def test_no_network_no_blanket():
    u = np.random.default_rng(120).integers(0, 2, (150, 5))
    table = np.stack([u[:, k] | u[:, (k + 1) % 5] for k in range(5)], axis=1)
    with pytest.raises(BnmlError, match="no network of all variables fits what pc found"):
        bnml.study(table, "X0", select="blanket", search="pc", alpha=0.1, **FEW)


def test_sentences():
    assert selection_sentences(Selection("all", ("a",)), None) == ()
