"""Tables in which variables were set, on the command line."""

from __future__ import annotations

import json

import pytest

import bnml

from .. import interventions

TABLE = interventions.random_table(31, n=3, n_rows=200)


@pytest.fixture
def lab(tmp_path, monkeypatch):
    TABLE.to_csv(tmp_path / "lab.csv", index=False)
    (tmp_path / "lab.toml").write_text('interventions = "set"\n')
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_learn(run, lab):
    want = bnml.learn(interventions.read(TABLE), "bic")
    for given in (("--interventions", "set"), ("--config", "lab.toml")):
        report = json.loads(run("learn", "lab.csv", "--score", "bic", "--json", *given).out)
        assert report["score"] == pytest.approx(want.score, abs=1e-9)
        assert report["interventions"]["rows_set"] == int((TABLE["set"] != "").sum())
        assert report["interventions"]["directed"] == [list(arc) for arc in want.directions.directed]
    shown = run("learn", "lab.csv", "--score", "bic", "--interventions", "set").out
    assert "interventional class" in " ".join(shown.split())
    assert max(map(len, shown.splitlines())) <= 80


def test_every_command_that_reads_a_table(run, lab):
    data = interventions.read(TABLE)
    dag = "[v0][v1|v0][v2|v1]"
    told = ("--interventions", "set", "--json")
    scored = json.loads(run("score", dag, "lab.csv", "--score", "bic", *told).out)
    assert scored["score"] == pytest.approx(bnml.score(bnml.DAG.parse(dag), data, "bic"), abs=1e-9)
    strength = json.loads(run("strength", dag, "lab.csv", "--score", "bic", *told).out)
    assert strength["arcs"][0]["score_gain"] == pytest.approx(
        float(bnml.strength(bnml.DAG.parse(dag), data, "bic")["score_gain"].iloc[0])
    )
    posterior = json.loads(run("posterior", "lab.csv", *told).out)
    assert posterior["rows"] == 200
    assert run("bootstrap", "lab.csv", "--repetitions", "4", *told).status == 0
    dependences = json.loads(run("dependences", "lab.csv", *told).out)
    assert dependences["rows"] == int((TABLE["set"] == "").sum())
    assert "in which nothing was set" in run("dependences", "lab.csv", "--interventions", "set").out
    TABLE.assign(set="v1").to_csv("always.csv", index=False)
    always = run("dependences", "always.csv", "--interventions", "set").out
    assert "200 rows in which nothing but v1 was set" in always
    info = json.loads(run("info", "lab.csv", *told).out)
    assert info["interventions"]["rows_set"] == int((TABLE["set"] != "").sum())
    assert [column["name"] for column in info["columns"]] == ["v0", "v1", "v2"]
    assert "variables were set in" in run("info", "lab.csv", "--interventions", "set").out
    assert run("info", "lab.csv", "--interventions", "set", "--write-config", "found.toml").status == 0
    assert 'interventions = "set"' in (lab / "found.toml").read_text()
    assert run("fit", dag, "lab.csv", "--interventions", "set", "-o", "one.json").status == 0
    assert run("fit", "one.json", "lab.csv", "--interventions", "set", "-o", "two.json").status == 0
    want = bnml.fit(bnml.DAG.parse(dag), data)
    for name in ("one.json", "two.json"):
        assert (bnml.load(lab / name).cpt("v2").to_numpy() == want.cpt("v2").to_numpy()).all()


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (("learn", "lab.csv", "--interventions", "sets"), "--interventions: there is no column 'sets'"),
        (("learn", "lab.csv", "--interventions", "v0"), "no variable"),
        (("learn", "lab.csv", "--interventions", "set", "--drop", "v1"), "left out"),
        (("learn", "lab.csv", "--interventions", "set", "--search", "ges"), "--search exact"),
        (("learn", "lab.csv", "--interventions", "set", "--search", "pc"), "--search exact"),
    ],
)
def test_wrong_uses(run, lab, wrong, words):
    shown = run(*wrong)
    assert shown.status == 2
    assert not shown.out
    assert words in " ".join(shown.err.split())
