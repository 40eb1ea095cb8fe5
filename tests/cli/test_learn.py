"""``bnml learn``: its report, its JSON, its files, and wrong uses."""

from __future__ import annotations

import json
import math
import os
import re
import shlex
import signal
import subprocess
import sys
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import bnml
from bnml._files import write_files
from bnml._watch import Watch
from bnml.cli import learn
from bnml.cli.app import COMPILING, load_command
from bnml.cli.constraints import parse_constraints
from bnml.errors import ArgumentError, BnmlError
from bnml.graph import Constraints
from bnml.search.candidates import candidates_of
from bnml.search.searches import SEARCHES

# as names of bnml.search, these are functions
FORECASTS, CANDIDATES = sys.modules["bnml.search.forecast"], sys.modules["bnml.search.candidates"]


@pytest.fixture
def clinic(folder):
    """Write a table with arcs that data can direct, and with awkward names."""
    rng = np.random.default_rng(5)
    a, b = rng.random(400) < 0.5, rng.random(400) < 0.5
    c = np.where(rng.random(400) < 0.9, a | b, rng.random(400) < 0.5)
    frame = pd.DataFrame({"a-b": a, "x,y": b, "b-c": c, "a": rng.random(400) < 0.3, "u>v": c ^ (rng.random(400) < 0.1)})
    frame.replace({True: "yes", False: "no"}).to_csv(folder / "clinic.csv", index=False)
    return folder / "clinic.csv"


def test_the_bundled_example(run):
    shown = run("learn")
    assert (shown.status, shown.err) == (0, "")
    assert "bundled example" in shown.out
    assert "either -> xray" in shown.out
    assert "optimal: no network has a higher score" in shown.out
    assert max(map(len, shown.out.splitlines())) <= 80


def test_report(run):
    shown = run("learn", "two.csv")
    assert (shown.status, shown.err) == (0, "")
    assert "learned from 300 rows" in shown.out
    assert "smoke -> lung" in shown.out or "lung -> smoke" in shown.out
    assert "bundled" not in shown.out


def test_links_of_ambiguous_regions(run, folder):
    rng = np.random.default_rng(0)
    x = rng.integers(0, 2, 500)
    y = np.where(np.arange(500) < 4, 1 - x, x)
    t = np.where(rng.random(500) < 0.8, x, 1 - x)
    t[:4] = [x[0], y[1], x[2], y[3]]
    pd.DataFrame({"x": x, "y": y, "t": t}).to_csv(folder / "twins.csv", index=False)
    npc = ("learn", "twins.csv", "--search", "npc")
    for chosen in (("--keep", "x-t"), ("--drop-link", "y-t"), ("--keep", "t-x", "--drop-link", "t-y")):
        found = json.loads(run(*npc, *chosen, "--json").out)
        assert {frozenset(arc) for arc in found["arcs"]} == {frozenset("xy"), frozenset("xt")}
        assert "decided_by_strength" not in found["info"]
    assert json.loads(run(*npc, "--json").out)["info"]["decided_by_strength"] == ["t - x", "t - y"]
    refused = run(*npc, "--drop-link", "x-t", "--drop-link", "y-t")
    assert (refused.status, refused.out) == (2, "")
    assert refused.err.startswith("bnml: --drop-link: without t - y the absent link t - y would have no path")
    refused = run(*npc, "--drop-link", "x-y")
    assert refused.err.startswith("bnml: --drop-link: x - y is in no ambiguous region")
    refused = run(*npc, "--drop-link", "x-t", "--keep", "x-t")
    assert refused.err == "bnml: --drop-link: t - x is also in --keep; leave one of them out\n"
    refused = run("learn", "twins.csv", "--drop-link", "x-t")
    assert refused.err == "bnml: --drop-link goes with --search npc, not with --search auto\n"


def test_json(run):
    shown = run("learn", "two.csv", "--score", "bdeu:10", "--json")
    assert shown.err == ""
    found = json.loads(shown.out)
    want = bnml.learn("two.csv", "bdeu:10")
    assert found["arcs"] == [list(arc) for arc in want.dag.arcs]
    assert found["cpdag_directed"] == []
    assert found["cpdag_undirected"] == [["smoke", "lung"]]
    assert found["score"] == pytest.approx(want.score)
    assert found["score_name"] == "bdeu:10"
    assert found["optimal"] is True
    assert found["within"] == want.within
    assert found["search"] == "exact"
    assert found["seconds"] >= 0.0
    assert found["parameters"] == 3
    assert found["rows"] == 300
    assert [variable["name"] for variable in found["variables"]] == ["smoke", "lung"]
    assert math.fsum(variable["score"] for variable in found["variables"]) == pytest.approx(found["score"])
    assert all(v["fit"] - v["penalty"] == pytest.approx(v["score"]) for v in found["variables"])
    assert "reason" in found["info"]


