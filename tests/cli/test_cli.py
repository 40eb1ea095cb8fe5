"""Every command: its result, its JSON, its help, and wrong uses."""

from __future__ import annotations

import json
import math
import subprocess
import sys

import pandas as pd
import pytest

import bnml

COMMANDS = ("info", "score", "fit", "sample", "regret", "compare", "convert")


def test_version_and_overview(run):
    assert run("--version").out.strip() == f"bnml {bnml.__version__}"
    overview = run("--help")
    assert overview.status == 0
    assert all(command in overview.out for command in COMMANDS)
    assert run().status in (0, 2)


@pytest.mark.parametrize("command", COMMANDS)
def test_help_has_an_example_and_fits_the_terminal(run, command):
    shown = run(command, "--help")
    assert shown.status == 0
    assert f"bnml {command}" in shown.out.replace("\n", " ")
    assert "Example:" in shown.out
    assert max(map(len, shown.out.splitlines())) <= 80


def test_info(run):
    shown = run("info", "two.csv")
    assert shown.status == 0
    assert "300 rows" in shown.out
    assert max(map(len, shown.out.splitlines())) <= 80
    found = json.loads(run("info", "two.csv", "--json").out)
    assert found["rows"] == 300
    assert [column["name"] for column in found["columns"]] == ["smoke", "lung"]
    assert sum(found["columns"][0]["counts"]) == 300


def test_advice_in_terms_of_the_command_line(run, folder):
    shown = run("info", "survey.csv")
    assert "--bins mdl" in shown.err
    assert "bins='" not in shown.err
    (folder / "gap.csv").write_text("a,b\nx,y\n,z\nw,y\n")
    assert "--missing drop" in run("info", "gap.csv").err


def test_long_labels_leave_room_for_names(run, folder):
    rows = "\n".join(f"{'long label ' * 3}{i},{i % 2}" for i in range(30))
    (folder / "long.csv").write_text(f"a name of some length,b\n{rows}\n")
    shown = run("info", "long.csv").out
    assert "a name of some length" in shown
    assert max(map(len, shown.splitlines())) <= 80


def test_info_shows_the_cuts(run):
    shown = run("info", "survey.csv", "--bins", "quantile:3")
    assert "age cut at" in shown.out
    assert "█" in shown.out
    found = json.loads(run("info", "survey.csv", "--bins", "width:3", "--json").out)
    assert len(found["columns"][2]["cuts"]) == 2


def test_score(run):
    want = bnml.score(bnml.DAG.parse("[smoke][lung|smoke]"), "two.csv", "bdeu:10")
    found = json.loads(run("score", "[smoke][lung|smoke]", "two.csv", "--score", "bdeu:10", "--json").out)
    assert found["score"] == pytest.approx(want)
    assert math.fsum(family["score"] for family in found["families"]) == pytest.approx(want)
    shown = run("score", "net.bif", "survey.csv", "--drop", "age")
    assert shown.status == 0
    assert "penalty" in shown.out
    assert max(map(len, shown.out.splitlines())) <= 80


def test_fit_and_convert(run, folder):
    shown = run("fit", "[smoke][lung|smoke]", "two.csv", "-o", "out.json", "--estimator", "mle")
    assert shown.status == 0
    assert "3 parameters" in shown.out
    network = bnml.load("out.json")
    assert network.probabilities("smoke").sum() == pytest.approx(1.0)
    found = json.loads(run("fit", "net.bif", "two.csv", "-o", "out.bif", "--json").out)
    assert found["arcs"] == [["smoke", "lung"]]
    assert run("convert", "out.bif", "out.xdsl").status == 0
    assert bnml.load("out.xdsl").dag == network.dag


def test_sample(run):
    first, second = (
        run("sample", "net.bif", "-n", "20", "--seed", "3"),
        run("sample", "net.bif", "-n", "20", "--seed", "3"),
    )
    assert first.out == second.out
    assert first.out.splitlines()[0] == "smoke,lung"
    assert len(first.out.splitlines()) == 21
    assert run("sample", "net.bif", "-n", "5", "-o", "rows.csv").status == 0
    assert pd.read_csv("rows.csv").shape == (5, 2)
    assert run("sample", "net.bif", "-n", "5", "-o", "rows.csv.gz").status == 0
    assert pd.read_csv("rows.csv.gz").shape == (5, 2)


def test_regret(run):
    assert float(run("regret", "500", "10").out.split()[-1]) == pytest.approx(bnml.regret(500, 10))
    found = json.loads(run("regret", "500", "10", "--method", "szpankowski", "--json").out)
    assert found["regret"] == pytest.approx(22.67, abs=0.01)


