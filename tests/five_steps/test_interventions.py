"""Studies of tables in which variables were set."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import bnml
from bnml.data.targets import variables_set
from bnml.errors import ArgumentError

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


def test_variables_that_were_set_take_part():
    data = interventions.read(interventions.random_table(41, n=4, n_rows=400))
    found = bnml.study(data, "v3", select="target", alpha=1e-12, repetitions=0)
    assert set(variables_set(data)) <= set(found.data.names)
    with pytest.raises(ArgumentError, match="it was set in some rows"):
        bnml.study(data, select=["v3"], repetitions=0)


def test_a_treatment_that_was_set_in_every_row():
    rng = np.random.default_rng(0)
    treated = rng.integers(0, 2, 400)
    well = np.where(rng.random(400) < 0.8, treated, 1 - treated)
    frame = pd.DataFrame({"treated": treated, "age": rng.integers(0, 2, 400), "well": well, "set": "treated"})
    data, plain = bnml.read(frame, interventions="set"), bnml.read(frame.drop(columns="set"))
    pd.testing.assert_frame_equal(bnml.dependences(data), bnml.dependences(plain))
    assert bnml.select_features(data, "well") == ["treated"]
    found = bnml.study(data, "well", repetitions=0)
    assert found.learned.dag.arcs == (("treated", "well"),)
    assert found.pc.pdag == bnml.pc(plain).pdag
    assert found.risk is not None
    assert "treated" in found.html()
