"""Running experiments: in parts, in processes, from where they were left off."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from bnml.errors import ArgumentError
from bnml.experiments import EXPERIMENTS, registry, reproduce, reproduction
from bnml.experiments.experiment import Experiment, Outputs, Part, experiment_blocks, experiment_generator


def parts(folder, repetitions):
    return [Part((name, *block), cost=2.0) for name in ("a", "b") for block in experiment_blocks(repetitions, 4)]


def work(folder, key, seed):
    name, first, last = key
    scale = float((folder / "scale.txt").read_text())
    return [
        {"name": name, "repetition": i, "value": scale * experiment_generator(seed, name, i).random()}
        for i in range(first, last)
    ]


def outcome(folder, rows, repetitions):
    from bnml.experiments import charts

    results = pd.DataFrame(rows)
    drawing, panels = charts.figure(1, 2)
    for panel, (name, own) in zip(panels, results.groupby("name"), strict=True):
        charts.line(panel, own["repetition"], own["value"], "qNML")
        panel.set_title(str(name))
    charts.legend(drawing, panels)
    return Outputs({"results": results}, {"figure": drawing}, [f"{len(results)} rows", "  a detail"])


TOY = Experiment("toy", parts, work, outcome, repetitions=10, files=("scale.txt",))


@pytest.fixture
def toy(monkeypatch, tmp_path):
    """Register a small experiment, and return the folder with its data."""
    find = registry.find_experiment
    monkeypatch.setattr(registry, "find_experiment", lambda name: TOY if name == "toy" else find(name))
    folder = tmp_path / "data"
    folder.mkdir()
    (folder / "scale.txt").write_text("2")
    return folder


def contents(done):
    return {file.name: file.read_bytes() for file in done.files}


def test_every_experiment_has_a_module_and_lists_its_files():
    for name in EXPERIMENTS:
        experiment = registry.find_experiment(name)
        assert experiment.name == name
        assert all(not Path(file).is_absolute() for file in experiment.files)


def test_all_files_are_written(toy, tmp_path):
    told = []
    done = reproduce("toy", toy, threads=1, out=tmp_path / "out", progress=lambda *step: told.append(step))
    assert {file.name for file in done.files} == {"results.csv", "figure.png", "figure.svg", "findings.txt"}
    assert (tmp_path / "out" / "toy" / "findings.txt").read_text() == "20 rows\n  a detail\n"
    assert len(pd.read_csv(tmp_path / "out" / "toy" / "results.csv")) == 20
    assert (done.repetitions, done.parts, done.resumed) == (10, 6, 0)
    assert [share for _, share in told] == pytest.approx([k / 6 for k in range(7)])


def test_an_interrupted_run_goes_on(toy, tmp_path, monkeypatch):
    whole = contents(reproduce("toy", toy, threads=1, out=tmp_path / "whole"))
    calls = []

    def failing(folder, key, seed):
        if len(calls) == 3:
            raise KeyboardInterrupt
        calls.append(key)
        return work(folder, key, seed)

    broken = Experiment("toy", parts, failing, outcome, repetitions=10, files=("scale.txt",))
    with monkeypatch.context() as patched:
        patched.setattr(registry, "find_experiment", lambda name: broken)
        with pytest.raises(KeyboardInterrupt):
            reproduce("toy", toy, threads=1, out=tmp_path / "out")
    folder = tmp_path / "out" / "toy"
    assert [file.name for file in folder.iterdir()] == ["journal.jsonl"]
    with (folder / "journal.jsonl").open("ab") as file:
        file.write(b'{"part":["b",8,10],"rows":[{"na')  # the machine went off within a line
    done = reproduce("toy", toy, threads=1, out=tmp_path / "out")
    assert done.resumed == 3
    assert contents(done) == whole
    assert reproduce("toy", toy, threads=1, out=tmp_path / "out").resumed == 6


def test_more_repetitions_keep_whole_blocks(toy, tmp_path):
    reproduce("toy", toy, repetitions=9, threads=1, out=tmp_path / "out")
    done = reproduce("toy", toy, repetitions=12, threads=1, out=tmp_path / "out")
    assert done.resumed == 4
    assert contents(done) == contents(reproduce("toy", toy, repetitions=12, threads=1, out=tmp_path / "fresh"))
    fewer = reproduce("toy", toy, repetitions=8, threads=1, out=tmp_path / "out")
    assert (fewer.resumed, fewer.parts) == (4, 4)
    assert len(pd.read_csv(tmp_path / "out" / "toy" / "results.csv")) == 16


def test_processes_do_not_change_the_files(tmp_path):
    one = reproduce("regret-table", threads=1, out=tmp_path / "one")
    two = reproduce("regret-table", threads=2, out=tmp_path / "two")
    assert contents(one) == contents(two)


DYING = """
import os
from bnml.errors import BnmlError
from bnml.experiments import registry, reproduce
from bnml.experiments.experiment import Experiment, Part

