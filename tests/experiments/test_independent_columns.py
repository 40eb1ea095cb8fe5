"""Independent columns: what useless parents gain, and how many arcs are found with the rule and without it."""

from __future__ import annotations

import pytest

from bnml.experiments import independent_columns as experiment
from bnml.experiments import reproduce


@pytest.fixture
def small(monkeypatch):
    monkeypatch.setattr(experiment, "SIZES", (300,))
    monkeypatch.setattr(experiment, "COLUMNS", (6,))


@pytest.mark.usefixtures("small")
def test_from_end_to_end(tmp_path):
    done = reproduce("independent-columns", out=tmp_path, repetitions=2, threads=1)
    gains = done.outcome.tables["gains"].set_index(["score", "q"])["mean"]
    assert gains["qNML", 2] < 0.0 < gains["qNML", 512]
    assert gains["BIC"].is_monotonic_decreasing
    arcs = done.outcome.tables["results"].set_index(["score", "rows_per_cell"])["arcs"]
    assert arcs["qNML", 0] > 3.0
    assert arcs["qNML", 5] <= 1.0
    assert "figure.png" in {path.name for path in (tmp_path / "independent-columns").iterdir()}
    assert any(line.startswith("qNML: up to") for line in done.outcome.findings)


def test_a_part_depends_on_its_key_and_the_seed_alone(tmp_path):
    key = ("arcs", 300, 6, 0, 1)
    assert experiment.EXPERIMENT.work(tmp_path, key, 1) == experiment.EXPERIMENT.work(tmp_path, key, 1)
    assert experiment.EXPERIMENT.work(tmp_path, key, 1) != experiment.EXPERIMENT.work(tmp_path, key, 2)
    both = experiment.EXPERIMENT.work(tmp_path, ("arcs", 300, 6, 0, 2), 1)
    assert both[: len(both) // 2] == experiment.EXPERIMENT.work(tmp_path, key, 1)
