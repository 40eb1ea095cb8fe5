"""The search for forests under exact NML, against all forests and all their neighbours, one by one."""

from __future__ import annotations

import sys
from itertools import product
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bnml
from bnml import DAG
from bnml.errors import BnmlError
from bnml.graph import Constraints
from bnml.nml import forest_joins
from bnml.nml.forest_joins import ForestJoins
from bnml.nml.forest_sums import ForestSums
from bnml.search import forest, nml_forest
from tests.search.forests import branchings, dag_of
from tests.search.strategies import constraints, tables
from tests.search.test_contract import one_arc_away

pytestmark = pytest.mark.usefixtures("uniform_prior")

MODULE = sys.modules["bnml.search.nml_forest"]
CLOSE = {"rel": 0, "abs": 1e-8}


def neighbours(dag, names):
    """Yield every forest that comes of a link cut, a link added, or both."""
    links = {frozenset(arc) for arc in dag.arcs}
    every = {frozenset((a, b)) for a, b in product(names, repeat=2) if a != b}
    for cut in (None, *links):
        for added in (None, *(every - links)):
            changed = (links - {cut}) | ({added} if added else set())
            found = as_forest(names, changed)
            if found is not None:
                yield found


def as_forest(names, links):
    """Return the links as a forest, away from first names; None if they close a cycle."""
    near = {x: sorted(y for link in links if x in link for y in link if y != x) for x in names}
    parents, seen = {}, set()
    for start in names:
        todo = [] if start in seen else [start]
        while todo:
            x = todo.pop()
            if x in seen:
                return None
            seen.add(x)
            for y in near[x]:
                if parents.get(x) != y:
                    parents[y] = x
                    todo.append(y)
    return DAG(names, [(p, x) for x, p in parents.items()])


def nearly_independent(seed, columns=5, rows=40):
    """Return a table in which it is a close thing which variables are joined."""
    rng = np.random.default_rng(seed)
    table = rng.integers(0, rng.integers(2, 4, columns), (rows, columns))
    table[:, 1] = np.where(rng.random(rows) < 0.5, table[:, 0] % 2, table[:, 1])
    table[:, 2] = np.where(rng.random(rows) < 0.4, table[:, 1], table[:, 2])
    return bnml.read(table)


@settings(max_examples=15, deadline=None)
@given(data=tables(columns=4, rows=20))
def test_no_neighbour_is_better(data):
    result = nml_forest(data)
    assert result.score == pytest.approx(bnml.score(result.dag, data, "nml"), **CLOSE)
    best = max(bnml.score(other, data, "nml") for other in neighbours(result.dag, data.names))
    assert best <= result.score + 1e-6
    assert result.score >= bnml.score(forest(data, "qnml").dag, data, "nml") - 1e-8


@pytest.mark.parametrize("seed", range(12))
def test_steps_are_taken(seed):
    data = nearly_independent(seed)
    result = nml_forest(data)
    start = forest(data, "qnml").dag
    assert result.info["start_nml"] == pytest.approx(bnml.score(start, data, "nml"), **CLOSE)
    assert result.info["nml"] == result.score == pytest.approx(bnml.score(result.dag, data, "nml"), **CLOSE)
    assert result.info["qnml"] == pytest.approx(bnml.score(result.dag, data, "qnml"), **CLOSE)
    assert (result.info["steps"] > 0) == (result.info["nml"] > result.info["start_nml"] + 1e-9)
    assert result.info["skipped"] == 0
    best = max(bnml.score(other, data, "nml") for other in neighbours(result.dag, data.names))
    assert best <= result.score + 1e-6


def test_some_tables_need_steps_and_the_best_forest_is_often_found():
    found, best, steps = [], [], 0
    for seed in range(8):
        data = nearly_independent(seed, columns=4, rows=15)
        result = nml_forest(data)
        steps += result.info["steps"]
        found.append(result.score)
        best.append(max(bnml.score(dag_of(data.names, parents), data, "nml") for parents in branchings(4)))
    assert all(mine <= top + 1e-8 for mine, top in zip(found, best, strict=True))
    assert sum(mine > top - 1e-8 for mine, top in zip(found, best, strict=True)) >= 7


@settings(max_examples=25, deadline=None)
@given(data=tables(columns=4, rows=20), drawn=st.data())
def test_what_is_proven_is_the_best_of_all_forests(data, drawn):
    known = drawn.draw(st.none() | constraints(data.names))
    try:
        result = nml_forest(data, constraints=known)
    except BnmlError:
        return
    assert result.info["best_forest"]
    assert result.info["optimal_among"] == ("forests" if known is None else "forests that the constraints allow")
    assert not result.optimal
    allowed = [
        dag
        for parents in branchings(len(data.names))
        if (dag := dag_of(data.names, parents)) is not None and (known is None or not known.violations(dag))
    ]
    assert result.score == pytest.approx(max(bnml.score(dag, data, "nml") for dag in allowed), **CLOSE)


