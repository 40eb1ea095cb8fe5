"""Messages that name their arguments, for every door in its own words."""

from __future__ import annotations

import ast
import pickle
import re
from pathlib import Path

import pytest

import bnml
from bnml import _checks
from bnml._checks import progress_function
from bnml.errors import ArgumentError, BnmlError, SearchError, argument


def test_arguments_are_shown_as_python_writes_them():
    error = SearchError(f"{argument('max_parents', 3)} allows fewer; raise {argument('max_parents')}, or drop 'a=b'")
    assert str(error) == "max_parents=3 allows fewer; raise max_parents=, or drop 'a=b'"


def test_other_doors_have_their_own_words():
    error = SearchError(f"{argument('max_parents', 3)} allows fewer; raise {argument('max_parents')}")

    def option(named):
        return f"--{named.name.replace('_', '-')} {named.shown}".rstrip()

    assert error.text(option) == "--max-parents 3 allows fewer; raise --max-parents"


def test_an_argument_error_knows_its_argument():
    assert ArgumentError(f"{argument('seed', -1)}: expected a whole number from 0").argument == "seed"
    assert ArgumentError("there is no column 'a'").argument is None
    assert ArgumentError().argument is None


def test_marks_are_seen_by_nobody():
    error = ArgumentError(f"{argument('seed', -1)}: no; leave {argument('seed')} out")
    assert error.args == ("seed=-1: no; leave seed= out",)
    assert repr(error) == "ArgumentError('seed=-1: no; leave seed= out')"


def test_errors_are_pickled_whole():
    error = pickle.loads(pickle.dumps(ArgumentError(f"{argument('seed', -1)}: no")))
    assert (str(error), error.argument) == ("seed=-1: no", "seed")
    assert str(BnmlError("plain")) == "plain"


@pytest.mark.parametrize(
    ("check", "value", "message"),
    [
        (lambda v: _checks.whole_number(v, "n"), True, "n=True: expected a whole number from 0"),
        (lambda v: _checks.whole_number(v, "n", 1), 0, "n=0: expected a whole number from 1"),
        (lambda v: _checks.positive_number(v, "s", of=" of rows"), 0.0, "s=0.0: expected a positive number of rows"),
        (lambda v: _checks.positive_number(v, "s"), float("nan"), "s=nan: expected a positive number"),
        (lambda v: _checks.significance_level(v), 1, "alpha=1: expected a significance level between 0 and 1"),
        (lambda v: _checks.flag(v, "stable"), 1, "stable=1: expected True or False"),
        (lambda v: _checks.one_of(v, "w", ("cmi", "score")), "scor", "w='scor': expected one of 'cmi', 'score'. Did"),
        (lambda v: _checks.a_variable(v, "root", ("A", "B")), "C", "root='C': there is no such variable"),
        (progress_function, 3, "progress=3: expected a function of a stage and a fraction, or"),
    ],
)  # fmt: skip
def test_checks_name_the_argument_and_what_was_expected(check, value, message):
    with pytest.raises(ArgumentError) as caught:
        check(value)
    assert str(caught.value).startswith(message)
    assert caught.value.argument == message.partition("=")[0]


def test_messages_about_an_argument_mark_it():
    """A message that begins with the name of a parameter would leave ``.argument`` empty if it were only text."""
    found = []
    for path in sorted(Path(bnml.__file__).parent.rglob("*.py")):
        if path.parent.name != "cli":  # which speaks of options
            found += [f"{path.name}: {begin!r}" for begin in unmarked(ast.parse(path.read_text(encoding="utf-8")))]
    assert not found


def test_unmarked_arguments_would_be_found():
    texts = ['f"n must be 0, got {n}"', 'f"{what}: no"', "f\"{argument('n')} must be 0\"", "'n is a word here'"]
    tree = ast.parse("def f(n, what):\n" + "\n".join(f"    raise ArgumentError({text})" for text in texts))
    assert unmarked(tree) == ["n must be 0, got ", "what"]


def unmarked(tree: ast.AST) -> list[str]:
    """Return how the messages begin that begin with the name of a parameter, and do not mark it."""
    found = []
    for function in (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)):
        parameters = {one.arg for one in [*function.args.args, *function.args.kwonlyargs]}
        for call in (node for node in ast.walk(function) if isinstance(node, ast.Call)):
            if not (isinstance(call.func, ast.Name) and call.func.id == "ArgumentError" and call.args):
                continue
            message = call.args[0]
            first = message.values[0] if isinstance(message, ast.JoinedStr) and message.values else message
            if isinstance(first, ast.FormattedValue) and isinstance(first.value, ast.Name):
                if first.value.id in parameters & {"what", "asked"}:  # the names of arguments by convention
                    found.append(first.value.id)
            elif isinstance(first, ast.Constant) and isinstance(first.value, str):
                begin = re.match(r"(\w+)(:| must | holds | has )", first.value)
                if begin and begin.group(1) in parameters:
                    found.append(first.value)
    return found
