"""``bnml relational``: its report, its JSON, and wrong uses."""

from __future__ import annotations

import json
import shlex

import networkx as nx
import numpy as np
import pandas as pd
import pytest

import bnml
from bnml.cli import relational
from bnml.relational import overview
from tests.relational.strategies import LESS, SHAPES


@pytest.fixture(autouse=True)
def tables(folder):
    SHAPES.to_csv(folder / "shapes.csv", index=False)
    LESS.to_csv(folder / "less.csv", index=False)
    SHAPES.assign(p=[1, 0.5, 1, 1, 0.7, 1, 1, 0.25, 1, 0]).to_csv(folder / "degrees.csv", index=False)


def test_report(run):
    shown = run("relational", "shapes.csv")
    assert (shown.status, shown.err) == (0, "")
    assert "10 tuples of 3 attributes" in shown.out
    assert "color - shape  1.0000          6        12     0.500" in shown.out
    assert "Spanning tree of the gains: 0 extra tuples, a perfect decomposition" in shown.out
    assert "The best of 8 decompositions" in shown.out
    assert max(map(len, shown.out.splitlines())) <= 80


def test_help(run):
    shown = run("relational", "--help")
    assert shown.status == 0
    assert "Example:" in shown.out
    assert max(map(len, shown.out.splitlines())) <= 80
    words = " ".join(shown.out.replace("│", " ").split())
    for option in ("threshold", "possibility", "weight", "top", "json", "columns", "bins"):
        assert f"--{option} " in words


def test_the_example_runs(run):
    command = shlex.split(relational.EXAMPLE.removeprefix("Example: "))
    assert command.pop(0) == "bnml"
    shown = run(*command)
    assert (shown.status, shown.err) == (0, "")
    assert "gains above 0.1 bits" in shown.out


def test_json(run):
    shown = run("relational", "less.csv", "--threshold", "0.2", "--json")
    assert (shown.status, shown.err) == (0, "")
    found, data = json.loads(shown.out), bnml.read("less.csv")
    assert (found["attributes"], found["tuples"], found["possibility"]) == (["color", "shape", "size"], 9, None)
    assert found["gains"] == bnml.relational.gains(data).to_dict("records")
    assert [(edge["a"], edge["b"]) for edge in found["tree"]["edges"]] == [("color", "shape"), ("shape", "size")]
    assert found["tree"]["extra_tuples"] == 1
    graph = bnml.relational.independence_map(data, 0.2)
    assert found["independence_map"]["threshold"] == 0.2
    assert [(edge["a"], edge["b"]) for edge in found["independence_map"]["edges"]] == list(graph.edges)
    assert found["graphs"] == 8
    want = [extra for _, extra in bnml.relational.decompositions(data)]
    assert [one["extra_tuples"] for one in found["decompositions"]] == want[:5]


def test_options(run):
    found = json.loads(run("relational", "shapes.csv", "--weight", "relative", "--top", "2", "--json").out)
    assert found["tree"]["weight"] == "relative"
    assert found["tree"]["edges"][0]["weight"] == 0.5
    assert len(found["decompositions"]) == 2
    assert "of the relative numbers" in run("relational", "shapes.csv", "--weight", "relative").out


def test_measure_of_degrees(run):
    asked = ("relational", "degrees.csv", "--possibility", "p", "--json")
    lecture, usual = json.loads(run(*asked, "--measure", "lecture").out), json.loads(run(*asked).out)
    data = pd.read_csv("degrees.csv")
    want = bnml.relational.gains(data, possibility="p", measure="lecture")
    assert [row["gain"] for row in lecture["gains"]] == want["gain"].tolist()
    assert lecture["gains"] != usual["gains"]
    gains = {(row["a"], row["b"]): row["gain"] for row in lecture["gains"]}
    assert lecture["tree"]["edges"]
    assert all(edge["weight"] == gains[edge["a"], edge["b"]] for edge in lecture["tree"]["edges"])
    graph = bnml.relational.independence_map(data, possibility="p", measure="lecture")
    assert [(edge["a"], edge["b"], edge["weight"]) for edge in lecture["independence_map"]["edges"]] == [
        *graph.edges.data("weight")
    ]
    assert (lecture["measure"], usual["measure"]) == ("lecture", "nonspecificity")


