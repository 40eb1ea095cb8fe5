"""Studios that run, and a table for them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import bnml
from tests.studio.running import RunningStudio

pytest.importorskip("uvicorn", reason="needs bnml[studio]")


@pytest.fixture(scope="package")
def clinic(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write a table of 600 rows: the bundled example's variables, a column of numbers and an identifier."""
    import numpy as np

    path = tmp_path_factory.mktemp("clinic") / "clinic.csv"
    network = bnml.learn(bnml.example(), "bic").network
    frame = network.sample(600, seed=3).astype(str)
    rng = np.random.default_rng(3)
    frame["age"] = (30 + 25 * (frame["smoke"] == "yes") + 8 * rng.standard_normal(600)).round(1)
    frame["id"] = [f"p{k}" for k in range(600)]
    frame.to_csv(path, index=False)
    return path


@pytest.fixture
def start() -> Iterator[Callable[..., RunningStudio]]:
    """Start studios; they end with the test."""
    running: list[RunningStudio] = []

    def one(folder: Path, data: Path | None = None) -> RunningStudio:
        running.append(RunningStudio(folder, data))
        return running[-1]

    yield one
    for studio in running:
        if studio.process.poll() is None:
            studio.kill()


@pytest.fixture(scope="module")
def studio(tmp_path_factory: pytest.TempPathFactory, clinic: Path) -> Iterator[RunningStudio]:
    """Start a studio with the table of the clinic, for the tests of a module."""
    found = RunningStudio(tmp_path_factory.mktemp("studio") / "session", clinic)
    found.settled()
    yield found
    assert found.stop() == 128 + 15