def test_compare(run):
    shown = run("compare", "[A][B|A][C|B]", "[C][B|C][A|B]")
    assert "distance 0 between the equivalence classes, 2 between the DAGs" in shown.out
    assert "equivalent" in shown.out
    assert "  A -> B" in shown.out
    found = json.loads(run("compare", "[A][B|A][C|B]", "[A][C][B|A:C]", "--json").out)
    assert found["shd"] == 2
    assert found["reversed"] == [["B", "C"]]


def test_options_from_a_file(run, folder):
    (folder / "options.toml").write_text('drop = ["smoke"]\n[bins]\nage = [40, 60]\n')
    found = json.loads(run("info", "survey.csv", "--config", "options.toml", "--json").out)
    assert [column["name"] for column in found["columns"]] == ["lung", "age"]
    assert found["columns"][1]["cuts"] == [40.0, 60.0]


def test_a_note_for_a_column_with_one_state(run, folder):
    (folder / "one.csv").write_text("a,b\n1,x\n1,y\n")
    shown = run("info", "one.csv")
    assert shown.status == 0
    assert "note: column 'a' has only one state" in shown.err


WRONG = [
    (["info"], "DATA"),
    (["info", "none.csv"], "none.csv"),
    (["info", "survey.csv"], "age"),
    (["info", "two.csv", "--missing", "maybe"], "maybe"),
    (["info", "two.csv", "--columns", "smoke,lungs"], "lungs"),
    (["info", "two.csv", "--drop", "lungs"], "lungs"),
    (["info", "two.csv", "--config", "none.toml"], "none.toml"),
    (["info", "two.csv", "--bins", "width:0"], "width:0"),
    (["score", "[smoke][lung|smoke]"], "DATA"),
    (["score", "[smoke][lung|smok]", "two.csv"], "smok"),
    (["score", "[smoke]", "two.csv"], "lung"),
    (["score", "none.bif", "two.csv"], "none.bif"),
    (["score", "nonsense", "two.csv"], "nonsense"),
    (["score", "[smoke][lung|smoke]", "two.csv", "--score", "bicc"], "bic"),
    (["fit", "[smoke][lung|smoke]", "two.csv"], "output"),
    (["fit", "[smoke][lung|smoke]", "two.csv", "-o", "x.pdf"], "x.pdf"),
    (["fit", "[smoke][lung|smoke]", "two.csv", "-o", "no/such/x.bif"], "no"),
    (["fit", "[smoke][lung|smoke]", "two.csv", "-o", "x.bif", "--estimator", "ml"], "mle"),
    (["fit", "[smoke][lung|smoke]", "two.csv", "-o", "x.bif", "--ess", "-1", "--estimator", "bpp"], "ess"),
    (["sample", "net.bif"], "rows"),
    (["sample", "net.bif", "-n", "-3"], "-3"),
    (["sample", "net.bif", "-n", "many"], "many"),
    (["sample", "none.bif", "-n", "3"], "none.bif"),
    (["sample", "two.csv", "-n", "3"], "two.csv"),
    (["sample", "net.bif", "-n", "3", "-o", "x.doc"], "x.doc"),
    (["regret", "5"], "R"),
    (["regret", "5", "0"], "r must be"),
    (["regret", "-1", "3"], ""),
    (["regret", "five", "3"], "five"),
    (["regret", "5", "3", "--method", "guess"], "guess"),
    (["compare", "[A]"], "B"),
    (["compare", "[A][B]", "[A][C]"], "C"),
    (["compare", "[A][B|A", "[A][B]"], "[A][B|A"),
    (["compare", "[A|B][B|A]", "[A][B]"], "A"),
    (["compare", "none.bif", "[A][B]"], "none.bif"),
    (["convert", "net.bif"], "OUT"),
    (["convert", "none.bif", "x.net"], "none.bif"),
    (["convert", "net.bif", "x.unknown"], "x.unknown"),
    (["convert", "two.csv", "x.bif"], "two.csv"),
    (["convert", "net.bif", "no/such/x.bif"], "no"),
    (["lern"], "lern"),
]


@pytest.mark.parametrize(("arguments", "fragment"), WRONG, ids=[" ".join(arguments) for arguments, _ in WRONG])
def test_wrong_uses(run, arguments, fragment):
    shown = run(*arguments)
    assert shown.status == 2
    assert shown.out == ""
    assert fragment in shown.err
    assert "Traceback" not in shown.err
    assert len(shown.err) < 600


def test_as_a_process(folder):
    """No colours when piped, status 2 and a short message for a wrong file."""
    good = subprocess.run(
        [sys.executable, "-m", "bnml", "info", "two.csv"], capture_output=True, text=True, check=False
    )
    assert good.returncode == 0
    assert "\x1b" not in good.stdout
    bad = subprocess.run(
        [sys.executable, "-m", "bnml", "info", "none.csv"], capture_output=True, text=True, check=False
    )
    assert (bad.returncode, bad.stdout) == (2, "")
    assert bad.stderr.startswith("bnml: ")
