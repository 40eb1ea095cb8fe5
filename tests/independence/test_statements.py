"""Oracles given as lists of statements."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bnml
from bnml.errors import ArgumentError
from bnml.graph.separation import d_separated
from tests.graph.strategies import dags


def statements(dag):
    """Return all that is independent in a DAG."""
    return [
        (x, y, some)
        for x, y in combinations(dag.names, 2)
        for size in range(len(dag.names) - 1)
        for some in combinations([v for v in dag.names if v not in (x, y)], size)
        if d_separated(dag, x, y, some)
    ]


def test_the_lecture():
    listed = [("A", "B", ()), ("A", "D", ("C",)), ("B", "D", "C")]
    result = bnml.pc(None, oracle=listed, variables=["A", "B", "C", "D"])
    assert set(result.pdag.directed) == {("A", "C"), ("B", "C"), ("C", "D")}
    assert result.test == "an oracle"
    assert set(bnml.npc(None, oracle=listed, variables="ABCD").pdag.directed) == set(result.pdag.directed)


@settings(max_examples=40, deadline=None)
@given(dag=dags(most=5), data=st.data())
def test_all_statements_of_a_dag_are_the_dag(dag, data):
    listed = data.draw(st.permutations(statements(dag)))
    found = bnml.pc(None, oracle=[(y, x, given) for x, y, given in listed], variables=dag.names)
    assert found.pdag == bnml.pc(None, oracle=dag).pdag


@pytest.mark.parametrize(
    ("oracle", "fragment"),
    [
        ("A B", "expected a DAG, a function"),
        (7, "expected a DAG, a function"),
        ([("A",)], "two variables and what is given"),
        (["AB"], "two variables and what is given"),
        ([("A", "Z", ())], "there is no variable 'Z'"),
        ([("A", "B", ("A",))], "named twice"),
        ([("A", "A", ())], "named twice"),
        ([("A", "B", 3)], "what is given"),
    ],
)
def test_wrong_statements(oracle, fragment):
    with pytest.raises(ArgumentError, match=fragment):
        bnml.pc(None, oracle=oracle, variables="ABC")


def test_names_must_be_known():
    with pytest.raises(ArgumentError, match="variables"):
        bnml.pc(None, oracle=[("A", "B", ())])
    with pytest.raises(ArgumentError, match="variables"):
        bnml.pc(None, variables="AB")
    with pytest.raises(ArgumentError, match="that differ"):
        bnml.pc(None, oracle=[], variables=["A", "A"])
    with pytest.raises(ArgumentError, match="names of their own"):
        bnml.pc(None, oracle=bnml.DAG.parse("[A]"), variables=["A"])
    with pytest.raises(ArgumentError, match="names of their own"):
        bnml.pc(bnml.example(), oracle=[], variables=["A"])


def test_a_table_and_statements_about_its_columns():
    result = bnml.pc(bnml.example().select(["smoke", "lung", "xray"]), oracle=[("smoke", "xray", "lung")])
    assert set(result.pdag.undirected) == {("smoke", "lung"), ("lung", "xray")}
