"""Options of single searches that have no flag of their own: ``--option NAME=VALUE``."""

from __future__ import annotations

import json

import pytest


def test_values_arrive_with_their_types(run):
    shown = run(
        "learn", "two.csv", "--search", "climb", "--option", "restarts=3", "--option", "reinsert=false", "--json"
    )
    assert shown.status == 0, shown.err
    assert json.loads(shown.out)["info"]["restarts"] == 3


@pytest.mark.parametrize("column", ["1", "true", "none", "1e3"])
def test_names_of_variables_stay_texts(run, folder, column):
    (folder / "odd.csv").write_text(f"{column},b\n0,0\n1,1\n0,0\n1,1\n1,0\n")
    shown = run("learn", "odd.csv", "--search", "chow-liu", "--option", f"root={column}", "--json")
    if column == "none":  # the option's own default
        assert shown.status == 0
    else:
        assert json.loads(shown.out)["info"]["roots"] == [column]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--search", "climb", "--option", "restarts"), "--option 'restarts': expected NAME=VALUE"),
        (("--search", "climb", "--option", "restarts=x"), "--option restarts=x: expected a whole number"),
        (("--search", "climb", "--option", "reinsert=maybe"), "--option reinsert=maybe: expected True, False or None"),
        (("--search", "climb", "--option", "threads=3"), "--option 'threads=3': use --threads"),
        (("--search", "tan", "--option", "class_variable=a"), "--option 'class_variable=a': use --class"),
        (("--search", "climb", "--option", "executor=x"), "--option 'executor=x': only Python code"),
        (("--search", "pc", "--option", "test=mi"), "--option test=mi: "),
        (("--search", "tan", "--class", "smoke", "--option", "weight=x"), "--option weight=x: expected one of"),
        (("--search", "exact", "--option", "restarts=1"), "--option restarts goes with --search climb"),
    ],
)
def test_wrong_options(run, arguments, message):
    shown = run("learn", "two.csv", *arguments)
    assert (shown.status, shown.out) == (2, "")
    assert shown.err.startswith(f"bnml: {message}"), shown.err
