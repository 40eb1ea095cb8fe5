"""``bnml bootstrap``: the report, ``--json``, and what it refuses."""

from __future__ import annotations

import json

import pytest

EXAMPLE = "a,b,c\n" + "x,x,u\nx,x,v\ny,y,u\ny,y,v\nx,y,u\n" * 20


@pytest.fixture
def survey(tmp_path, monkeypatch):
    (tmp_path / "survey.csv").write_text(EXAMPLE)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_report(run, survey):
    shown = run("bootstrap", "survey.csv", "--repetitions", "10", "--search", "climb")
    assert shown.status == 0
    assert "a -> b" in shown.out or "b -> a" in shown.out
    assert max(map(len, shown.out.splitlines())) <= 80


def test_json(run, survey):
    shown = run("bootstrap", "survey.csv", "--repetitions", "10", "--score", "bic", "--json")
    report = json.loads(shown.out)
    assert report["repetitions"] == 10
    assert frozenset("ab") in {frozenset(arc) for arc in report["arcs"]}
    assert report["support"][0]["support"] == 1.0


@pytest.mark.parametrize(
    "wrong",
    [
        ("nothing.csv",),
        ("survey.csv", "--repetitions", "0"),
        ("survey.csv", "--repetitions", "many"),
        ("survey.csv", "--search", "magic"),
        ("survey.csv", "--score", "bicc"),
        ("survey.csv", "--threads", "0"),
        ("survey.csv", "--columns", "nobody"),
    ],
)
def test_wrong_uses(run, survey, wrong):
    shown = run("bootstrap", *wrong)
    assert shown.status == 2
    assert shown.out == ""
    assert shown.err.strip()
