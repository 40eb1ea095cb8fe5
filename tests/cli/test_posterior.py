"""``bnml posterior``: its report, its JSON, its file, and wrong uses."""

from __future__ import annotations

import json
import shlex
import sys

import numpy as np
import pandas as pd
import pytest

import bnml
from bnml.cli import posterior
from bnml.uncertainty import posterior_cost


def test_report(run):
    shown = run("posterior", "two.csv")
    assert (shown.status, shown.err) == (0, "")
    assert "2 variables, given 300 rows" in shown.out
    assert "all DAGs are equally probable" in shown.out
    assert "-> " in shown.out
    assert max(map(len, shown.out.splitlines())) <= 80


def test_help(run):
    shown = run("posterior", "--help")
    assert shown.status == 0
    assert "Example:" in shown.out
    assert max(map(len, shown.out.splitlines())) <= 80
    words = " ".join(shown.out.replace("│", " ").split())
    for option in (
        "prior",
        "method",
        "chains",
        "samples",
        "seed",
        "time-limit",
        "score",
        "max-parents",
        "require",
        "threads",
        "memory-limit",
        "top",
        "json",
    ):
        assert f"--{option} " in words


def test_the_example_runs(run):
    command = shlex.split(posterior.EXAMPLE.removeprefix("Example: "))
    assert command.pop(0) == "bnml"
    shown = run(*command)
    assert (shown.status, shown.err) == (0, "")
    assert "Most probable structures" in shown.out
    assert "[smoke][lung|smoke]" in shown.out


def test_json(run):
    shown = run("posterior", "two.csv", "--score", "bdeu:10", "--json")
    assert (shown.status, shown.err) == (0, "")
    found, want = json.loads(shown.out), bnml.posterior("two.csv", "bdeu:10")
    assert found["log_evidence"] == pytest.approx(want.log_evidence)
    assert (found["score"], found["prior"], found["rows"]) == ("bdeu:10", "uniform", 300)
    assert found["variables"] == ["smoke", "lung"]
    assert [(arc["from"], arc["to"]) for arc in found["arcs"]] == [("smoke", "lung"), ("lung", "smoke")]
    assert found["arcs"][0]["probability"] == pytest.approx(want.arc_probabilities.loc["smoke", "lung"])
    assert "top" not in found
    for name, table in (("paths", want.path_probabilities), ("blankets", want.blanket_probabilities)):
        assert [(row["from"], row["to"]) for row in found[name]] == [("smoke", "lung"), ("lung", "smoke")]
        assert found[name][0]["probability"] == pytest.approx(table.loc["smoke", "lung"])


def test_paths_of_too_many_variables(run, folder):
    rows = np.random.default_rng(0).integers(0, 2, (40, 15))
    pd.DataFrame(rows, columns=[f"V{i}" for i in range(15)]).to_csv(folder / "fifteen.csv", index=False)
    shown = run("posterior", "fifteen.csv", "--max-parents", "1", "--json", "-o", "arcs.csv")
    assert (shown.status, shown.err) == (0, "")
    found = json.loads(shown.out)
    assert found["paths"] is found["blankets"] is None
    assert pd.read_csv("arcs.csv").columns.tolist() == ["from", "to", "probability", "prior"]


def test_best_structures_of_six_variables(run, folder):
    rng = np.random.default_rng(0)
    x = rng.integers(0, 2, 200)
    frame = pd.DataFrame({name: x ^ (rng.random(200) < 0.1) for name in "ABCDEF"})
    frame.to_csv(folder / "six.csv", index=False)
    shown = run("posterior", "six.csv", "--top", "3")
    assert (shown.status, shown.err) == (0, "")
    assert shown.out.count("[A") >= 3
    found = json.loads(run("posterior", "six.csv", "--top", "3", "--json").out)
    assert [row["structure"] for row in found["top"]] == bnml.posterior("six.csv").top(3)["structure"].tolist()


@pytest.mark.parametrize("prior", ["uniform", "order", "classes"])
def test_prior_and_best_structures(run, prior):
    arguments = ("posterior", "survey.csv", "--bins", "quantile:3", "--prior", prior, "--top", "4", "--json")
    found = json.loads(run(*arguments).out)
    want = bnml.posterior(bnml.read("survey.csv", bins="quantile:3"), prior=prior)
    assert found["prior"] == prior
    assert [row["structure"] for row in found["top"]] == want.top(4).structure.tolist()
    classes = json.loads(run(*arguments, "--classes").out)["top"]
    assert [row["cpdag"] for row in classes] == [str(cpdag) for cpdag in want.top(4, classes=True).cpdag]


