"""``bnml strength``: the table, ``--json``, and what it refuses."""

from __future__ import annotations

import json

import pytest


@pytest.fixture
def survey(tmp_path, monkeypatch):
    (tmp_path / "survey.csv").write_text("a,b,c\n" + "x,x,u\nx,x,v\ny,y,u\ny,y,v\nx,y,u\n" * 20)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_report(run, survey):
    shown = run("strength", "[a][b|a][c]", "survey.csv")
    assert shown.status == 0
    assert "a -> b" in shown.out
    assert max(map(len, shown.out.splitlines())) <= 80


def test_json(run, survey):
    report = json.loads(run("strength", "[a][b|a][c|b]", "survey.csv", "--score", "bic", "--json").out)
    assert [row["to"] for row in report["arcs"]] == ["b", "c"]
    assert report["arcs"][0]["p_value"] < 1e-6


@pytest.mark.parametrize(
    "wrong",
    [
        ("[a", "survey.csv"),
        ("[a]", "survey.csv"),
        ("[a][b][c]", "none.csv"),
        ("[a][b][c]", "survey.csv", "--score", "x"),
        ("n.bif", "survey.csv"),
    ],
)
def test_wrong_uses(run, survey, wrong):
    shown = run("strength", *wrong)
    assert shown.status == 2
    assert shown.out == ""