def test_a_better_forest_is_taken():
    """Steps that are not allowed leave a forest that the proof then finds a better one for."""
    data = nearly_independent(3)
    wanted = nml_forest(data)
    with (
        patch.object(MODULE, "best_tree", lambda *_, **__: [[]] * 5),
        patch.object(MODULE._Climb, "step", lambda *_: False),
    ):
        result = nml_forest(data)
    assert result.score == pytest.approx(wanted.score, **CLOSE)
    assert result.info["best_forest"]
    assert result.info["steps"] > 0


def test_a_proof_that_takes_too_much_is_given_up():
    data = bnml.read(np.random.default_rng(0).integers(0, 2, (200, 10)))
    full = nml_forest(data)
    assert full.info["best_forest"]
    assert full.info["bounded"] > 100
    assert "the forest with the highest exact NML of all" in " ".join(str(full).split())
    with patch.object(MODULE, "MOST_BOUNDED", 50):
        few = nml_forest(data)
    assert not few.info["best_forest"]
    assert few.dag == full.dag
    assert "optimal_among" not in few.info
    assert not nml_forest(data, "bic").info.get("optimal_among")


def test_from_a_bad_start():
    """From a forest without links, and from a chain of unrelated variables, steps lead back."""
    data = bnml.example()
    wanted = nml_forest(data)
    for parents in ([[]] * 8, [[], *([x] for x in range(7))]):
        with patch.object(MODULE, "best_tree", lambda *_, parents=parents, **__: parents):
            result = nml_forest(data)
        assert result.info["steps"] > 3
        assert result.dag.cpdag() == wanted.dag.cpdag()
        assert result.score == pytest.approx(wanted.score, **CLOSE)


# --- constraints and limits ---


@settings(max_examples=25, deadline=None)
@given(data=tables(columns=4, rows=20), drawn=st.data())
def test_constraints_hold(data, drawn):
    known = drawn.draw(constraints(data.names))
    most = drawn.draw(st.none() | st.integers(0, 2))
    try:
        allowed = forest(data, "qnml", constraints=known, max_parents=most)
    except BnmlError:
        with pytest.raises(BnmlError):
            nml_forest(data, constraints=known, max_parents=most)
        return
    result = nml_forest(data, constraints=known, max_parents=most)
    assert known.allows(result.dag)
    assert max(map(len, result.dag.parent_sets)) <= (1 if most is None else min(1, most))
    assert result.score >= bnml.score(allowed.dag, data, "nml") - 1e-8


def test_directions_that_constraints_demand():
    known = Constraints(tiers=[["xray", "dysp"], ["either", "lung", "tub", "bronc", "smoke", "asia"]])
    result = nml_forest(bnml.example(), constraints=known)
    assert known.allows(result.dag)
    required = Constraints(required=[("dysp", "asia")], required_links=[("smoke", "xray")])
    result = nml_forest(bnml.example(), constraints=required)
    assert required.allows(result.dag)


def test_a_column_with_one_state():
    with pytest.warns(UserWarning, match="X2"):
        table = bnml.read(np.array([[0, 0, 0], [1, 1, 0], [0, 0, 0], [1, 1, 0]] * 5))
    result = nml_forest(table, constraints=Constraints(required_links=[("X0", "X2")]))
    assert set(map(frozenset, result.dag.arcs)) == {frozenset(("X0", "X1")), frozenset(("X0", "X2"))}
    assert result.score == pytest.approx(bnml.score(result.dag, table, "nml"), **CLOSE)
    assert nml_forest(table).dag.arcs == (("X0", "X1"),)


def test_required_links_of_a_column_with_one_state():
    """X0 - X1 - X2 is required, so X0 and X2 may not be linked, however much one says of the other."""
    with pytest.warns(UserWarning, match="X1"):
        table = bnml.read(np.array([[0, 0, 0], [0, 0, 0], [1, 0, 1]]))
    known = Constraints(required=[("X1", "X2")], required_links=[("X0", "X1")])
    result = nml_forest(table, constraints=known)
    assert known.allows(result.dag)
    assert len(result.dag.arcs) == 2


def test_time_limit():
    result = nml_forest(bnml.example(), time_limit=1000)
    assert result.score == nml_forest(bnml.example()).score
    with (
        patch.object(MODULE, "best_tree", lambda *_, **__: [[]] * 8),
        patch("bnml.search.problem.Problem.part", lambda *_: lambda share: None),
        patch("bnml._watch.Watch.over", True),
    ):
        stopped = nml_forest(bnml.example(), max_parents=1, time_limit=1000)
    assert stopped.dag.arcs == ()
    assert stopped.info["steps"] == 0
    assert stopped.info["local_optimum"] is False


