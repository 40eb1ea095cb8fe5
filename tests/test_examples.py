"""The programs of examples/ run, in a folder of their own, and write what they say."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[1] / "examples"
WRITTEN = {
    "in_a_shell.sh": {"clinic.json", "clinic.png", "clinic.net", "rows.csv"},
    "knowledge_and_certainty.py": set(),
    "learn_and_ask.py": {"network.json", "network.png"},
    "own_score.py": set(),
}


def test_all_are_tested_and_told_of():
    programs = {path.name for path in FOLDER.iterdir() if path.suffix in {".py", ".sh"}}
    assert programs == set(WRITTEN)
    page = (FOLDER / "README.md").read_text(encoding="utf-8")
    assert {name for name in programs if f"({name})" not in page} == set()


@pytest.mark.parametrize("name", sorted(WRITTEN))
def test_it_runs(name, tmp_path):
    interpreter = sys.executable if name.endswith(".py") else shutil.which("bash")
    if interpreter is None:
        pytest.skip("needs bash")
    (tmp_path / "bin").mkdir()
    command = tmp_path / "bin" / "bnml"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m bnml "$@"\n')
    command.chmod(0o755)
    path = os.pathsep.join([str(FOLDER.parent), os.environ.get("PYTHONPATH", "")])
    environment = {**os.environ, "PYTHONPATH": path, "PATH": f"{command.parent}{os.pathsep}{os.environ['PATH']}"}
    (tmp_path / "here").mkdir()
    found = subprocess.run(
        [interpreter, str(FOLDER / name)],
        cwd=tmp_path / "here",
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (found.returncode, found.stdout != "") == (0, True), found.stderr
    assert {path.name for path in (tmp_path / "here").iterdir()} == WRITTEN[name]
