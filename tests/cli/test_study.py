"""``bnml study``: the summary, the report, ``--json``, and what it refuses."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

import bnml
from bnml.cli import main
from bnml.uncertainty.bootstrap import bootstrap_of


def test_summary(run):
    shown = run("study", "two.csv", "--target", "lung", "--repetitions", "3")
    assert shown.status == 0
    assert "Study of 2 variables, about “lung”" in shown.out
    assert "The two variables depend on each other" in shown.out
    assert max(map(len, shown.out.splitlines())) <= 80
    assert shown.err == ""


def test_report(run, folder):
    shown = run("study", "two.csv", "--repetitions", "2", "-o", "report.html", "--require", "smoke>lung")
    assert shown.status == 0
    assert "With pictures: report.html" in shown.out
    page = (folder / "report.html").read_text(encoding="utf-8")
    assert "<h1>A study of two.csv</h1>" in page
    assert "smoke → lung must be in the network." in page


def test_json(run, folder):
    shown = run("study", "two.csv", "--target", "lung", "--repetitions", "2", "--json", "-o", "r.htm", "--score", "bic")
    report = json.loads(shown.out)
    assert report["features"]["selected"] == ["smoke"]
    assert report["learning"]["score_name"] == "bic"
    assert report["learning"]["optimal"] is True
    assert report["uncertainty"]["links"][0]["support"] == 1.0
    assert report["strength"][0]["p_value"] < 0.05
    assert report["report"] == "r.htm"
    assert set(report["left_out"]) == {"posterior"}
    assert (folder / "r.htm").exists()


def test_the_example(run):
    shown = run("study", "--repetitions", "1", "--columns", "smoke,lung,bronc")
    assert shown.out.startswith("The bundled example")


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (("--target", "lungs"), "Did you mean 'lung'?"),
        (("-o", "none/report.html"), "there is no folder"),
        (("-o", "report.pdf"), "must end in .html"),
        (("--significance", "2"), "between 0 and 1"),
        (("--repetitions", "-1"), "from 0"),
        (("--repetitions", "x"), "not a whole number"),
        (("--folds", "1"), "--folds 1: expected 2 folds or more, or 0 for none"),
        (("--folds", "ten"), "not a whole number"),
        (("--event", "yes"), "is a value of the target: say --target, too"),
        (("--target", "lung", "--event", "ja"), "'lung' has no value 'ja'; its values are 'no', 'yes'"),
        (("--target", "lung", "--event", "no", "--event", "yes"), "and not all of them"),
        (("--score", "x"), "score"),
        (("--search", "x"), "search"),
        (("--require", "a>b"), "there is no variable"),
        (("--select", "target"), "--select target needs --target"),
        (("--select", "smoke,lungs"), "--select lungs: there is no such variable among 'smoke', 'lung'"),
        (("--select", "smoke", "--require", "smoke>lung"), "--select: 'lung' is left out, yet a link with “smoke”"),
        (("--search", "tan"), "--search tan needs --class"),
        (("--order", "smoke,lung"), "--order goes with --search k2, not with --search auto"),
        (("--drop-link", "smoke-lung"), "--drop-link goes with --search npc, not with --search auto"),
        (("--search", "npc", "--keep", "smoke-lung"), "--keep: lung - smoke is in no ambiguous region"),
        (("--network", "net.pdf"), "--network 'net.pdf': the name must end in .bif,"),
        (("--network", "net.bif", "--network", "net.bif"), "--network: 'net.bif' is named twice"),
        (("--save", "s.html"), "--save 's.html': the name must end in .json"),
        (("--save", "x.json", "-o", "x.json"), "-o and --save: 'x.json' is named twice"),
        (("--direct", "smoke>age"), "there is no variable 'age'"),
        (("--resume", "none.json"), "there is no file 'none.json'"),
        (("--resume", "two.csv"), "is not a study that bnml saved"),
    ],
)
def test_wrong_uses(run, wrong, said):
    shown = run("study", "two.csv", *wrong)
    assert shown.status == 2
    assert shown.out == ""
    assert said in shown.err
    assert shown.err.count("\n") == 1


# --- files, and going on ---


def test_the_network_is_handed_on(run, folder):
    """As bnml learn writes it: with cuts and how the table was read."""
    given = ("survey.csv", "--bins", "age=40,60", "--score", "bic")
    shown = run("study", *given, "--repetitions", "0", "--network", "net.json", "--network", "net.xdsl")
    assert shown.status == 0
    assert "net.json: 3 variables, 1 arc, " in shown.out
    assert "note: the cuts of 'age' are not kept in .xdsl files" in shown.err
    assert run("learn", *given, "-o", "learned.json").status == 0
    assert (folder / "net.json").read_bytes() == (folder / "learned.json").read_bytes()
    assert bnml.load("net.json").cuts == {"age": (40.0, 60.0)}
    assert bnml.load("net.xdsl").dag == bnml.load("net.json").dag


def test_no_network_file_where_no_network_fits(folder, capsys):
    """All else is written and shown all the same."""
    u = np.random.default_rng(120).integers(0, 2, (150, 5))
    table = np.stack([u[:, k] | u[:, (k + 1) % 5] for k in range(5)], axis=1)
    pd.DataFrame(table, columns=list("abcde")).to_csv("ring.csv", index=False)
    options = ("--search", "pc", "--significance", "0.1", "--repetitions", "0", "--network", "new.bif")
    assert main(("study", "ring.csv", *options, "-o", "r.html", "--save", "s.json")) == 2
    shown = capsys.readouterr()
    assert "No network fits what the tests of PC" in shown.out
    assert "bnml: --network: no network fits what pc found, and no network file was written" in shown.err
    assert (folder / "r.html").exists()
    assert (folder / "s.json").exists()
    assert not (folder / "new.bif").exists()


def test_searches_take_their_options(run):
    base = ("study", "two.csv", "--repetitions", "0", "--json")
    found = json.loads(run(*base, "--search", "tan", "--class", "lung").out)
    assert found["learning"]["arcs"] == [["lung", "smoke"]]
    found = json.loads(run(*base, "--search", "k2", "--order", "lung,smoke").out)
    assert found["settings"]["options"]["order"] == ["lung", "smoke"]
    assert found["learning"]["arcs"] == [["lung", "smoke"]]


def test_selection(run):
    shown = run("study", "survey.csv", "--target", "lung", "--select", "target", "--repetitions", "0", "--json")
    found = json.loads(shown.out)
    assert found["variables"] == ["smoke", "lung"]
    (left,) = found["selection"]["left_out"]
    assert left["variable"] == "age"
    assert [one["name"] for one in found["table"]["variables"]] == ["smoke", "lung", "age"]
    found = json.loads(run("study", "survey.csv", "--select", "age, lung", "--repetitions", "0", "--json").out)
    assert found["variables"] == ["lung", "age"]


def untimed(shown):
    return {key: value for key, value in json.loads(shown.out).items() if key not in ("seconds", "report", "saved")}


def test_going_on(run, folder, monkeypatch, capsys):
    asked = ("study", "survey.csv", "--target", "lung", "--repetitions", "2", "--tiers", "smoke|lung", "--json")
    whole = untimed(run(*asked))
    monkeypatch.setattr("bnml.five_steps.parts.bootstrap_of", interrupt)
    assert main((*asked, "--save", "s.json")) == 130
    assert main((*asked, "-o", "t.json")) == 130
    assert main(("study", "--resume", "s.json")) == 130
    capsys.readouterr()
    monkeypatch.setattr("bnml.five_steps.parts.bootstrap_of", bootstrap_of)
    shown = run("study", "--resume", "s.json", "--json", "-o", "r.html")
    assert (shown.status, shown.err) == (0, "")
    assert untimed(shown) == whole
    assert "<h1>A study of survey.csv: lung</h1>" in (folder / "r.html").read_text(encoding="utf-8")
    monkeypatch.setattr("bnml.five_steps.parts.bootstrap_of", interrupt)  # it is done, and kept
    assert untimed(run("study", "--resume", "s.json", "--json")) == whole
    assert main(("study", "--resume", "t.json")) == 130  # that one is not


def interrupt(*arguments, **given):
    raise KeyboardInterrupt


def test_an_interrupt_says_how_to_go_on(folder, capsys, monkeypatch):
    monkeypatch.setattr("bnml.five_steps.parts.bootstrap_of", interrupt)
    assert main(("study", "two.csv", "--save", "my study.json")) == 130
    assert capsys.readouterr().err.endswith("to go on: bnml study --resume 'my study.json'\ninterrupted\n")


def test_the_table_is_elsewhere(run, folder):
    assert run("study", "two.csv", "--repetitions", "0", "--save", "s.json").status == 0
    (folder / "two.csv").rename("three.csv")
    shown = run("study", "--resume", "s.json")
    assert shown.status == 2
    assert "if the table of 's.json' is elsewhere now, give DATA" in shown.err
    assert run("study", "three.csv", "--resume", "s.json").status == 0
    shown = run("study", "survey.csv", "--resume", "s.json")
    assert shown.status == 2
    assert "this is not the table that the study of 's.json' was made of" in shown.err


def test_a_study_is_no_table(run):
    shown = run("study", "s.json")
    assert (shown.status, shown.out) == (2, "")
    assert shown.err == "bnml: DATA 's.json' is no table; if it is a study that was saved, say --resume s.json\n"


def test_deciding_by_hand(run):
    assert run("study", "two.csv", "--repetitions", "0", "--save", "s.json").status == 0
    shown = run("study", "--resume", "s.json", "--direct", "smoke>lung", "--save", "decided.json", "--json")
    assert json.loads(shown.out)["decisions"]["directed"] == [["smoke", "lung"]]
    assert json.loads(run("study", "--resume", "decided.json", "--json").out)["learning"]["arcs"] == [["smoke", "lung"]]
    direct = json.loads(run("study", "two.csv", "--repetitions", "0", "--direct", "lung -> smoke", "--json").out)
    assert direct["learning"]["arcs"] == [["lung", "smoke"]]


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (("--score", "bic"), "--resume: the study has its settings already; leave out --score, or begin it anew"),
        (("--target", "lung"), "leave out --target"),
        (("--folds", "2"), "leave out --folds"),
        (("--bins", "auto"), "leave out --bins"),
        (("--require", "smoke>lung"), "leave out --require"),
        (("--direct", "smoke>lungs"), "there is no variable 'lungs'"),
        (("--keep", "smoke-lung"), "--keep: lung - smoke is in no ambiguous region"),
        (("--drop-link", "smoke-lung"), "--drop-link: lung - smoke is in no ambiguous region"),
        (("--save", "none/s.json"), "there is no folder"),
    ],
)
def test_wrong_uses_when_going_on(run, wrong, said):
    assert run("study", "two.csv", "--repetitions", "0", "--save", "s.json").status == 0
    shown = run("study", "--resume", "s.json", *wrong)
    assert (shown.status, shown.out) == (2, "")
    assert said in shown.err
    assert shown.err.count("\n") == 1


def test_the_risk_of_an_event(run):
    asked = ("study", "survey.csv", "--target", "lung", "--repetitions", "0")
    found = json.loads(run(*asked, "--event", "no", "--folds", "2", "--json").out)
    assert found["risk"]["event"] == ["no"]
    assert found["validation"]["folds"] == found["settings"]["folds"] == 2
    assert found["validation"]["outcomes"] == ["not no", "no"]
    assert found["table"]["gaps"] == {"missing": {}, "dropped": 0, "weightless": 0}
    assert "accuracy" in run(*asked).out


def test_json_has_what_the_page_shows(run):
    found = json.loads(run("study", "survey.csv", "--target", "lung", "--repetitions", "2", "--json").out)
    network = {one["variable"]: one for one in found["network"]}
    fitted = bnml.learn(bnml.read("survey.csv", bins="auto")).network
    assert network["lung"]["parents"] == list(fitted.dag.parents("lung"))
    assert np.array(network["lung"]["table"]) == pytest.approx(fitted.probabilities("lung").reshape(-1, 2))
    age = found["table"]["variables"][2]
    assert len(age["cuts"]) + 1 == len(age["states"]) == len(age["shares"])
    assert sum(age["shares"]) == pytest.approx(1.0)
    assert found["learning"]["pc"]["n_tests"] > 0
    assert found["uncertainty"]["bootstrap"]["search"] == "exact"
    assert "equally probable" in found["uncertainty"]["posterior"]["prior_text"]
    assert {one["variable"] for one in found["features"]["of_target"]} == {"smoke", "age"}
    assert found["settings"]["seed"] == 0
