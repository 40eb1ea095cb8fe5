"""I-maps, minimal I-maps, perfect maps."""

from __future__ import annotations

from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bnml.errors import ArgumentError, GraphError
from bnml.graph import DAG, is_imap, is_perfect_map, minimal_imap
from bnml.graph.imaps import imap_statements

from .strategies import dags

# The lecture's example: A and B are independent; given C, so are A and D, and B and D.
LECTURE = DAG.parse("[A][B][C|A:B][D|C]")
LISTED = {("AB", ""), ("AD", "C"), ("BD", "C")}
FOLLOWING = {("AD", "BC"), ("BD", "AC")}  # not in the lecture's list, but D is independent of A and B together, given C


def oracle_of(listed):
    def oracle(x, y, given):
        return ("".join(sorted(x + y)), "".join(sorted(given))) in listed

    return oracle


def asking(dag):
    """Return the same oracle as the DAG, but as a function."""
    return lambda x, y, given: dag.d_separated(x, y, given)


def test_the_lecture_example():
    oracle = oracle_of(LISTED | FOLLOWING)
    assert is_imap(LECTURE, oracle)
    assert is_perfect_map(LECTURE, oracle)
    assert minimal_imap(["A", "B", "C", "D"], oracle) == LECTURE
    assert is_perfect_map(LECTURE, LECTURE)
    promised = {
        (x + y, "".join(sorted(given))) for x, y, given in imap_statements("ABCD") if LECTURE.d_separated(x, y, given)
    }
    assert promised == LISTED | FOLLOWING


def test_the_list_as_printed_has_no_perfect_map():
    oracle = oracle_of(LISTED)
    assert not is_imap(LECTURE, oracle)
    assert not is_perfect_map(LECTURE, oracle)


@settings(max_examples=80, deadline=None)
@given(dags(most=5), st.data())
def test_is_imap_means_that_every_separation_holds(truth, data):
    pairs = [(a, b) for i, a in enumerate(truth.names) for b in truth.names[i + 1 :]]
    kept = data.draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []
    dag = DAG(truth.names, kept)
    holds = all(truth.d_separated(*s) for s in imap_statements(dag.names) if dag.d_separated(*s))
    assert is_imap(dag, truth) == holds
    assert is_imap(dag, asking(truth)) == holds
    perfect = all(truth.d_separated(*s) == dag.d_separated(*s) for s in imap_statements(dag.names))
    assert is_perfect_map(dag, truth) == perfect
    assert is_perfect_map(dag, asking(truth)) == perfect


@settings(max_examples=60, deadline=None)
@given(dags(most=6), st.randoms(use_true_random=False))
def test_minimal_imaps(truth, random):
    order = list(truth.names)
    random.shuffle(order)
    found = minimal_imap(order, truth)
    assert found == minimal_imap(order, asking(truth))
    assert found.names == tuple(order)
    assert all(order.index(a) < order.index(b) for a, b in found.arcs)
    assert is_imap(found, truth)
    assert not any(is_imap(found.without_arcs([arc]), truth) for arc in found.arcs)


def test_an_order_of_the_truth_gives_the_truth():
    for order in permutations("ABCD"):
        found = minimal_imap(order, LECTURE)
        if all(order.index(a) < order.index(b) for a, b in LECTURE.arcs):
            assert found == LECTURE


def test_exclusive_or_has_no_perfect_map():
    """C = A xor B of fair coins: pairwise independent, together not."""
    oracle = oracle_of({("AB", ""), ("AC", ""), ("BC", "")})
    found = minimal_imap(list("ABC"), oracle)
    assert found == DAG.parse("[A][B][C|A:B]")
    assert is_imap(found, oracle)
    assert not is_imap(DAG.parse("[A][B][C]"), oracle), "single questions given nothing would be fooled"
    assert not is_perfect_map(found, oracle)


def test_bad_questions():
    with pytest.raises(GraphError, match="only the second has 'D'"):
        is_imap(DAG.parse("[A][B][C]"), LECTURE)
    with pytest.raises(GraphError, match="only the first has 'Z'"):
        minimal_imap(["A", "B", "C", "D", "Z"], LECTURE)
    with pytest.raises(GraphError, match="unique"):
        minimal_imap(["A", "A"], LECTURE)
    with pytest.raises(ArgumentError, match="oracle must be"):
        is_perfect_map(LECTURE, "LECTURE")  # type: ignore[arg-type]
    many = DAG([f"v{i}" for i in range(20)])
    with pytest.raises(ArgumentError, match="49,807,360 questions"):
        is_perfect_map(many, lambda x, y, given: True)
    assert is_perfect_map(many, many)
    with pytest.raises(ArgumentError, match="limit=10"):
        is_perfect_map(LECTURE, oracle_of(LISTED), limit=10)
