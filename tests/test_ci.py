"""What `.ci/run` relies on: a browser, or that it fails and says so; that a lack of Java or Postgres is told."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent.parent / ".ci"


def program(path: Path, *lines: str) -> None:
    path.write_text("\n".join([f"#!{shutil.which('bash')}", *lines, ""]))
    path.chmod(0o755)


def run(folder: Path, script: str = "browser", **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a script on a machine that has nothing but what is in a folder."""
    bash = shutil.which("bash")
    if bash is None or os.name != "posix":
        pytest.skip("needs bash")
    given = {"PATH": str(folder), **environment}
    return subprocess.run(
        [bash, str(FOLDER / script)], env=given, capture_output=True, text=True, timeout=30, check=False
    )


def test_without_a_browser_it_fails(tmp_path):
    program(tmp_path / "apt-get", "exit 100")
    found = run(tmp_path)
    assert found.returncode == 1
    assert "the studio cannot be tested" in found.stderr


def test_without_a_browser_and_without_apt_it_fails(tmp_path):
    assert run(tmp_path).returncode == 1


def test_tests_in_a_browser_are_skipped_only_where_that_is_said(tmp_path):
    found = run(tmp_path, BNML_SKIP_BROWSER="1")
    assert (found.returncode, found.stdout) == (0, "BNML_SKIP_BROWSER is set: THE TESTS IN A BROWSER ARE SKIPPED\n")


@pytest.mark.parametrize("name", ["chromium", "chromium-browser", "google-chrome"])
def test_a_browser_that_is_there(tmp_path, name):
    program(tmp_path / "apt-get", f"touch {tmp_path / 'asked'}")
    program(tmp_path / name, "exit 0")
    assert run(tmp_path).returncode == 0
    assert not (tmp_path / "asked").exists()


def test_a_browser_that_is_installed(tmp_path):
    there = shutil.which("cp")
    program(tmp_path / "apt-get", f'[ "$1" = install ] && {there} "$0" {tmp_path / "chromium"}', "exit 0")
    assert run(tmp_path).returncode == 0
    assert (tmp_path / "chromium").exists()


@pytest.mark.parametrize(("script", "name", "what"), [("java", "java", "SPARK"), ("postgres", "postgres", "POSTGRES")])
def test_what_is_installed_for_engines(tmp_path, script, name, what):
    place = {"POSTGRES_PLACE": str(tmp_path)}
    found = run(tmp_path, script, **place)
    assert found.returncode == 0
    assert found.stdout.endswith(f"THE TESTS OF {what} ARE SKIPPED\n")
    program(tmp_path / "apt-get", f'[ "$1" = install ] && {shutil.which("cp")} "$0" {tmp_path / name}', "exit 0")
    assert (run(tmp_path, script, **place).stdout, (tmp_path / name).exists()) == ("", True)
    program(tmp_path / "apt-get", f"touch {tmp_path / 'asked'}")
    assert run(tmp_path, script, **place).stdout == ""
    assert not (tmp_path / "asked").exists()
