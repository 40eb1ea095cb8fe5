"""``--missing em``, and ``bnml impute``."""

from __future__ import annotations

import io
import json

import numpy as np
import pandas as pd
import pytest

import bnml


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
    assert (fitted.status, "(em)" in fitted.out) == (0, True)
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
    again = json.loads(run("impute", "net.json", "gaps.csv", "--draws", "2", "--json").out)
    assert again == {"rows": 300, "draws": 2, "file": None}


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