def test_help(run):
    shown = run("learn", "--help")
    assert shown.status == 0
    assert max(map(len, shown.out.splitlines())) <= 80
    for option in (
        "--score", "--search", "--require", "--forbid", "--require-link", "--forbid-link", "--tiers", "--max-parents",
        "--columns", "--drop", "--missing", "--na-values", "--states", "--bins", "--weights", "--config", "--seed",
        "--threads", "--memory-limit", "--time-limit", "--output", "--plot", "--json", "--scores-out", "--scores",
        "--prior-network", "--method", "--order", "--class", "--significance", "--verbose",
    ):  # fmt: skip
        assert f"{option} " in shown.out, option
    words = " ".join(shown.out.replace("│", " ").split())
    assert f"The search: auto, {', '.join(SEARCHES)}." in words


def test_the_example_runs(run, folder):
    command = shlex.split(learn.EXAMPLE.removeprefix("Example: "))
    assert command.pop(0) == "bnml"
    shown = run(*command)
    assert (shown.status, shown.err) == (0, "")
    assert (folder / "survey.json").exists()
    assert (folder / "survey.png").exists()


# --- files ---


def test_network_and_pictures(run, folder):
    shown = run("learn", "two.csv", "-o", "n.bif", "--plot", "n.png", "--plot", "n.svg", "--plot", "n.pdf", "--json")
    assert (shown.status, shown.err) == (0, "")
    assert bnml.load("n.bif") == bnml.learn("two.csv").network
    assert (folder / "n.png").read_bytes()[:4] == b"\x89PNG"
    assert (folder / "n.pdf").read_bytes()[:4] == b"%PDF"
    assert "<svg" in (folder / "n.svg").read_text()
    assert not list(folder.glob(".bnml*"))


def test_the_picture_shows_what_constraints_direct(run, folder):
    run("learn", "two.csv", "--plot", "free.svg")
    run("learn", "two.csv", "--require", "smoke>lung", "--plot", "directed.svg")
    graph, words = bnml.PDAG(["smoke", "lung"], [("smoke", "lung")]), ("direction from data and constraints", "")
    drawn = bnml.plot.draw(graph, folder / "want.svg", legend=words)
    assert drawn is not None
    assert (folder / "directed.svg").read_bytes() == (folder / "want.svg").read_bytes()
    assert (folder / "free.svg").read_bytes() != (folder / "want.svg").read_bytes()


def test_files_are_replaced(run, folder):
    (folder / "n.bif").write_text("old")
    assert run("learn", "two.csv", "-o", "n.bif").status == 0
    assert bnml.load("n.bif").names == ("smoke", "lung")


def test_all_files_or_none(folder):
    def fails(stream) -> None:
        raise ArgumentError("no")

    (folder / "first.txt").write_text("old")
    before = sorted(folder.iterdir())
    with pytest.raises(ArgumentError, match="no"):
        write_files({Path("first.txt"): lambda stream: stream.write(b"new"), Path("second.txt"): fails})
    assert sorted(folder.iterdir()) == before
    assert (folder / "first.txt").read_text() == "old"
    write_files(
        {Path("first.txt"): lambda stream: stream.write(b"new"), Path("b.txt"): lambda stream: stream.write(b"b")}
    )
    assert ((folder / "first.txt").read_text(), (folder / "b.txt").read_text()) == ("new", "b")


# --- local scores ---


def test_scores_out_and_in(run, clinic):
    assert run("learn", "clinic.csv", "--score", "bic", "--scores-out", "local.jkl").status == 0
    first = json.loads(run("learn", "clinic.csv", "--score", "bic", "--json").out)
    shown = run("learn", "--scores", "local.jkl", "--json", "--plot", "n.png")
    assert (shown.status, shown.err) == (0, "")
    second = json.loads(shown.out)
    assert second["score"] == pytest.approx(first["score"])
    assert second["cpdag_directed"] == first["cpdag_directed"]
    assert second["cpdag_undirected"] == first["cpdag_undirected"]
    assert (second["score_name"], second["parameters"], second["rows"]) == (None, None, None)
    assert all(variable["fit"] is None and variable["penalty"] is None for variable in second["variables"])
    report = run("learn", "--scores", "local.jkl").out
    assert "learned from local scores" in report
    assert "penalty" not in report


def test_scores_with_constraints(run, clinic):
    run("learn", "clinic.csv", "--scores-out", "local.jkl.gz")
    shown = run("learn", "--scores", "local.jkl.gz", "--forbid-link", "a-b-b-c", "--json")
    assert shown.status == 0, shown.err
    assert ["a-b", "b-c"] not in json.loads(shown.out)["arcs"]


def test_parameters_for_a_structure_from_scores(run, clinic):
    run("learn", "clinic.csv", "--scores-out", "local.jkl", "-o", "first.bif")
    shown = run("learn", "clinic.csv", "--scores", "local.jkl", "-o", "second.bif", "--json")
    assert shown.status == 0, shown.err
    assert bnml.load("second.bif") == bnml.load("first.bif")
    assert json.loads(shown.out)["rows"] == 400


# --- what is known ---