def test_edge_by_edge(run):
    found = json.loads(run("relational", "less.csv", "--extra", "1", "--json").out)["greedy"]
    graph, extra = bnml.relational.greedy_decomposition("less.csv", 1)
    assert [(edge["a"], edge["b"]) for edge in found["edges"]] == list(graph.edges)
    assert found["extra_tuples"] == extra
    assert json.loads(run("relational", "less.csv", "--json").out)["greedy"] is None
    assert "Built edge by edge: 1 extra tuple" in run("relational", "less.csv", "--extra", "1").out


def test_gains_for_each_value(run):
    found = json.loads(run("relational", "less.csv", "--gains-given", "shape,size|color", "--json").out)["gains_given"]
    want = bnml.relational.gains_given("less.csv", "shape", "size", "color")
    assert [row["given"]["color"] for row in found["rows"]] == want["color"].tolist()
    assert [row["gain"] for row in found["rows"]] == want["gain"].tolist()
    shown = run("relational", "less.csv", "--gains-given", "shape,size|color")
    assert ["red", "2", "3", "4", "0.5850"] in [line.split() for line in shown.out.splitlines()]
    assert max(map(len, shown.out.splitlines())) <= 80


@pytest.mark.parametrize("sets", ["color,shape|size", "[shape][color|shape][size|shape]"])
def test_extra_tuples_of_sets_and_dags(run, sets):
    found = json.loads(run("relational", "shapes.csv", "--decomposition", sets, "--json").out)["decomposition"]
    want = bnml.DAG.parse(sets) if sets.startswith("[") else [part.split(",") for part in sets.split("|")]
    assert found == {"sets": sets, "extra_tuples": bnml.relational.extra_tuples(want, "shapes.csv")}
    assert (
        f"{sets}: {found['extra_tuples']} extra tuples" in run("relational", "shapes.csv", "--decomposition", sets).out
    )


@pytest.mark.parametrize("options", [(), ("--columns", "color,shape,size"), ("--missing", "drop"), ("--bins", "mdl")])
def test_degrees(run, options):
    shown = run("relational", "degrees.csv", "--possibility", "p", *options)
    assert (shown.status, shown.err) == (0, "")
    assert "9 tuples of 3 attributes, possible to the degree p" in shown.out
    assert "Spanning tree of the gains: 1.550 extra tuples" in shown.out
    found = json.loads(run("relational", "degrees.csv", "--possibility", "p", "--json", *options).out)
    chain = nx.Graph([("color", "shape"), ("shape", "size")])
    want = bnml.relational.extra_tuples(chain, pd.read_csv("degrees.csv"), possibility="p")
    assert found["tree"]["extra_tuples"] == pytest.approx(want)
    assert found["gains"][0]["occurring"] == 5.0


def test_degrees_and_what_is_declared(run, folder):
    (folder / "known.toml").write_text('na_values = ["none"]\n[states]\nsize = ["small", "medium", "large", "huge"]\n')
    frame = pd.read_csv("degrees.csv", dtype=str)
    frame.loc[9, "p"] = "none"
    frame.to_csv("gaps.csv", index=False)
    options = ("--possibility", "p", "--config", "known.toml", "--missing", "drop", "--json")
    found = json.loads(run("relational", "gaps.csv", *options).out)
    assert found["tuples"] == 9
    assert sorted(row["possible"] for row in found["gains"]) == [9, 12, 12]  # yellow is gone, huge is there
    (folder / "sizes.vd").write_text("size\tsmall\tmedium\tlarge\thuge\n")
    found = json.loads(run("relational", "degrees.csv", "--possibility", "p", "--states", "sizes.vd", "--json").out)
    assert sorted(row["possible"] for row in found["gains"]) == [12, 12, 16]


