"""``--missing em``, and ``bnml impute``."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from importlib import import_module
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import bnml
from bnml.search.search_result import SearchResult

HEART = Path(__file__).parents[3] / "shared" / "data" / "uci" / "heart_cleveland.csv"
shared = pytest.mark.skipif(not HEART.is_file(), reason="the folder shared/data is not there")


@pytest.fixture
def gaps(folder):
    rng = np.random.default_rng(1)
    frame = pd.read_csv("two.csv", dtype=str)
    frame["cough"] = np.where(rng.random(len(frame)) < 0.8, frame["lung"], "no")
    whole = frame.copy()
    frame = frame.mask(rng.random(frame.shape) < 0.1)
    frame.to_csv("gaps.csv", index=False)
    return whole, frame


def test_learn_fit_and_impute(run, gaps):
    _, frame = gaps
    shown = run("learn", "gaps.csv", "--missing", "em", "-o", "net.json")
    assert (shown.status, shown.err) == (0, "")
    text = " ".join(shown.out.split())
    assert "missing at random" in text
    assert "gaps as states" in text
    found = json.loads(run("learn", "gaps.csv", "--missing", "em", "--json").out)
    assert found["optimal"] is False
    assert set(found["info"]["missing"]) == set(frame.columns)
    assert bnml.load("net.json").reading.missing == "em"
    fitted = run("fit", "[smoke][lung|smoke][cough|lung]", "gaps.csv", "--missing", "em", "-o", "fit.bif")
    assert (fitted.status, "(snml)" in fitted.out) == (0, True)
    options = ["--missing", "em", "--estimator", "em", "-o", "likeliest.bif"]
    likeliest = run("fit", "[smoke][lung|smoke][cough|lung]", "gaps.csv", *options)
    assert (likeliest.status, "(em)" in likeliest.out) == (0, True)
    filled = pd.read_csv(io.StringIO(run("impute", "net.json", "gaps.csv").out), dtype=str)
    assert list(filled.columns) == list(frame.columns)
    assert not filled.isna().any(axis=None)
    assert (filled[frame.notna()] == frame)[frame.notna()].fillna(value=True).all(axis=None)


def test_draws_stand_one_below_the_other(run, gaps):
    assert run("learn", "gaps.csv", "--missing", "em", "-o", "net.json").status == 0
    shown = run("impute", "net.json", "gaps.csv", "--draws", "3", "-o", "out.csv.gz")
    assert (shown.status, shown.out) == (0, "out.csv.gz: 300 rows without gaps, drawn 3 times\n")
    drawn = pd.read_csv("out.csv.gz", dtype=str)
    assert list(drawn.columns) == ["draw", "smoke", "lung", "cough"]
    assert drawn["draw"].value_counts().to_dict() == {"1": 300, "2": 300, "3": 300}
    again = json.loads(run("impute", "net.json", "gaps.csv", "--draws", "2", "--json", "-o", "two_drawn.csv").out)
    assert again == {"rows": 300, "draws": 2, "file": "two_drawn.csv"}
    assert len(pd.read_csv("two_drawn.csv")) == 600


def test_impute_keeps_columns_that_are_no_variables(run, gaps):
    _, frame = gaps
    assert run("learn", "gaps.csv", "--missing", "em", "-o", "net.json").status == 0
    wide = frame.assign(weight=np.linspace(50.0, 90.0, len(frame)).round(3).astype(str), note=None)
    wide.insert(0, "id", [f"{i:05d}" for i in range(len(frame))])
    wide.loc[3, "weight"] = None
    wide.to_csv("wide.csv", index=False)
    filled = pd.read_csv(io.StringIO(run("impute", "net.json", "wide.csv").out), dtype=str)
    assert list(filled.columns) == list(wide.columns)
    assert filled[["id", "weight"]].equals(pd.read_csv("wide.csv", dtype=str)[["id", "weight"]])
    assert filled["note"].isna().all()
    assert not filled[frame.columns].isna().any(axis=None)
    narrow = pd.read_csv(io.StringIO(run("impute", "net.json", "gaps.csv").out), dtype=str)
    assert filled[frame.columns].equals(narrow)
    wide.rename(columns={"id": "draw"}).to_csv("draw.csv", index=False)
    shown = run("impute", "net.json", "draw.csv", "--draws", "2")
    assert (shown.status, shown.out) == (2, "")
    assert "--draws: the table has a column 'draw'" in shown.err


@shared
def test_impute_changes_only_what_is_missing(run, folder):
    """On a clinical table with an identifier and dates, some of whose numbers are removed."""
    whole = pd.read_csv(HEART, dtype=str)
    frame = whole.mask(np.random.default_rng(0).random(whole.shape) < 0.05, "").replace("?", "")
    frame.insert(0, "id", [f"{i:05d}" for i in range(len(frame))])
    frame["seen"] = [f"2020-01-{1 + i % 28:02d}" for i in range(len(frame))]
    frame["note"] = ["", "a;b", "1.50"] * (len(frame) // 3)
    frame.to_csv("heart.csv", index=False)
    options = ["--drop", "id,seen,note", "--missing", "em", "--bins", "auto", "--search", "chow-liu"]
    assert run("learn", "heart.csv", *options, "-o", "heart.json").status == 0
    network = bnml.load("heart.json")
    numbers = frame[whole.columns].apply(pd.to_numeric)
    medians = {
        x: {numbers[x][np.searchsorted(points, numbers[x]) == k].median() for k in range(len(points) + 1)}
        for x, points in network.cuts.items()
    }
    assert set(network.cuts) >= {"age", "chol", "thalach"}
    for draws in ((), ("--draws", "2")):
        for table in _tables(run("impute", "heart.json", "heart.csv", *draws).out):
            assert (table == frame)[frame != ""].where(frame != "", True).all(axis=None)
            filled = (frame == "") & (frame.columns != "note")
            assert not (table == "")[filled].where(filled, False).any(axis=None)
            for x in whole.columns:
                own = table[x][filled[x]]
                allowed = medians[x] if x in medians else set(numbers[x].dropna())
                assert {float(value) for value in own} <= {round(value, 9) for value in allowed}
                assert own.size
            assert not table["note"][frame["note"] == ""].any()
    labels = _tables(run("impute", "heart.json", "heart.csv", "--labels").out)[0]
    assert set(labels["age"][frame["age"] == ""]) <= set(network.states["age"])
    assert (labels == frame)[frame != ""].where(frame != "", True).all(axis=None)


def _tables(text):
    """Return the tables that a command has written, one for each draw."""
    found = pd.read_csv(io.StringIO(text), dtype=str, keep_default_na=False)
    if "draw" not in found:
        return [found]
    return [own.drop(columns="draw").reset_index(drop=True) for _, own in found.groupby("draw")]


def test_impute_replaces_its_table_only_if_that_is_asked_for(run, gaps):
    assert run("fit", "[smoke][lung|smoke][cough|lung]", "gaps.csv", "--missing", "em", "-o", "net.json").status == 0
    before = Path("gaps.csv").read_text()
    Path("link.csv").symlink_to("gaps.csv")
    Path("folder").mkdir()
    for name in ("gaps.csv", "./gaps.csv", "folder/../gaps.csv", str(Path("gaps.csv").resolve()), "link.csv"):
        shown = run("impute", "net.json", "gaps.csv", "-o", name)
        assert (shown.status, shown.out, Path("gaps.csv").read_text()) == (2, "", before)
        assert "--force" in shown.err
    filled = run("impute", "net.json", "gaps.csv").out
    assert run("impute", "net.json", "gaps.csv", "-o", "link.csv", "--force").status == 0
    assert Path("gaps.csv").read_text() == filled
    assert Path("link.csv").is_symlink()


def test_impute_by_a_network_without_medians_says_so(run, folder):
    frame = pd.DataFrame({"age": [20, 30, 31, 60, 70, None] * 20, "ill": ["no", "no", "no", "yes", "yes", "yes"] * 20})
    frame.to_csv("age.csv", index=False)
    options = ["--missing", "em", "--bins", "age=50", "-o", "age.json"]
    assert run("fit", "[age][ill|age]", "age.csv", *options).status == 0
    shown = run("impute", "age.json", "age.csv")
    assert (shown.err, "65.0,yes" in shown.out) == ("", True)
    saved = json.loads(Path("age.json").read_text())
    assert saved["reading"].pop("medians") == {"age": [30.0, 65.0]}
    Path("old.json").write_text(json.dumps(saved))
    older = run("impute", "old.json", "age.csv")
    assert (older.status, older.out) == (0, shown.out)
    assert "medians of the bins of 'age'" in older.err
    assert run("fit", "old.json", "age.csv", "-o", "again.json").status == 0
    assert run("impute", "again.json", "age.csv").err == ""


def test_errors_of_impute_speak_of_options(run, gaps):
    assert run("fit", "[smoke][lung|smoke][cough|lung]", "gaps.csv", "--missing", "em", "-o", "net.json").status == 0
    shown = run("impute", "net.json", "gaps.csv", "--draws", "0")
    assert (shown.status, shown.out) == (2, "")
    assert "--draws 0: expected a whole number from 1; without --draws" in shown.err
    assert "None" not in shown.err
    shown = run("impute", "net.json", "gaps.csv", "--json")
    assert (shown.status, shown.out) == (2, "")
    assert "-o FILE.csv" in shown.err


def test_other_commands(run, gaps):
    assert run("learn", "gaps.csv", "--missing", "em", "-o", "net.json").status == 0
    for words in (
        ("dependences", "gaps.csv", "--missing", "em"),
        ("strength", "net.json", "gaps.csv", "--missing", "em"),
        ("bootstrap", "gaps.csv", "--missing", "em", "--repetitions", "4", "--search", "tabu"),
        ("predict", "net.json", "gaps.csv", "--target", "lung"),
        ("info", "gaps.csv", "--missing", "em"),
    ):
        assert run(*words).status == 0, words


def test_study(run, gaps):
    shown = run("study", "gaps.csv", "--missing", "em", "--repetitions", "4", "-o", "study.html")
    assert shown.status == 0, shown.err
    assert "missing at random" in Path("study.html").read_text(encoding="utf-8")


def test_wrong_uses(run, gaps):
    named = run("learn", "gaps.csv")
    assert named.status == 2
    for remedy in ("em", "state", "drop"):
        assert f"--missing {remedy}" in named.err
    for words in (
        ("score", "[smoke][lung|smoke][cough]", "gaps.csv", "--missing", "em"),
        ("posterior", "gaps.csv", "--missing", "em"),
        ("relational", "gaps.csv", "--missing", "em"),
        ("learn", "gaps.csv", "--missing", "em", "--search", "nml-forest"),
        ("learn", "gaps.csv", "--missing", "em", "--scores-out", "s.jkl"),
        ("impute", "net.bif", "gaps.csv", "--draws", "0"),
        ("impute", "no.bif", "gaps.csv"),
    ):
        shown = run(*words)
        assert (shown.status, shown.out) == (2, ""), words


def test_a_command_that_needs_every_value_names_itself_and_the_way_out(run, gaps):
    for words in (
        ("score", "[smoke][lung|smoke][cough]", "gaps.csv", "--missing", "em"),
        ("relational", "gaps.csv", "--missing", "em"),
    ):
        shown = run(*words)
        assert (shown.status, shown.out) == (2, "")
        text = " ".join(shown.err.split())
        assert f"bnml {words[0]} needs every value" in text
        assert "--missing state or --missing drop, or fill the gaps with bnml impute" in text
        assert "()" not in text


def test_dependences_say_from_how_many_rows(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.integers(0, 2, (300, 3)), columns=["a", "b", "c"]).astype(str)
    frame.loc[:149, "a"], frame.loc[150:, "b"] = None, None
    frame.to_csv("apart.csv", index=False)
    shown = run("dependences", "apart.csv", "--missing", "em").out
    assert "3 pairs, 300 rows, used from 0 to 150 in which both are observed, too few to test 1 pair;" in shown
    pairs = json.loads(run("dependences", "apart.csv", "--missing", "em", "--json").out)["pairs"]
    assert [(one["rows"], one["p_value"] is None) for one in pairs] == [(150, False), (150, False), (0, True)]


def test_an_interrupt_does_not_wait_for_parameters(run, gaps, monkeypatch):
    learn = import_module("bnml.search.learn")
    real = learn.learn_with

    def interrupted(options, data):
        found = real(options, data)
        return replace(found, info={**found.info, "interrupted": True})

    monkeypatch.setattr(learn, "learn_with", interrupted)
    monkeypatch.setattr(SearchResult, "network", property(lambda self: pytest.fail("parameters were fitted")))
    shown = run("learn", "gaps.csv", "--missing", "em", "--search", "tabu", "-o", "net.json")
    assert (shown.status, shown.err) == (130, "interrupted: this is the best structure so far; no file is written\n")