def test_what_is_too_much_is_refused():
    rng = np.random.default_rng(0)
    columns = [rng.integers(0, 9, 3000)]
    for _ in range(3):
        columns.append((columns[-1] + (rng.random(3000) < 0.2)) % 9)
    table = np.stack(columns, axis=1)
    with pytest.raises(BnmlError, match=r"weights.*take qnml"):
        nml_forest(table)


def test_forests_that_would_take_too_much_are_skipped():
    """A star is always possible, whatever its centre; what would hang below its leaves is not."""
    rng = np.random.default_rng(0)
    x = rng.integers(0, 12, 500)
    table = np.stack([x, x % 2, x // 6, x // 3 % 2], axis=1)
    result = nml_forest(table)
    assert result.info["skipped"] > 0
    assert {frozenset(arc) for arc in result.dag.arcs} == {frozenset(("X0", y)) for y in ("X1", "X2", "X3")}


# --- the report, and the score that is asked for ---


def test_the_score_is_only_reported():
    data = bnml.example()
    own = nml_forest(data)
    for score in ("nml", "qnml", "bic", "fnml"):
        result = bnml.learn(data, score, search="nml-forest")
        assert result.dag == own.dag
        assert result.score == pytest.approx(bnml.score(own.dag, data, score), **CLOSE)
        assert result.info["nml"] == own.score
        assert f"{own.score:,.3f}; qnml gives the same forest {own.info['qnml']:,.3f}\n" in str(result)
        assert result.network.dag == own.dag


def test_what_is_not_taken():
    data = bnml.example()
    with pytest.raises(BnmlError, match="prior"):
        bnml.learn(data, search="nml-forest", prior=bnml.priors.Sparse())
    with pytest.raises(BnmlError, match="no score 'nlm'"):
        nml_forest(data, "nlm")
    for search in ("exact", "auto", "climb", "forest", "chow-liu", "ges"):
        with pytest.raises(BnmlError, match=r"score='nml'.*search='nml-forest'"):
            bnml.learn(data, "nml", search=search)


def test_progress_and_threads():
    seen, data = [], bnml.example().select(["tub", "lung", "either", "xray", "dysp"])
    result = nml_forest(data, progress=lambda stage, share: seen.append(share))
    assert seen == sorted(seen)
    assert seen[-1] == 1.0
    assert nml_forest(data, threads=1) == result
    turned = nml_forest(data.select(data.names[::-1]))
    assert turned.dag == result.dag


# --- joining trees ---


@settings(max_examples=40, deadline=None)
@given(drawn=st.data())
def test_all_joins_of_two_trees(drawn):
    """Each against the normaliser of the joined tree on its own."""
    sizes = drawn.draw(st.tuples(st.integers(1, 5), st.integers(1, 4)))
    n = drawn.draw(st.integers(1, 12))
    arities = [drawn.draw(st.integers(2, 3)) for _ in range(sum(sizes))]
    trees, start = [], 0
    for size in sizes:
        tree = {start + k: [] for k in range(size)}
        for k in range(1, size):
            above = start + drawn.draw(st.integers(0, k - 1))
            tree[start + k].append(above)
            tree[above].append(start + k)
        trees.append(tree)
        start += size
    joins = ForestJoins(ForestSums(n), arities)
    for a, b in (trees, trees[::-1]):
        found = joins.joined(a, b)
        for (i, x), (j, y) in product(enumerate(sorted(a)), enumerate(sorted(b))):
            whole = {v: [*near, *([y] if v == x else []), *([x] if v == y else [])] for v, near in {**a, **b}.items()}
            assert found[i, j] == pytest.approx(ForestJoins(ForestSums(n), arities).total(whole), rel=1e-11)


def test_sums_whose_peaks_are_far_apart():
    rng = np.random.default_rng(0)
    up, down = rng.normal(0, 1, (3, 50)), rng.normal(0, 1, (2, 50))
    up[1] -= 40.0 * np.arange(50)
    down[1] -= 40.0 * np.arange(50)[::-1]
    wanted = [[np.logaddexp.reduce(x + y) for y in down] for x in up]
    assert forest_joins._log_products(up, down) == pytest.approx(np.array(wanted), rel=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_what_is_known_of_other_changes_of_one_arc(seed):
    """With one parent at most all of them are forests; otherwise the exact NML of some is not known."""
    data = nearly_independent(seed)
    assert nml_forest(data).info["local_optimum"] is False
    result = nml_forest(data, max_parents=1)
    assert result.info["local_optimum"] is True
    near = [dag for dag in one_arc_away(result.dag) if max(map(len, dag.parent_sets)) <= 1]
    assert max(bnml.score(dag, data, "nml") for dag in near) <= result.score + 1e-6
    assert result.info["moves"] == len(forest(data, "qnml", max_parents=1).dag.arcs) + result.info["steps"]
    assert result.info["families"] == 5 + 10 + 2 * 5
    assert nml_forest(data, "bic", max_parents=1).info["families"] > result.info["families"]
