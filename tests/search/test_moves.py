"""Gains of changes of one arc, ancestors, and what may be changed, against the definitions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bnml
from bnml import DAG, Constraints
from bnml.errors import BnmlError
from bnml.scores import LocalScores
from bnml.search.moves import ADD, REMOVE, REVERSE, Move, Structure
from bnml.search.problem import Problem
from tests.search.strategies import constraints, is_possible, tables

FEW = settings(max_examples=30, deadline=None)


def reachable(dag):
    return np.array([[a == b or b in dag.descendants(a) for b in sorted(dag.names)] for a in sorted(dag.names)])


def moves(structure):
    """Every change of one arc, and what the score of the whole structure becomes."""
    dag, names = structure.dag(), structure.names
    for a in names:
        for b in names:
            if a == b:
                continue
            arcs = set(dag.arcs)
            if (a, b) in arcs:
                yield REMOVE, a, b, arcs - {(a, b)}
                yield REVERSE, a, b, arcs - {(a, b)} | {(b, a)}
            elif (b, a) not in arcs:
                yield ADD, a, b, arcs | {(a, b)}


@FEW
@given(data=tables(columns=5), label=st.sampled_from(["bic", "qnml", "fnml", "bdeu"]), drawn=st.data())
def test_the_best_move_is_the_best_move(data, label, drawn):
    known = drawn.draw(constraints(data.names))
    most = drawn.draw(st.none() | st.integers(0, 4))
    local = LocalScores(data, label)

    def fits(dag):
        return known.allows(dag) and (most is None or max(map(len, dag.parent_sets)) <= most)

    if not is_possible(data, known, most):
        with pytest.raises(BnmlError):
            Structure(Problem.of(local, known, most))
        return
    structure = Structure(Problem.of(local, known, most))
    for _ in range(6):
        assert (structure.reach == reachable(structure.dag())).all()
        assert structure.score == pytest.approx(bnml.score(structure.dag(), data, label), abs=1e-8)
        assert known.allows(structure.dag())
        allowed = []
        for kind, a, b, arcs in moves(structure):
            try:
                dag = DAG(data.names, arcs)
            except BnmlError:
                continue
            if fits(dag):
                allowed.append((bnml.score(dag, data, label) - structure.score, kind, a, b))
        found = structure.best_move()
        if not allowed:
            assert found is None
            return
        assert found is not None
        assert found.gain == pytest.approx(max(gain for gain, *_ in allowed), abs=1e-8)
        gain, kind, a, b = drawn.draw(st.sampled_from(allowed))
        structure.apply(Move(kind, structure.names.index(a), structure.names.index(b), gain))


@FEW
@given(data=tables(columns=4), steps=st.integers(0, 4))
def test_reset(data, steps):
    local = LocalScores(data, "bic")
    structure, other = Structure(Problem.of(local)), Structure(Problem.of(local))
    for _ in range(steps if len(data.names) > 1 else 0):
        structure.apply(structure.best_move())
    other.reset(structure.arcs)
    assert (other.up == structure.up).all()
    assert (other.down == structure.down).all()
    assert other.dag() == structure.dag()


def test_barred_arcs_do_not_change():
    structure = Structure(Problem.of(LocalScores(bnml.example(), "bic")))
    free = structure.best_move()
    other = structure.best_move([(free.parent, free.child)])
    assert (other.parent, other.child) != (free.parent, free.child)
    every = [(a, b) for a in range(structure.n) for b in range(structure.n)]
    assert structure.best_move(every) is None
    structure.apply(free)
    assert structure.best_move(every) is None


def test_a_start_that_is_not_allowed():
    local = LocalScores(bnml.example(), "bic")
    names = bnml.example().names
    start = DAG(names, [("asia", "smoke"), ("lung", "smoke")])
    with pytest.raises(BnmlError, match="does not meet the constraints"):
        Structure(Problem.of(local, Constraints(forbidden=[("asia", "smoke")])), start)
    with pytest.raises(BnmlError, match="max_parents=1"):
        Structure(Problem.of(local, None, 1), start)
    with pytest.raises(BnmlError, match="start"):
        Structure(Problem.of(local), DAG(["asia"]))
    assert Structure(Problem.of(local), start).dag() == start
