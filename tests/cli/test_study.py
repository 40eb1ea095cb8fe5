"""``bnml study``: the summary, the report, ``--json``, and what it refuses."""

from __future__ import annotations

import json

import pytest


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
        (("--score", "x"), "score"),
        (("--search", "x"), "search"),
        (("--require", "a>b"), "there is no variable"),
    ],
)
def test_wrong_uses(run, wrong, said):
    shown = run("study", "two.csv", *wrong)
    assert shown.status == 2
    assert shown.out == ""
    assert said in shown.err
    assert shown.err.count("\n") == 1