def test_constraints(run):
    found = json.loads(run("learn", "--require", "smoke>bronc", "--forbid", "either>xray", "--json").out)
    assert ["smoke", "bronc"] in found["arcs"]
    assert ["either", "xray"] not in found["arcs"]
    found = json.loads(run("learn", "--require-link", "asia-xray", "--forbid-link", "tub-either", "--json").out)
    links = [sorted(arc) for arc in found["arcs"]]
    assert ["asia", "xray"] in links
    assert ["either", "tub"] not in links
    found = json.loads(run("learn", "--tiers", "dysp, xray | asia,tub,smoke", "--json").out)
    assert not {("asia", "xray"), ("smoke", "dysp"), ("tub", "xray")} & set(map(tuple, found["arcs"]))
    found = json.loads(run("learn", "--max-parents", "1", "--json").out)
    assert max(len(variable["parents"]) for variable in found["variables"]) == 1


def test_as_the_report_writes_arcs(run):
    found = json.loads(run("learn", "two.csv", "--require", "lung -> smoke", "--json").out)
    assert found["arcs"] == [["lung", "smoke"]]


NAMES = ("a", "a-b", "b-c", "c", "x,y", "x", "u>v", "u", "p-", " s ", "q|r")


@pytest.mark.parametrize(
    ("key", "text", "want"),
    [
        ("required", "a>c", ("a", "c")),
        ("required", " a > c ", ("a", "c")),
        ("required", "a->c", ("a", "c")),
        ("required", "u>v>c", ("u>v", "c")),
        ("required", "c>u>v", ("c", "u>v")),
        ("required", "u>u>v", ("u", "u>v")),
        ("required", "p->c", ("p-", "c")),
        ("required", "x,y>a-b", ("x,y", "a-b")),
        ("required", " s >c", (" s ", "c")),
        ("forbidden", "c > s ", ("c", " s ")),
        ("required_links", "a-c", ("a", "c")),
        ("required_links", "c-a-b", ("a-b", "c")),
        ("forbidden_links", "a-b-b-c", ("a-b", "b-c")),
        ("forbidden_links", "a-b-x,y", ("a-b", "x,y")),
    ],
)
def test_names_that_hold_the_marks(key, text, want):
    assert getattr(parse_constraints(NAMES, {key: [text]}, None, {}), key) == (want,)


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("a,c|x", (("a", "c"), ("x",))),
        (" a , c | x ", (("a", "c"), ("x",))),
        ("a,x,y|c", (("a", "x,y"), ("c",))),
        ("x,x,y|c", (("x", "x,y"), ("c",))),
        ("q|r|a", (("q|r",), ("a",))),
        ("a", (("a",),)),
    ],
)
def test_tiers_with_names_that_hold_the_marks(text, want):
    assert parse_constraints(NAMES, {}, text, {}).tiers == want


def test_many_names_in_tiers():
    names = [f"X{i}" for i in range(2000)]
    halves = ",".join(names[:1000]) + "|" + ",".join(names[1000:])
    assert list(map(len, parse_constraints(names, {}, halves, {}).tiers)) == [1000, 1000]


@pytest.mark.parametrize(
    ("key", "text", "fragment"),
    [
        ("required", "a", "expected two names, 'A>B', in quotes"),
        ("required", "", "expected two names"),
        ("required", "a>", "a name is missing"),
        ("required", "a>nobody", "there is no variable 'nobody'"),
        ("required", "a->nobody", "there is no variable 'nobody'"),
        ("required", "nobody > a", "there is no variable 'nobody'"),
        ("required", "a>d>c", "no way to read it"),
        ("required_links", "a-b-c", "more than one way"),
        ("required_links", "a-b-c", 'required_links = [["A", "B"]]'),
        ("required_links", "a>c", "expected two names, 'A-B'"),
        ("forbidden_links", "a-a", "itself"),
    ],
)
def test_pairs_that_cannot_be_read(key, text, fragment):
    with pytest.raises(BnmlError) as caught:
        parse_constraints(NAMES, {key: [text]}, None, {})
    assert fragment in str(caught.value)


@pytest.mark.parametrize(
    ("text", "fragment"),
    [("", "a name is missing"), ("a||c", "a name is missing"), ("a,nobody", "'nobody'"), ("a|a", "twice")],
)
def test_tiers_that_cannot_be_read(text, fragment):
    with pytest.raises(BnmlError) as caught:
        parse_constraints(NAMES, {}, text, {})
    assert fragment in str(caught.value)


def test_tiers_that_can_be_read_in_two_ways():
    with pytest.raises(ArgumentError, match="more than one way"):
        parse_constraints(["a", "b", "a,b"], {}, "a,b", {})


def test_knowledge_from_a_file(run, clinic, folder):
    (folder / "known.toml").write_text(
        'drop = ["a"]\nrequired = [["u>v", "x,y"]]\nforbidden_links = [["a-b", "b-c"]]\ntiers = [["u>v"], ["x,y"]]\n'
    )
    shown = run("learn", "clinic.csv", "--config", "known.toml", "--forbid", "u>v>a-b", "--json")
    assert shown.status == 0, shown.err
    found = json.loads(shown.out)
    assert ["u>v", "x,y"] in found["arcs"]
    assert ["a-b", "b-c"] not in [sorted(arc) for arc in found["arcs"]]
    assert ["u>v", "a-b"] not in found["arcs"]
    assert len(found["variables"]) == 4
    assert run("info", "clinic.csv", "--config", "known.toml").status == 0, "one file serves all commands"


