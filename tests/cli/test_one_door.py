"""The command line builds a request and leaves the checks to the library: once, and before a table is read."""

from __future__ import annotations

import pytest

import bnml
from tools.trace_call import traced

SMALL = {"bootstrap": {"repetitions": 2, "threads": 1}, "study": {"repetitions": 2, "threads": 1}, "learn": {}}


@pytest.mark.parametrize("command", SMALL)
def test_nothing_is_checked_again(run, command):
    with traced() as by_library:
        print(getattr(bnml, command)(bnml.read("two.csv"), score="bic", **SMALL[command]))
    options = [text for name, value in SMALL[command].items() for text in (f"--{name}", str(value))]
    with traced() as by_command:
        assert run(command, "two.csv", "--score", "bic", *options).status == 0
    for what in ("options checked", "score parsed", "bound", "cost estimated"):
        assert by_command.calls[what] == by_library.calls[what], what


def test_nor_are_constraints(run):
    with traced() as by_library:
        print(bnml.learn("two.csv", constraints=bnml.Constraints(required=[("smoke", "lung")])))
    with traced() as by_command:
        assert run("learn", "two.csv", "--require", "smoke>lung").status == 0
    assert by_command.calls == by_library.calls


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("bootstrap", "--repetitions", "0"), "--repetitions 0: expected a whole number from 1"),
        (("bootstrap", "--resampling", "thirds"), "--resampling thirds: expected one of"),
        (("bootstrap", "--search", "tan"), "--search tan needs --class"),
        (("bootstrap", "--search", "pc", "--rows-per-cell", "3"), "--rows-per-cell 3: --search pc cannot take it"),
        (("bootstrap", "--threads", "0"), "--threads 0"),
        (("study", "--repetitions", "-1"), "--repetitions -1: expected a whole number from 0"),
        (("study", "--search", "naive"), "--search naive needs --class"),
        (("study", "--search", "pc", "--max-parents", "2"), "--max-parents 2: --search pc cannot take it"),
        (("study", "--memory-limit", "much"), "--memory-limit much"),
        (("learn", "--keep", "a-b"), "--keep goes with --search npc, not with --search auto"),
        (("learn", "--search", "climb", "--drop-link", "a-b"), "--drop-link goes with --search npc, not with"),
    ],
)
def test_arguments_are_checked_before_the_table_is_read(run, arguments, message):
    shown = run(*arguments, "none.csv")
    assert (shown.status, shown.out) == (2, "")
    assert shown.err.startswith(f"bnml: {message}")
    assert shown.err.count("\n") == 1
