"""Kernels: plain Python at first, machine code then; what compilation takes, and who is told."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import bnml
from bnml import _jit
from bnml._watch import Watch
from bnml.cli.app import COMPILING
from bnml.counts import _kernels

compiled = pytest.mark.skipif(not _jit.JIT, reason="nothing is compiled")


def compile_something(seconds: float = 0.0) -> None:
    """Let Numba compile functions that it does not know, for so many seconds at least."""
    from numba import njit

    _jit._listen()  # as the first kernel of a process does
    end = time.perf_counter() + seconds
    while True:
        njit(lambda x, y: x * y + x)(1, 2.0)
        if time.perf_counter() >= end:
            return


@compiled
def test_python_does_the_first_steps():
    done = []

    @_jit.plain_at_first(lambda n: n)
    @_jit.kernel
    def count(n: int) -> int:
        return n + 1

    for n in (_jit.PLAIN_STEPS // 2, _jit.PLAIN_STEPS // 2, 1, 1):
        assert count(n) == n + 1
        done.append(len(_jit.dispatcher_of(count.py_func).signatures))
    assert done == [0, 0, 1, 1]


@compiled
def test_many_steps_are_compiled_at_once():
    @_jit.plain_at_first(lambda n: float("inf"))
    @_jit.kernel
    def count(n: int) -> int:
        return n + 1

    assert (count(1), len(_jit.dispatcher_of(count.py_func).signatures)) == (2, 1)


@compiled
def test_plain_python_and_machine_code_agree_to_the_last_bit():
    rng = np.random.default_rng(3)
    columns = rng.integers(0, 3, (4, 60)).astype(np.uint8)
    weights = rng.integers(1, 9, 60).astype(np.int32)
    rows = columns, weights, np.full(4, 3)
    sets = np.array([0, 1, 0, 1, 2, 3]), np.array([0, 2, 6]), np.array([1, 2])
    terms = (
        rng.random((1, int(weights.sum()) + 1)),
        np.zeros((1, 0, 26)),
        np.zeros(2, np.int64),
        np.empty((2, 0)),
        np.empty((2, 0)),
    )
    for limit in (1000, 10):
        found = np.zeros((2, 2, 2))
        _kernels.sum_families.py_func(rows, sets, terms, limit, found[0])
        _kernels.sum_families.compiled(rows, sets, terms, limit, found[1])
        assert found[0].tobytes() == found[1].tobytes()
        assert found.all()


SEARCH = """
import sys
import bnml._jit
bnml._jit.PLAIN_STEPS = int(sys.argv[1])
import bnml, numpy
rng = numpy.random.default_rng(0)
a = rng.integers(0, 2, (200, 7))
a[:, 1:] ^= a[:, :-1] & rng.integers(0, 2, (200, 6))
for score in ("bic", "fnml", "qnml"):
    for search in ("exact", "tabu"):
        found = bnml.learn(a, score, search=search)
        print(score, search, found.score.hex(), found.dag)
"""


@pytest.mark.slow
@compiled
def test_searches_do_not_depend_on_who_does_the_steps():
    said = [
        subprocess.run(
            [sys.executable, "-c", SEARCH, steps],
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "BNML_JIT": jit},
        ).stdout
        for steps, jit in (("0", "1"), ("100000", "1"), ("0", "0"))
    ]
    assert said[0] == said[1] == said[2] != ""


@compiled
def test_a_watch_does_not_count_compilation():
    started, before = time.perf_counter(), _jit.compilation_seconds()
    watch = Watch()
    compile_something(0.2)
    seconds, compilation = watch.seconds, _jit.compilation_seconds() - before
    assert compilation > 0
    assert 0 < seconds <= time.perf_counter() - started - compilation
    watch.limit = seconds + 1e9
    assert not watch.over
    watch.limit = seconds / 2
    assert watch.over


@compiled
def test_a_door_is_told_once_while_it_is_open(monkeypatch):
    told = []
    monkeypatch.setattr(_jit, "LONG", 0.0)
    monkeypatch.setattr(_jit._compilation, "told", False)
    with _jit.compilation_told(lambda: told.append(1)):
        pass
    compile_something()
    assert told == []
    with _jit.compilation_told(lambda: told.append(1)):
        compile_something()
        compile_something()
    assert told == [1]


@pytest.mark.rare
@compiled
def test_one_note_for_all_commands_and_none_after_a_warmup(tmp_path):
    rows = np.random.default_rng(0).integers(0, 3, (300, 12))
    np.savetxt(tmp_path / "t.csv", rows, "%d", ",", header=",".join(f"X{i}" for i in range(12)), comments="")
    commands = [["learn", "t.csv", "--search", "climb"], ["posterior", "t.csv"], ["bootstrap", "t.csv"]]

    def notes(*arguments, cache):
        done = subprocess.run(
            [sys.executable, "-m", "bnml", *arguments],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / cache)},
        )
        return done.stderr.count(COMPILING)

    assert [notes(*one, cache="cold") for one in commands] == [1, 0, 0]
    assert notes("warmup", cache="warm") == 0
    assert [notes(*one, cache="warm") for one in commands] == [0, 0, 0]
    compiled_ones = {tuple(file.name.split("-")[0].split(".")) for file in (tmp_path / "warm").rglob("*.nbi")}
    assert set(kernels()) <= compiled_ones


def kernels():
    """Yield the module and the name of each kernel, as their sources have them."""
    for file in Path(bnml.__file__).parent.rglob("*.py"):
        for node in ast.parse(file.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef) and any(ast.unparse(one) == "kernel" for one in node.decorator_list):
                yield file.stem, node.name


@pytest.mark.slow
@compiled
def test_the_command_line_says_that_it_compiles(tmp_path):
    rows = np.random.default_rng(0).integers(0, 3, (300, 12))
    np.savetxt(tmp_path / "t.csv", rows, "%d", ",", header=",".join(f"X{i}" for i in range(12)), comments="")
    command = [sys.executable, "-m", "bnml", "learn", "t.csv", "--search", "climb", "--json"]
    found = []
    for _ in range(2):
        started = time.perf_counter()
        done = subprocess.run(
            command,
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "cache")},
        )
        seconds = json.loads(done.stdout)["seconds"]
        found.append((done.stderr.count(COMPILING), seconds < (time.perf_counter() - started) / 2))
    assert found == [(1, True), (0, True)]