def work(folder, key, seed):
    os.kill(os.getpid(), 9)

dying = Experiment("dying", lambda folder, r: [Part((i,)) for i in range(3)], work, None)
registry.find_experiment = lambda name: dying
if __name__ == "__main__":
    try:
        reproduce("dying", out="out", threads=2)
    except BnmlError as error:
        print(error)
"""


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_a_process_that_dies_is_told(tmp_path):
    (tmp_path / "dying.py").write_text(DYING)
    done = subprocess.run([sys.executable, "dying.py"], cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert "a process was killed" in done.stdout, done.stderr


def test_random_numbers_have_keys_of_their_own():
    assert experiment_generator(0, "a", 1).random() == experiment_generator(0, "a", 1).random()
    drawn = {experiment_generator(seed, name, i).random() for seed in (0, 1) for name in ("a", "b") for i in range(3)}
    assert len(drawn) == 12


def test_blocks():
    assert experiment_blocks(10, 4) == [(0, 4), (4, 8), (8, 10)]
    assert experiment_blocks(8, 4) == [(0, 4), (4, 8)]
    assert experiment_blocks(3, 4) == [(0, 3)]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"name": "toys"}, "there is no experiment 'toys'"),
        ({"data": None}, "needs data=, the folder with 'scale.txt'"),
        ({"data": "nowhere"}, "there is no such folder"),
        ({"repetitions": 1}, "repetitions=1"),
        ({"repetitions": 2.5}, "repetitions=2.5"),
        ({"repetitions": True}, "repetitions=True"),
        ({"threads": 0}, "threads=0"),
        ({"seed": "x"}, "seed='x'"),
    ],
)
def test_wrong_arguments(toy, tmp_path, arguments, message):
    given = {"name": "toy", "data": toy, "out": tmp_path / "out", **arguments}
    with pytest.raises(ArgumentError, match=message.replace("(", r"\(")):
        reproduce(given.pop("name"), given.pop("data"), **given)
    assert not (tmp_path / "out").exists()


def test_a_folder_that_lacks_a_file(toy, tmp_path):
    (toy / "scale.txt").unlink()
    with pytest.raises(ArgumentError, match=r"lacks 'scale.txt', which toy needs"):
        reproduce("toy", toy, out=tmp_path / "out")


def test_nothing_random_takes_no_repetitions(tmp_path):
    with pytest.raises(ArgumentError, match="nothing in it is random"):
        reproduce("regret-table", repetitions=5, out=tmp_path)


@pytest.mark.parametrize("change", ["seed", "data", "text", "cut", "not a journal", "format"])
def test_results_of_something_else_are_left_alone(toy, tmp_path, change):
    reproduce("toy", toy, threads=1, out=tmp_path / "out")
    journal = tmp_path / "out" / "toy" / "journal.jsonl"
    seed, words = 0, "results of"
    if change == "seed":
        seed, words = 1, "another seed"
    elif change == "data":
        (toy / "scale.txt").write_text("3")
        words = "other data"
    elif change == "format":
        lines = journal.read_text().splitlines(keepends=True)
        journal.write_text(json.dumps({**json.loads(lines[0]), "format": 0}) + "\n" + "".join(lines[1:]))
        words = "another version"
    else:
        journal.write_text({"text": "{}\n", "cut": "my notes", "not a journal": "[1, 2]\nthree\n"}[change])
        words = "not the journal"
    before = journal.read_bytes()
    with pytest.raises(ArgumentError, match=words):
        reproduce("toy", toy, seed=seed, threads=1, out=tmp_path / "out")
    assert journal.read_bytes() == before


def test_a_journal_of_nothing_is_no_hindrance(toy, tmp_path, monkeypatch):
    with monkeypatch.context() as patched:
        patched.setattr(registry, "find_experiment", lambda name: replace(TOY, work=interrupted))
        with pytest.raises(KeyboardInterrupt):
            reproduce("toy", toy, threads=1, out=tmp_path / "out")
    assert reproduce("toy", toy, seed=5, threads=1, out=tmp_path / "out").resumed == 0


def interrupted(folder, key, seed):
    raise KeyboardInterrupt


def test_published_numbers_may_change(toy, tmp_path, monkeypatch):
    (toy / "printed.csv").write_text("a\n1\n")
    with monkeypatch.context() as patched:
        patched.setattr(registry, "find_experiment", lambda name: replace(TOY, published=("printed.csv",)))
        reproduce("toy", toy, threads=1, out=tmp_path / "out")
        (toy / "printed.csv").write_text("a\n2\n")
        assert reproduce("toy", toy, threads=1, out=tmp_path / "out").resumed == 6
        (toy / "printed.csv").unlink()
        with pytest.raises(ArgumentError, match=r"lacks 'printed.csv'"):
            reproduce("toy", toy, threads=1, out=tmp_path / "out")


@pytest.mark.skipif(os.name == "nt", reason="locks of POSIX")
def test_two_runs_at_once(toy, tmp_path):
    from bnml.experiments.journal import Journal

    folder = tmp_path / "out" / "toy"
    folder.mkdir(parents=True)
    with Journal(folder / "journal.jsonl", TOY, toy, 0), pytest.raises(ArgumentError, match="another run is at work"):
        reproduce("toy", toy, threads=1, out=tmp_path / "out")
    assert reproduce("toy", toy, threads=1, out=tmp_path / "out").parts == 6


def test_a_full_disk_is_told(toy, tmp_path, monkeypatch):
    from bnml.experiments.journal import Journal

    journal = Journal(tmp_path / "journal.jsonl", TOY, toy, 0)

    class Full:
        def write(self, line):
            raise OSError(28, "No space left on device")

        def close(self):
            pass

    journal._file.close()
    journal._file = Full()
    with pytest.raises(ArgumentError, match=r"journal.jsonl' cannot be written: No space left on device; what was"):
        journal.add(("a",), [], 0.1)


def test_an_outcome_that_fails_writes_nothing(toy, tmp_path, monkeypatch):
    reproduce("toy", toy, threads=1, out=tmp_path / "out")
    before = {file: file.read_bytes() for file in (tmp_path / "out" / "toy").iterdir()}

    def failing(figure, path):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(reproduction, "_drawn", failing)
    with pytest.raises((ArgumentError, OSError)):
        reproduce("toy", toy, repetitions=4, threads=1, out=tmp_path / "out")
    after = {file: file.read_bytes() for file in (tmp_path / "out" / "toy").iterdir() if file.suffix != ".jsonl"}
    assert after == {file: text for file, text in before.items() if file.suffix != ".jsonl"}


SLOW = """
import time
from dataclasses import replace
from pathlib import Path
from bnml.experiments import registry, reproduce
from bnml.experiments.experiment import Experiment, Part

