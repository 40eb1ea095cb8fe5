"""Every command: its result, its JSON, its help, and wrong uses."""

from __future__ import annotations

import json
import math
import os
import re
import shlex
import signal
import subprocess
import sys
import tomllib
from pathlib import Path

import pandas as pd
import pytest
import typer

import bnml
from bnml.cli import compare, convert, fit, info, regret, sample, score
from bnml.cli.app import app, load_command
from bnml.cli.error_words import in_options
from bnml.cli.reading import parse_bins_options
from bnml.errors import ABSENT, ArgumentError

COMMANDS = (
    "learn",
    "posterior",
    "bootstrap",
    "strength",
    "studio",
    "relational",
    "info",
    "score",
    "fit",
    "predict",
    "impute",
    "sample",
    "regret",
    "compare",
    "convert",
    "reproduce",
)


def test_version_and_overview(run):
    assert run("--version").out.strip() == f"bnml {bnml.__version__}"
    overview = run("--help")
    assert overview.status == 0
    assert all(command in overview.out for command in COMMANDS)
    assert run() == overview


@pytest.mark.parametrize("command", COMMANDS)
def test_help_has_an_example_and_fits_the_terminal(run, command):
    shown = run(command, "--help")
    assert shown.status == 0
    assert f"bnml {command}" in shown.out.replace("\n", " ")
    assert "Example:" in shown.out
    assert max(map(len, shown.out.splitlines())) <= 80


def test_the_examples_run(run):
    for module in (info, score, fit, sample, regret, compare, convert):
        command = shlex.split(module.EXAMPLE.removeprefix("Example: "))
        assert command.pop(0) == "bnml"
        shown = run(*command)
        assert (shown.status, shown.err) == (0, ""), command


def test_info(run):
    shown = run("info", "two.csv")
    assert shown.status == 0
    assert "300 rows" in shown.out
    assert max(map(len, shown.out.splitlines())) <= 80
    found = json.loads(run("info", "two.csv", "--json").out)
    assert found["rows"] == 300
    assert [column["name"] for column in found["columns"]] == ["smoke", "lung"]
    assert sum(found["columns"][0]["counts"]) == 300


def test_scores_are_listed(run):
    shown = " ".join(run("score", "--help").out.replace("│", " ").split())
    for name in (*bnml.scores.registry.SCORES, "mdl+parents", "bde"):
        assert re.search(rf"[ ,]{re.escape(name)}[:, ;.]", shown), name


@pytest.mark.parametrize(
    ("name", "value", "want"),
    [
        ("columns", ..., "--columns or --drop"),
        ("columns", ["a", "b"], "--columns a,b"),
        ("states", ..., "--states"),
        ("bins", "quantile:4", "--bins quantile:4"),
        ("bins", {"a b": [10, 20]}, "--bins 'a b=10,20'"),
        ("states", {"a": ["x"]}, "[states] in a --config file"),
        ("missing", "drop", "--missing drop"),
        ("score", "bic:", "--score bic:"),
        ("class_variable", "lung cancer", "--class 'lung cancer'"),
        ("alpha", 0.05, "--significance 0.05"),
        ("max_parents", -1, "--max-parents -1"),
        ("order", ("a", "b c"), "--order 'a,b c'"),
        ("search", "a\nb", "--search 'a\\nb'"),
        ("restarts", 3, "--option restarts=3"),
        ("restarts", ..., "--option restarts"),
        ("score", int, "--score <class 'int'>"),
    ],
)
def test_arguments_of_the_library_are_options(name, value, want):
    error = ArgumentError("no", argument=name, value=ABSENT if value is ... else value)
    assert error.text(in_options({})) == f"{want}: no"


def test_commands_may_have_words_of_their_own(run):
    assert "bnml: --top 0: there can" in run("posterior", "two.csv", "--top", "0").err


def test_advice_in_terms_of_the_command_line(run, folder):
    shown = run("dependences", "survey.csv")
    assert "--bins auto" in shown.err
    assert "bins='" not in shown.err
    assert "--bins age=auto" in run("info", "survey.csv").out
    (folder / "gap.csv").write_text("a,b\nx,y\n,z\nw,y\n")
    assert "--missing drop" in run("dependences", "gap.csv").err
    assert "--missing drop" in run("info", "gap.csv").out


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


