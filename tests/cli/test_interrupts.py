"""Ctrl-C ends every command in one way: status 130 and a line, even while Python still imports what it needs."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import tomllib
from pathlib import Path

import numpy as np
import pytest

pytestmark = pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")

ROOT = Path(__file__).parents[2]
MODULE, _, FUNCTION = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["scripts"]["bnml"].partition(":")
SCRIPT = ["-c", f"import sys; from {MODULE} import {FUNCTION}; sys.exit({FUNCTION}())"]  # as pip writes it
WAYS = {"script": SCRIPT, "module": ["-m", "bnml"]}

# run by Python before the command; whoever started the tests may not want to hear interrupts
SITE = """
import os, signal, sys

signal.signal(signal.SIGINT, signal.default_int_handler)

class Finder:
    def find_spec(name, path=None, target=None):
        if name == {name!r}:
            sys.meta_path.remove(Finder)
            {action}

sys.meta_path.insert(0, Finder)
"""
INTERRUPT = "os.kill(os.getpid(), signal.SIGINT)"
TELL = "os.write({}, b'!')"


def start(folder: Path, site: str, way: str, *command: str, **options: object) -> subprocess.Popen[str]:
    (folder / "sitecustomize.py").write_text(site)
    given = [sys.executable, *WAYS[way], *command]
    pipes = {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE, "text": True}
    environment = {**os.environ, "PYTHONPATH": f"{folder}{os.pathsep}{ROOT}"}
    return subprocess.Popen(given, cwd=folder, env=environment, **pipes, **options)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    "name", ["typing", "bnml.cli.app", "typer", "rich", "bnml.cli.learn", "numpy", "bnml.search", "pyarrow"]
)
def test_while_a_module_is_imported(folder, name, way):
    process = start(folder, SITE.format(name=name, action=INTERRUPT), way, "learn", "two.csv")
    assert (process.communicate()[1], process.returncode) == ("interrupted\n", 130)


FROM_A_CALLBACK = """import weakref
            class Thing: pass
            thing = Thing()
            reference = weakref.ref(thing, lambda _: os.kill(os.getpid(), signal.SIGINT))
            del thing"""
WHILE_A_CLASS_IS_MADE = """class Name:
                def __set_name__(self, owner, name): os.kill(os.getpid(), signal.SIGINT)
            class Owner: name = Name()"""
IN_A_TEXT = f'exec("{INTERRUPT}")'


@pytest.mark.parametrize("action", [FROM_A_CALLBACK, WHILE_A_CLASS_IS_MADE, IN_A_TEXT])
def test_where_python_loses_or_changes_it(folder, action):
    process = start(folder, SITE.format(name="numpy", action=action), "module", "learn", "two.csv")
    assert (process.communicate()[1], process.returncode) == ("interrupted\n", 130)


def test_at_the_very_end(folder):
    site = f"import atexit\natexit.register(lambda: {INTERRUPT})\n" + SITE.format(name="", action="pass")
    process = start(folder, site, "module", "--version")
    assert (process.communicate()[1], process.returncode) == ("", 0)


@pytest.mark.rare
@pytest.mark.parametrize(
    "command", [["--help"], ["learn", "two.csv"], ["query", "net.bif", "lung"]], ids=lambda c: c[0]
)
def test_at_any_moment(folder, command):
    """A moment is counted from the first import of the entry point, which a busy machine may reach late."""
    for delay in np.linspace(0.0, 1.5, 12):
        ours, theirs = os.pipe()
        site = SITE.format(name="bnml.cli.app", action=TELL.format(theirs))
        process = start(folder, site, "script", *command, pass_fds=(theirs,))
        os.close(theirs)
        os.read(ours, 1)
        os.close(ours)
        time.sleep(delay)
        process.send_signal(signal.SIGINT)
        said = process.communicate(timeout=60)[1]
        assert (process.returncode, said.count("\n")) in {(130, 1), (0, 0)}
        assert "Traceback" not in said


def test_while_the_command_line_itself_is_imported(tmp_path):
    """An interrupt before anything of the command line can catch it."""
    code = (
        "import builtins, runpy\n"
        "real = builtins.__import__\n"
        "def interrupted(name, *more, **named):\n"
        "    if name == 'bnml.cli':\n"
        "        raise KeyboardInterrupt\n"
        "    return real(name, *more, **named)\n"
        "builtins.__import__ = interrupted\n"
        "runpy.run_module('bnml', run_name='__main__')\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "interrupted\n")
