"""Growing and shrinking parents, against the same done without a tree."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from bnml.scores import LocalScores
from bnml.search.grow_shrink import GrowShrink
from bnml.search.moves import Structure
from bnml.search.problem import Problem
from tests.search.strategies import tables

EQUAL = 1e-9

FEW = settings(max_examples=40, deadline=None)


def grown_and_shrunk(local, i, candidates, must, most):
    """Add what helps most while anything does; then take away likewise."""
    parents = sorted(must)
    score = local.family(i, parents)
    while len(parents) < most:
        more = [(local.family(i, [*parents, c]), -c) for c in candidates if c not in parents]
        if not more or max(more)[0] <= score + EQUAL:
            break
        score, c = max(more)
        parents.append(-c)
    while True:
        fewer = [(local.family(i, [p for p in parents if p != c]), c) for c in parents if c not in must]
        if not fewer or max(fewer)[0] <= score + EQUAL:
            return score, sum(1 << p for p in parents)
        score, c = max(fewer)
        parents.remove(c)


@FEW
@given(data=tables(columns=5, rows=60), label=st.sampled_from(["bic", "qnml", "fnml", "aic"]), drawn=st.data())
def test_the_tree_changes_nothing(data, label, drawn):
    n = len(data.names)
    local = LocalScores(data, label)
    i = drawn.draw(st.integers(0, n - 1))
    others = [j for j in range(n) if j != i]
    may = drawn.draw(st.sets(st.sampled_from(others))) if others else set()
    must = {j for j in may if drawn.draw(st.integers(0, 4)) == 0}
    most = drawn.draw(st.integers(len(must), n))
    structure = Structure(Problem.of(local, None, most))
    tree = GrowShrink(structure, i, sum(1 << j for j in may), sum(1 << j for j in must))
    for _ in range(4):
        candidates = must | (drawn.draw(st.sets(st.sampled_from(others))) if others else set())
        score, parents = tree.best(sum(1 << j for j in candidates))
        expected, _ = grown_and_shrunk(local, i, sorted(candidates & may), must, most)
        assert abs(score - expected) < 1e-8 or score > expected
        chosen = [j for j in range(n) if parents >> j & 1]
        assert must <= set(chosen) <= candidates & may
        assert len(chosen) <= most
        assert abs(local.family(i, chosen) - score) < 1e-8


def test_what_is_required_must_be_a_candidate():
    import bnml

    tree = GrowShrink(Structure(Problem.of(LocalScores(bnml.example(), "bic"))), 0, 0b11111110, 0b10)
    assert tree.best(0b100) == (float("-inf"), 0)
    assert tree.best(0b110)[1] & 0b10