def test_score_with_a_prior_network(run):
    network, dag = bnml.load("net.bif"), bnml.DAG.parse("[smoke][lung]")
    for name, ess in (("bde", 1), ("bde:5", 5)):
        shown = run("score", "[smoke][lung]", "two.csv", "--score", name, "--prior-network", "net.bif", "--json")
        want = bnml.score(dag, bnml.read("two.csv"), bnml.scores.BDe(network, ess))
        assert json.loads(shown.out)["score"] == pytest.approx(want)


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
    found = json.loads(run("convert", "out.bif", "out.net", "--json").out)
    assert found == {"file": "out.net", "variables": 2, "arcs": [["smoke", "lung"]], "parameters": 3}


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
    found = json.loads(run("sample", "net.bif", "-n", "5", "-o", "rows.csv", "--json").out)
    assert found == {"file": "rows.csv", "rows": 5, "columns": ["smoke", "lung"]}


def test_regret(run):
    assert float(run("regret", "500", "10").out.split()[-1]) == pytest.approx(bnml.regret(500, 10))
    found = json.loads(run("regret", "500", "10", "--method", "szpankowski", "--json").out)
    assert found["regret"] == pytest.approx(22.67, abs=0.01)


def test_compare(run):
    shown = run("compare", "[A][B|A][C|B]", "[C][B|C][A|B]")
    assert "Hamming distance: 0 between the classes, 2 between the DAGs" in shown.out
    assert "intervention distance: 6 of 6 pairs (0 to 6 in the class of B)" in shown.out
    assert "equivalent" in shown.out
    assert "  A -> B" in shown.out
    found = json.loads(run("compare", "[A][B|A][C|B]", "[A][C][B|A:C]", "--json").out)
    assert found["shd"] == 2
    assert found["reversed"] == [["B", "C"]]
    assert found["links"] == {"common": 2, "missing": 0, "extra": 0, "precision": 1.0, "recall": 1.0, "f1": 1.0}
    assert found["arcs"]["precision"] == 0.5
    assert (found["directions"]["precision"], found["directions"]["recall"]) == (0.0, None)
    assert found == bnml.compare(bnml.DAG.parse("[A][B|A][C|B]"), bnml.DAG.parse("[A][C][B|A:C]")).to_dict()


def test_compare_with_a_network(run, folder):
    shown = run("compare", "net.bif", "[lung][smoke|lung]")
    assert shown.status == 0
    assert max(map(len, shown.out.splitlines())) <= 80
    assert all(
        word in shown.out for word in ("precision", "recall", "F1", "links", "arcs", "directions", "reversed in B")
    )


def test_compare_draws(run, folder):
    shown = run(
        "compare", "[A][B|A][C|B]", "[A][C][B|A:C]", "--plot", "both.png", "--plot", "both.svg", "--plot", "b.pdf"
    )
    assert (shown.status, shown.err) == (0, "")
    assert (folder / "both.png").read_bytes().startswith(b"\x89PNG")
    assert (folder / "b.pdf").read_bytes().startswith(b"%PDF")
    picture = (folder / "both.svg").read_text(encoding="utf-8")
    assert "turned round in B" in picture
    shown = run("compare", "[A][B|A][C|B]", "[A][C][B|A:C]", "--plot", "x.png", "--plot", "no/such/x.png")
    assert shown.status == 2
    assert not (folder / "x.png").exists()


def test_options_from_a_file(run, folder):
    (folder / "options.toml").write_text('drop = ["smoke"]\n[bins]\nage = [40, 60]\n')
    found = json.loads(run("info", "survey.csv", "--config", "options.toml", "--json").out)
    assert [column["name"] for column in found["columns"]] == ["lung", "age"]
    assert found["columns"][1]["cuts"] == [40.0, 60.0]


