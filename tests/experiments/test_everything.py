"""All experiments in one run: their page, and how an interrupted run goes on."""

from __future__ import annotations

import pandas as pd
import pytest

from bnml.errors import ArgumentError
from bnml.experiments import registry, reproduce_all
from bnml.experiments.claims import claim_of_margin
from bnml.experiments.experiment import Experiment, Outputs, Part, experiment_generator


def experiment(name, *, repetitions=None, in_all=None, files=()):
    def parts(folder, repetitions):
        return [Part((k,)) for k in range(repetitions)]

    def work(folder, key, seed):
        return [{"k": key[0], "value": experiment_generator(seed, name, *key).random()}]

    def outcome(folder, rows, repetitions, **choices):
        from bnml.experiments import charts

        table = pd.DataFrame(rows)
        drawing, panels = charts.figure(1, 1)
        charts.line(panels[0], table["k"], table["value"], "qNML")
        mean = float(table["value"].mean())
        claim = claim_of_margin(f"The mean of {name} | is <positive>.", "a paper", mean, 0.01, f"{mean:.3f}")
        return Outputs({"results": table}, {"figure": drawing}, [f"{len(rows)} rows & more"], [claim])

    return Experiment(name, parts, work, outcome, repetitions=repetitions, in_all=in_all, files=files)


@pytest.fixture
def three(monkeypatch, coarse_pictures):
    """Register three experiments: one of which nothing is random, one with fewer repetitions here, one left out."""
    every = {
        "plain": experiment("plain"),
        "random": experiment("random", repetitions=50, in_all=4, files=("table.csv",)),
        "endless": experiment("endless", repetitions=1000, in_all=0, files=("nowhere.csv",)),
    }
    monkeypatch.setattr(registry, "find_experiment", every.__getitem__)
    monkeypatch.setattr(registry, "EXPERIMENTS", {name: f"what {name} shows" for name in every})
    return every


@pytest.fixture
def data(tmp_path):
    folder = tmp_path / "data"
    folder.mkdir()
    (folder / "table.csv").write_text("a\n1\n")
    return folder


def test_one_page_with_all_claims(three, data, tmp_path):
    told = []
    found = reproduce_all(data, threads=1, out=tmp_path / "out", progress=lambda *step: told.append(step))
    assert [(one.experiment.name, one.repetitions) for one in found.done] == [("plain", None), ("random", 4)]
    assert found.left_out == ["endless"]
    assert found.verdicts == {"confirmed": 2, "refuted": 0, "inconclusive": 0}
    assert found.processor_seconds == pytest.approx(sum(one.processor_seconds for one in found.done))
    assert {stage.partition(":")[0] for stage, _ in told} == {"plain", "random"}
    assert [file.name for file in found.files] == ["claims.html", "claims.md"]
    page, plain = (file.read_text() for file in found.files)
    assert "2 claims: 2 confirmed, 0 refuted, 0 inconclusive." in plain
    assert "| The mean of random \\| is <positive>. | a paper | confirmed | 0." in plain
    assert "The mean of random | is &lt;positive&gt;." in page
    assert "4 rows &amp; more" in page
    for text in (page, plain):
        assert "random/figure.png" in text
        assert "endless" in text
        assert " ± 0.03" in text
    assert (tmp_path / "out" / "random" / "figure.png").is_file()
    assert found.to_dict()["verdicts"] == found.verdicts


def test_an_interrupted_run_goes_on(three, data, tmp_path, monkeypatch):
    whole = reproduce_all(data, threads=1, out=tmp_path / "whole")
    calls = []

    def failing(folder, key, seed):
        if len(calls) == 2:
            raise KeyboardInterrupt
        calls.append(key)
        return work(folder, key, seed)

    work = three["random"].work
    object.__setattr__(three["random"], "work", failing)
    with pytest.raises(KeyboardInterrupt):
        reproduce_all(data, threads=1, out=tmp_path / "out")
    assert not (tmp_path / "out" / "claims.html").exists()
    object.__setattr__(three["random"], "work", work)
    again = reproduce_all(data, threads=1, out=tmp_path / "out")
    assert [one.resumed for one in again.done] == [1, 2]
    tables = [[one.outcome.tables["results"].to_csv() for one in found.done] for found in (whole, again)]
    assert tables[0] == tables[1]


def test_fewer_repetitions(three, data, tmp_path):
    found = reproduce_all(data, repetitions=3, threads=1, out=tmp_path / "out")
    assert [one.repetitions for one in found.done] == [None, 3]
    assert reproduce_all(data, repetitions=99, threads=1, out=tmp_path / "out").done[1].repetitions == 4


def test_what_is_missing_is_told_before_any_work(three, data, tmp_path):
    (data / "table.csv").unlink()
    with pytest.raises(ArgumentError, match=r"lacks 'table.csv', which random needs"):
        reproduce_all(data, threads=1, out=tmp_path / "out")
    assert not (tmp_path / "out").exists()