def test_many_attributes_with_long_names(run, folder):
    rows = np.random.default_rng(0).integers(0, 2, (30, 40))
    names = [f"an attribute with a long name, the {i}." for i in range(40)]
    pd.DataFrame(rows, columns=names).to_csv(folder / "wide.csv", index=False)
    shown = run("relational", "wide.csv", "--threshold", "0")
    assert shown.status == 0
    assert max(map(len, shown.out.splitlines())) <= 80
    assert "… and 760 more pairs; --json shows all" in shown.out
    assert "decompositions" not in shown.out
    found = json.loads(run("relational", "wide.csv", "--json").out)
    assert (found["graphs"], found["decompositions"]) == (None, None)
    pd.DataFrame(rows[:, :5], columns=names[:5]).to_csv(folder / "five.csv", index=False)
    shown = run("relational", "five.csv", "--top", "1000")
    assert max(map(len, shown.out.splitlines())) <= 80
    assert "no edges" in shown.out


def test_what_cannot_be_counted(run, monkeypatch):
    def refuse(*arguments, **options):
        raise bnml.errors.SearchError("too large")

    monkeypatch.setattr(overview, "extra_tuples", refuse)
    monkeypatch.setattr(overview, "decompositions", refuse)
    shown = run("relational", "shapes.csv")
    assert shown.status == 0
    assert "too many circles" in " ".join(shown.out.split())
    assert run("relational", "shapes.csv", "--top", "3").status == 2


def test_six_attributes_are_announced(run, folder, monkeypatch):
    monkeypatch.setattr(overview, "decompositions", lambda data, possibility: [(nx.Graph(), 0)])
    rows = np.random.default_rng(0).integers(0, 2, (20, 6))
    pd.DataFrame(rows, columns=list("ABCDEF")).to_csv(folder / "six.csv", index=False)
    assert run("relational", "six.csv").err == ""
    assert run("relational", "six.csv", "--top", "3").err == "forecast: 32,768 decompositions, about 15 s\n"


WRONG = [
    (["relational"], "DATA"),
    (["relational", "none.csv"], "none.csv"),
    (["relational", "none.csv", "--possibility", "p"], "none.csv"),
    (["relational", "degrees.csv"], "--bins auto"),
    (["relational", "shapes.csv", "--threshold", "-1"], "--threshold -1"),
    (["relational", "shapes.csv", "--threshold", "much"], "--threshold much: expected a number of bits"),
    (["relational", "shapes.csv", "--threshold", "nan"], "--threshold nan"),
    (["relational", "shapes.csv", "--weight", "hartly"], "--weight hartly: expected"),
    (["relational", "shapes.csv", "--top", "0"], "--top 0"),
    (["relational", "shapes.csv", "--top", "all"], "all"),
    (["relational", "many.csv", "--top", "3"], "7 attributes have 2,097,152 graphs"),
    (["relational", "shapes.csv", "--possibility", "p"], "possibility: there is no column 'p'"),
    (["relational", "shapes.csv", "--possibility", "size"], "expected degrees from 0 to 1"),
    (["relational", "degrees.csv", "--possibility", "p", "--drop", "p"], "there is no column 'p'"),
    (["relational", "shapes.csv", "--columns", "colour"], "colour"),
]


@pytest.mark.parametrize(("arguments", "fragment"), WRONG, ids=[" ".join(arguments) for arguments, _ in WRONG])
def test_wrong_uses(run, folder, arguments, fragment):
    rows = np.random.default_rng(0).integers(0, 2, (20, 7))
    pd.DataFrame(rows, columns=list("ABCDEFG")).to_csv(folder / "many.csv", index=False)
    shown = run(*arguments)
    assert shown.status == 2
    assert shown.out == ""
    assert fragment.lower() in shown.err.lower()
    assert "Traceback" not in shown.err
    assert len(shown.err) < 600
