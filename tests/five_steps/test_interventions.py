"""Studies of tables in which variables were set."""

from __future__ import annotations

import pytest

import bnml

from .. import interventions


@pytest.fixture(scope="module")
def study():
    return bnml.study(interventions.read(interventions.random_table(41, n=4, n_rows=400)), "v3", repetitions=4)


def test_it_says_what_was_set(study):
    text = " ".join(str(study).split())
    assert "Variables were set from outside in" in text
    assert "of 400 rows" in text
    assert study.to_dict()["table"]["interventions"]["rows_set"] > 0
    assert "interventional class" in study.html()


def test_tests_use_rows_in_which_nothing_was_set(study):
    free = bnml.data.targets.rows_setting_nothing(study.data)
    assert study.pc.pdag == bnml.pc(free, constraints=study.constraints).pdag
    assert study.learned.target_sets
    assert study.learned.optimal
    assert study.validation is None
    assert "validation" in dict(study.left_out)
    assert study.risk is not None


def test_it_is_saved_and_loaded(study, tmp_path):
    study.save(tmp_path / "study.json")
    again = bnml.load_study(tmp_path / "study.json", study.data)
    assert again.learned.directions == study.learned.directions
