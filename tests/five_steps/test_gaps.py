"""A study of a table with gaps: what it says of them, and what it leaves out."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import bnml
from bnml.data.gap_tables import gaps_as_states
from bnml.five_steps.links import links_of
from bnml.five_steps.strength import strength_of


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    a = rng.integers(0, 2, 400)
    b = np.where(rng.random(400) < 0.85, a, 1 - a)
    c = np.where(rng.random(400) < 0.85, b, 1 - b)
    frame = pd.DataFrame({"a": a, "b": b, "c": c}).replace({0: "no", 1: "yes"})
    gaps = frame.mask(rng.random(frame.shape) < 0.15)
    return bnml.read(gaps, missing="em")


@pytest.fixture(scope="module")
def study(table):
    return bnml.study(table, "c", repetitions=4)


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


def test_strengths_are_of_the_rows_in_which_the_family_is_observed(study):
    codes = study.data.codes[study.data.row_index]
    observed = codes < np.array(study.data.arities)
    found = {(link.a, link.b): link.strength for link in links_of(study) if link.in_network}
    assert set(found) == set(study.arcs)
    table = study.strength.set_index(["from", "to"])
    for a, b in found:
        family = [study.data.index(x) for x in (b, *study.learned.dag.parents(b))]
        rows = int(observed[:, family].all(axis=1).sum())
        assert rows < study.data.n_rows
        row = table.loc[a, b]
        assert found[a, b] == strength_of(row["mutual_information"], row["degrees_of_freedom"], rows)


def test_it_is_saved_and_read_again(study, table, tmp_path):
    study.save(tmp_path / "study.json")
    again = bnml.load_study(tmp_path / "study.json", table)
    assert again.html() == study.html()
    assert again.to_dict() == study.to_dict()
    assert again.learned == study.learned
    assert again.learned.families == study.learned.families
    with pytest.raises(bnml.BnmlError, match="not the table"):
        bnml.load_study(tmp_path / "study.json", gaps_as_states(table))


@pytest.mark.parametrize("search", ["npc", "forest"])
def test_searches_by_tests_and_for_trees_are_saved_too(table, search, tmp_path):
    first = bnml.study(table, search=search, repetitions=0, save=tmp_path / "study.json")
    again = bnml.load_study(tmp_path / "study.json", table)
    assert again.html() == first.html()
    assert str(again.learned) == str(first.learned)