def test_tiers_of_the_command_line_win_over_the_file():
    settings = {"tiers": [["a"], ["c"]], "required": [["a", "c"]]}
    assert parse_constraints(NAMES, {}, "c|x", settings | {"required": []}) == Constraints(tiers=[["c"], ["x"]])
    both = parse_constraints(NAMES, {"required": ["a>x"]}, None, settings)
    assert both == Constraints(required=[("a", "c"), ("a", "x")], tiers=[["a"], ["c"]])


@pytest.mark.parametrize("line", ["required = 'a>b'", "required = ['a', 'b']", "tiers = [1]", "forbidden = [['a', 1]]"])
def test_wrong_knowledge_in_a_file(run, folder, line):
    (folder / "known.toml").write_text(line)
    shown = run("learn", "two.csv", "--config", "known.toml")
    assert shown.status == 2
    assert "it must be a list of lists of texts" in shown.err


def test_prior_network(run):
    shown = run("learn", "two.csv", "--score", "bde:5", "--prior-network", "net.bif", "--json")
    want = bnml.learn("two.csv", bnml.scores.BDe(bnml.load("net.bif"), 5))
    assert json.loads(shown.out)["score"] == pytest.approx(want.score)
    assert json.loads(shown.out)["score_name"] == "bde:5"


# --- single searches ---


def found_by(run, *arguments):
    shown = run("learn", *arguments, "--json")
    assert (shown.status, shown.err) == (0, ""), shown.err
    return json.loads(shown.out)


def test_k2_with_an_order(run):
    found = found_by(run, "two.csv", "--search", "k2", "--score", "k2", "--order", " lung, smoke")
    assert found["arcs"] == [["lung", "smoke"]]
    assert (found["search"], found["info"]["order"]) == ("k2", ["lung", "smoke"])
    assert "trace" not in found["info"], "it can be long"
    found = found_by(run, "two.csv", "--search", "k2", "--score", "k2", "--order", "lung,smoke", "--verbose")
    (trial,) = found["info"]["trace"]
    assert (trial["child"], trial["parents"], trial["candidate"], trial["taken"]) == ("smoke", [], "lung", True)
    want = bnml.search.k2("two.csv", order=["lung", "smoke"]).info["trace"][0].gain
    assert trial["gain"] == pytest.approx(want)


def test_an_order_of_names_that_hold_commas(run, clinic):
    found = found_by(run, "clinic.csv", "--search", "k2", "--order", "u>v,x,y, a ,b-c,a-b")
    assert found["info"]["order"] == ["u>v", "x,y", "a", "b-c", "a-b"]


def test_how_k2_found_it(run):
    order = "asia,smoke,tub,lung,bronc,either,xray,dysp"
    shown = run("learn", "--search", "k2", "--score", "k2", "--order", order, "--verbose")
    assert (shown.status, shown.err) == (0, "")
    lines = shown.out.splitlines()
    assert max(map(len, lines)) <= 80
    table = [line.split() for line in lines[lines.index("Parents that were tried; those with * were taken:") :]]
    assert ["child", "parents", "so", "far", "tried", "gain"] in table
    assert ["dysp", "bronc", "1,186.103", "*"] in table
    assert ["dysp", "bronc,", "either", "xray", "-7.506"] in table
    assert table[-1] == ["smoke", "asia", "-2.101"]
    assert "--verbose" not in run("learn", "--search", "k2", "--order", order).out


def test_a_trace_of_long_names(run, folder):
    rng = np.random.default_rng(0)
    x = rng.integers(0, 2, 300)
    frame = pd.DataFrame({f"a variable with a long name {i}": x ^ (rng.random(300) < 0.2) for i in range(6)})
    frame.to_csv(folder / "long.csv", index=False)
    shown = run("learn", "long.csv", "--search", "k2", "-v")
    assert shown.status == 0
    assert max(map(len, shown.out.splitlines())) <= 80
    assert "order     a variable with a long name" in shown.out


def test_how_others_found_it(run):
    shown = run("learn", "--search", "polytree", "--significance", "0.001", "--verbose")
    assert "undirected  bronc - smoke" in shown.out
    assert "alpha       0.001" in shown.out
    assert "mutual information" in run("learn", "--search", "chow-liu", "-v").out
    assert "undirected  none" in run("learn", "two.csv", "--search", "polytree", "-v", "--require", "smoke>lung").out


def test_a_class(run):
    found = found_by(run, "--search", "naive", "--class", "lung")
    assert {parent for parent, _ in found["arcs"]} == {"lung"}
    found = found_by(run, "--search", "tan", "--class", "lung", "--max-parents", "2")
    assert found["info"]["class_variable"] == "lung"
    assert len(found["arcs"]) == 7 + 6


