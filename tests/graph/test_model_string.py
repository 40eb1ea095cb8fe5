"""Model strings: what is read, what is refused and where."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bnml.errors import BnmlError, GraphError
from bnml.graph import DAG


def test_written_parents_first_with_ties_in_the_order_of_names():
    assert str(DAG(["D", "C", "B", "A"], [("A", "B"), ("C", "B"), ("B", "D")])) == "[C][A][B|C:A][D|B]"


@pytest.mark.parametrize("text", ["[A]", "[A][B|A]", "[B|A][A]", " [A]\n  [B|A]\t", "[my var][x-1|my var]", "[ ][a| ]"])
def test_accepted(text):
    assert DAG.parse(str(DAG.parse(text))) == DAG.parse(text)


def test_order_of_names_is_that_of_the_text():
    assert DAG.parse("[B|A][A]").names == ("B", "A")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "empty"),
        ("  \n", "empty"),
        ("A B", "expected '[' at character 1, found 'A'"),
        ("[A", "expected '|' or ']' at character 3 after '[A', found the end"),
        ("[A][B", "expected '|' or ']' at character 6"),
        ("[", "expected a name at character 2"),
        ("[]", "expected a name at character 2 after '[', found ']'"),
        ("[A][B|]", "expected a name at character 7"),
        ("[A][|A]", "expected a name at character 5"),
        ("[A][B|A", "expected ':' or ']' at character 8"),
        ("[A][B|A:]", "expected a name at character 9"),
        ("[A][B:A]", "expected '|' or ']' at character 6"),
        ("[A][C][B|A|C]", "expected ':' or ']' at character 11"),
        ("[A][B|A]]", "expected '[' at character 9"),
        ("[A[B]]", "expected '|' or ']' at character 3 after '[A', found '['. Inside a name, put a backslash"),
        ("[A][B|A],", "expected '[' at character 9"),
        (r"[A\x]", "A backslash stands only before"),
        ("[A\\", "A backslash stands only before"),
        ("[A][A]", "[A] is there twice"),
        ("[A][B|A:A]", "'B' has the parent 'A' twice"),
        ("[Rain][Wet|Rian]", "'Wet' has the parent 'Rian', which has no brackets of its own. Did you mean 'Rain'?"),
        ("[A|A]", "'A' to itself"),
        ("[A|B][B|A]", "cycle: A -> B -> A"),
    ],
)
def test_refused_with_place_and_expectation(text, message):
    with pytest.raises(GraphError) as error:
        DAG.parse(text)
    assert message in str(error.value)


def test_only_text():
    with pytest.raises(BnmlError, match="got 5"):
        DAG.parse(5)  # type: ignore[arg-type]


def test_escapes():
    dag = DAG(["a:b", "c|d", "[e]", "\\"], [("a:b", "c|d"), ("[e]", "c|d"), ("\\", "c|d")])
    assert str(dag) == r"[a\:b][\[e\]][\\][c\|d|a\:b:\[e\]:\\]"
    assert DAG.parse(str(dag)) == dag


@settings(max_examples=100, deadline=None)
@given(st.lists(st.text("ab[]|:\\ \n\t'é", min_size=1, max_size=4), min_size=1, max_size=5, unique=True))
def test_any_names_come_back(names):
    dag = DAG(names, [(a, b) for i, a in enumerate(names) for b in names[i + 1 :]])
    assert DAG.parse(str(dag)) == dag


def test_any_text_is_read_or_refused():
    read = []

    @settings(max_examples=200, deadline=None)
    @given(
        st.lists(st.sampled_from(["[A]", "[B]", "[B|A]", "[C|A:B]", "[D]", "[", "|", ":", "A", "\\", " "]), max_size=5)
    )
    def check(pieces):
        try:
            dag = DAG.parse("".join(pieces))
        except GraphError:
            return
        assert DAG.parse(str(dag)) == dag
        read.append(dag)

    check()
    assert len(set(read)) > 1  # most are refused, but not all
