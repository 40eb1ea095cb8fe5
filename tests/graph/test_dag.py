"""DAGs as values: construction, errors, accessors, relatives."""

from __future__ import annotations

import pickle

import pytest
from hypothesis import given, settings

from bnml.errors import ArgumentError, BnmlError, GraphError
from bnml.graph import DAG, PDAG

from . import naive
from .strategies import dags

SPRINKLER = "[Season][Rain|Season][Sprinkler|Season][Wet|Rain:Sprinkler][Slippery|Wet]"


def test_the_same_sets_in_any_order_are_equal():
    a = DAG(["A", "B", "C"], [("A", "B"), ("C", "B")])
    b = DAG(["C", "B", "A"], [("C", "B"), ("A", "B"), ("A", "B")])
    assert a == b
    assert hash(a) == hash(b)
    assert len({a, b}) == 1
    assert a != DAG(["A", "B", "C"], [("A", "B")])
    assert a != DAG(["A", "B", "C", "D"], [("A", "B"), ("C", "B")])
    assert DAG(["A", "B"]) != DAG(["A", "C"])
    assert a != "[A][C][B|A:C]"


def test_arcs_are_in_the_order_of_names():
    dag = DAG(["C", "B", "A"], [("A", "B"), ("C", "A"), ("C", "B")])
    assert dag.arcs == (("C", "B"), ("C", "A"), ("A", "B"))
    assert dag.names == ("C", "B", "A")


def test_attributes_cannot_be_set():
    dag = DAG(["A"])
    with pytest.raises(AttributeError):
        dag.names = ("B",)  # type: ignore[misc]
    with pytest.raises(AttributeError):
        dag.colour = "red"  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("names", "arcs", "message"),
    [
        ([], [], "names is empty"),
        ("AB", [], "names must be a list of names such as ['A', 'B'], got 'AB'"),
        (5, [], "names must be a list"),
        (["A", ""], [], "names hold ''"),
        (["A", 3], [], "names hold 3"),
        (["A", "B", "A"], [], "names must be unique; more than once there: 'A'"),
        (["A", "B"], [("A", "A")], "arcs join 'A' to itself"),
        (["smoke", "lung"], [("smok", "lung")], "arcs name 'smok', which is not a variable. Did you mean 'smoke'?"),
        (["A", "B"], ["AB"], "arcs must be pairs of names such as ('A', 'B'), got 'AB'"),
        (["A", "B"], [{"A", "B"}], "arcs must be pairs"),
        (["A", "B"], [("A", "B", "C")], "arcs must be pairs"),
        (["A", "B"], "AB", "arcs must be a list of pairs"),
        (["A", "B"], [("A", 1)], "arcs hold 1"),
        (["A", "B"], [("B", "A"), ("A", "B")], "close a cycle: A -> B -> A"),
        (["A", "B", "C", "D"], [("D", "B"), ("B", "C"), ("C", "D"), ("A", "B")], "cycle: B -> C -> D -> B."),
    ],
)
def test_bad_graphs_say_what_is_wrong(names, arcs, message):
    with pytest.raises(GraphError) as error:
        DAG(names, arcs)
    assert message in str(error.value)


def test_a_long_cycle_is_shortened():
    names = [f"v{i}" for i in range(50)]
    with pytest.raises(GraphError, match=r"v0 -> v1 -> .* -> \.\.\. -> v49 -> v0\."):
        DAG(names, [(names[i - 1], names[i]) for i in range(50)])


def test_relatives():
    dag = DAG.parse(SPRINKLER)
    assert dag.parents("Wet") == ("Rain", "Sprinkler")
    assert dag.children("Season") == ("Rain", "Sprinkler")
    assert dag.ancestors("Wet") == ("Season", "Rain", "Sprinkler")
    assert dag.ancestors("Season") == ()
    assert dag.descendants("Rain") == ("Wet", "Slippery")
    assert dag.markov_blanket("Rain") == ("Season", "Sprinkler", "Wet")
    assert dag.topological_order() == ("Season", "Rain", "Sprinkler", "Wet", "Slippery")
    assert dag.v_structures() == (("Rain", "Wet", "Sprinkler"),)
    assert dag.covered_arcs() == (("Season", "Rain"), ("Season", "Sprinkler"))