@pytest.mark.parametrize("search", ["k2", "chow-liu", "forest", "polytree"])
def test_trees_and_others(run, search):
    found = found_by(run, "--search", search, "--forbid-link", "tub-either", "--score", "bic")
    assert (found["search"], found["optimal"], found["score_name"]) == (search, False, "bic")
    assert ["either", "tub"] not in [sorted(arc) for arc in found["arcs"]]


def test_many_columns(run, folder):
    """No forecast of exact search stands in the way of the others."""
    rows = np.random.default_rng(0).integers(0, 2, (50, 60))
    np.savetxt(folder / "wide.csv", rows, "%d", ",", header=",".join(f"X{i}" for i in range(60)), comments="")
    assert len(found_by(run, "wide.csv", "--search", "chow-liu")["arcs"]) == 59


# --- wrong uses ---


WRONG = [
    (["none.csv"], "none.csv"),
    (["survey.csv"], "--bins auto"),
    (["two.csv", "--score", "bicc"], "bic"),
    (["two.csv", "--score", "nml"], "--score nml"),
    (["two.csv", "--score", "bde"], "--prior-network"),
    (["two.csv", "--search", "magic"], "--search magic"),
    (["none.csv", "--search", "exct"], "did you mean 'exact'"),
    (["two.csv", "--require", "smoke>nobody"], "nobody"),
    (["two.csv", "--require", "smoke"], "in quotes"),
    (["two.csv", "--require", "smoke>lung", "--forbid", "smoke>lung"], "forbidden"),
    (["two.csv", "--require", "smoke>lung", "--require", "lung>smoke"], "cycle"),
    (["two.csv", "--require-link", "smoke-lung", "--forbid-link", "smoke-lung"], "forbidden"),
    (["two.csv", "--tiers", "smoke|lungs"], "lungs"),
    (["two.csv", "--max-parents", "-1"], "--max-parents -1"),
    (["two.csv", "--max-parents", "few"], "few"),
    (["two.csv", "--seed", "-1"], "--seed -1"),
    (["two.csv", "--threads", "0"], "--threads 0"),
    (["two.csv", "--memory-limit", "much"], "--memory-limit much"),
    (["two.csv", "--time-limit", "0"], "--time-limit 0"),
    (["two.csv", "--time-limit", "soon"], "soon"),
    (["two.csv", "--columns", "smoke,lungs"], "lungs"),
    (["two.csv", "--drop", "lungs"], "lungs"),
    (["two.csv", "--missing", "maybe"], "maybe"),
    (["two.csv", "--config", "none.toml"], "none.toml"),
    (["two.csv", "-o", "n.docx"], "n.docx"),
    (["two.csv", "-o", "no/such/n.bif"], "there is no folder"),
    (["two.csv", "--plot", "n.gif"], "n.gif"),
    (["two.csv", "--plot", "n.png", "--plot", "no/such/n.png"], "there is no folder"),
    (["two.csv", "--plot", "n.png", "--plot", "./n.png"], "named twice"),
    (["two.csv", "--scores-out", "n.txt"], ".jkl"),
    (["--scores", "none.jkl"], "none.jkl"),
    (["--scores", "two.csv"], "two.csv, line 1"),
    (["--scores", "good.jkl", "-o", "n.bif"], "-o needs a table"),
    (["--scores", "good.jkl", "--scores-out", "n.jkl"], "--scores-out needs a table"),
    (["--scores", "good.jkl", "--score", "qnml"], "leave out --score"),
    (["--scores", "good.jkl", "--columns", "a"], "--columns is about a table"),
    (["--scores", "good.jkl", "--require", "a>c"], "there is no variable 'c'"),
    (["two.csv", "--scores", "good.jkl"], "same variables"),
    (["spaces.csv", "--scores-out", "n.jkl"], "white space"),
    (["two.csv", "--scores-out", "n.jkl", "--require-link", "smoke-lung"], "require an arc instead"),
    (["wide.csv", "--search", "exact", "--method", "lattice"], "60 variables"),
    (["two.csv", "--order", "smoke,lung"], "--order goes with --search k2, not with --search auto"),
    (["two.csv", "--search", "tan", "--order", "smoke,lung"], "--order goes with --search k2, not with --search tan"),
    (["two.csv", "--search", "magic", "--order", "smoke,lung"], "--search magic"),
    (["two.csv", "--search", "k2", "--order", "smoke"], "'lung' are missing"),
    (["two.csv", "--search", "k2", "--order", "smoke,lung,"], "no variable ''"),
    (["two.csv", "--search", "k2", "--order", "smoke,lungs"], "did you mean 'lung'"),
    (["two.csv", "--search", "k2", "--order", "smoke,smoke"], "'smoke' stand twice"),
    (["two.csv", "--search", "k2", "--order", "smoke,lung", "--require", "lung>smoke"], "put 'lung' first"),
    (["none.csv", "--search", "tan"], "--search tan needs --class"),
    (["none.csv", "--search", "naive"], "--search naive needs --class"),
    (["none.csv", "--class", "lung"], "--class goes with --search tan or --search naive, not with --search auto"),
    (["two.csv", "--search", "tan", "--class", "lungs"], "--class lungs: there is no such variable"),
    (["two.csv", "--search", "naive", "--class", "lung", "--forbid", "lung>smoke"], "does not meet the constraints"),
    (["none.csv", "--significance", "0.05"], "--significance goes with --search polytree"),
    (["none.csv", "--search", "polytree", "--significance", "1.5"], "between 0 and 1"),
    (["none.csv", "--search", "polytree", "--significance", "few"], "between 0 and 1"),
    (["two.csv", "--search", "polytree", "--max-parents", "1"], "cannot take it into account"),
    (["--scores", "good.jkl", "--search", "chow-liu"], "needs a table"),
    (["two.csv", "more.csv"], "more.csv"),
]


