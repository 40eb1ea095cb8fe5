"""``bnml query``, ``bnml plot`` and ``bnml info`` of a network."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import bnml


@pytest.fixture
def network():
    """Write a small network with odd names, one of them cut."""
    states = {"rain": ["no", "yes"], "a=b": ["u", "v,w"], "age": ["<=40", ">40"], "ill": ["no", "yes"]}
    dag = bnml.DAG(states, [("rain", "ill"), ("age", "ill"), ("ill", "a=b")])
    ill = [[[0.9, 0.1], [0.6, 0.4]], [[0.7, 0.3], [0.2, 0.8]]]
    tables = {"rain": [0.8, 0.2], "age": [0.5, 0.5], "ill": ill, "a=b": [[0.9, 0.1], [0.3, 0.7]]}
    made = bnml.BayesianNetwork(dag, states, tables, {"age": [40]})
    made.save("net.json")
    return made


def test_one_variable(run, network):
    shown = run("query", "net.json", "ill", "--given", "rain=yes", "--given", "age=51")
    assert (shown.status, shown.err) == (0, "")
    assert [line.split()[:2] for line in shown.out.splitlines()] == [["no", "0.2000"], ["yes", "0.8000"]]
    found = json.loads(run("query", "net.json", "ill", "--given", "rain=yes", "--do", "age=51", "--json").out)
    assert found["probabilities"] == pytest.approx({"no": 0.2, "yes": 0.8})
    assert (found["variables"], found["given"], found["do"]) == (["ill"], {"rain": "yes"}, {"age": "51"})


def test_names_and_states_with_odd_letters(run, network):
    want = network.query("ill", {"a=b": "v,w"})
    found = json.loads(run("query", "net.json", "ill", "--given", "a=b=v,w", "--json").out)
    assert found["probabilities"]["yes"] == pytest.approx(want["yes"])
    want = network.query("ill", {"a=b": {"u": 0.25, "v,w": 1.0}, "rain": {"no": 0.1, "yes": 1.0}})
    found = json.loads(run("query", "net.json", "ill", "--given", "rain=no:0.1,yes:1", "--json").out)
    assert found["given"] == {"rain": {"no": 0.1, "yes": 1.0}}
    assert found["probabilities"]["yes"] == pytest.approx(
        network.query("ill", {"rain": {"no": 0.1, "yes": 1.0}})["yes"]
    )
    assert want["yes"] != pytest.approx(found["probabilities"]["yes"])


def test_several_variables(run, network):
    want = network.query(["rain", "ill"], {"age": "<=40"})
    found = json.loads(run("query", "net.json", "rain,ill", "--given", "age=<=40", "--json").out)
    assert [row["states"] for row in found["probabilities"]] == [{"rain": a, "ill": b} for a, b in want.index]
    assert [row["probability"] for row in found["probabilities"]] == pytest.approx(want.to_list())
    shown = run("query", "net.json", "rain,ill", "--given", "age=<=40").out.splitlines()
    assert shown[0].split() == ["rain", "ill", "probability"]
    assert len(shown) == 6


def test_all_variables(run, network):
    found = json.loads(run("query", "net.json", "--given", "ill=yes", "--json").out)
    assert set(found["probabilities"]) == set(network.names)
    assert found["probabilities"]["rain"]["yes"] == pytest.approx(network.query("rain", {"ill": "yes"})["yes"])
    shown = run("query", "net.json").out
    assert all(name in shown for name in network.names)


def test_most_probable(run, network):
    row, log_p = network.most_probable({"ill": "yes"})
    found = json.loads(run("query", "net.json", "--most-probable", "--given", "ill=yes", "--json").out)
    assert found["most_probable"] == row
    assert found["log_probability"] == pytest.approx(log_p)
    shown = run("query", "net.json", "--most-probable", "--given", "ill=yes").out.splitlines()
    assert shown[-1] == f"log-probability {log_p:.6f}"
    assert [line.split() for line in shown[:4]] == [[x, s] for x, s in row.items()]


def test_influence(run, network):
    want = network.influence("ill")
    found = json.loads(run("query", "net.json", "ill", "--influence", "--json").out)["influence"]
    assert [row["yes"] for row in found] == pytest.approx(want["yes"].to_list())
    assert all(len(line) <= 80 for line in run("query", "net.json", "ill", "--influence").out.splitlines())


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nobody"], "'nobody'"),
        (["ill", "--given", "rain=maybe"], "no state 'maybe'"),
        (["ill", "--given", "rain"], "such as A=yes"),
        (["ill", "--given", "snow=yes"], "no variable 'snow'"),
        (["ill", "--given", "rain=yes", "--given", "rain=no"], "named twice"),
        (["ill", "--given", "rain=yes:0.5,yes:1"], "named twice"),
        (["ill", "--given", "rain=yes:-1"], "a number from 0"),
        (["ill", "--given", "rain=yes", "--do", "rain=no"], "both observed and set"),
        (["ill", "--do", "ill=no"], "both asked for and set"),
        (["ill", "--most-probable"], "leave out"),
        (["--influence"], "needs the variable"),
        (["ill,rain", "--influence"], "one variable"),
        (["ill", "--influence", "--do", "rain=no"], "--do"),
        (["ill,,rain"], "separated by commas"),
    ],
)
def test_wrong_questions(run, network, arguments, said):
    shown = run("query", "net.json", *arguments)
    assert (shown.status, shown.out) == (2, "")
    assert said in shown.err


def test_impossible_evidence_and_wrong_files(run):
    dag = bnml.DAG.parse("[A][B|A]")
    tables = {"A": [1.0, 0.0], "B": [[0.5, 0.5], [0.5, 0.5]]}
    bnml.BayesianNetwork(dag, {"A": ["x", "y"], "B": ["u", "v"]}, tables).save("net.bif")
    shown = run("query", "net.bif", "B", "--given", "A=y")
    assert shown.status == 2
    assert "probability zero" in shown.err
    assert run("query", "none.bif", "B").status == 2
    assert run("query", "net.csv", "B").status == 2
    assert run("query").status == 2


def test_plot(run, network):
    shown = run("plot", "net.json", "-o", "net.svg", "-o", "net.png", "--highlight", "ill", "--title", "A clinic")
    assert (shown.status, shown.out) == (0, "net.svg: 4 variables, 3 arcs\nnet.png: 4 variables, 3 arcs\n")
    assert "<svg" in Path("net.svg").read_text(encoding="utf-8")
    assert Path("net.png").read_bytes().startswith(b"\x89PNG")
    found = json.loads(run("plot", "[A][B|A]", "-o", "class.pdf", "--class", "--json").out)
    assert found == {"files": ["class.pdf"], "variables": 2, "arcs": 1}
    assert Path("class.pdf").read_bytes().startswith(b"%PDF")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["net.json"], "-o"),
        (["net.json", "-o", "net.gif"], "must end in"),
        (["net.json", "-o", "a.png", "-o", "a.png"], "named twice"),
        (["net.json", "-o", "nowhere/a.png"], "nowhere"),
        (["net.json", "-o", "a.png", "--highlight", "nobody"], "'nobody'"),
        (["table.csv", "-o", "a.png"], "neither a model string"),
        (["[A][B|", "-o", "a.png"], "[A][B|"),
    ],
)
def test_wrong_pictures(run, network, arguments, said):
    shown = run("plot", *arguments)
    assert (shown.status, shown.out) == (2, "")
    assert said in shown.err
    assert not Path("a.png").exists()


def test_info_of_a_network(run, network):
    shown = run("info", "net.json")
    assert (shown.status, shown.err) == (0, "")
    assert shown.out.startswith("4 variables, 3 arcs, 8 parameters\n")
    assert "age is cut at 40" in shown.out
    assert all(len(line) <= 80 for line in shown.out.splitlines())
    found = json.loads(run("info", "net.json", "--json").out)
    assert [v["name"] for v in found["variables"]] == list(network.names)
    assert found["variables"][3]["parents"] == ["rain", "age"]
    assert (found["parameters"], found["variables"][2]["cuts"]) == (8, [40.0])
    assert found["junction_tree_numbers"] == 12


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["net.json", "--drop", "ill"], "--drop is about tables"),
        (["net.json", "--write-config", "a.toml"], "--write-config is about tables"),
        (["none.bif"], "none.bif"),
        (["broken.bif"], "broken.bif"),
        (["net.json", "--bins", "auto"], "--bins is about tables"),
    ],
)
def test_wrong_info_of_a_network(run, network, arguments, said):
    Path("broken.bif").write_text("network {", encoding="utf-8")
    shown = run("info", *arguments)
    assert (shown.status, shown.out) == (2, "")
    assert said in shown.err