def work(folder, key, seed):
    time.sleep(0.3)
    return [{"i": key[0]}]

slow = Experiment("slow", lambda folder, r: [Part((i,)) for i in range(1000)], work, None)
registry.find_experiment = lambda name: slow
if __name__ == "__main__":
    reproduce("slow", out="out", threads=1)
"""


LONG = """
import signal, time
from bnml.experiments import registry, reproduce
from bnml.experiments.experiment import Experiment, Part

def work(folder, key, seed):
    with open(f"began-{key[0]}", "w"):
        time.sleep(600)

long = Experiment("long", lambda folder, r: [Part((i,)) for i in range(10)], work, None)
registry.find_experiment = lambda name: long
if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)  # whoever started the tests may not want to hear it
    try:
        reproduce("long", out="out", threads=2)
    except KeyboardInterrupt:
        print("interrupted")
"""


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
@pytest.mark.parametrize("how", ["once", "twice", "killed"])
def test_processes_end_with_the_run(tmp_path, how):
    (tmp_path / "long.py").write_text(LONG)
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen([sys.executable, "long.py"], cwd=tmp_path, start_new_session=True, **pipes) as process:
        try:
            until(lambda: len(list(tmp_path.glob("began-*"))) == 2)
            if how == "killed":
                process.kill()
            else:
                os.killpg(process.pid, signal.SIGINT)
                if how == "twice":
                    time.sleep(0.02)
                    os.killpg(process.pid, signal.SIGINT)
            out, err = process.communicate(timeout=30)
            if how == "once":
                assert (out, err) == ("interrupted\n", "")
            until(lambda: not group(process.pid))
        finally:
            if group(process.pid):
                os.killpg(process.pid, signal.SIGKILL)
    assert len(list(tmp_path.glob("began-*"))) == 2  # no more was begun than there are processes


def until(reached):
    deadline = time.monotonic() + 60
    while not reached():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def group(number):
    """Return whether there is any process of a group left."""
    try:
        os.killpg(number, 0)
    except ProcessLookupError:
        return False
    return True


def test_a_kill_loses_nothing_that_was_done(tmp_path):
    (tmp_path / "slow.py").write_text(SLOW)
    process = subprocess.Popen([sys.executable, "slow.py"], cwd=tmp_path)
    journal = tmp_path / "out" / "slow" / "journal.jsonl"
    try:
        deadline = time.monotonic() + 60
        while not (journal.exists() and journal.read_bytes().count(b"\n") > 2):
            assert time.monotonic() < deadline
            time.sleep(0.05)
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
    lines = journal.read_bytes().split(b"\n")[1:-1]
    assert [json.loads(line)["rows"] for line in lines] == [[{"i": i}] for i in range(len(lines))]
