"""Errors are data: their fields, and how Python, the command line and the page spell them."""

from __future__ import annotations

import ast
import pickle
import re
import threading
from pathlib import Path

import pandas
import pytest

import bnml
from bnml import _checks
from bnml._checks import progress_function
from bnml.cli.error_words import in_options
from bnml.errors import (
    ABSENT,
    MAX_VALUE_LENGTH,
    ArgumentError,
    BnmlError,
    DataError,
    Named,
    SearchError,
    argument,
    function,
    join_texts,
)
from bnml.studio.page_words import in_page_words


def test_an_error_is_data():
    error = ArgumentError("expected a whole number from 0", argument="seed", value=-1, hint="leave it out")
    assert (error.argument, error.value) == ("seed", -1)
    assert (error.problem, error.hint) == ("expected a whole number from 0", "leave it out")
    assert str(error) == "seed=-1: expected a whole number from 0; leave it out"
    assert error.args == (str(error),)
    assert repr(error) == f"ArgumentError({str(error)!r})"


def test_an_error_may_be_a_plain_text():
    error = DataError("there is no column 'a'")
    assert (str(error), error.argument, error.value, error.hint) == ("there is no column 'a'", None, None, "")
    assert (str(ArgumentError()), ArgumentError().argument) == ("", None)


def test_a_problem_that_begins_with_an_argument_is_about_it():
    error = ArgumentError(argument("n") + " must be 0 or more, got -1")
    assert (str(error), error.argument, error.value) == ("n must be 0 or more, got -1", "n", None)
    error = SearchError(argument("max_parents", 3) + " allows fewer")
    assert (str(error), error.argument, error.value) == ("max_parents=3 allows fewer", "max_parents", 3)
    assert SearchError(function("bnml.score") + " needs every value").argument is None


def test_hints_follow_sentences_and_parts_of_them():
    assert str(DataError("it is empty", hint="take another")) == "it is empty; take another"
    assert str(DataError("It is empty.", hint="Take another.")) == "It is empty. Take another."


def test_arguments_are_shown_as_python_writes_them():
    error = SearchError(argument("max_parents", 3) + " allows fewer", hint="raise " + argument("max_parents"))
    assert str(error) == "max_parents=3 allows fewer; raise max_parents="


def test_others_spell_arguments_in_their_own_way():
    error = SearchError(argument("max_parents", 3) + " allows fewer", hint="raise " + argument("max_parents"))
    assert error.text(in_options({})) == "--max-parents 3 allows fewer; raise --max-parents"
    assert in_page_words(error) == "the most parents 3 allows fewer; raise the most parents"


def test_a_message_can_be_part_of_another_one():
    inner = ArgumentError("no", argument="missing", value="drop", hint="see 'a.csv'")
    outer = DataError("line 3: " + inner.sentence.replace("a.csv", "b.csv"))
    assert str(outer) == "line 3: missing='drop': no; see 'b.csv'"
    assert outer.text(in_options({})) == "line 3: --missing drop: no; see 'b.csv'"
    assert outer.argument is None


def test_texts_are_joined():
    joined = join_texts(" or ", ["a", argument("b"), argument("c", 1)])
    assert str(joined) == "a or b= or c=1"
    assert not join_texts(", ", [])


def test_long_values_are_shortened():
    text = str(ArgumentError("no", argument="names", value="x" * 10**6))
    assert text.endswith("…: no")
    for spelled in (text, in_page_words(DataError(argument("names", ["x"] * 999)))):
        assert len(spelled) < 2 * MAX_VALUE_LENGTH


def test_errors_are_pickled_whole():
    for problem in ("no", "no " + argument("bins", {"a": [1]})):
        error = ArgumentError(problem, argument="seed", value=(1, 2), hint="raise " + argument("alpha", 0.1))
        back = pickle.loads(pickle.dumps(error))
        assert (type(back), str(back)) == (ArgumentError, str(error))
        assert (back.argument, back.value, back.problem, back.hint) == ("seed", (1, 2), problem, error.hint)
        assert back.text(in_options({})) == error.text(in_options({}))
    assert pickle.loads(pickle.dumps(ArgumentError("no", argument="seed"))).sentence.parts[0] == Named("seed", ABSENT)


def test_values_that_cannot_be_pickled_are_sent_as_texts():
    error = ArgumentError("no", argument="executor", value=threading.Lock())
    back = pickle.loads(pickle.dumps(error))
    assert (str(back), back.argument, repr(back.value)) == (str(error), "executor", repr(error.value))