def test_the_command_line_wins_over_the_file(run, folder):
    (folder / "gap.csv").write_text("a,b\nx,y\n,z\nw,y\nw,z\n")
    (folder / "options.toml").write_text('missing = "drop"\nna_values = "none"\n')
    assert json.loads(run("info", "gap.csv", "--config", "options.toml", "--json").out)["rows"] == 3
    assert "missing values" in run("dependences", "gap.csv", "--config", "options.toml", "--missing", "error").err
    (folder / "options.toml").write_text('drop = "a"\n')
    found = json.loads(run("info", "gap.csv", "--config", "options.toml", "--json").out)
    assert [column["name"] for column in found["columns"]] == ["b"], "one text is a list of one"


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("drop = 5", "a list of texts"),
        ("columns = [1, 2]", "a list of texts"),
        ("na_values = {a = 1}", "a list of texts"),
        ("missing = true", "a text"),
        ("missing = ['drop']", "a text"),
        ("weights = 3", "a text"),
        ("bins = 4", "a text or a table"),
        ("states = ['a.vd']", "a text or a table"),
    ],
)
def test_wrong_types_in_the_file(run, folder, line, expected):
    (folder / "options.toml").write_text(line)
    shown = run("info", "two.csv", "--config", "options.toml")
    assert shown.status == 2
    assert f"'options.toml' has {line.split()[0]} = " in shown.err
    assert shown.err.strip().endswith(f"it must be {expected}")


def test_a_note_for_a_column_with_one_state(run, folder):
    (folder / "one.csv").write_text("a,b\n1,x\n1,y\n")
    shown = run("info", "one.csv")
    assert shown.status == 0
    assert "note: column 'a' has only one state" in shown.err


LONG = "x" * 300 + ".bif"

