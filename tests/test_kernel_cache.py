"""Machine code on disk: whatever happens to it, the answer is right, and it is said once."""

from __future__ import annotations

import gzip
import importlib.util
import os
import random
import shutil
import subprocess
import sys
import warnings
from collections.abc import Callable
from pathlib import Path

import pytest

from bnml import _jit, _kernel_cache

pytestmark = pytest.mark.skipif(not _jit.JIT, reason="nothing is compiled")

ROOT = Path(__file__).parent.parent
MODULE = """
from bnml._jit import kernel

@kernel
def add(a, b):
    return a + b
"""
PROGRAM = "{before}\nfrom few_kernels import add\n{between}\nprint(add(1, 2), add(0.5, 2.0))"


def run(folder: Path, *command: str) -> tuple[str, str]:
    """Return what a process says, and what it says on standard error."""
    paths = {"PYTHONPATH": f"{ROOT}{os.pathsep}{folder}", "NUMBA_CACHE_DIR": str(folder / "cache")}
    done = subprocess.run(
        [sys.executable, *command], cwd=folder, capture_output=True, text=True, check=False, env={**os.environ, **paths}
    )
    assert done.returncode == 0, done.stderr
    return done.stdout, done.stderr


def noted_by_a_process(folder: Path, before: str = "", between: str = "") -> str:
    """Let a process add, and return what it notes."""
    (folder / "few_kernels.py").write_text(MODULE)
    said, notes = run(folder, "-c", PROGRAM.format(before=before, between=between))
    assert said == "3 2.5\n"
    assert notes.count("Warning") <= 1
    return notes


@pytest.fixture
def noted(tmp_path, monkeypatch) -> Callable[..., str]:
    """Add with kernels that are made anew, as in a process that has just begun, and return what is noted."""
    from numba.core import config

    monkeypatch.setattr(config, "CACHE_DIR", str(tmp_path / "cache"))
    source = tmp_path / "few_kernels.py"
    source.write_text(MODULE)

    def add(between: Callable[[], object] = lambda: None, after_one: Callable[[], object] = lambda: None) -> str:
        spec = importlib.util.spec_from_file_location("few_kernels", source)
        module = importlib.util.module_from_spec(spec)
        monkeypatch.setattr(_kernel_cache, "_said", [])
        with warnings.catch_warnings(record=True) as notes:
            warnings.simplefilter("always")
            spec.loader.exec_module(module)
            between()
            assert module.add(1, 2) == 3
            after_one()
            assert module.add(0.5, 2.0) == 2.5
        assert len(notes) <= 1
        assert all(note.category is UserWarning for note in notes)
        return "".join(str(note.message) for note in notes)

    return add


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
def test_damaged_files_are_written_anew(noted, tmp_path, damage, which):
    assert noted() == ""
    files(tmp_path)
    for path in (tmp_path / "cache").rglob(which):
        damage(path)
    notes = noted()
    assert notes.startswith("the compiled kernels in")
    assert "compiled anew" in notes
    assert noted() == ""
    files(tmp_path)


def test_damaged_files_between_processes(tmp_path):
    """The same with processes, each of which has nothing but the files."""
    assert noted_by_a_process(tmp_path) == ""
    for path in files(tmp_path):
        other_bits(path)
    assert "UserWarning: the compiled kernels in" in noted_by_a_process(tmp_path)
    assert noted_by_a_process(tmp_path) == ""
    files(tmp_path)


def test_files_that_are_gone_are_written_anew(noted, tmp_path):
    noted()
    for path in (tmp_path / "cache").rglob("*.nbc"):
        path.unlink()
    assert noted() == ""
    files(tmp_path)
    shutil.rmtree(tmp_path / "cache")
    assert noted() == ""
    files(tmp_path)


def test_something_else_in_the_place_of_a_file(noted, tmp_path):
    noted()
    for path in files(tmp_path):
        a_folder(path)
    assert "Is a directory" in noted()


def test_a_folder_without_room(noted, tmp_path):
    full = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (200, 200))"
    notes = noted_by_a_process(tmp_path, between=full)
    assert "cannot be kept in" in notes
    assert "File too large" in notes
    assert noted() == "", "what there was no room for is written when there is"
    files(tmp_path)


def test_a_folder_that_vanishes(noted, tmp_path):
    def vanish() -> None:
        shutil.rmtree(tmp_path / "cache")
        (tmp_path / "cache").write_text("")

    assert noted(after_one=vanish).startswith("the compiled kernels in")


def test_no_folder_at_all(tmp_path):
    """There is none that can be written: neither the one that is asked for, nor beside the file, nor at home."""
    nowhere = (
        "import tempfile\n"
        "def full(*arguments, **more): raise OSError(28, 'No space left on device')\n"
        "tempfile.TemporaryFile = full"
    )
    notes = noted_by_a_process(tmp_path, before=nowhere)
    assert "cannot be kept (there is no folder that can be written)" in notes
    assert "NUMBA_CACHE_DIR" in notes


def test_a_note_can_be_silenced(noted, tmp_path):
    noted()
    for path in files(tmp_path):
        empty(path)
    assert noted(between=lambda: warnings.simplefilter("ignore")) == ""


def test_the_table_is_not_blamed(tmp_path):
    """A gzip file is whole, and a disk full of kernels is not the table's."""
    lines = ["a,b,c", *(f"x{i % 3},y{i % 5},z{i % 2}" for i in range(300_000))]
    (tmp_path / "t.csv.gz").write_bytes(gzip.compress("\n".join(lines).encode()))
    command = ("-m", "bnml", "info", "t.csv.gz")
    first, _ = run(tmp_path, *command)  # of a table that Python alone does not count
    assert "300,000" in first
    for path in (tmp_path / "cache").rglob("*.nb[ic]"):
        empty(path)
    again, notes = run(tmp_path, *command)
    assert again == first
    assert notes.count("note: the compiled kernels in") == 1
    assert run(tmp_path, *command) == (first, "")