@pytest.mark.parametrize("method", ["parents", "children", "ancestors", "descendants", "markov_blanket"])
def test_unknown_names_are_named(method):
    dag = DAG.parse(SPRINKLER)
    with pytest.raises(ArgumentError, match=r"no variable 'Rian'\. Did you mean 'Rain'\?"):
        getattr(dag, method)("Rian")
    with pytest.raises(ArgumentError, match="name of one variable"):
        getattr(dag, method)(["Rain"])


@settings(max_examples=60, deadline=None)
@given(dags(most=5))
def test_agrees_with_the_definitions(dag):
    arcs = frozenset(dag.arcs)
    assert {frozenset(pair) for pair in dag.skeleton()} == naive.skeleton(arcs)
    assert {(frozenset((a, b)), c) for a, c, b in dag.v_structures()} == naive.v_structures(arcs)
    for x in dag.names:
        assert set(dag.descendants(x)) == naive.descendants(arcs, x) - {x}
        assert set(dag.ancestors(x)) == {a for a in dag.names if x in dag.descendants(a)}
    smallest = min(naive.topological_orders(dag.names, arcs), key=lambda order: [dag.names.index(x) for x in order])
    assert dag.topological_order() == smallest
    reversible = {arc for arc in dag.arcs if _reversed_is_equivalent(arcs, arc)}
    assert set(dag.covered_arcs()) == reversible


def _reversed_is_equivalent(arcs, arc):
    other = (arcs - {arc}) | {arc[::-1]}
    return naive.is_acyclic(other) and naive.v_structures(other) == naive.v_structures(arcs)


@settings(max_examples=40, deadline=None)
@given(dags())
def test_round_trips(dag):
    assert DAG.parse(str(dag)) == dag
    assert DAG.from_parent_sets(dag.names, dag.parent_sets) == dag
    assert pickle.loads(pickle.dumps(dag)) == dag
    reordered = dag.reordered(dag.names[::-1])
    assert reordered == dag
    assert reordered.names == dag.names[::-1]
    table = dag.adjacency()
    assert {(a, b) for a in dag.names for b in dag.names if table.loc[a, b]} == set(dag.arcs)


def test_changed_copies():
    dag = DAG.parse("[A][B|A][C|A:B]")
    assert dag.reverse(("A", "B")) == DAG.parse("[B][A|B][C|A:B]")
    assert dag.without_arcs([("A", "C"), ("A", "B")]) == DAG.parse("[A][B][C|B]")
    assert DAG.parse("[A][B][C]").with_arcs([("A", "C")]) == DAG.parse("[A][B][C|A]")
    assert dag.subgraph(["C", "B"]) == DAG.parse("[B][C|B]")
    assert dag.subgraph("C") == DAG.parse("[C]")
    with pytest.raises(GraphError, match="cycle"):
        dag.reverse(("A", "C"))
    with pytest.raises(GraphError, match="no arc B -> A"):
        dag.without_arcs([("B", "A")])
    with pytest.raises(GraphError, match="no arc C -> A"):
        dag.reverse(("C", "A"))
    with pytest.raises(GraphError, match="only the second has 'D'"):
        dag.reordered(["A", "B", "D"])


@pytest.mark.parametrize(
    ("sets", "message"),
    [([()], "1 entries for 2"), ([(1,), (2,)], r"parent_sets\[1\]"), ([(0,), ()], r"parent_sets\[0\]")],
)
def test_bad_parent_sets(sets, message):
    with pytest.raises(GraphError, match=message):
        DAG.from_parent_sets(["A", "B"], sets)


def test_repr_is_short():
    assert repr(DAG.parse("[A][B|A]")) == "DAG.parse('[A][B|A]')"
    assert repr(DAG([f"v{i}" for i in range(500)])) == "<DAG of 500 variables with 0 arcs>"


def test_equivalence_needs_the_same_variables():
    assert not DAG.parse("[A]").is_equivalent(DAG.parse("[B]"))
    with pytest.raises(BnmlError, match="got PDAG"):
        DAG.parse("[A]").is_equivalent(PDAG(["A"]))  # type: ignore[arg-type]