WRONG = [
    (["info"], "DATA"),
    (["info", "none.csv"], "none.csv"),
    (["info", "two.csv", "--write-config", "x.json"], "must end in .toml"),
    (["info", "two.csv", "--write-config", "no/such/x.toml"], "there is no folder 'no/such'"),
    (["dependences", "survey.csv"], "age"),
    (["info", "two.csv", "--missing", "maybe"], "maybe"),
    (["info", "two.csv", "--columns", "smoke,lungs"], "lungs"),
    (["info", "two.csv", "--drop", "lungs"], "lungs"),
    (["info", "two.csv", "--config", "none.toml"], "none.toml"),
    (["info", "two.csv", "--bins", "width:0"], "width:0"),
    (["score", "[smoke][lung|smoke]"], "DATA"),
    (["score", "[smoke][lung|smok]", "two.csv"], "smok"),
    (["score", "[smoke]", "two.csv"], "lung"),
    (["score", "none.bif", "two.csv"], "none.bif"),
    (["score", "nonsense", "two.csv"], "'nonsense' is neither a model string"),
    (["score", "x" * 400, "two.csv"], "is neither a model string"),
    (["score", LONG, "two.csv"], "name too long"),
    (["score", "two.csv", "two.csv"], "'two.csv' is neither a model string"),
    (["score", "net.bif", "two.csv", "--score", "bde"], "--score bde needs --prior-network"),
    (["score", "net.bif", "two.csv", "--score", "bde:", "--prior-network", "net.bif"], "nothing follows the colon"),
    (["score", "net.bif", "two.csv", "--score", "bde:x", "--prior-network", "net.bif"], "ess"),
    (["score", "net.bif", "two.csv", "--score", "bde", "--prior-network", "none.bif"], "none.bif"),
    (["score", "net.bif", "two.csv", "--prior-network", "net.bif"], "--prior-network goes with --score bde only"),
    (["score", "[smoke][lung|smoke]", "two.csv", "--score", "bicc"], "bic"),
    (["fit", "[smoke][lung|smoke]", "two.csv"], "output"),
    (["fit", "[smoke][lung|smoke]", "two.csv", "-o", "x.pdf"], "x.pdf"),
    (["fit", "[smoke][lung|smoke]", "two.csv", "-o", "no/such/x.bif"], "there is no folder 'no/such'"),
    (["fit", "[smoke][lung|smoke]", "two.csv", "-o", "x.bif", "--estimator", "ml"], "mle"),
    (["fit", "[smoke][lung|smoke]", "two.csv", "-o", "x.bif", "--ess", "-1", "--estimator", "bpp"], "ess"),
    (["sample", "net.bif"], "rows"),
    (["sample", "net.bif", "-n", "-3"], "-3"),
    (["sample", "net.bif", "-n", "many"], "many"),
    (["sample", "none.bif", "-n", "3"], "none.bif"),
    (["sample", "two.csv", "-n", "3"], "two.csv"),
    (["sample", "net.bif", "-n", "3", "-o", "x.doc"], "x.doc"),
    (["sample", "none.bif", "-n", "3", "-o", "no/such/x.csv"], "there is no folder 'no/such'"),
    (["sample", "net.bif", "-n", "3", "--json"], "--json needs -o"),
    (["sample", "net.bif", "-n", "9" * 14], "draw fewer at a time"),
    (["regret", "5"], "R"),
    (["regret", "5", "0"], "r must be"),
    (["regret", "-1", "3"], "n must be a whole number from 0"),
    (["regret", "1_0", "3"], "'1_0' is not a whole number"),
    (["regret", "5", "3", "--metod", "exact"], "--metod"),
    (["regret", "five", "3"], "five"),
    (["regret", "5", "3", "--method", "guess"], "guess"),
    (["compare", "[A]"], "B"),
    (["compare", "[A][B]", "[A][C]"], "C"),
    (["compare", "[A][B|A", "[A][B]"], "[A][B|A"),
    (["compare", "[A|B][B|A]", "[A][B]"], "A"),
    (["compare", "none.bif", "[A][B]"], "none.bif"),
    (["compare", "[A][B]", "two.csv"], "'two.csv' is neither a model string"),
    (["compare", "[A]", "[A]", "[A]"], "unexpected extra argument"),
    (["compare", "[A]", "[A]", "--plot", "x.jpg"], "--plot 'x.jpg': the name must end in .png, .svg, .pdf"),
    (["compare", "[A]", "[A]", "--plot", "no/such/x.png"], "there is no folder 'no/such'"),
    (["compare", "[A]", "[A]", "--plot", "x.png", "--plot", "./x.png"], "named twice"),
    (["compare", "[A]", "[B]", "--plot", "x.png"], "only the first has 'A'"),
    (["convert", "net.bif"], "OUT"),
    (["convert", "none.bif", "x.net"], "none.bif"),
    (["convert", "net.bif", "x.unknown"], "x.unknown"),
    (["convert", "two.csv", "x.bif"], "two.csv"),
    (["convert", "net.bif", "no/such/x.bif"], "there is no folder 'no/such'"),
    (["convert", "net.bif", LONG], "name too long"),
    (["lern"], "lern"),
]


@pytest.mark.parametrize(("arguments", "fragment"), WRONG, ids=[" ".join(arguments) for arguments, _ in WRONG])
def test_wrong_uses(run, arguments, fragment):
    shown = run(*arguments)
    assert shown.status == 2
    assert shown.out == ""
    assert fragment.lower() in shown.err.lower()
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


