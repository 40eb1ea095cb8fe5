"""The best tree that rules allow, against all trees; and rules that no tree can keep."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import bnml
from bnml.errors import ArgumentError, BnmlError, SearchError
from bnml.graph import Constraints, Rules
from bnml.graph.spanning import spanning_links, spanning_parents
from bnml.search.best_tree import best_tree, check_tree, tree_gain, tree_gains, tree_rules, whole_tree_gains
from bnml.search.problem import Problem
from tests.search.forests import branchings, dag_of
from tests.search.strategies import constraints, tables

NAMES = ["d", "a", "e", "c", "b"]  # not in their order


def rules_of(names, known):
    """Return the rules about names in their order."""
    return (known or Constraints()).compiled(sorted(names))


@st.composite
def problems(draw):
    """Draw gains by name, symmetric or not, and constraints."""
    names = NAMES[: draw(st.integers(1, 5))]
    n = len(names)
    number = st.integers(-3, 6).map(float)
    gains = np.array([[draw(number) for _ in range(n)] for _ in range(n)]).reshape(n, n)
    if draw(st.booleans()):
        gains = np.maximum(gains, gains.T)
    if draw(st.integers(0, 3)) == 0 and n > 1:
        gains[0, 1] = draw(st.sampled_from([-np.inf, np.inf]))
    known = draw(st.none() | constraints(names))
    root = draw(st.none() | st.sampled_from(names))
    return names, gains, known, root


def kept(parents, names, known, root):
    """Tell whether a branching over names in order meets the constraints."""
    return (root is None or parents[names.index(root)] is None) and (
        known is None or known.allows(dag_of(names, parents))
    )


def worth(parents, gains, *, spanning):
    """Return what is to be maximised: few impossible arcs, infinite gains, arcs if they are to be many, gains."""
    values = [gains[above, x] for x, above in enumerate(parents) if above is not None]
    return (
        -values.count(-math.inf),
        values.count(math.inf),
        len(values) if spanning else 0,
        sum(v for v in values if math.isfinite(v)),
    )


ONE_WAY = np.array([[0.0, -np.inf, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]])  # of a, d, e


@settings(max_examples=150, deadline=None)
@given(problems(), st.booleans())
@example((["d", "a", "e"], ONE_WAY, Constraints(required_links=[("a", "d")]), "a"), False)
@example((["d", "a", "e"], ONE_WAY - np.array([[0], [3], [0]]), Constraints(required_links=[("a", "d")]), None), False)
def test_no_tree_is_better(problem, spanning):
    names, gains, known, root = problem
    ordered = sorted(names)
    allowed = [parents for parents in branchings(len(names)) if kept(parents, ordered, known, root)]
    rules = rules_of(names, known)
    if not allowed:
        with pytest.raises(SearchError):
            check_tree(rules, "a tree", root)
        return
    place = check_tree(rules, "a tree", root)
    found = tuple(above[0] if above else None for above in best_tree(gains, rules, spanning=spanning, root=place))
    must = rules.required_matrix
    possible = [
        parents
        for parents in allowed
        if all(above is None or must[above, x] or gains[above, x] > -np.inf for x, above in enumerate(parents))
    ]
    assert found in possible
    best = max(worth(parents, gains, spanning=spanning) for parents in possible)
    assert worth(found, gains, spanning=spanning) == best


@settings(max_examples=60, deadline=None)
@given(data=tables(columns=5), label=st.sampled_from(["bic", "qnml", "fnml", "bds"]), n_given=st.integers(0, 1))
def test_gains_are_differences_of_scores(data, label, n_given):
    known = tuple(range(n_given if len(data.names) > 1 else 0))
    columns = [c for c in range(len(data.names)) if c not in known][::-1]
    local = bnml.LocalScores(data, label)
    seen = []
    found = tree_gains(Problem.of(local, threads=1), columns, known, seen.append)
    largest = max(abs(local.family(c, known)) for c in columns)
    for i, parent in enumerate(columns):
        for j, child in enumerate(columns):
            if i != j:
                want = np.array([local.family(child, (*known, parent)) - local.family(child, known)])
                assert found[i, j] == pytest.approx(whole_tree_gains(want, data.n_rows, largest)[0], abs=1)
    assert seen == sorted(seen)
    assert seen[-1] == 1.0
    if local.score_function.equivalent:
        assert (found == found.T).all()


def test_a_required_link_goes_the_way_without_which_the_score_is_infinite():
    gains = np.array([[0.0, np.inf, 0.0], [0.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    rules = rules_of(["a", "d", "e"], Constraints(required_links=[("a", "d")]))
    assert best_tree(gains, rules, spanning=False) == [[], [0], []]


def test_what_is_impossible_gains_nothing():
    values = np.array([-np.inf, -2.0])
    assert tree_gain(values, -3.0).tolist() == [-np.inf, 1.0]
    assert tree_gain(values, -np.inf).tolist() == [-np.inf, np.inf]


def test_links_in_turn():
    gains = np.array([[0, 1, 5, 5], [1, 0, 5, 2], [5, 5, 0, 5], [5, 2, 5, 0]], float)
    every, none = ~np.eye(4, dtype=bool), np.zeros((4, 4), bool)
    assert spanning_links(gains, every, none) == [(0, 2), (0, 3), (1, 2)]
    required = none.copy()
    required[1, 3] = required[3, 1] = True
    assert spanning_links(gains, every, required) == [(1, 3), (0, 2), (0, 3)]


def test_directions_lead_away_from_a_root():
    neighbours = [{1}, {0, 2}, {1}, {4}, {3}]
    assert spanning_parents(neighbours) == [[], [0], [1], [], [3]]
    assert spanning_parents(neighbours, 2) == [[1], [2], [], [], [3]]


@pytest.mark.parametrize(
    ("known", "root", "message"),
    [
        (Constraints(required=[("a", "c"), ("b", "c")]), None, r"'c' must have the parents 'a', 'b', but in a tree"),
        (Constraints(required=[("a", "c")]), "c", "root='c': it must have the parent 'a'"),
        (Constraints(required_links=[("a", "b"), ("b", "c"), ("a", "c")]), None, "do not all fit into a tree"),
        (Constraints(required=[("a", "b")], required_links=[("b", "c")], forbidden=[("b", "c")]), None, "parents"),
        (Constraints(required_links=[("a", "b")], forbidden=[("a", "b")]), "a", "root='a': it must have the parent"),
        (Constraints(required=[("a", "b")], required_links=[("b", "c")]), "c", "with the root 'c'"),
    ],
)
def test_rules_that_no_tree_keeps(known, root, message):
    with pytest.raises(SearchError, match=message):
        check_tree(rules_of(["a", "b", "c"], known), "a tree", root)


def test_an_unknown_root():
    for root in ("d", 3, ["a"]):
        with pytest.raises(ArgumentError, match="root="):
            check_tree(rules_of(["a", "b"], None), "a tree", root)


def test_no_parents_at_all():
    assert not any(tree_rules(Rules.none(["a", "b"], 0)).may)
    with pytest.raises(SearchError, match="max_parents=0"):
        tree_rules(Constraints(required=[("a", "b")]).compiled(["a", "b"], 0))


@pytest.mark.parametrize("search", ["chow-liu", "tan", "naive", "polytree", "nml-forest", "ges", "pc", "npc"])
def test_local_scores_alone_are_not_enough(search, tmp_path):
    (tmp_path / "two.jkl").write_text("2\na 2\n-3.1 0\n-2.5 1 b\nb 1\n-4.0 0\n")
    options = {"class_variable": "a"} if search in ("tan", "naive") else {}
    with pytest.raises(BnmlError, match="needs a table"):
        bnml.learn(bnml.scores.FamilyScores.load(tmp_path / "two.jkl"), search=search, **options)
