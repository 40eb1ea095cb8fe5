"""The experiment of Sachs et al., with targets and without."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

import bnml
from bnml.errors import DataError
from bnml.experiments import reproduce
from bnml.experiments import sachs as experiment


@pytest.fixture
def folder(tmp_path):
    """Return a folder with a small network in place of that of Sachs et al., and rows in which variables were set."""
    (tmp_path / "samples").mkdir()
    (tmp_path / "networks").mkdir()
    rng = np.random.default_rng(0)
    a = rng.integers(0, 2, 900)
    b = np.where(rng.random(900) < 0.9, a, 1 - a)
    number = np.repeat([0, 1, 2], 300)
    b = np.where(number == 2, rng.integers(0, 2, 900), b)
    frame = pd.DataFrame({"A": a, "B": b, "INT": number})
    frame.to_csv(tmp_path / "samples" / "sachs_interventional.csv", index=False)
    bnml.fit(bnml.DAG.parse("[A][B|A]"), frame[["A", "B"]]).save(tmp_path / "networks" / "sachs.bif")
    return tmp_path


def test_from_end_to_end(folder, tmp_path):
    done = reproduce("sachs", folder, out=tmp_path / "out", threads=1)
    found = done.outcome.tables["results"].set_index(["score", "targets"])
    assert (found.loc[(slice(None), "used"), "right"] == 1).all()
    assert (found["optimal"]).all()
    assert (found.loc[(slice(None), "used"), "directed"] == 1).all()
    assert (found.loc[(["BIC", "qNML"], "ignored"), "directed"] == 0).all()
    comparison = done.outcome.tables["comparison"]
    assert comparison["score"].iloc[-1].startswith("bnlearn")
    assert comparison["right"].iloc[-1] == 15
    assert any(line.startswith("qNML, targets used: 1 right, 0 reversed, 0 extra") for line in done.outcome.findings)
    assert {"figure.png", "results.csv"} <= {path.name for path in (tmp_path / "out" / "sachs").iterdir()}


def test_a_part_depends_on_its_key_alone(folder):
    rows = experiment.EXPERIMENT.work(folder, ("BIC", 1), 0)
    assert rows == experiment.EXPERIMENT.work(folder, ("BIC", 1), 5)
    assert json.dumps(rows)


def test_files_that_are_something_else(folder):
    file = folder / "samples" / "sachs_interventional.csv"
    good = pd.read_csv(file)
    for wrong in (good.assign(INT=7), good[["INT", "A", "B"]], good.rename(columns={"A": "Z"})):
        wrong.to_csv(file, index=False)
        with pytest.raises(DataError, match="sachs"):
            experiment.EXPERIMENT.parts(folder, 1)
    file.unlink()
    with pytest.raises(DataError, match="sachs_interventional"):
        experiment.read_sachs(folder, targets=True)