BNML = [sys.executable, "-m", "bnml"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no full device")
@pytest.mark.parametrize("command", [["regret", "5", "3"], ["sample", "net.bif", "-n", "20000"], ["--help"]])
def test_output_that_cannot_be_written(folder, command):
    with Path("/dev/full").open("w") as full:
        done = subprocess.run([*BNML, *command], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr == "bnml: the output cannot be written: No space left on device\n"


@pytest.mark.skipif(sys.platform == "win32", reason="pipes differ")
@pytest.mark.parametrize("command", [["sample", "net.bif", "-n", "100000"], ["info", "two.csv"], ["--help"]])
def test_a_reader_that_goes_away(folder, command):
    with subprocess.Popen([*BNML, *command], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        if command[0] == "sample":
            assert process.stdout.readline() == b"smoke,lung\n"
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait() == 0


@pytest.mark.skipif(sys.platform == "win32", reason="signals differ")
def test_interrupted(folder):
    command = [*BNML, "sample", "net.bif", "-n", "100000"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdout.readline()  # the rest waits for a reader
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate()
    assert (process.returncode, errors) == (130, b"interrupted\n")


def test_names_that_the_terminal_cannot_show(folder):
    (folder / "größe.csv").write_text("größe,b\nüber,x\nklein,y\n", encoding="utf-8")
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}

    def output(*options: str) -> str:
        command = [*BNML, "info", "größe.csv", *options]
        return subprocess.run(command, env=environment, capture_output=True, encoding="ascii", check=True).stdout

    assert "gr\\xf6\\xdfe" in output()
    assert json.loads(output("--json"))["columns"][0]["name"] == "größe"


def test_the_exact_nml_of_a_forest(run, folder):
    shown = run("score", "[smoke][lung|smoke]", "two.csv", "--score", "nml", "--json")
    report = json.loads(shown.out)
    assert report["fit"] - report["penalty"] == pytest.approx(report["score"])
    assert "nml" in run("score", "[smoke][lung|smoke]", "two.csv", "--score", "nml").out


HEAVY = {
    "numba",
    "numpy",
    "scipy",
    "pandas",
    "pyarrow",
    "matplotlib",
    "networkx",
    "highspy",
    "duckdb",
    "bnml.cli.learn",
}


@pytest.mark.parametrize(
    ("command", "needed"),
    [
        (["--help"], set()),
        (["--version"], set()),
        (["lern"], set()),
        (["convert", "net.bif", "net.net"], {"numpy"}),
        (["query", "net.bif", "lung"], {"numpy", "pandas", "pyarrow"}),
        (["info", "two.csv"], {"numpy", "pyarrow"}),
        (["learn", "two.csv"], {"numpy", "pyarrow", "scipy", "bnml.cli.learn"}),
    ],
    ids=lambda given: given[0] if isinstance(given, list) else "",
)
def test_what_is_imported(folder, command, needed):
    """A command imports what it needs itself; the overview needs none of them."""
    program = "import sys; from bnml.cli import main; main(sys.argv[1:]); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", program, *command], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.splitlines()[-1].split())
    assert HEAVY & loaded == needed
    assert "scipy.stats" not in loaded


def test_the_overview_has_the_docstrings_of_commands():
    overview = typer.main.get_command(app)
    context = typer.Context(overview)
    for name in overview.list_commands(context):
        assert overview.get_command(context, name).help == load_command(name).help


@pytest.mark.parametrize(
    ("words", "wanted"), [("bnml con", ["convert"]), ("bnml learn --search ta", ["tabu", "tan"]), ("bnml x", [])]
)
def test_shells_complete(words, wanted):
    environment = {"_BNML_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": str(words.count(" "))}
    done = subprocess.run(BNML, env={**os.environ, **environment}, capture_output=True, text=True, check=True)
    assert sorted(done.stdout.split()) == wanted


def test_names_are_completed():
    from bnml.cli.searches import score_names, search_names
    from bnml.scores import SCORES, parse_score
    from bnml.search.searches import SEARCHES

    assert set(score_names()) > set(SCORES)
    assert all(parse_score(name) for name in score_names() if name != "bde")  # which needs a prior network
    assert search_names() == ["auto", *SEARCHES]


def test_bins_by_column(run, folder):
    found = json.loads(run("info", "survey.csv", "--bins", "age=40,60", "--bins", "quantile:3", "--json").out)
    assert found["columns"][2]["cuts"] == [40.0, 60.0]
    (folder / "options.toml").write_text('[bins]\nage = [40, 60]\n"*" = "mdl"\n')
    for given, cuts in (("auto", 2), ("age=quantile:4", 3), ("age=50", 1)):
        shown = run("info", "survey.csv", "--config", "options.toml", "--bins", given, "--json")
        assert len(json.loads(shown.out)["columns"][2]["cuts"]) == cuts, given
    (folder / "options.toml").write_text('bins = "mdl"\n')
    shown = run("info", "survey.csv", "--config", "options.toml", "--bins", "age=target:lung", "--json")
    assert len(json.loads(shown.out)["columns"][2]["cuts"]) == 1


def test_names_with_an_equals_sign_in_bins():
    assert parse_bins_options(["a=b=1,2", "c=target:x=y"]) == {"a=b": [1.0, 2.0], "c": "target:x=y"}
    assert parse_bins_options(["target:x=y"]) == {"*": "target:x=y"}


@pytest.mark.parametrize(
    ("given", "fragment"),
    [
        (["age=some"], "expected bins after '='"),
        (["age=2,1"], "must be finite and increase"),
        (["age=width:0"], "width:0"),
        (["old=auto"], "no column 'old'"),
        (["age=auto", "age=mdl"], "column 'age' had bins already, auto"),
        (["auto", "mdl"], "all columns had bins already"),
        (["target:old"], "no column 'old'"),
        (["smoke=auto"], "which is not a number"),
    ],
)
def test_wrong_bins(run, given, fragment):
    shown = run("dependences", "survey.csv", *(part for text in given for part in ("--bins", text)))
    assert (shown.status, shown.out) == (2, "")
    assert fragment in shown.err


def test_info_answers_for_a_table_that_is_refused(run, folder):
    frame = pd.read_csv("survey.csv")
    frame["patient"] = [f"p{i}" for i in range(len(frame))]
    frame["born"] = pd.date_range("1950-01-01", periods=len(frame)).astype(str)
    frame.loc[:9, "lung"] = None
    frame["largest\nof all"] = "x"
    frame.to_csv("raw.csv", index=False)
    assert run("learn", "raw.csv").status == 2
    shown = run("info", "raw.csv", "--write-config", "raw.toml")
    assert (shown.status, shown.err) == (0, "")
    assert max(map(len, shown.out.splitlines())) <= 80
    assert all(word in shown.out for word in ("an identifier", "a date", "10 missing values", "a constant", "█"))
    told = json.loads(run("info", "raw.csv", "--json").out)
    assert told["readable"] is False
    assert "missing values" in told["reason"]
    by_name = {column["name"]: column for column in told["columns"]}
    assert by_name["lung"]["missing"] == 10
    assert by_name["age"]["kind"] == "numbers"
    assert by_name["smoke"]["advice"] is None
    written = Path("raw.toml").read_text(encoding="utf-8")
    assert tomllib.loads(written)["missing"] == "em"
    assert "right where values are missing at random" in written
    assert "--missing em" in " ".join(shown.out.split())
    assert run("learn", "raw.csv", "--config", "raw.toml").status == 0
    again = json.loads(run("info", "raw.csv", "--config", "raw.toml", "--json").out)
    assert again["readable"] is True
    assert [column["name"] for column in again["columns"]] == ["smoke", "lung", "age"]
    assert not any(column["advice"] for column in again["columns"])


def test_the_written_file_keeps_what_was_asked_for(run, folder):
    given = ["--columns", "smoke,age", "--missing", "drop", "--na-values", "u,v", "--bins", "age=40,60"]
    assert run("info", "survey.csv", *given, "--write-config", "x.toml").status == 0
    assert tomllib.loads(Path("x.toml").read_text(encoding="utf-8")) == {
        "columns": ["smoke", "age"], "missing": "drop", "na_values": ["u", "v"], "bins": {"age": [40.0, 60.0]},
    }  # fmt: skip
    assert run("info", "survey.csv", "--bins", "quantile:3", "--write-config", "x.toml").status == 0
    assert tomllib.loads(Path("x.toml").read_text(encoding="utf-8")) == {"bins": {"*": "quantile:3"}}


def test_standard_input(folder):
    text = Path("two.csv").read_bytes()
    done = subprocess.run([*BNML, "info", "-", "--json"], input=text, capture_output=True, check=False)
    assert json.loads(done.stdout)["rows"] == 300
    done = subprocess.run([*BNML, "dependences", "-"], input=b"", capture_output=True, check=False)
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr == b"bnml: standard input is empty\n"
