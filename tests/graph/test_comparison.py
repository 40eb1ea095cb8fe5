"""What two graphs have in common, and what not."""

from __future__ import annotations

import dataclasses
import math
import pickle

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bnml
from bnml.errors import ArgumentError, GraphError
from bnml.graph import DAG, PDAG, Overlap, compare, orientations, shd, sid, sid_bounds

from .naive import marks
from .strategies import dags, pdags

GROUPS = ("shared", "reversed", "undirected_in_b", "undirected_in_a", "only_a", "only_b")


def naive_groups(a, b):
    """Put every pair that is joined in one of the graphs into its group."""
    first, second = marks(a), marks(b)
    groups = {name: set() for name in GROUPS}
    for pair in first.keys() | second.keys():
        one, other = first.get(pair), second.get(pair)
        if other is None:
            groups["only_a"].add(one)
        elif one is None:
            groups["only_b"].add(other)
        elif one == other:
            groups["shared"].add(one)
        elif isinstance(other, frozenset):
            groups["undirected_in_b"].add(one)
        elif isinstance(one, frozenset):
            groups["undirected_in_a"].add(other)
        else:
            groups["reversed"].add(one)
    return groups


def two_dags(data, a):
    order = data.draw(st.permutations(a.names))
    pairs = [(x, y) for i, x in enumerate(order) for y in order[i + 1 :]]
    return DAG(sorted(a.names), data.draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else [])


def overlap(true, learned):
    return Overlap(len(true & learned), len(true - learned), len(learned - true))


@settings(max_examples=80, deadline=None)
@given(dags(most=6), st.data())
def test_dags(a, data):
    b = two_dags(data, a)
    found = compare(a, b)
    assert (found.shd, found.shd_dag) == (shd(a, b), shd(a, b, of="dag"))
    assert (found.sid, found.sid_bounds, found.sid_note) == (sid(a, b), sid_bounds(a, b), "")
    assert found.equivalent == a.is_equivalent(b)
    assert {name: set(getattr(found, name)) for name in GROUPS} == naive_groups(a, b)
    assert found.links == overlap(*({frozenset(pair) for pair in graph.skeleton()} for graph in (a, b)))
    assert found.arcs == overlap(set(a.arcs), set(b.arcs))
    assert found.directions == overlap(set(a.cpdag().directed), set(b.cpdag().directed))
    assert found.true_arcs == len(set(a.arcs) & set(b.arcs))
    assert found.false_arcs == len(set(b.arcs) - set(a.arcs))
    assert found.missed_arcs == len(set(a.arcs) - set(b.arcs))
    assert (found.true_adjacencies, found.false_adjacencies, found.missed_adjacencies) == (
        found.links.common,
        found.links.extra,
        found.links.missing,
    )


@settings(max_examples=80, deadline=None)
@given(pdags(), st.data())
def test_pdags(a, data):
    order = data.draw(st.permutations(a.names))
    b = data.draw(pdags(most=len(a.names)).filter(lambda graph: len(graph.names) == len(a.names))).reordered(order)
    found = compare(a, b)
    groups = {
        name: {pair if pair in (*a.directed, *b.directed) else frozenset(pair) for pair in getattr(found, name)}
        for name in GROUPS
    }
    assert groups == naive_groups(a, b)
    assert found.links == overlap(*({frozenset(pair) for pair in graph.skeleton()} for graph in (a, b)))
    assert found.arcs == found.directions == overlap(set(a.directed), set(b.directed))
    assert (found.shd, found.shd_dag, found.sid, found.sid_bounds) == (shd(a, b), None, None, None)
    assert found.equivalent == (a == b)
    assert "A is a PDAG" in found.sid_note
    assert str(found).count("\n  ") >= found.links.common + found.links.missing + found.links.extra


def test_shares():
    found = Overlap(3, missing=1, extra=2)
    assert (found.precision, found.recall, found.f1) == (3 / 5, 3 / 4, pytest.approx(2 * 0.6 * 0.75 / 1.35))
    nothing = Overlap(0, missing=2, extra=0)
    assert math.isnan(nothing.precision)
    assert (nothing.recall, nothing.f1) == (0, 0)
    assert all(map(math.isnan, (Overlap(0, 0, 0).precision, Overlap(0, 0, 0).recall, Overlap(0, 0, 0).f1)))
    assert nothing.to_dict() == {"common": 0, "missing": 2, "extra": 0, "precision": None, "recall": 0.0, "f1": 0.0}


