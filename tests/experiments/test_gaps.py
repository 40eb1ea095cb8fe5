"""Values that are missing: how they are taken out, and the experiment from end to end on a small network."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import bnml
from bnml.experiments import gaps as experiment
from bnml.experiments import reproduce
from bnml.experiments.gaps import values_taken_out


def test_values_are_taken_out_alike_or_given_another_column():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": rng.choice(["x", "y"], 20_000, p=[0.6, 0.4]), "b": "u", "c": "v"})
    alike = values_taken_out(frame, 0.2, None, np.random.default_rng(1)).isna()
    assert alike.mean().tolist() == pytest.approx([0.2] * 3, abs=0.01)
    given = values_taken_out(frame, 0.2, "a", np.random.default_rng(1)).isna()
    assert given.mean().tolist() == pytest.approx([0.0, 0.2, 0.2], abs=0.01)
    by_a = given["b"].groupby(frame["a"]).mean()
    assert by_a["x"] == pytest.approx(0.32, abs=0.02)
    assert by_a["y"] == pytest.approx(0.02, abs=0.01)


@pytest.fixture
def small(monkeypatch, tmp_path):
    (tmp_path / "networks").mkdir()
    names = ["Disease", "b", "c"]
    dag = bnml.DAG(names, [("Disease", "b"), ("b", "c")])
    tables = {"Disease": [0.6, 0.4], "b": [[0.9, 0.1], [0.2, 0.8]], "c": [[0.9, 0.1], [0.2, 0.8]]}
    network = bnml.BayesianNetwork(dag, {x: ["no", "yes"] for x in names}, tables)
    network.save(tmp_path / "networks" / "child.bif")
    monkeypatch.setattr(experiment, "SIZES", (400,))
    return tmp_path


@pytest.mark.usefixtures("coarse_pictures")
def test_from_end_to_end(small):
    done = reproduce("gaps", small, out=small / "out", repetitions=2, threads=1)
    means = done.outcome.tables["means"]
    assert len(means) == 4
    assert (means["em"] <= 1).all()
    assert (means["state"] >= 0).all()
    assert "figure.png" in {path.name for path in (small / "out" / "gaps").iterdir()}
    assert any("given another column" in line for line in done.outcome.findings)


def test_no_row_is_left(small, monkeypatch):
    monkeypatch.setattr(
        experiment, "values_taken_out", lambda frame, *_: frame.mask(np.eye(3, dtype=bool)[np.arange(len(frame)) % 3])
    )
    row = experiment.EXPERIMENT.work(small, (400, 0.3, "completely at random", 0), 0)[0]
    assert row["drop"] == 2
    assert row == experiment.EXPERIMENT.work(small, (400, 0.3, "completely at random", 0), 0)[0]
