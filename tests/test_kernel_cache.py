"""Machine code on disk: whatever happens to it, the answer is right, and it is said once."""

from __future__ import annotations

import gzip
import os
import random
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from bnml import _jit

pytestmark = pytest.mark.skipif(not _jit.JIT, reason="nothing is compiled")

ROOT = Path(__file__).parent.parent
MODULE = """
from bnml._jit import kernel

@kernel
def add(a, b):
    return a + b
"""
PROGRAM = "{before}\nfrom few_kernels import add\n{between}\nprint(add(1, 2), add(0.5, 2.0))"


def run(folder: Path, *command: str, **environment: str) -> tuple[str, str]:
    """Return what a process says, and what it says on standard error."""
    (folder / "few_kernels.py").write_text(MODULE)
    paths = {"PYTHONPATH": f"{ROOT}{os.pathsep}{folder}", "NUMBA_CACHE_DIR": str(folder / "cache")}
    done = subprocess.run(
        [sys.executable, *command], cwd=folder, capture_output=True, text=True, check=False,
        env={**os.environ, **paths, **environment},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout, done.stderr


def answer(folder: Path, before: str = "", between: str = "", **environment: str) -> str:
    """Let a process add, and return what it notes."""
    said, notes = run(folder, "-c", PROGRAM.format(before=before, between=between), **environment)
    assert said == "3 2.5\n"
    assert notes.count("Warning") <= 1
    return notes


def files(folder: Path) -> list[Path]:
    found = sorted((folder / "cache").rglob("*.nb[ic]"))
    assert len(found) == 3, "an index, and machine code for two types"
    return found


def cut_a_little(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-1])


def empty(path: Path) -> None:
    path.write_bytes(b"")


def other_bits(path: Path) -> None:
    chance, content = random.Random(1), bytearray(path.read_bytes())
    for _ in range(1 + len(content) // 50):
        content[chance.randrange(len(content))] ^= 1 << chance.randrange(8)
    path.write_bytes(content)


def a_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


@pytest.mark.parametrize("damage", [cut_a_little, empty, other_bits], ids=lambda one: one.__name__)
@pytest.mark.parametrize("which", ["*.nbi", "*.nbc"])
def test_damaged_files_are_written_anew(tmp_path, damage, which):
    assert answer(tmp_path) == ""
    files(tmp_path)
    for path in (tmp_path / "cache").rglob(which):
        damage(path)
    notes = answer(tmp_path)
    assert "UserWarning: the compiled kernels in" in notes
    assert "compiled anew" in notes
    assert answer(tmp_path) == ""
    files(tmp_path)


def test_files_that_are_gone_are_written_anew(tmp_path):
    answer(tmp_path)
    for path in (tmp_path / "cache").rglob("*.nbc"):
        path.unlink()
    assert answer(tmp_path) == ""
    files(tmp_path)
    shutil.rmtree(tmp_path / "cache")
    assert answer(tmp_path) == ""
    files(tmp_path)


def test_something_else_in_the_place_of_a_file(tmp_path):
    answer(tmp_path)
    for path in files(tmp_path):
        a_folder(path)
    assert "Is a directory" in answer(tmp_path)


def test_a_folder_without_room(tmp_path):
    full = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (200, 200))"
    notes = answer(tmp_path, between=full)
    assert "cannot be kept in" in notes
    assert "File too large" in notes
    assert answer(tmp_path) == "", "what there was no room for is written when there is"
    files(tmp_path)


def test_a_folder_that_vanishes(tmp_path):
    cache = str(tmp_path / "cache")
    vanish = f"import pathlib, shutil; shutil.rmtree({cache!r}); pathlib.Path({cache!r}).write_text('')"
    assert "UserWarning: the compiled kernels in" in answer(tmp_path, between=vanish)


def test_no_folder_at_all(tmp_path):
    """There is none that can be written: neither the one that is asked for, nor beside the file, nor at home."""
    nowhere = (
        "import tempfile\n"
        "def full(*arguments, **more): raise OSError(28, 'No space left on device')\n"
        "tempfile.TemporaryFile = full"
    )
    notes = answer(tmp_path, before=nowhere)
    assert "cannot be kept (there is no folder that can be written)" in notes
    assert "NUMBA_CACHE_DIR" in notes


def test_a_note_can_be_silenced(tmp_path):
    answer(tmp_path)
    for path in files(tmp_path):
        empty(path)
    between = "import warnings; warnings.simplefilter('ignore')"
    assert answer(tmp_path, between=between) == ""


def test_the_table_is_not_blamed(tmp_path):
    """A gzip file is whole, and a disk full of kernels is not the table's."""
    lines = ["a,b,c", *(f"x{i % 3},y{i % 5},z{i % 2}" for i in range(5000))]
    (tmp_path / "t.csv.gz").write_bytes(gzip.compress("\n".join(lines).encode()))
    command = ("-m", "bnml", "info", "t.csv.gz")
    first, _ = run(tmp_path, *command)
    assert "5,000" in first
    for path in (tmp_path / "cache").rglob("*.nb[ic]"):
        empty(path)
    again, notes = run(tmp_path, *command)
    assert again == first
    assert notes.count("note: the compiled kernels in") == 1
    assert run(tmp_path, *command) == (first, "")