@pytest.mark.parametrize(("arguments", "fragment"), WRONG, ids=[" ".join(arguments) for arguments, _ in WRONG])
def test_wrong_uses(run, folder, arguments, fragment):
    (folder / "good.jkl").write_text("2\na 2\n-3.1 0\n-2.5 1 b\nb 1\n-4.0 0\n")
    (folder / "spaces.csv").write_text("a b,c\n1,1\n0,1\n1,0\n")
    np.savetxt(
        folder / "wide.csv",
        np.eye(60, dtype=int),
        "%d",
        ",",
        header=",".join("x" * (i + 1) for i in range(60)),
        comments="",
    )
    shown = run("learn", *arguments)
    assert shown.status == 2
    assert shown.out == ""
    assert fragment.lower() in shown.err.lower()
    assert shown.err.startswith("bnml: ")
    assert len(shown.err.strip().splitlines()) <= 8
    assert len(shown.err) < 600


def test_a_failed_search_touches_no_file(run, folder):
    (folder / "n.bif").write_text("old")
    assert run("learn", "two.csv", "--require", "smoke>nobody", "-o", "n.bif", "--plot", "n.png").status == 2
    assert (folder / "n.bif").read_text() == "old"
    assert not (folder / "n.png").exists()


# --- long searches ---


def cost(**changes):
    real = FORECASTS.estimate_cost
    return lambda *arguments, **more: replace(real(*arguments, **more), **{"bytes": 100, "limit": 10**9} | changes)


@pytest.mark.parametrize(
    ("changes", "announced"),
    [({}, False), ({"seconds": 20.0}, True), ({"bytes": 2 * 10**8}, True)],
)
def test_a_forecast_comes_first(run, monkeypatch, changes, announced):
    monkeypatch.setattr(FORECASTS, "estimate_cost", cost(**changes))
    shown = run("learn", "two.csv", "--json")
    assert json.loads(shown.out)["optimal"] is True
    assert shown.err.startswith("forecast: ") == announced
    assert len(shown.err.splitlines()) == announced


def test_progress_on_a_terminal(run, monkeypatch):
    monkeypatch.setattr(FORECASTS, "estimate_cost", cost(seconds=20.0))
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setenv("FORCE_COLOR", "1")
    shown = run("learn", "two.csv", "--json")
    assert json.loads(shown.out)["optimal"] is True
    assert "%" in shown.err


def test_progress_of_other_searches_on_a_terminal(run, monkeypatch):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setenv("FORCE_COLOR", "1")
    shown = run("learn", "two.csv", "--search", "k2", "--json")
    assert json.loads(shown.out)["search"] == "k2"
    assert "forecast" not in shown.err
    assert "%" in shown.err