def test_a_dag_and_a_class():
    truth = DAG.parse("[A][C][B|A:C][D|B]")
    learned = PDAG(list("DCBA"), [("A", "B")], [("B", "C"), ("C", "D")])
    found = compare(truth, learned)
    assert (found.shared, found.undirected_in_b, found.only_a, found.only_b) == (
        (("A", "B"),),
        (("C", "B"),),
        (("B", "D"),),
        (("C", "D"),),
    )
    assert (found.shd_dag, found.sid) == (None, None)
    assert found.sid_bounds == sid_bounds(truth, learned)
    assert found.to_dict()["undirected"] == {"a": [], "b": [["C", "B"], ["C", "D"]]}
    assert "  C -> B" in str(found)
    assert "  C - D" in str(found)
    other_way = compare(learned, truth)
    assert other_way.undirected_in_a == (("C", "B"),)
    assert other_way.sid_bounds is None


def test_bounds_that_are_not_known(monkeypatch):
    truth = DAG(list("ABCD"), [("A", "B"), ("B", "C")])
    square = PDAG(list("ABCD"), [], [("A", "B"), ("B", "C"), ("C", "D"), ("D", "A")])
    found = compare(truth, square)
    assert (found.sid, found.sid_bounds) == (None, None)
    assert "no consistent extension" in found.sid_note
    monkeypatch.setattr(orientations, "MOST_STEPS", 1)
    found = compare(truth, truth)
    assert (found.sid, found.sid_bounds) == (0, None)
    assert "too many ways" in found.sid_note
    assert "not known for the class of B: 3 variables" in " ".join(str(found).split())
    assert found.to_dict()["sid_bounds"] is None


@pytest.mark.parametrize("long", [1, 60])
def test_the_report_fits_the_terminal(long):
    names = [f"{letter * long}{i}" for i, letter in enumerate("abcdefgh")]
    a = DAG(names, [(names[i], names[i + 1]) for i in range(7)])
    b = DAG(names, [(names[1], names[0]), (names[2], names[1]), (names[2], names[7]), (names[3], names[4])])
    for one, other in ((a, b), (a, b.cpdag()), (a.cpdag(), b), (b, b)):
        report = str(compare(one, other))
        assert max(map(len, report.splitlines())) <= 80
    assert "The graphs are the same." in report
    assert "The structures are equivalent: no data can tell them apart." in str(compare(a, a.cpdag()))


def test_is_a_value():
    found = compare(DAG.parse("[A][B|A]"), DAG.parse("[B][A|B]"))
    assert found == compare(DAG.parse("[A][B|A]"), DAG.parse("[B][A|B]")) == pickle.loads(pickle.dumps(found))
    assert repr(found) == "<Comparison of 2 variables: shd 0, sid 2>"
    with pytest.raises(dataclasses.FrozenInstanceError):
        found.shd = 5  # type: ignore[misc]


def test_networks_and_results_have_graphs():
    first = bnml.learn(bnml.example(), "bic")
    second = bnml.learn(bnml.example(), "aic")
    assert compare(first, second) == compare(first.network, second.dag) == compare(first.dag, second.network)
    tests = bnml.pc(bnml.example())
    assert compare(first, tests).shd == shd(first, tests)


def test_results_without_a_dag():
    class Result:
        dag = None
        cpdag = PDAG(list("ABCD"), [("A", "B"), ("B", "C"), ("C", "D"), ("D", "A")])

    assert compare(DAG(list("ABCD")), Result()).learned == Result.cpdag


def test_refused():
    a = DAG.parse("[A][B|A]")
    with pytest.raises(GraphError, match="only the first has 'B'"):
        compare(a, DAG.parse("[A]"))
    with pytest.raises(ArgumentError, match="truth must be a DAG or PDAG, got str"):
        compare("[A][B]", a)
    with pytest.raises(ArgumentError, match="learned must be a DAG or PDAG, got NoneType"):
        compare(a, None)