def test_long_structures(run, folder):
    rng = np.random.default_rng(0)
    x = rng.integers(0, 2, 200)
    frame = pd.DataFrame({f"a variable with a long name {i}": x ^ (rng.random(200) < 0.1) for i in range(5)})
    frame.to_csv(folder / "long.csv", index=False)
    for options in ((), ("--classes",)):
        shown = run("posterior", "long.csv", "--top", "3", *options)
        assert shown.status == 0
        assert max(map(len, shown.out.splitlines())) <= 80


def test_what_is_known(run, folder):
    found = json.loads(run("posterior", "two.csv", "--require", "smoke>lung", "--json").out)
    assert [arc["probability"] for arc in found["arcs"]] == [1.0, 0.0]
    found = json.loads(run("posterior", "two.csv", "--forbid-link", "smoke-lung", "--json").out)
    assert [arc["probability"] for arc in found["arcs"]] == [0.0, 0.0]
    found = json.loads(run("posterior", "two.csv", "--tiers", "lung|smoke", "--forbid", "smoke>lung", "--json").out)
    assert found["arcs"][0]["probability"] == 0.0
    (folder / "known.toml").write_text('forbidden = [["lung", "smoke"]]\n')
    found = json.loads(run("posterior", "two.csv", "--config", "known.toml", "--json").out)
    assert found["arcs"][1]["probability"] == 0.0
    shown = run("posterior", "two.csv", "--max-parents", "0")
    assert "at most 0 parents" in shown.out


def test_a_prior_network(run):
    found = json.loads(run("posterior", "two.csv", "--score", "bde:5", "--prior-network", "net.bif", "--json").out)
    want = bnml.posterior("two.csv", bnml.scores.BDe(bnml.load("net.bif"), 5))
    assert found["log_evidence"] == pytest.approx(want.log_evidence)


@pytest.mark.parametrize("name", ["arcs.csv", "arcs.csv.gz"])
def test_file(run, name):
    shown = run("posterior", "two.csv", "-o", name)
    assert (shown.status, shown.err) == (0, "")
    assert f"{name}: the probabilities of 2 arcs" in shown.out
    frame = pd.read_csv(name)
    assert frame.columns.tolist() == ["from", "to", "probability", "path", "blanket", "prior"]
    assert frame["path"].tolist() == pytest.approx(frame["probability"].tolist())
    assert frame["blanket"][0] == pytest.approx(frame["probability"].sum())
    assert frame["from"].tolist() == ["smoke", "lung"]
    assert set(frame["prior"]) == {"all DAGs are equally probable"}
    assert json.loads(run("posterior", "two.csv", "-o", name, "--json").out)["rows"] == 300


def test_every_figure_says_its_prior(run):
    run("posterior", "two.csv", "--prior", "order", "--max-parents", "0", "-o", "arcs.csv")
    [words] = set(pd.read_csv("arcs.csv")["prior"])
    assert words == bnml.posterior("two.csv", prior="order", max_parents=0).prior_text
    assert "of an order" in words
    assert "at most 0 parents each" in words


def expensive(*arguments):
    return posterior_cost.Cost(60.0, 10**6)


def test_forecast(run, monkeypatch):
    monkeypatch.setattr(posterior_cost, "posterior_cost", expensive)
    shown = run("posterior", "two.csv", "--json")
    assert shown.err == "forecast: about 60 s, 1.0 MB of memory at most\n"
    assert json.loads(shown.out)["rows"] == 300


def test_progress_on_a_terminal(run, monkeypatch):
    monkeypatch.setattr(posterior_cost, "posterior_cost", expensive)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    shown = run("posterior", "two.csv")
    assert shown.status == 0
    assert "forecast: " in shown.err


SAMPLED = ("posterior", "two.csv", "--method", "sample", "--samples", "200", "--seed", "3")


def test_sampled_report(run):
    shown = run(*SAMPLED)
    assert (shown.status, shown.err) == (0, "")
    assert "Sampled posterior over the structures of 2 variables" in shown.out
    assert "converged" in shown.out
    assert max(map(len, shown.out.splitlines())) <= 80
    short = run("posterior", "two.csv", "--method", "sample", "--samples", "2", "--chains", "2")
    assert "not converged" in short.out