@pytest.mark.skipif(sys.platform == "win32", reason="signals differ")
@pytest.mark.parametrize(
    ("number", "status", "said"), [(signal.SIGINT, 130, b"interrupted\n"), (signal.SIGTERM, 143, b"")]
)
def test_interrupted(folder, number, status, said):
    rows = np.random.default_rng(0).integers(0, 3, (2000, 22))
    np.savetxt(folder / "long.csv", rows, "%d", ",", header=",".join(f"X{i}" for i in range(22)), comments="")
    before = sorted(folder.iterdir())
    command = [sys.executable, "-m", "bnml", "learn", "long.csv", "--search", "exact", "--rows-per-cell", "0"]
    command += ["-o", "n.bif", "--plot", "n.png"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        first = process.stderr.readline()
        if first.decode().strip() == COMPILING:
            first = process.stderr.readline()
        assert first.startswith(b"forecast: 22 variables")
        process.send_signal(number)
        out, errors = process.communicate(timeout=60)
    assert (process.returncode, out, errors) == (status, b"", said)
    assert sorted(folder.iterdir()) == before


KILLED = """
import os, random, signal, time
from pathlib import Path

import matplotlib.backends.backend_agg, numba, pandas, pyarrow.csv, scipy.special
import bnml.plot.matplotlib_figure, bnml.search.learn
from bnml.cli import main

FILES, OLD = [Path("net.bif"), Path("net.png")], b"old"


def learned():
    return main(["learn", "../two.csv", "-o", "net.bif", "--plot", "net.png"])


def begin():
    child = os.fork()
    if child == 0:
        os._exit(learned())
    return child


def whole_run():
    start = time.monotonic()
    assert os.waitpid(begin(), 0)[1] == 0
    return time.monotonic() - start


os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
assert learned() == 0  # loads what is to be loaded, once
seconds = min(whole_run() for _ in range(2))
new = {file: file.read_bytes() for file in FILES}
moments, seen = random.Random(0), set()


def kill_after(delay, trial):
    for file in FILES:
        file.write_bytes(OLD) if trial % 2 else file.unlink(missing_ok=True)
    child = begin()
    time.sleep(delay)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    found = {file: file.read_bytes() for file in sorted(Path().iterdir())}
    assert set(found) <= set(FILES), list(found)
    for file in FILES:
        assert found.get(file) in (OLD if trial % 2 else None, new[file]), file
    seen.add(tuple(found.get(file) == new[file] for file in FILES))
    assert not list(Path("../temporary").iterdir())


for trial in range(20):
    kill_after((trial + moments.random()) / 20 * 1.1 * seconds, trial)
for trial in range(20):  # where the machine became faster or slower meanwhile
    if len(seen) > 1:
        break
    seconds *= 0.7 if (True, True) in seen else 1.5
    kill_after(seconds, trial)
assert len(seen) > 1, "none was killed before its end, or all"
"""


@pytest.mark.skipif(not hasattr(os, "O_TMPFILE"), reason="a file needs a name here while it is written")
def test_killed_at_any_moment_it_leaves_whole_files_or_none(folder):
    (folder / "written").mkdir()
    (folder / "temporary").mkdir()
    command = [sys.executable, "-c", KILLED]
    environment = {**os.environ, "TMPDIR": str(folder / "temporary")}
    done = subprocess.run(
        command, cwd=folder / "written", env=environment, capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode == 0, done.stderr


# --- exact search, two ways ---


@pytest.fixture
def chain(folder, monkeypatch):
    """Write a table of so many variables that all subsets are out of the question, in which little is to be found."""
    rng = np.random.default_rng(2)
    columns = [rng.random(200) < 0.5]
    for _ in range(41):
        columns.append(np.where(rng.random(200) < 0.85, columns[-1], rng.random(200) < 0.5))
    pd.DataFrame({f"v{k:02d}": column.astype(int) for k, column in enumerate(columns)}).to_csv("chain.csv", index=False)
    monkeypatch.setattr(FORECASTS, "LISTING_PROBE", 60.0)  # so that no slow machine announces a short list
    return folder / "chain.csv"


BEYOND = ("learn", "chain.csv", "--search", "exact", "--max-parents", "1")


def test_either_way(run):
    ways = {}
    for way in ("auto", "lattice", "cuts"):
        shown = run("learn", "two.csv", "--search", "exact", "--method", way, "--json")
        assert (shown.status, shown.err) == (0, "")
        ways[way] = json.loads(shown.out)
        assert ways[way]["optimal"] is True
        assert ways[way]["bound"] == pytest.approx(ways[way]["score"], abs=1e-6)
        assert ways[way]["within"] == pytest.approx(0.0, abs=1e-6)
        assert ways[way]["info"]["method"] == ("lattice" if way == "auto" else way)
    assert len({tuple(map(tuple, found["arcs"])) for found in ways.values()}) == 1


def test_local_scores_either_way(run, clinic):
    run("learn", "clinic.csv", "--score", "bic", "--scores-out", "clinic.jkl")
    want = json.loads(run("learn", "clinic.csv", "--score", "bic", "--json").out)
    for way in ("lattice", "cuts"):
        found = json.loads(run("learn", "--scores", "clinic.jkl", "--search", "exact", "--method", way, "--json").out)
        assert found["info"]["method"] == way
        assert found["score"] == pytest.approx(want["score"])
        assert found["optimal"] is True


def test_beyond_all_subsets(run, chain):
    shown = run(*BEYOND, "--score", "bic")
    assert (shown.status, shown.err) == (0, "")
    proof = "optimal: no network with at most 1 parent each with 5 rows per cell has a higher score"
    assert proof in " ".join(shown.out.split())
    found = json.loads(run(*BEYOND, "--score", "bic", "--json").out)
    assert (found["optimal"], found["info"]["method"]) == (True, "cuts")
    assert found["bound"] == pytest.approx(found["score"], abs=1e-6)


def test_local_scores_beyond_all_subsets(run, chain):
    shown = run(*BEYOND, "--score", "bic", "--scores-out", "chain.jkl", "--json")
    assert (shown.status, shown.err) == (0, "")
    again = run("learn", "--scores", "chain.jkl", "--search", "exact", "--json")
    assert json.loads(again.out)["score"] == pytest.approx(json.loads(shown.out)["score"])


def test_local_scores_when_the_time_is_over(run, chain, monkeypatch):
    def hurried(problem, watch):
        found = candidates_of(problem, watch)
        families = bnml.scores.FamilyScores._of(
            found.families.names, list(zip(found.families.parents, found.families.scores, strict=True)), 1
        )
        return replace(found, families=families, unlisted=(0.0,) * 42)

    monkeypatch.setattr(CANDIDATES, "candidates_of", hurried)
    shown = run(*BEYOND, "--scores-out", "chain.jkl")
    assert shown.status == 0
    assert shown.err.endswith("note: --scores-out has the families with up to 1 parent; for more the time was over\n")


def test_all_subsets_that_do_not_fit(run, chain):
    shown = run("learn", "chain.csv", "--search", "exact", "--method", "lattice")
    assert (shown.status, shown.out) == (2, "")
    assert "42 variables" in shown.err
    assert "--method cuts" in shown.err
    assert "forecast" not in shown.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--method", "cuts"), "--method goes with --search exact, not with --search auto"),
        (("--search", "tabu", "--method", "cuts"), "--method goes with --search exact, not with --search tabu"),
        (("--search", "exact", "--method", "cut"), "--method cut: expected one of 'auto', 'lattice', 'cuts'"),
    ],
)
def test_ways_that_are_none(run, arguments, message):
    shown = run("learn", "two.csv", *arguments)
    assert (shown.status, shown.out) == (2, "")
    assert shown.err.startswith(f"bnml: {message}")


