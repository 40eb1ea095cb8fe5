"""A score, a search and an option that are added as CONTRIBUTING.md says, in Python and on the command line."""

from __future__ import annotations

import importlib
import json
import re
from dataclasses import make_dataclass
from pathlib import Path

import pytest

import bnml
from bnml.cli import searches as command_line
from bnml.errors import ArgumentError
from bnml.scores import SCORES
from bnml.search import options
from bnml.search.options import SearchOptions
from bnml.search.searches import SEARCHES, listed_search

GUIDE = (Path(__file__).parents[2] / "CONTRIBUTING.md").read_text(encoding="utf-8")
LINES = {name: re.search(rf"here `({name}.*?\))`", GUIDE, re.DOTALL)[1] for name in ("listed_search", "_option")}


def file_of(guide):
    """Return the file that a guide shows."""
    return re.search(rf"## {guide}\n.*?```python\n(.*?)```", GUIDE, re.DOTALL)[1]


@pytest.fixture
def added(tmp_path, monkeypatch):
    """Write a package with the files that CONTRIBUTING.md shows, each in the list it belongs to."""
    package = tmp_path / "additions"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "score.py").write_text(file_of("How to add a score"))
    (package / "search.py").write_text(file_of("How to add a search"))
    monkeypatch.syspath_prepend(tmp_path)
    score = importlib.import_module("additions.score").Mine
    search = importlib.import_module("additions.search").mine
    monkeypatch.setitem(SCORES, score.name, score)
    monkeypatch.setitem(
        SEARCHES, "mine", eval(LINES["listed_search"], {"listed_search": listed_search, "mine": search})
    )


@pytest.mark.usefixtures("added")
def test_a_score_is_one_file_and_one_line(run):
    table = bnml.read("two.csv")
    result = bnml.learn(table, "mine:4")
    assert (result.search, result.optimal, result.score_name) == ("exact", True, "mine:4")
    assert result.score == pytest.approx(bnml.score(result.dag, table, "loglik") - 4 * result.n_parameters)
    assert bnml.score(result.dag, table, "mine") == pytest.approx(result.score + result.n_parameters)
    assert bnml.learn(table, "mine", "climb").dag == bnml.learn(table, "mine:3").dag
    shown = run("learn", "two.csv", "--score", "mine:4", "--json")
    assert json.loads(shown.out)["score"] == pytest.approx(result.score)
    shown = run("score", "net.bif", "two.csv", "--score", "mine", "--json")
    assert json.loads(shown.out)["score"] == pytest.approx(
        bnml.score(bnml.DAG.parse("[smoke][lung|smoke]"), table, "mine")
    )
    assert "mine" in command_line.score_names()


@pytest.mark.usefixtures("added")
def test_a_search_is_one_file_and_one_line(run):
    table = bnml.read("two.csv")
    result = bnml.learn(table, "mine", "mine", hub="lung")
    assert (result.search, result.dag.arcs) == ("mine", (("lung", "smoke"),))
    with pytest.raises(ArgumentError, match="max_parents=1: search='mine' cannot take it into account"):
        bnml.learn(table, search="mine", hub="lung", max_parents=1)
    shown = run("learn", "two.csv", "--search", "mine", "--option", "hub=lung", "--json")
    assert json.loads(shown.out)["arcs"] == [["lung", "smoke"]]
    shown = run("learn", "two.csv", "--search", "mine", "--option", "hub=lung", "--max-parents", "1")
    assert (shown.status, shown.err) == (
        2, "bnml: --max-parents 1: --search mine cannot take it into account; leave it out\n"
    )  # fmt: skip
    assert "mine" in command_line.search_names()


@pytest.mark.usefixtures("added")
def test_an_option_of_a_search_is_a_keyword(run):
    table = bnml.read("two.csv")
    assert SEARCHES["mine"].options["outwards"] is True
    inwards = bnml.learn(table, search="mine", hub="lung", outwards=False)
    assert inwards.dag.arcs == (("smoke", "lung"),)
    shown = run("learn", "two.csv", "--search", "mine", "--option", "hub=lung", "--option", "outwards=false", "--json")
    assert json.loads(shown.out)["arcs"] == [["smoke", "lung"]]
    for search in ("auto", "climb"):
        with pytest.raises(ArgumentError, match=f"outwards goes with search='mine', not with search='{search}'"):
            bnml.learn(table, search=search, outwards=False)


@pytest.fixture
def rounds(monkeypatch):
    """One more shared option, declared by the line that CONTRIBUTING.md shows."""
    line = eval(LINES["_option"], vars(options))
    grown = make_dataclass("SearchOptions", [("rounds", "int", line)], bases=(SearchOptions,), frozen=True)
    declared = grown.__dataclass_fields__["rounds"]
    monkeypatch.setitem(options.SHARED, "rounds", declared)
    monkeypatch.setattr("bnml.search.options.SearchOptions", grown)
    monkeypatch.setitem(command_line.LIMITS, "rounds", command_line.shared_option("rounds", declared))
    yield importlib.reload(importlib.import_module("bnml.cli.learn"))
    monkeypatch.undo()
    importlib.reload(importlib.import_module("bnml.cli.learn"))


def test_a_shared_option_is_one_line(rounds, monkeypatch, run):
    """Declared once, it is checked, arrives in the problem, and is an option of the command line."""
    table = bnml.read("two.csv")
    assert bnml.learn(table, rounds=3).problem.options.rounds == 3
    assert bnml.learn(table).problem.options.rounds == 5
    with pytest.raises(ArgumentError, match="rounds=-1"):
        bnml.learn(table, rounds=-1)
    seen = []
    monkeypatch.setattr(rounds, "_print", lambda result, **shown: seen.append(result.problem.options.rounds))
    assert run("learn", "two.csv", "--rounds", "7").status == 0
    assert run("learn", "two.csv").status == 0
    assert seen == [7, 5]
    assert run("learn", "two.csv", "--rounds", "x").err.startswith("bnml: Invalid value for '--rounds'")
    assert run("learn", "two.csv", "--rounds", "-1").err.startswith("bnml: --rounds -1: ")
    assert "Rounds without progress." in " ".join(run("learn", "--help").out.split())
