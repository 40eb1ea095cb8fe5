"""``bnml reproduce``: its report, its JSON, its files, and wrong uses."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from bnml.cli import reproduce
from bnml.experiments import EXPERIMENTS, Reproduction, registry
from bnml.experiments.experiment import Outputs


def test_report_and_files(run, folder):
    shown = run("reproduce", "regret-table", "--threads", "1")
    assert (shown.status, shown.err) == (0, "")
    assert "35 of 36 regrets" in shown.out
    assert max(map(len, shown.out.splitlines())) <= 80
    names = {"results.csv", "comparison.csv", "claims.csv", "figure.png", "figure.svg", "findings.txt", "journal.jsonl"}
    assert {file.name for file in (folder / "reproduced" / "regret-table").iterdir()} == names
    again = run("reproduce", "regret-table", "--threads", "1")
    assert "12 of 12 parts were done before" in again.out


def test_json(run, folder):
    found = json.loads(run("reproduce", "regret-table", "--threads", "1", "--out", "here", "--json").out)
    assert found["experiment"] == "regret-table"
    assert (found["repetitions"], found["parts"], found["resumed"]) == (None, 12, 0)
    assert "here/regret-table/results.csv" in found["files"]
    assert found["findings"]


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_reports_fit_the_terminal(name, capsys):
    experiment = registry.find_experiment(name)
    findings = ["a finding " * 30, "  a detail " + "that goes on " * 20]
    files = [Path("a/very/long/folder", name, "results.csv")]
    reproduce._print(Reproduction(experiment, Outputs({}, {}, findings), files, 100_000, 3, 4, 12345.0))
    shown = capsys.readouterr().out
    assert max(map(len, shown.splitlines())) <= 80
    assert f"{name}: " in shown


def test_all(run, folder, monkeypatch):
    monkeypatch.setattr(registry, "EXPERIMENTS", {"regret-table": EXPERIMENTS["regret-table"]})
    shown = run("reproduce", "all", "--threads", "1")
    assert (shown.status, shown.err) == (0, "")
    assert max(map(len, shown.out.splitlines())) <= 80
    assert "regret-table (" in shown.out
    assert "  confirmed: Equation 7 is a good approximation" in shown.out
    assert "3 claims: 2 confirmed, 1 refuted, 0 inconclusive." in shown.out
    assert "<h1>What the papers say" in (folder / "reproduced" / "claims.html").read_text()
    found = json.loads(run("reproduce", "all", "--threads", "1", "--json").out)
    assert found["verdicts"] == {"confirmed": 2, "refuted": 1, "inconclusive": 0}
    assert found["experiments"][0]["claims"][0]["verdict"] == "refuted"


def test_help_names_every_experiment(run):
    shown = " ".join(run("reproduce", "--help").out.replace("│", " ").split())
    assert all(name in shown for name in EXPERIMENTS)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "Missing argument 'NAME'"),
        (("regret-tables",), "Did you mean 'regret-table'?"),
        (("generating-structure",), "needs --data, the folder with"),
        (("generating-structure", "--data", "nowhere"), "--data nowhere: there is no such folder"),
        (("generating-structure", "--data", "."), "lacks 'networks/"),
        (("generating-structure", "--data", "survey.csv"), "there is no such folder"),
        (("regret-table", "--repetitions", "5"), "takes no --repetitions"),
        (("prediction", "--data", ".", "--repetitions", "many"), "'many' is not a whole number"),
        (("regret-table", "--threads", "0"), "--threads 0"),
        (("regret-table", "--out", "survey.csv"), "cannot be made"),
        (("regret-table", "--format", "pdf"), "No such option"),
        (("regret-table", "--ties", "first"), "regret-table takes no --ties"),
        (("all", "--regret", "eq7"), "--regret is for one experiment: all shows both"),
        (("all",), "needs --data, the folder with"),
    ],
)
def test_wrong_uses(run, arguments, message):
    shown = run("reproduce", *arguments)
    assert (shown.status, shown.out) == (2, "")
    assert message in " ".join(shown.err.split())


def test_results_of_another_seed(run):
    run("reproduce", "regret-table", "--threads", "1")
    shown = run("reproduce", "regret-table", "--threads", "1", "--seed", "1")
    assert shown.status == 2
    assert "another seed; choose another folder with --out" in shown.err


HEARING = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)  # whoever started the tests may not want to hear it
from bnml.cli import main
raise SystemExit(main())
"""


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_interrupted(folder):
    """Ctrl-C says how to go on, whatever the processes do at that moment."""
    command = [sys.executable, "-c", HEARING, "reproduce", "regret-table", "--threads", "2"]
    journal = folder / "reproduced" / "regret-table" / "journal.jsonl"
    pipes = {"stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, cwd=folder, start_new_session=True, **pipes) as process:
        deadline = time.monotonic() + 60
        while not journal.exists():
            assert time.monotonic() < deadline
            time.sleep(0.01)
        os.killpg(process.pid, signal.SIGINT)
        _, said = process.communicate(timeout=60)
    assert process.returncode == 130, said
    assert "the same command goes on from there" in said
    assert "Traceback" not in said