def test_the_ways_are_completed():
    command = load_command("learn")
    option = next(option for option in command.params if "--method" in option.opts)
    context = command.make_context("learn", [], resilient_parsing=True)
    assert [item.value for item in option.shell_complete(context, "")] == ["auto", "lattice", "cuts"]
    assert [item.value for item in option.shell_complete(context, "c")] == ["cuts"]


def test_a_result_when_the_time_is_over(run, chain, monkeypatch):
    """It says how far from the best it can be."""
    from bnml.search import by_cuts

    whole = by_cuts.solve_by_cuts

    def hurried(families, links, start, unlisted, watch, *more):
        return whole(families, links, start, unlisted, Watch(time_limit=0.0))

    monkeypatch.setattr(by_cuts, "solve_by_cuts", hurried)
    late = (*BEYOND, "--method", "cuts", "--time-limit", "60")
    shown = run(*late)
    assert shown.status == 0
    assert re.search(
        r"not proven optimal, but no network with at most 1 parent each with 5 rows per cell scores more than "
        r"[\d.,]+ nats higher "
        r"\(bound -[\d.,]+\)",
        " ".join(shown.out.split()),
    )
    found = json.loads(run(*late, "--json").out)
    assert found["optimal"] is False
    assert found["within"] > 1.0
    assert found["bound"] == pytest.approx(found["score"] + found["within"])


def test_a_list_is_announced_only_if_it_is_long(run, chain, monkeypatch):
    listing = FORECASTS.Listing(2, 5000, 400, False, 0.3)
    monkeypatch.setattr(FORECASTS, "_listing", lambda problem: listing)
    shown = run(*BEYOND, "--score", "bic")
    assert shown.err == (
        "forecast: 42 variables, by branch and cut: families that can be in an optimal structure are listed first; "
        "5,000 parent sets counted in 0.3 s, 400 families listed, complete to 2 parents\n"
    )
    monkeypatch.setattr(FORECASTS, "_listing", lambda problem: replace(listing, complete=True))
    assert run(*BEYOND, "--score", "bic").err == ""
    assert run("learn", "chain.csv", "--max-parents", "1", "--score", "bic").err == ""


def test_progress_of_branch_and_cut(run, chain, monkeypatch):
    stages = []

    @contextmanager
    def bar():
        yield lambda stage, share: stages.append((stage, share))

    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setattr(learn, "progress_bar", bar)
    assert run(*BEYOND, "--score", "bic").status == 0
    assert re.fullmatch(r"candidate families: \d+ with up to 1 parent", stages[0][0])
    assert re.fullmatch(r"(first structure|cutting planes): score -[\d.,]+, gap [\d.e-]+", stages[-1][0])
    assert [share for _, share in stages] == sorted(share for _, share in stages)
    assert all(len(stage) < 60 for stage, _ in stages), "a line of a terminal has room for it"


@pytest.mark.parametrize("files", [(), ("-o", "chain.json", "--plot", "chain.png")])
def test_interrupted_branch_and_cut(run, chain, monkeypatch, files):
    """The best structure so far is shown, and no file written."""
    from bnml.search import by_cuts

    def told(watch):
        def interrupt(*arguments):
            raise KeyboardInterrupt

        return interrupt

    monkeypatch.setattr(by_cuts, "_told", told)
    shown = run(*BEYOND, "--method", "cuts", *files)
    assert shown.status == 130
    assert "learned from 200 rows" in shown.out
    note = "interrupted: this is the best structure so far" + ("; no file is written" if files else "")
    assert shown.err == f"{note}\n"
    found = run(*BEYOND, "--method", "cuts", "--json")
    assert found.status == 130
    assert json.loads(found.out)["info"]["interrupted"] is True
