"""A study of a table with gaps: what it says of them, and what it leaves out."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import bnml


@pytest.fixture(scope="module")
def study():
    rng = np.random.default_rng(0)
    a = rng.integers(0, 2, 400)
    b = np.where(rng.random(400) < 0.85, a, 1 - a)
    c = np.where(rng.random(400) < 0.85, b, 1 - b)
    frame = pd.DataFrame({"a": a, "b": b, "c": c}).replace({0: "no", 1: "yes"})
    gaps = frame.mask(rng.random(frame.shape) < 0.15)
    return bnml.study(bnml.read(gaps, missing="em"), "c", repetitions=4)


def test_it_says_what_is_missing_and_what_was_assumed(study):
    text = " ".join(str(study).split())
    for said in ("Values are missing (a 1", "missing at random", "depending on themselves", "as a value of their own"):
        assert said in text
    page = study.html()
    assert "expected from the rest of their rows" in page
    assert "missing at random" in page


def test_links_and_what_is_left_out(study):
    assert {frozenset(arc) for arc in study.learned.dag.arcs} == {frozenset("ab"), frozenset("bc")}
    assert {"posterior", "validation", "other scores"} <= set(dict(study.left_out))
    assert study.bootstrap is not None
    assert study.strength["score_gain"].min() > 5


def test_it_is_not_saved(study, tmp_path):
    with pytest.raises(bnml.BnmlError, match="a study that is saved needs every value"):
        study.save(tmp_path / "study.json")
