"""Rules: constraints compiled, in any order of the variables, and the one test of feasibility against all DAGs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bnml._bits import bits
from bnml.errors import SearchError
from bnml.graph import DAG, Constraints, Rules
from tests.graph.naive import all_dags

NAMES = ("A", "B", "C", "D")
ALL_DAGS = [DAG(NAMES, arcs) for arcs in all_dags(list(NAMES))]
FEW = settings(max_examples=150, deadline=None)


@st.composite
def rules(draw: st.DrawFn) -> Rules:
    """Draw rules that may be impossible: what must be may be ruled out, and links may need too many parents."""
    n = len(NAMES)
    masks = [[draw(st.integers(0, 15)) & ~(1 << i) for i in range(n)] for _ in range(3)]
    must = [masks[0][i] & masks[1][i] & masks[2][i] for i in range(n)]
    may = [draw(st.sampled_from([0b1111, 0b1111, masks[1][i]])) & ~(1 << i) for i in range(n)]
    links = [0] * n
    for a in range(n):
        for b in range(a):
            if draw(st.integers(0, 5)) == 0:
                links[a] |= 1 << b
                links[b] |= 1 << a
    return Rules(NAMES, tuple(must), tuple(may), tuple(links), draw(st.integers(0, n - 1)))


def allows(known: Rules, dag: DAG) -> bool:
    """Tell whether a DAG keeps the rules, straight from what they say."""
    parents = dag.reordered(known.names).parent_masks
    return all(
        not (known.must[i] & ~parents[i] or parents[i] & ~known.may[i])
        and parents[i].bit_count() <= known.most
        and all(parents[i] >> j & 1 or parents[j] >> i & 1 for j in bits(known.links[i]))
        for i in range(known.n)
    )


@FEW
@given(rules())
def test_feasible_exactly_if_a_dag_keeps_them(known):
    possible = any(allows(known, dag) for dag in ALL_DAGS)
    if not possible:
        with pytest.raises(SearchError, match=r"contradict each other|allows fewer"):
            known.order()
        return
    order = known.order()
    assert sorted(order) == list(range(known.n))
    fewest = [known.must[i] | known.links[i] & sum(1 << j for j in order[: order.index(i)]) for i in range(known.n)]
    arcs = [(NAMES[j], NAMES[i]) for i in range(known.n) for j in bits(fewest[i])]
    assert allows(known, DAG(NAMES, arcs))
    known.check()


@FEW
@given(rules(), st.permutations(range(4)))
def test_in_another_order_they_allow_the_same(known, places):
    moved = known.among(places)
    assert moved.names == tuple(NAMES[k] for k in places)
    assert [allows(known, dag) for dag in ALL_DAGS] == [allows(moved, dag) for dag in ALL_DAGS]
    assert moved.constrained == known.constrained
    assert moved.limited == known.limited


@FEW
@given(rules())
def test_matrices_say_the_same_as_masks(known):
    for matrix, masks in (
        (known.may_matrix, known.may),
        (known.must_matrix, known.must),
        (known.link_matrix, known.links),
        (known.required_matrix, known.required),
    ):
        assert matrix.tolist() == [[bool(mask >> parent & 1) for mask in masks] for parent in range(known.n)]
    assert known.undirected == (not known.must_matrix.any() and bool((known.may_matrix == known.may_matrix.T).all()))
    assert all(known.adjacent[i] >> j & 1 == known.adjacent[j] >> i & 1 for i in range(4) for j in range(4))
    assert all(known.possible[i] >> j & 1 == known.possible[j] >> i & 1 for i in range(4) for j in range(4))


def test_choices_of_an_order_are_those_that_can_come_last():
    known = Constraints(required=[("A", "B"), ("B", "C")]).compiled(NAMES)
    offered = []
    order = known.order(lambda free: offered.append(list(free)) or free[0])
    assert offered == [[2, 3], [1, 3], [0, 3], [3]]
    assert order == [3, 0, 1, 2]
    assert known.order() == [0, 1, 2, 3]


def test_what_a_prior_rules_out_and_requires():
    ruled_out, required = np.zeros((4, 4), bool), np.zeros((4, 4), bool)
    ruled_out[0, 1] = required[2, 3] = True
    ruled_out[2, 2] = required[2, 2] = True  # an arc from a variable to itself says nothing
    known = Rules.none(NAMES).heeding(ruled_out, required)
    assert known.may == (0b1110, 0b1100, 0b1011, 0b0111)
    assert known.must == (0, 0, 0, 0b0100)
    required[0, 1] = True
    with pytest.raises(SearchError, match="what constraints and priors rule out"):
        known.heeding(ruled_out, required).check()


def test_some_of_the_variables():
    known = Constraints(required=[("A", "B")], forbidden=[("C", "D")], required_links=[("B", "D")]).compiled(NAMES, 2)
    few = known.among([3, 1])
    assert (few.names, few.must, few.may, few.links, few.most) == (("D", "B"), (0, 0), (0b10, 0b01), (0b10, 0b01), 2)


@pytest.mark.parametrize("n", [0, 1, 7, 8, 9, 40])
def test_matrices_of_any_size(n):
    names = [f"V{k:02}" for k in range(n)]
    assert (Rules.none(names).may_matrix == ~np.eye(n, dtype=bool)).all()
    assert Rules.none(names).may_matrix.shape == (n, n)


def test_cells_of_their_own():
    known = Rules.none(NAMES).with_cells([2, 3, 2, 2], [6.0, 100.0, 0.0, 4.0])
    assert known.cells == 100.0
    assert known.sparse
    assert not known.undirected
    for i, most in enumerate([6.0, 100.0, 0.0, 4.0]):
        assert known.most_cells(i) == most
        for parents in range(16):
            if not parents >> i & 1:
                assert known.fits(i, parents) == (not parents or known.cells_of(parents | 1 << i) <= most)
                assert known.room(i, parents) == (
                    most / known.cells_of(parents | 1 << i) if parents.bit_count() < 3 else 0
                )
    mixed = known.among([3, 0, 2, 1])
    assert mixed.own_cells == (4.0, 6.0, 0.0, 100.0)
    assert mixed.arities == (2, 2, 2, 3)
    tied = Constraints(required=[("A", "B")]).compiled(NAMES).with_cells([2, 3, 2, 2], [6.0, 100.0, 0.0, 4.0])
    assert tied.among([3, 0, 2, 1]).own_cells == (4.0, 6.0, 0.0, 100.0)
    assert known.may_matrix.tolist() == [
        [False, True, False, True], [True, False, False, False], [True, True, False, True], [True, True, False, False]
    ]  # fmt: skip
    for arc, said in ((("A", "C"), "'C' was set in every row"), (("B", "D"), "'D'.*allows 4")):
        with pytest.raises(SearchError, match=said):
            Constraints(required=[arc]).compiled(NAMES).with_cells([2, 3, 2, 2], [6.0, 100.0, 0.0, 4.0]).check()
    same = Rules.none(NAMES).with_cells([2, 3, 2, 2], [6.0] * 4)
    assert same == Rules.none(NAMES).with_cells([2, 3, 2, 2], 6.0)
    assert same.undirected
