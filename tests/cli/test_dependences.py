"""``bnml dependences``: the table, ``--json``, and what it refuses."""

from __future__ import annotations

import json

import pytest


@pytest.fixture
def survey(tmp_path, monkeypatch):
    (tmp_path / "survey.csv").write_text("a,b,c\n" + "x,x,u\nx,x,v\ny,y,u\ny,y,v\nx,y,u\n" * 20)
    (tmp_path / "few.csv").write_text("a,b,c\nx,y,u\nx,x,v\ny,y,v\n")
    wide = ",".join(f"v{i}" for i in range(12))
    (tmp_path / "wide.csv").write_text(wide + "\n" + f"{','.join('01' * 6)}\n{','.join('10' * 6)}\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_report(run, survey):
    shown = run("dependences", "survey.csv", "--test", "x2", "--adjust", "bh")
    assert shown.status == 0
    first = next(line for line in shown.out.splitlines() if " - " in line)
    assert first.split()[:3] == ["a", "-", "b"]
    assert "3 pairs, 100 rows" in shown.out
    assert "adjusted" in shown.out
    assert max(map(len, shown.out.splitlines())) <= 80


def test_sparse_pairs_are_marked(run, survey):
    shown = run("dependences", "wide.csv")
    assert all(line.rstrip().endswith("1*") for line in shown.out.splitlines() if " - " in line)
    assert "* fewer than five rows per cell" in shown.out
    assert "*" not in run("dependences", "survey.csv").out
    assert "* fewer than five rows per cell" in run("strength", "[a|b][b][c]", "few.csv").out
    assert "*" not in run("strength", "[a|b][b][c]", "survey.csv").out


def test_long_tables_are_cut(run, survey):
    assert "26 more pairs" in run("dependences", "wide.csv").out
    assert "more pairs" not in run("dependences", "wide.csv", "--all").out


def test_json(run, survey):
    report = json.loads(run("dependences", "survey.csv", "--target", "c", "--json").out)
    assert report["rows"] == 100
    assert [{row["a"], row["b"]} for row in report["pairs"]] == [{"a", "c"}, {"b", "c"}]
    assert set(report["pairs"][0]) == {
        "a", "b", "mutual_information", "g2", "degrees_of_freedom", "p_value", "log_p", "sparse",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (("none.csv",), "none.csv"),
        (("none.csv", "--test", "bic"), "--test bic"),
        (("survey.csv", "--adjust", "x"), "--adjust x"),
        (("survey.csv", "--target", "nobody"), "--target nobody"),
    ],
)
def test_wrong_uses(run, survey, wrong, message):
    shown = run("dependences", *wrong)
    assert shown.status == 2
    assert shown.out == ""
    assert message in shown.err