def test_sampled_json_and_file(run):
    shown = run(*SAMPLED, "--top", "2", "--json", "-o", "arcs.csv")
    found = json.loads(shown.out)
    want = bnml.posterior("two.csv", method="sample", samples=200, seed=3)
    assert found["method"] == "sample"
    assert found["arcs"][0]["probability"] == want.arc_probabilities.loc["smoke", "lung"]
    assert [row["structure"] for row in found["top"]] == want.top(2).structure.tolist()
    frame = pd.read_csv("arcs.csv")
    assert frame.columns.tolist() == ["from", "to", "probability", "standard_error", "path", "blanket", "prior"]


def test_many_variables_are_sampled(run, folder):
    rows = np.random.default_rng(0).integers(0, 2, (40, 24))
    pd.DataFrame(rows, columns=[f"V{i}" for i in range(24)]).to_csv(folder / "more.csv", index=False)
    shown = run("posterior", "more.csv", "--samples", "5", "--top", "1")
    assert shown.status == 0
    assert "not converged" in shown.out
    assert "Most probable structures" in shown.out


WRONG = [
    (["posterior"], "DATA"),
    (["posterior", "none.csv"], "none.csv"),
    (["posterior", "survey.csv"], "--bins auto"),
    (["posterior", "two.csv", "--score", "bic"], "--score bic: it is not the log-probability"),
    (["posterior", "two.csv", "--score", "bdue"], "Did you mean 'bdeu'"),
    (["posterior", "two.csv", "--score", "bde"], "--score bde needs --prior-network"),
    (["posterior", "two.csv", "--prior-network", "net.bif"], "--prior-network goes with --score bde only"),
    (["posterior", "two.csv", "--prior", "flat"], "--prior flat: expected"),
    (["posterior", "two.csv", "--top", "0"], "from 1"),
    (["posterior", "two.csv", "--top", "many"], "many"),
    (
        ["posterior", "many.csv", "--drop", "V0,V1,V2", "--top", "3"],
        "there are 20: take --method sample",
    ),
    (
        ["posterior", "seven.csv", "--prior", "classes", "--method", "exact"],
        "--prior classes goes up to 6 variables, and there are 7",
    ),
    (["posterior", "two.csv", "--classes"], "--classes goes with --top"),
    (["posterior", "two.csv", "--max-parents", "-1"], "--max-parents -1"),
    (["posterior", "two.csv", "--threads", "0"], "--threads 0"),
    (["posterior", "two.csv", "--memory-limit", "much"], "--memory-limit much"),
    (["posterior", "two.csv", "--memory-limit", "10B"], "raise --memory-limit"),
    (["posterior", "two.csv", "--require", "smoke>lungs"], "lungs"),
    (["posterior", "two.csv", "--require-link", "smoke-lung", "--method", "exact"], "--require-link"),
    (["posterior", "two.csv", "--method", "guess"], "--method guess"),
    (["posterior", "two.csv", "--method", "sample", "--samples", "0"], "--samples 0"),
    (["posterior", "two.csv", "--method", "sample", "--chains", "0"], "--chains 0"),
    (["posterior", "two.csv", "--method", "sample", "--time-limit", "0"], "--time-limit 0"),
    (["posterior", "two.csv", "--method", "sample", "--samples", "900000000"], "lower --samples"),
    (["posterior", "two.csv", "--require", "smoke>lung", "--max-parents", "0"], "'lung'"),
    (["posterior", "two.csv", "-o", "x.txt"], "x.txt"),
    (["posterior", "two.csv", "-o", "no/such/x.csv"], "there is no folder"),
    (["posterior", "many.csv", "--method", "exact"], "or sample structures with --method sample"),
    (["posterior", "many.csv", "--method", "exact", "--prior", "uniform", "--drop", "V0,V1,V2"], "take --prior order"),
]


@pytest.mark.parametrize(("arguments", "fragment"), WRONG, ids=[" ".join(arguments) for arguments, _ in WRONG])
def test_wrong_uses(run, folder, arguments, fragment):
    rows = np.random.default_rng(0).integers(0, 2, (20, 23))
    pd.DataFrame(rows, columns=[f"V{i}" for i in range(23)]).to_csv(folder / "many.csv", index=False)
    pd.DataFrame(rows[:, :7], columns=list("ABCDEFG")).to_csv(folder / "seven.csv", index=False)
    shown = run(*arguments)
    assert shown.status == 2
    assert shown.out == ""
    assert fragment.lower() in shown.err.lower()
    assert "Traceback" not in shown.err
    assert len(shown.err) < 600
