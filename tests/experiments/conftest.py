"""Pictures of experiments take long to draw; `test_reproduction` asks for the real ones."""

from __future__ import annotations

from dataclasses import replace
from io import BytesIO

import numpy as np
import pytest

from bnml.experiments import reproduction
from bnml.experiments.truths import random_network


@pytest.fixture
def coarse_pictures(monkeypatch):
    """Draw every picture once, at a low resolution, with panels where they come to stand."""

    def drawn(figure, suffix):
        stream = BytesIO()
        if suffix == ".png":
            figure.set_layout_engine("none")
            figure.savefig(stream, format="png", dpi=20, metadata={"Software": None})
        return stream.getvalue()

    monkeypatch.setattr(reproduction, "_drawn", drawn)


@pytest.fixture
def small_truths(monkeypatch, tmp_path):
    """Return what replaces the repository of an experiment by random networks, given their names and sizes."""

    def replaced(experiment, sizes, **constants):
        (tmp_path / "networks").mkdir()
        files = {name: f"networks/{name}.bif" for name in sizes}
        for name, n in sizes.items():
            random_network(n, np.random.default_rng(n)).save(tmp_path / files[name])
        monkeypatch.setattr(experiment, "EXPERIMENT", replace(experiment.EXPERIMENT, files=tuple(files.values())))
        for constant, value in {"NETWORKS": files, **constants}.items():
            monkeypatch.setattr(experiment, constant, value)
        return tmp_path

    return replaced
