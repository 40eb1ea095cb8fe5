"""A folder with a table and a network, and a way to run the command in it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest

import bnml
from bnml.cli import main
from bnml.cli.app import COMPILING


@dataclass(frozen=True)
class Run:
    status: int
    out: str
    err: str


@pytest.fixture
def folder(tmp_path, monkeypatch):
    rng = np.random.default_rng(0)
    smoke = rng.random(300) < 0.4
    lung = rng.random(300) < np.where(smoke, 0.5, 0.1)
    frame = pd.DataFrame({"smoke": smoke, "lung": lung, "age": rng.normal(50, 12, 300).round(1)})
    frame.replace({True: "yes", False: "no"}).to_csv(tmp_path / "survey.csv", index=False)
    frame[["smoke", "lung"]].replace({True: "yes", False: "no"}).to_csv(tmp_path / "two.csv", index=False)
    bnml.fit(bnml.DAG.parse("[smoke][lung|smoke]"), tmp_path / "two.csv").save(tmp_path / "net.bif")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def run(folder, capsys, monkeypatch):
    """Run the command in the folder, 80 columns wide and without colours."""
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("NO_COLOR", "1")

    def call(*arguments: str) -> Run:
        before = sorted(path.name for path in folder.iterdir())
        try:
            status = main(arguments)
        except SystemExit as stop:
            status = stop.code
        captured = capsys.readouterr()
        if status:
            assert sorted(path.name for path in folder.iterdir()) == before, "a failed command left a file behind"
        return Run(status, captured.out, captured.err.replace(f"{COMPILING}\n", ""))  # said if the cache is empty

    return call