@pytest.mark.parametrize(
    ("call", "name", "value", "hint"),
    [
        (lambda: bnml.learn(bnml.example(), seed=-1), "seed", -1, ""),
        (lambda: bnml.learn(bnml.example(), search="exat"), "search", "exat", "Did you mean 'exact'?"),
        (lambda: bnml.learn(bnml.example(), search="tabu", tenur=3), "tenur", 3, "Did you mean 'tenure'?"),
        (lambda: bnml.learn(bnml.example(), search="nml-forest", rows_per_cell=3), "rows_per_cell", 3, "leave it out"),
        (lambda: bnml.learn(bnml.example(), search="tan", class_variable="lung", max_parents=0), "max_parents", 0,
         "allow 1, or 2 for a tree"),
        (lambda: bnml.learn(bnml.example(), rows_per_cell=-1), "rows_per_cell", -1, ""),
        (lambda: bnml.read(bnml.example(), missing="none"), "missing", "none", ""),
        (lambda: bnml.read(pandas.DataFrame({"a": ["x", "y"]}), counting="push"), "counting", "push",
         "leave counting= out"),
        (lambda: bnml.read(pandas.DataFrame({"a": ["x", "y"]}), drop=["b"]), "drop", None, "the columns are 'a'."),
        (lambda: bnml.posterior(bnml.example(), prior=bnml.priors.Uniform()), "prior", None,
         "pass a prior of bnml.priors as structure_prior="),
        (lambda: bnml.score(bnml.example(), bnml.DAG.parse("[A]"), "bic:"), "score", "bic:", ""),
        (lambda: bnml.bootstrap(bnml.example(), repetitions=0), "repetitions", 0, ""),
        (lambda: bnml.shd(bnml.DAG.parse("[A]"), bnml.DAG.parse("[A]"), of="pdag"), "of", None, ""),
        (lambda: bnml.nml.regret(-1, 2), "n", None, ""),
        (lambda: bnml.dependences(bnml.example(), test="bic"), "test", "bic",
         "take g2, x2, g2-permutation or x2-permutation"),
    ],
)  # fmt: skip
def test_errors_of_all_rooms_have_their_fields(call, name, value, hint):
    with pytest.raises(BnmlError) as caught:
        call()
    error = caught.value
    assert (error.argument, error.value, str(error.hint)) == (name, value, hint)
    assert str(error).startswith(name)
    back = pickle.loads(pickle.dumps(error))
    assert (str(back), back.argument, back.value) == (str(error), name, value)


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


def sources():
    for path in sorted(Path(bnml.__file__).parent.rglob("*.py")):
        yield path, path.read_text(encoding="utf-8")


def test_no_message_is_marked_by_odd_characters():
    """Characters of private use would have to be parsed by whoever shows the message."""
    private = re.compile("[\ue000-\uf8ff]|\\\\u(e[0-9a-f]|f[0-8])[0-9a-f]{2}", re.IGNORECASE)
    assert not [path.name for path, text in sources() if private.search(text)]


def test_no_f_string_holds_a_phrase():
    """It would be Python's text at once; where a variable is one, `phrases_are_joined` finds it."""
    found = []
    for path, text in sources():
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.FormattedValue):
                called = {one.func.id for one in calls(node) if isinstance(one.func, ast.Name)}
                found += [f"{path.name}:{node.lineno}: {name}" for name in called & {"argument", "function"}]
    assert not found


def test_messages_about_an_argument_name_it():
    """A message that begins with the name of a parameter would leave ``.argument`` empty if it were only text."""
    found = []
    for path, text in sources():
        if path.parent.name != "cli":  # which speaks of options
            found += [f"{path.name}: {begin!r}" for begin in unnamed(ast.parse(text))]
    assert not found


def test_arguments_that_are_only_text_would_be_found():
    texts = ['f"n must be 0, got {n}"', 'f"{what}: no"', "argument('n') + ' must be 0'", "'n is a word here'"]
    tree = ast.parse("def f(n, what):\n" + "\n".join(f"    raise ArgumentError({text})" for text in texts))
    assert unnamed(tree) == ["n must be 0, got ", "what"]


def calls(tree: ast.AST) -> list[ast.Call]:
    """Return the calls in some code."""
    return [node for node in ast.walk(tree) if isinstance(node, ast.Call)]


def unnamed(tree: ast.AST) -> list[str]:
    """Return how the messages begin that begin with the name of a parameter, and do not name it as one."""
    found = []
    for defined in (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)):
        parameters = {one.arg for one in [*defined.args.args, *defined.args.kwonlyargs]}
        for call in calls(defined):
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
